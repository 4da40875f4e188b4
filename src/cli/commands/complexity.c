/* complexity.c - `segue complexity`: gaps, sets, complexities and bounds of a model set.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/table.h"
#include "io/json_build.h"
#include "io/models_file.h"
#include "segue/policy.h"
#include "segue/theory.h"

typedef struct settings {
    const char *models, *estimated, *format, *out;
    uint64_t steps, tasks, seed, threads;
    double eps, delta, c3, c4;
    bool quiet;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)
#define TINY        1e-300
#define LIST_WIDTH  9 /* a list of models or arms in a table is cut behind this */

static const cli_option options[] = {
    {"models", 'm', CLI_TEXT, FIELD(models), "FILE", "the model set, CSV ('-': standard input)", 0,
     0},
    {"steps", 'n', CLI_INTEGER, FIELD(steps), "N", "steps a task, for the bounds (default 5000)", 1,
     1e12},
    {"delta", 0, CLI_NUMBER, FIELD(delta), "D", "probability of failure (default 1/N)", TINY, 1.0},
    {"tasks", 'j', CLI_INTEGER, FIELD(tasks), "J", "tasks, for Theorems 2 and 4 (default 5000)", 1,
     1e9},
    {"c3", 0, CLI_NUMBER, FIELD(c3), "C", "a constant Theorem 2 leaves open (default 1)", TINY,
     1e300},
    {"c4", 0, CLI_NUMBER, FIELD(c4), "C", "another one (default 1)", TINY, 1e300},
    {"estimated", 'e', CLI_TEXT, FIELD(estimated), "FILE",
     "estimates of the models, to see what they allow", 0, 0},
    {"eps", 0, CLI_NUMBER, FIELD(eps), "E", "how far each estimated mean may be off", 0, 1e9},
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT", "table (default), csv or json", 0, 0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FILE", "write there, not to the standard output ('-')", 0,
     0},
    /* Every command takes these; there is nothing here for them to do. */
    {"seed", 's', CLI_INTEGER, FIELD(seed), "S", "taken, and without effect: nothing is random", 0,
     9007199254740992.0},
    {"threads", 't', CLI_INTEGER, FIELD(threads), "T", "taken, and without effect: one is enough",
     1, 1024},
    {"quiet", 'q', CLI_FLAG, FIELD(quiet), NULL, "taken, and without effect: it is short", 0, 0},
};

/* What concerns one true model. */
typedef struct row {
    segue_known_sets *known;
    segue_estimated_sets *estimated; /* NULL without --estimated */
    double ucb, ucb_plus, mucb, tucb;
    double bound_umucb; /* NaN without --estimated */
} row;

typedef struct study {
    settings set;
    cli_format format;
    segue_models_file models, estimated;
    size_t *match; /* n_models, with --estimated */
    row *rows;     /* n_models */
    row average;
    segue_spectrum spectrum;
    segue_perturbation recovery;
    double delta, log_term, log_term_estimated;
    double error; /* the largest of an estimated mean, with --estimated */
} study;

static bool with_estimates(const study *st)
{
    return st->set.estimated != NULL;
}

/* ---- working it out ---------------------------------------------------------------------- */

static segue_status check_settings(const settings *set, segue_error *err)
{
    if (!set->models)
        return segue_fail(err, SEGUE_EUSAGE,
                          "give --models FILE; 'segue help complexity' tells more");
    if (set->estimated && !(set->eps >= 0.0))
        return segue_fail(err, SEGUE_EUSAGE, "--estimated needs --eps, how far it may be off");
    if (!set->estimated && set->eps >= 0.0)
        return segue_fail(err, SEGUE_EUSAGE, "--eps goes with --estimated");
    const cli_path paths[] = {
        {"out", set->out}, {"models", set->models}, {"estimated", set->estimated}};
    return cli_output_check_paths(paths, 1, 3, err);
}

static segue_status read_sets(study *st, segue_error *err)
{
    segue_status status =
        segue_models_file_read(&st->models, st->set.models, SEGUE_MODELS_KNOWN, err);
    if (status != SEGUE_OK || !with_estimates(st))
        return status;
    status = segue_models_file_read(&st->estimated, st->set.estimated, SEGUE_MODELS_ESTIMATED, err);
    if (status == SEGUE_OK && (st->estimated.models->n_arms != st->models.models->n_arms ||
                               st->estimated.models->n_models != st->models.models->n_models))
        status = segue_fail(err, SEGUE_EDOMAIN,
                            "%s: has %zu models of %zu arms, and %s has %zu of %zu; need the same",
                            st->set.estimated, st->estimated.models->n_models,
                            st->estimated.models->n_arms, st->set.models,
                            st->models.models->n_models, st->models.models->n_arms);
    return status;
}

static segue_status work_out_row(study *st, size_t k, segue_error *err)
{
    row *r = &st->rows[k];
    segue_status status = segue_known_sets_create(&r->known, st->models.models, k, err);
    if (status == SEGUE_OK && with_estimates(st))
        status = segue_estimated_sets_create(&r->estimated, st->models.models, st->estimated.models,
                                             st->match, st->set.eps, k, err);
    if (status != SEGUE_OK)
        return status;
    r->ucb = segue_complexity_ucb(r->known);
    r->ucb_plus = segue_complexity_ucb_plus(r->known);
    r->mucb = segue_complexity_mucb(r->known);
    r->tucb = r->bound_umucb = NAN;
    if (r->estimated) {
        r->tucb = segue_complexity_tucb(r->estimated);
        r->bound_umucb = segue_bound_regret_estimated(r->estimated, st->log_term_estimated);
    }

    const double weight = st->models.models->weight[k];
    st->average.ucb += weight * r->ucb;
    st->average.ucb_plus += weight * r->ucb_plus;
    st->average.mucb += weight * r->mucb;
    st->average.tucb += weight * r->tucb;
    st->average.bound_umucb += weight * r->bound_umucb;
    return SEGUE_OK;
}

/* How far the estimates really are from the models that they stand for. */
static double largest_error(const study *st)
{
    const segue_models *models = st->models.models;
    double error = 0.0;
    for (size_t k = 0; k < models->n_models; k++)
        for (size_t arm = 0; arm < models->n_arms; arm++)
            error = fmax(error, fabs(segue_models_row(st->estimated.models, k)[arm] -
                                     segue_models_row(models, st->match[k])[arm]));
    return error;
}

static segue_status work_out(study *st, segue_error *err)
{
    const segue_models *models = st->models.models;
    const double delta = isnan(st->set.delta) ? 1.0 / (double)st->set.steps : st->set.delta;
    st->delta = delta;
    st->log_term = segue_policy_log_term(models->n_models, st->set.steps, delta);
    st->log_term_estimated =
        segue_policy_log_term_estimated(models->n_models, models->n_arms, st->set.steps, delta);
    st->rows = calloc(models->n_models, sizeof *st->rows);
    st->match = calloc(models->n_models, sizeof *st->match);
    if (!st->rows || !st->match)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu models", models->n_models);
    segue_status status = SEGUE_OK;
    if (with_estimates(st))
        status = segue_models_match(st->estimated.models, models, st->match, err);
    if (with_estimates(st) && status == SEGUE_OK)
        st->error = largest_error(st);
    for (size_t k = 0; k < models->n_models && status == SEGUE_OK; k++)
        status = work_out_row(st, k, err);
    if (status == SEGUE_OK)
        status = segue_spectrum_compute(&st->spectrum, models, err);
    if (status == SEGUE_OK)
        st->recovery = segue_perturbation_bound(models, &st->spectrum, (double)st->set.tasks, delta,
                                                st->set.c3, st->set.c4);
    return status;
}

static segue_status study_init(study *st, int argc, char **argv, segue_error *err)
{
    *st = (study){.set = {.format = "table",
                          .steps = 5000,
                          .tasks = 5000,
                          .eps = NAN,
                          .delta = NAN,
                          .c3 = 1.0,
                          .c4 = 1.0}};
    segue_status status =
        cli_options_parse(options, sizeof options / sizeof *options, argc, argv, &st->set, err);
    st->set.out = cli_output_path(st->set.out);
    if (status == SEGUE_OK)
        status = cli_output_parse_format(st->set.format, &st->format, err);
    if (status == SEGUE_OK)
        status = check_settings(&st->set, err);
    if (status == SEGUE_OK)
        status = read_sets(st, err);
    if (status == SEGUE_OK)
        status = work_out(st, err);
    return status;
}

static void study_fini(study *st)
{
    for (size_t k = 0; st->rows && k < st->models.models->n_models; k++) {
        segue_known_sets_destroy(st->rows[k].known);
        segue_estimated_sets_destroy(st->rows[k].estimated);
    }
    free(st->rows);
    free(st->match);
    segue_models_file_fini(&st->models);
    segue_models_file_fini(&st->estimated);
}

static double bound(const study *st, double complexity)
{
    return segue_bound_regret(st->models.models->n_arms, st->log_term, complexity);
}

/* Over --tasks tasks (Theorem 4): of umUCB on the estimates if there are any, else of mUCB. */
static double run_bound(const study *st)
{
    return (double)st->set.tasks *
           (with_estimates(st) ? st->average.bound_umucb : bound(st, st->average.mucb));
}

/* ---- CSV --------------------------------------------------------------------------------- */

static void print_csv_complexities(const study *st, FILE *out, const row *r)
{
    const double values[] = {r->ucb,
                             r->ucb_plus,
                             r->mucb,
                             bound(st, r->ucb),
                             bound(st, r->ucb_plus),
                             bound(st, r->mucb),
                             r->tucb,
                             r->bound_umucb};
    const size_t count = with_estimates(st) ? 8 : 6;
    for (size_t i = 0; i < count; i++) {
        fputc(',', out);
        segue_output_csv_number(out, values[i]);
    }
    fputc('\n', out);
}

static void print_csv(const void *found, FILE *out)
{
    const study *st = found;
    const segue_models *models = st->models.models;
    fprintf(out, "model,best_arm,best_value,ucb,ucb+,mucb,bound_ucb,bound_ucb+,bound_mucb%s\n",
            with_estimates(st) ? ",tucb,bound_umucb" : "");
    for (size_t k = 0; k < models->n_models; k++) {
        fprintf(out, "%zu,%zu,", k + 1, models->best_arm[k] + 1);
        segue_output_csv_number(out, segue_models_best_value(models, k));
        print_csv_complexities(st, out, &st->rows[k]);
    }
    fputs(",,", out);
    print_csv_complexities(st, out, &st->average);
}

/* ---- JSON -------------------------------------------------------------------------------- */

/* How often mUCB (Theorem 1), or umUCB on estimates (the corollary), pulls each arm at most. */
static json_t *json_pull_bounds(const study *st, const row *r)
{
    json_t *list = json_array();
    for (size_t arm = 0; arm < st->models.models->n_arms; arm++) {
        const double most = r->estimated
                                ? segue_bound_pulls_umucb(r->estimated, st->log_term_estimated, arm)
                                : segue_bound_pulls_mucb(r->known, st->log_term, arm);
        list = segue_json_append(list, segue_json_number(most));
    }
    return list;
}

/* The 1-based places of the true entries. */
static json_t *json_set(const bool *member, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        if (member[i])
            list = segue_json_append(list, json_integer((json_int_t)i + 1));
    return list;
}

static json_t *json_known(const study *st, size_t k)
{
    const segue_models *models = st->models.models;
    const row *r = &st->rows[k];
    return json_pack(
        "{s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o}}", "model",
        (json_int_t)k + 1, "best_arm", (json_int_t)models->best_arm[k] + 1, "best_arm_name",
        st->models.arm_name[models->best_arm[k]], "best_value",
        segue_json_number(segue_models_best_value(models, k)), "ucb", segue_json_number(r->ucb),
        "ucb+", segue_json_number(r->ucb_plus), "mucb", segue_json_number(r->mucb), "gaps",
        segue_json_numbers(r->known->gap, models->n_arms), "model_gaps",
        segue_json_numbers(r->known->model_gap, models->n_arms), "optimistic_models",
        json_set(r->known->optimistic_model, models->n_models), "optimistic_arms",
        json_set(r->known->optimistic_arm, models->n_arms), "pull_bounds", json_pull_bounds(st, r),
        "bounds", "ucb", segue_json_number(bound(st, r->ucb)), "ucb+",
        segue_json_number(bound(st, r->ucb_plus)), "mucb", segue_json_number(bound(st, r->mucb)));
}

static json_t *json_by_model(const bool *member, size_t n_models, size_t n_arms)
{
    json_t *list = json_array();
    for (size_t k = 0; k < n_models; k++)
        list = segue_json_append(list, json_set(member + k * n_arms, n_arms));
    return list;
}

static json_t *json_estimated(const study *st, size_t k)
{
    const row *r = &st->rows[k];
    const segue_estimated_sets *sets = r->estimated;
    json_t *match = json_array();
    for (size_t i = 0; i < sets->n_models; i++)
        match = segue_json_append(match, json_integer((json_int_t)sets->match[i] + 1));
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "stands_for", match, "non_dominated_arms",
        json_by_model(sets->non_dominated, sets->n_models, sets->n_arms), "optimistic_arms",
        json_by_model(sets->optimistic, sets->n_models, sets->n_arms), "optimistic_models",
        json_set(sets->optimistic_model, sets->n_models), "kept_models",
        json_set(sets->permanent_model, sets->n_models), "a1",
        json_set(sets->first_arm, sets->n_arms), "a2", json_set(sets->second_arm, sets->n_arms),
        "tucb", segue_json_number(r->tucb), "bound_umucb", segue_json_number(r->bound_umucb));
}

static json_t *json_average(const study *st)
{
    json_t *average = json_pack("{s:o, s:o, s:o}", "ucb", segue_json_number(st->average.ucb),
                                "ucb+", segue_json_number(st->average.ucb_plus), "mucb",
                                segue_json_number(st->average.mucb));
    if (with_estimates(st))
        average = segue_json_set(average, "tucb", segue_json_number(st->average.tucb));
    return average;
}

static json_t *make_json(const void *found)
{
    const study *st = found;
    json_t *models = json_array();
    for (size_t k = 0; k < st->models.models->n_models; k++) {
        json_t *entry = json_known(st, k);
        if (with_estimates(st))
            entry = segue_json_set(entry, "estimated", json_estimated(st, k));
        models = segue_json_append(models, entry);
    }
    const segue_perturbation *rec = &st->recovery;
    json_t *all = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:{s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o}}",
        "models", models, "average", json_average(st), "sigma_min",
        segue_json_number(st->spectrum.sigma_min), "gamma_sigma",
        segue_json_number(st->spectrum.gap), "best_arms",
        json_set(st->rows[0].known->best_for_some, st->models.models->n_arms), "steps",
        (json_int_t)st->set.steps, "delta", segue_json_number(st->delta), "run_bound",
        segue_json_number(run_bound(st)), "recovery", "c3", segue_json_number(st->set.c3), "c4",
        segue_json_number(st->set.c4), "sigma_max", segue_json_number(st->spectrum.sigma_max),
        "tasks", (json_int_t)st->set.tasks, "constant", segue_json_number(rec->constant), "error",
        segue_json_number(rec->error), "least_tasks", segue_json_number(rec->min_tasks),
        "second_moment", segue_json_number(rec->second_moment), "third_moment",
        segue_json_number(rec->third_moment));
    if (with_estimates(st)) {
        all = segue_json_set(all, "eps", segue_json_number(st->set.eps));
        all = segue_json_set(all, "largest_error", segue_json_number(st->error));
    }
    return all;
}

/* ---- tables ------------------------------------------------------------------------------ */

/* "1 2 5": the 1-based places of the true entries, cut where it gets long. */
static void set_list(cli_table *table, size_t r, size_t c, const bool *member, size_t count)
{
    char text[64] = "";
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (!member[i])
            continue;
        if (used > LIST_WIDTH) {
            (void)snprintf(text + used, sizeof text - used, " ..");
            break;
        }
        (void)snprintf(text + used, sizeof text - used, "%s%zu", used ? " " : "", i + 1);
        used = strlen(text);
    }
    cli_table_set(table, r, c, "%s", *text ? text : "-");
}

static double smallest_gap(const segue_known_sets *sets)
{
    double least = INFINITY;
    for (size_t arm = 0; arm < sets->n_arms; arm++)
        if (sets->gap[arm] > 0.0)
            least = fmin(least, sets->gap[arm]);
    return least;
}

static void set_row(const study *st, cli_table *t, size_t r, const row *values)
{
    cli_table_number(t, r, 5, values->ucb, 2);
    cli_table_number(t, r, 6, values->ucb_plus, 2);
    cli_table_number(t, r, 7, values->mucb, 2);
    if (with_estimates(st))
        cli_table_number(t, r, 8, values->tucb, 2);
}

static segue_status print_complexities(const study *st, FILE *out, segue_error *err)
{
    static const char *const headings[] = {"model", "best arm", "value", "gap", "optimistic",
                                           "UCB",   "UCB+",     "mUCB",  "tUCB"};
    const segue_models *models = st->models.models;
    const size_t columns = with_estimates(st) ? 9 : 8;
    cli_table t;
    segue_status status = cli_table_init(&t, models->n_models + 2, columns, err);
    if (status != SEGUE_OK)
        return status;
    for (size_t c = 0; c < columns; c++)
        cli_table_set(&t, 0, c, "%s", headings[c]);
    for (size_t k = 0; k < models->n_models; k++) {
        const segue_known_sets *known = st->rows[k].known;
        cli_table_set(&t, k + 1, 0, "%zu", k + 1);
        cli_table_name(&t, k + 1, 1, st->models.arm_name[models->best_arm[k]], 8);
        cli_table_number(&t, k + 1, 2, segue_models_best_value(models, k), 3);
        cli_table_number(&t, k + 1, 3, smallest_gap(known), 3);
        set_list(&t, k + 1, 4, known->optimistic_model, models->n_models);
        set_row(st, &t, k + 1, &st->rows[k]);
    }
    cli_table_set(&t, models->n_models + 1, 0, "average");
    set_row(st, &t, models->n_models + 1, &st->average);
    status = cli_table_print(&t, columns, out, cli_output_bold(st->set.out), err);
    cli_table_fini(&t);
    return status;
}

/* The gaps of every arm, where they fit. */
static segue_status print_gaps(const study *st, FILE *out, segue_error *err)
{
    const segue_models *models = st->models.models;
    cli_table t;
    segue_status status = cli_table_init(&t, models->n_models + 1, models->n_arms + 1, err);
    if (status != SEGUE_OK)
        return status;
    cli_table_set(&t, 0, 0, "model");
    for (size_t arm = 0; arm < models->n_arms; arm++)
        cli_table_name(&t, 0, arm + 1, st->models.arm_name[arm], 10);
    for (size_t k = 0; k < models->n_models; k++) {
        cli_table_set(&t, k + 1, 0, "%zu", k + 1);
        for (size_t arm = 0; arm < models->n_arms; arm++)
            cli_table_number(&t, k + 1, arm + 1, st->rows[k].known->gap[arm], 3);
    }
    if (cli_table_width(&t, t.columns) <= CLI_TERMINAL_WIDTH) {
        fputs("\nGap of each arm to the best one\n\n", out);
        status = cli_table_print(&t, t.columns, out, cli_output_bold(st->set.out), err);
    } else {
        fputs("\n(--format json also tells the gap of every arm)\n", out);
    }
    cli_table_fini(&t);
    return status;
}

/* What concerns the estimates: the arms and models that they leave. */
static segue_status print_estimated(const study *st, FILE *out, segue_error *err)
{
    static const char *const headings[] = {"model", "optimistic", "kept", "A1", "A2"};
    const segue_models *models = st->models.models;
    cli_table t;
    segue_status status = cli_table_init(&t, models->n_models + 1, 5, err);
    if (status != SEGUE_OK)
        return status;
    for (size_t c = 0; c < 5; c++)
        cli_table_set(&t, 0, c, "%s", headings[c]);
    for (size_t k = 0; k < models->n_models; k++) {
        const segue_estimated_sets *sets = st->rows[k].estimated;
        cli_table_set(&t, k + 1, 0, "%zu", k + 1);
        set_list(&t, k + 1, 1, sets->optimistic_model, models->n_models);
        set_list(&t, k + 1, 2, sets->permanent_model, models->n_models);
        set_list(&t, k + 1, 3, sets->first_arm, models->n_arms);
        set_list(&t, k + 1, 4, sets->second_arm, models->n_arms);
    }
    fprintf(out, "\nEstimates taken to be within %g; they are off by up to %.3g%s\n\n", st->set.eps,
            st->error, st->error > st->set.eps ? ": the bounds do not hold" : "");
    status = cli_table_print(&t, 5, out, cli_output_bold(st->set.out), err);
    cli_table_fini(&t);
    return status;
}

static void print_number(FILE *out, const char *label, double x, const char *unit)
{
    if (isfinite(x))
        fprintf(out, "%-34s %.4g%s\n", label, x, unit);
    else
        fprintf(out, "%-34s -\n", label);
}

static void print_bounds(const study *st, FILE *out)
{
    const segue_spectrum *spectrum = &st->spectrum;
    fprintf(out,
            "\nBounds on the regret of a task of %" PRIu64 " steps, and of %" PRIu64 " tasks\n\n",
            st->set.steps, st->set.tasks);
    print_number(out, "UCB", bound(st, st->average.ucb), "");
    print_number(out, "UCB+", bound(st, st->average.ucb_plus), "");
    print_number(out, "mUCB (Theorem 1)", bound(st, st->average.mucb), "");
    if (with_estimates(st))
        print_number(out, "umUCB (Theorem 3)", st->average.bound_umucb, "");
    fprintf(out, "%-34s %.4g\n",
            with_estimates(st) ? "umUCB, all tasks (Theorem 4)" : "mUCB, all tasks", run_bound(st));
    fprintf(out, "\nLearning the models from %" PRIu64 " tasks (Theorem 2, C3 = %g, C4 = %g)\n\n",
            st->set.tasks, st->set.c3, st->set.c4);
    print_number(out, "smallest eigenvalue of M2", spectrum->sigma_min, "");
    print_number(out, "smallest gap of its eigenvalues", spectrum->gap, "");
    print_number(out, "error of the means, at most", st->recovery.error, "");
    print_number(out, "holds from so many tasks on", st->recovery.min_tasks, "");
}

static segue_status print_table(const void *found, FILE *out, segue_error *err)
{
    const study *st = found;
    fprintf(out, "Complexity of %zu models of %zu arms\n\n", st->models.models->n_models,
            st->models.models->n_arms);
    segue_status status = print_complexities(st, out, err);
    if (status == SEGUE_OK)
        status = print_gaps(st, out, err);
    if (status == SEGUE_OK && with_estimates(st))
        status = print_estimated(st, out, err);
    if (status == SEGUE_OK)
        print_bounds(st, out);
    return status;
}

/* ---- the command ------------------------------------------------------------------------- */

static const cli_printers printers = {.table = print_table, .csv = print_csv, .json = make_json};

static segue_status run(int argc, char **argv, segue_error *err)
{
    study st;
    segue_status status = study_init(&st, argc, argv, err);
    if (status == SEGUE_OK)
        status = cli_output_print(&printers, &st, st.format, st.set.out, err);
    study_fini(&st);
    return status;
}

const cli_command cli_command_complexity = {
    .name = "complexity",
    .summary = "tells gaps, sets, complexities and bounds of a model set",
    .usage = "complexity --models FILE [OPTIONS]",
    .details = "The complexity of a model is its regret bound without the factor that grows with\n"
               "n.  'gap' is the least one of an arm to the best; 'optimistic' lists the models\n"
               "that promise at least as much as the true one: mUCB has to rule them out.\n"
               "Averages are by the models' weights.\n\n"
               "examples:\n"
               "  segue complexity --models models/paper.csv\n"
               "  segue complexity --models truth.csv --estimated guess.csv --eps 0.05\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
