/* replay_print.c - print the result of `segue replay` as table, CSV and JSON.
 *
 * The rows of its tables are described in replay_rows.c; this file makes the objects of JSON around
 * them, and the captions and sentences of the table.
 *
 * replay.c calls it through cli_replay_printers. CSV has the policies alone; JSON and the table
 * also have curve, types, warnings and verdict.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "cli/commands/replay/replay_print.h"
#include "cli/table.h"
#include "io/json_build.h"
#include "replay/replay_segments.h"
#include "replay/yearly.h"
#include "report/replay_page.h"
#include "segue/internal.h"

static void print_csv(const void *data, FILE *out)
{
    const segue_replay_result *result = &((const cli_replay *)data)->result;
    const cli_columns policies = cli_replay_candidates(result, result->n_candidates);
    cli_columns_print_csv(&policies, out);
}

/* ---- JSON -------------------------------------------------------------------------------- */

/* An average and its 95 % interval. */
static json_t *json_interval(const segue_interval *range)
{
    const cli_field fields[] = {{"mean", cli_value_number(range->value)},
                                {"low", cli_value_number(range->low)},
                                {"high", cli_value_number(range->high)}};
    return CLI_OBJECT(fields);
}

/* The curve has at most SEGUE_MAX_SEGMENTS segments of tasks; --curve writes every task. */
static json_t *json_curve(const segue_replay_result *result)
{
    segue_replay_segment segment[SEGUE_MAX_SEGMENTS];
    const size_t count = segue_replay_segments(result, segment);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *rewards = json_object();
        for (size_t p = 0; p < result->n_candidates; p++)
            rewards = segue_json_set(
                rewards, result->candidate[p].name,
                segue_json_number(segue_replay_segments_reward(&result->candidate[p], segment[i])));
        const cli_field fields[] = {{"first", cli_value_integer(segment[i].first)},
                                    {"last", cli_value_integer(segment[i].last)},
                                    {"reward", cli_value_json(rewards)}};
        list = segue_json_append(list, CLI_OBJECT(fields));
    }
    return list;
}

/* These types are fitted to the log, for people; learners find their own. */
static json_t *json_types(const segue_replay_result *result)
{
    const segue_replay_types *types = &result->types;
    const cli_columns list = cli_replay_types(result);
    const cli_field fields[] = {{"tasks", cli_value_integer(types->n_tasks)},
                                {"no_type", cli_value_number(types->no_type)},
                                {"spread", cli_value_number(types->spread)},
                                {"explained", cli_value_number(types->explained)},
                                {"list", cli_value_json(cli_columns_list(&list))}};
    return CLI_OBJECT(fields);
}

/* Describe the log: its size, its arms, and the rewards of the rarest one. */
static json_t *json_log(const segue_replay_result *result)
{
    json_t *arms = json_array();
    for (size_t arm = 0; arm < result->n_arms; arm++)
        arms = segue_json_append(arms, json_string(result->arm_name[arm]));
    const cli_field fields[] = {
        {"path", cli_value_text(result->path)},
        {"input", cli_value_text(result->is_tally ? "tally" : "log")},
        {"rows", cli_value_integer(result->n_rows)},
        {"rows_skipped", cli_value_integer(result->n_rows_skipped)},
        {"tasks", cli_value_integer(result->n_tasks)},
        {"drawn_from",
         result->drawn_from ? cli_value_integer(result->drawn_from) : cli_value_missing()},
        {"played", cli_value_integer(result->n_played)},
        {"reward", cli_value_number(result->logged)},
        {"rewards_per_arm_and_task", cli_value_number(result->rewards_per_cell)},
        {"rewards_of_rarest_arm", cli_value_number(result->rarest_rewards)},
        {"arms", cli_value_json(arms)},
    };
    return CLI_OBJECT(fields);
}

/* Fields that belong to the other method are absent. */
static json_t *json_play(const segue_replay_result *result)
{
    const bool by_rows = !result->urn;
    const cli_value absent = cli_value_absent();
    const cli_field fields[] = {
        {"method", cli_value_text(cli_replay_method_name(result))},
        {"order", cli_value_text(result->order)},
        {"steps", cli_value_integer(result->steps)},
        {"runs", cli_value_integer(result->runs)},
        {"seed", cli_value_integer(result->seed)},
        {"from", cli_value_integer(result->first_scored)},
        {"scored", cli_value_integer(cli_replay_n_scored(result))},
        {"learned", cli_value_integer(result->n_learned)},
        {"types", by_rows ? absent : cli_value_integer(result->n_fitted_types)},
        {"tasks_needed", by_rows ? absent : cli_value_number(result->tasks_needed)},
        {"rows_needed", by_rows ? absent : cli_value_number(result->rows_needed)},
        {"replicates", by_rows ? absent : cli_value_integer(result->replicates)},
        {"probabilities", by_rows ? cli_value_boolean(result->thinned) : absent},
        {"rows_accepted", by_rows ? cli_value_number(result->rows_accepted) : absent},
        {"reached", by_rows ? cli_value_number(result->complete) : absent},
    };
    return CLI_OBJECT(fields);
}

/* The gain of the method to use per year, or null. */
static cli_value json_yearly(const segue_replay_result *result)
{
    if (!segue_yearly_is_known(&result->yearly))
        return cli_value_missing();
    const segue_interval ts = segue_yearly_over_ts(result), log = segue_yearly_over_log(result);
    const cli_field fields[] = {{"over_ts", cli_value_json(json_interval(&ts))},
                                {"over_log", cli_value_json(json_interval(&log))}};
    return cli_value_json(CLI_OBJECT(fields));
}

/* Conclusions are in the order of their enum in replay_result.h. */
static json_t *make_json(const void *data)
{
    static const char *const conclusions[] = {"types", "prior", "arm", "none", "unclear"};
    const cli_replay *replay = data;
    const segue_replay_result *result = &replay->result;
    const cli_columns policies = cli_replay_candidates(result, result->n_candidates);
    json_t *warnings = json_array();
    for (size_t i = 0; i < result->n_warnings; i++)
        warnings = segue_json_append(warnings, json_string(result->warning[i]));
    const cli_field fields[] = {
        {"log", cli_value_json(json_log(result))},
        {"play", cli_value_json(json_play(result))},
        {"best_arms", cli_value_json(json_interval(&result->best_arms))},
        {"results", cli_value_json(cli_columns_list(&policies))},
        {"curve", cli_value_json(json_curve(result))},
        {"types", cli_value_json(json_types(result))},
        {"warnings", cli_value_json(warnings)},
        {"verdict.conclusion", cli_value_text(conclusions[result->conclusion])},
        {"verdict.use", cli_value_text(result->candidate[result->use].name)},
        {"verdict.text", cli_value_text(result->verdict)},
        {"verdict.next", *replay->next ? cli_value_text(replay->next) : cli_value_missing()},
        {"verdict.per_year", json_yearly(result)},
    };
    return CLI_OBJECT(fields);
}

/* ---- the table --------------------------------------------------------------------------- */

/* Describe the log, the method and the scored tasks in four or five lines. */
static void print_caption(const segue_replay_result *result, FILE *out)
{
    fprintf(out, "%s: %zu rewards, %zu tasks, %zu arms\n", result->path, result->n_rows,
            result->n_tasks, result->n_arms);
    segue_replay_page_print_method(result, out);
    fprintf(out, "\n%zu tasks played", result->n_played);
    fprintf(out, ", %" PRIu64 " steps each%s\nOrder: %s; %" PRIu64 " run%s; ", result->steps,
            result->urn ? "" : " at most", result->order, result->runs,
            result->runs == 1 ? "" : "s");
    if (result->n_learned < result->n_played)
        fprintf(out, "scored: the %zu tasks held out, after %zu others\n",
                result->n_played - result->n_learned, result->n_learned);
    else
        fprintf(out, "scored: tasks %zu to %zu\n", result->first_scored, result->n_played);
    if (!result->urn)
        fprintf(out, "%.3g %% of the scored tasks had rows for all steps\n",
                100.0 * result->complete);
}

/* The legend explains columns whose headings must be short. */
static segue_status print_candidates(const cli_replay *replay, FILE *out, segue_error *err)
{
    const cli_columns policies =
        cli_replay_candidates(&replay->result, replay->result.n_candidates + 1);
    const segue_status status = cli_columns_print_table(&policies, CLI_FIT_ANY_WIDTH, NULL, out,
                                                        cli_output_bold(replay->out), err);
    fputs("\nreward: per step; regret: per task; prior and 1 arm: % of reward over ts-prior\n"
          "and over the best single arm; gap: from ts to the best arm of each task\n",
          out);
    if (replay->result.lowest < 0.0)
        fprintf(out, "Rewards can be negative, so %% is of the reward above %.4g.\n",
                replay->result.lowest);
    return status;
}

/* A log with constant rewards has no types to describe. */
static segue_status print_types(const cli_replay *replay, FILE *out, segue_error *err)
{
    const segue_replay_types *types = &replay->result.types;
    const cli_columns columns = cli_replay_types(&replay->result);
    if (replay->result.constant) /* the verdict says why there are none */
        return SEGUE_OK;
    if (types->count == 0) {
        fprintf(out, "\n%zu tasks are too few for types\n", types->n_tasks);
        return SEGUE_OK;
    }
    fprintf(out,
            "\n%zu type%s, as tla finds them; %.2g %% of tasks fit none.\n"
            "Tasks' means differ by %.2g (standard deviation); types explain %.0f %% of that\n"
            "variance.\n\n",
            types->count, types->count == 1 ? "" : "s", 100.0 * types->no_type, types->spread,
            100.0 * types->explained);
    return cli_columns_print_table(&columns, CLI_FIT_ANY_WIDTH, NULL, out,
                                   cli_output_bold(replay->out), err);
}

static void print_yearly(const segue_replay_result *result, FILE *out)
{
    char text[SEGUE_YEARLY_TEXT_SIZE];
    if (!segue_yearly_is_known(&result->yearly))
        return;
    segue_yearly_describe(result, text);
    fputc('\n', out);
    cli_table_print_wrapped(out, "", text);
}

/* The verdict comes last, where a terminal shows it. */
static segue_status print_table(const void *data, FILE *out, segue_error *err)
{
    const cli_replay *replay = data;
    const segue_replay_result *result = &replay->result;
    print_caption(result, out);
    fputc('\n', out);
    SEGUE_TRY(print_candidates(replay, out, err));
    SEGUE_TRY(cli_replay_print_curve(replay, out, err));
    SEGUE_TRY(print_types(replay, out, err));
    for (size_t i = 0; i < result->n_warnings; i++) {
        char text[SEGUE_SENTENCE_SIZE + 20];
        (void)snprintf(text, sizeof text, "Warning: %s.", result->warning[i]);
        fputc('\n', out);
        cli_table_print_wrapped(out, "", text);
    }
    fputc('\n', out);
    cli_table_print_wrapped(out, "", result->verdict);
    print_yearly(result, out);
    if (*replay->next)
        fprintf(out, "\nNext:  %s\n", replay->next);
    return SEGUE_OK;
}

const cli_printers cli_replay_printers = {
    .table = print_table, .csv = print_csv, .json = make_json};
