/* mixture_refit.c - add and remove types, as long as the objective grows.
 *
 * A new type starts from one task, drawn with probability proportional to the square of its gain:
 * its log-likelihood under a type of its own, less that under the mixture.  Then the lightest types
 * are removed on trial.  A move that does not increase the objective is undone.  A fit costs a few
 * tens of sweeps (mixture_em.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/types/mixture_refit.h"

#include <stdlib.h>

#include "core/fail.h"
#include "core/stop.h"
#include "estimate/types/mixture_em.h"

#define FIRST_SWEEPS  15 /* of the very first type */
#define SWEEPS        8
#define ADD_STEPS     3 /* of the new type only, before all types are swept */
#define REMOVE_SWEEPS 3
#define TRIES         6 /* additions that may fail in a row; the first fit may try longer */
#define MAX_REMOVALS  2

typedef struct refit {
    mixture_em em;
    mixture_em_state before; /* the last move */
    double *own_log_lik;     /* n_tasks: log-likelihood of each under a type of its own */
    double *gain;            /* n_tasks: scratch */
} refit;

/* ---- add types --------------------------------------------------------------------------- */

static double own_log_lik_of(mixture *one, const double *sum, const double *pulls)
{
    for (size_t i = 0; i < one->n_arms; i++)
        segue_mixture_set(one, 1, i, sum[i], pulls[i], SPREAD_NEW_TYPE);
    return segue_mixture_log_likelihood(one, 1, sum, pulls);
}

static segue_status compute_own_log_liks(refit *r, const task_window *tasks, segue_error *err)
{
    mixture one;
    const segue_status status = segue_mixture_init(&one, tasks->n_arms, 1, err);
    for (size_t l = 0; l < tasks->count && status == SEGUE_OK; l++)
        r->own_log_lik[l] = own_log_lik_of(&one, segue_task_window_sum(tasks, l),
                                           segue_task_window_pulls(tasks, l));
    segue_mixture_fini(&one);
    return status;
}

/* Draw the task that a new type starts from; n_tasks if no task gains. */
static size_t draw_seed(refit *r, segue_rng *rng)
{
    const size_t n = r->em.n_tasks;
    double all = 0.0;
    for (size_t l = 0; l < n; l++) {
        const double gain = r->own_log_lik[l] - r->em.now.mixture_log_lik[l];
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
    if (r->em.now.objective > r->before.objective)
        return true;
    segue_mixture_em_state_copy(&r->em.now, &r->before);
    return false;
}

static bool try_add(refit *r, segue_rng *rng)
{
    mixture_em *em = &r->em;
    const size_t seed = draw_seed(r, rng);
    if (seed == em->n_tasks)
        return false;
    segue_mixture_em_state_copy(&r->before, &em->now);
    segue_mixture_add_type(&em->now.mix, segue_task_window_sum(em->tasks, seed),
                           segue_task_window_pulls(em->tasks, seed));
    segue_mixture_em_update_log_lik(em, em->now.mix.n_types);
    segue_mixture_em_expect(em);
    for (size_t s = 0; s < ADD_STEPS; s++)
        segue_mixture_em_step(em, em->now.mix.n_types);
    segue_mixture_em_sweeps(em, SWEEPS);
    return accept_or_undo(r);
}

/* Add types until `tries` additions in a row have failed. */
static void add_types(refit *r, size_t tries, segue_rng *rng)
{
    const mixture *mix = &r->em.now.mix;
    for (size_t failed = 0;
         failed < tries && mix->n_types < mix->cap && !segue_stop_requested(r->em.stop);)
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
    mixture_em *em = &r->em;
    segue_mixture_em_state_copy(&r->before, &em->now);
    const size_t type = lightest(&em->now.mix);
    segue_mixture_remove_type(&em->now.mix, type);
    for (size_t q = type; q <= em->now.mix.n_types; q++)
        segue_mixture_em_update_log_lik(em, q);
    segue_mixture_em_expect(em);
    segue_mixture_em_sweeps(em, REMOVE_SWEEPS);
    return accept_or_undo(r);
}

static void remove_types(refit *r)
{
    for (size_t k = 0; k < MAX_REMOVALS && r->em.now.mix.n_types > 1; k++)
        if (!try_remove(r))
            return;
}

/* ---- all --------------------------------------------------------------------------------- */

/* Set when each type was last seen: its newest task with a posterior above 1/2. */
static void set_last_seen(const refit *r, uint64_t now, mixture *mix)
{
    const size_t n = r->em.n_tasks;
    for (size_t q = 1; q <= mix->n_types; q++) {
        mix->last[q] = now;
        for (size_t l = n; l-- > 0;)
            if (r->em.now.posterior[q * n + l] > 0.5) {
                mix->last[q] = segue_task_window_number(r->em.tasks, l);
                break;
            }
    }
}

static segue_status refit_init(refit *r, const mixture *mix, const task_window *tasks,
                               segue_error *err)
{
    *r = (refit){.own_log_lik = calloc(2 * tasks->count, sizeof *r->own_log_lik)};
    if (!r->own_log_lik)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to fit %zu tasks", tasks->count);
    r->gain = r->own_log_lik + tasks->count;
    segue_status status = segue_mixture_em_init(&r->em, tasks, mix, err);
    if (status == SEGUE_OK)
        status = segue_mixture_em_state_init(&r->before, tasks, mix->cap, err);
    return status == SEGUE_OK ? compute_own_log_liks(r, tasks, err) : status;
}

static segue_status fit(refit *r, mixture *mix, const mixture_refit_options *options,
                        segue_rng *rng, segue_error *err)
{
    const bool is_first = mix->n_types == 0;
    const size_t expected = options->expected_types;
    r->em.stop = options->stop;
    segue_mixture_em_sweeps(&r->em, is_first ? FIRST_SWEEPS : SWEEPS);
    add_types(r, is_first && expected > TRIES ? expected : TRIES, rng);
    remove_types(r);
    SEGUE_TRY(segue_stop_check(options->stop, err));
    segue_mixture_copy(mix, &r->em.now.mix);
    set_last_seen(r, options->now, mix);
    return SEGUE_OK;
}

segue_status segue_mixture_refit(mixture *mix, const task_window *tasks,
                                 const mixture_refit_options *options, segue_rng *rng,
                                 segue_error *err)
{
    refit r;
    segue_status status = refit_init(&r, mix, tasks, err);
    if (status == SEGUE_OK)
        status = fit(&r, mix, options, rng, err);
    segue_mixture_em_fini(&r.em);
    segue_mixture_em_state_fini(&r.before);
    free(r.own_log_lik);
    return status;
}

double segue_mixture_objective(const mixture *mix, const task_window *tasks)
{
    double sum = 0.0, posterior[SEGUE_MAX_FITTED_TYPES + 1];
    for (size_t l = 0; l < tasks->count; l++)
        sum += segue_mixture_posterior(mix, segue_task_window_sum(tasks, l),
                                       segue_task_window_pulls(tasks, l), posterior);
    return sum - segue_mixture_penalty(mix, tasks->count);
}
