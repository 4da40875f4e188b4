/* mixture_refit.c - add and remove types, as long as the objective grows.
 *
 * A new type starts from one task, drawn with probability proportional to the square of its gain:
 * its log-likelihood under a type of its own, less that under the mixture.  Then the lightest types
 * are removed on trial.  A move that does not increase the objective is undone.  A fit costs a few
 * tens of sweeps (em.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/types/mixture_refit.h"

#include <stdlib.h>

#include "estimate/types/em.h"

#define FIRST_SWEEPS  15 /* of the very first type */
#define SWEEPS        8
#define ADD_STEPS     3 /* of the new type alone, before all types are swept */
#define REMOVE_SWEEPS 3
#define TRIES         6 /* additions that fail in a row */
#define MAX_REMOVALS  2

typedef struct refit {
    em fit;
    em_state before; /* the last move */
    double *alone;   /* n_tasks: fit of each to a type of its own */
    double *gain;    /* n_tasks: scratch */
} refit;

/* ---- add types --------------------------------------------------------------------------- */

static double fit_alone(mixture *one, const double *sum, const double *pulls)
{
    for (size_t i = 0; i < one->n_arms; i++)
        segue_mixture_set(one, 1, i, sum[i], pulls[i], SPREAD_NEW_TYPE);
    return segue_mixture_log_likelihood(one, 1, sum, pulls);
}

static segue_status fit_each_alone(refit *r, const task_window *tasks, segue_error *err)
{
    mixture one;
    const segue_status status = segue_mixture_init(&one, tasks->n_arms, 1, err);
    for (size_t l = 0; l < tasks->count && status == SEGUE_OK; l++)
        r->alone[l] =
            fit_alone(&one, segue_task_window_sum(tasks, l), segue_task_window_pulls(tasks, l));
    segue_mixture_fini(&one);
    return status;
}

/* Draw the task that a new type starts from; n_tasks if no task gains. */
static size_t draw_seed(refit *r, segue_rng *rng)
{
    const size_t n = r->fit.n_tasks;
    double all = 0.0;
    for (size_t l = 0; l < n; l++) {
        const double gain = r->alone[l] - r->fit.now.log_likelihood[l];
        r->gain[l] = gain > 0.0 ? gain * gain : 0.0;
        all += r->gain[l];
    }
    double left = segue_rng_uniform(rng) * all;
    size_t drawn = n;
    for (size_t l = 0; l < n && left >= 0.0; l++)
        if (r->gain[l] > 0.0) {
            drawn = l; /* the last one, if rounding leaves a remainder */
            left -= r->gain[l];
        }
    return drawn;
}

/* Accept a move if the objective has grown; else undo it. */
static bool accept_or_undo(refit *r)
{
    if (r->fit.now.objective > r->before.objective)
        return true;
    segue_em_state_copy(&r->fit.now, &r->before);
    return false;
}

static bool try_add(refit *r, segue_rng *rng)
{
    em *fit = &r->fit;
    const size_t seed = draw_seed(r, rng);
    if (seed == fit->n_tasks)
        return false;
    segue_em_state_copy(&r->before, &fit->now);
    segue_mixture_add_type(&fit->now.mix, segue_task_window_sum(fit->tasks, seed),
                           segue_task_window_pulls(fit->tasks, seed));
    segue_em_fit_component(fit, fit->now.mix.n_types);
    segue_em_expect(fit);
    for (size_t s = 0; s < ADD_STEPS; s++)
        segue_em_step(fit, fit->now.mix.n_types);
    segue_em_sweeps(fit, SWEEPS);
    return accept_or_undo(r);
}

static void add_types(refit *r, size_t tries, segue_rng *rng)
{
    const mixture *mix = &r->fit.now.mix;
    for (size_t failed = 0; failed < tries && mix->n_types < mix->cap;)
        failed = try_add(r, rng) ? 0 : failed + 1;
}

/* ---- remove types --------------------------------------------------------------------------- */

static size_t lightest(const mixture *mix)
{
    size_t type = 1;
    for (size_t q = 2; q <= mix->n_types; q++)
        if (mix->weight[q] < mix->weight[type])
            type = q;
    return type;
}

static bool try_remove(refit *r)
{
    em *fit = &r->fit;
    segue_em_state_copy(&r->before, &fit->now);
    const size_t type = lightest(&fit->now.mix);
    segue_mixture_remove_type(&fit->now.mix, type);
    for (size_t q = type; q <= fit->now.mix.n_types; q++)
        segue_em_fit_component(fit, q);
    segue_em_expect(fit);
    segue_em_sweeps(fit, REMOVE_SWEEPS);
    return accept_or_undo(r);
}

static void remove_types(refit *r)
{
    for (size_t k = 0; k < MAX_REMOVALS && r->fit.now.mix.n_types > 1; k++)
        if (!try_remove(r))
            return;
}

/* ---- all --------------------------------------------------------------------------------- */

/* Set when each type was last seen: its newest task with a posterior above 1/2. */
static void set_last_seen(const refit *r, uint64_t now, mixture *mix)
{
    const size_t n = r->fit.n_tasks;
    for (size_t q = 1; q <= mix->n_types; q++) {
        mix->last[q] = now;
        for (size_t l = n; l-- > 0;)
            if (r->fit.now.share[q * n + l] > 0.5) {
                mix->last[q] = segue_task_window_number(r->fit.tasks, l);
                break;
            }
    }
}

static segue_status refit_init(refit *r, const mixture *mix, const task_window *tasks,
                               segue_error *err)
{
    *r = (refit){.alone = calloc(2 * tasks->count, sizeof *r->alone)};
    if (!r->alone)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to fit %zu tasks", tasks->count);
    r->gain = r->alone + tasks->count;
    segue_status status = segue_em_init(&r->fit, tasks, mix, err);
    if (status == SEGUE_OK)
        status = segue_em_state_init(&r->before, tasks, mix->cap, err);
    return status == SEGUE_OK ? fit_each_alone(r, tasks, err) : status;
}

segue_status segue_mixture_refit(mixture *mix, const task_window *tasks, size_t hint, uint64_t now,
                                 segue_rng *rng, segue_error *err)
{
    refit r;
    const bool is_first = mix->n_types == 0;
    const segue_status status = refit_init(&r, mix, tasks, err);
    if (status == SEGUE_OK) {
        segue_em_sweeps(&r.fit, is_first ? FIRST_SWEEPS : SWEEPS);
        add_types(&r, is_first && hint > TRIES ? hint : TRIES, rng);
        remove_types(&r);
        segue_mixture_copy(mix, &r.fit.now.mix);
        set_last_seen(&r, now, mix);
    }
    segue_em_fini(&r.fit);
    segue_em_state_fini(&r.before);
    free(r.alone);
    return status;
}

double segue_mixture_objective(const mixture *mix, const task_window *tasks)
{
    double sum = 0.0, share[SEGUE_MAX_TYPES + 1];
    for (size_t l = 0; l < tasks->count; l++)
        sum += segue_mixture_posterior(mix, segue_task_window_sum(tasks, l),
                                       segue_task_window_pulls(tasks, l), share);
    return sum - segue_mixture_penalty(mix, tasks->count);
}
