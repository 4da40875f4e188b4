/* choose.h - functions that policies share: averages, radii, and the largest upper bound.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_CHOOSE_H
#define SEGUE_BANDIT_CHOOSE_H

#include <math.h>

#include "segue/policy.h"

/* Options of several policies, with their defaults and L. */
#define DELTA_OPTION                                                                               \
    {                                                                                              \
        .key = "delta", .help = "probability of failure, 0 to 1 (default 1/n)", .min = 0.0,        \
        .max = 1.0, .open = true, .default_value = NAN                                             \
    }
#define LOG_OPTION                                                                                 \
    {                                                                                              \
        .key = "log", .help = "L = log(m n^2/delta), or with min(m, K) for m (default m)",         \
        .choices = "m|min"                                                                         \
    }
#define N_UCB_OPTIONS 2
extern const segue_option segue_ucb_options[N_UCB_OPTIONS]; /* delta, log */
void segue_ucb_fill_defaults(const segue_setting *setting, double *option);
double segue_ucb_log_term(const segue_setting *setting, const double *option);

/* Options of policies that are also learners. */
extern const segue_option segue_eps_greedy_options[2], segue_bayes_ucb_options[1],
    segue_exp3_options[1];

/* Return UCB's choice with the L of the view: the fallback of other policies. */
size_t segue_ucb_arm(const segue_task_view *view);

/* Return the choice of Thompson sampling with flat priors. */
size_t segue_ts_arm(const segue_task_view *view, segue_rng *rng);

/* UCB on counts that continue from task to task, one set per model index. */
segue_choice segue_carried_ucb_choose(const segue_task_view *view, segue_rng *rng);
void segue_carried_ucb_update(const segue_task_view *view, size_t arm, double reward);
void segue_carried_ucb_fill_defaults(const segue_setting *setting, double *option);
double segue_carried_ucb_log_term(const segue_setting *setting, const double *option);

/* Return a choice by the policy's ordinary rule. */
static inline segue_choice by_rule(size_t arm)
{
    return (segue_choice){.arm = arm, .reason = SEGUE_BY_RULE};
}

/* Replace an option that is NaN. */
static inline void fill_default(double *option, double fallback)
{
    if (isnan(*option))
        *option = fallback;
}

/* Return sqrt(L / 2T), the confidence radius of an average of T > 0 rewards. */
static inline double radius(double log_term, double pulls)
{
    return sqrt(0.5 * log_term * (1.0 / pulls));
}

static inline double average(const segue_task_view *view, size_t arm)
{
    return view->sum[arm] * (1.0 / (double)view->pulls[arm]);
}

/* The average by one division, for policies that compare averages: equal shares of successes are
 * equal numbers, so that ties are found. */
static inline double exact_average(const segue_task_view *view, size_t arm)
{
    return view->sum[arm] / (double)view->pulls[arm];
}

static inline bool is_allowed(const segue_task_view *view, size_t arm)
{
    return !view->allowed || view->allowed[arm];
}

/* Return the number of rewards of an arm that are expected.  An index counts them as if the arm's
 * average had come: the average stays, and the radius shrinks. */
static inline double pending_of(const segue_task_view *view, size_t arm)
{
    return view->pending ? view->pending[arm] : 0.0;
}

/* Return the price of a switch for a policy that does not look ahead: its cost, spread over the pulls
 * to come, at most over the root of the steps t so far. So a task that stays with an arm that is
 * worse by less than the price loses 2 switch_cost sqrt(n) at most, and price 0 would pay for every
 * draw (ADR 59). */
double segue_choose_switch_price(const segue_task_view *view);

/* Return the cost of a pull of an arm now. */
static inline double cost_of(const segue_task_view *view, size_t arm)
{
    if (!view->cost)
        return 0.0;
    return view->cost[arm] + (arm == view->last_arm ? 0.0 : segue_choose_switch_price(view));
}

/* Return true if an ask of this arm has no reward yet. */
static inline bool is_outstanding(const segue_task_view *view, size_t arm)
{
    return view->asked[arm] > view->pulls[arm];
}

/* Return true if `model` lies within radius + slack of every average. An arm without a reward has
 * an infinite radius. */
static inline bool is_compatible(const segue_task_view *view, const double *model, double slack)
{
    for (size_t arm = 0; arm < view->n_arms; arm++) {
        const uint64_t pulls = view->pulls[arm];
        if (pulls > 0 &&
            fabs(model[arm] - average(view, arm)) > radius(view->log_term, (double)pulls) + slack)
            return false;
    }
    return true;
}

/* Return the allowed arm with the fewest asks. */
size_t segue_choose_fewest_asks(const segue_task_view *view);

/* Return the arm with the largest index minus cost; the index is a function of the view, the arm and
 * `context`. Arms
 * without rewards are treated as by largest_bound. */
typedef double (*index_function)(const segue_task_view *view, size_t arm, double context);
size_t segue_choose_largest(const segue_task_view *view, index_function index, double context);

/* Return the best allowed arm of a known model. */
size_t segue_choose_best_arm(const segue_task_view *view, size_t model);

#define MIN_DISCOUNTED_PULLS 1e-300 /* the inverse of fewer pulls would be infinite */

/* The rewards of an arm, perhaps discounted: their number and sum. */
typedef struct arm_counts {
    double pulls, sum;
} arm_counts;

typedef arm_counts (*counts_function)(const segue_task_view *view, size_t arm);

/* Compiled twice: without costs nothing is subtracted. */
static inline size_t find_largest_bound(const segue_task_view *view, counts_function counts,
                                        double width, bool costly)
{
    size_t best = view->n_arms;
    double value = -INFINITY;
    for (size_t arm = 0; arm < view->n_arms; arm++) {
        if (!is_allowed(view, arm))
            continue;
        const arm_counts c = counts(view, arm);
        if (!(c.pulls > MIN_DISCOUNTED_PULLS)) {
            if (!is_outstanding(view, arm))
                return arm;
            continue;
        }
        double bound =
            c.sum * (1.0 / c.pulls) + sqrt(width * (1.0 / (c.pulls + pending_of(view, arm))));
        if (costly)
            bound -= cost_of(view, arm);
        if (bound > value) {
            value = bound;
            best = arm;
        }
    }
    return best < view->n_arms ? best : segue_choose_fewest_asks(view);
}

/* Return the arm with the largest average + sqrt(width / pulls) - cost. An arm without rewards and
 * without an outstanding ask comes first; if every arm waits for its first reward, the one with
 * the fewest asks. */
static inline size_t largest_bound(const segue_task_view *view, counts_function counts,
                                   double width)
{
    return view->cost ? find_largest_bound(view, counts, width, true)
                      : find_largest_bound(view, counts, width, false);
}

/* Return the counts of this task. */
static inline arm_counts task_counts(const segue_task_view *view, size_t arm)
{
    return (arm_counts){.pulls = (double)view->pulls[arm], .sum = view->sum[arm]};
}

#endif
