/* static_files.c - files embedded in the program, by path.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/http/static_files.h"

#include <string.h>

#define POLICY                                                                                     \
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; "             \
    "default-src 'self'"

/* The playground alone compiles WebAssembly. */
const char *segue_static_files_csp(const segue_static_file *file)
{
    return strncmp(file->path, "/playground", strlen("/playground")) == 0 ? POLICY
               "; script-src 'self' 'wasm-unsafe-eval'"
                                                                          : POLICY;
}

const segue_static_file *segue_static_files_find(const char *path)
{
    for (size_t i = 0; i < segue_n_static_files; i++)
        if (strcmp(segue_static_files[i].path, path) == 0)
            return &segue_static_files[i];
    return NULL;
}
