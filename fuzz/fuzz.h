/* fuzz.h - bytes as a file.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_FUZZ_H
#define SEGUE_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file in memory with these bytes; its path goes to `path`.  Close what is returned. */
static inline int memory_file(const void *data, size_t size, char path[64])
{
    const int fd = memfd_create("fuzz", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    (void)snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

#endif
