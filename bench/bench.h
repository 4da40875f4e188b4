/* bench.h - functions that the benchmarks share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BENCH_H
#define SEGUE_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "io/models_file.h"
#include "segue/segue.h"

/* CPU seconds of this process. */
static inline double cpu_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Allocate zeros, or exit. */
static inline double *new_numbers(size_t count)
{
    double *numbers = calloc(count, sizeof *numbers);
    if (numbers)
        return numbers;
    (void)fputs("bench: out of memory\n", stderr);
    exit(1);
}

/* Exit if a call failed. */
static inline void check(segue_status status, const segue_error *err)
{
    if (status == SEGUE_OK)
        return;
    (void)fprintf(stderr, "bench: %s\n", err->message);
    exit(segue_status_exit_code(status));
}

#endif
