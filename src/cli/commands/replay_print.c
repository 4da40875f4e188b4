/* replay_print.c - what `segue replay` found, as table, CSV and JSON.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/commands/replay.h"
#include "cli/table.h"

#define MAX_CURVES 6 /* players in the table of the curve */

static const char *const range_name[SEGUE_N_METRICS] = {
    "reward",     "regret",     "over_ts", "over_prior",
    "over_fixed", "gap_closed", "saved",   "saved_over_prior"};

/* ---- CSV --------------------------------------------------------------------------------- */

static void print_range(FILE *out, const segue_interval *range)
{
    const double numbers[] = {range->value, range->low, range->high};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        fputc(',', out);
        segue_output_csv_number(out, numbers[i]);
    }
}

static void print_csv(const void *what, FILE *out)
{
    const segue_replay_result *found = &((const cli_replay *)what)->found;
    fputs("policy,carries,play,steps,scored,runs", out);
    for (size_t k = 0; k < SEGUE_N_METRICS; k++)
        fprintf(out, ",%s,%s_low,%s_high", range_name[k], range_name[k], range_name[k]);
    fputs(",ahead_from\n", out);
    for (size_t p = 0; p < found->n_players; p++) {
        const segue_player_result *player = &found->player[p];
        segue_output_csv_text(out, player->name);
        fprintf(out, ",%s,%s,%" PRIu64 ",%zu,%" PRIu64,
                segue_replay_result_transfer_text(player->carries),
                found->resampled ? "resampling" : "replay", found->steps,
                found->n_places + 1 - found->from, found->runs);
        for (size_t k = 0; k < SEGUE_N_METRICS; k++)
            print_range(out, &player->won[k]);
        fputc(',', out);
        if (player->ahead)
            fprintf(out, "%zu", player->ahead);
        fputc('\n', out);
    }
}

segue_status cli_replay_write_curve(const segue_replay_result *found, const char *path,
                                    segue_error *err)
{
    segue_output output;
    segue_status status = segue_output_init(&output, err);
    if (status != SEGUE_OK)
        return status;
    fputs("policy,task,reward,reward_se,regret,regret_se\n", output.stream);
    for (size_t p = 0; p < found->n_players; p++) {
        const segue_player_result *player = &found->player[p];
        for (size_t place = 0; place < found->n_places; place++) {
            const double numbers[] = {player->reward[place], player->reward_se[place],
                                      player->regret[place], player->regret_se[place]};
            segue_output_csv_text(output.stream, player->name);
            fprintf(output.stream, ",%zu", place + 1);
            for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
                fputc(',', output.stream);
                segue_output_csv_number(output.stream, numbers[i]);
            }
            fputc('\n', output.stream);
        }
    }
    status = cli_output_send(&output, path, err);
    segue_output_fini(&output);
    return status;
}

/* ---- JSON -------------------------------------------------------------------------------- */

static json_t *json_range(const segue_interval *range)
{
    return json_pack("{s:o, s:o, s:o}", "mean", segue_json_number(range->value), "low",
                     segue_json_number(range->low), "high", segue_json_number(range->high));
}

static json_t *json_player(const segue_player_result *player)
{
    json_t *all = json_pack("{s:s, s:s}", "policy", player->name, "carries",
                            segue_replay_result_transfer_text(player->carries));
    for (size_t k = 0; k < SEGUE_N_METRICS; k++)
        all = segue_json_set(all, range_name[k], json_range(&player->won[k]));
    all = segue_json_set(all, "ahead_from",
                         player->ahead ? json_integer((json_int_t)player->ahead) : json_null());
    return segue_json_set(all, "runs_se", segue_json_number(player->runs_se));
}

static json_t *json_curve(const segue_replay_result *found)
{
    segue_replay_segment stretch[SEGUE_MAX_SEGMENTS];
    const size_t count = segue_replay_result_segments(found, stretch);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *rewards = json_object();
        for (size_t p = 0; p < found->n_players; p++)
            rewards = segue_json_set(rewards, found->player[p].name,
                                     segue_json_number(segue_replay_result_segment_reward(
                                         &found->player[p], stretch[i])));
        list = segue_json_append(list,
                                 json_pack("{s:I, s:I, s:o}", "first", (json_int_t)stretch[i].first,
                                           "last", (json_int_t)stretch[i].last, "reward", rewards));
    }
    return list;
}

static json_t *json_typical(const segue_replay_result *found, const segue_replay_type *type)
{
    json_t *list = json_array();
    for (size_t i = 0; i < type->n_typical; i++)
        list = segue_json_append(list, json_string(found->task_name[type->typical[i]]));
    return list;
}

static json_t *json_types(const segue_replay_result *found)
{
    const segue_replay_types *types = &found->types;
    json_t *list = json_array();
    for (size_t q = 0; q < types->count; q++) {
        const segue_replay_type *type = &types->type[q];
        list = segue_json_append(list, json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "type",
                                                 (json_int_t)q + 1, "weight",
                                                 segue_json_number(type->weight), "tasks",
                                                 segue_json_number(type->tasks), "spread",
                                                 segue_json_number(type->spread), "means",
                                                 segue_json_numbers(type->mean, found->n_arms),
                                                 "typical", json_typical(found, type)));
    }
    return json_pack("{s:I, s:o, s:o, s:o, s:o}", "tasks", (json_int_t)types->n_tasks, "no_type",
                     segue_json_number(types->none), "spread", segue_json_number(types->spread),
                     "explained", segue_json_number(types->explained), "list", list);
}

static json_t *json_log(const segue_replay_result *found)
{
    json_t *arms = json_array();
    for (size_t arm = 0; arm < found->n_arms; arm++)
        arms = segue_json_append(arms, json_string(found->arm_name[arm]));
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "path",
                     segue_json_text(found->path), "rows", (json_int_t)found->n_rows, "tasks",
                     (json_int_t)found->n_tasks, "played", (json_int_t)found->n_places, "skipped",
                     (json_int_t)found->n_left_out, "reward", segue_json_number(found->logged),
                     "rewards_of_rarest_arm", segue_json_number(found->rarest_rewards), "arms",
                     arms);
}

static json_t *json_way(const segue_replay_result *found)
{
    json_t *way = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "method",
                            found->resampled ? "resampling" : "replay", "order", found->order,
                            "steps", (json_int_t)found->steps, "runs", (json_int_t)found->runs,
                            "seed", (json_int_t)found->seed, "from", (json_int_t)found->from,
                            "scored", (json_int_t)(found->n_places + 1 - found->from), "learned",
                            (json_int_t)found->n_learned);
    if (found->resampled)
        return segue_json_set(way, "least", json_integer((json_int_t)found->least));
    way = segue_json_set(way, "probabilities", json_boolean(found->thinned));
    way = segue_json_set(way, "rows_accepted", segue_json_number(found->rows_kept));
    return segue_json_set(way, "reached", segue_json_number(found->reached));
}

static json_t *make_json(const void *what)
{
    static const char *const advice[] = {"types", "prior", "arm", "none", "unclear"};
    const segue_replay_result *found = &((const cli_replay *)what)->found;
    json_t *results = json_array(), *warnings = json_array();
    for (size_t p = 0; p < found->n_players; p++)
        results = segue_json_append(results, json_player(&found->player[p]));
    for (size_t i = 0; i < found->n_warnings; i++)
        warnings = segue_json_append(warnings, json_string(found->warning[i]));
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:s, s:s, s:s}}", "log", json_log(found), "play",
        json_way(found), "best_arms", json_range(&found->best), "results", results, "curve",
        json_curve(found), "types", json_types(found), "warnings", warnings, "verdict", "advice",
        advice[found->advice], "use", found->player[found->use].name, "text", found->verdict);
}

/* ---- the table --------------------------------------------------------------------------- */

static void print_caption(const segue_replay_result *found, FILE *out)
{
    fprintf(out, "%s: %zu rewards, %zu tasks, %zu arms\n", found->path, found->n_rows,
            found->n_tasks, found->n_arms);
    segue_replay_result_print_method(found, out);
    fprintf(out, "\n%zu tasks played", found->n_places);
    if (found->n_left_out)
        fprintf(out, " (%zu skipped, with fewer than %" PRIu64 " rewards of some arm)",
                found->n_left_out, found->least);
    fprintf(out, ", %" PRIu64 " steps each%s\nOrder: %s; %" PRIu64 " run%s; ", found->steps,
            found->resampled ? "" : " at most", found->order, found->runs,
            found->runs == 1 ? "" : "s");
    if (found->n_learned < found->n_places)
        fprintf(out, "scored: the %zu tasks held out, after %zu others\n",
                found->n_places - found->n_learned, found->n_learned);
    else
        fprintf(out, "scored: tasks %zu to %zu\n", found->from, found->n_places);
    if (!found->resampled)
        fprintf(out, "%.3g %% of the scored tasks had rows for all steps\n",
                100.0 * found->reached);
}

/* "+8.1 (6.9 .. 9.3)" in per cent. */
static void set_gain(cli_table *table, size_t row, size_t column, const segue_interval *range)
{
    if (isfinite(range->low))
        cli_table_set(table, row, column, "%+.1f (%.1f .. %.1f)", 100.0 * range->value,
                      100.0 * range->low, 100.0 * range->high);
    else
        cli_table_set(table, row, column, "-");
}

static void set_percent(cli_table *table, size_t row, size_t column, bool known,
                        const segue_interval *range)
{
    if (known)
        cli_table_set(table, row, column, "%+.1f", 100.0 * range->value);
    else
        cli_table_set(table, row, column, "-");
}

static void set_player(cli_table *table, const segue_replay_result *found, size_t p, size_t row)
{
    const segue_player_result *player = &found->player[p];
    const segue_interval *won = player->won;
    cli_table_name(table, row, 0, player->name, 14);
    cli_table_number(table, row, 1, won[SEGUE_METRIC_REWARD].value, 3);
    cli_table_number(table, row, 2, won[SEGUE_METRIC_REGRET].value, 2);
    if (p != found->ts)
        set_gain(table, row, 3, &won[SEGUE_METRIC_GAIN_OVER_TS]);
    else
        cli_table_set(table, row, 3, "-");
    set_percent(table, row, 4, p != found->prior, &won[SEGUE_METRIC_GAIN_OVER_PRIOR]);
    set_percent(table, row, 5, p != found->fixed, &won[SEGUE_METRIC_GAIN_OVER_FIXED]);
    cli_table_set(table, row, 6, "%.0f %%", 100.0 * won[SEGUE_METRIC_GAP_CLOSED].value);
}

static segue_status print_players(const cli_replay *replay, FILE *out, segue_error *err)
{
    static const char *const headings[] = {"policy", "reward", "regret", "% over ts (95 %)",
                                           "prior",  "1 arm",  "gap"};
    enum { COLUMNS = sizeof headings / sizeof *headings };
    const segue_replay_result *found = &replay->found;
    cli_table table;
    segue_status status = cli_table_init(&table, found->n_players + 2, COLUMNS, err);
    if (status != SEGUE_OK)
        return status;
    for (size_t c = 0; c < COLUMNS; c++)
        cli_table_set(&table, 0, c, "%s", headings[c]);
    for (size_t p = 0; p < found->n_players; p++)
        set_player(&table, found, p, p + 1);
    cli_table_set(&table, found->n_players + 1, 0, "(best arms)");
    cli_table_number(&table, found->n_players + 1, 1, found->best.value, 3);
    cli_table_number(&table, found->n_players + 1, 2, 0.0, 2);
    for (size_t c = 3; c + 1 < COLUMNS; c++)
        cli_table_set(&table, found->n_players + 1, c, "-");
    cli_table_set(&table, found->n_players + 1, COLUMNS - 1, "100 %%");
    status = cli_table_print(&table, COLUMNS, out, cli_output_bold(replay->out), err);
    cli_table_fini(&table);
    fputs("\nreward: per step; regret: per task; prior and 1 arm: % of reward over ts-prior\n"
          "and over the best single arm; gap: from ts to the best arm of each task\n",
          out);
    return status;
}

/* The gains over ts, stretch by stretch. */
static segue_status print_curve(const cli_replay *replay, FILE *out, segue_error *err)
{
    const segue_replay_result *found = &replay->found;
    segue_replay_segment stretch[SEGUE_MAX_SEGMENTS];
    const size_t count = segue_replay_result_segments(found, stretch);
    size_t columns = 1, shown[MAX_CURVES];
    for (size_t p = 0; p < found->n_players && columns <= MAX_CURVES; p++)
        if (p != found->ts)
            shown[columns++ - 1] = p;
    cli_table table;
    segue_status status = cli_table_init(&table, count + 1, columns, err);
    if (status != SEGUE_OK)
        return status;
    cli_table_set(&table, 0, 0, "tasks");
    for (size_t c = 1; c < columns; c++)
        cli_table_name(&table, 0, c, found->player[shown[c - 1]].name, 14);
    for (size_t i = 0; i < count; i++) {
        const double ts = segue_replay_result_segment_reward(&found->player[found->ts], stretch[i]);
        cli_table_set(&table, i + 1, 0, "%zu - %zu", stretch[i].first, stretch[i].last);
        for (size_t c = 1; c < columns; c++) {
            const double x =
                segue_replay_result_segment_reward(&found->player[shown[c - 1]], stretch[i]);
            if (isfinite(x - ts))
                cli_table_set(&table, i + 1, c, "%+.3f", x - ts);
        }
    }
    fputs("\nReward a step above that of ts, as tasks are met:\n\n", out);
    status = cli_table_print(&table, columns, out, cli_output_bold(replay->out), err);
    cli_table_fini(&table);
    return status;
}

static size_t best_arm(const double *mean, size_t n_arms)
{
    size_t best = 0;
    for (size_t arm = 1; arm < n_arms; arm++)
        best = mean[arm] > mean[best] ? arm : best;
    return best;
}

static void set_typical(cli_table *table, size_t row, const segue_replay_result *found,
                        const segue_replay_type *type)
{
    char text[120] = "";
    for (size_t i = 0; i < type->n_typical; i++) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s%.30s", i ? ", " : "",
                       found->task_name[type->typical[i]]);
    }
    cli_table_name(table, row, 6, text, 32);
}

static segue_status print_types(const cli_replay *replay, FILE *out, segue_error *err)
{
    static const char *const headings[] = {"type",     "weight", "tasks",        "spread",
                                           "best arm", "mean",   "typical tasks"};
    enum { COLUMNS = sizeof headings / sizeof *headings };
    const segue_replay_result *found = &replay->found;
    const segue_replay_types *types = &found->types;
    cli_table table;
    segue_status status = cli_table_init(&table, types->count + 1, COLUMNS, err);
    if (status != SEGUE_OK)
        return status;
    for (size_t c = 0; c < COLUMNS; c++)
        cli_table_set(&table, 0, c, "%s", headings[c]);
    for (size_t q = 0; q < types->count; q++) {
        const segue_replay_type *type = &types->type[q];
        const size_t arm = best_arm(type->mean, found->n_arms);
        cli_table_set(&table, q + 1, 0, "%zu", q + 1);
        cli_table_number(&table, q + 1, 1, type->weight, 2);
        cli_table_number(&table, q + 1, 2, type->tasks, 0);
        cli_table_number(&table, q + 1, 3, type->spread, 2);
        cli_table_name(&table, q + 1, 4, found->arm_name[arm], 14);
        cli_table_number(&table, q + 1, 5, type->mean[arm], 2);
        set_typical(&table, q + 1, found, type);
    }
    status = cli_table_print(&table, COLUMNS, out, cli_output_bold(replay->out), err);
    cli_table_fini(&table);
    return status;
}

static segue_status tell_types(const cli_replay *replay, FILE *out, segue_error *err)
{
    const segue_replay_types *types = &replay->found.types;
    if (replay->found.constant) /* the verdict says why there are none */
        return SEGUE_OK;
    if (types->count == 0) {
        fprintf(out, "\n%zu tasks are too few for types\n", types->n_tasks);
        return SEGUE_OK;
    }
    fprintf(out,
            "\n%zu type%s in the log; %.2g %% of tasks fit none.  Tasks' means differ by %.2g\n"
            "(standard deviation); types explain %.0f %% of that variance.\n\n",
            types->count, types->count == 1 ? "" : "s", 100.0 * types->none, types->spread,
            100.0 * types->explained);
    return print_types(replay, out, err);
}

static segue_status print_table(const void *what, FILE *out, segue_error *err)
{
    const cli_replay *replay = what;
    const segue_replay_result *found = &replay->found;
    print_caption(found, out);
    fputc('\n', out);
    segue_status status = print_players(replay, out, err);
    if (status == SEGUE_OK)
        status = print_curve(replay, out, err);
    if (status == SEGUE_OK)
        status = tell_types(replay, out, err);
    for (size_t i = 0; i < found->n_warnings; i++) {
        char text[SEGUE_SENTENCE_SIZE + 20];
        (void)snprintf(text, sizeof text, "Warning: %s.", found->warning[i]);
        fputc('\n', out);
        cli_table_print_wrapped(out, "", text);
    }
    fputc('\n', out);
    cli_table_print_wrapped(out, "", found->verdict);
    return status;
}

const cli_printers cli_replay_printers = {
    .table = print_table, .csv = print_csv, .json = make_json};
