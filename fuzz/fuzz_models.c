/* fuzz_models.c - any bytes as a model set: read or refused, never a crash.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "fuzz.h"

#include "io/models_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    const int fd = memory_file(data, size, path);
    segue_models_file file;
    segue_error err;
    if (segue_models_file_read(&file, path, SEGUE_MODELS_KNOWN, &err) == SEGUE_OK)
        segue_models_file_fini(&file);
    else if (err.message[0] == '\0' || segue_status_exit_code(err.status) != 2)
        abort();
    close(fd);
    return 0;
}
