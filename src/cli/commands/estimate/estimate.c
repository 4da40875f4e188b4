/* estimate.c - `segue estimate`: learn a model set, or types, from a log of rewards.
 *
 * The log is read once.  Estimators receive three views of each task (averages of three batches of
 * its rewards per arm), those that fit counts also its sums and pulls.  "types" is not an
 * estimator: it fits the mixture that learners of types use (estimate_types.c).
 *
 * The struct cli_estimate (estimate.h) has the options, the log and the fit; run owns it.
 * estimate_print.c prints models, estimate_types.c fits and prints types. Rewards are scaled to
 * 0 .. 1 while the log is read; printing scales means back.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/commands/estimate/estimate.h"
#include "io/models_file.h"
#include "segue/number.h"

#define FIELD(name) .offset = offsetof(cli_estimate_settings, name)

static const cli_option options[] = {
    {"method", 'M', CLI_TEXT, FIELD(method), "NAME", "method (default rtp), one of those below", 0,
     0},
    {"assign", 0, CLI_FLAG, FIELD(assign), NULL, "the type of each task, by method types", 0, 0},
    {"types", 'k', CLI_INTEGER, FIELD(types), "M", "number of models; with types: a hint", 1,
     SEGUE_MAX_ESTIMATED},
    {"window", 'w', CLI_INTEGER, FIELD(window), "W", "em, types: the last W tasks (default 65536)",
     SEGUE_MIN_WINDOW, SEGUE_MAX_WINDOW},
    {"views", 0, CLI_TEXT, FIELD(views), "HOW", "pairs in M2: symmetric (default) or paper", 0, 0},
    {"batches", 0, CLI_TEXT, FIELD(batches), "HOW", "interleaved (default) or consecutive", 0, 0},
    {"weights", 0, CLI_TEXT, FIELD(weights), "HOW", "least-squares (default) or lambda", 0, 0},
    {"alpha0", 0, CLI_NUMBER, FIELD(alpha0), "A", "eca: tasks mix models, Dirichlet(A)", 0, 1e6},
    {"starts", 'L', CLI_INTEGER, FIELD(starts), "L", "rtp, em: random starts (default 24)", 1,
     1000},
    {"steps", 'N', CLI_INTEGER, FIELD(steps), "N", "rtp, em: iterations (default 40)", 1, 1000},
    CLI_LOG_OPTIONS(cli_estimate_settings, log),
    {"seed", 's', CLI_INTEGER, FIELD(seed), "S", "seed of the random starts (default 1)", 0,
     9007199254740992.0},
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT", "table (default), csv or json", 0, 0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FILE", "write to FILE (default '-': standard output)", 0,
     0},
};

/* ---- options and methods ----------------------------------------------------------------- */

/* The settings that only some methods use. */
typedef enum setting {
    WINDOW,
    ASSIGN,
    VIEWS,
    BATCHES,
    WEIGHTS,
    ALPHA0,
    STARTS,
    STEPS,
    N_SETTINGS
} setting;

/* True if the method uses a setting; NULL is the method "types". */
static bool uses(const segue_estimator_method *method, setting which)
{
    if (!method)
        return which == WINDOW || which == ASSIGN;
    const bool used[N_SETTINGS] = {method->uses_counts,
                                   false,
                                   true,
                                   true,
                                   method->uses_weights,
                                   method->uses_alpha0,
                                   method->uses_starts,
                                   method->uses_starts};
    return used[which];
}

/* "em or types": the methods that use a setting. */
static void list_users(setting which, char *text, size_t size)
{
    size_t count = 0, total = 0, i = 0;
    *text = '\0';
    while (segue_estimator_methods(i))
        total += uses(segue_estimator_methods(i++), which);
    total += uses(NULL, which);
    for (size_t k = 0; k <= i; k++) {
        const segue_estimator_method *method = segue_estimator_methods(k);
        const size_t used = strlen(text);
        if (!uses(method, which))
            continue;
        const char *separator = count == 0 ? "" : count + 1 == total ? " or " : ", ";
        (void)snprintf(text + used, size - used, "%s%s", separator,
                       method ? method->name : CLI_ESTIMATE_TYPES);
        count++;
    }
}

/* All estimators use views: the list of its users names every estimator. */
static segue_status find_method(cli_estimate *e, segue_error *err)
{
    char users[200];
    e->method = segue_estimator_method_find(e->set.method);
    if (e->method || strcmp(e->set.method, CLI_ESTIMATE_TYPES) == 0)
        return SEGUE_OK;
    list_users(VIEWS, users, sizeof users);
    return segue_fail(err, SEGUE_ENAME,
                      "--method: there is no estimator '%.40s'; need %s, or " CLI_ESTIMATE_TYPES,
                      e->set.method, users);
}

/* Reject a setting that the method does not use. */
static segue_status check_uses(const cli_estimate *e, segue_error *err)
{
    static const char *const name[N_SETTINGS] = {"window",  "assign", "views",  "batches",
                                                 "weights", "alpha0", "starts", "steps"};
    const cli_estimate_settings *set = &e->set;
    const bool is_given[N_SETTINGS] = {
        set->window != 0,     set->assign,       set->views != NULL, set->batches != NULL,
        set->weights != NULL, set->alpha0 > 0.0, set->starts != 0,   set->steps != 0};
    for (size_t i = 0; i < N_SETTINGS; i++) {
        char users[200];
        if (!is_given[i] || uses(e->method, (setting)i))
            continue;
        list_users((setting)i, users, sizeof users);
        return segue_fail(err, SEGUE_EUSAGE, "--%s needs --method %s; %.40s does not use it",
                          name[i], users, set->method);
    }
    return SEGUE_OK;
}

/* *out is 1 for the second choice. */
static segue_status parse_choice(const char *option, const char *text, const char *first,
                                 const char *second, int *out, segue_error *err)
{
    *out = strcmp(text, second) == 0;
    if (*out || strcmp(text, first) == 0)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_ENAME, "--%s: there is no '%.40s'; need %s or %s", option, text,
                      first, second);
}

/* 0 and NULL stand for "not given", which check_uses needed to know before. */
static segue_status fill_defaults(cli_estimate *e, segue_error *err)
{
    cli_estimate_settings *set = &e->set;
    set->window = set->window ? set->window : SEGUE_MAX_WINDOW;
    set->starts = set->starts ? set->starts : 24;
    set->steps = set->steps ? set->steps : 40;
    set->views = set->views ? set->views : "symmetric";
    set->batches = set->batches ? set->batches : "interleaved";
    set->weights = set->weights ? set->weights : "least-squares";
    SEGUE_TRY(parse_choice("views", set->views, "paper", "symmetric", &e->symmetric, err));
    SEGUE_TRY(
        parse_choice("batches", set->batches, "interleaved", "consecutive", &e->consecutive, err));
    return parse_choice("weights", set->weights, "least-squares", "lambda", &e->lambda, err);
}

/* Every method but types needs the number of models. */
static segue_status check_settings(const cli_estimate *e, segue_error *err)
{
    if (!e->path)
        return segue_fail(err, SEGUE_EUSAGE, "give a log, LOG.csv; see 'segue help estimate'");
    if (e->set.types == 0 && e->method)
        return segue_fail(err, SEGUE_EUSAGE, "give --types M, the number of models to estimate");
    const cli_path paths[] = {{"out", e->set.out}, {NULL, e->path}};
    return cli_output_check_paths(paths, 1, 2, err);
}

/* ---- the estimate ------------------------------------------------------------------------ */

/* Remember the first few names, for the message. */
static void skip(cli_estimate *e, size_t task)
{
    if (e->n_skipped < CLI_ESTIMATE_NAMED)
        e->skipped[e->n_skipped] = e->log.tasks[task].name;
    e->n_skipped++;
}

/* Add every task: its counts, and its views if each arm has three rewards.  A method that fits
 * counts alone needs no views. */
static segue_status add_tasks(cli_estimate *e, segue_error *err)
{
    double *views = calloc(3 * e->log.n_arms, sizeof *views);
    segue_status status = SEGUE_OK;
    if (!views)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", e->log.n_arms);
    for (size_t task = 0; task < e->log.n_tasks && status == SEGUE_OK; task++) {
        segue_log_counts(&e->log, task, views, views + e->log.n_arms);
        status = segue_estimator_add(e->estimator, views, views + e->log.n_arms, err);
        if (status == SEGUE_OK && segue_log_views(&e->log, task, views))
            status = segue_moments_add(e->moments, views, 1.0, err);
        else if (!e->method->uses_counts)
            skip(e, task);
    }
    free(views);
    return status;
}

/* Sort models by falling weight; equal ones stay in the order of the estimator. */
static segue_status order_models(cli_estimate *e, segue_error *err)
{
    const segue_models *models = segue_estimator_models(e->estimator);
    if (!models)
        return SEGUE_OK;
    e->by_weight = calloc(models->n_models, sizeof *e->by_weight);
    if (!e->by_weight)
        return segue_fail_no_memory(err, "the order of models");
    for (size_t k = 0; k < models->n_models; k++) {
        size_t at = k;
        for (; at > 0 && models->weight[e->by_weight[at - 1]] < models->weight[k]; at--)
            e->by_weight[at] = e->by_weight[at - 1];
        e->by_weight[at] = k;
    }
    return SEGUE_OK;
}

/* CSV needs models: without them it is an error, while table and JSON print the verdict. */
static segue_status estimate(cli_estimate *e, segue_error *err)
{
    segue_estimator_config config = segue_estimator_defaults();
    config.method = e->set.method;
    config.n_arms = e->log.n_arms;
    config.n_models = e->set.types;
    config.starts = e->set.starts;
    config.steps = e->set.steps;
    config.alpha0 = e->set.alpha0;
    config.window = e->set.window;
    config.seed = e->set.seed;
    config.weights = e->lambda ? SEGUE_WEIGHTS_LAMBDA : SEGUE_WEIGHTS_LEAST_SQUARES;
    const segue_views views = e->symmetric ? SEGUE_VIEWS_SYMMETRIC : SEGUE_VIEWS_PAPER;
    SEGUE_TRY(segue_estimator_create(&e->estimator, &config, err));
    SEGUE_TRY(segue_moments_create(&e->moments, e->log.n_arms, views, err));
    SEGUE_TRY(add_tasks(e, err));
    SEGUE_TRY(segue_estimator_fit(e->estimator, e->moments, err));
    if (e->format == CLI_CSV && !segue_estimator_models(e->estimator))
        return segue_fail(err, SEGUE_EDOMAIN, "%s: there is no model set to print: %s", e->path,
                          segue_estimator_info(e->estimator).verdict);
    return order_models(e, err);
}

/* True if all arms are named by numbers. */
static bool are_numbers(const segue_log *log)
{
    double ignored;
    for (size_t arm = 0; arm < log->n_arms; arm++)
        if (segue_number_parse_double(log->arm_name[arm], &ignored, NULL) != SEGUE_OK)
            return false;
    return true;
}

/* Check that the arms may head the columns of a model set, which other commands read. */
static segue_status check_names(const cli_estimate *e, segue_error *err)
{
    for (size_t arm = 0; arm < e->log.n_arms && e->format == CLI_CSV && !e->has_number_names;
         arm++) {
        const char *problem = segue_models_file_arm_problem(e->log.arm_name[arm]);
        if (problem)
            return segue_fail(err, SEGUE_EPARSE, "%s: arm '%.60s' cannot head a model set: %s",
                              e->path, e->log.arm_name[arm], problem);
    }
    return SEGUE_OK;
}

/* ---- the command ------------------------------------------------------------------------- */

/* A tally gives views if its rewards are 0 or 1; em and types can do without. */
static segue_status read_tally(cli_estimate *e, segue_error *err)
{
    segue_tally tally;
    SEGUE_TRY(cli_log_tally_read(&tally, e->path, &e->set.log, &e->reading, err));
    const bool needs_views = e->method && !e->method->uses_counts;
    const tally_log_options wanted = {.path = e->path,
                                      .views = e->method &&
                                               (needs_views || segue_tally_is_binary(&tally)),
                                      .consecutive = e->consecutive,
                                      .seed = e->set.seed};
    const segue_status status = segue_tally_make_log(&tally, &wanted, &e->log, err);
    segue_tally_fini(&tally);
    return status;
}

static segue_status read_input(cli_estimate *e, segue_error *err)
{
    e->is_tally = segue_tally_detect(e->path);
    if (e->is_tally)
        return read_tally(e, err);
    SEGUE_TRY((e->consecutive ? segue_log_read_consecutive : segue_log_read)(&e->log, e->path,
                                                                             &e->reading, err));
    cli_log_options_report(e->path, &e->log.rows.skipped);
    cli_log_options_report_range(e->path, &e->log.rows, &e->reading);
    return SEGUE_OK;
}

/* Options are checked before the log is read, which may take long. */
static segue_status init(cli_estimate *e, int argc, char **argv, segue_error *err)
{
    *e = (cli_estimate){.set = {.format = "table", .seed = 1}};
    SEGUE_TRY(cli_options_parse_operand(options, sizeof options / sizeof *options, argc, argv,
                                        &e->set, &e->path, err));
    e->set.out = cli_output_path(e->set.out);
    SEGUE_TRY(cli_output_parse_format(e->set.format, &e->format, err));
    if (!e->set.method)
        e->set.method = e->set.assign ? CLI_ESTIMATE_TYPES : "rtp";
    SEGUE_TRY(find_method(e, err));
    SEGUE_TRY(check_uses(e, err));
    SEGUE_TRY(fill_defaults(e, err));
    SEGUE_TRY(check_settings(e, err));
    SEGUE_TRY(cli_log_options_parse(&e->set.log, &e->reading, err));
    SEGUE_TRY(read_input(e, err));
    e->has_number_names = are_numbers(&e->log);
    SEGUE_TRY(check_names(e, err));
    return e->method ? estimate(e, err) : cli_estimate_types(e, err);
}

/* Also for an `e` that init has filled in part. */
static void fini(cli_estimate *e)
{
    segue_estimator_destroy(e->estimator);
    segue_moments_destroy(e->moments);
    segue_types_destroy(e->types);
    free(e->reward_weight);
    free(e->assigned);
    free(e->by_weight);
    segue_log_fini(&e->log);
}

static const cli_printers *choose_printers(const cli_estimate *e)
{
    if (e->set.assign)
        return &cli_estimate_assign_printers;
    return e->method ? &cli_estimate_printers : &cli_estimate_types_printers;
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    cli_estimate e;
    segue_status status = init(&e, argc, argv, err);
    if (status == SEGUE_OK)
        status = cli_output_print(choose_printers(&e), &e, e.format, e.set.out, err);
    fini(&e);
    return status;
}

/* For `segue help estimate`. */
static void print_methods(FILE *out)
{
    for (size_t i = 0; segue_estimator_methods(i); i++)
        fprintf(out, "  %-11s %s\n", segue_estimator_methods(i)->name,
                segue_estimator_methods(i)->summary);
    fprintf(out, "  %-11s %s\n", CLI_ESTIMATE_TYPES,
            "how many types there are, and their priors, by likelihood");
}

const cli_command cli_command_estimate = {
    .name = "estimate",
    .summary = "learn a model set, or types, from a log of rewards",
    .usage = "estimate (--types M | --method types | --assign) [OPTIONS] LOG.csv",
    .list_title = "methods:",
    .print_list = print_methods,
    .details = "The log is CSV with a header and the columns task, arm and reward, or JSON Lines\n"
               "with these keys; gzip and zstd are read too ('-': standard input).  Rows come in\n"
               "any order, and other columns are ignored: 'segue help logs'.  Each reward goes\n"
               "to one of three batches of its task and arm: interleaved, in turn; consecutive,\n"
               "as in the paper, the first third of its rows, the second, and the rest (this\n"
               "stores the rows while it reads).  A task with fewer than three rewards of some\n"
               "arm is skipped, and counted; but em and types use it, since they fit sums and\n"
               "pulls.\n\n"
               "All methods but types find M models.  types finds how many types there are, how\n"
               "far the tasks of each differ (the standard deviation of their means), and which\n"
               "tasks fit none; JSON also has the posterior of each task.  --assign prints the\n"
               "likeliest type of each task and its probability; type 0 is no type.  Types are\n"
               "numbered by weight, the largest first, as in replay and in the service.  Of more\n"
               "than 65,536 tasks em and types fit the last ones, and print that.\n\n"
               "The verdict is 'good', 'weak' (the last eigenvalue is within its noise: get more\n"
               "tasks, or estimate fewer models) or 'none'.  Other commands can read the CSV,\n"
               "whose means are mapped to 0 .. 1.  More than about 1,000 arms take long.\n\n"
               "A tally ('segue tally') is read in place of a log; tasks and arms are then in\n"
               "the order of their names.  It has no order of rewards: they go to batches at\n"
               "random, which is as good, if all are the lowest or the highest; other rewards\n"
               "need --method em or types.\n\n"
               "examples:\n"
               "  segue estimate --types 5 log.csv\n"
               "  segue estimate --types 5 --method em --format csv --out models.csv log.csv\n"
               "  segue estimate --method types log.csv\n"
               "  segue estimate --assign --format csv --out types.csv log.csv\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
