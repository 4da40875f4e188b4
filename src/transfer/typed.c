/* typed.c - learners of types: Thompson sampling (tts) and look-ahead (tla) over a mixture of them.
 *
 * What is learned is the same (estimate/types.h): how many types of tasks there are, what each is
 * like, how much its tasks differ, and how many tasks are of no type.  They differ in how a task is
 * played: tla looks ahead to the end of the task, and has to know when that is.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bandit/taught.h"
#include "estimate/types.h"
#include "transfer/method.h"

/* What it remembers. */
typedef struct typed {
    segue_types *types;
    double *pulls; /* n_arms: scratch */
} typed;

enum { HINT, WINDOW, CAP, N_OPTIONS };

static const segue_option options[N_OPTIONS] = {
    [HINT] = {.key = "hint",
              .help = "types that somebody expects; 0: nobody does (default 0)",
              .least = 0.0,
              .most = SEGUE_TYPES_MOST,
              .whole = true},
    [WINDOW] = {.key = "window",
                .help = "finished tasks that it keeps (default 512)",
                .least = SEGUE_TYPES_LEAST_WINDOW,
                .most = SEGUE_TYPES_MOST_WINDOW,
                .whole = true},
    [CAP] = {.key = "cap",
             .help = "the most types it may find, for trials (default 16)",
             .least = 1.0,
             .most = SEGUE_TYPES_MOST,
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
    if (config->window == 0)
        config->window = segue_types_defaults().window;
    if (config->horizon > SEGUE_MAX_HORIZON)
        return segue_fail(err, SEGUE_EDOMAIN, "horizon is %llu; need at most %llu",
                          (unsigned long long)config->horizon,
                          (unsigned long long)SEGUE_MAX_HORIZON);
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
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a learner");
    const segue_status status = segue_types_create(&t->types, &types, err);
    if (status != SEGUE_OK)
        return status;
    t->pulls = calloc(config->n_arms, sizeof *t->pulls);
    return t->pulls ? SEGUE_OK : segue_fail(err, SEGUE_ENOMEM, "out of memory for a learner");
}

static void destroy(segue_learner *learner)
{
    typed *t = learner->part;
    if (!t)
        return;
    segue_types_destroy(t->types);
    free(t->pulls);
    free(t);
}

/* ---- tasks ------------------------------------------------------------------------------- */

/* Hand the types, as they are now, to the tasks to come. */
static segue_status publish(segue_learner *learner, segue_error *err)
{
    const segue_types *types = ((const typed *)learner->part)->types;
    const size_t n_components = segue_types_count(types) + 1, n_arms = segue_types_arms(types);
    lesson *next = NULL;
    if (n_components == 1) { /* no types yet, or no more: tasks go by nothing */
        segue_learner_publish(learner, NULL);
        return SEGUE_OK;
    }
    const segue_status status = segue_lesson_create(&next, n_components, n_arms, err);
    if (status != SEGUE_OK)
        return status;
    segue_types_prior(types, segue_lesson_weight(next));
    memcpy(segue_lesson_a(next), segue_types_a(types), n_components * n_arms * sizeof(double));
    memcpy(segue_lesson_b(next), segue_types_b(types), n_components * n_arms * sizeof(double));
    segue_learner_publish(learner, next);
    return SEGUE_OK;
}

static segue_status learn(segue_learner *learner, const open_task *entry, segue_error *err)
{
    typed *t = learner->part;
    const task_inside in = segue_task_inside(entry->task);
    for (size_t i = 0; i < learner->config.n_arms; i++)
        t->pulls[i] = (double)in.pulls[i];
    segue_status status = segue_types_finish(t->types, in.sum, t->pulls, err);
    if (status == SEGUE_OK && segue_types_due(t->types))
        status = segue_types_refit(t->types, err);
    return status == SEGUE_OK ? publish(learner, err) : status;
}

static void look(const segue_learner *learner, segue_learner_info *info)
{
    const segue_types *types = ((const typed *)learner->part)->types;
    info->n_types = segue_types_count(types);
    info->none = segue_types_weights(types)[0];
}

/* ---- saving ------------------------------------------------------------------------------ */

static void put(const segue_learner *learner, bytes *b)
{
    segue_types_put(((const typed *)learner->part)->types, b);
}

static segue_status get(segue_learner *learner, reader *r, segue_error *err)
{
    const segue_status status = segue_types_get(((typed *)learner->part)->types, r, err);
    return status == SEGUE_OK ? publish(learner, err) : status;
}

const learner_method segue_method_tts = {
    .kind = {.name = "tts",
             .summary = "Thompson sampling over types learned from tasks; needs no n",
             .options = options,
             .n_options = N_OPTIONS},
    .take = take,
    .check = check,
    .create = create,
    .destroy = destroy,
    .policy = &segue_policy_tts,
    .teach = segue_lesson_teach,
    .learn = learn,
    .look = look,
    .put = put,
    .get = get,
};

const learner_method segue_method_tla = {
    .kind = {.name = "tla",
             .summary = "look-ahead over types learned from tasks",
             .options = options,
             .n_options = N_OPTIONS},
    .take = take,
    .check = check_tla,
    .create = create,
    .destroy = destroy,
    .policy = &segue_policy_tla,
    .teach = segue_lesson_teach,
    .learn = learn,
    .look = look,
    .put = put,
    .get = get,
};

static const learner_method *choose(const segue_learner_config *config)
{
    return config->horizon > 0 ? &segue_method_tla : &segue_method_tts;
}

const learner_method segue_method_auto = {
    .kind = {.name = "auto",
             .summary = "tla where the steps of a task are known, else tts",
             .options = options,
             .n_options = N_OPTIONS},
    .choose = choose,
    .take = take,
};
