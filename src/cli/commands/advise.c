/* advise.c - `segue advise`: describe a log, and name the command to run next.
 *
 * The numbers and the verdict come from src/replay; this file reads the options, prints, and writes
 * the next command so that a shell can run it. Rewards of the result are in [0, 1]; output is in
 * the range of --range.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/log/log_tally.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/value.h"
#include "io/json_build.h"
#include "io/shell.h"
#include "io/utf8.h"
#include "replay/advise.h"
#include "replay/replay.h"
#include "replay/replay_tasks.h"
#include "segue/internal.h"
#include "segue/simulation.h"

#define MAX_PATH_SIZE 4096 /* bytes of a path; the system opens none longer */
/* A quoted character takes four of a shell. */
#define COMMAND_SIZE (4 * MAX_PATH_SIZE + SEGUE_ADVISE_SENTENCE_SIZE)

typedef struct settings {
    const char *format, *out;
    uint64_t min_rewards, seed, threads;
    cli_log_settings log;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)

static const cli_option options[] = {
    {"least", 0, CLI_INTEGER, FIELD(min_rewards), "N",
     "rewards of each arm that resampling needs (default 3)", 1, (double)SEGUE_MAX_MIN_REWARDS},
    CLI_LOG_OPTIONS(settings, log),
    {"seed", 's', CLI_INTEGER, FIELD(seed), "S", "seed of all random streams (default 1)", 0,
     9007199254740992.0},
    {"threads", 't', CLI_INTEGER, FIELD(threads), "T", "threads (default: one per CPU)", 1,
     SEGUE_MAX_THREADS},
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT", "table (default), csv or json", 0, 0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FILE", "write to FILE (default '-': standard output)", 0,
     0},
};

/* The command under way; `config` borrows the log. */
typedef struct advise {
    settings set;
    cli_format format;
    const char *path;
    log_read_options reading; /* columns, format and range of the log */
    segue_history history;
    segue_advise_config config;
    segue_advise_result result;
    char verdict[SEGUE_ADVISE_SENTENCE_SIZE]; /* could transfer pay? */
    char next[COMMAND_SIZE];                  /* a command for a shell, or what to log */
} advise;

/* Scale a reward of [0, 1] to the range of the log. */
static double in_range(const advise *a, double reward)
{
    return a->reading.lowest + (a->reading.highest - a->reading.lowest) * reward;
}

/* True if the log is the standard input, which the next command cannot read again. */
static bool is_input(const advise *a)
{
    return strcmp(a->path, "-") == 0;
}

/* ---- the next command -------------------------------------------------------------------- */

/* A text that does not fit is cut; COMMAND_SIZE holds the longest path. */
static void append(advise *a, const char *text)
{
    const size_t used = strlen(a->next);
    (void)snprintf(a->next + used, COMMAND_SIZE - used, "%s", text);
}

/* Append the options with which the log was read. */
static void append_reading(advise *a)
{
    const size_t used = strlen(a->next);
    cli_log_options_write(&a->set.log, a->next + used, COMMAND_SIZE - used);
}

/* Append a path as one word of a shell. */
static void append_path(advise *a, const char *path)
{
    char *word = segue_shell_quote(path, true);
    append(a, " ");
    append(a, word ? word : "LOG");
    free(word);
}

/* Append `segue replay` for this log, with the options that it was read with. */
static void append_replay(advise *a, bool resampled)
{
    const segue_advise_result *f = &a->result;
    append(a, resampled ? "segue replay" : "segue replay --play rows");
    append(a, f->has_time ? " --order time" : "");
    append_reading(a);
    if (is_input(a))
        append(a, " LOG");
    else
        append_path(a, a->path);
}

/* Choose by what the log allows: resampling needs full tasks, row replay needs arms that were drawn
 * at random. */
static void write_next(advise *a)
{
    const segue_advise_result *f = &a->result;
    const bool randomised = f->has_probability || f->uniform;
    if (f->constant) {
        append(a, "log rewards that differ: by these, all arms are equal");
    } else if (f->n_tasks < 2) {
        append(a, "log more tasks: transfer is from task to task");
    } else if (segue_replay_tasks_are_enough(f->n_full, f->n_tasks) ||
               (f->n_full >= 2 && !randomised)) {
        append_replay(a, true);
    } else if (randomised) {
        append_replay(a, false);
        append(a, f->has_probability ? "" : "   # if its arms were drawn at random");
    } else {
        append(a, "log rewards of every arm in some tasks, or draw arms at random and log the "
                  "column 'probability': then segue replay can play it");
    }
}

/* ---- printing ---------------------------------------------------------------------------- */

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* At most six eigenvalues are printed; JSON has all. */
static void print_spectrum(const advise *a, FILE *out)
{
    const segue_advise_result *f = &a->result;
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

/* Labels and sentences, one line each; only the verdict is wrapped. */
static segue_status print_table(const void *data, FILE *out, segue_error *err)
{
    const advise *a = data;
    const segue_advise_result *f = &a->result;
    (void)err;
    fprintf(out, "%s\n\n", is_input(a) ? SEGUE_STANDARD_INPUT : a->path);
    fprintf(out, "Rewards          %zu; average %.3g, in %g .. %g\n", f->n_rows,
            in_range(a, f->mean), a->reading.lowest, a->reading.highest);
    fprintf(out, "Tasks            %zu\n", f->n_tasks);
    fprintf(out, "Rewards per task %.0f (median; four tasks in five have %.0f to %.0f)\n",
            f->median_rows, f->few_rows, f->many_rows);
    fprintf(out, "Arms             %zu; best on average: %.40s, %.3g\n", f->n_arms,
            a->history.arm_name[f->best_arm], in_range(a, f->best_fixed));
    fprintf(out, "Full tasks       %zu have %" PRIu64 " rewards or more of every arm", f->n_full,
            f->min_rewards);
    if (f->n_full)
        fprintf(out, "; best arms known: %.3g", in_range(a, f->best_known));
    fprintf(out, "\nOther columns    %s%s%s\n", f->has_time ? "time " : "",
            f->has_probability ? "probability" : "",
            f->has_time || f->has_probability ? "" : "none of time and probability");
    print_spectrum(a, out);
    if (f->n_types > 0)
        fprintf(out,
                "Types            %zu found; %.0f %% of how tasks differ is by type; %.2g %% fit "
                "none\n",
                f->n_types, 100.0 * f->explained, 100.0 * f->no_type);
    fputc('\n', out);
    cli_table_print_wrapped(out, "", a->verdict);
    fprintf(out, "\nNext:  %s\n", a->next);
    return SEGUE_OK;
}

enum { N_NUMBERS = 23, N_FIELDS = N_NUMBERS + 5 };

/* List all fields; CSV has the first N_NUMBERS of them. */
static void list_fields(const advise *a, cli_field fields[N_FIELDS])
{
    const segue_advise_result *f = &a->result;
    const cli_field list[N_FIELDS] = {
        {"rewards", cli_value_number((double)f->n_rows)},
        {"rows_skipped",
         cli_value_number((double)segue_log_rows_count_skipped(&a->history.rows.skipped))},
        {"tasks", cli_value_number((double)f->n_tasks)},
        {"arms", cli_value_number((double)f->n_arms)},
        {"rewards_per_task", cli_value_number(f->median_rows)},
        {"rewards_per_task_low", cli_value_number(f->few_rows)},
        {"rewards_per_task_high", cli_value_number(f->many_rows)},
        {"full_tasks", cli_value_number((double)f->n_full)},
        {"mean", cli_value_number(in_range(a, f->mean))},
        {"best_arm", cli_value_number(in_range(a, f->best_fixed))},
        {"best_arms_known", cli_value_number(in_range(a, f->best_known))},
        {"eigenvalues_above_noise", cli_value_number((double)f->n_above_noise)},
        {"noise", cli_value_number(f->noise)},
        {"types", cli_value_number((double)f->n_types)},
        {"no_type", cli_value_number(f->no_type)},
        {"explained", cli_value_number(f->explained)},
        {"steps", cli_value_number((double)f->steps)},
        {"pays_from", cli_value_number(f->pays_from ? (double)f->pays_from : NAN)},
        {"saved", cli_value_number(f->saved)},
        {"saved_by_prior", cli_value_number(f->saved_by_prior)},
        {"saved_over_prior", cli_value_number(f->saved_over_prior)},
        {"uniform_arms", cli_value_number(f->uniform)},
        {"rewards_of_rarest_arm", cli_value_number(f->rarest_rewards)},
        {"eigenvalues", cli_value_json(segue_json_numbers(f->eigenvalue, f->n_eigenvalues))},
        {"time", cli_value_boolean(f->has_time)},
        {"probability", cli_value_boolean(f->has_probability)},
        {"verdict", cli_value_text(a->verdict)},
        {"next", cli_value_text(a->next)},
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

/* ---- the command ------------------------------------------------------------------------- */

/* Columns time and probability are read if the log has them. */
static segue_status init(advise *a, int argc, char **argv, segue_error *err)
{
    *a = (advise){.set = {.format = "table",
                          .min_rewards = SEGUE_REPLAY_MIN_REWARDS,
                          .seed = 1,
                          .threads = cli_options_default_threads()}};
    SEGUE_TRY(cli_options_parse_operand(options, sizeof options / sizeof *options, argc, argv,
                                        &a->set, &a->path, err));
    a->set.out = cli_output_path(a->set.out);
    SEGUE_TRY(cli_output_parse_format(a->set.format, &a->format, err));
    if (!a->path)
        return segue_fail(err, SEGUE_EUSAGE, "give a log; see 'segue help advise'");
    const cli_path paths[] = {{"out", a->set.out}, {NULL, a->path}};
    SEGUE_TRY(cli_output_check_paths(paths, 1, 2, err));
    SEGUE_TRY(cli_log_options_parse(&a->set.log, &a->reading, err));
    a->reading.time = a->reading.probability = true;
    return cli_log_tally_read_history(&a->history, a->path, &a->set.log, &a->reading, a->set.seed,
                                      err);
}

static void set_config(advise *a)
{
    a->config = (segue_advise_config){.history = &a->history,
                                      .lowest = a->reading.lowest,
                                      .highest = a->reading.highest,
                                      .min_rewards = a->set.min_rewards,
                                      .seed = a->set.seed,
                                      .threads = (size_t)a->set.threads};
}

/* The caller frees the log, also after an error. */
static segue_status read_and_advise(advise *a, int argc, char **argv, segue_error *err)
{
    SEGUE_TRY(init(a, argc, argv, err));
    set_config(a);
    SEGUE_TRY(segue_advise(&a->result, &a->config, err));
    segue_advise_verdict(&a->result, &a->config, a->verdict);
    write_next(a);
    return cli_output_print(&printers, a, a->format, a->set.out, err);
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    advise a;
    const segue_status status = read_and_advise(&a, argc, argv, err);
    segue_history_fini(&a.history);
    return status;
}

const cli_command cli_command_advise = {
    .name = "advise",
    .summary = "describe a log, and name the command to run next",
    .usage = "advise [OPTIONS] LOG",
    .details = "The log is read as 'segue replay' reads it.  M2 is the second moment of tasks'\n"
               "averages: as many of its eigenvalues are above the noise as there are types that\n"
               "differ in direction; several types may share one.  Types are those of 'segue\n"
               "estimate --method types'.  Simulated tasks of these types, with as many steps as\n"
               "a task of the log has, at most 200, show if transfer pays; they flatter the\n"
               "types.  So, where 30 tasks or more are full and it does not take too long, these\n"
               "are played, once.  'segue replay' evaluates the log with care.  With fewer than\n"
               "30 rewards of an arm per task on average types are not judged.\n\n"
               "examples:\n"
               "  segue advise log.csv\n"
               "  segue advise --range 1,5 --format json ratings.jsonl.gz\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
