/* estimate.c - `segue estimate`: a model set, or types, from a log of rewards.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/commands/estimate.h"
#include "cli/table.h"
#include "io/json_build.h"
#include "io/models_file.h"
#include "segue/number.h"

#define FIELD(name) .offset = offsetof(estimate_settings, name)

static const cli_option options[] = {
    {"method", 'M', CLI_TEXT, FIELD(method), "NAME", "rtp (default), algorithm-b, eca, em or types",
     0, 0},
    {"types", 'k', CLI_INTEGER, FIELD(types), "M", "how many models to look for; types: a hint", 1,
     SEGUE_MAX_ESTIMATED},
    {"window", 'w', CLI_INTEGER, FIELD(window), "W", "em, types: the last W tasks (default 65536)",
     SEGUE_MIN_WINDOW, SEGUE_MAX_WINDOW},
    {"views", 0, CLI_TEXT, FIELD(views), "HOW", "pairs in M2: symmetric (default) or paper", 0, 0},
    {"weights", 0, CLI_TEXT, FIELD(weights), "HOW", "least-squares (default) or lambda", 0, 0},
    {"alpha0", 0, CLI_NUMBER, FIELD(alpha0), "A", "eca: tasks mix models, Dirichlet(A)", 0, 1e6},
    {"starts", 'L', CLI_INTEGER, FIELD(starts), "L", "rtp, em: random starts (default 24)", 1,
     1000},
    {"steps", 'N', CLI_INTEGER, FIELD(steps), "N", "rtp, em: iterations (default 40)", 1, 1000},
    {"lowest", 0, CLI_NUMBER, FIELD(lowest), "X", "the least reward there can be (default 0)",
     -1e15, 1e15},
    {"highest", 0, CLI_NUMBER, FIELD(highest), "X", "and the largest (default 1)", -1e15, 1e15},
    {"seed", 's', CLI_INTEGER, FIELD(seed), "S", "seed of the random starts (default 1)", 0,
     9007199254740992.0},
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT", "table (default), csv or json", 0, 0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FILE", "write there, not to the standard output ('-')", 0,
     0},
    {"threads", 't', CLI_INTEGER, FIELD(threads), "T", "taken, and without effect: one is enough",
     1, 1024},
    {"quiet", 'q', CLI_FLAG, FIELD(quiet), NULL, "taken, and without effect: it is short", 0, 0},
};

/* ---- working it out ---------------------------------------------------------------------- */

static segue_status parse_choice(const char *option, const char *text, const char *first,
                                 const char *second, int *out, segue_error *err)
{
    *out = strcmp(text, second) == 0;
    if (*out || strcmp(text, first) == 0)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_ENAME, "--%s: there is no '%.40s'; need %s or %s", option, text,
                      first, second);
}

static bool is_of_types(const study *st)
{
    return strcmp(st->set.method, "types") == 0;
}

static bool is_em(const study *st)
{
    return strcmp(st->set.method, "em") == 0;
}

/* What is given must have an effect on the method. */
static segue_status check_methods(const estimate_settings *set, segue_error *err)
{
    const struct {
        const char *option;
        bool given;
        const char *methods;
    } all[] = {{"window", set->window != 0, "em and types"},
               {"views", set->views != NULL, "rtp, algorithm-b, eca and em"},
               {"weights", set->weights != NULL, "rtp, eca and em"},
               {"alpha0", set->alpha0 > 0.0, "eca"},
               {"starts", set->starts != 0, "rtp and em"},
               {"steps", set->steps != 0, "rtp and em"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].given && !strstr(all[i].methods, set->method))
            return segue_fail(err, SEGUE_EUSAGE, "--%s goes with --method %s, not with %.40s",
                              all[i].option, all[i].methods, set->method);
    return SEGUE_OK;
}

static segue_status set_defaults(study *st, segue_error *err)
{
    estimate_settings *set = &st->set;
    set->window = set->window ? set->window : SEGUE_MAX_WINDOW;
    set->starts = set->starts ? set->starts : 24;
    set->steps = set->steps ? set->steps : 40;
    set->views = set->views ? set->views : "symmetric";
    set->weights = set->weights ? set->weights : "least-squares";
    const segue_status status =
        parse_choice("views", set->views, "paper", "symmetric", &st->symmetric, err);
    if (status != SEGUE_OK)
        return status;
    return parse_choice("weights", set->weights, "least-squares", "lambda", &st->lambda, err);
}

static segue_status check_settings(const study *st, segue_error *err)
{
    if (!st->path)
        return segue_fail(err, SEGUE_EUSAGE,
                          "give a log, LOG.csv; 'segue help estimate' tells more");
    if (st->set.types == 0 && !is_of_types(st))
        return segue_fail(err, SEGUE_EUSAGE, "give --types M, how many models to look for");
    const cli_path paths[] = {{"out", st->set.out}, {NULL, st->path}};
    return cli_output_check_paths(paths, 1, 2, err);
}

static void leave_out(study *st, size_t task)
{
    if (st->left_out < NAMED)
        st->left_out_name[st->left_out] = st->log.tasks[task].name;
    st->left_out++;
}

static segue_status add_tasks(study *st, segue_error *err)
{
    double *views = calloc(3 * st->log.n_arms, sizeof *views);
    segue_status status = SEGUE_OK;
    if (!views)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", st->log.n_arms);
    for (size_t task = 0; task < st->log.n_tasks && status == SEGUE_OK; task++) {
        segue_log_counts(&st->log, task, views, views + st->log.n_arms);
        status = segue_estimator_add(st->estimator, views, views + st->log.n_arms, err);
        if (status == SEGUE_OK && segue_log_views(&st->log, task, views))
            status = segue_moments_add(st->moments, views, 1.0, err);
        else if (!is_em(st)) /* which does with fewer rewards */
            leave_out(st, task);
    }
    free(views);
    return status;
}

static segue_status estimate(study *st, segue_error *err)
{
    segue_estimator_config config = segue_estimator_defaults();
    config.method = st->set.method;
    config.n_arms = st->log.n_arms;
    config.n_models = st->set.types;
    config.starts = st->set.starts;
    config.steps = st->set.steps;
    config.alpha0 = st->set.alpha0;
    config.window = st->set.window;
    config.seed = st->set.seed;
    config.weights = st->lambda ? SEGUE_WEIGHTS_LAMBDA : SEGUE_WEIGHTS_LEAST_SQUARES;
    segue_status status = segue_estimator_create(&st->estimator, &config, err);
    if (status == SEGUE_OK)
        status =
            segue_moments_create(&st->moments, st->log.n_arms,
                                 st->symmetric ? SEGUE_VIEWS_SYMMETRIC : SEGUE_VIEWS_PAPER, err);
    if (status == SEGUE_OK)
        status = add_tasks(st, err);
    if (status == SEGUE_OK)
        status = segue_estimator_fit(st->estimator, st->moments, err);
    if (status == SEGUE_OK && st->format == CLI_CSV && !segue_estimator_models(st->estimator))
        status = segue_fail(err, SEGUE_EDOMAIN, "%s: there is no model set to print: %s", st->path,
                            segue_estimator_info(st->estimator).verdict);
    return status;
}

static bool are_numbers(const segue_log *log)
{
    double ignored;
    for (size_t arm = 0; arm < log->n_arms; arm++)
        if (segue_number_parse_double(log->arm_name[arm], &ignored, NULL) != SEGUE_OK)
            return false;
    return true;
}

/* The arms of a model set must have names that its readers take. */
static segue_status check_names(const study *st, segue_error *err)
{
    for (size_t arm = 0; arm < st->log.n_arms && st->format == CLI_CSV && !st->numbers; arm++) {
        const char *wrong = segue_models_file_arm_problem(st->log.arm_name[arm]);
        if (wrong)
            return segue_fail(err, SEGUE_EPARSE, "%s: arm '%.60s' cannot head a model set: %s",
                              st->path, st->log.arm_name[arm], wrong);
    }
    return SEGUE_OK;
}

static segue_status study_init(study *st, int argc, char **argv, segue_error *err)
{
    *st = (study){.set = {.method = "rtp", .format = "table", .seed = 1, .highest = 1.0}};
    segue_status status = cli_options_parse_operand(options, sizeof options / sizeof *options, argc,
                                                    argv, &st->set, &st->path, err);
    st->set.out = cli_output_path(st->set.out);
    if (status == SEGUE_OK)
        status = cli_output_parse_format(st->set.format, &st->format, err);
    if (status == SEGUE_OK)
        status = check_methods(&st->set, err);
    if (status == SEGUE_OK)
        status = set_defaults(st, err);
    if (status == SEGUE_OK)
        status = check_settings(st, err);
    if (status == SEGUE_OK)
        status = segue_log_read(&st->log, st->path, st->set.lowest, st->set.highest, err);
    if (status != SEGUE_OK)
        return status;
    st->numbers = are_numbers(&st->log);
    status = check_names(st, err);
    if (status != SEGUE_OK)
        return status;
    return is_of_types(st) ? cli_estimate_types(st, err) : estimate(st, err);
}

static void study_fini(study *st)
{
    segue_estimator_destroy(st->estimator);
    segue_moments_destroy(st->moments);
    segue_types_destroy(st->types);
    segue_log_fini(&st->log);
}

/* ---- printing ---------------------------------------------------------------------------- */

/* A mean as a person should see it: cut to [0, 1], then in the range of the rewards. */
static double shown(const study *st, size_t model, size_t arm)
{
    const double mean = segue_models_row(segue_estimator_models(st->estimator), model)[arm];
    return cli_estimate_scale_mean(st, fmin(1.0, fmax(0.0, mean)));
}

double cli_estimate_scale_mean(const study *st, double mean)
{
    return st->set.lowest + mean * (st->set.highest - st->set.lowest);
}

void cli_estimate_print_header(const study *st, FILE *out)
{
    fputs("weight", out);
    for (size_t arm = 0; arm < st->log.n_arms; arm++) {
        fputs(st->numbers ? ",arm " : ",", out); /* a header of numbers would not be one */
        segue_output_csv_text(out, st->log.arm_name[arm]);
    }
    fputc('\n', out);
}

json_t *cli_estimate_arm_names(const study *st)
{
    json_t *arms = json_array();
    for (size_t arm = 0; arm < st->log.n_arms; arm++)
        arms = segue_json_append(arms, json_string(st->log.arm_name[arm]));
    return arms;
}

static void print_csv(const void *found, FILE *out)
{
    const study *st = found;
    const segue_models *models = segue_estimator_models(st->estimator);
    cli_estimate_print_header(st, out);
    for (size_t k = 0; k < models->n_models; k++) {
        segue_output_csv_number(out, models->weight[k]);
        for (size_t arm = 0; arm < models->n_arms; arm++) {
            const double mean = segue_models_row(models, k)[arm];
            fputc(',', out);
            segue_output_csv_number(out, fmin(1.0, fmax(0.0, mean)));
        }
        fputc('\n', out);
    }
}

static json_t *json_models(const study *st)
{
    const segue_models *models = segue_estimator_models(st->estimator);
    json_t *list = json_array();
    for (size_t k = 0; models && k < models->n_models; k++) {
        json_t *means = json_array();
        for (size_t arm = 0; arm < models->n_arms; arm++)
            means = segue_json_append(means, segue_json_number(shown(st, k, arm)));
        list = segue_json_append(
            list, json_pack("{s:I, s:o, s:o, s:o}", "model", (json_int_t)k + 1, "weight",
                            segue_json_number(models->weight[k]), "means", means, "uncut",
                            segue_json_numbers(segue_models_row(models, k), models->n_arms)));
    }
    return list;
}

static json_t *make_json(const void *found)
{
    const study *st = found;
    const segue_estimate_info info = segue_estimator_info(st->estimator);
    json_t *left_out = json_array();
    for (size_t i = 0; i < NAMED && i < st->left_out; i++)
        left_out = segue_json_append(left_out, json_string(st->left_out_name[i]));
    json_t *diagnostics = json_pack(
        "{s:s, s:b, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:I}", "verdict", info.verdict, "found",
        info.found, "tasks", (json_int_t)info.n_tasks, "eigenvalues",
        segue_json_numbers(info.n_tasks ? info.eigenvalue : NULL, info.n_eigenvalues), "lambdas",
        segue_json_numbers(info.found ? info.lambda : NULL, info.n_models), "noise",
        segue_json_number(info.noise), "residual", segue_json_number(info.residual), "weight_sum",
        segue_json_number(info.weight_sum), "iterations", (json_int_t)info.iterations, "starts",
        (json_int_t)info.starts);
    if (is_em(st)) {
        diagnostics =
            segue_json_set(diagnostics, "log_likelihood", segue_json_number(info.log_likelihood));
        diagnostics = segue_json_set(diagnostics, "certainty", segue_json_number(info.certainty));
    }
    return json_pack("{s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "method", st->set.method, "rows",
                     (json_int_t)st->log.n_rows, "tasks", (json_int_t)st->log.n_tasks, "skipped",
                     (json_int_t)st->left_out, "skipped_names", left_out, "arms",
                     cli_estimate_arm_names(st), "models", json_models(st), "diagnostics",
                     diagnostics);
}

/* One row an arm, one column a model; those that do not fit are left to the other formats. */
static segue_status print_models(const study *st, FILE *out, segue_error *err)
{
    const segue_models *models = segue_estimator_models(st->estimator);
    cli_table table;
    segue_status status = cli_table_init(&table, models->n_arms + 2, models->n_models + 1, err);
    if (status != SEGUE_OK)
        return status;
    cli_table_set(&table, 0, 0, "arm");
    cli_table_set(&table, 1, 0, "(weight)");
    for (size_t arm = 0; arm < models->n_arms; arm++)
        cli_table_name(&table, arm + 2, 0, st->log.arm_name[arm], 16);
    for (size_t k = 0; k < models->n_models; k++) {
        cli_table_set(&table, 0, k + 1, "model %zu", k + 1);
        cli_table_number(&table, 1, k + 1, models->weight[k], 3);
        for (size_t arm = 0; arm < models->n_arms; arm++)
            cli_table_number(&table, arm + 2, k + 1, shown(st, k, arm), 3);
    }
    size_t columns = table.columns;
    while (columns > 2 && cli_table_width(&table, columns) > CLI_TERMINAL_WIDTH)
        columns--;
    status = cli_table_print(&table, columns, out, cli_output_bold(st->set.out), err);
    if (columns < table.columns)
        fprintf(out, "\n(--format csv and json tell all %zu models)\n", models->n_models);
    cli_table_fini(&table);
    return status;
}

static void print_diagnostics(const study *st, FILE *out)
{
    const segue_estimate_info info = segue_estimator_info(st->estimator);
    fprintf(out, "\n%s\n", info.verdict);
    if (info.found && is_em(st))
        fprintf(out, "log-likelihood %.10g, %" PRIu64 " iterations from %" PRIu64 " starts\n",
                info.log_likelihood, info.iterations, info.starts);
    else if (info.found)
        fprintf(out,
                "residual %.3g, sum of 1/lambda^2 %.3f, %" PRIu64 " iterations from %" PRIu64
                " starts\n",
                info.residual, info.weight_sum, info.iterations, info.starts);
    if (is_em(st))
        cli_estimate_print_truncated(st, out);
    if (st->left_out == 0)
        return;
    fprintf(out, "left out: %" PRIu64 " tasks with fewer than three rewards of some arm (",
            st->left_out);
    for (size_t i = 0; i < NAMED && i < st->left_out; i++)
        fprintf(out, "%s%.20s", i ? ", " : "", st->left_out_name[i]);
    fprintf(out, "%s)\n", st->left_out > NAMED ? ", .." : "");
}

static segue_status print_table(const void *found, FILE *out, segue_error *err)
{
    const study *st = found;
    fprintf(out, "%zu models by %s from %" PRIu64 " rewards, %zu tasks, %zu arms\n",
            (size_t)st->set.types, st->set.method, st->log.n_rows, st->log.n_tasks, st->log.n_arms);
    segue_status status = SEGUE_OK;
    if (segue_estimator_models(st->estimator)) {
        fputc('\n', out);
        status = print_models(st, out, err);
    }
    print_diagnostics(st, out);
    return status;
}

void cli_estimate_print_truncated(const study *st, FILE *out)
{
    if (st->log.n_tasks > st->set.window)
        fprintf(out, "only the last %" PRIu64 " of %zu tasks were fitted (--window)\n",
                st->set.window, st->log.n_tasks);
}

static const cli_printers printers = {.table = print_table, .csv = print_csv, .json = make_json};

static segue_status run(int argc, char **argv, segue_error *err)
{
    study st;
    segue_status status = study_init(&st, argc, argv, err);
    if (status == SEGUE_OK)
        status = cli_output_print(is_of_types(&st) ? &cli_estimate_types_printers : &printers, &st,
                                  st.format, st.set.out, err);
    study_fini(&st);
    return status;
}

const cli_command cli_command_estimate = {
    .name = "estimate",
    .summary = "learns a model set, or types, from a log of rewards",
    .usage = "estimate (--types M | --method types) [OPTIONS] LOG.csv",
    .details = "The log is CSV with a header and the columns task, arm and reward, or JSON Lines\n"
               "with these keys; gzip and zstd are read too ('-': standard input).  Rows come in\n"
               "any order, and other columns are passed over: 'segue help logs'.  Rewards are\n"
               "not kept: each goes to one of three batches of its task and arm, in turn.  A\n"
               "task with fewer than three rewards of some arm is left out, and counted; but\n"
               "em and types take it, and learn from sums and pulls, by likelihood.\n\n"
               "rtp, algorithm-b, eca and em find M models.  types finds how many types there\n"
               "are, how far the tasks of each differ (the standard deviation of their means),\n"
               "and which tasks fit none; JSON also tells what each task was taken for.  Of more\n"
               "than 65,536 tasks em and types fit the last ones, and say so.\n\n"
               "The verdict is 'good', 'weak' (the last eigenvalue is within its noise: get more\n"
               "tasks, or look for fewer types) or 'none'.  Other commands can read the CSV,\n"
               "whose means are mapped to 0 .. 1.  More than about 1,000 arms take long.\n\n"
               "examples:\n"
               "  segue estimate --types 5 log.csv\n"
               "  segue estimate --types 5 --method em --format csv --out models.csv log.csv\n"
               "  segue estimate --method types log.csv\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
