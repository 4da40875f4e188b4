/* sampler_copy.c - copy a sampler, adopt a refitted copy, merge, add arms.
 *
 * Every operation builds a new object and swaps it in at the end, so that a failure changes
 * nothing.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "core/fail.h"
#include "estimate/sampler/sampler_internal.h"
#include "estimate/types/types_internal.h"

static void swap(segue_sampler *a, segue_sampler *b)
{
    const segue_sampler swapped = *a;
    *a = *b;
    *b = swapped;
}

/* Copy everything except the tasks, their types and the table. */
static void copy_numbers(segue_sampler *to, const segue_sampler *from)
{
    to->kappas = from->kappas;
    to->alpha = from->alpha;
    memcpy(to->memory, from->memory, sizeof to->memory);
    to->unlike = from->unlike;
    to->judged = from->judged;
    to->pulls = from->pulls;
    to->finished = from->finished;
    to->fitted = from->fitted;
    to->next_id = from->next_id;
    to->first_own_id = from->first_own_id;
}

static segue_status fill_copy(segue_sampler *to, const segue_sampler *from, segue_error *err)
{
    SEGUE_TRY(segue_sampler_reserve(to, from->tasks.count, err));
    SEGUE_TRY(segue_task_window_copy(&to->tasks, &from->tasks, err));
    if (from->tasks.count > 0)
        memcpy(to->type_of, from->type_of, from->tasks.count * sizeof *to->type_of);
    segue_type_table_copy(&to->types, &from->types);
    copy_numbers(to, from);
    return segue_feature_table_copy(&to->features, &from->features, from->tasks.count, to->capacity,
                                    err);
}

/* Copy, with at least as many arms. */
static segue_status copy_with(segue_sampler **out, const segue_sampler *s, size_t n_arms,
                              segue_error *err)
{
    segue_sampler_config config = s->config;
    config.n_arms = n_arms;
    SEGUE_TRY(segue_sampler_create(out, &config, err));
    const segue_status status = fill_copy(*out, s, err);
    if (status != SEGUE_OK) {
        segue_sampler_destroy(*out);
        *out = NULL;
    }
    return status;
}

segue_status segue_sampler_copy(segue_sampler **out, const segue_sampler *s, segue_error *err)
{
    SEGUE_TRY(copy_with(out, s, s->config.n_arms, err));
    (*out)->first_own_id = s->next_id;
    return SEGUE_OK;
}

segue_status segue_sampler_resize(segue_sampler *s, size_t n_arms, segue_error *err)
{
    segue_sampler *larger = NULL;
    if (n_arms < s->config.n_arms)
        return segue_fail(err, SEGUE_EDOMAIN, "there are %zu arms; they cannot become %zu",
                          s->config.n_arms, n_arms);
    SEGUE_TRY(copy_with(&larger, s, n_arms, err));
    swap(s, larger);
    segue_sampler_destroy(larger);
    return SEGUE_OK;
}

/* ---- adopt ------------------------------------------------------------------------------- */

static bool is_copy(const segue_sampler *copy, const segue_sampler *of)
{
    const segue_sampler_config *a = &copy->config, *b = &of->config;
    return a->n_arms == b->n_arms && a->window == b->window && a->cap == b->cap &&
           a->seed == b->seed && a->run == b->run && copy->finished <= of->finished;
}

/* Add `shift` to the ids from `first` on, and to the next one. */
static void shift_ids(segue_sampler *s, uint64_t first, uint64_t shift)
{
    for (size_t c = 0; c < s->types.n_types; c++)
        if (s->types.id[c] >= first)
            s->types.id[c] += shift;
    s->next_id += shift;
}

/* Types that the copy and the original found since then have the same ids: those of the copy change. */
static void separate_ids(segue_sampler *copy, const segue_sampler *original)
{
    const uint64_t shift = original->next_id - copy->first_own_id;
    shift_ids(copy, copy->first_own_id, shift);
    copy->first_own_id += shift;
}

void segue_sampler_swap(segue_sampler *a, segue_sampler *b)
{
    const feature_table features = a->features;
    swap(a, b);
    b->features = a->features;
    a->features = features;
}

/* The refit did not touch the features, so those of `s` stay. */
segue_status segue_sampler_adopt(segue_sampler *s, segue_sampler *copy, segue_error *err)
{
    const uint64_t known = copy->finished;
    if (!is_copy(copy, s))
        return segue_fail(err, SEGUE_EDOMAIN, "the types to adopt are not a copy");
    separate_ids(copy, s);
    for (size_t l = 0; l < s->tasks.count; l++) {
        const uint64_t number = segue_task_window_number(&s->tasks, l);
        if (number <= known)
            continue;
        copy->finished = number - 1; /* some tasks between may have left the window */
        SEGUE_TRY(segue_sampler_add_task(copy, sum_of(s, l), pulls_of(s, l), err));
    }
    copy->finished = s->finished;
    copy->pulls = s->pulls;
    segue_sampler_recent_update(copy);
    segue_sampler_swap(s, copy);
    return SEGUE_OK;
}

/* ---- types of an older file ---------------------------------------------------------------- */

/* Count the pulls of tasks that left the window as many as those of the others, on average. */
static double count_pulls_before(const task_window *tasks)
{
    double pulls = 0.0;
    for (size_t l = 0; l < tasks->count; l++)
        for (size_t i = 0; i < tasks->n_arms; i++)
            pulls += segue_task_window_pulls(tasks, l)[i];
    return tasks->count > 0
               ? pulls / (double)tasks->count * (double)(segue_task_window_number(tasks, 0) - 1)
               : 0.0;
}

/* Refits are as rare as the window is long, so that it takes seconds at most. */
segue_status segue_sampler_learn_fitted(segue_sampler *s, const segue_types *fitted,
                                        segue_error *err)
{
    const task_window *tasks = &fitted->tasks;
    size_t last = 0; /* tasks at the last refit */
    s->pulls = count_pulls_before(tasks);
    for (size_t l = 0; l < tasks->count; l++) {
        s->finished = segue_task_window_number(tasks, l) - 1;
        SEGUE_TRY(segue_sampler_add_task(s, segue_task_window_sum(tasks, l),
                                         segue_task_window_pulls(tasks, l), err));
        if (l + 1 - last < (l + 1) / SAMPLER_REFIT_SHARE)
            continue;
        segue_sampler_refit(s);
        last = l + 1;
    }
    s->finished = fitted->finished;
    segue_sampler_recent_update(s);
    return SEGUE_OK;
}

/* ---- merge ------------------------------------------------------------------------------- */

/* The k-th newest task of two windows in turn; after the shorter one, those of the longer one. */
typedef struct source {
    const segue_sampler *from;
    size_t index;
} source;

static source find_source(const segue_sampler *a, const segue_sampler *b, size_t k)
{
    const bool is_longer = b->tasks.count > a->tasks.count;
    const size_t in_turn = is_longer ? a->tasks.count : b->tasks.count;
    const segue_sampler *longer = is_longer ? b : a;
    const segue_sampler *from = k >= 2 * in_turn ? longer : k % 2 == 0 ? a : b;
    const size_t newer = k >= 2 * in_turn ? k - in_turn : k / 2;
    return (source){from, from->tasks.count - 1 - newer};
}

/* Put a task into the window of the pool; it keeps its type if it comes from `main`.
 * @retval SEGUE_ENOMEM */
static segue_status put(segue_sampler *pool, const segue_sampler *main, source of, uint64_t number,
                        segue_error *err)
{
    segue_feature features[SEGUE_MAX_FEATURES];
    const size_t n_features = segue_feature_table_get(&of.from->features, of.index, features);
    SEGUE_TRY(
        segue_feature_table_reserve(&pool->features, pool->capacity, features, n_features, err));
    segue_feature_table_push(&pool->features, pool->tasks.count, false, features, n_features);
    const double *sum = sum_of(of.from, of.index), *pulls = pulls_of(of.from, of.index);
    const size_t task = pool->tasks.count;
    segue_task_window_add(&pool->tasks, number, sum, pulls);
    pool->type_of[task] = of.from == main ? main->type_of[of.index] : NO_TYPE;
    if (of.from == main)
        segue_type_table_add(&pool->types, pool->type_of[task], sum, pulls, 1.0);
    return SEGUE_OK;
}

/* Copy the table without tasks: only kappas and ids stay. */
static void copy_empty(type_table *to, const type_table *from)
{
    segue_type_table_copy(to, from);
    for (size_t c = 0; c < to->n_types; c++) {
        to->size[c] = 0.0;
        for (size_t i = 0; i < to->n_arms; i++)
            segue_type_table_set(to, c, i, 0.0, 0.0, to->kappa[c * to->n_arms + i]);
    }
}

/* Give the other tasks to types, and remove types whose tasks left the window. */
static void assign_others(segue_sampler *pool)
{
    segue_rng rng;
    segue_rng_init(&rng, pool->config.seed, pool->config.run, pool->finished,
                   SEGUE_STREAM_ESTIMATOR);
    for (size_t c = pool->types.n_types; c-- > 0;)
        if (pool->types.size[c] < 0.5)
            segue_sampler_moves_drop(pool, c);
    for (size_t l = 0; l < pool->tasks.count; l++)
        if (pool->type_of[l] == NO_TYPE)
            segue_sampler_moves_assign(pool, l, &rng);
}

static segue_status pool_both(segue_sampler *pool, const segue_sampler *a, const segue_sampler *b,
                              segue_error *err)
{
    const size_t both = a->tasks.count + b->tasks.count, window = pool->config.window;
    const segue_sampler *main = b->finished > a->finished && b->config.cap <= a->config.cap ? b : a;
    SEGUE_TRY(segue_sampler_reserve(pool, both, err));
    copy_numbers(pool, main);
    copy_empty(&pool->types, &main->types);
    if (main == b) /* its ids are others in `a` */
        shift_ids(pool, 0, a->next_id - 1);
    pool->finished = a->finished + b->finished;
    pool->pulls = a->pulls + b->pulls;
    for (size_t k = both < window ? both : window; k-- > 0;) /* k tasks are newer */
        SEGUE_TRY(put(pool, main, find_source(a, b, k), pool->finished - k, err));
    assign_others(pool);
    segue_sampler_refit(pool);
    return SEGUE_OK;
}

segue_status segue_sampler_merge(segue_sampler *s, const segue_sampler *other, segue_error *err)
{
    segue_sampler *pool = NULL;
    if (other->config.n_arms != s->config.n_arms)
        return segue_fail(err, SEGUE_EDOMAIN, "types of %zu and of %zu arms do not go together",
                          s->config.n_arms, other->config.n_arms);
    segue_status status = segue_sampler_create(&pool, &s->config, err);
    if (status == SEGUE_OK)
        status = pool_both(pool, s, other, err);
    if (status == SEGUE_OK)
        swap(s, pool);
    segue_sampler_destroy(pool);
    return status;
}
