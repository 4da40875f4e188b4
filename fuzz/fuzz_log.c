/* fuzz_log.c - any bytes as a log: read or refused, never a crash.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "fuzz.h"

#include "io/log.h"
#include "io/samples_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    const int fd = memory_file(data, size, path);
    segue_log log;
    segue_error err;
    if (segue_log_read(&log, path, 0.0, 1.0, &err) == SEGUE_OK) {
        double *views = calloc(3 * log.n_arms, sizeof *views);
        for (size_t task = 0; views && task < log.n_tasks; task++)
            (void)segue_log_views(&log, task, views);
        free(views);
        segue_log_fini(&log);
        segue_samples *samples = NULL;
        const segue_samples_wanted wanted = {.least = 2, .highest = 1.0};
        if (segue_samples_file_read(&samples, path, &wanted, &err) != SEGUE_OK &&
            segue_status_exit_code(err.status) != 2)
            abort();
        segue_samples_destroy(samples);
    } else if (err.message[0] == '\0' || segue_status_exit_code(err.status) != 2) {
        abort();
    }
    close(fd);
    return 0;
}
