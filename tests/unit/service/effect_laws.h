/* effect_laws.h - rewards of tasks, for test_effect_coverage.c.
 *
 * A law draws the reward of a task, in [0, 1], and knows the effect that transfer has on its mean.
 * The laws from `uneven` on were added when the interval was finished: it was not developed on them,
 * except that `drift` and `switches` decided how slowly the share of `grow` falls.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef EFFECT_LAWS_H
#define EFFECT_LAWS_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "segue/rng.h"

#define TASKS  3000
#define TWO_PI 6.283185307179586

/* A reward in [0, 1] of task number `task`, and the effect that transfer has on its mean. */
typedef struct law {
    const char *name;
    double (*draw)(segue_rng *rng, int task, bool control);
    double (*effect)(int task);
} law;

static double none(int task)
{
    (void)task;
    return 0.0;
}

static inline double beta_like(segue_rng *rng, double mean)
{
    double sum = 0.0;
    for (int i = 0; i < 10; i++)
        sum += segue_rng_uniform(rng) < mean;
    return sum / 10.0;
}

/* Two types of tasks and a season. */
static double seasonal(segue_rng *rng, int task, bool control)
{
    (void)control;
    const double mean = segue_rng_uniform(rng) < 0.5 ? 0.3 : 0.7;
    return beta_like(rng, mean + 0.2 * sin(task * (TWO_PI / 1000.0)));
}

/* All rewards rise while the control share falls: plain means would show an effect. */
static double rising(segue_rng *rng, int task, bool control)
{
    (void)control;
    return beta_like(rng, 0.2 + 0.6 * task / TASKS);
}

/* Mean 0.1, skewness 2.5. */
static double skewed(segue_rng *rng, int task, bool control)
{
    (void)task, (void)control;
    return pow(segue_rng_uniform(rng), 9.0);
}

/* One step, one in fifty pays. */
static double rare(segue_rng *rng, int task, bool control)
{
    (void)task, (void)control;
    return segue_rng_uniform(rng) < 0.02;
}

static double good(int task)
{
    (void)task;
    return 0.1;
}

/* Mean 0.2 with transfer, 0.1 without. */
static double better(segue_rng *rng, int task, bool control)
{
    (void)task;
    return pow(segue_rng_uniform(rng), control ? 9.0 : 4.0);
}

static double sure_effect(int task)
{
    (void)task;
    return 0.48;
}

static double sure(segue_rng *rng, int task, bool control)
{
    (void)task;
    return segue_rng_uniform(rng) < (control ? 0.5 : 0.98);
}

/* The learner improves: 0 to 0.3. */
static double improving_effect(int task)
{
    return 0.3 * task / TASKS;
}

static double improving(segue_rng *rng, int task, bool control)
{
    return beta_like(rng, 0.3 + (control ? 0.0 : improving_effect(task)));
}

/* It helps, and after a third of the tasks it harms. */
static double turning_effect(int task)
{
    return task < TASKS / 3 ? 0.2 : -0.2;
}

static double turning(segue_rng *rng, int task, bool control)
{
    return beta_like(rng, 0.5 + (control ? 0.0 : turning_effect(task)));
}

/* Mean 0.1 with transfer, 0.2 without: variances 1/19 - 0.01 and 1/9 - 0.04. */
static double bad(int task)
{
    (void)task;
    return -0.1;
}

static double worse(segue_rng *rng, int task, bool control)
{
    return better(rng, task, !control);
}

#define WORSE_VARIANCE (1.0 / 9.0 - 0.04) /* the larger one */

/* ---- laws that the interval was not developed on ------------------------------------------ */

static inline double coin(segue_rng *rng, double mean)
{
    return segue_rng_uniform(rng) < mean;
}

/* All or nothing with transfer, nearly constant without. */
static double uneven(segue_rng *rng, int task, bool control)
{
    (void)task;
    return control ? 0.45 + 0.1 * segue_rng_uniform(rng) : coin(rng, 0.5);
}

/* Nearly constant with transfer, all or nothing without. */
static double uneven_control(segue_rng *rng, int task, bool control)
{
    return uneven(rng, task, !control);
}

/* Every reward is lost during 40 of 300 tasks. */
static double outages(segue_rng *rng, int task, bool control)
{
    (void)control;
    return task % 300 < 40 ? 0.0 : beta_like(rng, 0.8);
}

/* The level jumps every 400 tasks. */
static double jumps(segue_rng *rng, int task, bool control)
{
    static const double level[] = {0.1, 0.9, 0.2, 0.95, 0.05, 0.6, 0.3, 0.8};
    (void)control;
    return beta_like(rng, level[task / 400 % 8]);
}

/* Amounts: 5 % pay, mostly little, at times everything: skewness 9. */
static double amounts(segue_rng *rng, int task, bool control)
{
    (void)task, (void)control;
    return coin(rng, 0.05) > 0.0 ? pow(segue_rng_uniform(rng), 4.0) : 0.0;
}

/* Nearly always the full reward; one in thirty fails. */
static double failures(segue_rng *rng, int task, bool control)
{
    (void)task, (void)control;
    return coin(rng, 29.0 / 30.0);
}

/* No noise: the reward is the time. */
static double drift(segue_rng *rng, int task, bool control)
{
    (void)rng, (void)control;
    return fmin((double)task / TASKS, 1.0);
}

/* No noise: 200 tasks earn nothing, 200 earn all. */
static double switches(segue_rng *rng, int task, bool control)
{
    (void)rng, (void)control;
    return task / 200 % 2;
}

static double tiny(int task)
{
    (void)task;
    return 0.02;
}

static double slightly_better(segue_rng *rng, int task, bool control)
{
    (void)task;
    return coin(rng, control ? 0.3 : 0.32);
}

/* It harms while it learns, then it helps. */
static double late_effect(int task)
{
    return task < 600 ? -0.1 : 0.15;
}

static double late(segue_rng *rng, int task, bool control)
{
    return coin(rng, 0.4 + (control ? 0.0 : late_effect(task)));
}

static double unsteady(int task)
{
    (void)task;
    return -0.1;
}

/* Mean 0.4 with transfer, all or nothing; 0.5 without, nearly constant. */
static double unsteady_harm(segue_rng *rng, int task, bool control)
{
    (void)task;
    return control ? 0.45 + 0.1 * segue_rng_uniform(rng) : coin(rng, 0.4);
}

#define UNSTEADY_VARIANCE (0.4 * 0.6) /* the larger one */

static const law laws[] = {
    {"seasonal", seasonal, none},
    {"rising", rising, none},
    {"skewed", skewed, none},
    {"rare", rare, none},
    {"better", better, good},
    {"sure", sure, sure_effect},
    {"improving", improving, improving_effect},
    {"turning", turning, turning_effect},
    {"worse", worse, bad},
    {"uneven", uneven, none},
    {"uneven control", uneven_control, none},
    {"outages", outages, none},
    {"jumps", jumps, none},
    {"amounts", amounts, none},
    {"failures", failures, none},
    {"drift", drift, none},
    {"switches", switches, none},
    {"slightly better", slightly_better, tiny},
    {"late", late, late_effect},
    {"unsteady harm", unsteady_harm, unsteady},
};

static inline const law *law_named(const char *name)
{
    size_t i = 0;
    while (strcmp(laws[i].name, name) != 0)
        i++;
    return &laws[i];
}

#endif
