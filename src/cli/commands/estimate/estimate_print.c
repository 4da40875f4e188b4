/* estimate_print.c - print the models of `segue estimate` as table, CSV and JSON.
 *
 * Models are numbered by falling weight. In the table each column is a model and each row is an arm,
 * after a row of weights; columns that do not fit the terminal are omitted. CSV is a model set, which other commands read: its means are
 * in [0, 1], while table and JSON scale them to the range of the rewards.
 *
 * estimate.c calls it through cli_estimate_printers; estimate_types.c uses the functions for names,
 * headers and scaling.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include "cli/columns.h"
#include "cli/commands/estimate/estimate.h"
#include "io/json_build.h"

/* NULL: the estimator has found none. */
static const segue_models *models_of(const cli_estimate *e)
{
    return segue_estimator_models(e->estimator);
}

/* An estimated mean may lie outside [0, 1]; a model set may not. */
static double cut_mean(const cli_estimate *e, size_t model, size_t arm)
{
    return fmin(1.0, fmax(0.0, segue_models_row(models_of(e), model)[arm]));
}

double cli_estimate_scale_mean(const cli_estimate *e, double mean)
{
    return e->reading.lowest + mean * (e->reading.highest - e->reading.lowest);
}

/* ---- CSV --------------------------------------------------------------------------------- */

void cli_estimate_print_header(const cli_estimate *e, FILE *out)
{
    fputs("weight", out);
    for (size_t arm = 0; arm < e->log.n_arms; arm++) {
        fputs(e->has_number_names ? ",arm " : ",", out); /* numbers alone would not be a header */
        segue_output_csv_text(out, e->log.arm_name[arm]);
    }
    fputc('\n', out);
}

/* There are models: estimate.c has checked it. */
static void print_csv(const void *data, FILE *out)
{
    const cli_estimate *e = data;
    const segue_models *models = models_of(e);
    cli_estimate_print_header(e, out);
    for (size_t n = 0; n < models->n_models; n++) {
        const size_t k = e->by_weight[n];
        segue_output_csv_number(out, models->weight[k]);
        for (size_t arm = 0; arm < models->n_arms; arm++) {
            fputc(',', out);
            segue_output_csv_number(out, cut_mean(e, k, arm));
        }
        fputc('\n', out);
    }
}

/* ---- JSON -------------------------------------------------------------------------------- */

json_t *cli_estimate_arm_names(const cli_estimate *e)
{
    json_t *arms = json_array();
    for (size_t arm = 0; arm < e->log.n_arms; arm++)
        arms = segue_json_append(arms, json_string(e->log.arm_name[arm]));
    return arms;
}

/* "means" are cut to the range of rewards; "uncut" are the estimates in [0, 1] units. */
static json_t *json_models(const cli_estimate *e)
{
    const segue_models *models = models_of(e);
    json_t *list = json_array();
    for (size_t n = 0; models && n < models->n_models; n++) {
        const size_t k = e->by_weight[n];
        json_t *means = json_array();
        for (size_t arm = 0; arm < models->n_arms; arm++)
            means = segue_json_append(
                means, segue_json_number(cli_estimate_scale_mean(e, cut_mean(e, k, arm))));
        const cli_field fields[] = {
            {"model", cli_value_integer(n + 1)},
            {"weight", cli_value_number(models->weight[k])},
            {"means", cli_value_json(means)},
            {"uncut",
             cli_value_json(segue_json_numbers(segue_models_row(models, k), models->n_arms))},
        };
        list = segue_json_append(list, CLI_OBJECT(fields));
    }
    return list;
}

/* In the order of the models; em has none. */
static json_t *json_lambdas(const cli_estimate *e, const segue_estimate_info *info)
{
    json_t *list = json_array();
    for (size_t n = 0; info->found && info->lambda && n < info->n_models; n++)
        list = segue_json_append(list, segue_json_number(info->lambda[e->by_weight[n]]));
    return list;
}

/* Likelihood and certainty belong to methods that fit counts (em). */
static json_t *json_diagnostics(const cli_estimate *e)
{
    const segue_estimate_info info = segue_estimator_info(e->estimator);
    const bool is_fit = e->method->uses_counts;
    const cli_value absent = cli_value_absent();
    const cli_field fields[] = {
        {"verdict", cli_value_text(info.verdict)},
        {"found", cli_value_boolean(info.found)},
        {"tasks", cli_value_integer(info.n_tasks)},
        {"eigenvalues", cli_value_json(segue_json_numbers(info.n_tasks ? info.eigenvalue : NULL,
                                                          info.n_eigenvalues))},
        {"lambdas", cli_value_json(json_lambdas(e, &info))},
        {"noise", cli_value_number(info.noise)},
        {"residual", cli_value_number(info.residual)},
        {"weight_sum", cli_value_number(info.weight_sum)},
        {"iterations", cli_value_integer(info.iterations)},
        {"starts", cli_value_integer(info.starts)},
        {"log_likelihood", is_fit ? cli_value_number(info.log_likelihood) : absent},
        {"certainty", is_fit ? cli_value_number(info.certainty) : absent},
    };
    return CLI_OBJECT(fields);
}

/* Names of skipped tasks are listed up to CLI_ESTIMATE_NAMED; the number counts all. */
static json_t *make_json(const void *data)
{
    const cli_estimate *e = data;
    json_t *skipped = json_array();
    for (size_t i = 0; i < CLI_ESTIMATE_NAMED && i < e->n_skipped; i++)
        skipped = segue_json_append(skipped, json_string(e->skipped[i]));
    const cli_field fields[] = {
        {"method", cli_value_text(e->set.method)},
        {"input", cli_value_text(e->is_tally ? "tally" : "log")},
        {"rows", cli_value_integer(e->log.n_rows)},
        {"rows_skipped", cli_value_integer(segue_log_rows_count_skipped(&e->log.rows.skipped))},
        {"tasks", cli_value_integer(e->log.n_tasks)},
        {"skipped", cli_value_integer(e->n_skipped)},
        {"skipped_names", cli_value_json(skipped)},
        {"arms", cli_value_json(cli_estimate_arm_names(e))},
        {"models", cli_value_json(json_models(e))},
        {"diagnostics", cli_value_json(json_diagnostics(e))},
    };
    return CLI_OBJECT(fields);
}

/* ---- the table --------------------------------------------------------------------------- */

/* Row 0 has the weights; row i + 1 is arm i. */
static cli_value get_row_name(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_text(row == 0 ? "(weight)"
                                   : ((const cli_estimate *)data)->log.arm_name[row - 1]);
}

static size_t count_models(const void *data)
{
    return models_of(data)->n_models;
}

/* Give the weight or a mean. */
static cli_value get_model_cell(const void *data, size_t row, size_t index)
{
    const cli_estimate *e = data;
    const size_t k = e->by_weight[index];
    return cli_value_number(row == 0 ? models_of(e)->weight[k]
                                     : cli_estimate_scale_mean(e, cut_mean(e, k, row - 1)));
}

static const cli_column columns[] = {
    {NULL, NULL, "arm", .get = get_row_name, .digits = 16},
    {NULL, NULL, NULL, .get = get_model_cell, .digits = 3, .repeat = count_models,
     .title = cli_columns_model_title},
};

/* Name a few tasks, so that their rows can be found in the log. */
static void print_skipped(const cli_estimate *e, FILE *out)
{
    if (e->n_skipped == 0)
        return;
    fprintf(out, "skipped: %" PRIu64 " tasks with fewer than three rewards of some arm (",
            e->n_skipped);
    for (size_t i = 0; i < CLI_ESTIMATE_NAMED && i < e->n_skipped; i++)
        fprintf(out, "%s%.20s", i ? ", " : "", e->skipped[i]);
    fprintf(out, "%s)\n", e->n_skipped > CLI_ESTIMATE_NAMED ? ", .." : "");
}

/* Print the verdict and the quality of the fit, in the unit of the method. */
static void print_diagnostics(const cli_estimate *e, FILE *out)
{
    const segue_estimate_info info = segue_estimator_info(e->estimator);
    fprintf(out, "\n%s\n", info.verdict);
    if (info.found && e->method->uses_counts)
        fprintf(out, "log-likelihood %.10g", info.log_likelihood);
    else if (info.found)
        fprintf(out, "residual %.3g, sum of 1/lambda^2 %.3f", info.residual, info.weight_sum);
    if (info.found)
        fprintf(out, ", %" PRIu64 " iterations from %" PRIu64 " starts\n", info.iterations,
                info.starts);
    if (e->method->uses_counts)
        cli_estimate_print_truncated(e, out);
    if (e->is_tally)
        fputs("a tally has no order of rewards: they went to batches at random\n", out);
    print_skipped(e, out);
}

static segue_status print_table(const void *data, FILE *out, segue_error *err)
{
    const cli_estimate *e = data;
    fprintf(out, "%zu models by %s from %" PRIu64 " rewards, %zu tasks, %zu arms\n",
            (size_t)e->set.types, e->set.method, e->log.n_rows, e->log.n_tasks, e->log.n_arms);
    if (models_of(e)) {
        const cli_columns models = CLI_COLUMNS(columns, e, models_of(e)->n_arms + 1);
        size_t n_omitted = 0;
        fputc('\n', out);
        SEGUE_TRY(cli_columns_print_table(&models, CLI_FIT_DROP_LAST, &n_omitted, out,
                                          cli_output_bold(e->set.out), err));
        if (n_omitted > 0)
            fprintf(out, "\n(--format csv and json have all %zu models)\n", models_of(e)->n_models);
    }
    print_diagnostics(e, out);
    return SEGUE_OK;
}

void cli_estimate_print_truncated(const cli_estimate *e, FILE *out)
{
    if (e->log.n_tasks > e->set.window)
        fprintf(out, "only the last %" PRIu64 " of %zu tasks were fitted (--window)\n",
                e->set.window, e->log.n_tasks);
}

const cli_printers cli_estimate_printers = {
    .table = print_table, .csv = print_csv, .json = make_json};
