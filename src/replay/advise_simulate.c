/* advise_simulate.c - simulate tasks of the types of a log: when does transfer begin to pay?
 *
 * The environment has one model per type, with the weights of the types, and one concentration of
 * tasks' means around them.  All policies meet the same tasks, since they share a seed.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay/advise.h"
#include "segue/simulation.h"
#include "segue/stats.h"

#define N_TASKS 200 /* of a simulated run */
#define N_RUNS  10

/* ---- the environment --------------------------------------------------------------------- */

/* Return the one concentration that has the types' average variance of tasks' means. */
static double average_kappa(const segue_types *types)
{
    const double *weight = segue_types_weights(types);
    double max_variance = 0.0, variance = 0.0;
    for (size_t q = 1; q <= segue_types_count(types); q++)
        for (size_t i = 0; i < segue_types_arms(types); i++) {
            const segue_type_arm arm = segue_types_arm(types, q, i);
            max_variance += weight[q] * arm.mean * (1.0 - arm.mean);
            variance += weight[q] * arm.mean * (1.0 - arm.mean) / (arm.kappa + 1.0);
        }
    return fmin(1e6, fmax(0.5, max_variance / variance - 1.0));
}

static segue_status make_models(const segue_types *types, segue_models **out, segue_error *err)
{
    const size_t n_types = segue_types_count(types), n_arms = segue_types_arms(types);
    const double *share = segue_types_weights(types);
    double *mean = calloc(n_types * n_arms + n_types, sizeof *mean);
    double *weight = mean ? mean + n_types * n_arms : NULL;
    if (!mean)
        return segue_fail_no_memory(err, "the models of types");
    for (size_t q = 0; q < n_types; q++) {
        weight[q] = share[q + 1] / (1.0 - share[0]);
        for (size_t i = 0; i < n_arms; i++)
            mean[q * n_arms + i] = segue_types_arm(types, q + 1, i).mean;
    }
    const segue_status status =
        segue_models_create(out, SEGUE_MODELS_KNOWN, n_arms, n_types, mean, weight, err);
    free(mean);
    return status;
}

/* ---- runs -------------------------------------------------------------------------------- */

/* The regret of every task of every run of one policy. */
typedef struct curves {
    segue_simulation simulation;
    double regret[N_RUNS][N_TASKS];
} curves;

static segue_status store_regret(void *context, const run_task *task, segue_error *err)
{
    double *regret = context;
    (void)err;
    regret[task->number] = task->regret;
    return SEGUE_OK;
}

static segue_status play_run(void *context, size_t worker, uint64_t run, segue_error *err)
{
    curves *c = context;
    segue_runner *runner = NULL;
    run_totals totals;
    (void)worker;
    SEGUE_TRY(segue_runner_create(&runner, &c->simulation, err));
    const segue_status status =
        segue_runner_play(runner, run, &totals, store_regret, c->regret[run], err);
    segue_runner_destroy(runner);
    return status;
}

static segue_status simulate(const segue_advise_config *config, const segue_environment *env,
                             uint64_t steps, const char *policy, curves *out, segue_error *err)
{
    segue_learner_config learner = segue_learner_defaults();
    const segue_learner_method *method = segue_learner_method_find(policy);
    const bool learns = method && !method->without_transfer;
    out->simulation = (segue_simulation){.size = sizeof(segue_simulation),
                                         .environment = env,
                                         .learner = learns ? &learner : NULL,
                                         .steps = steps,
                                         .tasks = N_TASKS,
                                         .runs = N_RUNS,
                                         .seed = config->seed,
                                         .threads = config->threads};
    if (learns)
        SEGUE_TRY(segue_learner_config_parse(&learner, policy, err));
    else
        SEGUE_TRY(segue_policy_parse(&out->simulation.policy, policy, err));
    SEGUE_TRY(segue_simulation_check(&out->simulation, err));
    return segue_parallel_run(config->threads, N_RUNS, play_run, NULL, out, err);
}

/* ---- comparison -------------------------------------------------------------------------- */

/* Return the share of the regret of `base` that `other` saves in the second half of the tasks. */
static double saved_by(const curves *base, const curves *other)
{
    double lost = 0.0, saved = 0.0;
    for (size_t run = 0; run < N_RUNS; run++)
        for (size_t task = N_TASKS / 2; task < N_TASKS; task++) {
            lost += base->regret[run][task];
            saved += base->regret[run][task] - other->regret[run][task];
        }
    return lost > 0.0 ? saved / lost : 0.0;
}

size_t segue_advise_pays_from(const double *base, const double *other, size_t runs, size_t tasks,
                              double *total)
{
    size_t from = 0;
    memset(total, 0, runs * sizeof *total);
    for (size_t task = 0; task < tasks; task++) {
        segue_stats ahead = {.count = 0};
        for (size_t run = 0; run < runs; run++) {
            total[run] += base[run * tasks + task] - other[run * tasks + task];
            segue_stats_add(&ahead, total[run]);
        }
        from = ahead.mean <= 2.0 * segue_stats_standard_error(&ahead) ? 0 : from ? from : task + 1;
    }
    return from;
}

static segue_status compare(segue_advise_result *out, const segue_advise_config *config,
                            const segue_environment *env, curves *all, segue_error *err)
{
    curves *ts = all, *tts = all + 1, *one_type = all + 2;
    double total[N_RUNS];
    SEGUE_TRY(simulate(config, env, out->steps, "ts", ts, err));
    SEGUE_TRY(simulate(config, env, out->steps, "tts", tts, err));
    SEGUE_TRY(simulate(config, env, out->steps, "tts:cap=1", one_type, err));
    out->n_simulated = N_TASKS;
    out->pays_from = segue_advise_pays_from(ts->regret[0], tts->regret[0], N_RUNS, N_TASKS, total);
    out->saved = saved_by(ts, tts);
    out->saved_by_prior = saved_by(ts, one_type);
    return SEGUE_OK;
}

segue_status segue_advise_simulate(segue_advise_result *out, const segue_advise_config *config,
                                   const segue_types *types, segue_error *err)
{
    segue_models *models = NULL;
    SEGUE_TRY(make_models(types, &models, err));
    const segue_environment env = {
        .size = sizeof(segue_environment), .models = models, .spread = average_kappa(types)};
    curves *all = calloc(3, sizeof *all);
    const segue_status status =
        all ? compare(out, config, &env, all, err) : segue_fail_no_memory(err, "simulated runs");
    segue_models_destroy(models);
    free(all);
    return status;
}
