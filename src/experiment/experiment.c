/* experiment.c - the runs of all cells over threads, each into its own place; then added up in
 * their order, so that threads, stops and resumptions do not show in the results.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "experiment/experiment.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/outfile.h"
#include "core/text.h"
#include "experiment/journal.h"
#include "experiment/measure.h"
#include "io/output.h"
#include "segue/version.h"
#include "sim/parallel.h"
#include "sim/runner.h"
#include "sim/summary.h"

#define MOST_NUMBERS (double)(1 << 27) /* kept of all runs: a gigabyte */

/* The first numbers that a run of tasks leaves; what was followed comes behind them. */
enum { AT_REGRET, AT_NO_MODEL, AT_VIOLATIONS, AT_LEFT_OUT, AT_TRACKS };

typedef struct cell {
    segue_simulation sim;
    size_t n_models;            /* that single tasks have, one after the other in a run; else 0 */
    const segue_models *follow; /* the truth that a learner's estimate is compared with, or NULL */
    size_t width;               /* numbers a run */
    double *values;             /* runs x width */
    double cost;                /* steps of a run */
} cell;

typedef struct plan {
    const segue_experiment *ex;
    const segue_conduct *conduct;
    size_t n_cells;
    cell *cells;
    size_t *order; /* n_cells: the longest runs first, lest one is left to a single thread */
    bool *done;    /* n_cells x runs */
    segue_journal *journal;
    pthread_mutex_t writing; /* to the journal */
    pthread_mutex_t telling; /* held while progress is told */
    double total;            /* steps to be played */
    atomic_uint_fast64_t played;
} plan;

/* ---- one run of a cell ------------------------------------------------------------------- */

typedef struct notes {
    plan *plan;
    const cell *cell;
    segue_measure measure;
} notes;

/* Tell how far all have come.  Whoever finds another telling goes on: that one will do. */
static void tell_progress(plan *p, uint64_t steps)
{
    const segue_conduct *conduct = p->conduct;
    atomic_fetch_add(&p->played, steps);
    if (!conduct->progress || pthread_mutex_trylock(&p->telling) != 0)
        return;
    conduct->progress(conduct->context, (double)atomic_load(&p->played), p->total);
    (void)pthread_mutex_unlock(&p->telling);
}

static segue_status note_task(void *context, const run_task *task, segue_error *err)
{
    notes *n = context;
    tell_progress(n->plan, n->cell->sim.steps);
    if (n->plan->conduct->stopped && n->plan->conduct->stopped())
        return segue_fail(err, SEGUE_ESTOPPED, "stopped");
    return segue_measure_task(&n->measure, task, task->number + 1 == n->cell->sim.tasks, err);
}

/* Single tasks: the regret of one task of each model, then the steps without a model. */
static segue_status play_single(notes *n, segue_runner *runner, uint64_t run, double *values,
                                segue_error *err)
{
    const size_t models = n->cell->n_models ? n->cell->n_models : 1;
    segue_status status = SEGUE_OK;
    values[models] = 0.0;
    for (size_t k = 0; k < models && status == SEGUE_OK; k++) {
        run_totals totals;
        status = segue_runner_play(runner, k * n->cell->sim.runs + run, &totals, note_task, n, err);
        values[k] = totals.regret;
        values[models] += totals.no_model_left / (double)models;
    }
    return status;
}

static segue_status play_tasks(notes *n, segue_runner *runner, uint64_t run, double *values,
                               segue_error *err)
{
    run_totals totals;
    segue_measure_begin(&n->measure, values + AT_TRACKS);
    const segue_status status = segue_runner_play(runner, run, &totals, note_task, n, err);
    values[AT_REGRET] = totals.regret;
    values[AT_NO_MODEL] = totals.no_model_left;
    values[AT_VIOLATIONS] = totals.violations;
    values[AT_LEFT_OUT] = totals.left_out;
    return status;
}

static segue_status play_run(plan *p, const cell *c, uint64_t run, segue_error *err)
{
    notes n = {.plan = p, .cell = c};
    segue_runner *runner = NULL;
    double *values = c->values + run * c->width;
    segue_status status = segue_runner_create(&runner, &c->sim, err);
    if (status == SEGUE_OK)
        status = segue_measure_init(&n.measure, c->follow, c->sim.tasks ? p->ex->every : 0,
                                    c->sim.tasks, err);
    if (status == SEGUE_OK)
        status = c->sim.tasks ? play_tasks(&n, runner, run, values, err)
                              : play_single(&n, runner, run, values, err);
    segue_runner_destroy(runner);
    return status;
}

static segue_status work(void *context, size_t worker, uint64_t item, segue_error *err)
{
    plan *p = context;
    const uint64_t runs = p->ex->runs, run = item % runs;
    const size_t number = p->order[item / runs];
    const uint64_t unit = number * runs + run;
    const cell *c = &p->cells[number];
    (void)worker;
    if (p->done[unit])
        return SEGUE_OK;
    segue_status status = play_run(p, c, run, err);
    if (status != SEGUE_OK)
        return status;
    (void)pthread_mutex_lock(&p->writing);
    status = segue_journal_add(p->journal, unit, c->values + run * c->width, c->width, err);
    p->done[unit] = status == SEGUE_OK;
    (void)pthread_mutex_unlock(&p->writing);
    return status;
}

/* ---- before ------------------------------------------------------------------------------ */

/* What a learner's estimate can be compared with: one set, of which each task has a model. */
static const segue_models *followed(const segue_experiment *ex, const segue_simulation *sim)
{
    const segue_environment *env = sim->environment;
    const bool comparable =
        ex->every && sim->learner && segue_environment_has_models(env) && !env->switch_to;
    return comparable ? env->models : NULL;
}

/* Steps of one run of a cell. */
static double cost_of(const segue_simulation *sim)
{
    const double tasks =
        sim->tasks ? (double)sim->tasks : (double)segue_runner_runs(sim) / (double)sim->runs;
    return (double)sim->steps * tasks;
}

double segue_experiment_cost(const segue_experiment *ex)
{
    double cost = 0.0;
    for (size_t i = 0; i < segue_experiment_cells(ex); i++) {
        const segue_simulation sim = segue_experiment_cell(ex, i);
        cost += cost_of(&sim) * (double)ex->runs;
    }
    return cost;
}

static segue_status cell_init(cell *c, const segue_experiment *ex, size_t number, segue_error *err)
{
    c->sim = segue_experiment_cell(ex, number);
    const bool single = c->sim.tasks == 0;
    const bool has_models = segue_environment_has_models(c->sim.environment);
    c->n_models = single && has_models ? segue_environment_models(c->sim.environment) : 0;
    c->follow = followed(ex, &c->sim);
    segue_measure measure;
    const segue_status status =
        segue_measure_init(&measure, c->follow, single ? 0 : ex->every, c->sim.tasks, err);
    if (status != SEGUE_OK)
        return status;
    const size_t models = c->n_models ? c->n_models : 1;
    c->width = single ? models + 1 : AT_TRACKS + segue_measure_size(&measure);
    c->cost = cost_of(&c->sim);
    if ((double)ex->runs * (double)c->width * (double)segue_experiment_cells(ex) > MOST_NUMBERS)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s: asks for too many runs, or points over tasks: %" PRIu64
                          " runs of %zu numbers in %zu cells",
                          ex->name, ex->runs, c->width, segue_experiment_cells(ex));
    c->values = calloc(ex->runs * c->width, sizeof *c->values);
    return c->values ? SEGUE_OK : segue_fail(err, SEGUE_ENOMEM, "out of memory for the runs");
}

static void plan_fini(plan *p)
{
    for (size_t i = 0; p->cells && i < p->n_cells; i++)
        free(p->cells[i].values);
    free(p->cells);
    free(p->order);
    free(p->done);
    segue_journal_close(p->journal);
    (void)pthread_mutex_destroy(&p->writing);
    (void)pthread_mutex_destroy(&p->telling);
}

/* By insertion: the longest first, and of equals the first. */
static void put_in_order(plan *p)
{
    for (size_t i = 0; i < p->n_cells; i++) {
        size_t at = i;
        for (; at > 0 && p->cells[p->order[at - 1]].cost < p->cells[i].cost; at--)
            p->order[at] = p->order[at - 1];
        p->order[at] = i;
    }
}

static segue_status plan_init(plan *p, const segue_experiment *ex, const segue_conduct *conduct,
                              segue_error *err)
{
    *p = (plan){.ex = ex,
                .conduct = conduct,
                .n_cells = segue_experiment_cells(ex),
                .writing = PTHREAD_MUTEX_INITIALIZER,
                .telling = PTHREAD_MUTEX_INITIALIZER};
    p->cells = calloc(p->n_cells, sizeof *p->cells);
    p->order = calloc(p->n_cells, sizeof *p->order);
    if (!p->cells || !p->order)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the cells");
    segue_status status = SEGUE_OK;
    for (size_t i = 0; i < p->n_cells && status == SEGUE_OK; i++)
        status = cell_init(&p->cells[i], ex, i, err);
    if (status != SEGUE_OK)
        return status;
    p->done = calloc(p->n_cells * ex->runs, sizeof *p->done);
    put_in_order(p);
    return p->done ? SEGUE_OK : segue_fail(err, SEGUE_ENOMEM, "out of memory for the runs");
}

/* A run that the journal holds. */
static bool take_run(void *context, uint64_t unit, const double *values, size_t count)
{
    plan *p = context;
    const uint64_t runs = p->ex->runs;
    if (unit >= p->n_cells * runs || count != p->cells[unit / runs].width)
        return false;
    const cell *c = &p->cells[unit / runs];
    memcpy(c->values + unit % runs * c->width, values, count * sizeof *values);
    p->done[unit] = true;
    return true;
}

/* All that decides what the runs come to: the experiment, and the program that plays it. */
static segue_status open_journal(plan *p, segue_error *err)
{
    segue_output identity;
    const segue_conduct *conduct = p->conduct;
    segue_status status = segue_output_init(&identity, err);
    if (status != SEGUE_OK)
        return status;
    fprintf(identity.stream, "segue %s, %s\n", segue_version(), segue_build());
    status = segue_print_json(identity.stream, json_incref(p->ex->json), err);
    if (status == SEGUE_OK)
        status = segue_output_finish(&identity, err);
    if (status == SEGUE_OK)
        status = segue_journal_open(&p->journal, conduct->journal, identity.data, conduct->resume,
                                    conduct->fresh, take_run, p, err);
    segue_output_fini(&identity);
    for (size_t i = 0; i < p->n_cells && status == SEGUE_OK; i++)
        for (uint64_t run = 0; run < p->ex->runs; run++)
            p->total += p->done[i * p->ex->runs + run] ? 0.0 : p->cells[i].cost;
    return status;
}

/* ---- afterwards -------------------------------------------------------------------------- */

static segue_stats stats_of(const cell *c, size_t column)
{
    segue_stats stats = {.count = 0};
    for (uint64_t run = 0; run < c->sim.runs; run++)
        segue_stats_add(&stats, c->values[run * c->width + column]);
    return stats;
}

static void summarise_single(const cell *c, segue_cell *out)
{
    const size_t models = c->n_models ? c->n_models : 1;
    const double *weight = c->n_models ? c->sim.environment->models->weight : NULL;
    segue_stats stats = stats_of(c, 0);
    const segue_regret only = segue_regret_of(&stats);
    for (size_t k = 0; k < c->n_models; k++) {
        stats = stats_of(c, k);
        out->by_model[k] = segue_regret_of(&stats);
    }
    out->regret = segue_regret_stratified(weight, weight ? out->by_model : &only, models);
    out->no_model_left = stats_of(c, models).mean;
}

static void summarise_tasks(const cell *c, segue_cell *out)
{
    const segue_stats stats = stats_of(c, AT_REGRET);
    out->regret = segue_regret_of(&stats);
    out->no_model_left = stats_of(c, AT_NO_MODEL).mean;
    out->violations = stats_of(c, AT_VIOLATIONS).mean;
    out->left_out = stats_of(c, AT_LEFT_OUT).mean;
    for (uint64_t run = 0; run < c->sim.runs; run++) {
        const double *values = c->values + run * c->width;
        out->run_regret[run] = values[AT_REGRET];
        for (size_t q = 0; q < SEGUE_TRACKS; q++)
            if (out->track[q])
                memcpy(out->track[q] + run * out->n_points, values + AT_TRACKS + q * out->n_points,
                       out->n_points * sizeof *values);
    }
}

static segue_status summarise(const plan *p, size_t number, segue_cell *out, segue_error *err)
{
    const segue_experiment *ex = p->ex;
    const cell *c = &p->cells[number];
    out->environment = strdup(ex->place[segue_experiment_place(ex, number)].name);
    out->policy = strdup(ex->policies.text[segue_experiment_policy(ex, number)]);
    if (!out->environment || !out->policy)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the results");
    out->steps = c->sim.steps;
    out->tasks = c->sim.tasks;
    out->runs = c->sim.runs;
    out->n_models = c->n_models;
    out->every = c->sim.tasks ? ex->every : 0;
    const segue_status status = segue_cell_reserve(out, c->follow != NULL, err);
    if (status != SEGUE_OK)
        return status;
    if (c->sim.tasks)
        summarise_tasks(c, out);
    else
        summarise_single(c, out);
    return SEGUE_OK;
}

static segue_status report(const plan *p, segue_results **out, segue_error *err)
{
    segue_results *results = NULL;
    segue_status status = segue_results_create(&results, json_incref(p->ex->json), p->n_cells, err);
    for (size_t i = 0; i < p->n_cells && status == SEGUE_OK; i++)
        status = summarise(p, i, &results->cell[i], err);
    if (status != SEGUE_OK) {
        segue_results_destroy(results);
        return status;
    }
    *out = results;
    return SEGUE_OK;
}

/* Say how much is kept. */
static segue_status say_stopped(const plan *p, segue_error *err)
{
    uint64_t kept = 0;
    const uint64_t all = p->n_cells * p->ex->runs;
    for (uint64_t unit = 0; p->done && unit < all; unit++)
        kept += p->done[unit];
    return segue_fail(err, SEGUE_ESTOPPED,
                      "stopped; %" PRIu64 " of %" PRIu64
                      " runs of '%s' are kept, and '--resume' goes on from there",
                      kept, all, p->ex->name);
}

segue_status segue_experiment_run(segue_results **out, const segue_experiment *ex,
                                  const segue_conduct *conduct, segue_error *err)
{
    plan p;
    *out = NULL;
    segue_status status = plan_init(&p, ex, conduct, err);
    if (status == SEGUE_OK)
        status = open_journal(&p, err);
    if (status == SEGUE_OK)
        status = segue_parallel(conduct->threads, p.n_cells * ex->runs, work, NULL, &p, err);
    if (status == SEGUE_ESTOPPED)
        status = say_stopped(&p, err);
    if (status == SEGUE_OK)
        status = report(&p, out, err);
    plan_fini(&p);
    return status;
}

/* ---- files ------------------------------------------------------------------------------- */

static segue_status path_of(char *path, size_t size, const char *folder, const char *name,
                            const char *end, segue_error *err)
{
    if (snprintf(path, size, "%s/%s%s", folder, name, end) >= (int)size)
        return segue_fail(err, SEGUE_EFILE, "%s: the path is too long", segue_text_tail(folder));
    return SEGUE_OK;
}

segue_status segue_experiment_keep(const segue_experiment *ex, const char *folder, const char *file,
                                   segue_error *err)
{
    char path[4096];
    const segue_status status = path_of(path, sizeof path, folder, ex->name, ".json", err);
    if (status == SEGUE_OK && segue_is_same_file(path, file))
        return segue_fail(err, SEGUE_EUSAGE,
                          "%s: the results would take its place; name another folder with --out",
                          segue_text_tail(file));
    return status;
}

segue_status segue_experiment_folder(const char *folder, segue_error *err)
{
    struct stat about;
    if (*folder == '\0')
        return segue_fail(err, SEGUE_EFILE, "the name of the folder to write to is empty");
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return segue_fail(err, SEGUE_EFILE, "%s: the folder cannot be made: %s",
                          segue_text_tail(folder), strerror(errno));
    if (stat(folder, &about) == 0 && !S_ISDIR(about.st_mode))
        return segue_fail(err, SEGUE_EFILE, "%s: is not a folder", segue_text_tail(folder));
    return SEGUE_OK;
}

typedef segue_status (*print_function)(const segue_results *results, FILE *out, segue_error *err);

static segue_status print_json(const segue_results *results, FILE *out, segue_error *err)
{
    return segue_print_json(out, segue_results_json(results), err);
}

static segue_status print_csv(const segue_results *results, FILE *out, segue_error *err)
{
    (void)err;
    segue_results_print_csv(results, out);
    return SEGUE_OK;
}

static segue_status print_curve(const segue_results *results, FILE *out, segue_error *err)
{
    (void)err;
    segue_results_print_curve(results, out);
    return SEGUE_OK;
}

static segue_status write_one(const segue_results *results, const char *folder, const char *end,
                              print_function print, segue_error *err)
{
    segue_output output;
    char path[4096];
    segue_status status = path_of(path, sizeof path, folder, results->name, end, err);
    if (status == SEGUE_OK)
        status = segue_output_init(&output, err);
    if (status != SEGUE_OK)
        return status;
    status = print(results, output.stream, err);
    if (status == SEGUE_OK)
        status = segue_output_write(&output, path, err);
    segue_output_fini(&output);
    return status;
}

/* A curve of earlier results does not belong to these. */
static segue_status remove_curve(const segue_results *results, const char *folder, segue_error *err)
{
    char path[4096];
    const segue_status status =
        path_of(path, sizeof path, folder, results->name, "-curve.csv", err);
    if (status == SEGUE_OK)
        (void)unlink(path);
    return status;
}

segue_status segue_experiment_write(const segue_results *results, const char *folder,
                                    segue_error *err)
{
    segue_status status = write_one(results, folder, ".json", print_json, err);
    if (status == SEGUE_OK)
        status = write_one(results, folder, ".csv", print_csv, err);
    if (status != SEGUE_OK)
        return status;
    return results->cell[0].every ? write_one(results, folder, "-curve.csv", print_curve, err)
                                  : remove_curve(results, folder, err);
}
