/* build_id.h - identify the running program by its code.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_SUITE_BUILD_ID_H
#define SEGUE_EXPERIMENT_SUITE_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

/** The hash of no bytes. */
#define SEGUE_BUILD_ID_EMPTY UINT64_C(14695981039346656037)

#define SEGUE_BUILD_ID_SIZE 17 /* 16 hexadecimal digits and a NUL */

/**
 * Compute the build id: a 64-bit hash of the program's file.  Another version, compiler, option or
 * changed line of code gives another id.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO  the file of the program cannot be read
 */
SEGUE_MUST_CHECK segue_status segue_build_id_read(uint64_t *id, segue_error *err);

/** Add bytes to a 64-bit hash (FNV-1a). */
void segue_build_id_add(uint64_t *hash, const void *data, size_t size);

/** Write a hash as text. */
void segue_build_id_print(char text[SEGUE_BUILD_ID_SIZE], uint64_t hash);

/** Add the bytes of a file to a hash; @retval SEGUE_EFILE, SEGUE_EIO */
SEGUE_MUST_CHECK segue_status segue_build_id_add_file(uint64_t *hash, const char *path,
                                                      segue_error *err);

#endif
