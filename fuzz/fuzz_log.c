/* fuzz_log.c - any bytes as a log, compressed or not: read or refused, never a crash.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "fuzz.h"

#include "io/log/history.h"
#include "io/log/log.h"

static const log_read_options plain = {.highest = 1.0};

static void use_batches(const segue_log *log)
{
    double *views = calloc(3 * log->n_arms, sizeof *views);
    for (size_t task = 0; views && task < log->n_tasks; task++)
        (void)segue_log_views(log, task, views);
    free(views);
}

/* A log that is read into memory can be grouped, and its tasks ordered. */
static void use_history(const segue_history *history)
{
    segue_error err;
    segue_samples *samples = NULL;
    size_t *order = calloc(history->n_tasks, sizeof *order);
    if (history->time && segue_history_order_by_time(history, order, &err) != SEGUE_OK)
        abort();
    if (segue_samples_create(&samples, history->n_tasks, history->n_arms, history->row,
                             history->n_rows, 2, &err) != SEGUE_OK &&
        segue_status_exit_code(err.status) != 2)
        abort();
    segue_samples_destroy(samples);
    free(order);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    const int fd = memory_file(data, size, path);
    const log_read_options all = {.highest = 1.0, .time = true, .probability = true};
    segue_history history;
    segue_log log;
    segue_error err, history_err;
    const segue_status status = segue_log_read(&log, path, &plain, &err);
    const segue_status history_status = segue_history_read(&history, path, &all, &history_err);
    if (status == SEGUE_OK)
        use_batches(&log);
    else if (err.message[0] == '\0' || segue_status_exit_code(status) != 2 ||
             history_status == SEGUE_OK)
        abort();
    if (history_status == SEGUE_OK)
        use_history(&history);
    else if (history_err.message[0] == '\0' || segue_status_exit_code(history_status) != 2)
        abort();
    segue_log_fini(&log);
    if (segue_log_read_consecutive(&log, path, &plain, &err) != status)
        abort();
    if (status == SEGUE_OK)
        use_batches(&log);
    segue_log_fini(&log);
    segue_history_fini(&history);
    close(fd);
    return 0;
}
