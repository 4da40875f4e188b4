/* types.c - learn types task by task, and decide when to refit.
 *
 * Each task: compute its posterior over the components; let each type learn from the task with that
 * weight (stepwise EM); update a moving average of the posterior of no type, for the next task, and
 * its CUSUM, an alarm.
 *
 * Stale types: types of joint weight w that have not been seen for s tasks would all be absent that
 * long with probability exp(-w s).  At w s >= STALE they are removed, with their tasks.
 *
 * Refits are due at 8 tasks and then each time the tasks have grown by 30 %; after an alarm; and
 * after stale types were removed.  A refit at w s >= SUSPECT also tests for a change (change.h).
 * After a change the window forgets all tasks before it, and there are no types for 8 tasks, as at
 * the start.  Otherwise an old type that resembles a new one on the arms that it pulls would
 * survive, wrong on the arms that are not tried; tasks without types try all arms.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/types/types_read.h"

#include <math.h>
#include <stdlib.h>

#include "core/fail.h"
#include "estimate/types/change.h"
#include "estimate/types/mixture_refit.h"
#include "estimate/types/types_internal.h"
#include "segue/models.h"

#define WINDOW      512
#define MAX_FITS    8 /* of refit_until_stable */
#define MIN_GROWTH  4
#define GROWTH      0.3
#define ALARM       3.0 /* excess of tasks of no type that makes a refit due */
#define ALARM_APART 8   /* tasks between a fit and the next alarm */
#define NONE_RATE   0.2
#define STALE       10.0
#define SUSPECT     3.0
#define STALE_EVERY 5 /* tasks between two searches for stale types */

/* ---- create ------------------------------------------------------------------------------ */

segue_types_config segue_types_defaults(void)
{
    return (segue_types_config){
        .n_arms = SEGUE_MIN_ARMS, .window = WINDOW, .cap = SEGUE_MAX_FITTED_TYPES, .seed = 1};
}

static segue_status check(const segue_types_config *config, segue_error *err)
{
    if (config->n_arms < SEGUE_MIN_ARMS || config->n_arms > SEGUE_MAX_ARMS)
        return segue_fail(err, SEGUE_EDOMAIN, "n_arms is %zu; need %d to %d", config->n_arms,
                          SEGUE_MIN_ARMS, SEGUE_MAX_ARMS);
    if (config->window < SEGUE_MIN_TYPES_WINDOW || config->window > SEGUE_MAX_TYPES_WINDOW)
        return segue_fail(err, SEGUE_EDOMAIN, "the window is %zu tasks; need %d to %d",
                          config->window, SEGUE_MIN_TYPES_WINDOW, SEGUE_MAX_TYPES_WINDOW);
    if (config->cap < 1 || config->cap > SEGUE_MAX_FITTED_TYPES)
        return segue_fail(err, SEGUE_EDOMAIN, "at most %zu types; need 1 to %d", config->cap,
                          SEGUE_MAX_FITTED_TYPES);
    return SEGUE_OK;
}

segue_status segue_types_create(segue_types **out, const segue_types_config *config,
                                segue_error *err)
{
    *out = NULL;
    segue_status status = check(config, err);
    if (status != SEGUE_OK)
        return status;
    segue_types *types = calloc(1, sizeof *types);
    if (!types)
        return segue_fail_no_memory(err, "types");
    types->config = *config;
    types->fit_at = FIRST_FIT;
    segue_task_window_init(&types->tasks, config->n_arms, config->window);
    status = segue_mixture_init(&types->mix, config->n_arms, config->cap, err);
    if (status != SEGUE_OK) {
        segue_types_destroy(types);
        return status;
    }
    *out = types;
    return SEGUE_OK;
}

void segue_types_destroy(segue_types *types)
{
    if (!types)
        return;
    segue_task_window_fini(&types->tasks);
    segue_mixture_fini(&types->mix);
    free(types);
}

/* ---- a task ------------------------------------------------------------------------------ */

static void learn(segue_types *types, const double *sum, const double *pulls)
{
    mixture *mix = &types->mix;
    double posterior[SEGUE_MAX_FITTED_TYPES + 1];
    (void)segue_mixture_posterior(mix, sum, pulls, posterior);
    types->no_type += NONE_RATE * (posterior[0] - types->no_type);
    types->alarm = fmax(0.0, types->alarm + posterior[0] - mix->weight[0]);
    for (size_t q = 1; q <= mix->n_types; q++)
        if (posterior[q] > 0.5)
            mix->last[q] = types->finished;
    segue_mixture_learn(mix, types->tasks.count, posterior, sum, pulls);
}

/* Types that were last seen at a task or before it. */
typedef struct stale_types {
    const mixture *mix;
    uint64_t last;
    double weight; /* of all of them */
} stale_types;

static bool is_stale_type(const stale_types *stale, size_t type)
{
    return stale->mix->last[type] <= stale->last;
}

/* The types that have not been seen since this one. */
static stale_types not_seen_since(const mixture *mix, size_t type)
{
    stale_types stale = {.mix = mix, .last = mix->last[type]};
    for (size_t q = 1; q <= mix->n_types; q++)
        if (is_stale_type(&stale, q))
            stale.weight += mix->weight[q];
    return stale;
}

/* The heaviest group of types with w s >= `threshold`; weight 0 if there is none. */
static stale_types find_stale_types(const mixture *mix, uint64_t now, double threshold)
{
    stale_types heaviest = {.mix = mix};
    for (size_t q = 1; q <= mix->n_types; q++) {
        const stale_types stale = not_seen_since(mix, q);
        const double since = (double)(now - stale.last);
        if (stale.weight * since >= threshold && stale.weight > heaviest.weight)
            heaviest = stale;
    }
    return heaviest;
}

/* True if the task is of a stale type with probability above 1/2. */
static bool is_dropped(const void *context, uint64_t number, const double *sum, const double *pulls)
{
    const stale_types *stale = context;
    double posterior[SEGUE_MAX_FITTED_TYPES + 1], stale_posterior = 0.0;
    (void)number;
    (void)segue_mixture_posterior(stale->mix, sum, pulls, posterior);
    for (size_t q = 1; q <= stale->mix->n_types; q++)
        stale_posterior += is_stale_type(stale, q) ? posterior[q] : 0.0;
    return stale_posterior > 0.5;
}

/* Not while a refit is due: a refit job may hold a copy of these tasks. */
static void remove_stale_types(segue_types *types)
{
    mixture *mix = &types->mix;
    if (types->finished % STALE_EVERY != 0 || types->is_due || mix->n_types < 2)
        return;
    const stale_types gone = find_stale_types(mix, types->finished, STALE);
    if (!(gone.weight > 0.0))
        return;
    segue_task_window_remove(&types->tasks, is_dropped, &gone);
    for (size_t q = mix->n_types; q >= 1 && mix->n_types > 1; q--)
        if (is_stale_type(&gone, q))
            segue_mixture_remove_type(mix, q);
    types->is_due = true;
}

static bool is_alarmed(const segue_types *types)
{
    return types->alarm >= ALARM && types->finished - types->fitted >= ALARM_APART;
}

segue_status segue_types_add_task(segue_types *types, const double *sum, const double *pulls,
                                  segue_error *err)
{
    if (!segue_task_window_accepts(types->config.n_arms, sum, pulls))
        return segue_fail(err, SEGUE_EDOMAIN, "a task's sums are not in 0 to its pulls");
    const segue_status status = segue_task_window_reserve(&types->tasks, 1, err);
    if (status != SEGUE_OK)
        return status;
    types->finished++;
    segue_task_window_add(&types->tasks, types->finished, sum, pulls);
    if (types->mix.n_types > 0)
        learn(types, sum, pulls);
    remove_stale_types(types);
    if (types->finished >= types->fit_at || is_alarmed(types))
        types->is_due = true;
    return SEGUE_OK;
}

/* ---- fits -------------------------------------------------------------------------------- */

bool segue_types_due(const segue_types *types)
{
    return types->is_due;
}

/* The task count that allows a test for a change; UINT64_MAX if no type is suspect. */
static uint64_t tasks_for_test(const segue_types *types)
{
    const stale_types gone = find_stale_types(&types->mix, types->finished, SUSPECT);
    const uint64_t enough = gone.last + MIN_SIDE;
    return gone.weight > 0.0 && types->finished < enough ? enough : UINT64_MAX;
}

/* Set the next refit.  After tasks were removed, count only the remaining ones; without types,
 * start over. */
static void schedule_refit(segue_types *types)
{
    const bool is_full = types->tasks.count == types->config.window;
    const double age = is_full ? (double)types->finished : (double)types->tasks.count;
    types->fitted = types->finished;
    types->fit_at = types->finished + (uint64_t)fmax(MIN_GROWTH, floor(GROWTH * age));
    if (types->mix.n_types == 0)
        types->fit_at = types->finished + FIRST_FIT;
    else if (tasks_for_test(types) < types->fit_at)
        types->fit_at = tasks_for_test(types);
    types->alarm = 0.0;
    types->is_due = false;
}

/* If types are suspect, test for a change; after one, start over. */
static segue_status detect_change(segue_types *types, mixture *mix, segue_rng *rng,
                                  segue_error *err)
{
    const stale_types gone = find_stale_types(mix, types->finished, SUSPECT);
    const segue_change_point cut = {
        .last = gone.last, .now = types->finished, .expected_types = types->config.hint};
    bool has_changed = false;
    if (!(gone.weight > 0.0))
        return SEGUE_OK;
    const segue_status status =
        segue_change_detect(&has_changed, mix, &types->tasks, &cut, rng, err);
    if (has_changed) {
        segue_change_forget(&types->tasks, &cut);
        segue_mixture_clear(mix);
        types->no_type = 0.0;
    }
    return status;
}

/* Fit a copy of the mixture, and replace the types by it.  Tasks that came at once have no change.
 */
static segue_status fit_copy(segue_types *types, mixture *copy, bool at_once,
                             const atomic_bool *stop, segue_error *err)
{
    const segue_types_config *config = &types->config;
    const mixture_refit_options options = {
        .expected_types = config->hint, .now = types->finished, .stop = stop};
    segue_rng rng;
    segue_rng_init(&rng, config->seed, config->run, types->finished, SEGUE_STREAM_ESTIMATOR);
    segue_mixture_copy(copy, &types->mix);
    SEGUE_TRY(segue_mixture_refit(copy, &types->tasks, &options, &rng, err));
    if (!at_once)
        SEGUE_TRY(detect_change(types, copy, &rng, err));
    segue_mixture_number_types(copy);
    segue_mixture_copy(&types->mix, copy);
    return SEGUE_OK;
}

static segue_status fit(segue_types *types, bool at_once, const atomic_bool *stop, segue_error *err)
{
    mixture copy;
    segue_status status = segue_mixture_init(&copy, types->config.n_arms, types->config.cap, err);
    if (status == SEGUE_OK && types->tasks.count > 0)
        status = fit_copy(types, &copy, at_once, stop, err);
    segue_mixture_fini(&copy);
    if (status == SEGUE_OK)
        schedule_refit(types);
    return status;
}

segue_status segue_types_refit(segue_types *types, segue_error *err)
{
    return fit(types, false, NULL, err);
}

segue_status segue_types_refit_until_stable(segue_types *types, const atomic_bool *stop,
                                            segue_error *err)
{
    double before = -INFINITY, now = -INFINITY;
    segue_status status = SEGUE_OK;
    for (int fits = 0; fits < MAX_FITS && status == SEGUE_OK && (fits < 2 || now > before);
         fits++) {
        before = now;
        status = fit(types, true, stop, err);
        if (status == SEGUE_OK)
            now = segue_types_evaluate(types).objective;
    }
    return status;
}
