/* kernel_level.c - UCB and UCB+ from level to level, for rewards of 0 and 1.
 *
 * Take any number x, and the first step of the plain form at which no bound is above x. Until then
 * the largest bound was above x, so that an arm was pulled only while its own bound was; by then
 * each bound has come down to x. So arm i was pulled T_i(x) times: until its bound was at most x
 * for the first time. That follows from the rewards of arm i alone, whatever the order of the arms
 * and the ties. If the sum of the T_i(x) is not more than the steps of the task, the plain form
 * passes through that state, for any x; this kernel reaches it arm by arm, without a choice. The
 * last steps, where a level would need too many pulls, are left to the choices of kernel_ucb.c.
 *
 * The next x is a guess; only the time depends on it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/kernels/arm_cursor.h"

#define TARGET_SHARE 0.7 /* share of the remaining pulls that a level aims at */
#define MIN_SHARE    0.1 /* stop after levels that failed down to this share */
#define MAX_HALVINGS 5   /* of the interval in which a level is guessed */

/* Pull the arm until its bound is at most x; false if it is not after `last` pulls. Eight pulls
 * with reward 0 give the lowest bounds, and of these the eighth is the lowest: both tables fall,
 * and rounding preserves the order. If even that is above x, all eight are drawn at once. */
static bool descend(kernel_run *run, arm_trial *trial, size_t arm, double x, uint64_t last)
{
    const double *inverse = run->kernel->inverse, *radii = run->kernel->radius;
    arm_cursor cursor = trial->cursor;
    double upper = trial->upper;
    while (upper > x && cursor.pulls < last) {
        const uint64_t then = cursor.pulls + 8;
        if (cursor.pulls % 8 == 0 && then <= last &&
            (double)(int64_t)cursor.ones * inverse[then] + radii[then] > x)
            draw_eight(&cursor);
        else
            upper = draw(run, &cursor, arm, true) * inverse[cursor.pulls] + radii[cursor.pulls];
    }
    trial->cursor = cursor;
    trial->upper = upper;
    return upper <= x;
}

/* Try to bring every bound down to x; false if there are too few steps. */
static bool try_level(kernel_run *run, double x)
{
    uint64_t left = run->left;
    for (size_t i = 0; i < run->in.view->n_arms; i++) {
        arm_trial *trial = &run->kernel->trial[i];
        trial->upper = run->kernel->arm[i].upper;
        trial->cursor = open_cursor(run, i);
        if (!(trial->upper > x))
            continue;
        trial->stream = *trial->cursor.stream; /* a copy: the task's stream stays if this fails */
        trial->cursor.stream = &trial->stream;
        if (!descend(run, trial, i, x, trial->cursor.pulls + left))
            return false;
        left -= trial->cursor.pulls - trial->cursor.first;
    }
    return true;
}

/* Commit the trial; false if it pulled nothing. */
static bool commit_level(kernel_run *run)
{
    const uint64_t before = run->left;
    for (size_t i = 0; i < run->in.view->n_arms; i++) {
        const arm_trial *trial = &run->kernel->trial[i];
        if (trial->cursor.pulls == trial->cursor.first)
            continue;
        close_cursor(run, &trial->cursor, i, true);
        run->kernel->arm[i].upper = trial->upper;
        *segue_simulated_task_stream(run->simulated, i) = trial->stream;
    }
    return run->left < before;
}

/* Estimate the pulls that bring every bound down to x: an arm of average c has c + sqrt(L / 2T) =
 * x. */
static double pulls_to(const kernel_run *run, double x)
{
    double pulls = 0.0;
    for (size_t i = 0; i < run->in.view->n_arms; i++) {
        if (!(run->kernel->arm[i].upper > x))
            continue;
        const double distance = x - average_of(run, i);
        pulls += 0.5 * run->kernel->log_term / (distance * distance) - (double)run->in.pulls[i];
    }
    return pulls;
}

/* Guess a level that takes about `pulls` pulls, or fewer. */
static double level_after(const kernel_run *run, double pulls)
{
    double low = 0.0, high = 0.0; /* largest average and largest bound */
    for (size_t i = 0; i < run->in.view->n_arms; i++) {
        if (run->in.pulls[i] == 0)
            continue;
        low = larger(low, average_of(run, i));
        high = larger(high, run->kernel->arm[i].upper);
    }
    for (int i = 0; i < MAX_HALVINGS; i++) {
        const double middle = 0.5 * (low + high);
        if (pulls_to(run, middle) > pulls)
            low = middle;
        else
            high = middle;
    }
    return high;
}

void segue_kernel_level(kernel_run *run)
{
    const size_t n_arms = run->in.view->n_arms;
    const uint64_t few =
        4 * n_arms + run->left / 32; /* fewer steps than this do not repay a level */
    /* No bound of T pulls is above 1 + radius(T): at first no arm exceeds its share. */
    double level = 1.0 + run->kernel->radius[run->left / n_arms], share = TARGET_SHARE;
    while (run->left > few && share > MIN_SHARE) {
        share = try_level(run, level) && commit_level(run) ? TARGET_SHARE : 0.5 * share;
        level = level_after(run, share * (double)run->left);
    }
}
