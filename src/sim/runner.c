/* runner.c - play one run of a simulation, task after task.
 *
 * A run is played by a policy, by a learner created for it, or by a learner that continues. Each
 * task is played by a kernel if there is one for its policy, else in its plain form; the last task
 * of the first run may be watched. A runner belongs to one thread.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bandit/task/task.h"
#include "core/fail.h"
#include "sim/kernels/kernel.h"
#include "sim/simulation_config.h"
#include "sim/watch.h"
#include "transfer/learner_internal.h"

#define STOP_STEPS 1024 /* steps in plain form after which a task may be stopped */

struct segue_runner {
    const segue_simulation *sim;
    uint64_t n_tasks;             /* per run */
    segue_task *task;             /* of a policy; NULL: a learner plays */
    segue_learner *learner;       /* of the current run, or NULL */
    segue_learner_summary before; /* counts of a continued learner before the run */
    segue_simulated_task *simulated;
    segue_kernel *kernel; /* NULL: use plain forms only */
    bool *never_best;     /* n_arms: best for no model; NULL: no fixed model set */
    uint64_t *pulls;      /* n_arms: of the last task */
    bool is_stopped;      /* in the middle of a task */
};

uint64_t segue_runner_runs(const segue_simulation *sim)
{
    return sim->tasks ? sim->runs : sim->runs * segue_environment_models(sim->environment);
}

static bool is_best_for_some(const segue_models *models, size_t arm)
{
    for (size_t k = 0; k < models->n_models; k++)
        if (segue_models_row(models, k)[arm] >= segue_models_best_value(models, k))
            return true;
    return false;
}

static segue_status mark_never_best(segue_runner *runner, segue_error *err)
{
    const segue_environment *env = runner->sim->environment;
    if (!env->models || env->switch_to)
        return SEGUE_OK;
    runner->never_best = calloc(env->models->n_arms, sizeof *runner->never_best);
    if (!runner->never_best)
        return segue_fail_no_memory(err, "a run");
    for (size_t i = 0; i < env->models->n_arms; i++)
        runner->never_best[i] = !is_best_for_some(env->models, i);
    return SEGUE_OK;
}

/* Tell a task its costs, unless it shall not know them. */
static segue_status set_costs(const segue_simulation *sim, segue_task *task, segue_error *err)
{
    return segue_simulation_has_costs(sim) && !sim->ignore_costs
               ? segue_task_set_costs(task, sim->cost, sim->switch_cost, err)
               : SEGUE_OK;
}

/* Create the parts of a runner; the caller frees them after a failure. */
static segue_status create_parts(segue_runner *runner, segue_error *err)
{
    const segue_simulation *sim = runner->sim;
    const segue_task_config config = segue_simulation_config_task(sim);
    runner->pulls = calloc(segue_environment_arms(sim->environment), sizeof *runner->pulls);
    if (!runner->pulls)
        return segue_fail_no_memory(err, "a run");
    if (!sim->learner && !sim->continued) {
        SEGUE_TRY(segue_task_create(&runner->task, &config, err));
        SEGUE_TRY(set_costs(sim, runner->task, err));
    }
    SEGUE_TRY(segue_simulated_task_create(&runner->simulated, sim->environment, err));
    if (sim->kernel == SEGUE_KERNEL_FAST && !segue_simulation_has_costs(sim))
        SEGUE_TRY(segue_kernel_create(&runner->kernel, segue_environment_arms(sim->environment),
                                      sim->steps, err));
    return mark_never_best(runner, err);
}

segue_status segue_runner_create(segue_runner **out, const segue_simulation *sim, segue_error *err)
{
    *out = NULL;
    segue_runner *runner = calloc(1, sizeof *runner);
    if (!runner)
        return segue_fail_no_memory(err, "a run");
    runner->sim = sim;
    runner->n_tasks = sim->tasks ? sim->tasks : 1;
    if (sim->continued)
        runner->before = segue_learner_info(sim->continued);
    const segue_status status = create_parts(runner, err);
    if (status != SEGUE_OK) {
        segue_runner_destroy(runner);
        return status;
    }
    *out = runner;
    return SEGUE_OK;
}

void segue_runner_destroy(segue_runner *runner)
{
    if (!runner)
        return;
    segue_task_destroy(runner->task);
    segue_simulated_task_destroy(runner->simulated);
    segue_kernel_destroy(runner->kernel);
    free(runner->never_best);
    free(runner->pulls);
    free(runner);
}

static segue_status start_run(segue_runner *runner, uint64_t run, segue_error *err)
{
    const segue_simulation *sim = runner->sim;
    if (runner->task)
        segue_task_reset(runner->task);
    if (runner->task || sim->continued) {
        runner->learner = sim->continued;
        return SEGUE_OK;
    }
    const segue_learner_config config = segue_simulation_config_learner(sim, run);
    return segue_learner_create(&runner->learner, &config, err);
}

static void end_run(segue_runner *runner, run_totals *totals)
{
    if (!runner->learner)
        return;
    const segue_learner_summary info = segue_learner_info(runner->learner);
    const segue_learner_summary *before = &runner->before;
    totals->no_model_left =
        (double)(info.no_model_left - before->no_model_left) / (double)runner->n_tasks;
    totals->violations = (double)(info.violations - before->violations);
    totals->skipped = (double)(info.skipped - before->skipped);
    totals->n_types = (double)info.n_types;
    totals->no_type = info.no_type;
    if (!runner->sim->continued)
        segue_learner_destroy(runner->learner);
    runner->learner = NULL;
}

/* Return the regret of a task that was played, its rewards minus its costs. */
static double net_regret(const segue_runner *runner, segue_task *task)
{
    const segue_simulation *sim = runner->sim;
    const double *mean = segue_simulated_task_means(runner->simulated);
    const task_internals in = segue_task_internals(task);
    double best = -INFINITY, regret = sim->switch_cost * (double)in.switches;
    for (size_t arm = 0; arm < in.view->n_arms; arm++)
        best = fmax(best, mean[arm] - (sim->cost ? sim->cost[arm] : 0.0));
    for (size_t arm = 0; arm < in.view->n_arms; arm++)
        regret += (double)in.pulls[arm] * (best - mean[arm] + (sim->cost ? sim->cost[arm] : 0.0));
    return regret;
}

/* Play an open task in its plain form, to its end unless it is stopped; returns its regret. */
static double play_plain(segue_runner *runner, segue_task *task)
{
    const segue_simulation *sim = runner->sim;
    double regret = 0.0;
    for (uint64_t left = sim->steps; left > 0 && !runner->is_stopped;) {
        const uint64_t steps = left < STOP_STEPS ? left : STOP_STEPS;
        regret = segue_simulation_play(task, runner->simulated, steps); /* of all steps so far */
        left -= steps;
        runner->is_stopped = left > 0 && sim->stop && sim->stop(sim->stop_context);
    }
    return regret;
}

/* Play an open task to its end; returns its regret. */
static double play_open(segue_runner *runner, segue_task *task)
{
    double regret = 0.0;
    const uint64_t steps = runner->sim->steps;
    if (runner->kernel &&
        segue_kernel_play(runner->kernel, task, runner->simulated, steps, &regret))
        return regret;
    regret = play_plain(runner, task);
    return segue_simulation_has_costs(runner->sim) ? net_regret(runner, task) : regret;
}

/* Copy the pulls of a task, which is closed before it is visited, and add up its rewards. */
static void copy_counts(segue_runner *runner, const segue_task *task, run_task *played)
{
    const size_t n_arms = segue_environment_arms(runner->sim->environment);
    const segue_task_summary info = segue_task_info(task);
    memcpy(runner->pulls, info.pulls, n_arms * sizeof *runner->pulls);
    played->reward = 0.0;
    for (size_t arm = 0; arm < n_arms; arm++)
        played->reward += info.sum[arm];
}

/* Return the pulls of arms that are best for no model. */
static double pulls_of_never_best(const segue_runner *runner)
{
    double pulls = 0.0;
    if (!runner->never_best)
        return NAN;
    for (size_t i = 0; i < runner->sim->environment->models->n_arms; i++)
        if (runner->never_best[i])
            pulls += (double)runner->pulls[i];
    return pulls;
}

/* Play one task with a policy; returns its regret. */
static double play_policy(segue_runner *runner, uint64_t run, uint64_t task)
{
    segue_rng rng;
    segue_rng_init(&rng, runner->sim->seed, run, task, SEGUE_STREAM_POLICY);
    segue_task_next(runner->task, &rng, segue_simulated_task_model(runner->simulated));
    return play_open(runner, runner->task);
}

/* Run a refit that is due: a learner with background refits, such as one of a service, does not
 * refit by itself. */
static segue_status refit(segue_learner *learner, segue_error *err)
{
    segue_refit *due = NULL;
    if (!segue_learner_refit_due(learner))
        return SEGUE_OK;
    segue_status status = segue_learner_refit_begin(learner, &due, err);
    if (status != SEGUE_OK)
        goto done;
    status = segue_refit_run(due, err);
    if (status != SEGUE_OK)
        goto done;
    status = segue_learner_refit_publish(learner, &due, err);
done:
    segue_refit_destroy(due);
    return status;
}

/* Play one task with a learner, which learns from it. */
static segue_status play_learner(segue_runner *runner, bool watched, run_task *played,
                                 segue_error *err)
{
    segue_task *task = NULL;
    SEGUE_TRY(segue_learner_open_task(runner->learner, &task, err));
    SEGUE_TRY(set_costs(runner->sim, task, err));
    if (watched) {
        SEGUE_TRY(segue_watch_play(runner->sim, runner->learner, task, runner->simulated, err));
        played->regret =
            segue_simulation_has_costs(runner->sim)
                ? net_regret(runner, task)
                : segue_simulated_task_regret(runner->simulated, segue_task_info(task).pulls);
    } else {
        played->regret = play_open(runner, task);
    }
    copy_counts(runner, task, played);
    if (runner->is_stopped) { /* it learns nothing from half a task */
        segue_learner_discard_task(runner->learner, &task);
        return SEGUE_OK;
    }
    SEGUE_TRY(segue_learner_close_task(runner->learner, &task, err));
    if (watched)
        SEGUE_TRY(segue_watch_end(runner->sim, runner->learner, err));
    return refit(runner->learner, err);
}

static segue_status play_task(segue_runner *runner, uint64_t run, run_task *task,
                              run_totals *totals, segue_error *err)
{
    const segue_simulation *sim = runner->sim;
    const bool single = !sim->tasks && segue_environment_has_models(sim->environment);
    const double share = 1.0 / (double)runner->n_tasks;
    segue_status status = SEGUE_OK;
    segue_simulated_task_begin(runner->simulated, sim->seed, run,
                               runner->before.opened + task->number,
                               single ? (size_t)(run / sim->runs) : SEGUE_ANY_MODEL);
    task->model = segue_simulated_task_model(runner->simulated);
    task->learner = runner->learner;
    if (runner->learner) {
        const bool watched = sim->watch && run == 0 && task->number + 1 == runner->n_tasks;
        status = play_learner(runner, watched, task, err);
    } else {
        task->regret = play_policy(runner, run, task->number);
        totals->no_model_left += share * (double)segue_task_info(runner->task).no_model_left;
        copy_counts(runner, runner->task, task);
    }
    totals->regret += share * task->regret;
    task->pulls = runner->pulls;
    totals->never_best += share * pulls_of_never_best(runner);
    return status;
}

segue_status segue_runner_play(segue_runner *runner, uint64_t run, run_totals *totals,
                               visit_function visit, void *context, segue_error *err)
{
    *totals = (run_totals){.regret = 0.0};
    segue_status status = start_run(runner, run, err);
    run_task task = {.number = 0};
    for (; task.number < runner->n_tasks && status == SEGUE_OK; task.number++) {
        status = play_task(runner, run, &task, totals, err);
        if (status == SEGUE_OK && runner->is_stopped)
            status = segue_fail(err, SEGUE_ESTOPPED, "it was stopped before its end");
        if (status == SEGUE_OK)
            status = visit(context, &task, err);
    }
    end_run(runner, totals);
    return status;
}
