/* types_merge.c - copy types, adopt a refitted copy, merge, add arms.
 *
 * Every operation builds a new object and swaps it in at the end, so that a failure changes
 * nothing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/fail.h"
#include "estimate/types/types_internal.h"
#include "estimate/types/types_read.h"

static void swap(segue_types *a, segue_types *b)
{
    const segue_types swapped = *a;
    *a = *b;
    *b = swapped;
}

/* Copy everything except the tasks. */
static void copy_state(segue_types *to, const segue_types *from)
{
    segue_mixture_copy(&to->mix, &from->mix);
    to->finished = from->finished;
    to->fit_at = from->fit_at;
    to->fitted = from->fitted;
    to->no_type = from->no_type;
    to->alarm = from->alarm;
    to->is_due = from->is_due;
}

/* Copy, with at least as many arms. */
static segue_status copy_with(segue_types **out, const segue_types *types, size_t n_arms,
                              segue_error *err)
{
    segue_types_config config = types->config;
    config.n_arms = n_arms;
    segue_status status = segue_types_create(out, &config, err);
    if (status == SEGUE_OK)
        status = segue_task_window_copy(&(*out)->tasks, &types->tasks, err);
    if (status != SEGUE_OK) {
        segue_types_destroy(*out);
        *out = NULL;
        return status;
    }
    copy_state(*out, types);
    return SEGUE_OK;
}

segue_status segue_types_copy(segue_types **out, const segue_types *types, segue_error *err)
{
    return copy_with(out, types, types->config.n_arms, err);
}

segue_status segue_types_resize(segue_types *types, size_t n_arms, segue_error *err)
{
    segue_types *larger = NULL;
    if (n_arms < types->config.n_arms)
        return segue_fail(err, SEGUE_EDOMAIN, "there are %zu arms; they cannot become %zu",
                          types->config.n_arms, n_arms);
    SEGUE_TRY(copy_with(&larger, types, n_arms, err));
    swap(types, larger);
    segue_types_destroy(larger);
    return SEGUE_OK;
}

/* ---- adopt ---------------------------------------------------------------------------- */

static bool is_copy(const segue_types *copy, const segue_types *of)
{
    const segue_types_config *a = &copy->config, *b = &of->config;
    return a->n_arms == b->n_arms && a->window == b->window && a->cap == b->cap &&
           a->seed == b->seed && a->run == b->run && copy->finished <= of->finished;
}

segue_status segue_types_adopt(segue_types *types, segue_types *copy, segue_error *err)
{
    const task_window *tasks = &types->tasks;
    const uint64_t known = copy->finished;
    if (!is_copy(copy, types))
        return segue_fail(err, SEGUE_EDOMAIN, "the types to adopt are not a copy");
    for (size_t l = 0; l < tasks->count; l++) {
        const uint64_t number = segue_task_window_number(tasks, l);
        if (number <= known)
            continue;
        copy->finished = number - 1; /* some tasks between may have left the window */
        SEGUE_TRY(segue_types_add_task(copy, segue_task_window_sum(tasks, l),
                                       segue_task_window_pulls(tasks, l), err));
    }
    copy->finished = types->finished;
    swap(types, copy);
    return SEGUE_OK;
}

/* ---- merge ------------------------------------------------------------------------------- */

/* Add the newest tasks of both in turn, up to the window; then those of the longer one. */
static void pool_tasks(segue_types *pool, const task_window *a, const task_window *b)
{
    const size_t both = a->count + b->count, window = pool->config.window;
    const size_t in_turn = a->count < b->count ? a->count : b->count;
    const task_window *longer = a->count < b->count ? b : a;
    for (size_t k = both < window ? both : window; k-- > 0;) { /* k tasks are newer */
        const task_window *from = k >= 2 * in_turn ? longer : k % 2 == 0 ? a : b;
        const size_t newer = k >= 2 * in_turn ? k - in_turn : k / 2;
        const size_t index = from->count - 1 - newer;
        segue_task_window_add(&pool->tasks, pool->finished - k, segue_task_window_sum(from, index),
                              segue_task_window_pulls(from, index));
    }
}

static segue_status pool_both(segue_types *pool, const segue_types *a, const segue_types *b,
                              segue_error *err)
{
    const bool is_second = b->finished > a->finished && b->mix.n_types <= a->config.cap;
    segue_status status =
        segue_task_window_reserve(&pool->tasks, a->tasks.count + b->tasks.count, err);
    if (status != SEGUE_OK)
        return status;
    copy_state(pool, is_second ? b : a);
    pool->finished = a->finished + b->finished;
    pool_tasks(pool, &a->tasks, &b->tasks);
    return segue_types_refit(pool, err);
}

segue_status segue_types_merge(segue_types *types, const segue_types *other, segue_error *err)
{
    segue_types *pool = NULL;
    if (other->config.n_arms != types->config.n_arms)
        return segue_fail(err, SEGUE_EDOMAIN, "types of %zu and of %zu arms do not go together",
                          types->config.n_arms, other->config.n_arms);
    segue_status status = segue_types_create(&pool, &types->config, err);
    if (status == SEGUE_OK)
        status = pool_both(pool, types, other, err);
    if (status == SEGUE_OK)
        swap(types, pool);
    segue_types_destroy(pool);
    return status;
}
