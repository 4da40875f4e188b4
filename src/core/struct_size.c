/* struct_size.c - configurations that may grow without breaking a program that is already compiled.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/struct_size.h"

#include <string.h>

void segue_struct_size_init(const segue_struct_size *known, const void *defaults, void *out,
                            size_t size)
{
    memset(out, 0, size);
    memcpy(out, defaults, size < known->now ? size : known->now);
    if (size >= sizeof size)
        memcpy(out, &size, sizeof size);
}

segue_status segue_struct_size_copy(const segue_struct_size *known, const void *given, void *out,
                                    segue_error *err)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < known->first || size > known->now)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s has %zu bytes; need %zu to %zu: fill it with its defaults, and "
                          "compile and link with the same version of Segue",
                          known->type, size, known->first, known->now);
    memcpy(out, given, size);
    memcpy(out, &known->now, sizeof known->now);
    return SEGUE_OK;
}
