/* struct_size.h - configurations that may grow without breaking a program that is already compiled.
 *
 * A public configuration begins with its size.  `X_config_init(&config, sizeof config)` writes it;
 * the inline `X_defaults()` of the header calls that with the size that the program knows.  The
 * library copies a shorter, older struct over its own defaults, and rejects every other size.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_STRUCT_SIZE_H
#define SEGUE_CORE_STRUCT_SIZE_H

#include <stddef.h>

#include "segue/status.h"

/** A public configuration as this library knows it. */
typedef struct segue_struct_size {
    const char *type; /* its name, for errors: "segue_learner_config" */
    size_t first;     /* bytes in the first version whose layout this library still reads */
    size_t now;       /* bytes in this version */
} segue_struct_size;

/**
 * Write as many bytes of `defaults` into `out` as a program of `size` bytes has, and the size.
 * Larger programs get zeros after the fields that this library knows; it rejects them later.
 */
void segue_struct_size_init(const segue_struct_size *known, const void *defaults, void *out,
                            size_t size);

/**
 * Copy a program's configuration into `out`, which has the library's size and its defaults.
 *
 * @retval SEGUE_EDOMAIN  the size is not one that this library knows
 */
SEGUE_MUST_CHECK segue_status segue_struct_size_copy(const segue_struct_size *known,
                                                     const void *given, void *out,
                                                     segue_error *err);

#endif
