/* types_learner.c - learners of types: Thompson sampling (tts) and look-ahead (tla) over a mixture
 * of them.
 *
 * What is learned is the same (estimate/types/types.h): how many types of tasks there are, what
 * each is like, how much its tasks differ, and how many tasks are of no type.  They differ in how a
 * task is played: tla looks ahead to the end of the task, and has to know when that is.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bandit/policies/prior_policies.h"
#include "core/fail.h"
#include "estimate/types/types.h"
#include "transfer/learner_method.h"

/* What it remembers. */
typedef struct typed {
    segue_types *types;
    double *counts; /* 2 x n_arms, scratch: sums of a task, and pulls */
} typed;

enum { HINT, WINDOW, CAP, N_OPTIONS };

static const segue_option options[N_OPTIONS] = {
    [HINT] = {.key = "hint",
              .help = "types that somebody expects, if more than 6 (default 0)",
              .min = 0.0,
              .max = SEGUE_MAX_TYPES_COUNT,
              .whole = true},
    [WINDOW] = {.key = "window",
                .help = "finished tasks that it keeps (default 512)",
                .min = SEGUE_MIN_TYPES_WINDOW,
                .max = SEGUE_MAX_TYPES_WINDOW,
                .whole = true},
    [CAP] = {.key = "cap",
             .help = "the most types it may find, for trials (default 16)",
             .min = 1.0,
             .max = SEGUE_MAX_TYPES_COUNT,
             .whole = true},
};

static void take(segue_learner_config *config, const double *value)
{
    size_t *const fields[N_OPTIONS] = {
        [HINT] = &config->hint, [WINDOW] = &config->window, [CAP] = &config->cap};
    for (size_t i = 0; i < N_OPTIONS; i++)
        if (!isnan(value[i]))
            *fields[i] = (size_t)value[i];
}

static segue_status check(segue_learner_config *config, segue_error *err)
{
    (void)err;
    if (config->window == 0)
        config->window = segue_types_defaults().window;
    return SEGUE_OK; /* the rest is looked at where types are made */
}

static segue_status check_tla(segue_learner_config *config, segue_error *err)
{
    if (config->horizon < 1)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "horizon is 0; tla must know its steps, or a guess on the high side");
    return check(config, err);
}

/* ---- making one -------------------------------------------------------------------------- */

static segue_status create(segue_learner *learner, segue_error *err)
{
    const segue_learner_config *config = &learner->config;
    segue_types_config types = segue_types_defaults();
    types.n_arms = config->n_arms;
    types.window = config->window;
    types.hint = config->hint;
    types.cap = config->cap;
    types.seed = config->seed;
    types.run = config->run;
    typed *t = learner->part = calloc(1, sizeof *t);
    if (!t)
        return segue_fail_no_memory(err, "a learner");
    const segue_status status = segue_types_create(&t->types, &types, err);
    if (status != SEGUE_OK)
        return status;
    t->counts = calloc(2 * config->n_arms, sizeof *t->counts);
    return t->counts ? SEGUE_OK : segue_fail_no_memory(err, "a learner");
}

static void destroy(segue_learner *learner)
{
    typed *t = learner->part;
    if (!t)
        return;
    segue_types_destroy(t->types);
    free(t->counts);
    free(t);
}

/* ---- tasks ------------------------------------------------------------------------------- */

/* Types as they are now, for tasks to come. */
static segue_status make_prior(const segue_types *types, lesson **out, segue_error *err)
{
    const size_t n_components = segue_types_count(types) + 1, n_arms = segue_types_arms(types);
    *out = NULL;
    if (n_components == 1)
        return SEGUE_OK; /* no types yet, or no more: tasks go by nothing */
    const segue_status status = segue_shared_prior_create(out, n_components, n_arms, err);
    if (status != SEGUE_OK)
        return status;
    segue_types_prior(types, segue_shared_prior_weight(*out));
    memcpy(segue_shared_prior_a(*out), segue_types_a(types),
           n_components * n_arms * sizeof(double));
    memcpy(segue_shared_prior_b(*out), segue_types_b(types),
           n_components * n_arms * sizeof(double));
    return SEGUE_OK;
}

/* Let tasks go by types from here on. */
static segue_status publish_types(segue_learner *learner, const segue_types *types,
                                  segue_error *err)
{
    lesson *next = NULL;
    const segue_status status = make_prior(types, &next, err);
    if (status == SEGUE_OK && (next || learner->current))
        segue_shared_prior_publish(learner, next);
    return status;
}

static segue_status publish(segue_learner *learner, segue_error *err)
{
    return publish_types(learner, ((const typed *)learner->part)->types, err);
}

/* Publish types that were made aside and put them in the place of the others; or free them. */
static segue_status replace(segue_learner *learner, segue_types *made, segue_error *err)
{
    typed *t = learner->part;
    const segue_status status = publish_types(learner, made, err);
    segue_types_destroy(status == SEGUE_OK ? t->types : made);
    t->types = status == SEGUE_OK ? made : t->types;
    return status;
}

/* Sums and pulls of all arms there are; the task may know only the first of them. */
static void count(const typed *t, const open_task *entry, size_t n_arms)
{
    const task_internals in = segue_task_internals(entry->task);
    for (size_t i = 0; i < n_arms; i++) {
        const bool is_known = i < in.view->n_arms;
        t->counts[i] = is_known ? in.sum[i] : 0.0;
        t->counts[n_arms + i] = is_known ? (double)in.pulls[i] : 0.0;
    }
}

static segue_status learn(segue_learner *learner, const open_task *entry, segue_error *err)
{
    typed *t = learner->part;
    const size_t n_arms = learner->config.n_arms;
    count(t, entry, n_arms);
    segue_status status = segue_types_add_task(t->types, t->counts, t->counts + n_arms, err);
    if (status != SEGUE_OK)
        return status;
    if (segue_types_due(t->types) && !learner->config.background)
        status = segue_types_refit(t->types, err);
    /* also where that failed: types may be gone with the task */
    return status == SEGUE_OK ? publish(learner, err) : (publish(learner, NULL), status);
}

/* ---- refits aside ------------------------------------------------------------------------ */

static bool is_due(const segue_learner *learner)
{
    return segue_types_due(((const typed *)learner->part)->types);
}

static segue_status copy(const segue_learner *learner, void **out, segue_error *err)
{
    segue_types *made = NULL;
    const segue_status status = segue_types_copy(&made, ((const typed *)learner->part)->types, err);
    *out = made;
    return status;
}

static segue_status run(void *made, segue_error *err)
{
    return segue_types_refit(made, err);
}

static segue_status adopt(segue_learner *learner, void *made, segue_error *err)
{
    const typed *t = learner->part;
    segue_status status = SEGUE_OK;
    if (segue_types_arms(made) < learner->config.n_arms)
        status = segue_types_resize(made, learner->config.n_arms, err);
    if (status == SEGUE_OK)
        status = segue_types_adopt(t->types, made, err);
    if (status != SEGUE_OK)
        return status;
    status = publish(learner, err);
    if (status != SEGUE_OK)
        (void)!segue_types_adopt(t->types, made, NULL); /* they change places again */
    return status;
}

static void discard(void *made)
{
    segue_types_destroy(made);
}

static const refit_method refit = {
    .is_due = is_due, .copy = copy, .run = run, .adopt = adopt, .discard = discard};

/* ---- more arms, more tasks --------------------------------------------------------------- */

static segue_status add_arm(segue_learner *learner, segue_error *err)
{
    typed *t = learner->part;
    const size_t n_arms = learner->config.n_arms + 1;
    segue_types *made = NULL;
    double *counts = realloc(t->counts, 2 * n_arms * sizeof *counts);
    if (!counts)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", n_arms);
    t->counts = counts;
    segue_status status = segue_types_copy(&made, t->types, err);
    if (status == SEGUE_OK)
        status = segue_types_resize(made, n_arms, err);
    if (status == SEGUE_OK)
        return replace(learner, made, err);
    segue_types_destroy(made);
    return status;
}

static segue_status merge(segue_learner *into, const segue_learner *from, segue_error *err)
{
    const typed *mine = into->part, *theirs = from->part;
    segue_types *made = NULL;
    segue_status status = segue_types_copy(&made, mine->types, err);
    if (status == SEGUE_OK)
        status = segue_types_merge(made, theirs->types, err);
    if (status == SEGUE_OK)
        return replace(into, made, err);
    segue_types_destroy(made);
    return status;
}

static void look(const segue_learner *learner, segue_learner_summary *info)
{
    const segue_types *types = ((const typed *)learner->part)->types;
    info->n_types = segue_types_count(types);
    info->none = segue_types_weights(types)[0];
}

static size_t bytes_of(const segue_learner *learner)
{
    const typed *t = learner->part;
    return sizeof *t + segue_types_bytes(t->types) + 2 * learner->config.n_arms * sizeof *t->counts;
}

static void interval(const segue_learner *learner, size_t type, size_t arm, double *low,
                     double *high)
{
    const segue_type_arm about = segue_types_arm(((const typed *)learner->part)->types, type, arm);
    *low = about.low;
    *high = about.high;
}

/* ---- saving ------------------------------------------------------------------------------ */

static void put(const segue_learner *learner, segue_bytes *b)
{
    segue_types_serialize(((const typed *)learner->part)->types, b);
}

static segue_status get(segue_learner *learner, segue_bytes_reader *r, segue_error *err)
{
    const segue_status status = segue_types_deserialize(((typed *)learner->part)->types, r, err);
    return status == SEGUE_OK ? publish(learner, err) : status;
}

const learner_method segue_learner_tts = {
    .kind = {.name = "tts",
             .summary = "Thompson sampling over types learned from tasks; needs no n",
             .options = options,
             .n_options = N_OPTIONS},
    .take = take,
    .check = check,
    .create = create,
    .destroy = destroy,
    .policy = &segue_policy_tts,
    .teach = segue_shared_prior_apply,
    .learn = learn,
    .refit = &refit,
    .add_arm = add_arm,
    .merge = merge,
    .look = look,
    .bytes = bytes_of,
    .interval = interval,
    .put = put,
    .get = get,
};

const learner_method segue_learner_tla = {
    .kind = {.name = "tla",
             .summary = "look-ahead over types learned from tasks",
             .options = options,
             .n_options = N_OPTIONS},
    .take = take,
    .check = check_tla,
    .create = create,
    .destroy = destroy,
    .policy = &segue_policy_tla,
    .teach = segue_shared_prior_apply,
    .learn = learn,
    .refit = &refit,
    .add_arm = add_arm,
    .merge = merge,
    .look = look,
    .bytes = bytes_of,
    .interval = interval,
    .put = put,
    .get = get,
};

static const learner_method *choose(const segue_learner_config *config)
{
    return config->horizon > 0 ? &segue_learner_tla : &segue_learner_tts;
}

const learner_method segue_learner_auto = {
    .kind = {.name = "auto",
             .summary = "tla where the steps of a task are known, else tts",
             .options = options,
             .n_options = N_OPTIONS},
    .choose = choose,
    .take = take,
};
