/* learn.c - `segue learn`: let a learner learn from the tasks of a log, and save it.
 *
 * Each task of the log is opened, told its logged rewards in their order, and closed, as if the
 * learner had pulled these arms.  It learns from counts of rewards per arm, so the log may come from
 * any policy, also an adaptive one; probabilities are not needed.  The saved learner carries the
 * names of the arms.  A service goes on with it (`segue learners NAME --from FILE`), and so does a
 * program with the library (segue_learner_load).
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/log/log_tally.h"
#include "cli/output.h"
#include "io/output.h"
#include "io/shell.h"
#include "segue/internal.h"
#include "segue/learner.h"
#include "segue/learner_arms.h"
#include "segue/learner_refit.h"
#include "segue/stats.h"

#define MAX_STEPS  1000 /* by default, as in a replay */
#define MAX_LISTED 8    /* types whose weights are printed */

typedef struct settings {
    const char *method, *order, *out;
    uint64_t steps, models, seed;
    cli_log_settings log;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)

static const cli_option options[] = {
    {"out", 'o', CLI_TEXT, FIELD(out), "FILE", "save the learner to FILE (required)", 0, 0},
    {"method", 'M', CLI_TEXT, FIELD(method), "METHOD",
     "the learner, as in 'segue help policies' (default auto)", 0, 0},
    {"steps", 'n', CLI_INTEGER, FIELD(steps), "N",
     "steps per task (default: the median of the log)", 1, (double)SEGUE_MAX_HORIZON},
    {"models", 0, CLI_INTEGER, FIELD(models), "M", "number of models, for tucb", 1,
     SEGUE_MAX_MODELS},
    {"order", 0, CLI_TEXT, FIELD(order), "ORDER", "of tasks: file (default) or time", 0, 0},
    {"seed", 's', CLI_INTEGER, FIELD(seed), "S", "seed of the learner (default 1)", 0,
     9007199254740992.0},
    CLI_LOG_OPTIONS(settings, log),
};

/* The command under way. */
typedef struct learning {
    settings set;
    const char *path;
    log_read_options reading;
    bool by_time;
    segue_history history;
    size_t *order; /* n_tasks: which task comes next */
    segue_learner *learner;
} learning;

/* ---- reading ----------------------------------------------------------------------------- */

static segue_status check_settings(learning *l, segue_error *err)
{
    const char *order = l->set.order;
    l->by_time = order && strcmp(order, "time") == 0;
    if (!l->path)
        return segue_fail(err, SEGUE_EUSAGE, "give a log; see 'segue help learn'");
    if (!l->set.out)
        return segue_fail(err, SEGUE_EUSAGE, "name the file of the learner: --out tutor.segue");
    if (!cli_output_path(l->set.out))
        return segue_fail(err, SEGUE_EUSAGE,
                          "--out is the standard output; need a file, as the summary goes there");
    if (order && !l->by_time && strcmp(order, "file") != 0)
        return segue_fail(err, SEGUE_ENAME, "--order is '%.40s'; need file or time", order);
    if (order)
        SEGUE_TRY(cli_log_tally_check_order(l->path, order, "remove it", err));
    const cli_path paths[] = {{"out", l->set.out}, {NULL, l->path}};
    return cli_output_check_paths(paths, 1, 2, err);
}

static segue_status order_tasks(learning *l, segue_error *err)
{
    l->order = calloc(l->history.n_tasks, sizeof *l->order);
    if (!l->order)
        return segue_fail_no_memory(err, "the order of the tasks");
    for (size_t i = 0; i < l->history.n_tasks; i++)
        l->order[i] = i;
    if (!l->by_time)
        return SEGUE_OK;
    if (!l->history.time)
        return segue_fail(err, SEGUE_EUSAGE,
                          "%s: has no column 'time', which --order time needs; name it with --time",
                          segue_path_tail(l->path));
    return segue_history_order_by_time(&l->history, l->order, err);
}

static segue_status read_log(learning *l, segue_error *err)
{
    SEGUE_TRY(cli_log_options_parse(&l->set.log, &l->reading, err));
    l->reading.time = l->by_time;
    SEGUE_TRY(cli_log_tally_read_history(&l->history, l->path, &l->set.log, &l->reading,
                                         l->set.seed, err));
    cli_log_tally_report(l->path, &l->history);
    return order_tasks(l, err);
}

/* ---- learning ---------------------------------------------------------------------------- */

/* The median number of rewards per task, as `segue replay` plays. */
static segue_status median_steps(const segue_history *history, uint64_t *out, segue_error *err)
{
    double *rows = calloc(history->n_tasks, sizeof *rows);
    if (!rows)
        return segue_fail_no_memory(err, "the tasks of a log");
    for (size_t i = 0; i < history->n_tasks; i++)
        rows[i] = (double)(history->start[i + 1] - history->start[i]);
    const double median = floor(segue_stats_quantile(rows, history->n_tasks, 0.5));
    free(rows);
    *out = (uint64_t)fmin(MAX_STEPS, fmax(1.0, median));
    return SEGUE_OK;
}

static segue_status create(learning *l, segue_error *err)
{
    segue_learner_config config = segue_learner_defaults();
    if (l->set.steps == 0)
        SEGUE_TRY(median_steps(&l->history, &l->set.steps, err));
    config.n_arms = l->history.n_arms;
    config.n_models = (size_t)l->set.models;
    config.horizon = l->set.steps;
    config.lowest = l->reading.lowest;
    config.highest = l->reading.highest;
    config.seed = l->set.seed;
    SEGUE_TRY(segue_learner_config_parse(&config, l->set.method, err));
    SEGUE_TRY(segue_learner_create(&l->learner, &config, err));
    return segue_learner_name_arms(l->learner, l->history.arm_name, err);
}

/* Rewards were mapped to [0, 1] when the log was read. */
static double in_range(const learning *l, double reward)
{
    const double low = l->reading.lowest, high = l->reading.highest;
    return fmin(high, fmax(low, low + (high - low) * reward));
}

static segue_status learn_task(learning *l, size_t index, segue_error *err)
{
    const segue_history *history = &l->history;
    segue_task *task = NULL;
    SEGUE_TRY(segue_learner_open_task(l->learner, &task, err));
    for (size_t i = history->start[index]; i < history->start[index + 1]; i++)
        SEGUE_TRY(
            segue_task_tell(task, history->row[i].arm, in_range(l, history->row[i].reward), err));
    return segue_learner_close_task(l->learner, &task, err);
}

static segue_status learn_all(learning *l, segue_error *err)
{
    SEGUE_TRY(create(l, err));
    for (size_t i = 0; i < l->history.n_tasks; i++)
        SEGUE_TRY(learn_task(l, l->order[i], err));
    SEGUE_TRY(segue_learner_refit_fully(l->learner, err));
    return segue_learner_save(l->learner, l->set.out, err);
}

/* ---- the summary ------------------------------------------------------------------------- */

static void print_types(const segue_type_list *found, FILE *out)
{
    const size_t listed = found->n_types < MAX_LISTED ? found->n_types : MAX_LISTED;
    (void)fprintf(out, "types    %zu, with the shares", found->n_types);
    for (size_t i = 0; i < listed; i++)
        (void)fprintf(out, " %.3f", found->weight[i]);
    (void)fprintf(out, "%s; %.1f %% of tasks fit none\n", listed < found->n_types ? " ..." : "",
                  100.0 * found->no_type);
}

/* Print what was found, if the method finds anything. */
static segue_status print_found(const learning *l, FILE *out, segue_error *err)
{
    const segue_learner_method *method =
        segue_learner_method_find(segue_learner_get_config(l->learner)->method);
    segue_type_list found;
    SEGUE_TRY(segue_learner_types(l->learner, &found, err));
    if (found.n_types > 0)
        print_types(&found, out);
    else if (method->has_types || method->has_models)
        (void)fputs("types    none found: new tasks start without a shared prior\n", out);
    else if (method->without_transfer)
        (void)fputs("types    none: the method learns nothing over tasks\n", out);
    segue_type_list_fini(&found);
    return SEGUE_OK;
}

/* The name of the file without folders and extension is a good one for the learner. */
static void name_learner(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    (void)snprintf(out, size, "%.*s", dot && dot > base ? (int)(dot - base) : (int)strlen(base),
                   base);
}

static segue_status print_next(const learning *l, FILE *out, segue_error *err)
{
    char name[SEGUE_MAX_ARM_NAME + 1];
    name_learner(l->set.out, name, sizeof name);
    char *learner = segue_shell_quote(name, false), *file = segue_shell_quote(l->set.out, true);
    const bool fine = learner && file;
    if (fine)
        (void)fprintf(out,
                      "\nTo serve it:\n  segue serve --store sqlite:segue.db &\n"
                      "  segue learners %s --from %s\n",
                      learner, file);
    free(learner);
    free(file);
    return fine ? SEGUE_OK : segue_fail_no_memory(err, "a file name");
}

static segue_status print_summary(const learning *l, FILE *out, segue_error *err)
{
    char method[256] = "";
    const segue_learner_config *config = segue_learner_get_config(l->learner);
    (void)segue_learner_config_format(config, method, sizeof method);
    (void)fprintf(out, "log      %zu tasks, %zu rewards, %zu arms\n", l->history.n_tasks,
                  l->history.n_rows, l->history.n_arms);
    (void)fprintf(out, "learner  %s, %" PRIu64 " steps per task\n", method, config->horizon);
    SEGUE_TRY(print_found(l, out, err));
    (void)fprintf(out, "saved    %s\n", l->set.out);
    return print_next(l, out, err);
}

static segue_status summarize(const learning *l, segue_error *err)
{
    segue_output output;
    SEGUE_TRY(segue_output_init(&output, err));
    segue_status status = print_summary(l, output.stream, err);
    if (status == SEGUE_OK)
        status = cli_output_send(&output, NULL, err);
    segue_output_fini(&output);
    return status;
}

/* ---- the command ------------------------------------------------------------------------- */

static segue_status run_all(learning *l, int argc, char **argv, segue_error *err)
{
    SEGUE_TRY(cli_options_parse_operand(options, sizeof options / sizeof *options, argc, argv,
                                        &l->set, &l->path, err));
    SEGUE_TRY(check_settings(l, err));
    SEGUE_TRY(read_log(l, err));
    SEGUE_TRY(learn_all(l, err));
    return summarize(l, err);
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    learning l = {.set = {.method = "auto", .seed = 1}};
    const segue_status status = run_all(&l, argc, argv, err);
    segue_learner_destroy(l.learner);
    free(l.order);
    segue_history_fini(&l.history);
    return status;
}

const cli_command cli_command_learn = {
    .name = "learn",
    .summary = "learn from the tasks of a log, and save the learner",
    .usage = "learn [OPTIONS] LOG --out FILE",
    .details = "Each task of the log is told its rewards, as if the learner had pulled these\n"
               "arms.  The log may come from any policy, and needs no probabilities.  'segue\n"
               "replay' says which METHOD pays on the log, and for how many steps per task.\n\n"
               "A tally ('segue tally') is read in place of a log if its rewards are all the\n"
               "lowest or the highest of --range.  Its tasks come in the order of their names,\n"
               "and the rewards of a task in random order.\n\n"
               "The file has the learner and the names of its arms.  A service starts with it\n"
               "('segue learners NAME --from FILE'), and so does a program with the library\n"
               "(segue_learner_load).  An existing FILE is replaced.\n\n"
               "examples:\n"
               "  segue learn log.csv --out tutor.segue\n"
               "  segue learn log.csv --out tutor.segue --method tla:cap=1 --steps 30\n"
               "  segue learn --task user --arm variant --reward click ab.csv --out ab.segue\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
