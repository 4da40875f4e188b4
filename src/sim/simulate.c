/* simulate.c - many runs over threads, added up in the order of the runs.
 *
 * A worker plays a batch of runs and keeps one record a run; the records are added up one by one
 * in the order of the runs, so that the result is the same bytes on any number of threads.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "segue/simulate.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "segue/stats.h"
#include "sim/parallel.h"

/* A batch is about so many steps, a fraction of a millisecond: handing it out is lost in it. */
#define BATCH_STEPS 5000
#define MOST_BATCH  1024

/* What one run leaves behind. */
typedef struct record {
    double regret;        /* a task, on average */
    double no_model_left; /* likewise */
    double violations;    /* of a learner */
    double left_out;      /* likewise */
    double *model_sum;    /* n_models: regret of the tasks with that model; NULL for single tasks */
    double *model_count;  /* n_models: how many they were */
    double *curve;        /* n_tasks, or NULL */
} record;

/* Regret by model over runs with several tasks: a ratio of two sums, the regret of the tasks with
 * that model and their number, of which a run brings both. */
typedef struct ratio {
    double runs, sum, count;
    double sum_sum, sum_count, count_count; /* sums of products, for the error */
} ratio;

typedef struct player {
    segue_task *task;       /* of a policy */
    segue_learner *learner; /* of the run under way, or NULL */
    segue_world *world;
    record *records; /* batch */
    double *memory;  /* of the records' arrays */
} player;

typedef struct study {
    const segue_simulation *sim;
    bool single;         /* single tasks, a number of runs for each model */
    size_t n_models;     /* strata */
    uint64_t n_tasks;    /* a run */
    uint64_t first_task; /* its number */
    uint64_t n_runs;     /* in all */
    uint64_t batch;      /* runs a piece of work */
    size_t n_threads;
    player *players;      /* n_threads */
    segue_stats all;      /* over runs */
    segue_stats *stratum; /* n_models: single tasks */
    ratio *ratio;         /* n_models: several tasks */
    segue_stats *curve;   /* n_tasks, or NULL */
    segue_stats no_model_left, violations, left_out;
    segue_learner_info before;       /* of a learner that goes on */
    atomic_uint_fast64_t tasks_done; /* by all threads */
    pthread_mutex_t telling;         /* held while progress is told */
} study;

static segue_status check_range(const char *name, uint64_t value, uint64_t least, uint64_t most,
                                segue_error *err)
{
    if (value >= least && value <= most)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EDOMAIN, "%s is %" PRIu64 "; need %" PRIu64 " to %" PRIu64, name,
                      value, least, most);
}

static segue_task_config task_config(const segue_simulation *sim)
{
    const segue_environment *env = sim->environment;
    segue_task_config config = segue_task_defaults();
    config.policy = sim->policy;
    config.setting = (segue_setting){
        .n_arms = segue_environment_arms(env),
        .models = env->models,
        .n_told = segue_environment_has_models(env) ? segue_environment_models(env) : 0,
        .horizon = sim->steps,
        .n_tasks = sim->tasks ? sim->tasks : 1,
    };
    return config;
}

static segue_learner_config learner_config(const segue_simulation *sim, uint64_t run)
{
    segue_learner_config config = *sim->learner;
    config.n_arms = segue_environment_arms(sim->environment);
    if (sim->environment->models)
        config.n_models = sim->environment->models->n_models;
    config.horizon = sim->steps;
    config.n_tasks = sim->tasks;
    config.seed = sim->seed;
    config.run = run;
    return config;
}

static segue_status check_going_on(const segue_simulation *sim, segue_error *err)
{
    const segue_learner_config *config = segue_learner_settings(sim->player);
    if (sim->runs != 1 || sim->tasks == 0)
        return segue_fail(err, SEGUE_EUSAGE, "a learner that goes on plays one run of tasks");
    if (config->n_arms != segue_environment_arms(sim->environment))
        return segue_fail(err, SEGUE_EUSAGE, "the learner has %zu arms, and the tasks have %zu",
                          config->n_arms, segue_environment_arms(sim->environment));
    if (config->horizon != sim->steps)
        return segue_fail(err, SEGUE_EUSAGE,
                          "the learner plays tasks of %" PRIu64 " steps, not of %" PRIu64,
                          config->horizon, sim->steps);
    return SEGUE_OK;
}

/* Whether the policy, or the learner, can be made. */
static segue_status check_player(const segue_simulation *sim, segue_error *err)
{
    if (sim->player)
        return check_going_on(sim, err);
    if (!sim->learner) {
        const segue_task_config config = task_config(sim);
        segue_task *task = NULL;
        const segue_status status = segue_task_create(&task, &config, err);
        segue_task_destroy(task);
        return status;
    }
    if (sim->tasks == 0)
        return segue_fail(err, SEGUE_EUSAGE, "learner '%s' learns over tasks, and needs some",
                          sim->learner->method);
    const segue_learner_config config = learner_config(sim, 0);
    segue_learner *learner = NULL;
    if (config.n_models == 0)
        return segue_fail(err, SEGUE_EUSAGE, "learner '%s' must know the number of models",
                          sim->learner->method);
    const segue_status status = segue_learner_create(&learner, &config, err);
    segue_learner_destroy(learner);
    return status;
}

segue_status segue_simulation_check(const segue_simulation *sim, segue_error *err)
{
    if (!sim->environment)
        return segue_fail(err, SEGUE_EDOMAIN, "no environment is given");
    segue_status status = segue_environment_check(sim->environment, err);
    if (status == SEGUE_OK)
        status = check_range("steps", sim->steps, 1, SEGUE_MAX_HORIZON, err);
    if (status == SEGUE_OK)
        status = check_range("tasks", sim->tasks, 0, SEGUE_MAX_TASKS, err);
    if (status == SEGUE_OK)
        status = check_range("runs", sim->runs, 1, SEGUE_MAX_RUNS, err);
    if (status == SEGUE_OK)
        status = check_range("threads", sim->threads, 1, SEGUE_MAX_THREADS, err);
    if (status == SEGUE_OK && sim->want_curve && sim->tasks == 0)
        status = segue_fail(err, SEGUE_EUSAGE, "a curve over tasks needs tasks");
    if (status == SEGUE_OK && sim->environment->switch_to && sim->tasks == 0)
        status = segue_fail(err, SEGUE_EUSAGE, "a switch of the model set needs tasks");
    return status == SEGUE_OK ? check_player(sim, err) : status;
}

/* ---- one run ----------------------------------------------------------------------------- */

/* Tell how far all have come.  Whoever finds another telling goes on: that one will do. */
static void tell_progress(study *st)
{
    const segue_simulation *sim = st->sim;
    atomic_fetch_add(&st->tasks_done, 1);
    if (!sim->progress || pthread_mutex_trylock(&st->telling) != 0)
        return;
    const double steps = (double)sim->steps;
    sim->progress(sim->context, steps * (double)atomic_load(&st->tasks_done),
                  steps * (double)st->n_tasks * (double)st->n_runs);
    (void)pthread_mutex_unlock(&st->telling);
}

/* Play one task of a run with a policy; returns its regret. */
static double play_policy(const study *st, player *p, uint64_t run, uint64_t task)
{
    segue_rng rng;
    segue_rng_open(&rng, st->sim->seed, run, task, SEGUE_STREAM_POLICY);
    segue_task_next(p->task, &rng, segue_world_model(p->world));
    return segue_play(p->task, p->world, st->sim->steps);
}

/* The same with a learner, which learns from it. */
static segue_status play_learner(const study *st, player *p, double *regret, segue_error *err)
{
    segue_task *task = NULL;
    segue_status status = segue_learner_open_task(p->learner, &task, err);
    if (status != SEGUE_OK)
        return status;
    *regret = segue_play(task, p->world, st->sim->steps);
    return segue_learner_close_task(p->learner, &task, err);
}

static void record_task(const study *st, const player *p, record *rec, uint64_t task, double regret)
{
    const double share = 1.0 / (double)st->n_tasks;
    rec->regret += share * regret;
    if (!p->learner)
        rec->no_model_left += share * (double)segue_task_look(p->task).no_model_left;
    if (rec->model_sum) {
        rec->model_sum[segue_world_model(p->world)] += regret;
        rec->model_count[segue_world_model(p->world)] += 1.0;
    }
    if (rec->curve)
        rec->curve[task] = regret;
}

static segue_status start_run(const study *st, player *p, record *rec, uint64_t run,
                              segue_error *err)
{
    rec->regret = rec->no_model_left = rec->violations = rec->left_out = 0.0;
    if (rec->model_sum)
        memset(rec->model_sum, 0, 2 * st->n_models * sizeof *rec->model_sum);
    if (st->sim->player) {
        p->learner = st->sim->player;
        return SEGUE_OK;
    }
    if (!st->sim->learner) {
        segue_task_forget(p->task);
        return SEGUE_OK;
    }
    const segue_learner_config config = learner_config(st->sim, run);
    return segue_learner_create(&p->learner, &config, err);
}

static void end_run(const study *st, player *p, record *rec)
{
    if (!p->learner)
        return;
    const segue_learner_info info = segue_learner_look(p->learner);
    rec->no_model_left =
        (double)(info.no_model_left - st->before.no_model_left) / (double)st->n_tasks;
    rec->violations = (double)(info.violations - st->before.violations);
    rec->left_out = (double)(info.left_out - st->before.left_out);
    if (!st->sim->player)
        segue_learner_destroy(p->learner);
    p->learner = NULL;
}

static segue_status play_run(study *st, player *p, record *rec, uint64_t run, segue_error *err)
{
    const bool has_models = segue_environment_has_models(st->sim->environment);
    const size_t fixed = st->single && has_models ? (size_t)(run / st->sim->runs) : SEGUE_ANY_MODEL;
    segue_status status = start_run(st, p, rec, run, err);
    for (uint64_t task = 0; task < st->n_tasks && status == SEGUE_OK; task++) {
        double regret = 0.0;
        segue_world_begin(p->world, st->sim->seed, run, st->first_task + task, fixed);
        if (p->learner)
            status = play_learner(st, p, &regret, err);
        else
            regret = play_policy(st, p, run, task);
        if (status == SEGUE_OK)
            record_task(st, p, rec, task, regret);
        tell_progress(st);
    }
    end_run(st, p, rec);
    return status;
}

static segue_status play_batch(void *context, size_t worker, uint64_t item, segue_error *err)
{
    study *st = context;
    player *p = &st->players[worker];
    const uint64_t first = item * st->batch;
    segue_status status = SEGUE_OK;
    for (uint64_t i = 0; i < st->batch && first + i < st->n_runs && status == SEGUE_OK; i++)
        status = play_run(st, p, &p->records[i], first + i, err);
    return status;
}

/* ---- adding up --------------------------------------------------------------------------- */

static void ratio_add(ratio *r, double sum, double count)
{
    r->runs += 1.0;
    r->sum += sum;
    r->count += count;
    r->sum_sum += sum * sum;
    r->sum_count += sum * count;
    r->count_count += count * count;
}

/* The ratio, and its error by linearisation: the residuals of a run are sum - mean count. */
static segue_regret ratio_regret(const ratio *r)
{
    if (r->count == 0.0)
        return (segue_regret){.mean = NAN, .se = NAN};
    const double mean = r->sum / r->count;
    const double squares =
        fmax(0.0, r->sum_sum - 2.0 * mean * r->sum_count + mean * mean * r->count_count);
    const double se = sqrt(squares * r->runs / (r->runs - 1.0)) / r->count;
    return (segue_regret){.mean = mean, .se = r->runs > 1.0 ? se : NAN};
}

static void add_record(study *st, const record *rec, uint64_t run)
{
    segue_stats_add(&st->all, rec->regret);
    segue_stats_add(&st->no_model_left, rec->no_model_left);
    segue_stats_add(&st->violations, rec->violations);
    segue_stats_add(&st->left_out, rec->left_out);
    if (st->single)
        segue_stats_add(&st->stratum[run / st->sim->runs], rec->regret);
    for (size_t k = 0; rec->model_sum && k < st->n_models; k++)
        ratio_add(&st->ratio[k], rec->model_sum[k], rec->model_count[k]);
    for (uint64_t task = 0; rec->curve && task < st->n_tasks; task++)
        segue_stats_add(&st->curve[task], rec->curve[task]);
}

static void commit_batch(void *context, size_t worker, uint64_t item)
{
    study *st = context;
    const uint64_t first = item * st->batch;
    for (uint64_t run = first; run < first + st->batch && run < st->n_runs; run++)
        add_record(st, &st->players[worker].records[run - first], run);
}

static segue_regret regret_of(const segue_stats *stats)
{
    return (segue_regret){.mean = stats->count ? stats->mean : NAN, .se = segue_stats_error(stats)};
}

/* By the weights, the error stratified by model. */
static segue_regret stratified(const study *st, const segue_regret *by_model)
{
    if (!segue_environment_has_models(st->sim->environment))
        return by_model[0];
    const double *weight = st->sim->environment->models->weight;
    double mean = 0.0, variance = 0.0;
    for (size_t k = 0; k < st->n_models; k++) {
        if (weight[k] == 0.0)
            continue;
        mean += weight[k] * by_model[k].mean;
        variance += weight[k] * weight[k] * by_model[k].se * by_model[k].se;
    }
    return (segue_regret){.mean = mean, .se = sqrt(variance)};
}

static segue_status report(const study *st, segue_result **out, segue_error *err)
{
    segue_result *result = calloc(1, sizeof *result);
    if (result)
        result->by_model = calloc(st->n_models, sizeof *result->by_model);
    if (result && st->curve)
        result->curve = calloc(st->n_tasks, sizeof *result->curve);
    if (!result || !result->by_model || (st->curve && !result->curve)) {
        segue_result_destroy(result);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the results");
    }
    result->n_models = st->n_models;
    result->n_tasks = st->curve ? st->n_tasks : 0;
    result->first_task = st->first_task;
    for (size_t k = 0; k < st->n_models; k++)
        result->by_model[k] = st->single ? regret_of(&st->stratum[k]) : ratio_regret(&st->ratio[k]);
    for (uint64_t task = 0; task < result->n_tasks; task++)
        result->curve[task] = regret_of(&st->curve[task]);
    result->regret = st->single ? stratified(st, result->by_model) : regret_of(&st->all);
    result->no_model_left = st->no_model_left.mean;
    result->violations = st->violations.mean;
    result->left_out = st->left_out.mean;
    *out = result;
    return SEGUE_OK;
}

void segue_result_destroy(segue_result *result)
{
    if (!result)
        return;
    free(result->by_model);
    free(result->curve);
    free(result);
}

/* ---- memory ------------------------------------------------------------------------------ */

static segue_status player_init(player *p, const study *st, segue_error *err)
{
    const segue_task_config config = task_config(st->sim);
    segue_status status = st->sim->learner ? SEGUE_OK : segue_task_create(&p->task, &config, err);
    if (status == SEGUE_OK)
        status = segue_world_create(&p->world, st->sim->environment, err);
    if (status != SEGUE_OK)
        return status;

    const size_t sums = st->single ? 0 : 2 * st->n_models;
    const size_t size = sums + (st->curve ? st->n_tasks : 0);
    p->records = calloc(st->batch, sizeof *p->records);
    p->memory = size ? calloc(st->batch * size, sizeof *p->memory) : NULL;
    if (!p->records || (size && !p->memory))
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the results of a run");
    for (uint64_t i = 0; i < st->batch && size; i++) {
        double *memory = p->memory + i * size;
        if (sums) {
            p->records[i].model_sum = memory;
            p->records[i].model_count = memory + st->n_models;
        }
        if (st->curve)
            p->records[i].curve = memory + sums;
    }
    return SEGUE_OK;
}

static void study_fini(study *st)
{
    for (size_t i = 0; st->players && i < st->n_threads; i++) {
        segue_task_destroy(st->players[i].task);
        segue_world_destroy(st->players[i].world);
        free(st->players[i].records);
        free(st->players[i].memory);
    }
    free(st->players);
    free(st->stratum);
    free(st->ratio);
    free(st->curve);
    (void)pthread_mutex_destroy(&st->telling);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static segue_status study_init(study *st, const segue_simulation *sim, segue_error *err)
{
    *st = (study){.sim = sim, .single = sim->tasks == 0, .telling = PTHREAD_MUTEX_INITIALIZER};
    st->n_models = segue_environment_models(sim->environment);
    st->n_tasks = st->single ? 1 : sim->tasks;
    if (sim->player)
        st->before = segue_learner_look(sim->player);
    st->first_task = st->before.opened;
    st->n_runs = st->single ? sim->runs * st->n_models : sim->runs;
    st->batch = least(MOST_BATCH, least(st->n_runs, BATCH_STEPS / sim->steps / st->n_tasks + 1));
    const uint64_t items = (st->n_runs + st->batch - 1) / st->batch;
    st->n_threads = (size_t)least(sim->threads, items);
    st->players = calloc(st->n_threads, sizeof *st->players);
    st->stratum = calloc(st->n_models, sizeof *st->stratum);
    st->ratio = calloc(st->n_models, sizeof *st->ratio);
    st->curve = sim->want_curve ? calloc(st->n_tasks, sizeof *st->curve) : NULL;
    if (!st->players || !st->stratum || !st->ratio || (sim->want_curve && !st->curve))
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a simulation of %" PRIu64 " tasks",
                          st->n_tasks);
    segue_status status = SEGUE_OK;
    for (size_t i = 0; i < st->n_threads && status == SEGUE_OK; i++)
        status = player_init(&st->players[i], st, err);
    return status;
}

segue_status segue_simulate(segue_result **out, const segue_simulation *sim, segue_error *err)
{
    *out = NULL;
    segue_status status = segue_simulation_check(sim, err);
    if (status != SEGUE_OK)
        return status;
    study st;
    status = study_init(&st, sim, err);
    if (status == SEGUE_OK)
        status = segue_parallel(st.n_threads, (st.n_runs + st.batch - 1) / st.batch, play_batch,
                                commit_batch, &st, err);
    if (status == SEGUE_OK && sim->progress) /* the last task may have found another telling */
        sim->progress(sim->context, 1.0, 1.0);
    if (status == SEGUE_OK)
        status = report(&st, out, err);
    study_fini(&st);
    return status;
}
