/* replay_rows.c - the rows of `segue replay`: policies, types, and the curve over tasks.
 *
 * Each is a description of columns (cli/columns.h) over the result.  The table of policies has one
 * more row than the result has policies, "(best arms)": what knowing each task's best arm would
 * give.
 *
 * Functions get_* give one cell each; `index` selects among several columns of one function.
 * Gains are fractions in CSV and JSON, per cent in the table.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "cli/commands/replay/replay_print.h"
#include "io/json_build.h"
#include "replay/replay_segments.h"

#define MAX_CURVES 6 /* policies in the table of the curve */

/* ---- policies ----------------------------------------------------------------------------- */

/* The row after the last policy. */
static bool is_best_arms(const segue_replay_result *result, size_t row)
{
    return row == result->n_candidates;
}

static cli_value get_policy(const void *data, size_t row, size_t index)
{
    const segue_replay_result *result = data;
    (void)index;
    return cli_value_text(is_best_arms(result, row) ? "(best arms)" : result->candidate[row].name);
}

/* Name what the policy carries from task to task. */
static cli_value get_carries(const void *data, size_t row, size_t index)
{
    const segue_replay_result *result = data;
    (void)index;
    return cli_value_text(segue_replay_result_transfer_text(result->candidate[row].transfer));
}

const char *cli_replay_method_name(const segue_replay_result *result)
{
    return result->urn ? "urn" : "rows";
}

static cli_value get_method(const void *data, size_t row, size_t index)
{
    (void)row;
    (void)index;
    return cli_value_text(cli_replay_method_name(data));
}

/* Count the scored tasks; `first_scored` counts from 1. */
size_t cli_replay_n_scored(const segue_replay_result *result)
{
    return result->n_played + 1 - result->first_scored;
}

/* Give steps, scored tasks and runs, which are the same in every row. */
static cli_value get_setting(const void *data, size_t row, size_t index)
{
    const segue_replay_result *result = data;
    const uint64_t settings[] = {result->steps, cli_replay_n_scored(result), result->runs};
    (void)row;
    return cli_value_integer(settings[index]);
}

/* Give part index % 3 (value, low, high) of metric index / 3. */
static cli_value get_interval(const void *data, size_t row, size_t index)
{
    const segue_replay_result *result = data;
    const size_t metric = index / 3;
    if (is_best_arms(result, row))
        return cli_value_number(metric == SEGUE_METRIC_REWARD       ? result->best_arms.value
                                : isfinite(result->best_arms.value) ? 0.0
                                                                    : NAN);
    const segue_interval *range = &result->candidate[row].metric[metric];
    const double parts[] = {range->value, range->low, range->high};
    return cli_value_number(parts[index % 3]);
}

/* "+8.1 (6.9 .. 9.3)" in per cent. */
static cli_value get_gain_over_ts(const void *data, size_t row, size_t index)
{
    const segue_replay_result *result = data;
    (void)index;
    if (is_best_arms(result, row) || row == result->ts)
        return cli_value_text("-");
    const segue_interval *range = &result->candidate[row].metric[SEGUE_METRIC_GAIN_OVER_TS];
    if (!isfinite(range->low))
        return cli_value_text("-");
    return cli_value_format("%+.1f (%.1f .. %.1f)", 100.0 * range->value, 100.0 * range->low,
                            100.0 * range->high);
}

/* Give a gain in per cent; the policy that it is measured against has none. */
static cli_value get_gain(const void *data, size_t row, size_t index)
{
    const segue_replay_result *result = data;
    const size_t other =
        index == SEGUE_METRIC_GAIN_OVER_PRIOR ? result->ts_prior : result->fixed_arm;
    if (is_best_arms(result, row) || row == other)
        return cli_value_text("-");
    const double gain = result->candidate[row].metric[index].value;
    return isfinite(gain) ? cli_value_format("%+.1f", 100.0 * gain) : cli_value_text("-");
}

/* The gap is from ts (0 %) to the best arm of each task (100 %). */
static cli_value get_gap_closed(const void *data, size_t row, size_t index)
{
    const segue_replay_result *result = data;
    (void)index;
    if (is_best_arms(result, row))
        return cli_value_text(isfinite(result->best_arms.value) ? "100 %" : "-");
    const double closed = result->candidate[row].metric[SEGUE_METRIC_GAP_CLOSED].value;
    return isfinite(closed) ? cli_value_format("%.0f %%", 100.0 * closed) : cli_value_text("-");
}

/* 0 means that the candidate is never ahead. */
static cli_value get_ahead_from(const void *data, size_t row, size_t index)
{
    const segue_replay_result *result = data;
    (void)index;
    const size_t ahead = result->candidate[row].ahead_from;
    return ahead ? cli_value_integer(ahead) : cli_value_missing();
}

/* Give the share of the pulls that logged rewards answered. */
static cli_value get_logged(const void *data, size_t row, size_t index)
{
    const segue_replay_result *result = data;
    (void)index;
    return cli_value_number(result->candidate[row].logged);
}

/* The standard error over runs shows the noise of the random streams alone. */
static cli_value get_runs_se(const void *data, size_t row, size_t index)
{
    const segue_replay_result *result = data;
    (void)index;
    return cli_value_number(result->candidate[row].runs_se);
}

/* A metric: three columns of CSV, an object of JSON, and perhaps a column of the table. */
#define INTERVAL(field, metric, title, decimals)                                                   \
    {                                                                                              \
        field,                                                                                     \
        field ".mean",                                                                             \
        title,                                                                                     \
        .get = get_interval,                                                                       \
        .digits = (decimals),                                                                      \
        .index = 3 * (metric)},                                                                    \
        {field "_low", field ".low", NULL, .get = get_interval, .index = 3 * (metric) + 1},        \
    {                                                                                              \
        field "_high", field ".high", NULL, .get = get_interval, .index = 3 * (metric) + 2         \
    }

/* Columns are: CSV name, JSON name, heading of the table; NULL: not in this format. */
static const cli_column candidate_columns[] = {
    {"policy", "policy", "policy", .get = get_policy, .digits = 14},
    {"carries", "carries", NULL, .get = get_carries},
    {"play", NULL, NULL, .get = get_method},
    {"steps", NULL, NULL, .get = get_setting, .index = 0},
    {"scored", NULL, NULL, .get = get_setting, .index = 1},
    {"runs", NULL, NULL, .get = get_setting, .index = 2},
    INTERVAL("reward", SEGUE_METRIC_REWARD, "reward", 3),
    INTERVAL("regret", SEGUE_METRIC_REGRET, "regret", 2),
    INTERVAL("over_ts", SEGUE_METRIC_GAIN_OVER_TS, NULL, 0),
    {NULL, NULL, "% over ts (95 %)", .get = get_gain_over_ts},
    INTERVAL("over_prior", SEGUE_METRIC_GAIN_OVER_PRIOR, NULL, 0),
    {NULL, NULL, "prior", .get = get_gain, .index = SEGUE_METRIC_GAIN_OVER_PRIOR},
    INTERVAL("over_fixed", SEGUE_METRIC_GAIN_OVER_FIXED, NULL, 0),
    {NULL, NULL, "1 arm", .get = get_gain, .index = SEGUE_METRIC_GAIN_OVER_FIXED},
    INTERVAL("gap_closed", SEGUE_METRIC_GAP_CLOSED, NULL, 0),
    {NULL, NULL, "gap", .get = get_gap_closed},
    INTERVAL("saved", SEGUE_METRIC_REGRET_SAVED, NULL, 0),
    INTERVAL("saved_over_prior", SEGUE_METRIC_SAVED_OVER_PRIOR, NULL, 0),
    {"ahead_from", "ahead_from", NULL, .get = get_ahead_from},
    {"logged", "logged", NULL, .get = get_logged},
    {NULL, "runs_se", NULL, .get = get_runs_se},
};

cli_columns cli_replay_candidates(const segue_replay_result *result, size_t n_rows)
{
    return CLI_COLUMNS(candidate_columns, result, n_rows);
}

/* ---- the file of the curve: one row per policy and task ---------------------------------- */

/* All policies play as many tasks: rows are policies x tasks. */
static const segue_replay_candidate *candidate_of(const segue_replay_result *result, size_t row)
{
    return &result->candidate[row / result->n_played];
}

static cli_value get_curve_policy(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_text(candidate_of(data, row)->name);
}

static cli_value get_curve_task(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_integer(row % ((const segue_replay_result *)data)->n_played + 1);
}

/* Give reward, regret, or the standard error of either. */
static cli_value get_curve_number(const void *data, size_t row, size_t index)
{
    const segue_replay_candidate *candidate = candidate_of(data, row);
    const double *const series[] = {candidate->reward, candidate->reward_se, candidate->regret,
                                    candidate->regret_se};
    return cli_value_number(series[index][row % ((const segue_replay_result *)data)->n_played]);
}

static const cli_column curve_columns[] = {
    {"policy", NULL, NULL, .get = get_curve_policy},
    {"task", NULL, NULL, .get = get_curve_task},
    {"reward", NULL, NULL, .get = get_curve_number, .index = 0},
    {"reward_se", NULL, NULL, .get = get_curve_number, .index = 1},
    {"regret", NULL, NULL, .get = get_curve_number, .index = 2},
    {"regret_se", NULL, NULL, .get = get_curve_number, .index = 3},
};

segue_status cli_replay_write_curve(const segue_replay_result *result, const char *path,
                                    segue_error *err)
{
    const cli_columns curve =
        CLI_COLUMNS(curve_columns, result, result->n_candidates * result->n_played);
    return cli_columns_write_csv(&curve, path, err);
}

/* ---- types ------------------------------------------------------------------------------- */

/* Of equal means the first arm is best. */
static size_t best_arm(const double *mean, size_t n_arms)
{
    size_t best = 0;
    for (size_t arm = 1; arm < n_arms; arm++)
        best = mean[arm] > mean[best] ? arm : best;
    return best;
}

static cli_value get_type(const void *data, size_t row, size_t index)
{
    (void)data;
    (void)index;
    return cli_value_integer(row + 1);
}

/* Give weight, tasks or spread. */
static cli_value get_type_number(const void *data, size_t row, size_t index)
{
    const segue_replay_type *type = &((const segue_replay_result *)data)->types.type[row];
    const double numbers[] = {type->weight, type->tasks, type->spread};
    return cli_value_number(numbers[index]);
}

static cli_value get_type_means(const void *data, size_t row, size_t index)
{
    const segue_replay_result *result = data;
    (void)index;
    return cli_value_json(segue_json_numbers(result->types.type[row].mean, result->n_arms));
}

static cli_value get_type_best_arm(const void *data, size_t row, size_t index)
{
    const segue_replay_result *result = data;
    (void)index;
    return cli_value_text(result->arm_name[best_arm(result->types.type[row].mean, result->n_arms)]);
}

static cli_value get_type_best_mean(const void *data, size_t row, size_t index)
{
    const segue_replay_result *result = data;
    const double *mean = result->types.type[row].mean;
    (void)index;
    return cli_value_number(mean[best_arm(mean, result->n_arms)]);
}

/* Name the tasks nearest to the type. */
static cli_value get_type_typical(const void *data, size_t row, size_t index)
{
    const segue_replay_result *result = data;
    const segue_replay_type *type = &result->types.type[row];
    json_t *list = json_array();
    (void)index;
    for (size_t i = 0; i < type->n_typical; i++)
        list = segue_json_append(list, json_string(result->task_name[type->typical[i]]));
    return cli_value_json(list);
}

/* A long name is cut, so that several fit. */
static cli_value get_type_typical_text(const void *data, size_t row, size_t index)
{
    const segue_replay_result *result = data;
    const segue_replay_type *type = &result->types.type[row];
    char text[120] = "";
    (void)index;
    for (size_t i = 0; i < type->n_typical; i++) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s%.30s", i ? ", " : "",
                       result->task_name[type->typical[i]]);
    }
    return cli_value_format("%s", text);
}

static const cli_column type_columns[] = {
    {NULL, "type", "type", .get = get_type},
    {NULL, "weight", "weight", .get = get_type_number, .digits = 2, .index = 0},
    {NULL, "tasks", "tasks", .get = get_type_number, .digits = 0, .index = 1},
    {NULL, "spread", "spread", .get = get_type_number, .digits = 2, .index = 2},
    {NULL, "means", NULL, .get = get_type_means},
    {NULL, NULL, "best arm", .get = get_type_best_arm, .digits = 14},
    {NULL, NULL, "mean", .get = get_type_best_mean, .digits = 2},
    {NULL, "typical", NULL, .get = get_type_typical},
    {NULL, NULL, "typical tasks", .get = get_type_typical_text, .digits = 32},
};

cli_columns cli_replay_types(const segue_replay_result *result)
{
    return CLI_COLUMNS(type_columns, result, result->types.count);
}

/* ---- the curve as a table: gains over ts, segment by segment ------------------------------- */

/* The curve as a table: segments are rows, policies are repeated columns. */
typedef struct curve {
    const segue_replay_result *result;
    segue_replay_segment segment[SEGUE_MAX_SEGMENTS];
    size_t candidate[MAX_CURVES], n_candidates; /* those that are shown: not ts */
} curve;

static cli_value get_segment(const void *data, size_t row, size_t index)
{
    const curve *c = data;
    (void)index;
    return cli_value_format("%zu - %zu", c->segment[row].first, c->segment[row].last);
}

/* One column per policy but ts, up to MAX_CURVES. */
static size_t count_curves(const void *data)
{
    return ((const curve *)data)->n_candidates;
}

static cli_value get_curve_title(const void *data, size_t index)
{
    const curve *c = data;
    return cli_value_text(c->result->candidate[c->candidate[index]].name);
}

/* A segment without a scored task has no reward. */
static cli_value get_segment_gain(const void *data, size_t row, size_t index)
{
    const curve *c = data;
    const segue_replay_candidate *candidate = c->result->candidate;
    const double ts = segue_replay_segments_reward(&candidate[c->result->ts], c->segment[row]);
    const double own =
        segue_replay_segments_reward(&candidate[c->candidate[index]], c->segment[row]);
    return isfinite(own - ts) ? cli_value_format("%+.3f", own - ts) : cli_value_missing();
}

static const cli_column segment_columns[] = {
    {NULL, NULL, "tasks", .get = get_segment},
    {NULL, NULL, NULL, .get = get_segment_gain, .repeat = count_curves, .title = get_curve_title,
     .title_width = 14},
};

/* ts has no column: it is what the others are compared with. */
segue_status cli_replay_print_curve(const cli_replay *replay, FILE *out, segue_error *err)
{
    const segue_replay_result *result = &replay->result;
    curve c = {.result = result};
    const size_t count = segue_replay_segments(result, c.segment);
    for (size_t p = 0; p < result->n_candidates && c.n_candidates < MAX_CURVES; p++)
        if (p != result->ts)
            c.candidate[c.n_candidates++] = p;
    const cli_columns segments = CLI_COLUMNS(segment_columns, &c, count);
    fputs("\nReward per step above that of ts, as tasks are met:\n\n", out);
    return cli_columns_print_table(&segments, CLI_FIT_ANY_WIDTH, NULL, out,
                                   cli_output_bold(replay->out), err);
}
