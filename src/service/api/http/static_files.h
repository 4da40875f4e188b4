/* static_files.h - files embedded in the program: the dashboard, the playground and openapi.json.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_HTTP_STATIC_FILES_H
#define SEGUE_SERVICE_API_HTTP_STATIC_FILES_H

#include <stddef.h>

typedef struct segue_static_file {
    const char *path;     /* "/", "/app.js", ... */
    const char *type;     /* Content-Type */
    const char *etag;     /* of its bytes, with quotes */
    const char *encoding; /* Content-Encoding, or NULL */
    const unsigned char *data;
    size_t size;
    const struct segue_static_file *gzip; /* the file compressed; NULL: it would not be smaller */
} segue_static_file;

/** Find the file of a path; "index.html" is its folder's.  NULL: there is none. */
const segue_static_file *segue_static_files_find(const char *path);

/** Choose the file or its compressed form, by a header Accept-Encoding (NULL: none was sent). */
const segue_static_file *segue_static_files_choose(const segue_static_file *file,
                                                   const char *accept_encoding);

/** The Content-Security-Policy of a file: it loads nothing from other hosts. */
const char *segue_static_files_csp(const segue_static_file *file);

/** All files; cmake/embed.cmake generates them (cmake/pages.cmake). */
extern const segue_static_file segue_static_files[];
extern const size_t segue_n_static_files;

#endif
