/* reward_weights.c - how many rewards of 0 or 1 a reward of each arm counts as: 1 / dispersion.
 *
 * The dispersion of an arm is estimated in three steps, each shrunk to the one before by a few rewards
 * that are thought of as seen already:
 *
 *   expected  what a learner expects of each arm, or 1 without one
 *   level     a factor of all arms of this task, by the capped sums of its cells
 *             (bandit/dispersion.h); at least START_COUNT rewards of dispersion 1, or, with a
 *             learner, EXPECTED_COUNT rewards as it expects them
 *   cell      the arm's own rewards: UP_COUNT rewards as expected if they vary more than that,
 *             DOWN_COUNT if they vary less
 *
 * Rewards that are mostly small and rarely large look alike until the first large one: so less
 * variance needs more proof than more variance, in the cell, and at the start, where one reward that
 * was not seen yet is assumed to be at the far end.
 *
 * Without a learner the first rewards are of different arms, and cells have no variance yet.  But the
 * rewards of all arms, taken as of one arm, have a dispersion from the second reward on.  It is an
 * upper estimate: pooling adds the variance between arms to both the variance and p (1 - p).  It
 * replaces the dispersion 1 of the first step, with POOL_COUNT rewards of dispersion 1 in it.
 *
 * As long as rewards are 0 or 1 all dispersions are exactly 1, and nothing is computed.  The weights
 * of other arms change only when the level or the unit has moved by TOLERANCE: so a reward costs O(1)
 * mostly.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/reward_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"

#define START_COUNT    1.0
#define POOL_COUNT     1.0
#define EXPECTED_COUNT 8.0
#define UP_COUNT       8.0
#define DOWN_COUNT     32.0
#define LEARNED_COUNT  80.0 /* of a cell, up and down, where a learner learns from it */
#define TOLERANCE      0.03

const segue_option segue_reward_weights_option[1] = {SEGUE_DISPERSION_OPTION};

void segue_reward_weights_fill_defaults(const segue_setting *setting, double *option)
{
    (void)setting;
    if (isnan(option[0]))
        option[0] = SEGUE_DISPERSION_AUTO;
}

segue_status segue_reward_weights_init(segue_reward_weights *w, size_t n_arms, segue_error *err)
{
    *w = (segue_reward_weights){.n_arms = n_arms};
    w->weight = calloc(2 * n_arms, sizeof *w->weight);
    if (!w->weight)
        return segue_fail_no_memory(err, "a task");
    w->expected = w->weight + n_arms;
    segue_reward_weights_expect(w, NULL);
    return SEGUE_OK;
}

void segue_reward_weights_fini(segue_reward_weights *w)
{
    free(w->weight);
}

segue_status segue_reward_weights_copy(segue_reward_weights *to, const segue_reward_weights *from,
                                       segue_error *err)
{
    *to = *from;
    to->weight = malloc(2 * from->n_arms * sizeof *to->weight);
    if (!to->weight)
        return segue_fail_no_memory(err, "a copy of a task");
    to->expected = to->weight + from->n_arms;
    memcpy(to->weight, from->weight, 2 * from->n_arms * sizeof *to->weight);
    return SEGUE_OK;
}

/* ---- the estimate ------------------------------------------------------------------------ */

static segue_dispersion cell_of(segue_reward_totals t, size_t arm)
{
    return segue_dispersion_of((double)t.pulls[arm], t.sum[arm], t.graded[arm]);
}

/* Return the weight of an arm by its cell, with `up` or `down` rewards as expected. */
static double weight_of(const segue_reward_weights *w, size_t arm, const segue_dispersion *cell,
                        double up, double down)
{
    const double expected = fmin(1.0, w->level * w->expected[arm]);
    const double count = cell->within < expected * cell->binary ? down : up;
    const double phi = segue_dispersion_shrunk(cell, count, w->unit, expected);
    return segue_dispersion_weight(phi);
}

static double weight_in_task(const segue_reward_weights *w, size_t arm,
                             const segue_dispersion *cell)
{
    return weight_of(w, arm, cell, UP_COUNT, DOWN_COUNT);
}

/* Return the level that the first rewards of the task are thought to have. */
static double first_level(const segue_reward_weights *w)
{
    const segue_dispersion pooled = segue_dispersion_of(w->pulls, w->sum, w->graded);
    if (w->expects)
        return 1.0;
    return segue_dispersion_shrunk(&pooled, POOL_COUNT, segue_dispersion_unit(&pooled), 1.0);
}

static void set_level(segue_reward_weights *w)
{
    segue_dispersion cells = w->cells;
    const double count = w->expects ? EXPECTED_COUNT : START_COUNT;
    if (w->expects) {
        cells.binary += count * w->expected_unit;
        cells.freedom += count;
    }
    w->unit = segue_dispersion_unit(&cells);
    /* relative to the expectation: that is "binary" here; sums that are subtracted from are rounded */
    const segue_dispersion relative = {.within = fmax(0.0, w->cells.within),
                                       .binary = fmax(0.0, w->expected_within)};
    w->level = segue_dispersion_shrunk(&relative, count, w->unit * w->expected_all, first_level(w));
}

static void set_weights(segue_reward_weights *w, segue_reward_totals totals)
{
    for (size_t i = 0; i < w->n_arms; i++) {
        const segue_dispersion cell = cell_of(totals, i);
        w->weight[i] = weight_in_task(w, i, &cell);
    }
}

/* Add a cell, or subtract it. */
static void add_cell(segue_reward_weights *w, size_t arm, double pulls, double sum, double graded,
                     double times)
{
    const segue_dispersion cell = segue_dispersion_capped(pulls, sum, graded);
    segue_dispersion_add(&w->cells, cell, times);
    w->expected_within += times * w->expected[arm] * cell.binary;
    w->pulls += times * pulls;
    w->sum += times * sum;
    w->graded += times * graded;
}

/* ---- a task ------------------------------------------------------------------------------ */

void segue_reward_weights_expect(segue_reward_weights *w, const segue_expected_dispersion *expected)
{
    w->expects = expected != NULL;
    w->expected_all = expected ? expected->all : 1.0;
    w->expected_unit = expected ? expected->unit : 0.0;
    for (size_t i = 0; i < w->n_arms; i++)
        w->expected[i] = expected ? expected->arm[i] : 1.0;
}

void segue_reward_weights_begin(segue_reward_weights *w)
{
    static const segue_dispersion none = {.within = 0.0};
    w->cells = none;
    w->expected_within = w->pulls = w->sum = w->graded = 0.0;
    w->given = w->started = false;
    set_level(w);
    for (size_t i = 0; i < w->n_arms; i++) {
        w->weight[i] = weight_in_task(w, i, &none);
        w->started = w->started || w->expected[i] < 1.0;
    }
}

void segue_reward_weights_give(segue_reward_weights *w, const double *weight)
{
    memcpy(w->weight, weight, w->n_arms * sizeof *weight);
    w->given = w->started = true;
}

/* Count all rewards: before the first graded one they were not. */
static void start(segue_reward_weights *w, segue_reward_totals totals)
{
    for (size_t i = 0; i < w->n_arms; i++)
        add_cell(w, i, (double)totals.pulls[i], totals.sum[i], totals.graded[i], 1.0);
    w->started = true;
}

static void replace_cell(segue_reward_weights *w, size_t arm, double reward,
                         segue_reward_totals totals)
{
    const double pulls = (double)totals.pulls[arm], sum = totals.sum[arm];
    const double graded = totals.graded[arm];
    add_cell(w, arm, pulls - 1.0, fmax(0.0, sum - reward),
             fmax(0.0, graded - reward * (1.0 - reward)), -1.0);
    add_cell(w, arm, pulls, sum, graded, 1.0);
}

static bool has_moved(double from, double to)
{
    return fabs(to - from) > TOLERANCE * from;
}

void segue_reward_weights_update(segue_reward_weights *w, size_t arm, double reward,
                                 segue_reward_totals totals)
{
    const double level = w->level, unit = w->unit;
    if (w->given || (!w->started && reward * (1.0 - reward) == 0.0))
        return;
    if (w->started)
        replace_cell(w, arm, reward, totals);
    else
        start(w, totals);
    set_level(w);
    if (has_moved(level, w->level) || has_moved(unit, w->unit)) {
        set_weights(w, totals);
        return;
    }
    w->level = level;
    w->unit = unit;
    const segue_dispersion cell = cell_of(totals, arm);
    w->weight[arm] = weight_in_task(w, arm, &cell);
}

double segue_reward_weights_learned(const segue_reward_weights *w, size_t arm,
                                    segue_reward_totals totals)
{
    const segue_dispersion cell = cell_of(totals, arm);
    if (!w->started)
        return 1.0;
    return w->given ? w->weight[arm] : weight_of(w, arm, &cell, LEARNED_COUNT, LEARNED_COUNT);
}
