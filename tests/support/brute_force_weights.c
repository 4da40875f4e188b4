/* brute_force_weights.c - the weights of rewards of a task without a learner, from its history.
 *
 * Sums of squares are taken around means, and p (1 - p) from all pairs of rewards: x (1 - y) of two
 * rewards has that expectation.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "brute_force.h"

typedef struct squares {
    double within, binary, freedom;
} squares;

/* Of the first `count` rewards of a task, those of one arm; arm n_arms: all. */
static squares squares_of(const brute *b, size_t count, size_t arm)
{
    const history *past = b->past;
    const size_t end = past->task_start + count;
    double T = 0, S = 0;
    squares s = {0};
    for (size_t t = past->task_start; t < end; t++)
        if (arm == b->n_arms || past->arm[t] == arm) {
            T++;
            S += past->reward[t];
        }
    for (size_t t = past->task_start; T > 1 && t < end; t++) {
        const double x = past->reward[t];
        if (arm != b->n_arms && past->arm[t] != arm)
            continue;
        s.within += (x - S / T) * (x - S / T);
        s.binary += x * ((T - 1) - (S - x)) / T; /* x times the sum of 1 - y over the others */
    }
    s.freedom = T > 1 ? T - 1 : 0;
    return s;
}

static double unit_of(const squares *s)
{
    return s->freedom > 0 && s->binary > 0 ? fmin(0.25, s->binary / s->freedom) : 0.25;
}

static double weight_of(const brute *b, size_t count, size_t arm)
{
    const squares own = squares_of(b, count, arm);
    const double expected = fmin(1, b->level);
    const double more = (own.within < expected * own.binary - 1e-12 ? 32 : 8) * b->unit;
    return fmin(1e4, fmax(1, (own.binary + more) / (own.within + more * expected)));
}

/* Take account of reward number `count` of the task. */
static void weigh(brute *b, size_t count)
{
    const size_t last = b->past->arm[b->past->task_start + count - 1];
    const squares all = squares_of(b, count, b->n_arms);
    squares sum = {0};
    for (size_t i = 0; i < b->n_arms; i++) {
        const squares s = squares_of(b, count, i);
        sum.within += 6 / (5 + s.freedom) * s.within;
        sum.binary += 6 / (5 + s.freedom) * s.binary;
        sum.freedom += 6 / (5 + s.freedom) * s.freedom;
    }
    const double unit = unit_of(&sum), one = unit_of(&all);
    const double level =
        (sum.within + unit * (all.within + one) / (all.binary + one)) / (sum.binary + unit);
    const int moved =
        fabs(level - b->level) > 0.03 * b->level || fabs(unit - b->unit) > 0.03 * b->unit;
    b->level = moved ? level : b->level;
    b->unit = moved ? unit : b->unit;
    for (size_t i = 0; i < b->n_arms; i++)
        if (moved || i == last)
            b->weight[i] = weight_of(b, count, i);
}

double brute_weight(brute *b, size_t arm)
{
    const history *past = b->past;
    const size_t count = past->length - past->task_start;
    if (b->weighed > count || b->weighed == 0) {
        b->weighed = 0;
        b->graded = 0;
        b->level = 1;
        b->unit = 0.25;
        for (size_t i = 0; i < b->n_arms; i++)
            b->weight[i] = 1;
    }
    while (b->weighed < count) {
        const double x = past->reward[past->task_start + b->weighed++];
        b->graded = b->graded || (x > 0 && x < 1);
        if (b->graded)
            weigh(b, b->weighed);
    }
    return b->weight[arm];
}
