/* replay.c - `segue replay`: evaluate transfer on a log.
 *
 * This file reads the options and the log; src/replay plays the tasks and judges, replay_print.c
 * prints.  All files that will be written are checked before the log is played.
 *
 * The struct replay has the options, the log, the policies and the result; run owns it. The log is
 * read once into memory, since every policy plays it. replay_rows.c describes the rows that
 * replay_print.c prints; src/report writes the page of --html.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/command.h"
#include "cli/commands/replay/replay_dry_run.h"
#include "cli/commands/replay/replay_print.h"
#include "cli/log/log_tally.h"
#include "cli/progress.h"
#include "experiment/experiment.h"
#include "replay/replay.h"
#include "report/gnuplot.h"
#include "report/replay_page.h"
#include "segue/internal.h"
#include "segue/simulation.h"

#define POLICIES       "ts,ts-prior,la,tts,tla"
#define MAX_REPLICATES 10000

typedef struct settings {
    const char *policy, *play, *order, *holdout, *curve, *html, *figures, *format, *out;
    uint64_t steps, runs, replicates, seed, threads, first_scored;
    double value, tasks_per_day;
    bool quiet, dry_run;
    cli_log_settings log;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)

static const cli_option options[] = {
    {"policy", 'p', CLI_TEXT, FIELD(policy), "LIST", "policies (default " POLICIES ")", 0, 0},
    {"play", 0, CLI_TEXT, FIELD(play), "HOW", "urn (default), or rows: without a model", 0, 0},
    {"steps", 'n', CLI_INTEGER, FIELD(steps), "N", "steps per task (default: the log's median)", 1,
     (double)SEGUE_MAX_HORIZON},
    {"order", 0, CLI_TEXT, FIELD(order), "ORDER", "of tasks: shuffle (default), file or time", 0,
     0},
    {"from", 0, CLI_INTEGER, FIELD(first_scored), "T",
     "score from the T-th task on (default 41, or half)", 1, (double)SEGUE_MAX_TASKS},
    {"holdout", 0, CLI_TEXT, FIELD(holdout), "REGEX",
     "score tasks with such names; learn from the others", 0, 0},
    {"runs", 'r', CLI_INTEGER, FIELD(runs), "R", "runs (default: for 16,000 tasks in all, 4 to 32)",
     1, (double)SEGUE_MAX_RUNS},
    {"replicates", 0, CLI_INTEGER, FIELD(replicates), "B",
     "urn: replicates for the intervals (default 20)", 2, MAX_REPLICATES},
    {"seed", 's', CLI_INTEGER, FIELD(seed), "S", "seed of all random streams (default 1)", 0,
     9007199254740992.0},
    {"threads", 't', CLI_INTEGER, FIELD(threads), "T", "threads (default: one per CPU)", 1,
     SEGUE_MAX_THREADS},
    CLI_LOG_OPTIONS(settings, log),
    {"value", 0, CLI_NUMBER, FIELD(value), "V", "value of one unit of reward: the gain per year",
     1e-12, 1e15},
    {"tasks-per-day", 0, CLI_NUMBER, FIELD(tasks_per_day), "N", "tasks per day, for --value", 1e-6,
     1e12},
    {"curve", 0, CLI_TEXT, FIELD(curve), "FILE", "also write reward and regret of each task, CSV",
     0, 0},
    {"html", 0, CLI_TEXT, FIELD(html), "FILE", "also write a page with figures (needs gnuplot)", 0,
     0},
    {"figures", 0, CLI_TEXT, FIELD(figures), "FOLDER",
     "also write the figures of --html: SVG, PDF, data", 0, 0},
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT", "table (default), csv or json", 0, 0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FILE", "write to FILE (default '-': standard output)", 0,
     0},
    {"dry-run", 0, CLI_FLAG, FIELD(dry_run), NULL, "describe the log, and play nothing", 0, 0},
    {"quiet", 'q', CLI_FLAG, FIELD(quiet), NULL, "no progress bar", 0, 0},
};

/* The command under way; `config` borrows from the other members. */
typedef struct replay {
    settings set;
    cli_format format;
    const char *path;
    log_read_options reading; /* columns, format and range of the log */
    char log_options[CLI_LOG_OPTIONS_SIZE];
    segue_history history;
    segue_policy_list policies;
    segue_replay_config config;
    cli_progress progress;
    cli_replay output;
} replay;

/* ---- options ----------------------------------------------------------------------------- */

/* Find a text among names, which end with NULL and are listed in `need`. */
static segue_status parse_choice(const char *option, const char *text, const char *const *choices,
                                 const char *need, int *out, segue_error *err)
{
    for (int i = 0; choices[i]; i++)
        if (strcmp(text, choices[i]) == 0) {
            *out = i;
            return SEGUE_OK;
        }
    return segue_fail(err, SEGUE_ENAME, "--%s: there is no '%.40s'; need %s", option, text, need);
}

static segue_status parse_choices(replay *r, segue_error *err)
{
    static const char *const methods[] = {"urn", "rows", NULL};
    static const char *const orders[] = {"file", "shuffle", "time", NULL};
    int method = 0, order = 0;
    SEGUE_TRY(parse_choice("play", r->set.play, methods, "urn or rows", &method, err));
    SEGUE_TRY(parse_choice("order", r->set.order, orders, "file, shuffle or time", &order, err));
    r->config.method = (segue_replay_method)method;
    r->config.order = (segue_replay_order)order;
    return cli_output_parse_format(r->set.format, &r->format, err);
}

/* The log is an input: no output may replace it. */
static segue_status check_paths(const replay *r, segue_error *err)
{
    const cli_path paths[] = {
        {"out", r->set.out}, {"curve", r->set.curve}, {"html", r->set.html}, {NULL, r->path}};
    return cli_output_check_paths(paths, 3, sizeof paths / sizeof *paths, err);
}

/* gnuplot is needed only at the end; a missing one must fail now. */
static segue_status check_settings(const replay *r, segue_error *err)
{
    if (!r->path)
        return segue_fail(err, SEGUE_EUSAGE, "give a log; see 'segue help replay'");
    if (r->set.holdout && r->set.first_scored)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--from and --holdout both select the scored tasks; give one");
    if (r->set.figures && !r->set.html)
        return segue_fail(err, SEGUE_EUSAGE, "--figures needs --html FILE");
    if ((r->set.value > 0.0) != (r->set.tasks_per_day > 0.0))
        return segue_fail(err, SEGUE_EUSAGE, "--%s needs --%s: both give the gain per year",
                          r->set.value > 0.0 ? "value" : "tasks-per-day",
                          r->set.value > 0.0 ? "tasks-per-day" : "value");
    if (r->set.dry_run && (r->set.html || r->set.curve))
        return segue_fail(err, SEGUE_EUSAGE, "--%s needs a replay, and --dry-run plays nothing",
                          r->set.html ? "html" : "curve");
    if (r->config.method == SEGUE_REPLAY_METHOD_ROWS && r->set.replicates)
        return segue_fail(err, SEGUE_EUSAGE, "--replicates needs --play urn");
    SEGUE_TRY(check_paths(r, err));
    return r->set.html ? segue_gnuplot_check(err) : SEGUE_OK;
}

/* The config borrows texts, history and policies from `r`. */
static void set_config(replay *r)
{
    segue_replay_config *config = &r->config;
    config->path = strcmp(r->path, "-") == 0 ? SEGUE_STANDARD_INPUT : r->path;
    config->history = &r->history;
    config->lowest = r->reading.lowest;
    config->highest = r->reading.highest;
    cli_log_options_write(&r->set.log, r->log_options, sizeof r->log_options);
    config->log_options = r->log_options;
    config->policies = &r->policies;
    config->holdout = r->set.holdout;
    config->steps = r->set.steps;
    config->first_scored = r->set.first_scored;
    config->runs = r->set.runs;
    config->replicates = r->set.replicates;
    config->yearly = (segue_yearly){.value = r->set.value, .tasks_per_day = r->set.tasks_per_day};
    config->seed = r->set.seed;
    config->threads = (size_t)r->set.threads;
    config->progress = cli_progress_show;
    config->context = &r->progress;
}

/* A tally has no order of tasks and of rows. */
static segue_status check_tally(const replay *r, segue_error *err)
{
    if (!segue_tally_detect(r->path))
        return SEGUE_OK;
    if (r->config.method == SEGUE_REPLAY_METHOD_ROWS)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--play rows: %.200s is a tally, which has no rows; give the log, or "
                          "--play urn",
                          segue_path_tail(r->path));
    return r->config.order == SEGUE_REPLAY_ORDER_SHUFFLE
               ? SEGUE_OK
               : cli_log_tally_check_order(r->path, r->set.order, "--order shuffle", err);
}

/* Columns that the method does not use are not read, and not checked. */
static segue_status read_log(replay *r, segue_error *err)
{
    r->reading.time = r->set.dry_run || r->config.order == SEGUE_REPLAY_ORDER_TIME ||
                      r->config.method == SEGUE_REPLAY_METHOD_URN;
    r->reading.probability = r->set.dry_run || r->config.method == SEGUE_REPLAY_METHOD_ROWS;
    SEGUE_TRY(check_tally(r, err));
    SEGUE_TRY(cli_log_tally_read_history(&r->history, r->path, &r->set.log, &r->reading,
                                         r->set.seed, err));
    if (!r->set.dry_run)
        segue_history_sample(&r->history, SEGUE_MAX_PLAYED_TASKS, r->set.seed);
    return SEGUE_OK;
}

/* Options are checked before the log is read, which may take long. */
static segue_status init(replay *r, int argc, char **argv, segue_error *err)
{
    *r = (replay){.set = {.policy = POLICIES,
                          .play = "urn",
                          .order = "shuffle",
                          .format = "table",
                          .seed = 1,
                          .threads = cli_options_default_threads()}};
    SEGUE_TRY(cli_options_parse_operand(options, sizeof options / sizeof *options, argc, argv,
                                        &r->set, &r->path, err));
    r->set.out = r->output.out = cli_output_path(r->set.out);
    SEGUE_TRY(parse_choices(r, err));
    SEGUE_TRY(check_settings(r, err));
    SEGUE_TRY(cli_log_options_parse(&r->set.log, &r->reading, err));
    SEGUE_TRY(segue_policy_list_parse(&r->policies, r->set.policy, err));
    SEGUE_TRY(read_log(r, err));
    if (r->set.figures) /* fail before the log is played */
        SEGUE_TRY(segue_experiment_make_folder(r->set.figures, err));
    set_config(r);
    return SEGUE_OK;
}

/* Also for an `r` that init has filled in part. */
static void fini(replay *r)
{
    segue_replay_result_fini(&r->output.result);
    segue_policy_list_fini(&r->policies);
    segue_history_fini(&r->history);
}

/* ---- the command ------------------------------------------------------------------------- */

/* The whole replay is one part of the progress bar. */
static segue_status play(replay *r, segue_error *err)
{
    cli_progress_init(&r->progress, r->set.quiet);
    cli_progress_part(&r->progress, "replay", 0.0, 1.0);
    const segue_status status = segue_replay_evaluate(&r->output.result, &r->config, err);
    cli_progress_fini(&r->progress);
    return status;
}

static cli_replay_source source_of(const replay *r)
{
    return (cli_replay_source){.path = r->path, .log_options = r->log_options};
}

/* Files come first: a closed pipe on the standard output then costs none of them. */
static segue_status play_and_write(replay *r, segue_error *err)
{
    SEGUE_TRY(play(r, err));
    const cli_replay_source source = source_of(r);
    cli_replay_next_learn(&source, &r->output.result, r->output.next);
    if (r->set.curve)
        SEGUE_TRY(cli_replay_write_curve(&r->output.result, r->set.curve, err));
    if (r->set.html)
        SEGUE_TRY(segue_replay_page_write(&r->output.result, r->set.html, r->set.figures, err));
    return cli_output_print(&cli_replay_printers, &r->output, r->format, r->set.out, err);
}

static segue_status describe_log(const replay *r, segue_error *err)
{
    cli_replay_dry_run dry_run = {.source = source_of(r),
                                  .reading = &r->reading,
                                  .history = &r->history,
                                  .seed = r->set.seed};
    return cli_replay_dry_run_print(&dry_run, r->format, r->set.out, err);
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    replay r;
    segue_status status = init(&r, argc, argv, err);
    if (status == SEGUE_OK)
        status = r.set.dry_run ? describe_log(&r, err) : play_and_write(&r, err);
    fini(&r);
    return status;
}

const cli_command cli_command_replay = {
    .name = "replay",
    .summary = "evaluate on a log what transfer would have given",
    .usage = "replay [OPTIONS] LOG",
    .details = "The log has the columns task, arm and reward, and may have time and probability:\n"
               "CSV with a header or JSON Lines, plain or compressed by gzip or zstd ('-':\n"
               "standard input).  Each policy and learner plays its tasks, one after the other;\n"
               "ts, ts-prior, tla:cap=1 (look-ahead by a prior per arm, without types) and the\n"
               "best single arm are always among them.\n\n"
               "There are two ways to answer the pulls.\n\n"
               "urn (default): the first pull of an arm in a task receives the first reward\n"
               "that the log has of this task and arm, the second pull the second, and so on.\n"
               "After the last one, rewards are drawn: types are fitted to the whole log, and\n"
               "say with which mean, given all logged rewards of the task.  The result tells\n"
               "how many pulls were answered by the log, and how many types were fitted.  All\n"
               "tasks are played, however the log chose its arms, as long as an arm's rewards\n"
               "do not change within a task.\n\n"
               "rows: the next row of the task that has the arm answers a pull, and the rows\n"
               "between are skipped.  It needs no model, and is right only where arms were\n"
               "drawn at random, each with the probability in the column 'probability'\n"
               "(without it: uniformly).  Of K arms one row in K answers; if the log has\n"
               "probabilities, a row is accepted with probability p_min / p, so that every\n"
               "arm is accepted equally often.  A task ends where its rows do.\n\n"
               "Scored are the tasks from the T-th on, or those held out, which are played with\n"
               "what was learned from the others.  Intervals are 95 %: B times tasks of the\n"
               "log are drawn with replacement, and played with types that they allow (rows:\n"
               "by a bootstrap over tasks).  Where rewards can be negative, percentages are of\n"
               "the reward above the lowest one of --range.  Regret is against the best arm of\n"
               "each task.  With fewer than 2 rewards per arm and task there are no figures of\n"
               "regret.\n\n"
               "A tally ('segue tally') is read in place of a log if its rewards are all the\n"
               "lowest or the highest.  It has no order: rewards are taken in random order, and\n"
               "tasks are shuffled.  Of more than 20,000 tasks of a log or a tally, this number\n"
               "is drawn at random and played.\n\n"
               "The verdict names the number of steps that it is for.  It says that the log\n"
               "cannot tell where an interval leaves the question open.\n\n"
               "With --dry-run the log is described instead: its tasks, arms and rewards, the\n"
               "fitted types, and what is missing for a verdict.  M2 is the second moment of\n"
               "tasks' averages: as many of its eigenvalues are above the noise as there are\n"
               "types that differ in direction; several types may share one.  'segue plan LOG'\n"
               "says from which task on transfer would pay, and how to show it.\n\n"
               "With --value and --tasks-per-day the gain of the method to use is also given per\n"
               "year of 365 days: over ts, and over the log's average reward per step.\n\n"
               "The same seed gives the same bytes on any number of threads.\n\n"
               "examples:\n"
               "  segue replay --dry-run log.csv\n"
               "  segue replay log.csv\n"
               "  segue replay --steps 50 --order time --html replay.html log.jsonl.gz\n"
               "  segue replay --holdout '^2024' --policy ts,tla --format json log.csv.zst\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
