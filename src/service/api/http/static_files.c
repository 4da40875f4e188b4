/* static_files.c - files embedded in the program, by path.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/http/static_files.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

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

/* The size of a path without the name of a folder's page. */
static size_t size_of(const char *path)
{
    static const char name[] = "/index.html";
    const size_t size = strlen(path), more = sizeof name - 1;
    return size >= more && strcmp(path + size - more, name) == 0 ? size - more + 1 : size;
}

const segue_static_file *segue_static_files_find(const char *path)
{
    const size_t size = size_of(path);
    for (size_t i = 0; i < segue_n_static_files; i++)
        if (strncmp(segue_static_files[i].path, path, size) == 0 &&
            segue_static_files[i].path[size] == '\0')
            return &segue_static_files[i];
    return NULL;
}

/* ---- compressed forms -------------------------------------------------------------------- */

#define BLANKS " \t"

/* An element of Accept-Encoding is a coding, and may end in a weight: "gzip;q=0.5". */
static bool is_coding(const char *element, const char *coding)
{
    const size_t size = strlen(coding);
    return strcspn(element, ",;" BLANKS) == size && strncasecmp(element, coding, size) == 0;
}

/* A weight of 0, also written "0.000", refuses the coding. */
static bool is_refused(const char *element)
{
    const char *weight = element + strcspn(element, ",;");
    if (*weight != ';')
        return false;
    weight += 1 + strspn(weight + 1, BLANKS);
    if (strncasecmp(weight, "q=", 2) != 0)
        return false;
    const char *end = weight + 2 + strspn(weight + 2, "0.");
    return strchr("," BLANKS, *end) != NULL; /* also at the end of the text */
}

/* "*" stands for the codings that are not named. */
static bool takes_gzip(const char *accept_encoding)
{
    bool others = false;
    for (const char *element = accept_encoding; *element; element += strcspn(element, ",")) {
        element += strspn(element, "," BLANKS);
        if (is_coding(element, "gzip") || is_coding(element, "x-gzip"))
            return !is_refused(element);
        if (is_coding(element, "*"))
            others = !is_refused(element);
    }
    return others;
}

const segue_static_file *segue_static_files_choose(const segue_static_file *file,
                                                   const char *accept_encoding)
{
    return file->gzip && accept_encoding && takes_gzip(accept_encoding) ? file->gzip : file;
}
