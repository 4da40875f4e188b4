/* log_tally.c - tallies on the command line: as input in place of a log, and as output.
 *
 * `segue tally` and `segue merge` write a tally and print one row: what it counts, and its size.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/log/log_tally.h"

#include "cli/columns.h"

segue_status cli_log_tally_read(segue_tally *out, const char *path, const cli_log_settings *set,
                                log_read_options *reading, segue_error *err)
{
    const char *given = cli_log_options_given(set);
    *out = (segue_tally){.n_rows = 0};
    if (given)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--%s is for logs, and %.200s is a tally; give it to 'segue tally'",
                          given, segue_path_tail(path));
    const segue_status status = segue_tally_add_file(out, path, err);
    if (status != SEGUE_OK)
        segue_tally_fini(out);
    reading->lowest = out->lowest;
    reading->highest = out->highest;
    return status;
}

segue_status cli_log_tally_read_history(segue_history *out, const char *path,
                                        const cli_log_settings *set, log_read_options *reading,
                                        uint64_t seed, segue_error *err)
{
    segue_tally tally;
    *out = (segue_history){.n_rows = 0};
    if (!segue_tally_detect(path)) {
        SEGUE_TRY(segue_history_read(out, path, reading, err));
        cli_log_options_report(path, &out->rows.skipped);
        cli_log_options_report_range(path, &out->rows, reading);
        return SEGUE_OK;
    }
    SEGUE_TRY(cli_log_tally_read(&tally, path, set, reading, err));
    const segue_status status = segue_tally_make_history(&tally, path, seed, out, err);
    segue_tally_fini(&tally);
    return status;
}

segue_status cli_log_tally_check_order(const char *path, const char *order, const char *instead,
                                       segue_error *err)
{
    if (!segue_tally_detect(path))
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EUSAGE,
                      "--order %s: %.200s is a tally, which has no order of tasks; give the log, "
                      "or %s",
                      order, segue_path_tail(path), instead);
}

void cli_log_tally_report(const char *path, const segue_history *history)
{
    if (history->drawn_from)
        (void)fprintf(stderr, "segue: %s: %zu of its %zu tasks were drawn at random\n", path,
                      history->n_tasks, history->drawn_from);
}

/* ---- the summary ------------------------------------------------------------------------- */

typedef struct written {
    const segue_tally *tally;
    const char *out;
    size_t size;
} written;

enum { FILE_NAME, REWARDS, SKIPPED, TASKS, ARMS, IS_BINARY, SIZE };

static cli_value get(const void *data, size_t row, size_t index)
{
    const written *w = data;
    (void)row;
    if (index == FILE_NAME)
        return cli_value_text(w->out);
    if (index == IS_BINARY)
        return cli_value_boolean(segue_tally_is_binary(w->tally));
    const uint64_t number[] = {[REWARDS] = w->tally->n_rows,
                               [SKIPPED] = w->tally->n_skipped,
                               [TASKS] = w->tally->tasks.count,
                               [ARMS] = w->tally->arms.count,
                               [SIZE] = w->size,
                               [IS_BINARY] = 0};
    return cli_value_integer(number[index]);
}

static const cli_column columns[] = {
    {"file", "file", "tally", .get = get, .index = FILE_NAME},
    {"rows", "rows", "rewards", .get = get, .index = REWARDS},
    {"rows_skipped", "rows_skipped", "skipped", .get = get, .index = SKIPPED},
    {"tasks", "tasks", "tasks", .get = get, .index = TASKS},
    {"arms", "arms", "arms", .get = get, .index = ARMS},
    {"binary", "binary", NULL, .get = get, .index = IS_BINARY},
    {"bytes", "bytes", "bytes", .get = get, .index = SIZE},
};

static segue_status print_table(const void *data, FILE *out, segue_error *err)
{
    const cli_columns summary = CLI_COLUMNS(columns, data, 1);
    return cli_columns_print_table(&summary, CLI_FIT_ANY_WIDTH, NULL, out, cli_output_bold(NULL),
                                   err);
}

static void print_csv(const void *data, FILE *out)
{
    const cli_columns summary = CLI_COLUMNS(columns, data, 1);
    cli_columns_print_csv(&summary, out);
}

static json_t *make_json(const void *data)
{
    const cli_columns summary = CLI_COLUMNS(columns, data, 1);
    return cli_columns_row(&summary, 0);
}

/* The summary follows when the file is complete. */
segue_status cli_log_tally_write(const segue_tally *tally, const char *out, cli_format format,
                                 segue_error *err)
{
    static const cli_printers printers = {
        .table = print_table, .csv = print_csv, .json = make_json};
    segue_bytes b = {.data = NULL};
    segue_status status = segue_tally_serialize(tally, &b, err);
    if (status == SEGUE_OK && !out)
        status = cli_output_write_stdout((const char *)b.data, b.size, err);
    else if (status == SEGUE_OK)
        status = segue_atomic_file_write(out, b.data, b.size, err);
    const written w = {tally, out, b.size};
    segue_bytes_fini(&b);
    return status == SEGUE_OK && out ? cli_output_print(&printers, &w, format, NULL, err) : status;
}
