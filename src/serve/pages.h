/* pages.h - the files inside the program: the dashboard, and the description of the interface.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVE_PAGES_H
#define SEGUE_SERVE_PAGES_H

#include <stddef.h>

typedef struct segue_page {
    const char *path; /* "/", "/app.js", ... */
    const char *type; /* Content-Type */
    const char *etag; /* of its bytes, in its quotes */
    const unsigned char *data;
    size_t size;
} segue_page;

/** The page of a request's path; NULL: there is none. */
const segue_page *segue_page_find(const char *path);

/** What a page may load and do, as its Content-Security-Policy: nothing that is not of this
 * service. */
extern const char segue_page_policy[];

/** All pages, made by cmake/embed.cmake from web/, Chart.js and openapi.json. */
extern const segue_page segue_pages[];
extern const size_t segue_n_pages;

#endif
