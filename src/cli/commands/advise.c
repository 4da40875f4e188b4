/* advise.c - `segue advise`: what a log holds, and which command to run next.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/table.h"
#include "io/json_build.h"
#include "io/shell.h"
#include "io/utf8.h"
#include "replay/advise.h"
#include "replay/replay.h"
#include "replay/replay_tasks.h"
#include "segue/internal.h"
#include "segue/simulation.h"

#define LONGEST 4096 /* of a file's name; the system opens none longer */
#define COMMAND                                                                                    \
    (4 * LONGEST + SEGUE_ADVISE_SENTENCE_SIZE) /* a quote takes four characters of a shell */

typedef struct settings {
    const char *format, *out;
    uint64_t min_rewards, seed, threads;
    double lowest, highest;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)

static const cli_option options[] = {
    {"least", 0, CLI_INTEGER, FIELD(min_rewards), "N",
     "rewards of each arm that resampling needs (default 3)", 1, (double)SEGUE_MAX_MIN_REWARDS},
    {"lowest", 0, CLI_NUMBER, FIELD(lowest), "X", "the least reward there can be (default 0)",
     -1e15, 1e15},
    {"highest", 0, CLI_NUMBER, FIELD(highest), "X", "and the largest (default 1)", -1e15, 1e15},
    {"seed", 's', CLI_INTEGER, FIELD(seed), "S", "seed of all random streams (default 1)", 0,
     9007199254740992.0},
    {"threads", 't', CLI_INTEGER, FIELD(threads), "T", "threads (default: one a processor)", 1,
     SEGUE_MAX_THREADS},
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT", "table (default), csv or json", 0, 0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FILE", "write there, not to the standard output ('-')", 0,
     0},
};

typedef struct study {
    settings set;
    cli_format format;
    const char *path;
    segue_history history;
    segue_advise_config config;
    segue_advise_result result;
    char verdict[SEGUE_ADVISE_SENTENCE_SIZE]; /* could transfer pay? */
    char next[COMMAND]; /* what to do: a command for a shell, or what to log */
} study;

static double in_range(const study *st, double reward)
{
    return st->set.lowest + (st->set.highest - st->set.lowest) * reward;
}

static bool is_input(const study *st)
{
    return strcmp(st->path, "-") == 0;
}

/* ---- the next command -------------------------------------------------------------------- */

static void add(study *st, const char *text)
{
    const size_t used = strlen(st->next);
    (void)snprintf(st->next + used, COMMAND - used, "%s", text);
}

/* " --NAME X", with the fewest digits that read back as the same number. */
static void add_number(study *st, const char *name, double value)
{
    char text[80];
    int digits = 6;
    do
        (void)snprintf(text, sizeof text, " --%s %.*g", name, digits, value);
    while (strtod(strrchr(text, ' '), NULL) != value && digits++ < 17);
    add(st, text);
}

/* A file's name as one word of a shell. */
static void add_name(study *st, const char *name)
{
    char *word = segue_shell_quote(name, true);
    add(st, " ");
    add(st, word ? word : "LOG");
    free(word);
}

/* `segue replay` on this log, read as it was read here. */
static void add_replay(study *st, bool resampled)
{
    const segue_advise_result *f = &st->result;
    add(st, resampled ? "segue replay" : "segue replay --play replay");
    add(st, f->has_time ? " --order time" : "");
    if (resampled && f->min_rewards != SEGUE_REPLAY_MIN_REWARDS)
        add_number(st, "least", (double)f->min_rewards);
    if (st->set.lowest != 0.0)
        add_number(st, "lowest", st->set.lowest);
    if (st->set.highest != 1.0)
        add_number(st, "highest", st->set.highest);
    if (is_input(st))
        add(st, " LOG");
    else
        add_name(st, st->path);
}

static void say_next(study *st)
{
    const segue_advise_result *f = &st->result;
    const bool randomised = f->has_probability || f->uniform;
    if (f->constant) {
        add(st, "log rewards that differ: by these, any arm does");
    } else if (f->n_tasks < 2) {
        add(st, "log more tasks: transfer is from task to task");
    } else if (segue_replay_tasks_are_enough(f->n_full, f->n_tasks) ||
               (f->n_full >= 2 && !randomised)) {
        add_replay(st, true);
    } else if (randomised) {
        add_replay(st, false);
        add(st, f->has_probability ? "" : "   # if its arms were drawn at random");
    } else {
        add(st, "log rewards of every arm in some tasks, or draw arms at random and log the "
                "column 'probability': then segue replay can play it");
    }
}

/* ---- printing ---------------------------------------------------------------------------- */

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void print_spectrum(const study *st, FILE *out)
{
    const segue_advise_result *f = &st->result;
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

static segue_status print_table(const void *what, FILE *out, segue_error *err)
{
    const study *st = what;
    const segue_advise_result *f = &st->result;
    (void)err;
    fprintf(out, "%s\n\n", is_input(st) ? SEGUE_STANDARD_INPUT : st->path);
    fprintf(out, "Rewards          %zu; average %.3g, in %g .. %g\n", f->n_rows,
            in_range(st, f->mean), st->set.lowest, st->set.highest);
    fprintf(out, "Tasks            %zu\n", f->n_tasks);
    fprintf(out, "Rewards per task %.0f (median; four tasks in five have %.0f to %.0f)\n",
            f->median_rows, f->few_rows, f->many_rows);
    fprintf(out, "Arms             %zu; best on average: %.40s, %.3g\n", f->n_arms,
            st->history.arm_name[f->best_arm], in_range(st, f->best_fixed));
    fprintf(out, "Full tasks       %zu have %" PRIu64 " rewards or more of every arm", f->n_full,
            f->min_rewards);
    if (f->n_full)
        fprintf(out, "; best arms known: %.3g", in_range(st, f->best_known));
    fprintf(out, "\nOther columns    %s%s%s\n", f->has_time ? "time " : "",
            f->has_probability ? "probability" : "",
            f->has_time || f->has_probability ? "" : "none of time and probability");
    print_spectrum(st, out);
    if (f->n_types > 0)
        fprintf(out,
                "Types            %zu found; %.0f %% of how tasks differ is by type; %.2g %% fit "
                "none\n",
                f->n_types, 100.0 * f->explained, 100.0 * f->no_type);
    fputc('\n', out);
    cli_table_print_wrapped(out, "", st->verdict);
    fprintf(out, "\nNext:  %s\n", st->next);
    return SEGUE_OK;
}

/* The numbers by name, for CSV and JSON. */
typedef struct named {
    const char *name;
    double value;
} named;
#define NUMBERS 22

static void list_numbers(const study *st, named *out)
{
    const segue_advise_result *f = &st->result;
    const named list[NUMBERS] = {{"rewards", (double)f->n_rows},
                                 {"tasks", (double)f->n_tasks},
                                 {"arms", (double)f->n_arms},
                                 {"rewards_per_task", f->median_rows},
                                 {"rewards_per_task_low", f->few_rows},
                                 {"rewards_per_task_high", f->many_rows},
                                 {"full_tasks", (double)f->n_full},
                                 {"mean", in_range(st, f->mean)},
                                 {"best_arm", in_range(st, f->best_fixed)},
                                 {"best_arms_known", in_range(st, f->best_known)},
                                 {"eigenvalues_above_noise", (double)f->n_above_noise},
                                 {"noise", f->noise},
                                 {"types", (double)f->n_types},
                                 {"no_type", f->no_type},
                                 {"explained", f->explained},
                                 {"steps", (double)f->steps},
                                 {"pays_from", f->pays_from ? (double)f->pays_from : NAN},
                                 {"saved", f->saved},
                                 {"saved_by_prior", f->saved_by_prior},
                                 {"saved_over_prior", f->saved_over_prior},
                                 {"uniform_arms", f->uniform},
                                 {"rewards_of_rarest_arm", f->rarest_rewards}};
    memcpy(out, list, sizeof list);
}

static void print_csv(const void *what, FILE *out)
{
    named list[NUMBERS];
    list_numbers(what, list);
    fputs("name,value\n", out);
    for (size_t i = 0; i < NUMBERS; i++) {
        fprintf(out, "%s,", list[i].name);
        segue_output_csv_number(out, list[i].value);
        fputc('\n', out);
    }
}

static json_t *make_json(const void *what)
{
    const study *st = what;
    const segue_advise_result *f = &st->result;
    named list[NUMBERS];
    json_t *all = json_object();
    list_numbers(st, list);
    for (size_t i = 0; i < NUMBERS; i++)
        all = segue_json_set(all, list[i].name, segue_json_number(list[i].value));
    all = segue_json_set(all, "eigenvalues", segue_json_numbers(f->eigenvalue, f->n_eigenvalues));
    all = segue_json_set(all, "time", json_boolean(f->has_time));
    all = segue_json_set(all, "probability", json_boolean(f->has_probability));
    all = segue_json_set(all, "verdict", segue_json_text(st->verdict));
    return segue_json_set(all, "next", segue_json_text(st->next));
}

static const cli_printers printers = {.table = print_table, .csv = print_csv, .json = make_json};

/* ---- all of it --------------------------------------------------------------------------- */

static segue_status study_init(study *st, int argc, char **argv, segue_error *err)
{
    *st = (study){.set = {.format = "table",
                          .min_rewards = SEGUE_REPLAY_MIN_REWARDS,
                          .seed = 1,
                          .threads = cli_options_default_threads(),
                          .highest = 1.0}};
    segue_status status = cli_options_parse_operand(options, sizeof options / sizeof *options, argc,
                                                    argv, &st->set, &st->path, err);
    st->set.out = cli_output_path(st->set.out);
    if (status == SEGUE_OK)
        status = cli_output_parse_format(st->set.format, &st->format, err);
    if (status == SEGUE_OK && !st->path)
        status = segue_fail(err, SEGUE_EUSAGE, "give a log; 'segue help advise' tells more");
    const cli_path paths[] = {{"out", st->set.out}, {NULL, st->path}};
    if (status == SEGUE_OK)
        status = cli_output_check_paths(paths, 1, 2, err);
    const log_read_options wanted = {
        .lowest = st->set.lowest, .highest = st->set.highest, .time = true, .probability = true};
    return status == SEGUE_OK ? segue_history_read(&st->history, st->path, &wanted, err) : status;
}

static void set_config(study *st)
{
    st->config = (segue_advise_config){.history = &st->history,
                                       .lowest = st->set.lowest,
                                       .highest = st->set.highest,
                                       .min_rewards = st->set.min_rewards,
                                       .seed = st->set.seed,
                                       .threads = (size_t)st->set.threads};
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    study st;
    segue_status status = study_init(&st, argc, argv, err);
    set_config(&st);
    if (status == SEGUE_OK)
        status = segue_advise(&st.result, &st.config, err);
    if (status == SEGUE_OK) {
        segue_advise_verdict(&st.result, &st.config, st.verdict);
        say_next(&st);
        status = cli_output_print(&printers, &st, st.format, st.set.out, err);
    }
    segue_history_fini(&st.history);
    return status;
}

const cli_command cli_command_advise = {
    .name = "advise",
    .summary = "says what a log holds, and which command to run next",
    .usage = "advise [OPTIONS] LOG",
    .details = "The log is read as 'segue replay' reads it.  M2 is the second moment of tasks'\n"
               "averages: of its eigenvalues as many are above the noise as there are types that\n"
               "differ in direction; more types may share one.  Types are those of 'segue\n"
               "estimate --method types'.  Whether they would pay is told by simulated tasks of\n"
               "these types, of as many steps as a task of the log has, at most 200; they\n"
               "flatter the types.  So, where 30 tasks or more are full and it does not take too\n"
               "long, these are played, once.  'segue replay' plays the log with all care.\n"
               "With fewer than 30 rewards of an arm per task on average it judges no types.\n\n"
               "examples:\n"
               "  segue advise log.csv\n"
               "  segue advise --lowest 1 --highest 5 --format json ratings.jsonl.gz\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
