/* estimate_types.c - `segue estimate --method types`: how many types a log has, and what they are.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cli/commands/estimate.h"
#include "cli/table.h"
#include "io/json_build.h"
#include "replay/replay.h"

#define MAX_NO_TYPE 0.5 /* of the tasks may fit no type that is worth the name */
#define VERDICT     200
#define COLUMNS     7

/* ---- working it out ---------------------------------------------------------------------- */

/* Room for the sums and pulls of a task. */
static segue_status give_counts(const study *st, double **out, segue_error *err)
{
    *out = calloc(2 * st->log.n_arms, sizeof **out);
    return *out ? SEGUE_OK
                : segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", st->log.n_arms);
}

static segue_status add_tasks(study *st, segue_error *err)
{
    double *sum = NULL;
    segue_status status = give_counts(st, &sum, err);
    for (size_t task = 0; task < st->log.n_tasks && status == SEGUE_OK; task++) {
        segue_log_counts(&st->log, task, sum, sum + st->log.n_arms);
        status = segue_types_add_task(st->types, sum, sum + st->log.n_arms, err);
    }
    free(sum);
    return status;
}

static bool has_types(const study *st)
{
    return segue_types_count(st->types) > 0;
}

/* Number the types by falling weight; of equal ones the first comes first. */
static void order_types(study *st)
{
    const double *weight = segue_types_weights(st->types);
    for (size_t n = 0; n < segue_types_count(st->types); n++) {
        size_t at = n;
        for (; at > 0 && weight[st->by_weight[at - 1]] < weight[n + 1]; at--)
            st->by_weight[at] = st->by_weight[at - 1];
        st->by_weight[at] = n + 1;
    }
}

segue_status cli_estimate_types(study *st, segue_error *err)
{
    segue_types_config config = segue_types_defaults();
    if (st->set.types > SEGUE_MAX_TYPES_COUNT)
        return segue_fail(err, SEGUE_EUSAGE, "--types: there are at most %d with --method types",
                          SEGUE_MAX_TYPES_COUNT);
    config.n_arms = st->log.n_arms;
    config.hint = st->set.types;
    config.window = st->set.window;
    config.seed = st->set.seed;
    segue_status status = segue_types_create(&st->types, &config, err);
    if (status == SEGUE_OK)
        status = add_tasks(st, err);
    if (status == SEGUE_OK && st->log.n_tasks >= SEGUE_MIN_TYPED_TASKS)
        status = segue_types_refit_until_stable(st->types, err);
    if (status == SEGUE_OK)
        order_types(st);
    if (status == SEGUE_OK && st->format == CLI_CSV && !has_types(st))
        status = segue_fail(err, SEGUE_EDOMAIN,
                            "%s: there is no model set to print: %zu tasks are too few for types",
                            st->path, st->log.n_tasks);
    return status;
}

/* ---- what to say of it ------------------------------------------------------------------- */

/* The standard deviation of tasks' means around a type's, in the range of the rewards. */
static double spread_of(const study *st, const segue_type_arm *arm)
{
    const double width = st->set.highest - st->set.lowest;
    return width * sqrt(arm->mean * (1.0 - arm->mean) / (arm->kappa + 1.0));
}

static double average_spread(const study *st, size_t type)
{
    double sum = 0.0;
    for (size_t i = 0; i < st->log.n_arms; i++) {
        const segue_type_arm arm = segue_types_arm(st->types, type, i);
        sum += spread_of(st, &arm);
    }
    return sum / (double)st->log.n_arms;
}

static void say(const study *st, const segue_types_fit *fit, char *out)
{
    const size_t count = segue_types_count(st->types), kept = segue_types_in_window(st->types);
    const double none = kept ? fit->size[0] / (double)kept : 1.0;
    if (count == 0)
        (void)snprintf(out, VERDICT, "none: %zu tasks are too few for types; need %d", kept,
                       SEGUE_MIN_TYPED_TASKS);
    else if (none > MAX_NO_TYPE)
        (void)snprintf(out, VERDICT,
                       "none: %.0f %% of %zu tasks fit no type: they share none worth the name",
                       100.0 * none, kept);
    else if (count == 1)
        (void)snprintf(out, VERDICT,
                       "none: only one type; the means of %zu tasks differ by %.2g (standard "
                       "deviation), %.2g %% fit none",
                       kept, average_spread(st, 1), 100.0 * none);
    else
        (void)snprintf(out, VERDICT, "good: %zu types explain %zu tasks; %.2g %% fit none", count,
                       kept, 100.0 * none);
}

/* ---- printing ---------------------------------------------------------------------------- */

static void print_csv(const void *found, FILE *out)
{
    const study *st = found;
    const double *weight = segue_types_weights(st->types);
    cli_estimate_print_header(st, out);
    for (size_t n = 0; n < segue_types_count(st->types); n++) {
        const size_t q = st->by_weight[n];
        segue_output_csv_number(out, weight[q] / (1.0 - weight[0]));
        for (size_t i = 0; i < st->log.n_arms; i++) {
            fputc(',', out);
            segue_output_csv_number(out, segue_types_arm(st->types, q, i).mean);
        }
        fputc('\n', out);
    }
}

static json_t *json_type_arms(const study *st, size_t type)
{
    json_t *list = json_array();
    for (size_t i = 0; i < st->log.n_arms; i++) {
        const segue_type_arm arm = segue_types_arm(st->types, type, i);
        list = segue_json_append(
            list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "mean",
                            segue_json_number(cli_estimate_scale_mean(st, arm.mean)), "low",
                            segue_json_number(cli_estimate_scale_mean(st, arm.low)), "high",
                            segue_json_number(cli_estimate_scale_mean(st, arm.high)), "spread",
                            segue_json_number(spread_of(st, &arm)), "kappa",
                            segue_json_number(arm.kappa), "pulls", segue_json_number(arm.pulls)));
    }
    return list;
}

static json_t *json_types(const study *st, const segue_types_fit *fit)
{
    const double *weight = segue_types_weights(st->types);
    json_t *list = json_array();
    for (size_t n = 0; n < segue_types_count(st->types); n++) {
        const size_t q = st->by_weight[n];
        list = segue_json_append(
            list, json_pack("{s:I, s:o, s:o, s:I, s:o}", "type", (json_int_t)n + 1, "weight",
                            segue_json_number(weight[q]), "tasks", segue_json_number(fit->size[q]),
                            "last", (json_int_t)segue_types_last_task(st->types, q), "arms",
                            json_type_arms(st, q)));
    }
    return list;
}

/* What every task was taken for: none first, then the types. */
static json_t *json_shares(const study *st)
{
    const size_t n_arms = st->log.n_arms, count = segue_types_count(st->types);
    double of[SEGUE_MAX_TYPES_COUNT + 1], share[SEGUE_MAX_TYPES_COUNT + 1], *sum = NULL;
    json_t *list = give_counts(st, &sum, NULL) == SEGUE_OK ? json_array() : NULL;
    for (size_t task = 0; list && task < st->log.n_tasks; task++) {
        size_t best = 0;
        segue_log_counts(&st->log, task, sum, sum + n_arms);
        (void)segue_types_posterior(st->types, sum, sum + n_arms, of);
        share[0] = of[0];
        for (size_t n = 1; n <= count; n++) {
            share[n] = of[st->by_weight[n - 1]];
            best = share[n] > share[best] ? n : best;
        }
        list =
            segue_json_append(list, json_pack("{s:s, s:I, s:o}", "task", st->log.tasks[task].name,
                                              "type", (json_int_t)best, "probabilities",
                                              segue_json_numbers(share, count + 1)));
    }
    free(sum);
    return list;
}

static json_t *make_json(const void *found)
{
    const study *st = found;
    const segue_types_fit fit = segue_types_evaluate(st->types);
    char verdict[VERDICT];
    say(st, &fit, verdict);
    json_t *diagnostics = json_pack(
        "{s:s, s:b, s:I, s:o, s:o}", "verdict", verdict, "found", has_types(st), "tasks",
        (json_int_t)segue_types_in_window(st->types), "log_likelihood",
        segue_json_number(fit.log_likelihood), "objective", segue_json_number(fit.objective));
    json_t *none =
        json_pack("{s:o, s:o}", "weight", segue_json_number(segue_types_weights(st->types)[0]),
                  "tasks", segue_json_number(fit.size[0]));
    return json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "method", st->set.method, "rows",
                     (json_int_t)st->log.n_rows, "tasks", (json_int_t)st->log.n_tasks, "arms",
                     cli_estimate_arm_names(st), "types", json_types(st, &fit), "no_type", none,
                     "diagnostics", diagnostics, "posteriors", json_shares(st));
}

/* The rows of the n-th type, one an arm. */
static void set_rows(cli_table *table, const study *st, const segue_types_fit *fit, size_t n)
{
    const size_t type = st->by_weight[n], row = 1 + n * st->log.n_arms;
    cli_table_set(table, row, 0, "%zu", n + 1);
    cli_table_number(table, row, 1, segue_types_weights(st->types)[type], 3);
    cli_table_number(table, row, 2, fit->size[type], 1);
    for (size_t i = 0; i < st->log.n_arms; i++) {
        const segue_type_arm arm = segue_types_arm(st->types, type, i);
        cli_table_name(table, row + i, 3, st->log.arm_name[i], 16);
        cli_table_number(table, row + i, 4, cli_estimate_scale_mean(st, arm.mean), 3);
        cli_table_set(table, row + i, 5, "%.3f - %.3f", cli_estimate_scale_mean(st, arm.low),
                      cli_estimate_scale_mean(st, arm.high));
        cli_table_number(table, row + i, 6, spread_of(st, &arm), 3);
    }
}

static segue_status print_types(const study *st, const segue_types_fit *fit, FILE *out,
                                segue_error *err)
{
    static const char *const heading[COLUMNS] = {"type", "weight", "tasks", "arm",
                                                 "mean", "95 %",   "spread"};
    const size_t count = segue_types_count(st->types), rows = count * st->log.n_arms + 2;
    cli_table table;
    segue_status status = cli_table_init(&table, rows, COLUMNS, err);
    if (status != SEGUE_OK)
        return status;
    for (size_t c = 0; c < COLUMNS; c++)
        cli_table_set(&table, 0, c, "%s", heading[c]);
    for (size_t n = 0; n < count; n++)
        set_rows(&table, st, fit, n);
    cli_table_set(&table, rows - 1, 0, "none");
    cli_table_number(&table, rows - 1, 1, segue_types_weights(st->types)[0], 3);
    cli_table_number(&table, rows - 1, 2, fit->size[0], 1);
    status = cli_table_print(&table, COLUMNS, out, cli_output_bold(st->set.out), err);
    cli_table_fini(&table);
    return status;
}

static segue_status print_table(const void *found, FILE *out, segue_error *err)
{
    const study *st = found;
    const segue_types_fit fit = segue_types_evaluate(st->types);
    char verdict[VERDICT];
    segue_status status = SEGUE_OK;
    const size_t count = segue_types_count(st->types);
    fprintf(out, "%zu type%s from %" PRIu64 " rewards, %zu tasks, %zu arms\n", count,
            count == 1 ? "" : "s", st->log.n_rows, st->log.n_tasks, st->log.n_arms);
    if (has_types(st)) {
        fputc('\n', out);
        status = print_types(st, &fit, out, err);
    }
    say(st, &fit, verdict);
    fprintf(out, "\n%s\n", verdict);
    cli_estimate_print_truncated(st, out);
    return status;
}

const cli_printers cli_estimate_types_printers = {
    .table = print_table, .csv = print_csv, .json = make_json};
