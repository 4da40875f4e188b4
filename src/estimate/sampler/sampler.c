/* sampler.c - learn types task by task, and refit now and then.
 *
 * A new task draws its type by the shares that were predicted, and the Betas of that type change at
 * once.  A refit tries two splits and a merge, and redraws everything once: the type of every task,
 * the concentration of the process, the kappas.  Refits are due after every task up to the 15th, then
 * after finished / 8 tasks, and every 8 tasks from the 64th on (in a window of more than 512 tasks,
 * after a 64th of it).  A task that leaves the window leaves its type.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/sampler/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/wilson.h"
#include "estimate/sampler/sampler_internal.h"
#include "segue/models.h"

#define WINDOW       1024
#define MIN_CAPACITY 16
#define SPLITS       2    /* of a refit */
#define FULL_REFITS  32   /* in a row, until types hardly change any more ... */
#define FULL_ALPHA   0.25 /* ... and there are as few as explain the tasks */
#define MAX_BETWEEN  8    /* tasks between refits, in a window of up to 512; ... */
#define WINDOW_SHARE 64   /* ... else the window / this */

/* ---- create ------------------------------------------------------------------------------ */

segue_sampler_config segue_sampler_defaults(void)
{
    return (segue_sampler_config){
        .n_arms = SEGUE_MIN_ARMS, .window = WINDOW, .cap = SEGUE_MAX_TYPES, .seed = 1};
}

static segue_status check(const segue_sampler_config *config, segue_error *err)
{
    if (config->n_arms < SEGUE_MIN_ARMS || config->n_arms > SEGUE_MAX_ARMS)
        return segue_fail(err, SEGUE_EDOMAIN, "n_arms is %zu; need %d to %d", config->n_arms,
                          SEGUE_MIN_ARMS, SEGUE_MAX_ARMS);
    if (config->window < SEGUE_MIN_SAMPLER_WINDOW || config->window > SEGUE_MAX_SAMPLER_WINDOW)
        return segue_fail(err, SEGUE_EDOMAIN, "the window is %zu tasks; need %d to %d",
                          config->window, SEGUE_MIN_SAMPLER_WINDOW, SEGUE_MAX_SAMPLER_WINDOW);
    if (config->cap < 1 || config->cap > SEGUE_MAX_TYPES)
        return segue_fail(err, SEGUE_EDOMAIN, "at most %zu types; need 1 to %d", config->cap,
                          SEGUE_MAX_TYPES);
    return SEGUE_OK;
}

static void fill(segue_sampler *s, const segue_sampler_config *config)
{
    s->config = *config;
    s->alpha = 1.0;
    segue_sampler_mixing_start(s);
    s->unlike = 1.0;
    s->judged = 20.0;
    s->next_id = 1;
    segue_task_window_init(&s->tasks, config->n_arms, config->window);
    for (size_t i = 0; i < config->n_arms; i++)
        s->ones[i] = 1.0;
    segue_kappas_estimate(&s->kappas, &s->types, 0.0);
}

segue_status segue_sampler_create(segue_sampler **out, const segue_sampler_config *config,
                                  segue_error *err)
{
    *out = NULL;
    SEGUE_TRY(check(config, err));
    segue_sampler *s = calloc(1, sizeof *s);
    if (!s)
        return segue_fail_no_memory(err, "types");
    s->ones = calloc(config->n_arms, sizeof *s->ones);
    segue_status status = s->ones ? segue_type_table_init(&s->types, config->n_arms, err)
                                  : segue_fail_no_memory(err, "types");
    if (status != SEGUE_OK) {
        segue_sampler_destroy(s);
        return status;
    }
    fill(s, config);
    *out = s;
    return SEGUE_OK;
}

void segue_sampler_destroy(segue_sampler *s)
{
    if (!s)
        return;
    segue_task_window_fini(&s->tasks);
    segue_type_table_fini(&s->types);
    segue_feature_table_fini(&s->features);
    free(s->type_of);
    free(s->scratch);
    free(s->ones);
    free(s);
}

/* Memory of `capacity` tasks: type_of, first and second in one block, the scratch in another. */
static segue_status allocate(segue_sampler *s, size_t capacity, segue_error *err)
{
    uint32_t *index = calloc(3 * capacity, sizeof *index);
    double *scratch = calloc(4 * capacity, sizeof *scratch);
    if (!index || !scratch) {
        free(index);
        free(scratch);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu finished tasks", capacity);
    }
    if (s->type_of)
        memcpy(index, s->type_of, s->capacity * sizeof *index);
    free(s->type_of);
    free(s->scratch);
    s->type_of = index;
    s->first = index + capacity;
    s->second = index + 2 * capacity;
    s->scratch = scratch;
    s->capacity = capacity;
    return SEGUE_OK;
}

segue_status segue_sampler_reserve(segue_sampler *s, size_t more, segue_error *err)
{
    const size_t count = s->tasks.count + more;
    const size_t wanted = count < s->config.window ? count : s->config.window;
    size_t capacity = s->capacity ? s->capacity : MIN_CAPACITY;
    while (capacity < wanted)
        capacity *= 2;
    if (capacity > s->capacity)
        SEGUE_TRY(allocate(s, capacity, err));
    return segue_task_window_reserve(&s->tasks, more, err);
}

/* ---- what is known ----------------------------------------------------------------------- */

size_t segue_sampler_bytes(const segue_sampler *s)
{
    return sizeof *s + segue_task_window_bytes(&s->tasks) + segue_type_table_bytes(&s->types) +
           s->capacity * (3 * sizeof *s->type_of + 4 * sizeof *s->scratch) +
           s->config.n_arms * sizeof *s->ones + segue_feature_table_bytes(&s->features);
}

const feature_table *segue_sampler_features(const segue_sampler *s)
{
    return &s->features;
}

segue_status segue_sampler_shift(const segue_sampler *s, feature_shift *out, segue_error *err)
{
    const typed_tasks tasks = {.type_of = s->type_of,
                               .n_tasks = s->tasks.count,
                               .n_types = s->types.n_types,
                               .n_shown = segue_sampler_count(s)};
    return segue_feature_shift_build(out, &s->features, tasks, err);
}

size_t segue_sampler_arms(const segue_sampler *s)
{
    return s->config.n_arms;
}

uint64_t segue_sampler_tasks(const segue_sampler *s)
{
    return s->finished;
}

size_t segue_sampler_in_window(const segue_sampler *s)
{
    return s->tasks.count;
}

size_t segue_sampler_count(const segue_sampler *s)
{
    return s->types.n_types < SEGUE_MAX_TYPES ? s->types.n_types : SEGUE_MAX_TYPES;
}

segue_sampled_arm segue_sampler_arm(const segue_sampler *s, size_t type, size_t arm)
{
    const type_table *t = &s->types;
    const size_t at = (type - 1) * t->n_arms + arm;
    segue_sampled_arm out = {.mean = segue_type_table_mean(t, type - 1, arm),
                             .kappa = segue_type_table_kappa(t->kappa[at]),
                             .pulls = t->pulls[at]};
    segue_wilson_interval(t->won[at], out.pulls, &out.low, &out.high);
    return out;
}

double segue_sampler_size(const segue_sampler *s, size_t type)
{
    return s->types.size[type - 1];
}

uint64_t segue_sampler_id(const segue_sampler *s, size_t type)
{
    return s->types.id[type - 1];
}

/* ---- a task ------------------------------------------------------------------------------ */

/* Put a task into the window; the oldest leaves a full one. */
static void push(segue_sampler *s, const double *sum, const double *pulls)
{
    if (s->tasks.count == s->config.window) {
        segue_sampler_moves_remove(s, 0);
        memmove(s->type_of, s->type_of + 1, (s->tasks.count - 1) * sizeof *s->type_of);
        s->type_of[s->tasks.count - 1] = NO_TYPE;
    }
    segue_task_window_add(&s->tasks, s->finished, sum, pulls);
    s->type_of[s->tasks.count - 1] = NO_TYPE;
    for (size_t i = 0; i < s->config.n_arms; i++)
        s->pulls += pulls[i];
}

segue_status segue_sampler_add_task(segue_sampler *s, const double *sum, const double *pulls,
                                    segue_error *err)
{
    return segue_sampler_add_featured(s, sum, pulls, NULL, 0, err);
}

segue_status segue_sampler_add_featured(segue_sampler *s, const double *sum, const double *pulls,
                                        const segue_feature *features, size_t n_features,
                                        segue_error *err)
{
    if (!segue_task_window_accepts(s->config.n_arms, sum, pulls))
        return segue_fail(err, SEGUE_EDOMAIN, "a task's sums are not in 0 to its pulls");
    SEGUE_TRY(segue_sampler_reserve(s, 1, err));
    SEGUE_TRY(segue_feature_table_reserve(&s->features, s->capacity, features, n_features, err));
    segue_rng rng;
    segue_sampler_mixing_learn(s, sum, pulls);
    s->finished++;
    segue_feature_table_push(&s->features, s->tasks.count, s->tasks.count == s->config.window,
                             features, n_features);
    push(s, sum, pulls);
    const size_t task = s->tasks.count - 1;
    segue_rng_init(&rng, s->config.seed, s->config.run, s->finished, SEGUE_STREAM_ESTIMATOR);
    segue_sampler_moves_assign_last(s, &rng);
    segue_type_table_play(&s->types, s->type_of[task], sum, pulls);
    segue_sampler_recent_update(s);
    return SEGUE_OK;
}

/* ---- refits ------------------------------------------------------------------------------ */

/* Tasks from one refit to the next: few at first, and more in a long window, where a refit takes
 * longer and changes less. */
static uint64_t tasks_between(const segue_sampler *s)
{
    const uint64_t grown = s->finished / SAMPLER_REFIT_SHARE,
                   of_window = s->tasks.count / WINDOW_SHARE;
    const uint64_t max = of_window > MAX_BETWEEN ? of_window : MAX_BETWEEN;
    return grown < 1 ? 1 : grown < max ? grown : max;
}

bool segue_sampler_due(const segue_sampler *s)
{
    return s->finished > s->fitted && s->finished - s->fitted >= tasks_between(s);
}

/* True if a type comes before another: it has more tasks or, of as many, the larger mean of the
 * first arm in which they differ. */
static bool is_before(const type_table *t, size_t c, size_t d)
{
    if (t->size[c] != t->size[d])
        return t->size[c] > t->size[d];
    for (size_t i = 0; i < t->n_arms; i++)
        if (segue_type_table_mean(t, c, i) != segue_type_table_mean(t, d, i))
            return segue_type_table_mean(t, c, i) > segue_type_table_mean(t, d, i);
    return c < d;
}

/* Swap two types, by the free slot after the last. */
static void swap_types(segue_sampler *s, size_t c, size_t d)
{
    type_table *t = &s->types;
    segue_type_table_move(t, t->n_types, c);
    segue_type_table_move(t, c, d);
    segue_type_table_move(t, d, t->n_types);
    for (size_t l = 0; l < s->tasks.count; l++)
        if (s->type_of[l] == c || s->type_of[l] == d)
            s->type_of[l] = (uint32_t)(s->type_of[l] == c ? d : c);
}

static void number_types(segue_sampler *s)
{
    for (size_t c = 0; c < s->types.n_types; c++) {
        size_t first = c;
        for (size_t d = c + 1; d < s->types.n_types; d++)
            first = is_before(&s->types, d, first) ? d : first;
        if (first != c)
            swap_types(s, c, first);
    }
}

static void refit_by(segue_sampler *s, const atomic_bool *stop, segue_rng *rng)
{
    for (int k = 0; k < SPLITS && !segue_stop_requested(stop); k++)
        segue_sampler_split(s, rng);
    if (segue_stop_requested(stop))
        return;
    segue_sampler_split_merge(s, rng);
    segue_sampler_moves_sweep(s, rng);
}

static void finish_refit(segue_sampler *s)
{
    s->fitted = s->finished;
    number_types(s);
    segue_sampler_recent_update(s);
}

void segue_sampler_refit(segue_sampler *s)
{
    segue_rng rng;
    segue_rng_init(&rng, s->config.seed, s->config.run, s->finished, SEGUE_STREAM_REFIT);
    if (s->tasks.count > 0)
        refit_by(s, NULL, &rng);
    finish_refit(s);
}

void segue_sampler_refit_fully(segue_sampler *s, const atomic_bool *stop)
{
    segue_rng rng;
    segue_rng_init(&rng, s->config.seed, s->config.run, s->finished, SEGUE_STREAM_FULL_REFIT);
    for (int k = 0; k < FULL_REFITS && s->tasks.count > 0 && !segue_stop_requested(stop); k++) {
        s->alpha = FULL_ALPHA;
        refit_by(s, stop, &rng);
    }
    finish_refit(s);
}
