/* complexity.c - `segue complexity`: gaps, sets, complexities and bounds of a model set.
 *
 * The complexity of a model under a policy is the policy's regret bound without the factor that
 * grows with the number of steps; docs/math.md has the formulas.  With --estimated, the sets and
 * bounds are also those that a set of estimates allows.  The cost is that of the sets, models^2 x
 * arms, and of one eigenvalue decomposition.
 *
 * complexity.h has the struct that this file computes and complexity_print.c prints. Everything is
 * computed before the first byte is printed.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/commands/complexity/complexity.h"
#include "segue/internal.h"
#include "segue/policy.h"

#define FIELD(name) .offset = offsetof(cli_complexity_settings, name)
#define TINY        1e-300

static const cli_option options[] = {
    {"models", 'm', CLI_TEXT, FIELD(models), "FILE", "the model set, CSV ('-': standard input)", 0,
     0},
    {"steps", 'n', CLI_INTEGER, FIELD(steps), "N", "steps per task, for the bounds (default 5000)",
     1, 1e12},
    {"delta", 0, CLI_NUMBER, FIELD(delta), "D", "probability of failure (default 1/N)", TINY, 1.0},
    {"tasks", 'j', CLI_INTEGER, FIELD(tasks), "J", "tasks, for Theorems 2 and 4 (default 5000)", 1,
     1e9},
    {"c1", 0, CLI_NUMBER, FIELD(c1), "C", "constant C1 of Theorem 5 (default 1)", TINY, 1e300},
    {"c3", 0, CLI_NUMBER, FIELD(c3), "C", "constant C3 of Theorem 2 (default 1)", TINY, 1e300},
    {"c4", 0, CLI_NUMBER, FIELD(c4), "C", "constant C4 of Theorem 2 (default 1)", TINY, 1e300},
    {"estimated", 'e', CLI_TEXT, FIELD(estimated), "FILE",
     "estimates of the models; adds the sets that they allow", 0, 0},
    {"eps", 0, CLI_NUMBER, FIELD(eps), "E", "largest error of an estimated mean", 0, 1e9},
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT", "table (default), csv or json", 0, 0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FILE", "write to FILE (default '-': standard output)", 0,
     0},
};

static bool has_estimates(const cli_complexity *c)
{
    return c->set.estimated != NULL;
}

/* An eps of NaN stands for an option that was not given. */
static segue_status check_settings(const cli_complexity_settings *set, segue_error *err)
{
    if (!set->models)
        return segue_fail(err, SEGUE_EUSAGE, "give --models FILE; see 'segue help complexity'");
    if (set->estimated && !(set->eps >= 0.0))
        return segue_fail(err, SEGUE_EUSAGE,
                          "--estimated needs --eps, the largest error of its means");
    if (!set->estimated && set->eps >= 0.0)
        return segue_fail(err, SEGUE_EUSAGE, "--eps needs --estimated FILE");
    const cli_path paths[] = {
        {"out", set->out}, {"models", set->models}, {"estimated", set->estimated}};
    return cli_output_check_paths(paths, 1, 3, err);
}

/* Estimates must have the shape of the model set: each one is matched to a model. */
static segue_status read_sets(cli_complexity *c, segue_error *err)
{
    const char *path = c->set.estimated;
    SEGUE_TRY(segue_models_file_read(&c->models, c->set.models, SEGUE_MODELS_KNOWN, err));
    if (!path)
        return SEGUE_OK;
    SEGUE_TRY(segue_models_file_read(&c->estimated, path, SEGUE_MODELS_ESTIMATED, err));
    const segue_models *models = c->models.models, *estimated = c->estimated.models;
    if (estimated->n_arms == models->n_arms && estimated->n_models == models->n_models)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EDOMAIN,
                      "%s: has %zu models of %zu arms, and %s has %zu of %zu; need the same", path,
                      estimated->n_models, estimated->n_arms, c->set.models, models->n_models,
                      models->n_arms);
}

/* Weights sum to 1, so that sums are averages. */
static void add_to_average(cli_complexity *c, const cli_complexity_row *r, double weight)
{
    c->average.ucb += weight * r->ucb;
    c->average.ucb_plus += weight * r->ucb_plus;
    c->average.mucb += weight * r->mucb;
    c->average.mucb_second += weight * r->mucb_second;
    c->average.test.regret += weight * r->test.regret;
    c->average.tucb += weight * r->tucb;
    c->average.bound_umucb += weight * r->bound_umucb;
}

/* Compute one model: its sets, complexities, and with estimates those of umUCB. */
static segue_status compute_row(cli_complexity *c, size_t k, segue_error *err)
{
    cli_complexity_row *r = &c->rows[k];
    SEGUE_TRY(segue_known_sets_create(&r->known, c->models.models, k, err));
    if (has_estimates(c))
        SEGUE_TRY(segue_estimated_sets_create(&r->estimated, c->models.models, c->estimated.models,
                                              c->match, c->set.eps, k, err));
    r->ucb = segue_complexity_ucb(r->known);
    r->ucb_plus = segue_complexity_ucb_plus(r->known);
    r->mucb = segue_complexity_mucb(r->known);
    r->mucb_second = segue_complexity_mucb_second(r->known);
    r->test = segue_hypothesis_test_bound(c->models.models, r->known, c->set.steps, c->delta,
                                          c->log_term);
    r->tucb = r->bound_umucb = NAN;
    if (r->estimated) {
        r->tucb = segue_complexity_tucb(r->estimated);
        r->bound_umucb = segue_bound_regret_estimated(r->estimated, c->log_term_estimated);
    }
    add_to_average(c, r, c->models.models->weight[k]);
    return SEGUE_OK;
}

/* Return the largest distance of an estimated mean from that of the model it matches. */
static double largest_error(const cli_complexity *c)
{
    const segue_models *models = c->models.models;
    double error = 0.0;
    for (size_t k = 0; k < models->n_models; k++)
        for (size_t arm = 0; arm < models->n_arms; arm++)
            error = fmax(error, fabs(segue_models_row(c->estimated.models, k)[arm] -
                                     segue_models_row(models, c->match[k])[arm]));
    return error;
}

/* The weighted averages grow while the rows are computed. */
static segue_status compute(cli_complexity *c, segue_error *err)
{
    const segue_models *models = c->models.models;
    c->delta = isnan(c->set.delta) ? 1.0 / (double)c->set.steps : c->set.delta;
    c->log_term = segue_policy_log_term(models->n_models, c->set.steps, c->delta);
    c->log_term_estimated =
        segue_policy_log_term_estimated(models->n_models, models->n_arms, c->set.steps, c->delta);
    c->rows = calloc(models->n_models, sizeof *c->rows);
    c->match = calloc(models->n_models, sizeof *c->match);
    if (!c->rows || !c->match)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu models", models->n_models);
    if (has_estimates(c)) {
        SEGUE_TRY(segue_models_match(c->estimated.models, models, c->match, err));
        c->error = largest_error(c);
    }
    for (size_t k = 0; k < models->n_models; k++)
        SEGUE_TRY(compute_row(c, k, err));
    SEGUE_TRY(segue_spectrum_compute(&c->spectrum, models, err));
    c->perturbation = segue_perturbation_bound(models, &c->spectrum, (double)c->set.tasks, c->delta,
                                               c->set.c3, c->set.c4);
    c->tasks = segue_perturbation_tasks_needed(models, &c->spectrum, c->delta, c->set.c1);
    return SEGUE_OK;
}

/* NaN marks numbers that were not given: 0 is a valid --eps. */
static segue_status init(cli_complexity *c, int argc, char **argv, segue_error *err)
{
    *c = (cli_complexity){.set = {.format = "table",
                                  .steps = 5000,
                                  .tasks = 5000,
                                  .eps = NAN,
                                  .delta = NAN,
                                  .c1 = 1.0,
                                  .c3 = 1.0,
                                  .c4 = 1.0}};
    SEGUE_TRY(
        cli_options_parse(options, sizeof options / sizeof *options, argc, argv, &c->set, err));
    c->set.out = cli_output_path(c->set.out);
    SEGUE_TRY(cli_output_parse_format(c->set.format, &c->format, err));
    SEGUE_TRY(check_settings(&c->set, err));
    SEGUE_TRY(read_sets(c, err));
    return compute(c, err);
}

/* Also for a `c` that init has filled in part. */
static void fini(cli_complexity *c)
{
    for (size_t k = 0; c->rows && k < c->models.models->n_models; k++) {
        segue_known_sets_destroy(c->rows[k].known);
        segue_estimated_sets_destroy(c->rows[k].estimated);
    }
    free(c->rows);
    free(c->match);
    segue_models_file_fini(&c->models);
    segue_models_file_fini(&c->estimated);
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    cli_complexity c;
    segue_status status = init(&c, argc, argv, err);
    if (status == SEGUE_OK)
        status = cli_output_print(&cli_complexity_printers, &c, c.format, c.set.out, err);
    fini(&c);
    return status;
}

const cli_command cli_command_complexity = {
    .name = "complexity",
    .summary = "print gaps, sets, complexities and bounds of a model set",
    .usage = "complexity --models FILE [OPTIONS]",
    .details = "The complexity of a model is its regret bound without the factor that grows with\n"
               "n.  'gap' is the smallest distance of an arm's mean to the best one;\n"
               "'optimistic' lists the models whose best mean is at least that of the true one:\n"
               "mUCB has to rule them out.  Averages are by the models' weights.\n"
               "C(Theta) is Theorem 2's constant: as the paper prints it, and with its Lemma 5\n"
               "corrected (docs/math.md).\n\n"
               "examples:\n"
               "  segue complexity --models models/paper.csv\n"
               "  segue complexity --models truth.csv --estimated guess.csv --eps 0.05\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
