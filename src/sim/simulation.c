/* simulation.c - many runs over threads, added in the order of the runs.
 *
 * A worker plays a batch of runs into one record per run. Records are added one by one in the
 * order of the runs (commit of parallel.c), so that the result has the same bytes on any number of
 * threads. Each worker owns its runner and records; the commit lock of parallel.c guards the sums;
 * progress_lock guards the call of `progress`.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/simulation.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "sim/parallel.h"
#include "sim/runner.h"
#include "sim/simulation_config.h"
#include "sim/summary.h"

/* Steps per batch, about a fraction of a millisecond: the cost of handing it out is small. */
#define BATCH_STEPS 5000
#define MAX_BATCH   1024

/* The results of one run. */
typedef struct record {
    run_totals totals;
    double *model_sum;   /* n_models: regret of the tasks with that model; NULL for single tasks */
    double *model_count; /* n_models: number of these tasks */
    double *curve;       /* n_tasks, or NULL */
} record;

typedef struct worker_state {
    segue_runner *runner;
    record *records; /* batch */
    double *memory;  /* of the arrays of the records */
} worker_state;

typedef struct study {
    const segue_simulation *sim;
    bool single;         /* single tasks, `runs` per model */
    size_t n_models;     /* strata */
    uint64_t n_tasks;    /* per run */
    uint64_t first_task; /* number of the first task */
    uint64_t n_runs;     /* total */
    uint64_t batch;      /* runs per work item */
    size_t n_threads;
    worker_state *workers; /* n_threads */
    segue_stats all;       /* over runs */
    segue_stats *stratum;  /* n_models: single tasks */
    segue_stats *without;  /* n_models: single tasks, steps without a model */
    segue_ratio *ratio;    /* n_models: several tasks */
    segue_stats *curve;    /* n_tasks, or NULL */
    segue_stats no_model_left, violations, skipped, n_types, no_type;
    atomic_uint_fast64_t tasks_done; /* of all threads */
    pthread_mutex_t progress_lock;   /* guards the call of progress */
} study;

/* ---- one run ----------------------------------------------------------------------------- */

/* Report the progress of all threads. A thread that finds the lock taken skips its report. */
static void report_progress(study *st)
{
    const segue_simulation *sim = st->sim;
    atomic_fetch_add(&st->tasks_done, 1);
    if (!sim->progress || pthread_mutex_trylock(&st->progress_lock) != 0)
        return;
    const double steps = (double)sim->steps;
    sim->progress(sim->progress_context, steps * (double)atomic_load(&st->tasks_done),
                  steps * (double)st->n_tasks * (double)st->n_runs);
    (void)pthread_mutex_unlock(&st->progress_lock);
}

/* The record of the current run. */
typedef struct notes {
    study *study;
    record *record;
    uint64_t run;
} notes;

static segue_status visit_task(const notes *n, const run_task *task, segue_error *err)
{
    const segue_simulation *sim = n->study->sim;
    const segue_played_task played = {.run = n->run,
                                      .task = task->number,
                                      .model = task->model,
                                      .regret = task->regret,
                                      .reward = task->reward};
    return sim->visit ? sim->visit(sim->visit_context, &played, err) : SEGUE_OK;
}

static segue_status note_task(void *context, const run_task *task, segue_error *err)
{
    const notes *n = context;
    record *rec = n->record;
    if (rec->model_sum) {
        rec->model_sum[task->model] += task->regret;
        rec->model_count[task->model] += 1.0;
    }
    if (rec->curve)
        rec->curve[task->number] = task->regret;
    report_progress(n->study);
    return visit_task(n, task, err);
}

static segue_status play_run(study *st, worker_state *p, record *rec, uint64_t run,
                             segue_error *err)
{
    notes n = {.study = st, .record = rec, .run = run};
    if (rec->model_sum)
        memset(rec->model_sum, 0, 2 * st->n_models * sizeof *rec->model_sum);
    return segue_runner_play(p->runner, run, &rec->totals, note_task, &n, err);
}

static segue_status play_batch(void *context, size_t worker, uint64_t item, segue_error *err)
{
    study *st = context;
    worker_state *p = &st->workers[worker];
    const uint64_t first = item * st->batch;
    for (uint64_t i = 0; i < st->batch && first + i < st->n_runs; i++)
        SEGUE_TRY(play_run(st, p, &p->records[i], first + i, err));
    return SEGUE_OK;
}

/* ---- sums -------------------------------------------------------------------------------- */

static void add_record(study *st, const record *rec, uint64_t run)
{
    segue_stats_add(&st->all, rec->totals.regret);
    segue_stats_add(&st->no_model_left, rec->totals.no_model_left);
    segue_stats_add(&st->violations, rec->totals.violations);
    segue_stats_add(&st->skipped, rec->totals.skipped);
    segue_stats_add(&st->n_types, rec->totals.n_types);
    segue_stats_add(&st->no_type, rec->totals.no_type);
    if (st->single) {
        segue_stats_add(&st->stratum[run / st->sim->runs], rec->totals.regret);
        segue_stats_add(&st->without[run / st->sim->runs], rec->totals.no_model_left);
    }
    for (size_t k = 0; rec->model_sum && k < st->n_models; k++)
        segue_summary_ratio_add(&st->ratio[k], rec->model_sum[k], rec->model_count[k]);
    for (uint64_t task = 0; rec->curve && task < st->n_tasks; task++)
        segue_stats_add(&st->curve[task], rec->curve[task]);
}

static void commit_batch(void *context, size_t worker, uint64_t item)
{
    study *st = context;
    const uint64_t first = item * st->batch;
    for (uint64_t run = first; run < first + st->batch && run < st->n_runs; run++)
        add_record(st, &st->workers[worker].records[run - first], run);
}

static const double *weights_of(const study *st)
{
    const segue_environment *env = st->sim->environment;
    return segue_environment_has_models(env) ? env->models->weight : NULL;
}

/* Return the average steps without a model; of single tasks with models, by the weights. */
static double no_model_left(const study *st)
{
    const double *weight = weights_of(st);
    double mean = 0.0;
    if (!st->single || !weight)
        return st->no_model_left.mean;
    for (size_t k = 0; k < st->n_models; k++)
        mean += weight[k] * st->without[k].mean;
    return mean;
}

static segue_status report(const study *st, segue_simulation_result **out, segue_error *err)
{
    segue_simulation_result *result = calloc(1, sizeof *result);
    if (result)
        result->by_model = calloc(st->n_models, sizeof *result->by_model);
    if (result && st->curve)
        result->curve = calloc(st->n_tasks, sizeof *result->curve);
    if (!result || !result->by_model || (st->curve && !result->curve)) {
        segue_simulation_result_destroy(result);
        return segue_fail_no_memory(err, "the results");
    }
    result->n_models = st->n_models;
    result->n_tasks = st->curve ? st->n_tasks : 0;
    result->first_task = st->first_task;
    for (size_t k = 0; k < st->n_models; k++)
        result->by_model[k] = st->single ? segue_summary_regret(&st->stratum[k])
                                         : segue_summary_ratio_regret(&st->ratio[k]);
    for (uint64_t task = 0; task < result->n_tasks; task++)
        result->curve[task] = segue_summary_regret(&st->curve[task]);
    result->regret = st->single
                         ? segue_summary_stratified(weights_of(st), result->by_model, st->n_models)
                         : segue_summary_regret(&st->all);
    result->no_model_left = no_model_left(st);
    result->violations = st->violations.mean;
    result->skipped = st->skipped.mean;
    result->n_types = st->n_types.mean;
    result->no_type = st->no_type.mean;
    *out = result;
    return SEGUE_OK;
}

void segue_simulation_result_destroy(segue_simulation_result *result)
{
    if (!result)
        return;
    free(result->by_model);
    free(result->curve);
    free(result);
}

/* ---- memory ------------------------------------------------------------------------------ */

static segue_status worker_state_init(worker_state *p, const study *st, segue_error *err)
{
    SEGUE_TRY(segue_runner_create(&p->runner, st->sim, err));
    const size_t sums = st->single ? 0 : 2 * st->n_models;
    const size_t size = sums + (st->curve ? st->n_tasks : 0);
    p->records = calloc(st->batch, sizeof *p->records);
    p->memory = size ? calloc(st->batch * size, sizeof *p->memory) : NULL;
    if (!p->records || (size && !p->memory))
        return segue_fail_no_memory(err, "the results of a run");
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
    for (size_t i = 0; st->workers && i < st->n_threads; i++) {
        segue_runner_destroy(st->workers[i].runner);
        free(st->workers[i].records);
        free(st->workers[i].memory);
    }
    free(st->workers);
    free(st->stratum);
    free(st->without);
    free(st->ratio);
    free(st->curve);
    (void)pthread_mutex_destroy(&st->progress_lock);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static segue_status study_init(study *st, const segue_simulation *sim, segue_error *err)
{
    *st =
        (study){.sim = sim, .single = sim->tasks == 0, .progress_lock = PTHREAD_MUTEX_INITIALIZER};
    st->n_models = segue_environment_models(sim->environment);
    st->n_tasks = st->single ? 1 : sim->tasks;
    st->first_task = sim->continued ? segue_learner_info(sim->continued).opened : 0;
    st->n_runs = segue_runner_runs(sim);
    st->batch = smaller(MAX_BATCH, smaller(st->n_runs, BATCH_STEPS / sim->steps / st->n_tasks + 1));
    const uint64_t items = (st->n_runs + st->batch - 1) / st->batch;
    st->n_threads = (size_t)smaller(sim->threads, items);
    st->workers = calloc(st->n_threads, sizeof *st->workers);
    st->stratum = calloc(st->n_models, sizeof *st->stratum);
    st->without = calloc(st->n_models, sizeof *st->without);
    st->ratio = calloc(st->n_models, sizeof *st->ratio);
    st->curve = sim->want_curve ? calloc(st->n_tasks, sizeof *st->curve) : NULL;
    if (!st->workers || !st->stratum || !st->without || !st->ratio ||
        (sim->want_curve && !st->curve))
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a simulation of %" PRIu64 " tasks",
                          st->n_tasks);
    for (size_t i = 0; i < st->n_threads; i++)
        SEGUE_TRY(worker_state_init(&st->workers[i], st, err));
    return SEGUE_OK;
}

segue_status segue_simulation_run(segue_simulation_result **out, const segue_simulation *given,
                                  segue_error *err)
{
    *out = NULL;
    segue_simulation own;
    segue_environment environment;
    const segue_simulation *sim = &own;
    SEGUE_TRY(segue_simulation_check(given, err));
    SEGUE_TRY(segue_simulation_copy(&own, &environment, given, err));
    study st;
    segue_status status = study_init(&st, sim, err);
    if (status != SEGUE_OK)
        goto done;
    status = segue_parallel_run(st.n_threads, (st.n_runs + st.batch - 1) / st.batch, play_batch,
                                commit_batch, &st, err);
    if (status != SEGUE_OK)
        goto done;
    if (sim->progress) /* the last task may have skipped its report */
        sim->progress(sim->progress_context, 1.0, 1.0);
    status = report(&st, out, err);
done:
    study_fini(&st);
    return status;
}
