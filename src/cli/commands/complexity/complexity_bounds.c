/* complexity_bounds.c - the bounds of `segue complexity`, and their part of its table.
 *
 * A bound on regret grows with --steps and --tasks; all else that the command prints does not. The
 * part on learning the models has C(Theta) twice: as the paper prints it, and with the corrected
 * Lemma 5 (docs/math.md).
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include "cli/columns.h"
#include "cli/commands/complexity/complexity.h"

static bool has_estimates(const cli_complexity *c)
{
    return c->set.estimated != NULL;
}

double cli_complexity_bound(const cli_complexity *c, double complexity)
{
    return segue_bound_regret(c->models.models->n_arms, c->log_term, complexity);
}

double cli_complexity_run_bound(const cli_complexity *c)
{
    return (double)c->set.tasks *
           (has_estimates(c) ? c->average.bound_umucb : cli_complexity_bound(c, c->average.mucb));
}

static void print_number(FILE *out, const char *label, double x)
{
    if (isfinite(x))
        fprintf(out, "%-34s %.4g\n", label, x);
    else
        fprintf(out, "%-34s -\n", label);
}

static void print_regret(const cli_complexity *c, FILE *out)
{
    fprintf(out,
            "\nBounds on the regret of a task of %" PRIu64 " steps, and of %" PRIu64 " tasks\n\n",
            c->set.steps, c->set.tasks);
    print_number(out, "UCB", cli_complexity_bound(c, c->average.ucb));
    print_number(out, "UCB+", cli_complexity_bound(c, c->average.ucb_plus));
    print_number(out, "UCB with a test", c->average.test.regret);
    print_number(out, "mUCB (Theorem 1)", cli_complexity_bound(c, c->average.mucb));
    print_number(out, "mUCB (Theorem 1, second bound)",
                 cli_complexity_bound(c, c->average.mucb_second));
    if (has_estimates(c))
        print_number(out, "umUCB (Theorem 3)", c->average.bound_umucb);
    fprintf(out, "%-34s %.4g\n",
            has_estimates(c) ? "umUCB, all tasks (Theorem 4)" : "mUCB, all tasks",
            cli_complexity_run_bound(c));
}

static void print_test(const segue_hypothesis_test *test, FILE *out)
{
    fputs("\nTelling the models apart by a test on one arm\n\n", out);
    print_number(out, "least distance of two models", test->model_gap);
    print_number(out, "pulls of an arm before the test", test->threshold);
    print_number(out, "steps before the test, at most", test->tau);
}

void cli_complexity_print_bounds(const cli_complexity *c, FILE *out)
{
    print_regret(c, out);
    print_test(&c->rows[0].test, out);
    fprintf(out,
            "\nLearning the models from %" PRIu64
            " tasks (Theorem 2, C1 = %g, C3 = %g, C4 = %g)\n\n",
            c->set.tasks, c->set.c1, c->set.c3, c->set.c4);
    print_number(out, "smallest eigenvalue of M2", c->spectrum.sigma_min);
    print_number(out, "smallest gap of its eigenvalues", c->spectrum.gap);
    print_number(out, "lambda_min", c->spectrum.lambda_min);
    print_number(out, "lambda_max", c->spectrum.lambda_max);
    print_number(out, "C(Theta), as printed", c->perturbation.constant);
    print_number(out, "C(Theta), corrected", c->perturbation.constant_corrected);
    print_number(out, "error of the means, as printed", c->perturbation.error);
    print_number(out, "error of the means, corrected", c->perturbation.error_corrected);
    print_number(out, "smallest number of tasks", c->perturbation.min_tasks);
}

json_t *cli_complexity_perturbation(const cli_complexity *c)
{
    const segue_perturbation *perturbation = &c->perturbation;
    const cli_field fields[] = {
        {"c1", cli_value_number(c->set.c1)},
        {"c3", cli_value_number(c->set.c3)},
        {"c4", cli_value_number(c->set.c4)},
        {"sigma_max", cli_value_number(c->spectrum.sigma_max)},
        {"lambda_min", cli_value_number(c->spectrum.lambda_min)},
        {"lambda_max", cli_value_number(c->spectrum.lambda_max)},
        {"tasks", cli_value_integer(c->set.tasks)},
        {"constant", cli_value_number(perturbation->constant)},
        {"constant_corrected", cli_value_number(perturbation->constant_corrected)},
        {"error", cli_value_number(perturbation->error)},
        {"error_corrected", cli_value_number(perturbation->error_corrected)},
        {"min_tasks", cli_value_number(perturbation->min_tasks)},
        {"min_tasks_moments", cli_value_number(c->tasks.moments)},
        {"min_tasks_tensor", cli_value_number(c->tasks.tensor)},
        {"min_tasks_tensor_corrected", cli_value_number(c->tasks.tensor_corrected)},
        {"second_moment", cli_value_number(perturbation->second_moment)},
        {"third_moment", cli_value_number(perturbation->third_moment)},
    };
    return CLI_OBJECT(fields);
}
