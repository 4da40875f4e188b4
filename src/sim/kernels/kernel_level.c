/* kernel_level.c - UCB and UCB+ from level to level, for rewards of 0 and 1.
 *
 * Take any number x, and the first step of the plain form at which no bound is above x.  Until then
 * the largest bound was above x, so that an arm was pulled only while its own bound was; and by
 * then each has come down to x.  Arm i has therefore been pulled T_i(x) times: until its bound was
 * at most x for the first time.  That follows from the rewards of arm i alone.  In which order the
 * arms were pulled, and who came first of equals, does not show in it.  So if the sum of the T_i(x)
 * is not more than the steps of the task, the plain form passes through that state, whatever x is;
 * it is reached here arm by arm, without a choice.  The last steps, where a level would need too
 * many pulls, are left to the choices of kernel_ucb.c.
 *
 * Which x to try next is a guess, on which only the time depends.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/kernels/kernel_run.h"

#define SHARE     0.7 /* of the pulls that are left, how many a level aims at */
#define MIN_SHARE 0.1 /* after so many levels that needed too many pulls, leave it */
#define HALVINGS  5   /* of an interval, to guess a level */

/* Pull the arm until its bound is at most x; false if it is not by `last` pulls.  Eight pulls that
 * all bring 0 lead to the lowest bounds, and of these the eighth is the lowest: both tables fall,
 * and rounding keeps the order.  If even that is above x, none of the eight needs a look. */
static bool descend(game *g, arm_trial *trial, size_t arm, double x, uint64_t last)
{
    const double *inverse = g->kernel->inverse, *radii = g->kernel->radius;
    hand h = trial->hand;
    double upper = trial->upper;
    while (upper > x && h.pulls < last) {
        const uint64_t then = h.pulls + 8;
        if (h.pulls % 8 == 0 && then <= last &&
            (double)(int64_t)h.ones * inverse[then] + radii[then] > x)
            draw_eight(&h);
        else
            upper = draw(g, &h, arm, true) * inverse[h.pulls] + radii[h.pulls];
    }
    trial->hand = h;
    trial->upper = upper;
    return upper <= x;
}

/* Bring every bound down to x, on trial; false if there are too few steps for it. */
static bool try_level(game *g, double x)
{
    uint64_t left = g->left;
    for (size_t i = 0; i < g->in.view->n_arms; i++) {
        arm_trial *trial = &g->kernel->trial[i];
        trial->upper = g->kernel->arm[i].upper;
        trial->hand = open_cursor(g, i);
        if (!(trial->upper > x))
            continue;
        trial->stream = *trial->hand.stream; /* the world's stays, should this fail */
        trial->hand.stream = &trial->stream;
        if (!descend(g, trial, i, x, trial->hand.pulls + left))
            return false;
        left -= trial->hand.pulls - trial->hand.first;
    }
    return true;
}

/* Make the trial the truth; false if it pulled nothing. */
static bool keep_level(game *g)
{
    const uint64_t before = g->left;
    for (size_t i = 0; i < g->in.view->n_arms; i++) {
        const arm_trial *trial = &g->kernel->trial[i];
        if (trial->hand.pulls == trial->hand.first)
            continue;
        close_cursor(g, &trial->hand, i, true);
        g->kernel->arm[i].upper = trial->upper;
        *segue_simulated_task_stream(g->world, i) = trial->stream;
    }
    return g->left < before;
}

/* About how many more pulls it takes to bring every bound down to x: an arm of average c has
 * c + sqrt(L / 2T) = x. */
static double pulls_to(const game *g, double x)
{
    double pulls = 0.0;
    for (size_t i = 0; i < g->in.view->n_arms; i++) {
        if (!(g->kernel->arm[i].upper > x))
            continue;
        const double distance = x - average_of(g, i);
        pulls += 0.5 * g->kernel->log_term / (distance * distance) - (double)g->in.pulls[i];
    }
    return pulls;
}

/* A level that takes about so many pulls, or fewer. */
static double level_after(const game *g, double pulls)
{
    double low = 0.0, high = 0.0; /* the largest average and bound */
    for (size_t i = 0; i < g->in.view->n_arms; i++) {
        if (g->in.pulls[i] == 0)
            continue;
        low = larger(low, average_of(g, i));
        high = larger(high, g->kernel->arm[i].upper);
    }
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = 0.5 * (low + high);
        if (pulls_to(g, middle) > pulls)
            low = middle;
        else
            high = middle;
    }
    return high;
}

void segue_kernel_level(game *g)
{
    const size_t n_arms = g->in.view->n_arms;
    const uint64_t few = 4 * n_arms + g->left / 32; /* for which a level does not pay */
    /* No bound of T pulls is above 1 + radius(T): to begin with, no arm goes beyond its share. */
    double level = 1.0 + g->kernel->radius[g->left / n_arms], share = SHARE;
    while (g->left > few && share > MIN_SHARE) {
        share = try_level(g, level) && keep_level(g) ? SHARE : 0.5 * share;
        level = level_after(g, share * (double)g->left);
    }
}
