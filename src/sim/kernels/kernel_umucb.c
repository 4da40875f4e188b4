/* kernel_umucb.c - umUCB by runs of pulls; see bandit/policies/umucb.c for the rule.
 *
 * An arm is pulled until its bound is no longer the largest or the set of models that agree with
 * it changes. Bernoulli rewards are drawn in blocks of 64, so the next ones are known: where the
 * rest of a block, or 8 rewards of it, cannot change either in any order, they are taken at once.
 * Cost: O(n_arms) per change of arm, O(n_models n_arms) per change of the remaining models.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/kernels/arm_cursor.h"

#define FIRST    3 /* pulls of an arm before the first try to take many rewards at once: most arms */
#define INTERVAL 6 /* are pulled once or twice; and the pulls after a try that failed */

/* Update the models that agree with an arm. */
static void update_arm(const kernel_run *run, size_t arm)
{
    arm_state *state = &run->kernel->arm[arm];
    state->agrees = segue_kernel_agreeing(run, arm, run->eps);
    state->band = segue_kernel_band(run, arm);
}

/* Update the remaining models, and the largest mean of each arm among them. */
static void update_models(kernel_run *run)
{
    arm_state *arms = run->kernel->arm;
    uint64_t left = UINT64_MAX;
    for (size_t i = 0; i < run->in.view->n_arms; i++)
        left &= arms[i].agrees;
    for (size_t i = 0; i < run->in.view->n_arms; i++) {
        arms[i].promise = left ? -INFINITY : INFINITY; /* without a model: UCB */
        for (size_t k = 0; left && k < run->models->n_models; k++)
            if (left >> k & 1)
                arms[i].promise = larger(arms[i].promise, mean_of(run, k, i) + run->eps);
    }
    run->models_left = left;
}

static double bound_of(const arm_state *state)
{
    return lesser(state->promise, state->upper);
}

/* Return the first arm with this bound of the first model that has it, as the plain form does. */
static size_t first_of_equals(const kernel_run *run, double value)
{
    const arm_state *arms = run->kernel->arm;
    for (size_t k = 0; k < run->models->n_models; k++)
        for (size_t i = 0; (run->models_left >> k & 1) && i < run->in.view->n_arms; i++)
            if (lesser(mean_of(run, k, i) + run->eps, arms[i].upper) == value)
                return i;
    return 0; /* not reached: some model has that value */
}

/* Return the arm to pull, and the bound of the best other one. */
static size_t choose(const kernel_run *run, double *other)
{
    const arm_state *arms = run->kernel->arm;
    size_t best = 0;
    double value = bound_of(&arms[0]);
    *other = -INFINITY;
    for (size_t i = 1; i < run->in.view->n_arms; i++) {
        const double bound = bound_of(&arms[i]);
        *other = larger(*other, lesser(bound, value));
        if (bound > value) {
            value = bound;
            best = i;
        }
    }
    return *other == value && run->models_left ? first_of_equals(run, value) : best;
}

/* Return true if the next `count` rewards, of which `ones` are 1, change neither the models that
 * agree nor the choice, in any order: with their zeros first an average cannot be lower than
 * `low`, with their ones first not higher than `high`. */
static inline bool can_take(const kernel_run *run, const arm_cursor *cursor, uint64_t count,
                            uint64_t ones, const band *b, double other)
{
    const double *inverse = run->kernel->inverse, *radii = run->kernel->radius;
    const uint64_t pulls = cursor->pulls;
    const double low = (double)(int64_t)cursor->ones * inverse[pulls + count - ones] - 1e-9;
    const double high = (double)(int64_t)(cursor->ones + ones) * inverse[pulls + ones] + 1e-9;
    const double radius = radii[pulls + count], reach = radius + run->eps;
    const double before = radii[pulls] + run->eps;
    return (low + radius > other) & (b->high - low <= reach) & (high - b->low <= reach) &
           (b->above - high > before) & (low - b->below > before);
}

/* Draw the next block if all rewards of the last one are used. */
static inline void fill(arm_cursor *cursor, uint64_t *drawn)
{
    if (cursor->pulls < *drawn)
        return;
    cursor->word = cursor->blocks[cursor->pulls / 64] = segue_arm_stream_block(cursor->stream);
    *drawn += 64;
}

/* Pull for the next `count` rewards of the block, if that is safe. */
static inline bool take(const kernel_run *run, arm_cursor *cursor, uint64_t count, const band *b,
                        double other)
{
    const uint64_t bits = cursor->word & UINT64_MAX >> (64 - count);
    const uint64_t ones = (uint64_t)__builtin_popcountll(bits);
    if (!can_take(run, cursor, count, ones, b, other))
        return false;
    cursor->ones += ones;
    cursor->pulls += count;
    cursor->word = count < 64 ? cursor->word >> count : 0;
    return true;
}

/* Pull for the rest of the block, or for 8 rewards, while that is safe.  The caller has decided to
 * pull at least once more, so a block that is drawn here is used. */
static inline void take_many(const kernel_run *run, arm_cursor *cursor, uint64_t *drawn,
                             const band *b, double other, uint64_t last)
{
    while (cursor->pulls < last) {
        fill(cursor, drawn);
        const uint64_t end = *drawn < last ? *drawn : last, rest = end - cursor->pulls;
        if (!take(run, cursor, rest, b, other) && (rest <= 8 || !take(run, cursor, 8, b, other)))
            break;
    }
}

/* Pull `arm` at least once, then while its bound stays above `other` and the same models agree;
 * returns true if they still do.  Rewards are bits. */
static inline __attribute__((always_inline)) bool pull_bits(kernel_run *run, size_t arm,
                                                            double other)
{
    const double *inverse = run->kernel->inverse, *radii = run->kernel->radius;
    const band b = run->kernel->arm[arm].band;
    arm_cursor cursor = open_cursor(run, arm);
    const uint64_t last = cursor.pulls + run->left;
    uint64_t drawn = (cursor.pulls + 63) / 64 * 64, attempt = cursor.pulls + FIRST;
    bool same = true, ahead = true;
    do {
        fill(&cursor, &drawn);
        cursor.ones += cursor.word & 1;
        cursor.word >>= 1;
        cursor.pulls++;
        const double average = (double)(int64_t)cursor.ones * inverse[cursor.pulls];
        const double radius = radii[cursor.pulls];
        same = is_within(&b, average, radius + run->eps);
        ahead = average + radius > other;
        if (same && ahead && cursor.pulls >= attempt) {
            take_many(run, &cursor, &drawn, &b, other, last);
            attempt = cursor.pulls + INTERVAL;
        }
    } while (same && ahead && cursor.pulls < last);
    close_cursor(run, &cursor, arm, true);
    if (!run->models_left)
        *run->in.no_model_left += cursor.pulls - cursor.first;
    return same;
}

/* Rewards of another law, one by one. */
static bool pull_numbers(kernel_run *run, size_t arm, double other)
{
    const double *inverse = run->kernel->inverse, *radii = run->kernel->radius;
    const band b = run->kernel->arm[arm].band;
    arm_cursor cursor = open_cursor(run, arm);
    const uint64_t last = cursor.pulls + run->left;
    bool same = true, ahead = true;
    do {
        const double average = draw(run, &cursor, arm, false) * inverse[cursor.pulls];
        const double radius = radii[cursor.pulls];
        same = is_within(&b, average, radius + run->eps);
        ahead = average + radius > other;
    } while (same && ahead && cursor.pulls < last);
    close_cursor(run, &cursor, arm, false);
    if (!run->models_left)
        *run->in.no_model_left += cursor.pulls - cursor.first;
    return same;
}

static bool pull_bits_portable(kernel_run *run, size_t arm, double other)
{
    return pull_bits(run, arm, other);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("popcnt"))) static bool pull_bits_popcnt(kernel_run *run, size_t arm,
                                                               double other)
{
    return pull_bits(run, arm, other);
}
#endif

static bool pull(kernel_run *run, size_t arm, double other)
{
    if (!run->bits)
        return pull_numbers(run, arm, other);
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("popcnt"))
        return pull_bits_popcnt(run, arm, other);
#endif
    return pull_bits_portable(run, arm, other);
}

/* Return true if models never matter: none disagrees with an average from 0 to 1, and none limits
 * a bound. */
static bool is_ucb(const kernel_run *run)
{
    for (size_t k = 0; run->models && k < run->models->n_models; k++)
        for (size_t i = 0; i < run->models->n_arms; i++)
            if (!(fabs(mean_of(run, k, i)) + 1.0 + run->kernel->radius[1] <= run->eps))
                return false;
    return true;
}

void segue_kernel_umucb(kernel_run *run)
{
    const size_t n_arms = run->in.view->n_arms;
    run->eps = run->in.view->option[1];
    for (size_t i = 0; i < SEGUE_FORCED_PULLS * n_arms && run->left > 0; i++)
        pull_once(run, i % n_arms);
    *run->in.last_reason = SEGUE_FORCED;
    if (run->left == 0)
        return;
    for (size_t i = 0; i < n_arms; i++)
        run->kernel->arm[i].upper = upper_of(run, i);
    if (is_ucb(run)) {
        segue_kernel_ucb_from_bounds(run);
        return;
    }
    for (size_t i = 0; i < n_arms; i++)
        update_arm(run, i);
    update_models(run);
    while (run->left > 0) {
        double other = 0.0;
        const size_t arm = choose(run, &other);
        *run->in.last_reason = run->models_left == 0 ? SEGUE_NO_MODEL_LEFT : SEGUE_BY_RULE;
        const bool same = pull(run, arm, other);
        run->kernel->arm[arm].upper = upper_of(run, arm);
        if (!same) {
            update_arm(run, arm);
            update_models(run);
        }
    }
}
