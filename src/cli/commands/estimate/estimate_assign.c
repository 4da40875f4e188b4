/* estimate_assign.c - `segue estimate --assign`: the likeliest type of each task of a log.
 *
 * One row per task, in the order of the log: task, type, probability. Type 0 is no type. The numbers
 * of the types are those of `segue estimate --method types` (estimate_types.c), which fits them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cli/columns.h"
#include "cli/commands/estimate/estimate.h"

segue_status cli_estimate_assign(cli_estimate *e, segue_error *err)
{
    double probability[SEGUE_MAX_FITTED_TYPES + 1];
    double *counts = calloc(2 * e->log.n_arms, sizeof *counts);
    e->assigned = calloc(e->log.n_tasks, sizeof *e->assigned);
    for (size_t task = 0; counts && e->assigned && task < e->log.n_tasks; task++) {
        const size_t type = cli_estimate_posterior(e, task, counts, probability);
        e->assigned[task] = (cli_estimate_assignment){type, probability[type]};
    }
    free(counts);
    return counts && e->assigned ? SEGUE_OK : segue_fail_no_memory(err, "the types of tasks");
}

static cli_value get_task(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_text(((const cli_estimate *)data)->log.tasks[row].name);
}

static cli_value get_type(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_integer(((const cli_estimate *)data)->assigned[row].type);
}

static cli_value get_probability(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_number(((const cli_estimate *)data)->assigned[row].probability);
}

static const cli_column columns[] = {
    {"task", "task", "task", .get = get_task},
    {"type", "type", "type", .get = get_type},
    {"probability", "probability", "probability", .get = get_probability, .digits = 3},
};

static segue_status print_table(const void *data, FILE *out, segue_error *err)
{
    const cli_estimate *e = data;
    const cli_columns tasks = CLI_COLUMNS(columns, e, e->log.n_tasks);
    return cli_columns_print_table(&tasks, CLI_FIT_ANY_WIDTH, NULL, out,
                                   cli_output_bold(e->set.out), err);
}

static void print_csv(const void *data, FILE *out)
{
    const cli_columns tasks = CLI_COLUMNS(columns, data, ((const cli_estimate *)data)->log.n_tasks);
    cli_columns_print_csv(&tasks, out);
}

/* The types themselves are in the JSON without --assign. */
static json_t *make_json(const void *data)
{
    const cli_estimate *e = data;
    const cli_columns tasks = CLI_COLUMNS(columns, e, e->log.n_tasks);
    const cli_field fields[] = {
        {"method", cli_value_text(e->set.method)},
        {"input", cli_value_text(e->is_tally ? "tally" : "log")},
        {"rows", cli_value_integer(e->log.n_rows)},
        {"tasks", cli_value_integer(e->log.n_tasks)},
        {"assignments", cli_value_json(cli_columns_list(&tasks))},
    };
    return CLI_OBJECT(fields);
}

const cli_printers cli_estimate_assign_printers = {
    .table = print_table, .csv = print_csv, .json = make_json};
