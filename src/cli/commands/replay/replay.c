/* replay.c - `segue replay`: what would transfer have given on a log?
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/command.h"
#include "cli/commands/replay/replay_print.h"
#include "cli/progress.h"
#include "experiment/experiment.h"
#include "replay/replay.h"
#include "report/gnuplot.h"
#include "report/replay_page.h"
#include "segue/internal.h"
#include "segue/simulation.h"

#define PLAYERS "ts,ts-prior,la,tts,tla"
#define RUNS    4

typedef struct settings {
    const char *policy, *play, *order, *holdout, *curve, *html, *figures, *format, *out;
    uint64_t steps, runs, seed, threads, min_rewards, first_scored;
    double lowest, highest;
    bool quiet;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)

static const cli_option options[] = {
    {"policy", 'p', CLI_TEXT, FIELD(policy), "LIST", "who plays (default " PLAYERS ")", 0, 0},
    {"play", 0, CLI_TEXT, FIELD(play), "HOW", "resampling, replay or auto (default)", 0, 0},
    {"steps", 'n', CLI_INTEGER, FIELD(steps), "N", "steps a task (default: the log's median)", 1,
     (double)SEGUE_MAX_HORIZON},
    {"order", 0, CLI_TEXT, FIELD(order), "ORDER",
     "file (default), shuffle (with --holdout) or time", 0, 0},
    {"from", 0, CLI_INTEGER, FIELD(first_scored), "T",
     "score from the T-th task on (default 41, or half)", 1, (double)SEGUE_MAX_TASKS},
    {"holdout", 0, CLI_TEXT, FIELD(holdout), "REGEX",
     "score the tasks so named; learn on the others", 0, 0},
    {"least", 0, CLI_INTEGER, FIELD(min_rewards), "N",
     "resample tasks with N rewards of each arm (default 3)", 1, (double)SEGUE_MAX_MIN_REWARDS},
    {"runs", 'r', CLI_INTEGER, FIELD(runs), "R", "runs (default 4)", 1, (double)SEGUE_MAX_RUNS},
    {"seed", 's', CLI_INTEGER, FIELD(seed), "S", "seed of all random streams (default 1)", 0,
     9007199254740992.0},
    {"threads", 't', CLI_INTEGER, FIELD(threads), "T", "threads (default: one a processor)", 1,
     SEGUE_MAX_THREADS},
    {"lowest", 0, CLI_NUMBER, FIELD(lowest), "X", "the least reward there can be (default 0)",
     -1e15, 1e15},
    {"highest", 0, CLI_NUMBER, FIELD(highest), "X", "and the largest (default 1)", -1e15, 1e15},
    {"curve", 0, CLI_TEXT, FIELD(curve), "FILE", "also write what each task brought, CSV", 0, 0},
    {"html", 0, CLI_TEXT, FIELD(html), "FILE", "also write a page with figures (needs gnuplot)", 0,
     0},
    {"figures", 0, CLI_TEXT, FIELD(figures), "FOLDER",
     "keep the figures of --html there: SVG, PDF, data", 0, 0},
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT", "table (default), csv or json", 0, 0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FILE", "write there, not to the standard output ('-')", 0,
     0},
    {"quiet", 'q', CLI_FLAG, FIELD(quiet), NULL, "no progress bar", 0, 0},
};

typedef struct study {
    settings set;
    cli_format format;
    const char *path;
    segue_history history;
    segue_policy_list policies;
    segue_replay_config config;
    cli_progress progress;
    cli_replay replay;
} study;

/* ---- before ------------------------------------------------------------------------------ */

/* Which of `count` words a text is. */
static segue_status parse_choice(const char *option, const char *text, const char *const *words,
                                 size_t count, int *out, segue_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0) {
            *out = (int)i;
            return SEGUE_OK;
        }
    return segue_fail(err, SEGUE_ENAME, "--%s: there is no '%.40s'; need %s, %s or %s", option,
                      text, words[0], words[1], words[2]);
}

static segue_status parse_choices(study *st, segue_error *err)
{
    static const char *const ways[] = {"auto", "resampling", "replay"};
    static const char *const orders[] = {"file", "shuffle", "time"};
    int way = 0, order = 0;
    segue_status status = parse_choice("play", st->set.play, ways, 3, &way, err);
    /* held-out tasks are met with what is known at the end: no order of the file should shape it */
    const char *usual = st->set.holdout ? "shuffle" : "file";
    if (status == SEGUE_OK)
        status =
            parse_choice("order", st->set.order ? st->set.order : usual, orders, 3, &order, err);
    st->config.method = (segue_replay_method)way;
    st->config.order = (segue_replay_order)order;
    return status == SEGUE_OK ? cli_output_parse_format(st->set.format, &st->format, err) : status;
}

static segue_status check_paths(const study *st, segue_error *err)
{
    const cli_path paths[] = {
        {"out", st->set.out}, {"curve", st->set.curve}, {"html", st->set.html}, {NULL, st->path}};
    return cli_output_check_paths(paths, 3, sizeof paths / sizeof *paths, err);
}

static segue_status check_settings(const study *st, segue_error *err)
{
    if (!st->path)
        return segue_fail(err, SEGUE_EUSAGE, "give a log; 'segue help replay' tells more");
    if (st->set.holdout && st->set.first_scored)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--from and --holdout exclude each other: each tells what is scored");
    if (st->set.figures && !st->set.html)
        return segue_fail(err, SEGUE_EUSAGE, "--figures are those of --html: give that too");
    if (st->config.method == SEGUE_REPLAY_METHOD_ROWS && st->set.min_rewards)
        return segue_fail(err, SEGUE_EUSAGE, "--least goes with resampling");
    const segue_status status = check_paths(st, err);
    return status == SEGUE_OK && st->set.html ? segue_gnuplot_check(err) : status;
}

static void show(void *context, double done, double total)
{
    cli_progress_show(context, done, total);
}

static void set_config(study *st)
{
    segue_replay_config *config = &st->config;
    config->path = strcmp(st->path, "-") == 0 ? SEGUE_STANDARD_INPUT : st->path;
    config->history = &st->history;
    config->lowest = st->set.lowest;
    config->highest = st->set.highest;
    config->policies = &st->policies;
    config->holdout = st->set.holdout;
    config->min_rewards = st->set.min_rewards;
    config->steps = st->set.steps;
    config->first_scored = st->set.first_scored;
    config->runs = st->set.runs;
    config->seed = st->set.seed;
    config->threads = (size_t)st->set.threads;
    config->progress = show;
    config->context = &st->progress;
}

static segue_status read_log(study *st, segue_error *err)
{
    const log_read_options wanted = {.lowest = st->set.lowest,
                                     .highest = st->set.highest,
                                     .time = st->config.order == SEGUE_REPLAY_ORDER_TIME,
                                     .probability =
                                         st->config.method != SEGUE_REPLAY_METHOD_RESAMPLE};
    return segue_history_read(&st->history, st->path, &wanted, err);
}

static segue_status study_init(study *st, int argc, char **argv, segue_error *err)
{
    *st = (study){.set = {.policy = PLAYERS,
                          .play = "auto",
                          .format = "table",
                          .runs = RUNS,
                          .seed = 1,
                          .threads = cli_options_default_threads(),
                          .highest = 1.0}};
    segue_status status = cli_options_parse_operand(options, sizeof options / sizeof *options, argc,
                                                    argv, &st->set, &st->path, err);
    st->set.out = st->replay.out = cli_output_path(st->set.out);
    if (status == SEGUE_OK)
        status = parse_choices(st, err);
    if (status == SEGUE_OK)
        status = check_settings(st, err);
    if (status == SEGUE_OK)
        status = segue_policy_list_parse(&st->policies, st->set.policy, err);
    if (status == SEGUE_OK)
        status = read_log(st, err);
    /* what cannot be made should be told before the log is played */
    if (status == SEGUE_OK && st->set.figures)
        status = segue_experiment_make_folder(st->set.figures, err);
    if (status == SEGUE_OK)
        set_config(st);
    return status;
}

static void study_fini(study *st)
{
    segue_replay_result_fini(&st->replay.result);
    segue_policy_list_fini(&st->policies);
    segue_history_fini(&st->history);
}

/* ---- all of it --------------------------------------------------------------------------- */

static segue_status play(study *st, segue_error *err)
{
    cli_progress_init(&st->progress, st->set.quiet);
    cli_progress_part(&st->progress, "replay", 0.0, 1.0);
    const segue_status status = segue_replay_evaluate(&st->replay.result, &st->config, err);
    cli_progress_fini(&st->progress);
    return status;
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    study st;
    segue_status status = study_init(&st, argc, argv, err);
    if (status == SEGUE_OK)
        status = play(&st, err);
    if (status == SEGUE_OK && st.set.curve)
        status = cli_replay_write_curve(&st.replay.result, st.set.curve, err);
    if (status == SEGUE_OK && st.set.html)
        status = segue_replay_page_write(&st.replay.result, st.set.html, st.set.figures, err);
    if (status == SEGUE_OK)
        status = cli_output_print(&cli_replay_printers, &st.replay, st.format, st.set.out, err);
    study_fini(&st);
    return status;
}

const cli_command cli_command_replay = {
    .name = "replay",
    .summary = "tells what transfer would have given on a log of yours",
    .usage = "replay [OPTIONS] LOG",
    .details = "The log has the columns task, arm and reward, and may have time and probability:\n"
               "CSV with a header or JSON Lines, plain or compressed by gzip or zstd ('-':\n"
               "standard input).  Its tasks are played again, one after the other, by each\n"
               "policy and learner; ts, ts-prior, tla:cap=1 (look-ahead by a prior of each arm,\n"
               "without types) and the best single arm are always among them.\n\n"
               "There are two ways to play it.\n\n"
               "Resampling: a pull draws one of the task's own rewards of that arm, with\n"
               "replacement; tasks with fewer than N rewards of some arm (--least) are left out.\n"
               "Trust it where a task has several rewards of every arm, however its arms were\n"
               "chosen, as long as an arm's rewards do not change within a task.\n\n"
               "Replay: a pull is answered by the next row of the task that holds the arm, and\n"
               "the rows between are passed over.  Trust it where arms were drawn at random,\n"
               "each with the probability that the column 'probability' tells (without it: all\n"
               "alike), and nowhere else.  It needs no rewards of every arm, but many rows: of K\n"
               "arms drawn alike one row in K answers; with probabilities a row may answer with\n"
               "the least of all over its own, so that all arms are answered alike.  A task ends\n"
               "where its rows do.\n\n"
               "auto is resampling; but replay where the log tells probabilities and fewer than\n"
               "30 tasks, and fewer than half, can be resampled.\n\n"
               "Scored are the tasks from the T-th on, or those held out, which are met with\n"
               "what was learned on the others.  Intervals are 95 %, by a bootstrap over tasks,\n"
               "the same tasks for all.  Regret is against the best arm of each task, by the\n"
               "log's averages; where these are of few rewards, that best is too good.\n\n"
               "The verdict names the number of steps that it is for.  It judges types where\n"
               "every arm has 30 rewards per task or more, on average.\n\n"
               "The same seed gives the same bytes on any number of threads.\n\n"
               "examples:\n"
               "  segue replay log.csv\n"
               "  segue replay --steps 50 --order time --html replay.html log.jsonl.gz\n"
               "  segue replay --holdout '^2024' --policy ts,tla --format json log.csv.zst\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
