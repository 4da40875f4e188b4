/* change.c - detect that the newer tasks have other types than the older ones.
 *
 * One mixture for all tasks against one for those before a cut and one for those after it: the
 * larger objective wins, and the two pay PRICE for the choice of the cut.  The objective contains
 * the penalty of each type, so types that stay favour one mixture.  Tasks that come in blocks, as
 * in a log that was sorted by site, are no change.  Costs two fits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/types/change.h"

#include "core/fail.h"
#include "estimate/types/mixture_refit.h"

#define PRICE 6.0 /* nats: the cut is one of some hundred possible ones */
#define MIXED 0.8 /* fraction of the type changes that a random order has */

/* The likeliest component of a task. */
static size_t likeliest(const mixture *mix, const task_window *tasks, size_t index)
{
    double posterior[SEGUE_MAX_FITTED_TYPES + 1];
    size_t best = 0;
    (void)segue_mixture_posterior(mix, segue_task_window_sum(tasks, index),
                                  segue_task_window_pulls(tasks, index), posterior);
    for (size_t q = 1; q <= mix->n_types; q++)
        if (posterior[q] > posterior[best])
            best = q;
    return best;
}

/* True if tasks of different types follow each other about as often as in a random order.  If they
 * come in blocks, type after type, a type that is away may come back. */
static bool is_mixed(const mixture *mix, const task_window *tasks)
{
    double count[SEGUE_MAX_FITTED_TYPES + 1] = {0.0}, alike = 0.0, changes = 0.0;
    size_t last = 0;
    for (size_t l = 0; l < tasks->count; l++) {
        const size_t q = likeliest(mix, tasks, l);
        changes += l > 0 && q != last ? 1.0 : 0.0;
        count[q] += 1.0;
        last = q;
    }
    for (size_t q = 0; q <= mix->n_types; q++)
        alike += count[q] * (count[q] - 1.0);
    const double expected = (double)tasks->count - 1.0 - alike / (double)tasks->count;
    return expected > 0.0 && changes >= MIXED * expected;
}

/* The tasks of one side, and types of their own. */
typedef struct side {
    task_window tasks;
    mixture mix;
} side;

static bool is_older(const void *cut, uint64_t number, const double *sum, const double *pulls)
{
    (void)sum;
    (void)pulls;
    return number <= ((const segue_change_point *)cut)->last;
}

static bool is_newer(const void *cut, uint64_t number, const double *sum, const double *pulls)
{
    return !is_older(cut, number, sum, pulls);
}

static void side_fini(side *s)
{
    segue_task_window_fini(&s->tasks);
    segue_mixture_fini(&s->mix);
}

/* Copy the tasks of one side; there are no types yet. */
static segue_status side_init(side *s, const task_window *tasks, size_t cap, task_test is_other,
                              const segue_change_point *cut, segue_error *err)
{
    segue_task_window_init(&s->tasks, tasks->n_arms, tasks->window);
    SEGUE_TRY(segue_mixture_init(&s->mix, tasks->n_arms, cap, err));
    SEGUE_TRY(segue_task_window_copy(&s->tasks, tasks, err));
    segue_task_window_remove(&s->tasks, is_other, cut);
    return SEGUE_OK;
}

/* The older side starts from the types of all tasks, which are mostly its own; the newer from none.
 */
static segue_status fit_sides(side *older, side *newer, const mixture *mix,
                              const segue_change_point *cut, segue_rng *rng, segue_error *err)
{
    segue_mixture_copy(&older->mix, mix);
    mixture_refit_options options = {.expected_types = cut->expected_types, .now = cut->last};
    SEGUE_TRY(segue_mixture_refit(&older->mix, &older->tasks, &options, rng, err));
    options.now = cut->now;
    return segue_mixture_refit(&newer->mix, &newer->tasks, &options, rng, err);
}

static double objective(const side *s)
{
    return segue_mixture_objective(&s->mix, &s->tasks);
}

static segue_status compare(bool *has_changed, side *older, side *newer, const mixture *mix,
                            const task_window *tasks, const segue_change_point *cut, segue_rng *rng,
                            segue_error *err)
{
    if (older->tasks.count < MIN_SIDE || newer->tasks.count < MIN_SIDE ||
        !is_mixed(mix, &older->tasks))
        return SEGUE_OK;
    const segue_status status = fit_sides(older, newer, mix, cut, rng, err);
    if (status != SEGUE_OK)
        return status;
    *has_changed =
        objective(older) + objective(newer) > segue_mixture_objective(mix, tasks) + PRICE;
    return SEGUE_OK;
}

segue_status segue_change_detect(bool *has_changed, const mixture *mix, const task_window *tasks,
                                 const segue_change_point *cut, segue_rng *rng, segue_error *err)
{
    side older = {.mix = {.n_types = 0}}, newer = older;
    *has_changed = false;
    segue_status status = side_init(&older, tasks, mix->cap, is_newer, cut, err);
    if (status == SEGUE_OK)
        status = side_init(&newer, tasks, mix->cap, is_older, cut, err);
    if (status == SEGUE_OK)
        status = compare(has_changed, &older, &newer, mix, tasks, cut, rng, err);
    side_fini(&older);
    side_fini(&newer);
    return status;
}

void segue_change_forget(task_window *tasks, const segue_change_point *cut)
{
    segue_task_window_remove(tasks, is_older, cut);
}
