/* pages.c - the files inside the program, by their paths.
 * SPDX-License-Identifier: Apache-2.0 */
#include "serve/pages.h"

#include <string.h>

const char segue_page_policy[] = "default-src 'self'; base-uri 'none'; form-action 'none'; "
                                 "frame-ancestors 'none'; object-src 'none'";

const segue_page *segue_page_find(const char *path)
{
    for (size_t i = 0; i < segue_n_pages; i++)
        if (strcmp(segue_pages[i].path, path) == 0)
            return &segue_pages[i];
    return NULL;
}
