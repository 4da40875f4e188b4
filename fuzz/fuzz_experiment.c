/* fuzz_experiment.c - any bytes as an experiment, and as results: read or refused, never a crash.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "fuzz.h"

#include "experiment/experiment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    const int fd = memory_file(data, size, path);
    const segue_experiment_overrides changes = {.variant = size % 2 ? "quick" : NULL};
    segue_experiment *experiment = NULL;
    segue_results *results = NULL;
    segue_error err;
    if (segue_experiment_read(&experiment, path, &changes, &err) == SEGUE_OK)
        segue_experiment_destroy(experiment);
    else if (err.message[0] == '\0')
        abort();
    if (segue_results_read(&results, path, &err) == SEGUE_OK)
        segue_results_destroy(results);
    else if (err.message[0] == '\0')
        abort();
    close(fd);
    return 0;
}
