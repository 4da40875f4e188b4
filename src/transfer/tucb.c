/* tucb.c - tUCB (figure 2 of Azar, Lazaric and Brunskill 2013): each task is umUCB on the current
 * estimate, whose means are trusted to within eps_j = C sqrt(log(2 m K J / delta) / j), j the tasks
 * behind it.  (The theorem's factor K^2.5 m^2 is folded into C, as in the paper's appendix; with it
 * eps_j would be above 1 for every j that the paper runs.)
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "estimate/estimator_internal.h"
#include "transfer/learner_method.h"

#define FIRST_C    0.25 /* of doubling */
#define MAX_GROWTH 1000.0
#define MIN_GROWTH                                                                                 \
    0.05 /* where a fit reads all tasks: em, and more than SEGUE_MAX_DENSE_ARMS arms               \
          */
#define WINDOW    8192
#define UMUCB_EPS 1 /* the place of eps among umucb's options */

/* What it remembers. */
typedef struct tucb {
    segue_moments *moments;
    segue_estimator *estimator;
    double *views; /* 3 x n_arms: scratch */
    bool counts;   /* the estimator also takes the tasks' counts: em */
    double c;
    uint64_t left_out, violations, no_model_left;
    uint64_t estimated_at; /* tasks behind the current set */
    uint64_t next_fit;     /* estimate again at so many tasks */
} tucb;

double segue_tucb_model_error(double c, size_t n_models, size_t n_arms, uint64_t n_tasks,
                              double delta, uint64_t j)
{
    const double terms = 2.0 * (double)n_models * (double)n_arms * (double)n_tasks;
    return c * sqrt(log(terms / delta) / (double)j);
}

/* ---- options ----------------------------------------------------------------------------- */

enum {
    MODELS,
    C,
    VIEWS,
    BATCHES,
    L,
    N,
    START,
    EVERY,
    GROWTH,
    IDENTIFY,
    DELTA,
    ESTIMATOR,
    KEPT,
    N_OPTIONS
};

static const segue_option options[N_OPTIONS] = {
    [MODELS] = {.key = "models",
                .help = "how many to look for (default: as many as the model set has)",
                .min = 1.0,
                .max = SEGUE_MAX_ESTIMATED,
                .whole = true},
    [C] = {.key = "C",
           .help = "of eps = C sqrt(log(2mKJ/delta)/j); 0: by doubling (default 2)",
           .min = 0.0,
           .max = 1e6},
    [VIEWS] = {.key = "views",
               .help = "pairs of views in M2: paper, symmetric (default paper)",
               .choices = "paper|symmetric"},
    [BATCHES] = {.key = "batches",
                 .help = "consecutive or interleaved (default consecutive)",
                 .choices = "consecutive|interleaved"},
    [L] = {.key = "L",
           .help = "random starts of the power method (default 24)",
           .min = 1.0,
           .max = 1000.0,
           .whole = true},
    [N] = {.key = "N",
           .help = "its iterations (default 40)",
           .min = 1.0,
           .max = 1000.0,
           .whole = true},
    [START] = {.key = "start",
               .help = "rtp from its last answer, or anew: warm, cold (default warm)",
               .choices = "warm|cold"},
    [EVERY] = {.key = "every",
               .help = "estimate again after so many tasks (default 1)",
               .min = 1.0,
               .max = 1e9,
               .whole = true},
    [GROWTH] = {.key = "growth",
                .help = "or later, when grown by this share (default 0; K>100, em: 0.05)",
                .min = 0.0,
                .max = 10.0},
    [IDENTIFY] = {.key = "identify",
                  .help = "play so many first tasks round robin (default 0)",
                  .min = 0.0,
                  .max = 1e9,
                  .whole = true},
    [DELTA] = {.key = "delta",
               .help = "probability of failure, 0 to 1 (default 1/n)",
               .min = 0.0,
               .max = 1.0,
               .open = true},
    [ESTIMATOR] = {.key = "estimator",
                   .help = "rtp, algorithm-b, eca or em (default rtp)",
                   .choices = "rtp|algorithm-b|eca|em"},
    [KEPT] = {.key = "window",
              .help = "em: finished tasks that it keeps (default 8192)",
              .min = SEGUE_MIN_WINDOW,
              .max = SEGUE_MAX_WINDOW,
              .whole = true},
};

static void take(segue_learner_config *config, const double *value)
{
    static const char *const estimators[] = {"rtp", "algorithm-b", "eca", "em"};
    if (!isnan(value[MODELS]))
        config->n_models = (size_t)value[MODELS];
    if (!isnan(value[C])) {
        config->doubling = value[C] <= 0.0;
        config->c = config->doubling ? config->c : value[C];
    }
    if (!isnan(value[VIEWS]))
        config->views = value[VIEWS] > 0.0 ? SEGUE_VIEWS_SYMMETRIC : SEGUE_VIEWS_PAPER;
    if (!isnan(value[BATCHES]))
        config->batches =
            value[BATCHES] > 0.0 ? SEGUE_BATCHES_INTERLEAVED : SEGUE_BATCHES_CONSECUTIVE;
    if (!isnan(value[L]))
        config->starts = (size_t)value[L];
    if (!isnan(value[N]))
        config->steps = (size_t)value[N];
    if (!isnan(value[START]))
        config->cold = value[START] > 0.0;
    if (!isnan(value[EVERY]))
        config->every = (uint64_t)value[EVERY];
    if (!isnan(value[GROWTH]))
        config->growth = value[GROWTH];
    if (!isnan(value[IDENTIFY]))
        config->identify = (uint64_t)value[IDENTIFY];
    if (!isnan(value[DELTA]))
        config->delta = value[DELTA];
    if (!isnan(value[ESTIMATOR]))
        config->estimator = estimators[(size_t)value[ESTIMATOR]];
    if (!isnan(value[KEPT]))
        config->window = (size_t)value[KEPT];
}

static bool takes_counts(const segue_learner_config *config)
{
    return strcmp(config->estimator, "em") == 0;
}

static void set_defaults(segue_learner_config *config)
{
    if (config->delta <= 0.0)
        config->delta = 1.0 / (double)config->horizon;
    if (config->n_arms > SEGUE_MAX_DENSE_ARMS || takes_counts(config))
        config->growth = fmax(config->growth, MIN_GROWTH);
    if (config->window == 0)
        config->window = WINDOW;
}

static segue_status check(segue_learner_config *config, segue_error *err)
{
    const double delta = config->delta;
    if (config->horizon < 1)
        return segue_fail(err, SEGUE_EDOMAIN, "horizon is 0; tucb must know its steps");
    if (config->n_models == 0)
        return segue_fail(
            err, SEGUE_EDOMAIN,
            "n_models is 0; tucb must know the number of models, as in tucb:models=5");
    if (!(delta >= 0.0 && (delta < 1.0 || config->horizon == 1))) /* where 1/n is 1 */
        return segue_fail(err, SEGUE_EDOMAIN, "delta is %g; need 0 < delta < 1", delta);
    if (!config->doubling && !(config->c > 0.0 && isfinite(config->c)))
        return segue_fail(err, SEGUE_EDOMAIN, "c is %g; need a number > 0", config->c);
    if (config->every < 1 || config->every > SEGUE_MAX_TASKS || !(config->growth >= 0.0) ||
        !(config->growth <= MAX_GROWTH))
        return segue_fail(err, SEGUE_EDOMAIN, "every or growth is out of range");
    if (config->estimator == NULL)
        return segue_fail(err, SEGUE_ENAME, "no estimator is named");
    if (config->batches != SEGUE_BATCHES_CONSECUTIVE &&
        config->batches != SEGUE_BATCHES_INTERLEAVED)
        return segue_fail(err, SEGUE_EDOMAIN, "tucb needs batches to learn from");
    set_defaults(config);
    return SEGUE_OK;
}

/* ---- making one -------------------------------------------------------------------------- */

static segue_status create(segue_learner *learner, segue_error *err)
{
    segue_learner_config *config = &learner->config;
    segue_estimator_config estimator = segue_estimator_defaults();
    estimator.method = config->estimator;
    estimator.n_arms = config->n_arms;
    estimator.n_models = config->n_models;
    estimator.starts = config->starts;
    estimator.steps = config->steps;
    estimator.cold = config->cold;
    estimator.window = config->window;
    estimator.seed = config->seed;
    estimator.run = config->run;
    tucb *t = learner->part = calloc(1, sizeof *t);
    if (!t)
        return segue_fail_no_memory(err, "a learner");
    t->c = config->doubling ? FIRST_C : config->c;
    t->next_fit = 1;
    t->counts = takes_counts(config);
    segue_status status = segue_moments_create(&t->moments, config->n_arms, config->views, err);
    if (status == SEGUE_OK)
        status = segue_estimator_create(&t->estimator, &estimator, err);
    if (status != SEGUE_OK)
        return status;
    config->estimator = segue_estimator_method(t->estimator);
    t->views = calloc(3 * config->n_arms, sizeof *t->views);
    return t->views ? SEGUE_OK : segue_fail_no_memory(err, "a learner");
}

static void destroy(segue_learner *learner)
{
    tucb *t = learner->part;
    if (!t)
        return;
    segue_moments_destroy(t->moments);
    segue_estimator_destroy(t->estimator);
    free(t->views);
    free(t);
}

/* ---- tasks ------------------------------------------------------------------------------- */

/* Tasks that an estimate could know of. */
static uint64_t n_used(const tucb *t)
{
    return t->counts ? segue_estimator_tasks(t->estimator) : segue_moments_tasks(t->moments);
}

static segue_status plan(const segue_learner *learner, bool identifies, segue_task_config *task,
                         segue_error *err)
{
    const double delta = learner->config.delta;
    segue_status status =
        segue_policy_parse(&task->policy, identifies ? "round-robin" : "umucb", err);
    if (status == SEGUE_OK && !identifies && delta < 1.0)
        status = segue_policy_set(&task->policy, "delta", delta, err);
    task->batches = learner->config.batches;
    return status;
}

static double eps_now(const segue_learner *learner)
{
    const segue_learner_config *config = &learner->config;
    const tucb *t = learner->part;
    if (!learner->current)
        return INFINITY;
    /* what em forgot is not behind its estimate any more */
    const bool forgets = t->counts && t->estimated_at > config->window;
    return segue_tucb_model_error(t->c, config->n_models, config->n_arms, config->n_tasks,
                                  config->delta, forgets ? config->window : t->estimated_at);
}

static void teach(const segue_learner *learner, open_task *entry)
{
    entry->eps = eps_now(learner);
    if (!entry->identifies)
        segue_task_set_models(entry->task, entry->lesson ? entry->lesson->models : NULL, UMUCB_EPS,
                              entry->eps);
}

/* Whether some model of the task's set lies within radius + eps of the averages on all arms. */
static bool is_near_a_model(const open_task *entry)
{
    const segue_models *models = entry->lesson->models;
    const segue_task_summary info = segue_task_info(entry->task);
    const double log_term = segue_task_log_term(entry->task);
    for (size_t k = 0; k < models->n_models; k++) {
        size_t arm = 0;
        for (; arm < models->n_arms; arm++) {
            const double pulls = (double)info.pulls[arm];
            const double off = fabs(segue_models_row(models, k)[arm] - info.sum[arm] / pulls);
            if (pulls > 0.0 && off > sqrt(log_term / (2.0 * pulls)) + entry->eps)
                break;
        }
        if (arm == models->n_arms)
            return true;
    }
    return false;
}

/* A task that no estimated model explains: the estimates are further off than eps says. */
static void watch(const segue_learner *learner, tucb *t, const open_task *entry)
{
    t->no_model_left += segue_task_info(entry->task).no_model_left;
    if (!entry->lesson || entry->identifies || is_near_a_model(entry))
        return;
    t->violations++;
    if (learner->config.doubling)
        t->c *= 2.0;
}

/* Hand a copy of the estimator's set to the tasks to come. */
static segue_status publish(segue_learner *learner, segue_error *err)
{
    const tucb *t = learner->part;
    const segue_models *found = segue_estimator_models(t->estimator);
    lesson *next = found ? calloc(1, sizeof *next) : NULL;
    if (found && !next)
        return segue_fail_no_memory(err, "a model set");
    if (found) {
        const segue_status status =
            segue_models_create(&next->models, SEGUE_MODELS_ESTIMATED, found->n_arms,
                                found->n_models, found->mean, found->weight, err);
        if (status != SEGUE_OK) {
            free(next);
            return status;
        }
        memcpy(next->models->weight, found->weight, found->n_models * sizeof *found->weight);
    }
    segue_shared_prior_publish(learner, next);
    return SEGUE_OK;
}

/* The estimate knows so many tasks: when is the next one due? */
static void set_next_fit(const segue_learner *learner, tucb *t, uint64_t used)
{
    const uint64_t soonest = used + learner->config.every;
    const double grown = ceil((1.0 + learner->config.growth) * (double)used);
    t->next_fit = grown > (double)soonest ? (uint64_t)grown : soonest;
    t->estimated_at = used;
}

static segue_status estimate(segue_learner *learner, tucb *t, segue_error *err)
{
    segue_status status = segue_estimator_fit(t->estimator, t->moments, err);
    if (status == SEGUE_OK)
        status = publish(learner, err);
    if (status == SEGUE_OK)
        set_next_fit(learner, t, n_used(t));
    return status;
}

/* em: the counts of a task, if there is anything in them. */
static segue_status add_counts(const segue_learner *learner, tucb *t, const open_task *entry,
                               bool *any, segue_error *err)
{
    const task_internals in = segue_task_internals(entry->task);
    double *pulls = t->views; /* which are read later */
    for (size_t i = 0; i < learner->config.n_arms; i++) {
        pulls[i] = (double)in.pulls[i];
        *any = *any || in.pulls[i] > 0;
    }
    return *any ? segue_estimator_add(t->estimator, in.sum, pulls, err) : SEGUE_OK;
}

static bool is_due(const segue_learner *learner)
{
    const tucb *t = learner->part;
    return n_used(t) >= t->next_fit;
}

static segue_status learn(segue_learner *learner, const open_task *entry, segue_error *err)
{
    tucb *t = learner->part;
    bool any = false;
    segue_status status = SEGUE_OK;
    watch(learner, t, entry);
    if (t->counts)
        status = add_counts(learner, t, entry, &any, err);
    if (status == SEGUE_OK && segue_task_views(entry->task, t->views)) {
        any = true;
        status = segue_moments_add(t->moments, t->views, 1.0, err);
    }
    if (status == SEGUE_OK && !any)
        t->left_out++;
    if (status == SEGUE_OK && is_due(learner) && !learner->config.background)
        status = estimate(learner, t, err);
    return status;
}

/* ---- refits aside ------------------------------------------------------------------------ */

typedef struct aside {
    segue_moments *moments;
    segue_estimator *estimator;
    uint64_t used; /* tasks that these know of */
} aside;

static segue_status copy_moments(segue_moments **out, const segue_learner *learner,
                                 segue_error *err)
{
    const tucb *t = learner->part;
    const segue_status status =
        segue_moments_create(out, learner->config.n_arms, learner->config.views, err);
    return status == SEGUE_OK ? segue_moments_merge(*out, t->moments, err) : status;
}

static void discard(void *copied)
{
    aside *a = copied;
    segue_moments_destroy(a->moments);
    segue_estimator_destroy(a->estimator);
    free(a);
}

static segue_status copy(const segue_learner *learner, void **out, segue_error *err)
{
    const tucb *t = learner->part;
    aside *a = calloc(1, sizeof *a);
    if (!a)
        return segue_fail_no_memory(err, "a refit");
    a->used = n_used(t);
    segue_status status = copy_moments(&a->moments, learner, err);
    if (status == SEGUE_OK)
        status = segue_estimator_copy(&a->estimator, t->estimator, err);
    if (status != SEGUE_OK)
        discard(a);
    else
        *out = a;
    return status;
}

static segue_status run(void *copied, segue_error *err)
{
    const aside *a = copied;
    return segue_estimator_fit(a->estimator, a->moments, err);
}

static segue_status adopt(segue_learner *learner, void *copied, segue_error *err)
{
    tucb *t = learner->part;
    const aside *a = copied;
    segue_estimator_swap(t->estimator, a->estimator);
    const segue_status status = publish(learner, err);
    if (status == SEGUE_OK)
        set_next_fit(learner, t, a->used);
    else
        segue_estimator_swap(t->estimator, a->estimator);
    return status;
}

static const refit_method refit = {
    .is_due = is_due, .copy = copy, .run = run, .adopt = adopt, .discard = discard};

/* ---- merging ----------------------------------------------------------------------------- */

static segue_status check_merge(const segue_learner_config *a, const segue_learner_config *b,
                                segue_error *err)
{
    if (takes_counts(a) || takes_counts(b))
        return segue_fail(err, SEGUE_EDOMAIN,
                          "tucb with em cannot be merged: the counts of its tasks do not add up");
    if (strcmp(a->estimator, b->estimator) != 0 || a->n_models != b->n_models ||
        a->views != b->views)
        return segue_fail(
            err, SEGUE_EDOMAIN,
            "tucb with another estimator, views or number of models cannot be merged");
    return SEGUE_OK;
}

/* C is the larger one, where it is found out: either has seen how far the estimates were off. */
static void add_counters(segue_learner *into, const tucb *other)
{
    tucb *t = into->part;
    t->left_out += other->left_out;
    t->violations += other->violations;
    t->no_model_left += other->no_model_left;
    if (into->config.doubling)
        t->c = fmax(t->c, other->c);
}

/* Fit a copy to the tasks of both, and let it take the learner's place. */
static segue_status merge_refit_job(segue_learner *into, aside *both, const tucb *theirs,
                                    segue_error *err)
{
    tucb *t = into->part;
    segue_moments *const mine = t->moments;
    segue_status status = segue_moments_merge(both->moments, theirs->moments, err);
    both->used = segue_moments_tasks(both->moments);
    if (status == SEGUE_OK)
        status = run(both, err);
    if (status == SEGUE_OK)
        status = adopt(into, both, err);
    if (status != SEGUE_OK)
        return status;
    t->moments = both->moments;
    both->moments = mine;
    add_counters(into, theirs);
    return SEGUE_OK;
}

static segue_status merge(segue_learner *into, const segue_learner *from, segue_error *err)
{
    void *both = NULL;
    segue_status status = check_merge(&into->config, &from->config, err);
    if (status == SEGUE_OK)
        status = copy(into, &both, err);
    if (status != SEGUE_OK)
        return status;
    status = merge_refit_job(into, both, from->part, err);
    discard(both);
    return status;
}

static size_t bytes_of(const segue_learner *learner)
{
    const tucb *t = learner->part;
    return sizeof *t + segue_moments_bytes(t->moments) + segue_estimator_bytes(t->estimator) +
           3 * learner->config.n_arms * sizeof *t->views;
}

static void look(const segue_learner *learner, segue_learner_summary *info)
{
    const tucb *t = learner->part;
    info->left_out = t->left_out;
    info->violations = t->violations;
    info->no_model_left = t->no_model_left;
    info->age = n_used(t) - t->estimated_at;
    info->c = t->c;
    info->eps = eps_now(learner);
    info->estimate = segue_estimator_info(t->estimator);
}

/* ---- saving ------------------------------------------------------------------------------ */

static void put(const segue_learner *learner, segue_bytes *b)
{
    const tucb *t = learner->part;
    const uint64_t counters[] = {t->left_out,     t->violations, t->no_model_left,
                                 t->estimated_at, t->next_fit,   learner->current != NULL};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        segue_bytes_append_u64(b, counters[i]);
    segue_bytes_append_f64(b, &t->c, 1);
    segue_moments_serialize(t->moments, b);
    segue_estimator_serialize(t->estimator, b);
}

static segue_status get(segue_learner *learner, segue_bytes_reader *r, segue_error *err)
{
    tucb *t = learner->part;
    uint64_t *const counters[] = {&t->left_out, &t->violations, &t->no_model_left, &t->estimated_at,
                                  &t->next_fit};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        *counters[i] = segue_bytes_read_count(r);
    const bool published = segue_bytes_read_u64(r) != 0;
    segue_bytes_read_f64(r, &t->c, 1);
    if (!(t->c > 0.0))
        return segue_fail(err, SEGUE_EDOMAIN, "its C cannot be");
    segue_status status = segue_moments_deserialize(t->moments, r, err);
    if (status == SEGUE_OK)
        status = segue_estimator_deserialize(t->estimator, r, err);
    if (status == SEGUE_OK && t->estimated_at > n_used(t))
        return segue_fail(err, SEGUE_EDOMAIN, "its estimate knows more tasks than there were");
    return status == SEGUE_OK && published ? publish(learner, err) : status;
}

const learner_method segue_learner_tucb = {
    .kind = {.name = "tucb",
             .summary = "umucb on models learned from the tasks before",
             .options = options,
             .n_options = N_OPTIONS},
    .take = take,
    .check = check,
    .create = create,
    .destroy = destroy,
    .plan = plan,
    .teach = teach,
    .learn = learn,
    .refit = &refit,
    .merge = merge,
    .look = look,
    .bytes = bytes_of,
    .put = put,
    .get = get,
};
