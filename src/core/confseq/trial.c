/* trial.c - the effect in a randomized trial whose share of control may change.
 *
 * Subject i gets control with probability p_i, which depends only on what was finished before.  Its
 * weight w is 1 / p_i in the control group and 1 / (1 - p_i) among the treated.  The effect is the
 * difference D of the weighted means (Hajek 1971), which estimates the mean effect over all
 * subjects.  N (D - effect) is, up to terms of lower order, a martingale with the variance
 *
 *     V = sum of w^2 (x - mean)^2  over both groups,
 *
 * so it is a Brownian motion at the time V, and confseq.c has its boundary.  In the terms of that
 * file: a weighted sample has the size n = (sum w)^2 / sum w^2 (Kish 1965) and the variance
 * sum w^2 (x - mean)^2 / sum w^2, hence Var(D) = v0/n0 + v1/n1.  The boundary's time is V divided by
 * a constant.  With a constant share that is the effective sample size I of confseq.c, if the constant
 * is (p (1 - p))^2 of that share.  Here it is that of the first subject, so that it is known before:
 *
 *     time = I clock,   clock = (first p (1 - p) times the mean of 1 / (p_i (1 - p_i)))^2.
 *
 * A constant share gives clock = 1 and equal weights: the interval of segue_confseq_difference.
 * docs/math.md derives it; tests/unit/service/test_effect_coverage.c measures it.
 *
 * Cost: O(1) per subject.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/confseq/trial.h"

#include <math.h>

/* ---- counting ---------------------------------------------------------------------------- */

/* West 1979: weighted running moments. */
static void add_weighted(segue_trial_group *g, double x, double w)
{
    const double w2 = w * w;
    segue_stats_add(&g->plain, x);
    g->weight += w;
    g->weight2 += w2;
    g->mean += (w / g->weight) * (x - g->mean);
    const double before = x - g->mean2;
    g->mean2 += (w2 / g->weight2) * before;
    g->squares2 += w2 * before * (x - g->mean2);
}

static bool compares(double share)
{
    return share >= SEGUE_TRIAL_MIN_SHARE && share <= 1.0 - SEGUE_TRIAL_MIN_SHARE;
}

bool segue_trial_add(segue_trial *trial, bool control, double share, double outcome)
{
    if (!compares(share))
        return false;
    const double spread = share * (1.0 - share);
    if (segue_trial_count(trial) == 0)
        trial->first = spread;
    trial->inverse += 1.0 / spread;
    add_weighted(&trial->group[control ? SEGUE_TRIAL_CONTROL : SEGUE_TRIAL_TREATED], outcome,
                 1.0 / (control ? share : 1.0 - share));
    return true;
}

uint64_t segue_trial_count(const segue_trial *trial)
{
    return trial->group[SEGUE_TRIAL_TREATED].plain.count +
           trial->group[SEGUE_TRIAL_CONTROL].plain.count;
}

/* ---- the interval ------------------------------------------------------------------------ */

/* Squared distances from the mean by w: those from mean2, shifted.  The variance is at least that
 * without weights: a few heavy outcomes may happen to be equal. */
static segue_confseq_moments moments_of(const segue_trial_group *g)
{
    const double size = g->weight / g->weight2 * g->weight, shift = g->mean2 - g->mean;
    const double variance =
        fmax(g->squares2 / g->weight2 + shift * shift, g->plain.squares / (double)g->plain.count);
    return (segue_confseq_moments){.size = size, .mean = g->mean, .squares = variance * size};
}

static double clock_of(double first, double inverse, double count)
{
    const double ratio = first * inverse / count;
    return ratio * ratio;
}

static bool has_interval(const segue_trial *trial)
{
    return trial->group[SEGUE_TRIAL_TREATED].plain.count >= 2 &&
           trial->group[SEGUE_TRIAL_CONTROL].plain.count >= 2;
}

bool segue_trial_interval(const segue_trial *trial, double range, segue_confseq *out)
{
    if (!has_interval(trial))
        return false;
    const segue_confseq_moments treated = moments_of(&trial->group[SEGUE_TRIAL_TREATED]),
                                control = moments_of(&trial->group[SEGUE_TRIAL_CONTROL]);
    *out = segue_confseq_of_moments(
        &treated, &control, range,
        clock_of(trial->first, trial->inverse, (double)segue_trial_count(trial)));
    return true;
}

/* ---- how long until it excludes zero ----------------------------------------------------- */

/* The moments of a group after `more` subjects, each in the group with probability p: the expected
 * sums of w and w^2 of a subject are 1 and 1/p. */
static segue_confseq_moments moments_after(const segue_trial_group *g, double more, double p)
{
    segue_confseq_moments now = moments_of(g);
    const double weight = g->weight + more, size = weight / (g->weight2 + more / p) * weight;
    now.squares *= size / now.size;
    now.size = size;
    return now;
}

static double width_after(const segue_trial *trial, double range, double share, uint64_t more)
{
    const double count = (double)segue_trial_count(trial), k = (double)more;
    const segue_confseq_moments treated = moments_after(&trial->group[SEGUE_TRIAL_TREATED], k,
                                                        1.0 - share),
                                control =
                                    moments_after(&trial->group[SEGUE_TRIAL_CONTROL], k, share);
    return segue_confseq_of_moments(
               &treated, &control, range,
               clock_of(trial->first, trial->inverse + k / (share * (1.0 - share)), count + k))
        .half_width;
}

/* Double the number until the width suffices, then halve the bracket. */
uint64_t segue_trial_subjects_until(const segue_trial *trial, double range, double share,
                                    double effect, uint64_t max)
{
    if (!has_interval(trial) || !compares(share) || !(effect > 0.0))
        return UINT64_MAX;
    if (width_after(trial, range, share, 0) < effect)
        return 0;
    uint64_t low = 0, high = 1;
    while (high < max && !(width_after(trial, range, share, high) < effect)) {
        low = high;
        high = high < max / 2 ? 2 * high : max;
    }
    if (!(width_after(trial, range, share, high) < effect))
        return UINT64_MAX;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (width_after(trial, range, share, middle) < effect)
            high = middle;
        else
            low = middle;
    }
    return high;
}
