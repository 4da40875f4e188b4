/* ada_ts.c - AdaTS: Thompson sampling with a Gaussian prior that is itself learned.
 *
 * Basu, Kveton, Zaheer and Szepesvari, "No regrets for learning the prior in bandits" (2021). Of
 * every arm the mean of the tasks' means has the meta-prior N(0.5, sigmaq^2), a task's mean is
 * normal around it with sd sigma0, a reward normal around that with sd sigma. A closed task with T
 * rewards of an arm, average x, adds precision 1 / (sigma0^2 + sigma^2 / T) at x to the
 * meta-posterior N(m, v). The next task's prior of the arm is N(m, v + sigma0^2): it includes what
 * is not known of the prior. Within a task, Thompson sampling draws from the Gaussian posterior.
 * Arms are independent, so there are no types. Cost O(n_arms) per step and per task.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bandit/choose.h"
#include "transfer/rivals/arm_rows.h"
#include "transfer/rivals/rivals.h"

#define CENTRE 0.5 /* mean of the meta-prior: the middle of the range of rewards */

enum { SIGMA, SIGMA0, SIGMAQ, N_OPTIONS };

static const segue_option options[N_OPTIONS] = {
    [SIGMA] = {.key = "sigma",
               .help = "sd of a reward around its mean (default 0.5, the largest)",
               .min = 1e-3,
               .max = 10.0,
               .default_value = 0.5},
    [SIGMA0] = {.key = "sigma0",
                .help = "sd of the means of tasks around the prior's (default 0.1)",
                .min = 1e-3,
                .max = 10.0,
                .default_value = 0.1},
    [SIGMAQ] = {.key = "sigmaq",
                .help = "sd of the prior's mean before any task (default 0.5)",
                .min = 1e-3,
                .max = 10.0,
                .default_value = 0.5},
};

/* A normal distribution. */
typedef struct normal {
    double mean, variance;
} normal;

/* Return the posterior of a mean after data of a precision, with its precision-weighted sum. */
static normal posterior_of(normal prior, double precision, double weighted)
{
    const double variance = 1.0 / (1.0 / prior.variance + precision);
    return (normal){.mean = variance * (prior.mean / prior.variance + weighted),
                    .variance = variance};
}

static double square(double x)
{
    return x * x;
}

/* ---- a task ------------------------------------------------------------------------------ */

/* The prior of an arm: the learner's, or before its first task the meta-prior's. */
static normal prior_of(const segue_task_view *view, size_t arm)
{
    if (view->prior)
        return (normal){.mean = view->prior->a[arm], .variance = view->prior->b[arm]};
    return (normal){.mean = CENTRE,
                    .variance = square(view->option[SIGMAQ]) + square(view->option[SIGMA0])};
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    const double precision = 1.0 / square(view->option[SIGMA]);
    size_t best = view->n_arms;
    double value = -INFINITY;
    for (size_t arm = 0; arm < view->n_arms; arm++) {
        if (!is_allowed(view, arm))
            continue;
        const normal p = posterior_of(prior_of(view, arm), precision * (double)view->pulls[arm],
                                      precision * view->sum[arm]);
        const double x = p.mean + sqrt(p.variance) * segue_rng_normal(rng);
        if (x > value) {
            value = x;
            best = arm;
        }
    }
    return by_rule(best);
}

static const segue_policy policy = {
    .name = "ada-ts",
    .summary = "Thompson sampling by the Gaussian prior of a learner",
    .options = options,
    .n_options = N_OPTIONS,
    .choose = choose,
};

/* ---- the meta-posterior ------------------------------------------------------------------ */

/* Sums over closed tasks, of one arm: of precisions, and of averages times precisions. */
enum { PRECISION, WEIGHTED, N_SUMS };

/* The prior of an arm in the next task: mean and variance. */
static void write_prior(const segue_learner *learner, const double *row, double *a, double *b)
{
    const double *option = learner->config.option;
    const normal meta = {.mean = CENTRE, .variance = square(option[SIGMAQ])};
    const normal now = posterior_of(meta, row[PRECISION], row[WEIGHTED]);
    *a = now.mean;
    *b = now.variance + square(option[SIGMA0]);
}

/* Averages lie in [0, 1]. */
static bool is_valid(const double *row)
{
    return row[WEIGHTED] >= 0.0 && row[WEIGHTED] <= row[PRECISION] * (1.0 + 1e-9);
}

static const arm_rows rows = {
    .size = N_SUMS, .prior_size = 1, .write_prior = write_prior, .is_valid = is_valid};

static segue_status learn(segue_learner *learner, const open_task *entry, segue_error *err)
{
    const task_internals in = segue_task_internals(entry->task);
    const double *option = learner->config.option;
    double *state = learner->state;
    for (size_t i = 0; i < in.view->n_arms; i++) {
        if (in.pulls[i] == 0)
            continue;
        const double pulls = (double)in.pulls[i];
        const double precision = 1.0 / (square(option[SIGMA0]) + square(option[SIGMA]) / pulls);
        state[i * N_SUMS + PRECISION] += precision;
        state[i * N_SUMS + WEIGHTED] += precision * in.sum[i] / pulls;
    }
    return segue_arm_rows_publish(learner, err);
}

const learner_method segue_learner_ada_ts = {
    .info = {.name = "ada-ts",
             .summary = "AdaTS of Basu et al.: a Gaussian prior per arm, learned",
             .options = options,
             .n_options = N_OPTIONS},
    .rows = &rows,
    .create = segue_arm_rows_create,
    .destroy = segue_arm_rows_destroy,
    .policy = &policy,
    .plan = plan_with_options,
    .set_prior = segue_shared_prior_apply,
    .learn = learn,
    .add_arm = segue_arm_rows_add_arm,
    .merge = segue_arm_rows_merge,
    .bytes = segue_arm_rows_bytes,
    .serialize = segue_arm_rows_serialize,
    .deserialize = segue_arm_rows_deserialize,
};
