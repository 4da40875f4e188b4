/* plan_print.c - print the result of `segue plan` as table, CSV and JSON, and as a page.
 *
 * CSV has one row per number of tasks.  JSON also has the control shares and the conclusion.  The
 * table has the round numbers of tasks alone.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/commands/plan/plan.h"
#include "cli/table.h"
#include "io/shell.h"
#include "report/plan_page.h"
#include "segue/internal.h"

/* ---- rows -------------------------------------------------------------------------------- */

/* Rows that are printed; the table selects some. */
typedef struct rows {
    const segue_plan_result *result;
    const segue_plan_row *row[SEGUE_MAX_PLAN_ROWS];
    size_t count;
} rows;

static rows select_rows(const segue_plan_result *result, bool round_only)
{
    rows out = {.result = result};
    for (size_t i = 0; i < result->n_rows; i++)
        if (result->row[i].round || !round_only)
            out.row[out.count++] = &result->row[i];
    return out;
}

static cli_value get_tasks(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_integer(((const rows *)data)->row[row]->tasks);
}

static cli_value get_part(const segue_interval *x, size_t part)
{
    const double parts[] = {x->value, x->low, x->high};
    return cli_value_number(parts[part]);
}

/* Give part index % 3 (value, low, high) of the gain over opponent index / 3. */
static cli_value get_total(const void *data, size_t row, size_t index)
{
    return get_part(&((const rows *)data)->row[row]->total[index / 3], index % 3);
}

static cli_value get_power(const void *data, size_t row, size_t index)
{
    return get_part(&((const rows *)data)->row[row]->power[index / 3], index % 3);
}

/* Return the decimals that show three digits of an amount. */
static int decimals_of(double amount)
{
    return amount > -10.0 && amount < 10.0 ? 2 : amount > -100.0 && amount < 100.0 ? 1 : 0;
}

/* "52.1 (48.0 .. 56.2)". */
static cli_value get_total_range(const void *data, size_t row, size_t index)
{
    const segue_interval *x = &((const rows *)data)->row[row]->total[index];
    const int decimals = decimals_of(x->value);
    return cli_value_format("%.*f (%.*f .. %.*f)", decimals, x->value, decimals, x->low, decimals,
                            x->high);
}

static cli_value get_total_text(const void *data, size_t row, size_t index)
{
    const double total = ((const rows *)data)->row[row]->total[index].value;
    return cli_value_format("%.*f", decimals_of(total), total);
}

static cli_value get_power_text(const void *data, size_t row, size_t index)
{
    return cli_value_format("%.0f", 100.0 * ((const rows *)data)->row[row]->power[index].value);
}

/* An interval: three columns of CSV, an object of JSON. */
#define INTERVAL(name, getter, number)                                                             \
    {name, name ".mean", NULL, .get = (getter), .index = 3 * (number)},                            \
        {name "_low", name ".low", NULL, .get = (getter), .index = 3 * (number) + 1},              \
    {                                                                                              \
        name "_high", name ".high", NULL, .get = (getter), .index = 3 * (number) + 2               \
    }

#define TOTAL_TEXT(heading, number)                                                                \
    {                                                                                              \
        NULL, NULL, heading, .get = get_total_text, .index = (number)                              \
    }
#define POWER_TEXT(heading, number)                                                                \
    {                                                                                              \
        NULL, NULL, heading, .get = get_power_text, .index = (number)                              \
    }

static const cli_column row_columns[] = {
    {"tasks", "tasks", "tasks", .get = get_tasks},
    INTERVAL("over_ts", get_total, SEGUE_PLAN_TS),
    INTERVAL("over_la", get_total, SEGUE_PLAN_LA),
    INTERVAL("over_prior", get_total, SEGUE_PLAN_PRIOR),
    INTERVAL("power_2", get_power, 0),
    INTERVAL("power_5", get_power, 1),
    INTERVAL("power_10", get_power, 2),
    INTERVAL("power_20", get_power, 3),
    INTERVAL("power_50", get_power, 4),
    {NULL, NULL, "over ts (95 %)", .get = get_total_range, .index = SEGUE_PLAN_TS},
    TOTAL_TEXT("la", SEGUE_PLAN_LA),
    TOTAL_TEXT("prior", SEGUE_PLAN_PRIOR),
    POWER_TEXT("2 %", 0),
    POWER_TEXT("5 %", 1),
    POWER_TEXT("10 %", 2),
    POWER_TEXT("20 %", 3),
    POWER_TEXT("50 %", 4),
};

/* ---- control shares ---------------------------------------------------------------------- */

static cli_value get_control(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_number(((const segue_plan_result *)data)->share[row].control);
}

static cli_value get_control_text(const void *data, size_t row, size_t index)
{
    const segue_plan_result *result = data;
    (void)index;
    return cli_value_format("%.0f %%%s", 100.0 * result->share[row].control,
                            row == result->recommended ? " *" : "");
}

static cli_value get_needed(const void *data, size_t row, size_t index)
{
    return get_part(&((const segue_plan_result *)data)->share[row].tasks, index);
}

static cli_value get_needed_text(const void *data, size_t row, size_t index)
{
    const segue_interval *x = &((const segue_plan_result *)data)->share[row].tasks;
    (void)index;
    if (!isfinite(x->value))
        return cli_value_text("-");
    return isfinite(x->high) ? cli_value_format("%.0f (%.0f .. %.0f)", x->value, x->low, x->high)
                             : cli_value_format("%.0f (%.0f ..)", x->value, x->low);
}

/* Give the control tasks by then, or the reward that they cost. */
static cli_value get_cost(const void *data, size_t row, size_t index)
{
    const segue_plan_share *share = &((const segue_plan_result *)data)->share[row];
    const double costs[] = {share->control * share->tasks.value, share->lost};
    return cli_value_number(costs[index]);
}

static const cli_column share_columns[] = {
    {NULL, "control", NULL, .get = get_control},
    {NULL, NULL, "control", .get = get_control_text},
    {NULL, "tasks.mean", NULL, .get = get_needed, .index = 0},
    {NULL, "tasks.low", NULL, .get = get_needed, .index = 1},
    {NULL, "tasks.high", NULL, .get = get_needed, .index = 2},
    {NULL, NULL, "tasks for 80 % power", .get = get_needed_text},
    {NULL, NULL, "control tasks", .get = get_cost, .index = 0},
    {NULL, "lost", "reward lost", .get = get_cost, .digits = 1, .index = 1},
};

static cli_columns columns_of_shares(const segue_plan_result *result)
{
    return CLI_COLUMNS(share_columns, result, SEGUE_N_PLAN_SHARES);
}

/* ---- the formats ------------------------------------------------------------------------- */

static segue_status print_table(const void *data, FILE *out, segue_error *err)
{
    const cli_plan *plan = data;
    const segue_plan_result *result = &plan->result;
    const cli_bold bold = cli_output_bold(plan->set.out);
    const rows shown = select_rows(result, true);
    const cli_columns of_rows = CLI_COLUMNS(row_columns, &shown, shown.count);
    const cli_columns of_shares = columns_of_shares(result);
    cli_table_print_wrapped(out, "", plan->tasks);
    fprintf(out,
            "%" PRIu64 " runs of %" PRIu64 " tasks simulated; later tasks redrawn from these\n\n"
            "Total gain of %s in reward over ts, la and a prior of each arm without types;\n"
            "power in %% with 2 %% to 50 %% control tasks:\n\n",
            plan->config.runs, plan->config.simulated, plan->config.learner);
    SEGUE_TRY(cli_columns_print_table(&of_rows, CLI_FIT_ANY_WIDTH, NULL, out, bold, err));
    fprintf(out, "\nControl experiments that show a gain over ts (*: recommended):\n\n");
    SEGUE_TRY(cli_columns_print_table(&of_shares, CLI_FIT_ANY_WIDTH, NULL, out, bold, err));
    fputc('\n', out);
    cli_table_print_wrapped(out, "", result->text);
    return SEGUE_OK;
}

static void print_csv(const void *data, FILE *out)
{
    const rows all = select_rows(&((const cli_plan *)data)->result, false);
    const cli_columns columns = CLI_COLUMNS(row_columns, &all, all.count);
    cli_columns_print_csv(&columns, out);
}

static json_t *json_interval(const segue_interval *x)
{
    const cli_field fields[] = {{"mean", cli_value_number(x->value)},
                                {"low", cli_value_number(x->low)},
                                {"high", cli_value_number(x->high)}};
    return CLI_OBJECT(fields);
}

/* Gains are objects named by the opponent. */
static json_t *json_gain(const cli_plan *plan, size_t other)
{
    const segue_plan_gain *gain = &plan->result.gain[other];
    const segue_interval yearly = segue_yearly_gain(&plan->config.yearly, &gain->per_task);
    const bool known = segue_yearly_is_known(&plan->config.yearly);
    const cli_field fields[] = {
        {"pays_from", cli_value_json(json_interval(&gain->pays_from))},
        {"per_task", cli_value_json(json_interval(&gain->per_task))},
        {"per_year", known ? cli_value_json(json_interval(&yearly)) : cli_value_missing()},
    };
    return CLI_OBJECT(fields);
}

/* A share of control tasks, or null. */
static cli_value value_of_share(const segue_plan_result *result, size_t share)
{
    return share < SEGUE_N_PLAN_SHARES ? cli_value_number(result->share[share].control)
                                       : cli_value_missing();
}

static json_t *make_json(const void *data)
{
    const cli_plan *plan = data;
    const segue_plan_config *config = &plan->config;
    const segue_plan_result *result = &plan->result;
    const rows all = select_rows(result, false);
    const cli_columns of_rows = CLI_COLUMNS(row_columns, &all, all.count);
    const cli_columns of_shares = columns_of_shares(result);
    const cli_field fields[] = {
        {"log", plan->path ? cli_value_text(plan->path) : cli_value_missing()},
        {"types", cli_value_integer(config->n_types)},
        {"arms", cli_value_integer(config->population->n_arms)},
        {"steps", cli_value_integer(config->steps)},
        {"policy", cli_value_text(config->learner)},
        {"runs", cli_value_integer(config->runs)},
        {"simulated", cli_value_integer(config->simulated)},
        {"seed", cli_value_integer(config->seed)},
        {"ts_reward", cli_value_number(result->ts_reward)},
        {"without_transfer", cli_value_text(segue_plan_opponent(result->without))},
        {"over_ts", cli_value_json(json_gain(plan, SEGUE_PLAN_TS))},
        {"over_la", cli_value_json(json_gain(plan, SEGUE_PLAN_LA))},
        {"over_prior", cli_value_json(json_gain(plan, SEGUE_PLAN_PRIOR))},
        {"results", cli_value_json(cli_columns_list(&of_rows))},
        {"control", cli_value_json(cli_columns_list(&of_shares))},
        {"recommended", value_of_share(result, result->recommended)},
        {"fastest", value_of_share(result, result->fastest)},
        {"verdict", cli_value_text(result->text)},
    };
    return CLI_OBJECT(fields);
}

const cli_printers cli_plan_printers = {.table = print_table, .csv = print_csv, .json = make_json};

/* ---- the page ---------------------------------------------------------------------------- */

/* Write the log, and how it was read. */
static void write_log(const cli_plan *plan, FILE *out)
{
    char options[CLI_LOG_OPTIONS_SIZE] = "";
    char *path = segue_shell_quote(plan->path, true);
    cli_log_options_write(&plan->set.log, options, sizeof options);
    fprintf(out, "%s %s", options, path ? path : "LOG");
    free(path);
}

/* Write the command with its defaults filled in: it repeats the page even if a default changes. */
static void write_command(const cli_plan *plan, FILE *out)
{
    const cli_plan_settings *set = &plan->set;
    const segue_plan_config *config = &plan->config;
    fprintf(out,
            "segue plan --steps %" PRIu64 " --policy %s --tasks %" PRIu64 " --simulated %" PRIu64
            " --runs %" PRIu64 " --seed %" PRIu64,
            config->steps, config->learner, config->max_tasks, config->simulated, config->runs,
            config->seed);
    if (set->value > 0.0)
        fprintf(out, " --value %.17g", set->value);
    if (set->tasks_per_day > 0.0)
        fprintf(out, " --tasks-per-day %.17g", set->tasks_per_day);
    if (plan->path)
        write_log(plan, out);
    else
        fprintf(out,
                " --types %" PRIu64 " --arms %" PRIu64
                " --effect %.17g --base %.17g --spread %.17g",
                set->types, set->arms, set->effect, set->base, set->spread);
}

segue_status cli_plan_write_page(const cli_plan *plan, segue_error *err)
{
    segue_output command;
    SEGUE_TRY(segue_output_init(&command, err));
    write_command(plan, command.stream);
    segue_status status = segue_output_finish(&command, err);
    const segue_plan_page page = {.config = &plan->config,
                                  .result = &plan->result,
                                  .tasks = plan->tasks,
                                  .command = command.data};
    if (status == SEGUE_OK)
        status = segue_plan_page_write(&page, plan->set.html, plan->set.figures, err);
    segue_output_fini(&command);
    return status;
}
