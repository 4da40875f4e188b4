/* replay_dry_run.c - `segue replay --dry-run`: describe a log without playing it.
 *
 * The numbers and the text come from src/replay; this file prints them, and writes the next commands
 * so that a shell can run them.  Rewards of the summary are in [0, 1]; output is in the range of
 * --range.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/replay/replay_dry_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/table.h"
#include "cli/value.h"
#include "io/json_build.h"

/* Scale a reward of [0, 1] to the range of the log. */
static double in_range(const cli_replay_dry_run *a, double reward)
{
    return a->reading->lowest + (a->reading->highest - a->reading->lowest) * reward;
}

/* True if the log is the standard input, which the next command cannot read again. */
static bool is_input(const cli_replay_dry_run *a)
{
    return strcmp(a->source.path, "-") == 0;
}

/* ---- the next commands ------------------------------------------------------------------- */

/* True if the log can be played. */
static bool is_playable(const cli_replay_dry_run *a)
{
    return !a->summary.constant && a->summary.n_tasks >= 2 && a->summary.n_arms >= 2;
}

static void write_commands(cli_replay_dry_run *a)
{
    if (is_playable(a))
        cli_replay_next_command(&a->source, "replay", a->next);
    if (a->summary.n_types > 0)
        cli_replay_next_command(&a->source, "plan", a->plan);
}

/* ---- printing ---------------------------------------------------------------------------- */

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* At most six eigenvalues are printed; JSON has all. */
static void print_spectrum(const cli_replay_dry_run *a, FILE *out)
{
    const segue_replay_summary *f = &a->summary;
    if (f->n_eigenvalues == 0) {
        fputs("Spectrum         unknown: ", out);
        if (f->n_arms > SEGUE_MAX_SPECTRUM_ARMS)
            fprintf(out, "of more than %d arms it takes long\n", SEGUE_MAX_SPECTRUM_ARMS);
        else
            fputs("it needs tasks with three rewards of every arm\n", out);
        return;
    }
    fputs("Spectrum of M2  ", out);
    for (size_t i = 0; i < f->n_eigenvalues && i < 6; i++)
        fprintf(out, " %.2g", f->eigenvalue[i]);
    fprintf(out, "%s; noise %.2g\n", f->n_eigenvalues > 6 ? " .." : "", f->noise);
    fprintf(out, "                 %zu above the noise, in %zu task%s\n", f->n_above_noise,
            f->n_spectrum, plural(f->n_spectrum));
}

/* At most seven shares are printed; JSON has all. */
static void print_types(const segue_replay_summary *f, FILE *out)
{
    if (f->n_types == 0)
        return;
    fprintf(out, "Types            %zu fitted; share%s:", f->n_types, plural(f->n_types));
    for (size_t q = 0; q < f->n_types && q < 7; q++)
        fprintf(out, " %.2g", f->weight[q]);
    fputs(f->n_types > 7 ? " .." : "", out);
    fputc('\n', out);
}

static void print_arms(const cli_replay_dry_run *a, FILE *out)
{
    const segue_replay_summary *f = &a->summary;
    fprintf(out, "Arms             %zu; best for all tasks%s: %.40s, %.3g\n", f->n_arms,
            f->n_types ? " by the types" : ", by tasks' averages",
            a->history->arm_name[f->best_arm], in_range(a, f->best_fixed));
    fprintf(out, "Rewards per arm  %.3g per task; fewest: %.40s, %.3g\n", f->rewards_per_cell,
            a->history->arm_name[f->rarest], f->rarest_rewards);
}

/* Labels and sentences, one line each; only the last text is wrapped. */
static segue_status print_table(const void *data, FILE *out, segue_error *err)
{
    const cli_replay_dry_run *a = data;
    const segue_replay_summary *f = &a->summary;
    (void)err;
    fprintf(out, "%s\n\n", is_input(a) ? SEGUE_STANDARD_INPUT : a->source.path);
    fprintf(out, "Rewards          %zu; average %.3g, in %g .. %g\n", f->n_rows,
            in_range(a, f->mean), a->reading->lowest, a->reading->highest);
    fprintf(out, "Tasks            %zu\n", f->n_tasks);
    fprintf(out, "Rewards per task %.0f (median; four tasks in five have %.0f to %.0f)\n",
            f->median_rows, f->few_rows, f->many_rows);
    print_arms(a, out);
    fprintf(out, "Other columns    %s%s%s\n", f->has_time ? "time " : "",
            f->has_probability ? "probability" : "",
            f->has_time || f->has_probability ? "" : "none of time and probability");
    print_spectrum(a, out);
    print_types(f, out);
    fputc('\n', out);
    cli_table_print_wrapped(out, "", f->missing);
    if (*a->next)
        fprintf(out, "\nNext:  %s\n", a->next);
    if (*a->plan)
        fprintf(out, "Plan:  %s\n", a->plan);
    return SEGUE_OK;
}

static cli_value value_of_command(const char *command)
{
    return *command ? cli_value_text(command) : cli_value_missing();
}

enum { N_NUMBERS = 15, N_FIELDS = N_NUMBERS + 7 };

/* List all fields; CSV has the first N_NUMBERS of them. */
static void list_fields(const cli_replay_dry_run *a, cli_field fields[N_FIELDS])
{
    const segue_replay_summary *f = &a->summary;
    const cli_field list[N_FIELDS] = {
        {"rewards", cli_value_number((double)f->n_rows)},
        {"rows_skipped",
         cli_value_number((double)segue_log_rows_count_skipped(&a->history->rows.skipped))},
        {"tasks", cli_value_number((double)f->n_tasks)},
        {"arms", cli_value_number((double)f->n_arms)},
        {"rewards_per_task", cli_value_number(f->median_rows)},
        {"rewards_per_task_low", cli_value_number(f->few_rows)},
        {"rewards_per_task_high", cli_value_number(f->many_rows)},
        {"rewards_per_arm_and_task", cli_value_number(f->rewards_per_cell)},
        {"rewards_of_rarest_arm", cli_value_number(f->rarest_rewards)},
        {"mean", cli_value_number(in_range(a, f->mean))},
        {"best_arm", cli_value_number(in_range(a, f->best_fixed))},
        {"eigenvalues_above_noise", cli_value_number((double)f->n_above_noise)},
        {"noise", cli_value_number(f->noise)},
        {"types", cli_value_number((double)f->n_types)},
        {"uniform_arms", cli_value_number(f->uniform)},
        {"eigenvalues", cli_value_json(segue_json_numbers(f->eigenvalue, f->n_eigenvalues))},
        {"type_weights", cli_value_json(segue_json_numbers(f->weight, f->n_types))},
        {"time", cli_value_boolean(f->has_time)},
        {"probability", cli_value_boolean(f->has_probability)},
        {"missing", cli_value_text(f->missing)},
        {"next", value_of_command(a->next)},
        {"plan", value_of_command(a->plan)},
    };
    memcpy(fields, list, sizeof list);
}

/* JSON values are not printed in CSV, but they own references. Text values have no reference: NULL.
 */
static void print_csv(const void *data, FILE *out)
{
    cli_field fields[N_FIELDS];
    list_fields(data, fields);
    cli_value_print_pairs(out, fields, N_NUMBERS);
    for (size_t i = N_NUMBERS; i < N_FIELDS; i++)
        json_decref(fields[i].value.json);
}

static json_t *make_json(const void *data)
{
    cli_field fields[N_FIELDS];
    list_fields(data, fields);
    return cli_value_object(fields, N_FIELDS);
}

static const cli_printers printers = {.table = print_table, .csv = print_csv, .json = make_json};

segue_status cli_replay_dry_run_print(cli_replay_dry_run *a, cli_format format, const char *out,
                                      segue_error *err)
{
    SEGUE_TRY(segue_replay_summarise(&a->summary, a->history, a->reading->lowest,
                                     a->reading->highest, a->seed, err));
    write_commands(a);
    return cli_output_print(&printers, a, format, out, err);
}
