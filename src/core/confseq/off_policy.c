/* off_policy.c - what another policy would have earned, from the steps of the one that played.
 *
 * Step t has the caller's arm A, its reward R in [0, 1] and the weight w = p(A) / q(A).  Given the
 * past, E[w R] is the sum over arms with q > 0 of p(a) times the mean reward of a: at most what the
 * candidate expects.  The same holds for 1 - R.  So with D the candidate's expected reward minus
 * the caller's at this step,
 *
 *     E[(w - 1) R] <= D,      E[(w - 1)(1 - R)] <= -D,
 *
 * with equality if the caller pulls every arm that the candidate might pull.  Cutting w, or a q
 * that is larger than the true one, makes the left sides smaller: lower bounds of their means bound
 * D from both sides in every case (Manski 1990 has the case without probabilities).
 *
 * Both numbers x are at least -1 and may be large.  With a guess g in [-1, 0] that is fixed before
 * the step, and 0 < l < 1,
 *
 *     exp(l (x - g) - psi (x - g)^2) <= 1 + l (x - g),    psi = -log(1 - l) - l
 *
 * (Fan, Grama and Liu 2015), so exp(l sum(x - E x) - psi sum (x - g)^2) is a supermartingale
 * (Waudby-Smith, Wu, Ramdas, Karampatziakis and Mineiro 2024, "Anytime-valid off-policy
 * inference").  A uniform mixture over N_RATES values of l is one, too, and by Ville's inequality it
 * stays below 2 / alpha at all times with probability 1 - alpha / 2.  Solved for the mean of E x it
 * gives each bound.  The means E x may change from step to step in any way.
 *
 * The guess is the mean of the blocks before.  Adding a step uses no function of the C library:
 * service and recovery compute the same bytes on every machine.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/confseq/off_policy.h"

#include <math.h>

#include "core/math/exp.h"
#include "core/math/ln.h"

#define N_RATES  14 /* l = 1/2, 1/4, ...: the last is the best at a sum of squares of 3e9 */
#define ALPHA    (1.0 - SEGUE_CONFSEQ_LEVEL)
#define HALVINGS 40

/* ---- adding ------------------------------------------------------------------------------ */

static void add(segue_off_policy_side *side, double x)
{
    const double distance = x - side->guess;
    side->sum += x;
    side->squares += distance * distance;
}

void segue_off_policy_add(segue_off_policy *o, double p, double q, double reward)
{
    double weight = p / q;
    o->steps++;
    if (!(weight <= SEGUE_OFF_POLICY_MAX_WEIGHT)) {
        weight = SEGUE_OFF_POLICY_MAX_WEIGHT;
        o->cut++;
    }
    add(&o->gain, (weight - 1.0) * reward);
    add(&o->loss, (weight - 1.0) * (1.0 - reward));
}

static void renew_guess(segue_off_policy_side *side, double steps)
{
    const double mean = side->sum / steps;
    side->guess = mean < -1.0 ? -1.0 : mean > 0.0 ? 0.0 : mean;
}

void segue_off_policy_end_block(segue_off_policy *o)
{
    if (o->steps == 0)
        return;
    renew_guess(&o->gain, (double)o->steps);
    renew_guess(&o->loss, (double)o->steps);
}

/* ---- the interval ------------------------------------------------------------------------ */

/* The exponent of rate i is `slope` times (sum of x - sum of means), minus `penalty`. */
typedef struct exponents {
    double slope[N_RATES], penalty[N_RATES];
} exponents;

static exponents exponents_of(const segue_off_policy_side *side)
{
    exponents e;
    double rate = 1.0;
    for (int i = 0; i < N_RATES; i++) {
        rate /= 2.0;
        e.slope[i] = rate;
        e.penalty[i] = (-segue_log1p(-rate) - rate) * side->squares;
    }
    return e;
}

/* The supermartingale, if the sum of x is `above` its mean. */
static double mixture(const exponents *e, double above)
{
    double sum = 0.0;
    for (int i = 0; i < N_RATES; i++)
        sum += segue_exp(e->slope[i] * above - e->penalty[i]);
    return sum / N_RATES;
}

/* How far above its mean the sum may be if the largest exponent must stay below `log_limit`. */
static double above_by_one(const exponents *e, double log_limit)
{
    double min = INFINITY;
    for (int i = 0; i < N_RATES; i++)
        min = fmin(min, (log_limit + e->penalty[i]) / e->slope[i]);
    return min;
}

/* A lower bound of the sum of the means: where the mixture reaches its limit.  One rate alone, with
 * all of the mixture or with its share of it, brackets it. */
static double lower_bound(const segue_off_policy_side *side)
{
    const double limit = 2.0 / ALPHA;
    const exponents e = exponents_of(side);
    double low = above_by_one(&e, segue_ln(limit)),
           high = above_by_one(&e, segue_ln(limit * N_RATES));
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = 0.5 * (low + high);
        if (mixture(&e, middle) > limit)
            high = middle;
        else
            low = middle;
    }
    return side->sum - high;
}

bool segue_off_policy_interval(const segue_off_policy *o, segue_confseq *out)
{
    const double steps = (double)o->steps;
    if (o->steps == 0)
        return false;
    const double low = lower_bound(&o->gain) / steps, high = -lower_bound(&o->loss) / steps;
    *out = (segue_confseq){.difference = 0.5 * (o->gain.sum - o->loss.sum) / steps,
                           .low = fmax(low, -1.0),
                           .high = fmin(high, 1.0),
                           .half_width = 0.5 * (high - low)};
    return true;
}
