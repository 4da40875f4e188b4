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

/* Read with other options: read or refused, with a sentence. */
static bool read_with(const char *path, const log_read_options *options, uint64_t *n_rows)
{
    segue_history history;
    segue_error err;
    const segue_status status = segue_history_read(&history, path, options, &err);
    *n_rows = history.n_rows + segue_log_rows_count_skipped(&history.rows.skipped);
    if (status == SEGUE_OK)
        use_history(&history);
    else if (err.message[0] == '\0' || segue_status_exit_code(status) != 2)
        abort();
    segue_history_fini(&history);
    return status == SEGUE_OK;
}

/* Columns by name, paths, delimiters, ranges; what is skipped is counted. */
static void use_options(const char *path)
{
    static const log_read_options list[] = {
        {.highest = 1.0, .column = {"user", "variant", "click", "t", "p"}},
        {.highest = 1.0, .column = {"c.u.id"}, .time = true, .probability = true},
        {.lowest = -1.0, .highest = 5.0, .column = {"c.0.u", "l.1", "o.0.v"}, .skip_missing = true},
        {.highest = 1.0, .delimiter = '\t'},
        {.highest = 1.0, .delimiter = '|', .skip_missing = true, .time = true},
    };
    const log_read_options skip = {.highest = 1.0, .skip_missing = true};
    uint64_t n_plain = 0, n_skip = 0;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        (void)read_with(path, &list[i], &n_plain);
    if (read_with(path, &plain, &n_plain) && read_with(path, &skip, &n_skip) && n_plain != n_skip)
        abort();
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
    use_options(path);
    close(fd);
    return 0;
}
