/* plan_play.c - simulate the tasks to come: the learner and its opponents, run by run.
 *
 * Each run has tasks of its own: models that are drawn from the population, with the
 * concentration of each type and arm, which an environment of few models and one concentration could not express.  A
 * task takes one of them at random.  All candidates of a run share its models and its seed, so they
 * meet the same tasks.  Runs are independent of each other: intervals are taken over runs.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_internal.h"
#include "segue/internal.h"
#include "segue/simulation.h"

/* ---- models ------------------------------------------------------------------------------ */

static const segue_population *population_of(const segue_plan_config *config, uint64_t run)
{
    return &config->population[run % config->n_populations];
}

segue_status segue_plan_draw_models(segue_models **out, const segue_plan_config *config,
                                    uint64_t run, segue_error *err)
{
    const segue_population *population = population_of(config, run);
    const size_t n_arms = population->n_arms;
    segue_rng rng;
    *out = NULL;
    double *mean = calloc(SEGUE_MAX_MODELS * n_arms, sizeof *mean);
    if (!mean)
        return segue_fail_no_memory(err, "the tasks of a plan");
    for (size_t k = 0; k < SEGUE_MAX_MODELS; k++) {
        segue_rng_init(&rng, config->seed, run, k, SEGUE_STREAM_MEANS);
        (void)segue_population_draw_new(population, &rng, mean + k * n_arms);
    }
    const segue_status status =
        segue_models_create(out, SEGUE_MODELS_KNOWN, n_arms, SEGUE_MAX_MODELS, mean, NULL, err);
    free(mean);
    return status;
}

/* ---- one run ----------------------------------------------------------------------------- */

/* The play of all runs; each run writes its own part of `out`. */
typedef struct play {
    const segue_plan_config *config;
    plan_runs *out;
    segue_learner_config learner[SEGUE_N_PLAN_CANDIDATES]; /* of those that learn */
    segue_policy_spec policy[SEGUE_N_PLAN_CANDIDATES];     /* of the others */
} play;

/* Where the tasks of one run and candidate are stored. */
typedef struct run_memory {
    double *regret, *reward;
    double steps, range;
} run_memory;

static segue_status store_task(void *context, const run_task *task, segue_error *err)
{
    run_memory *at = context;
    (void)err;
    at->regret[task->number] = at->range * task->regret;
    at->reward[task->number] = task->reward / at->steps;
    return SEGUE_OK;
}

static segue_simulation simulation_of(const play *p, size_t candidate, const segue_environment *env)
{
    return (segue_simulation){.size = sizeof(segue_simulation),
                              .environment = env,
                              .policy = p->policy[candidate],
                              .learner =
                                  p->policy[candidate].policy ? NULL : &p->learner[candidate],
                              .steps = p->config->steps,
                              .tasks = p->out->tasks,
                              .runs = p->out->runs,
                              .seed = p->config->seed,
                              .threads = 1};
}

static segue_status play_candidate(const play *p, size_t candidate, uint64_t run,
                                   const segue_environment *env, segue_error *err)
{
    const segue_simulation simulation = simulation_of(p, candidate, env);
    const size_t first = (size_t)(run * p->out->tasks);
    run_memory at = {.regret = p->out->regret[candidate] + first,
                     .reward = p->out->reward[candidate] + first,
                     .steps = (double)p->config->steps,
                     .range = p->config->range};
    segue_runner *runner = NULL;
    run_totals totals;
    SEGUE_TRY(segue_simulation_check(&simulation, err));
    SEGUE_TRY(segue_runner_create(&runner, &simulation, err));
    const segue_status status = segue_runner_play(runner, run, &totals, store_task, &at, err);
    segue_runner_destroy(runner);
    return status;
}

/* Graded rewards: a Beta law has variance m (1 - m) / (precision + 1). */
static segue_rewards rewards_of(double dispersion)
{
    if (dispersion >= 1.0)
        return (segue_rewards){.law = SEGUE_BERNOULLI};
    return (segue_rewards){.law = SEGUE_BETA,
                           .parameter = fmin(1e6, fmax(1e-6, 1.0 / dispersion - 1.0))};
}

static segue_status play_run(void *context, size_t worker, uint64_t run, segue_error *err)
{
    const play *p = context;
    segue_models *models = NULL;
    (void)worker;
    SEGUE_TRY(segue_plan_draw_models(&models, p->config, run, err));
    const segue_environment env = {.size = sizeof(segue_environment),
                                   .models = models,
                                   .rewards =
                                       rewards_of(population_of(p->config, run)->dispersion)};
    segue_status status = SEGUE_OK;
    for (size_t i = 0; i < SEGUE_N_PLAN_CANDIDATES && status == SEGUE_OK; i++)
        status = play_candidate(p, i, run, &env, err);
    segue_models_destroy(models);
    return status;
}

static void show_progress(void *context, size_t worker, uint64_t run)
{
    const play *p = context;
    (void)worker;
    if (p->config->progress)
        p->config->progress(p->config->context, (double)(run + 1), (double)p->config->runs);
}

/* ---- all runs ---------------------------------------------------------------------------- */

static segue_status parse_candidate(play *p, size_t i, const char *text, segue_error *err)
{
    const segue_learner_method *method = segue_learner_method_find(text);
    p->learner[i] = segue_learner_defaults();
    p->learner[i].n_models = p->config->n_types;
    return method && !method->without_transfer
               ? segue_learner_config_parse(&p->learner[i], text, err)
               : segue_policy_parse(&p->policy[i], text, err);
}

static segue_status allocate(plan_runs *out, segue_error *err)
{
    for (size_t i = 0; i < SEGUE_N_PLAN_CANDIDATES; i++) {
        out->regret[i] = calloc((size_t)(out->runs * out->tasks), sizeof(double));
        out->reward[i] = calloc((size_t)(out->runs * out->tasks), sizeof(double));
        if (!out->regret[i] || !out->reward[i])
            return segue_fail_no_memory(err, "the runs of a plan");
    }
    return SEGUE_OK;
}

segue_status segue_plan_play(plan_runs *out, const segue_plan_config *config, segue_error *err)
{
    play p = {.config = config, .out = out};
    *out = (plan_runs){
        .runs = config->runs, .tasks = config->simulated, .n_populations = config->n_populations};
    for (size_t i = 0; i < SEGUE_N_PLAN_CANDIDATES; i++)
        SEGUE_TRY(parse_candidate(
            &p, i, i == SEGUE_PLAN_LEARNER ? config->learner : segue_plan_opponent(i), err));
    SEGUE_TRY(allocate(out, err));
    return segue_parallel_run(config->threads, config->runs, play_run, show_progress, &p, err);
}

void segue_plan_play_fini(plan_runs *runs)
{
    for (size_t i = 0; i < SEGUE_N_PLAN_CANDIDATES; i++) {
        free(runs->regret[i]);
        free(runs->reward[i]);
    }
}
