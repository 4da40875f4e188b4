/* belief.c - a mixture of Beta products, or of points, and its posterior.
 *
 * A reward x of an arm of which component q expects mean mu = a / (a + b) multiplies its weight by
 * mu^x (1 - mu)^(1 - x), normalised, and makes its Beta(a + x, b + 1 - x). Rewards between 0 and 1
 * count as parts of a success and of a failure.
 *
 * A Thompson draw is screened: it draws the leading arm, and the other arms only above it
 * (core/random/beta.c). The leader cache holds a bound of the others' probabilities until one of
 * them gets a reward; while it holds, most draws need no Beta number at all.
 *
 * Cost O(n_components) per reward, O(n_components + n_arms) per draw.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/belief.h"

#include <math.h>

#include "core/math/exp.h"
#include "core/math/ln.h"
#include "core/math/log_gamma.h"
#include "core/random/beta.h"
#include "core/random/rng_sample.h"

/* A component with a positive weight stays above this, so that it can recover. */
#define MIN_WEIGHT       1e-200
#define MIN_DRAWN_WEIGHT 1e-9 /* components of less weight are not drawn when sharpened */

#define FAR_BELOW                                                                                  \
    2.4 /* standard deviations of the bar below the leader's mean: most draws are above */
#define MAX_PROBABILITY 0.5 /* a larger probability to be below the bar is of no use */

segue_prior segue_belief_flat_prior(size_t n_arms, const double *ones)
{
    return (segue_prior){
        .n_components = 1, .n_arms = n_arms, .weight = ones, .a = ones, .b = ones, .draws = 1.0};
}

segue_prior segue_belief_point_prior(const segue_models *models)
{
    return (segue_prior){.n_components = models->n_models,
                         .n_arms = models->n_arms,
                         .weight = models->weight,
                         .a = models->mean};
}

/* Return pulls - won, at least 0: sums of fractions are rounded. */
static inline double lost_of(double pulls, double won)
{
    return pulls > won ? pulls - won : 0.0;
}

/* Return the mean of a component after `pulls` rewards of an arm with this sum. */
static double mean_after(const segue_prior *prior, size_t index, double pulls, double sum)
{
    if (!prior->b)
        return fmin(1.0, fmax(0.0, prior->a[index])); /* an estimated mean may lie outside [0, 1] */
    const double a = prior->a[index] + sum;
    return a / (a + (prior->b[index] + lost_of(pulls, sum)));
}

double segue_belief_mean(const segue_belief *belief, size_t component, size_t arm)
{
    const double each = segue_belief_reward_weight(belief, arm);
    return mean_after(&belief->prior, component * belief->prior.n_arms + arm,
                      each * (double)belief->pulls[arm], each * belief->sum[arm]);
}

double segue_belief_step_size(const segue_belief *belief, size_t component, size_t arm)
{
    const segue_prior *prior = &belief->prior;
    const size_t index = component * prior->n_arms + arm;
    const double pulls = segue_belief_reward_weight(belief, arm) * (double)belief->pulls[arm];
    const double pending = belief->pending ? belief->pending[arm] : 0.0;
    return prior->b ? 1.0 / (prior->a[index] + prior->b[index] + pulls + pending) : 0.0;
}

bool segue_belief_is_possible(const segue_belief *belief)
{
    for (size_t q = 0; q < belief->prior.n_components; q++)
        if (belief->weight[q] > 0.0)
            return true;
    return false;
}

/* Return the likelihood of a reward under a mean, up to a factor that all components share. */
static double likelihood(double mean, double reward)
{
    if (reward == 1.0)
        return mean;
    if (reward == 0.0)
        return 1.0 - mean;
    return segue_exp(reward * segue_ln(mean) + (1.0 - reward) * segue_log1p(-mean));
}

/* Update the weights of Betas by a reward of 0 or 1, the most common case; returns their sum. */
static double weigh_by_bit(const segue_prior *prior, size_t arm, bool success, double won,
                           double lost, double *weight)
{
    double total = 0.0;
    for (size_t q = 0; q < prior->n_components; q++) {
        const size_t index = q * prior->n_arms + arm;
        const double a = prior->a[index] + won, b = prior->b[index] + lost;
        weight[q] *= (success ? a : b) / (a + b);
        total += weight[q];
    }
    return total;
}

/* Update the weights of any components by any reward; returns their sum. */
static double weigh(const segue_prior *prior, size_t arm, double reward, double pulls, double sum,
                    double *weight)
{
    double total = 0.0;
    for (size_t q = 0; q < prior->n_components; q++) {
        weight[q] *= likelihood(mean_after(prior, q * prior->n_arms + arm, pulls, sum), reward);
        total += weight[q];
    }
    return total;
}

void segue_belief_update(const segue_belief *belief, size_t arm, double reward, double *weight)
{
    const segue_prior *prior = &belief->prior;
    const double pulls = (double)belief->pulls[arm] - 1.0;
    const double sum = lost_of(belief->sum[arm], reward);
    const bool bit = prior->b && (reward == 0.0 || reward == 1.0);
    const double total =
        bit ? weigh_by_bit(prior, arm, reward > 0.0, sum, lost_of(pulls, sum), weight)
            : weigh(prior, arm, reward, pulls, sum, weight);
    for (size_t q = 0; q < prior->n_components; q++)
        if (weight[q] > 0.0) {
            const double share = weight[q] / total;
            weight[q] = share > MIN_WEIGHT ? share : MIN_WEIGHT;
        }
}

/* ---- weights of rewards -------------------------------------------------------------------- */

/* Return the log likelihood of counts of an arm, each of a weight, under a component. */
static double log_likelihood(const segue_prior *prior, size_t index, double each, double pulls,
                             double sum)
{
    return segue_log_beta_ratio(prior->a[index], prior->b[index], each * sum,
                                each * lost_of(pulls, sum));
}

/* Compute the log weights from all rewards. */
static void recount(const segue_belief *belief, double *counted, double *log_weight)
{
    const segue_prior *prior = &belief->prior;
    for (size_t q = 0; q < prior->n_components; q++)
        log_weight[q] = segue_ln(prior->weight[q]);
    for (size_t arm = 0; arm < prior->n_arms; arm++) {
        counted[arm] = belief->reward_weight[arm];
        for (size_t q = 0; belief->pulls[arm] > 0 && q < prior->n_components; q++)
            log_weight[q] += log_likelihood(prior, q * prior->n_arms + arm, counted[arm],
                                            (double)belief->pulls[arm], belief->sum[arm]);
    }
}

/* Replace the likelihood of one arm. */
static void recount_arm(const segue_belief *belief, size_t arm, double reward, double *counted,
                        double *log_weight)
{
    const segue_prior *prior = &belief->prior;
    const double pulls = (double)belief->pulls[arm], sum = belief->sum[arm];
    const double now = belief->reward_weight[arm], before = counted[arm];
    for (size_t q = 0; q < prior->n_components; q++) {
        const size_t index = q * prior->n_arms + arm;
        log_weight[q] += log_likelihood(prior, index, now, pulls, sum) -
                         log_likelihood(prior, index, before, pulls - 1.0, lost_of(sum, reward));
    }
    counted[arm] = now;
}

/* Return true if another arm has rewards whose weight changed. */
static bool others_changed(const segue_belief *belief, size_t arm, const double *counted)
{
    for (size_t i = 0; i < belief->prior.n_arms; i++)
        if (i != arm && belief->pulls[i] > 0 && belief->reward_weight[i] != counted[i])
            return true;
    return counted[0] == 0.0;
}

void segue_belief_update_weighted(const segue_belief *belief, size_t arm, double reward,
                                  double *counted, double *log_weight, double *weight)
{
    const size_t count = belief->prior.n_components;
    double max = -INFINITY, total = 0.0;
    if (others_changed(belief, arm, counted))
        recount(belief, counted, log_weight);
    else
        recount_arm(belief, arm, reward, counted, log_weight);
    for (size_t q = 0; q < count; q++)
        max = fmax(max, log_weight[q]);
    for (size_t q = 0; q < count; q++)
        total += weight[q] = segue_exp(log_weight[q] - max);
    for (size_t q = 0; q < count; q++)
        if (weight[q] > 0.0 || belief->prior.weight[q] > 0.0)
            weight[q] = fmax(MIN_WEIGHT, weight[q] / total);
}

/* ---- draws ----------------------------------------------------------------------------------- */

static double sharpen(double weight, double power)
{
    return weight > MIN_DRAWN_WEIGHT ? segue_exp(power * segue_ln(weight)) : 0.0;
}

/* Draw a component by its weight raised to a power. */
static size_t draw_sharpened(const segue_belief *belief, segue_rng *rng)
{
    const double power = belief->power;
    double total = 0.0;
    size_t last = 0;
    for (size_t q = 0; q < belief->prior.n_components; q++)
        total += sharpen(belief->weight[q], power);
    double rest = segue_rng_uniform(rng) * total;
    for (size_t q = 0; q < belief->prior.n_components && rest >= 0.0; q++) {
        const double sharpened = sharpen(belief->weight[q], power);
        rest -= sharpened;
        last = sharpened > 0.0 ? q : last;
    }
    return last;
}

size_t segue_belief_draw_component(const segue_belief *belief, segue_rng *rng)
{
    const size_t count = belief->prior.n_components;
    if (count == 1)
        return 0;
    return belief->power > 1.0 ? draw_sharpened(belief, rng)
                               : segue_rng_index(rng, belief->weight, count);
}

/* Beta(a, b) of an arm under a component, after its rewards. */
typedef struct posterior {
    double a, b;
} posterior;

static inline posterior posterior_of(const segue_belief *belief, size_t component, size_t arm)
{
    const size_t index = component * belief->prior.n_arms + arm;
    const double each = segue_belief_reward_weight(belief, arm);
    const double won = each * belief->sum[arm];
    const double pulls = each * (double)(int64_t)belief->pulls[arm];
    return (posterior){.a = belief->sharpness * (belief->prior.a[index] + won),
                       .b = belief->sharpness * (belief->prior.b[index] + lost_of(pulls, won))};
}

/* Write the posteriors of all arms to the scratch memory. */
static segue_beta_array collect_posteriors(const segue_belief *belief, size_t component)
{
    const size_t n_arms = belief->prior.n_arms;
    double *a = belief->scratch, *b = a + n_arms;
    for (size_t arm = 0; arm < n_arms; arm++) {
        const posterior p = posterior_of(belief, component, arm);
        a[arm] = p.a;
        b[arm] = p.b;
    }
    return (segue_beta_array){.a = a, .b = b, .count = n_arms};
}

/* The best arm so far, and its drawn mean. */
typedef struct winner {
    size_t arm;
    double value;
} winner;

static void challenge(winner *best, size_t arm, double value)
{
    if (value > best->value)
        *best = (winner){.arm = arm, .value = value};
}

/* Return the first arm with the largest mean of a point, minus its cost. */
static size_t best_point(const segue_belief *belief, size_t component)
{
    const double *mean = belief->prior.a + component * belief->prior.n_arms;
    winner best = {.value = -INFINITY};
    for (size_t arm = 0; arm < belief->prior.n_arms; arm++)
        if (segue_belief_allows(belief, arm))
            challenge(&best, arm, mean[arm] - segue_belief_cost(belief, arm));
    return best.arm;
}

/* Draw every mean in turn; returns the best arm. */
static size_t draw_all(const segue_belief *belief, size_t component, segue_rng *rng)
{
    winner best = {.value = -INFINITY};
    for (size_t arm = 0; arm < belief->prior.n_arms; arm++) {
        if (!segue_belief_allows(belief, arm))
            continue;
        const posterior p = posterior_of(belief, component, arm);
        challenge(&best, arm, segue_rng_beta(rng, p.a, p.b) - segue_belief_cost(belief, arm));
    }
    return best.arm;
}

/* Return the arm with the largest mean. */
static size_t leader_of(const segue_beta_array *betas)
{
    double a = betas->a[0], b = betas->b[0];
    size_t leader = 0;
    for (size_t arm = 1; arm < betas->count; arm++)
        if (betas->a[arm] * b > a * betas->b[arm]) {
            a = betas->a[arm];
            b = betas->b[arm];
            leader = arm;
        }
    return leader;
}

/* Draw the other arms above the leader, each with probability bound c: the first is drawn if u <
 * c, the second if (u - c) / (1 - c) is below its own bound, and so on. Arms without a bound are
 * drawn directly. */
static size_t try_others(const segue_beta_array *betas, winner leader, double u,
                         const ziggurat *fast, segue_rng *rng)
{
    winner best = leader;
    for (size_t arm = 0; arm < betas->count; arm++) {
        if (arm == leader.arm)
            continue;
        const double a = betas->a[arm], b = betas->b[arm];
        const double c = segue_beta_tail_bound(leader.value, a, b);
        if (!(c < 1.0)) {
            challenge(&best, arm, segue_beta_draw(fast, rng, a, b));
        } else if (u >= c) {
            u = (u - c) / (1.0 - c);
        } else {
            challenge(&best, arm, segue_beta_draw_above(leader.value, c, rng, a, b));
            u = segue_rng_uniform(rng);
        }
    }
    return best.arm;
}

/* Find the leader, the bar below it, and the bound of the others' probabilities to exceed the bar.
 */
static void update_leader_cache(segue_leader_cache *leader, const segue_belief *belief,
                                size_t component)
{
    const segue_beta_array betas = collect_posteriors(belief, component);
    leader->component = component;
    leader->sharpness = belief->sharpness;
    leader->arm = leader_of(&betas);
    const double a = betas.a[leader->arm], n = a + betas.b[leader->arm], mean = a / n;
    leader->bar = mean - FAR_BELOW * sqrt(mean * (1.0 - mean) / (n + 1.0));
    leader->probability =
        leader->bar > 0.0 ? segue_beta_tail_bound_sum(leader->bar, &betas, leader->arm) : INFINITY;
    leader->holds = leader->probability < 1.0;
}

/* Return a bound of the probability that the leader's mean is below the bar; infinite without a
 * useful one. */
static double probability_below(const segue_leader_cache *leader, posterior p)
{
    const double probability =
        leader->holds ? segue_beta_tail_bound(1.0 - leader->bar, p.b, p.a) : INFINITY;
    return probability < MAX_PROBABILITY ? probability : INFINITY;
}

/* Draw the leader's mean. With a probability < 1, u < probability means that it may be below the
 * bar; otherwise u was not used. *u is uniform again afterwards. */
static double draw_leader(posterior p, double bar, double probability, double *u,
                          const ziggurat *fast, segue_rng *rng)
{
    double x = segue_beta_draw(fast, rng, p.a, p.b);
    if (!(probability < 1.0))
        return x;
    if (*u < probability) {
        const double above = segue_beta_draw_above(1.0 - bar, probability, rng, p.b, p.a);
        *u = segue_rng_uniform(rng);
        if (above > 0.0)
            return 1.0 - above;
    } else {
        *u = (*u - probability) / (1.0 - probability);
    }
    while (x < bar)
        x = segue_beta_draw(fast, rng, p.a, p.b);
    return x;
}

/* Draw the best arm with fewer random numbers: the leader is drawn, and the others only above it.
 * If u exceeds the sum of all bounds (the leader below the bar, the others above it) the leader
 * wins without a draw. */
static size_t draw_screened(const segue_belief *belief, size_t component, const ziggurat *fast,
                            segue_rng *rng)
{
    segue_leader_cache *leader = belief->leader;
    if (!leader->holds || leader->component != component || leader->sharpness != belief->sharpness)
        update_leader_cache(leader, belief, component);
    const posterior p = posterior_of(belief, component, leader->arm);
    const double probability = probability_below(leader, p);
    double u = segue_rng_uniform(rng);
    if (u >= probability + leader->probability)
        return leader->arm;
    const double x = draw_leader(p, leader->bar, probability, &u, fast, rng);
    leader->holds &= x >= leader->bar; /* below the bar it may not lead any more */
    if (leader->holds && u >= leader->probability)
        return leader->arm;
    const segue_beta_array betas = collect_posteriors(belief, component);
    return try_others(&betas, (winner){.arm = leader->arm, .value = x}, u, fast, rng);
}

size_t segue_belief_thompson(const segue_belief *belief, const ziggurat *fast, segue_rng *rng)
{
    const segue_prior *prior = &belief->prior;
    const size_t component = segue_belief_draw_component(belief, rng);
    if (!prior->b)
        return best_point(belief, component);
    if (belief->allowed || belief->cost || (prior->n_components == 1 && !fast))
        return draw_all(belief, component, rng);
    return draw_screened(belief, component, fast, rng);
}
