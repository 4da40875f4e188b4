/* build_id.c - identify the running program by its code.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/suite/build_id.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "segue/internal.h"

#define FNV_PRIME UINT64_C(1099511628211)

void segue_build_id_add(uint64_t *hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ bytes[i]) * FNV_PRIME;
}

void segue_build_id_print(char text[SEGUE_BUILD_ID_SIZE], uint64_t hash)
{
    (void)snprintf(text, SEGUE_BUILD_ID_SIZE, "%016" PRIx64, hash);
}

segue_status segue_build_id_add_file(uint64_t *hash, const char *path, segue_error *err)
{
    unsigned char block[65536];
    FILE *file = fopen(path, "rb");
    if (!file)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_path_tail(path),
                          strerror(errno));
    for (size_t size; (size = fread(block, 1, sizeof block, file)) > 0;)
        segue_build_id_add(hash, block, size);
    const bool failed = ferror(file) != 0;
    (void)fclose(file);
    return failed ? segue_fail(err, SEGUE_EIO, "%s: reading failed; check the disk",
                               segue_path_tail(path))
                  : SEGUE_OK;
}

/* The program contains the library: its file is all of the code except BLAS and the C library. */
segue_status segue_build_id_read(uint64_t *id, segue_error *err)
{
    *id = SEGUE_BUILD_ID_EMPTY;
    return segue_build_id_add_file(id, "/proc/self/exe", err);
}
