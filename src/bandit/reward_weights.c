/* reward_weights.c - how many rewards of 0 or 1 a reward of each arm counts as.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/reward_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"

static double tune(const char *name, double value)
{
    const char *text = getenv(name);
    return text ? atof(text) : value;
}
static double FIRST, TRUST, CELL, LEARNED, TOLERANCE, POOL, DOWN;
static void tune_all(void)
{
    if (CELL > 0) return;
    FIRST = tune("FIRST", 1.0);
    TRUST = tune("TRUST", 8.0);
    CELL = tune("CELL", 8.0);
    DOWN = tune("DOWN", 1.0);
    LEARNED = tune("LEARNED", 80.0);
    TOLERANCE = tune("TOLERANCE", 0.03);
    POOL = tune("POOL", 0.0);
}
#define MAX_WEIGHT 1e4

const segue_option segue_reward_weights_option[1] = {SEGUE_DISPERSION_OPTION};

void segue_reward_weights_fill_defaults(const segue_setting *setting, double *option)
{
    (void)setting;
    if (isnan(option[0]))
        option[0] = SEGUE_DISPERSION_AUTO;
}

segue_status segue_reward_weights_init(segue_reward_weights *w, size_t n_arms, segue_error *err)
{
    tune_all();
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
    double *weight = malloc(2 * from->n_arms * sizeof *weight);
    *to = *from;
    to->weight = weight;
    if (!weight)
        return segue_fail_no_memory(err, "a copy of a task");
    to->expected = weight + from->n_arms;
    memcpy(weight, from->weight, 2 * from->n_arms * sizeof *weight);
    return SEGUE_OK;
}

/* ---- the estimate ------------------------------------------------------------------------ */

static segue_dispersion cell_of(segue_reward_totals t, size_t arm)
{
    return segue_dispersion_of((double)t.pulls[arm], t.sum[arm], t.graded[arm]);
}

/* The dispersion of an arm is that of its cell, shrunk to the expected one at the task's level. */
static double weight_of(const segue_reward_weights *w, size_t arm, const segue_dispersion *cell,
                        double count)
{
    const double expected = fmin(1.0, w->level * w->expected[arm]);
    if (cell->within < expected * cell->binary) count *= DOWN;
    const double phi = segue_dispersion_shrunk(cell, count, w->unit, expected);
    return fmin(MAX_WEIGHT, fmax(1.0, 1.0 / phi));
}

static void set_level(segue_reward_weights *w, double anchor)
{
    const segue_dispersion *sums = &w->sums;
    segue_dispersion all = {.within = fmax(0.0, w->sums.within), .binary = fmax(0.0, w->expected_within)};
    const double prior = w->expected_unit > 0.0 ? w->trust : 0.0;
    segue_dispersion more = w->sums;
    more.freedom += prior;
    more.binary += prior * w->expected_unit;
    w->unit = segue_dispersion_unit(&more);
    const double mass = w->trust * w->unit * w->expected_all;
    w->level = (all.within + mass * anchor) / (all.binary + mass);
    (void)sums;
}

static void refresh(segue_reward_weights *w, segue_reward_totals totals)
{
    for (size_t i = 0; i < w->n_arms; i++) {
        const segue_dispersion cell = cell_of(totals, i);
        w->weight[i] = weight_of(w, i, &cell, CELL);
    }
}

static void add_cell(segue_reward_weights *w, size_t arm, double pulls, double sum, double graded,
                     double times)
{
    const segue_dispersion cell = segue_dispersion_capped(pulls, sum, graded);
    segue_dispersion_add(&w->sums, cell, times);
    w->expected_within += times * w->expected[arm] * cell.binary;
}

/* ---- a task ------------------------------------------------------------------------------ */

void segue_reward_weights_expect(segue_reward_weights *w, const segue_expected_dispersion *expected)
{
    w->trust = expected ? TRUST : FIRST;
    w->expected_all = expected ? expected->all : 1.0;
    w->expected_unit = expected ? expected->unit : 0.0;
    for (size_t i = 0; i < w->n_arms; i++)
        w->expected[i] = expected ? expected->arm[i] : 1.0;
}

void segue_reward_weights_begin(segue_reward_weights *w)
{
    static const segue_dispersion none = {.within = 0.0};
    w->sums = none;
    w->expected_within = 0.0;
    w->given = w->started = false;
    set_level(w, 1.0);
    for (size_t i = 0; i < w->n_arms; i++) {
        w->weight[i] = weight_of(w, i, &none, CELL);
        w->started |= w->expected[i] < 1.0;
    }
}

void segue_reward_weights_give(segue_reward_weights *w, const double *weight)
{
    memcpy(w->weight, weight, w->n_arms * sizeof *weight);
    w->given = w->started = true;
}

static void start(segue_reward_weights *w, segue_reward_totals totals)
{
    for (size_t i = 0; i < w->n_arms; i++)
        add_cell(w, i, (double)totals.pulls[i], totals.sum[i], totals.graded[i], 1.0);
    w->started = true;
}

static double pooled(segue_reward_totals t, size_t n)
{
    double pulls = 0, sum = 0, graded = 0;
    for (size_t i = 0; i < n; i++) {
        pulls += (double)t.pulls[i];
        sum += t.sum[i];
        graded += t.graded[i];
    }
    const segue_dispersion p = segue_dispersion_of(pulls, sum, graded);
    return segue_dispersion_shrunk(&p, POOL, segue_dispersion_unit(&p), 1.0);
}

void segue_reward_weights_update(segue_reward_weights *w, size_t arm, double reward,
                                 segue_reward_totals totals)
{
    const double level = w->level, unit = w->unit, graded = reward * (1.0 - reward);
    const double pulls = (double)totals.pulls[arm];
    if (w->given || (!w->started && graded == 0.0))
        return;
    if (w->started) {
        add_cell(w, arm, pulls - 1.0, totals.sum[arm] - reward, totals.graded[arm] - graded, -1.0);
        add_cell(w, arm, pulls, totals.sum[arm], totals.graded[arm], 1.0);
    } else {
        start(w, totals);
    }
    set_level(w, POOL > 0.0 && w->expected_unit == 0.0 ? pooled(totals, w->n_arms) : 1.0);
    if (fabs(w->level - level) > TOLERANCE * level || fabs(w->unit - unit) > TOLERANCE * unit) {
        refresh(w, totals);
        return;
    }
    w->level = level;
    w->unit = unit;
    const segue_dispersion cell = cell_of(totals, arm);
    w->weight[arm] = weight_of(w, arm, &cell, CELL);
}

double segue_reward_weights_learned(const segue_reward_weights *w, size_t arm,
                                    segue_reward_totals totals)
{
    const segue_dispersion cell = cell_of(totals, arm);
    if (!w->started)
        return 1.0;
    return w->given ? w->weight[arm] : weight_of(w, arm, &cell, LEARNED);
}
