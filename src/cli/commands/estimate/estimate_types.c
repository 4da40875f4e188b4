/* estimate_types.c - `segue estimate --method types`: how many types a log has, and their priors.
 *
 * The fit is the one that learners of types use: a mixture over the counts of tasks, whose
 * component 0 stands for tasks that fit no type. Types have the numbers of segue_types_numbered, by
 * decreasing weight, as in a replay and in the service. CSV is a model set, without the component for
 * no type.
 *
 * estimate.c calls cli_estimate_types after it has read the log, and prints through
 * cli_estimate_types_printers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cli/columns.h"
#include "cli/commands/estimate/estimate.h"
#include "io/json_build.h"
#include "replay/replay.h"
#include "replay/types_verdict.h"

/* ---- the fit ----------------------------------------------------------------------------- */

/* Allocate the sums and pulls of a task. */
static segue_status allocate_counts(const cli_estimate *e, double **out, segue_error *err)
{
    *out = calloc(2 * e->log.n_arms, sizeof **out);
    return *out ? SEGUE_OK
                : segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", e->log.n_arms);
}

/* Graded rewards count by their dispersion in the log. */
static segue_status weigh_rewards(cli_estimate *e, segue_error *err)
{
    segue_dispersion *arm = calloc(e->log.n_arms, sizeof *arm);
    e->reward_weight = calloc(e->log.n_arms, sizeof *e->reward_weight);
    const bool has_memory = arm && e->reward_weight;
    if (has_memory)
        segue_log_reward_weights(&e->log, arm, e->reward_weight);
    free(arm);
    return has_memory ? SEGUE_OK
                      : segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", e->log.n_arms);
}

/* Tasks are added in the order of the log: the fit uses the last --window of them. */
static segue_status add_tasks(cli_estimate *e, segue_error *err)
{
    double *sum = NULL;
    SEGUE_TRY(weigh_rewards(e, err));
    segue_status status = allocate_counts(e, &sum, err);
    for (size_t task = 0; task < e->log.n_tasks && status == SEGUE_OK; task++) {
        segue_log_weighted_counts(&e->log, task, e->reward_weight, sum, sum + e->log.n_arms);
        status = segue_types_add_task(e->types, sum, sum + e->log.n_arms, err);
    }
    free(sum);
    return status;
}

static bool has_types(const cli_estimate *e)
{
    return segue_types_count(e->types) > 0;
}

/* --types is a hint for the first fit; the number of types that is found may differ. */
segue_status cli_estimate_types(cli_estimate *e, segue_error *err)
{
    segue_types_config config = segue_types_defaults();
    if (e->set.types > SEGUE_MAX_FITTED_TYPES)
        return segue_fail(err, SEGUE_EUSAGE, "--types: there are at most %d with --method types",
                          SEGUE_MAX_FITTED_TYPES);
    config.n_arms = e->log.n_arms;
    config.hint = e->set.types;
    config.window = e->set.window;
    config.seed = e->set.seed;
    SEGUE_TRY(segue_types_create(&e->types, &config, err));
    SEGUE_TRY(add_tasks(e, err));
    if (e->log.n_tasks >= SEGUE_MIN_TYPED_TASKS)
        SEGUE_TRY(segue_types_refit_until_stable(e->types, NULL, err));
    if ((e->format == CLI_CSV || e->set.assign) && !has_types(e))
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s: there is no %s: %zu tasks are too few for types; need %d", e->path,
                          e->set.assign ? "type to assign" : "model set to print", e->log.n_tasks,
                          SEGUE_MIN_TYPED_TASKS);
    return e->set.assign ? cli_estimate_assign(e, err) : SEGUE_OK;
}

/* ---- the verdict ------------------------------------------------------------------------- */

/* Return the standard deviation of tasks' means around a type's, in the range of the rewards. */
static double spread_of(const cli_estimate *e, const segue_type_arm *arm)
{
    return segue_types_verdict_spread(arm, e->reading.highest - e->reading.lowest);
}

static void write_verdict(const cli_estimate *e, const segue_types_fit *fit, char *out)
{
    segue_types_verdict_write(e->types, fit, e->reading.highest - e->reading.lowest, out);
}

/* ---- printing ---------------------------------------------------------------------------- */

/* Weights sum to 1 over the types, since a model set has no component for "no type". */
static void print_csv(const void *data, FILE *out)
{
    const cli_estimate *e = data;
    const double *weight = segue_types_weights(e->types);
    cli_estimate_print_header(e, out);
    for (size_t n = 0; n < segue_types_count(e->types); n++) {
        const size_t q = segue_types_numbered(e->types)[n + 1];
        segue_output_csv_number(out, weight[q] / (1.0 - weight[0]));
        for (size_t i = 0; i < e->log.n_arms; i++) {
            fputc(',', out);
            segue_output_csv_number(out, segue_types_arm(e->types, q, i).mean);
        }
        fputc('\n', out);
    }
}

/* Give prior and spread per arm; means are in the range of the rewards. */
static json_t *json_type_arms(const cli_estimate *e, size_t type)
{
    json_t *list = json_array();
    for (size_t i = 0; i < e->log.n_arms; i++) {
        const segue_type_arm arm = segue_types_arm(e->types, type, i);
        const cli_field fields[] = {
            {"mean", cli_value_number(cli_estimate_scale_mean(e, arm.mean))},
            {"low", cli_value_number(cli_estimate_scale_mean(e, arm.low))},
            {"high", cli_value_number(cli_estimate_scale_mean(e, arm.high))},
            {"spread", cli_value_number(spread_of(e, &arm))},
            {"kappa", cli_value_number(arm.kappa)},
            {"pulls", cli_value_number(arm.pulls)},
        };
        list = segue_json_append(list, CLI_OBJECT(fields));
    }
    return list;
}

/* Types are in the order of their numbers. */
static json_t *json_types(const cli_estimate *e, const segue_types_fit *fit)
{
    json_t *list = json_array();
    for (size_t n = 0; n < segue_types_count(e->types); n++) {
        const size_t q = segue_types_numbered(e->types)[n + 1];
        const cli_field fields[] = {
            {"type", cli_value_integer(n + 1)},
            {"weight", cli_value_number(segue_types_weights(e->types)[q])},
            {"tasks", cli_value_number(fit->size[q])},
            {"last", cli_value_integer(segue_types_last_task(e->types, q))},
            {"arms", cli_value_json(json_type_arms(e, q))},
        };
        list = segue_json_append(list, CLI_OBJECT(fields));
    }
    return list;
}

size_t cli_estimate_posterior(const cli_estimate *e, size_t task, double *counts,
                              double *probability)
{
    double component[SEGUE_MAX_FITTED_TYPES + 1];
    size_t best = 0;
    segue_log_weighted_counts(&e->log, task, e->reward_weight, counts, counts + e->log.n_arms);
    (void)segue_types_posterior(e->types, counts, counts + e->log.n_arms, component);
    for (size_t n = 0; n <= segue_types_count(e->types); n++) {
        probability[n] = component[segue_types_numbered(e->types)[n]];
        best = probability[n] > probability[best] ? n : best;
    }
    return best;
}

static json_t *json_posterior(const cli_estimate *e, size_t task, double *counts)
{
    double probability[SEGUE_MAX_FITTED_TYPES + 1];
    const size_t best = cli_estimate_posterior(e, task, counts, probability);
    const cli_field fields[] = {
        {"task", cli_value_text(e->log.tasks[task].name)},
        {"type", cli_value_integer(best)},
        {"probabilities",
         cli_value_json(segue_json_numbers(probability, segue_types_count(e->types) + 1))},
    };
    return CLI_OBJECT(fields);
}

/* NULL: out of memory; then the whole object is NULL. */
static json_t *json_posteriors(const cli_estimate *e)
{
    double *counts = NULL;
    json_t *list = allocate_counts(e, &counts, NULL) == SEGUE_OK ? json_array() : NULL;
    for (size_t task = 0; list && task < e->log.n_tasks; task++)
        list = segue_json_append(list, json_posterior(e, task, counts));
    free(counts);
    return list;
}

static json_t *make_json(const void *data)
{
    const cli_estimate *e = data;
    const segue_types_fit fit = segue_types_evaluate(e->types);
    char verdict[SEGUE_TYPES_VERDICT_SIZE];
    write_verdict(e, &fit, verdict);
    const cli_field fields[] = {
        {"method", cli_value_text(e->set.method)},
        {"input", cli_value_text(e->is_tally ? "tally" : "log")},
        {"rows", cli_value_integer(e->log.n_rows)},
        {"rows_skipped", cli_value_integer(segue_log_rows_count_skipped(&e->log.rows.skipped))},
        {"tasks", cli_value_integer(e->log.n_tasks)},
        {"arms", cli_value_json(cli_estimate_arm_names(e))},
        {"types", cli_value_json(json_types(e, &fit))},
        {"no_type.weight", cli_value_number(segue_types_weights(e->types)[0])},
        {"no_type.tasks", cli_value_number(fit.size[0])},
        {"diagnostics.verdict", cli_value_text(verdict)},
        {"diagnostics.found", cli_value_boolean(has_types(e))},
        {"diagnostics.tasks", cli_value_integer(segue_types_in_window(e->types))},
        {"diagnostics.log_likelihood", cli_value_number(fit.log_likelihood)},
        {"diagnostics.objective", cli_value_number(fit.objective)},
        {"posteriors", cli_value_json(json_posteriors(e))},
    };
    return CLI_OBJECT(fields);
}

/* ---- the table: one row per type and arm, then one for no type ----------------------------- */

/* The table and the evaluation of the fit, which is computed once. */
typedef struct rows {
    const cli_estimate *e;
    segue_types_fit fit;
} rows;

/* Find the type and the arm of a row; false: the row is that of no type. */
static bool find_row(const rows *r, size_t row, size_t *type, size_t *arm)
{
    const size_t n_arms = r->e->log.n_arms, n = row / n_arms;
    const bool is_type = n < segue_types_count(r->e->types);
    *type = is_type ? segue_types_numbered(r->e->types)[n + 1] : 0;
    *arm = is_type ? row % n_arms : 0;
    return is_type;
}

/* The number is in the first row of a type; its other rows are blank. */
static cli_value get_type(const void *data, size_t row, size_t index)
{
    size_t type, arm;
    const rows *r = data;
    (void)index;
    if (!find_row(r, row, &type, &arm))
        return cli_value_text("none");
    return arm == 0 ? cli_value_integer(row / r->e->log.n_arms + 1) : cli_value_missing();
}

/* Give weight or tasks of a type, in the first of its rows. */
static cli_value get_size(const void *data, size_t row, size_t index)
{
    size_t type, arm;
    const rows *r = data;
    (void)find_row(r, row, &type, &arm);
    if (arm > 0)
        return cli_value_missing();
    return cli_value_number(index ? r->fit.size[type] : segue_types_weights(r->e->types)[type]);
}

static cli_value get_arm(const void *data, size_t row, size_t index)
{
    size_t type, arm;
    const rows *r = data;
    (void)index;
    return find_row(r, row, &type, &arm) ? cli_value_text(r->e->log.arm_name[arm])
                                         : cli_value_missing();
}

/* Give mean, interval or spread of an arm. */
static cli_value get_arm_number(const void *data, size_t row, size_t index)
{
    size_t type, i;
    const rows *r = data;
    if (!find_row(r, row, &type, &i))
        return cli_value_missing();
    const segue_type_arm arm = segue_types_arm(r->e->types, type, i);
    if (index == 1)
        return cli_value_format("%.3f - %.3f", cli_estimate_scale_mean(r->e, arm.low),
                                cli_estimate_scale_mean(r->e, arm.high));
    return cli_value_number(index ? spread_of(r->e, &arm)
                                  : cli_estimate_scale_mean(r->e, arm.mean));
}

static const cli_column columns[] = {
    {NULL, NULL, "type", .get = get_type},
    {NULL, NULL, "weight", .get = get_size, .digits = 3, .index = 0},
    {NULL, NULL, "tasks", .get = get_size, .digits = 1, .index = 1},
    {NULL, NULL, "arm", .get = get_arm, .digits = 16},
    {NULL, NULL, "mean", .get = get_arm_number, .digits = 3, .index = 0},
    {NULL, NULL, "95 %", .get = get_arm_number, .index = 1},
    {NULL, NULL, "spread", .get = get_arm_number, .digits = 3, .index = 2},
};

/* Print types, then the verdict, which also says if there are none. */
static segue_status print_table(const void *data, FILE *out, segue_error *err)
{
    const cli_estimate *e = data;
    const rows r = {e, segue_types_evaluate(e->types)};
    const size_t count = segue_types_count(e->types);
    const cli_columns types = CLI_COLUMNS(columns, &r, count * e->log.n_arms + 1);
    char verdict[SEGUE_TYPES_VERDICT_SIZE];
    fprintf(out, "%zu type%s from %" PRIu64 " rewards, %zu tasks, %zu arms\n", count,
            count == 1 ? "" : "s", e->log.n_rows, e->log.n_tasks, e->log.n_arms);
    if (has_types(e)) {
        fputc('\n', out);
        SEGUE_TRY(cli_columns_print_table(&types, CLI_FIT_ANY_WIDTH, NULL, out,
                                          cli_output_bold(e->set.out), err));
    }
    write_verdict(e, &r.fit, verdict);
    fprintf(out, "\n%s\n", verdict);
    cli_estimate_print_truncated(e, out);
    return SEGUE_OK;
}

const cli_printers cli_estimate_types_printers = {
    .table = print_table, .csv = print_csv, .json = make_json};
