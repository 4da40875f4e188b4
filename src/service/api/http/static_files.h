/* static_files.h - the files inside the program: the dashboard, and the description of the
 * interface. SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_HTTP_STATIC_FILES_H
#define SEGUE_SERVICE_API_HTTP_STATIC_FILES_H

#include <stddef.h>

typedef struct segue_static_file {
    const char *path; /* "/", "/app.js", ... */
    const char *type; /* Content-Type */
    const char *etag; /* of its bytes, in its quotes */
    const unsigned char *data;
    size_t size;
} segue_static_file;

/** The page of a request's path; NULL: there is none. */
const segue_static_file *segue_static_files_find(const char *path);

/** What a page may load and do, as its Content-Security-Policy: nothing that is not of this
 * service. */
extern const char segue_static_files_csp[];

/** All pages, made by cmake/embed.cmake from web/, Chart.js and openapi.json. */
extern const segue_static_file segue_static_files[];
extern const size_t segue_n_static_files;

#endif
