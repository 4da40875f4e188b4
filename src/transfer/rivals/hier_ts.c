/* hier_ts.c - HierTS with Beta priors: Thompson sampling over a prior and the means it explains.
 *
 * Hong, Kveton, Zaheer and Ghavamzadeh, "Hierarchical Bayesian bandits" (2022). A task's mean of an
 * arm is Beta(kappa m, kappa (1 - m)). The hyper-parameters (m, kappa) are unknown, the same in all
 * tasks, and lie on a grid with a flat hyper-prior. Their posterior given the closed tasks is exact:
 * the sum of Beta-binomial log-likelihoods. A step draws (m, kappa) of every arm from the posterior
 * given all tasks, this one included, then the mean given these, and pulls the largest. The paper's
 * hierarchy is Gaussian; ada-ts has that one. Arms are independent, so there are no types.
 * Cost O(n_arms N_GRID) per step and per task.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "bandit/choose.h"
#include "core/math/exp.h"
#include "core/math/ln.h"
#include "core/math/log_gamma.h"
#include "core/random/rng_sample.h"
#include "transfer/rivals/arm_rows.h"

enum { N_MEANS = 20, N_KAPPAS = 7, N_GRID = N_MEANS * N_KAPPAS };

/* A Beta prior of the grid: means 0.025, 0.075, ..., 0.975; concentrations 2, 4, ..., 128. */
typedef struct beta {
    double a, b;
} beta;

static beta grid_prior(size_t g)
{
    const double mean = ((double)(g % N_MEANS) + 0.5) / N_MEANS;
    const double kappa = ldexp(2.0, (int)(g / N_MEANS));
    return (beta){.a = kappa * mean, .b = kappa * (1.0 - mean)};
}

/* ---- a task ------------------------------------------------------------------------------ */

/* The state: the posterior of each arm over the grid, n_arms x N_GRID. */
static size_t state_size(const segue_setting *setting, const double *option)
{
    (void)option;
    return setting->n_arms * N_GRID * sizeof(double);
}

static void begin(const segue_task_view *view)
{
    double *weight = view->state;
    for (size_t i = 0; i < view->n_arms * N_GRID; i++)
        weight[i] = view->prior ? view->prior->a[i] : 1.0 / N_GRID;
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    const double *weight = view->state;
    size_t best = view->n_arms;
    double value = -INFINITY;
    for (size_t arm = 0; arm < view->n_arms; arm++) {
        if (!is_allowed(view, arm))
            continue;
        const beta prior = grid_prior(segue_rng_index(rng, weight + arm * N_GRID, N_GRID));
        const double lost = fmax(0.0, (double)view->pulls[arm] - view->sum[arm]);
        const double x = segue_rng_beta(rng, prior.a + view->sum[arm], prior.b + lost);
        if (x > value) {
            value = x;
            best = arm;
        }
    }
    return by_rule(best);
}

/* Return the likelihood of a reward; 0 and 1 are the most common ones. */
static double likelihood(double mean, double reward)
{
    if (reward >= 1.0)
        return mean;
    return reward <= 0.0 ? 1.0 - mean
                         : segue_exp(reward * segue_ln(mean) + (1.0 - reward) * segue_log1p(-mean));
}

/* Multiply each weight of the arm by the probability of the reward given those before it. */
static void update(const segue_task_view *view, size_t arm, double reward)
{
    double *weight = (double *)view->state + arm * N_GRID, total = 0.0;
    const double pulls = (double)view->pulls[arm] - 1.0;
    const double won = fmax(0.0, view->sum[arm] - reward), lost = fmax(0.0, pulls - won);
    for (size_t g = 0; g < N_GRID; g++) {
        const beta prior = grid_prior(g);
        const double mean = (prior.a + won) / (prior.a + prior.b + won + lost);
        weight[g] *= likelihood(mean, reward);
        total += weight[g];
    }
    for (size_t g = 0; g < N_GRID; g++)
        weight[g] /= total;
}

static const segue_policy policy = {
    .name = "hier-ts",
    .summary = "Thompson sampling by the hyper-posterior of a learner",
    .state_size = state_size,
    .begin = begin,
    .choose = choose,
    .update = update,
};

/* ---- the hyper-posterior ----------------------------------------------------------------- */

/* Write the posterior of an arm over the grid, from the log-likelihoods of the closed tasks. */
static void write_prior(const segue_learner *learner, const double *row, double *a, double *b)
{
    double largest = -INFINITY, total = 0.0;
    (void)learner;
    memset(b, 0, N_GRID * sizeof *b); /* not used */
    for (size_t g = 0; g < N_GRID; g++)
        largest = fmax(largest, row[g]);
    for (size_t g = 0; g < N_GRID; g++)
        total += a[g] = segue_exp(row[g] - largest);
    for (size_t g = 0; g < N_GRID; g++)
        a[g] /= total;
}

static bool is_valid(const double *row)
{
    for (size_t g = 0; g < N_GRID; g++)
        if (row[g] > 0.0)
            return false;
    return true;
}

static const arm_rows rows = {
    .size = N_GRID, .prior_size = N_GRID, .write_prior = write_prior, .is_valid = is_valid};

static segue_status learn(segue_learner *learner, const open_task *entry, segue_error *err)
{
    const task_internals in = segue_task_internals(entry->task);
    double *log_lik = learner->state;
    for (size_t i = 0; i < in.view->n_arms; i++) {
        const double won = in.sum[i], lost = fmax(0.0, (double)in.pulls[i] - won);
        for (size_t g = 0; g < N_GRID && in.pulls[i] > 0; g++) {
            const beta prior = grid_prior(g);
            log_lik[i * N_GRID + g] += segue_log_beta_ratio(prior.a, prior.b, won, lost);
        }
    }
    return segue_arm_rows_publish(learner, err);
}

const learner_method segue_learner_hier_ts = {
    .info = {.name = "hier-ts",
             .summary = "HierTS of Hong et al.: a Beta prior per arm, on a grid, learned"},
    .rows = &rows,
    .create = segue_arm_rows_create,
    .destroy = segue_arm_rows_destroy,
    .policy = &policy,
    .set_prior = segue_shared_prior_apply,
    .learn = learn,
    .add_arm = segue_arm_rows_add_arm,
    .merge = segue_arm_rows_merge,
    .bytes = segue_arm_rows_bytes,
    .serialize = segue_arm_rows_serialize,
    .deserialize = segue_arm_rows_deserialize,
};
