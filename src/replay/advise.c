/* advise.c - what a log holds: counts, the spectrum of its second moment, its types, and when a
 * learner of such types would be ahead.
 *
 * Simulated tasks are of the types that were found, and flatter them: where the log has full tasks,
 * they are played too, once and without intervals.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay.h"
#include "segue/estimator.h"
#include "segue/internal.h"
#include "segue/stats.h"

#define MAX_STEPS 200 /* of a simulated task */
#define SIMULATED 200 /* tasks of a simulated run */
#define RUNS      10
#define MANY      30      /* full tasks: fewer are not played */
#define MAX_PULLS 1000000 /* of a player: more take too long for a quick look */

typedef struct look {
    segue_advise_result *out;
    const segue_history *history;
    uint64_t seed;
    size_t threads;
} look;

static segue_status no_memory(segue_error *err)
{
    return segue_fail_no_memory(err, "what the log holds");
}

/* ---- counts ------------------------------------------------------------------------------ */

static double rows_of(const segue_history *history, size_t task)
{
    return (double)(history->start[task + 1] - history->start[task]);
}

static segue_status count_rows(const look *l, segue_error *err)
{
    const segue_history *history = l->history;
    double *rows = calloc(history->n_tasks, sizeof *rows);
    if (!rows)
        return no_memory(err);
    for (size_t i = 0; i < history->n_tasks; i++)
        rows[i] = rows_of(history, i);
    l->out->few_rows = segue_stats_quantile(rows, history->n_tasks, 0.1);
    l->out->median_rows = segue_stats_quantile(rows, history->n_tasks, 0.5);
    l->out->many_rows = segue_stats_quantile(rows, history->n_tasks, 0.9);
    free(rows);
    return SEGUE_OK;
}

/* Add a task to the sums over tasks of each arm's averages (n_arms, and their counts); its own
 * sums and pulls are in `sum`.  Whether it is full. */
static bool add_task(const look *l, const double *sum, double *total, double *known)
{
    const size_t n_arms = l->history->n_arms;
    double best = 0.0;
    bool full = true;
    for (size_t arm = 0; arm < n_arms; arm++) {
        const double pulls = sum[n_arms + arm], mean = sum[arm] / fmax(1.0, pulls);
        best = fmax(best, mean);
        full = full && pulls >= (double)l->out->least;
        total[arm] += mean;
        total[n_arms + arm] += pulls > 0.0;
    }
    *known += full ? best : 0.0;
    return full;
}

/* Full tasks are played where they are many; `pulls` are of all tasks, and then of full ones. */
static void find_rarest(segue_advise_result *out, const double *pulls)
{
    const bool full = out->n_full >= MANY;
    const double *of = full ? pulls + out->n_arms : pulls;
    for (size_t arm = 1; arm < out->n_arms; arm++)
        out->rarest = of[arm] < of[out->rarest] ? arm : out->rarest;
    out->rarest_rewards = of[out->rarest] / (double)(full ? out->n_full : out->n_tasks);
}

/* The steps of tasks to simulate: what the middle one of `count` has. */
static uint64_t middle_steps(double *rows, size_t count)
{
    return (uint64_t)fmin(MAX_STEPS, fmax(2.0, segue_stats_quantile(rows, count, 0.5)));
}

static segue_status count_arms(const look *l, segue_error *err)
{
    segue_advise_result *out = l->out;
    const size_t n_arms = l->history->n_arms;
    double *sum = calloc(6 * n_arms + l->history->n_tasks, sizeof *sum), known = 0.0;
    if (!sum)
        return no_memory(err);
    double *total = sum + 2 * n_arms, *pulls = total + 2 * n_arms;
    double *rows = pulls + 2 * n_arms; /* of full tasks */
    for (size_t task = 0; task < l->history->n_tasks; task++) {
        segue_replay_task_counts(l->history, task, sum, sum + n_arms);
        const bool full = add_task(l, sum, total, &known);
        if (full)
            rows[out->n_full++] = rows_of(l->history, task);
        for (size_t arm = 0; arm < n_arms; arm++) {
            pulls[arm] += sum[n_arms + arm];
            pulls[n_arms + arm] += full ? sum[n_arms + arm] : 0.0;
        }
    }
    find_rarest(out, pulls);
    out->steps = out->n_full ? middle_steps(rows, out->n_full)
                             : (uint64_t)fmin(MAX_STEPS, fmax(2.0, out->median_rows));
    out->best_fixed = -1.0;
    for (size_t arm = 0; arm < n_arms; arm++) {
        const double mean = total[arm] / fmax(1.0, total[n_arms + arm]);
        out->best_arm = mean > out->best_fixed ? arm : out->best_arm;
        out->best_fixed = fmax(out->best_fixed, mean);
    }
    out->best_known = out->n_full ? known / (double)out->n_full : NAN;
    free(sum);
    return SEGUE_OK;
}

static void count(const look *l)
{
    const segue_history *history = l->history;
    segue_advise_result *out = l->out;
    out->n_rows = history->n_rows;
    out->n_tasks = history->n_tasks;
    out->n_arms = history->n_arms;
    out->constant = segue_replay_is_constant(history);
    out->has_time = history->time != NULL;
    out->has_probability = history->probability != NULL;
    for (size_t i = 0; i < history->n_rows; i++)
        out->mean += history->row[i].reward / (double)history->n_rows;
}

/* ---- the spectrum ------------------------------------------------------------------------ */

/* Three views of a task, each arm's rewards in turn; false if one has fewer than three. */
static bool make_views(const segue_history *history, size_t task, double *views, double *pulls)
{
    const size_t n_arms = history->n_arms;
    memset(views, 0, 3 * n_arms * sizeof *views);
    memset(pulls, 0, n_arms * sizeof *pulls);
    for (size_t i = history->start[task]; i < history->start[task + 1]; i++) {
        const size_t arm = history->row[i].arm, batch = (size_t)pulls[arm] % 3;
        views[batch * n_arms + arm] += history->row[i].reward;
        pulls[arm] += 1.0;
    }
    for (size_t arm = 0; arm < n_arms; arm++)
        for (size_t batch = 0; batch < 3; batch++) {
            const double of_batch = floor((pulls[arm] + 2.0 - (double)batch) / 3.0);
            if (of_batch < 1.0)
                return false;
            views[batch * n_arms + arm] /= of_batch;
        }
    return true;
}

static segue_status add_views(const look *l, segue_moments *moments, segue_error *err)
{
    const size_t n_arms = l->history->n_arms;
    double *views = calloc(4 * n_arms + 1, sizeof *views);
    segue_status status = views ? SEGUE_OK : no_memory(err);
    for (size_t task = 0; task < l->history->n_tasks && status == SEGUE_OK; task++)
        if (make_views(l->history, task, views, views + 3 * n_arms))
            status = segue_moments_add(moments, views, 1.0, err);
    free(views);
    return status;
}

static void store_spectrum(segue_advise_result *out, const segue_estimate_info *info)
{
    out->n_spectrum = (size_t)info->n_tasks;
    out->noise = info->noise;
    for (size_t i = 0; i < info->n_eigenvalues && info->n_tasks; i++) {
        out->n_above += info->eigenvalue[i] > info->noise;
        if (i < SEGUE_MAX_SHOWN_EIGENVALUES)
            out->eigenvalue[out->n_eigenvalues++] = info->eigenvalue[i];
    }
}

static segue_status find_spectrum(const look *l, segue_error *err)
{
    segue_moments *moments = NULL;
    segue_estimator *estimator = NULL;
    segue_estimator_config config = segue_estimator_defaults();
    config.n_arms = l->history->n_arms;
    config.n_models = 1;
    l->out->noise = NAN;
    if (config.n_arms > SEGUE_MAX_SPECTRUM_ARMS)
        return SEGUE_OK;
    segue_status status = segue_moments_create(&moments, config.n_arms, SEGUE_VIEWS_SYMMETRIC, err);
    if (status == SEGUE_OK)
        status = segue_estimator_create(&estimator, &config, err);
    if (status == SEGUE_OK)
        status = add_views(l, moments, err);
    if (status == SEGUE_OK)
        status = segue_estimator_fit(estimator, moments, err);
    if (status == SEGUE_OK) {
        const segue_estimate_info info = segue_estimator_info(estimator);
        store_spectrum(l->out, &info);
    }
    segue_estimator_destroy(estimator);
    segue_moments_destroy(moments);
    return status;
}

/* ---- types, and when they would pay ------------------------------------------------------ */

/* One concentration for all: that with the types' average variance of tasks' means. */
static double average_kappa(const segue_types *types)
{
    const double *weight = segue_types_weights(types);
    double most = 0.0, variance = 0.0;
    for (size_t q = 1; q <= segue_types_count(types); q++)
        for (size_t i = 0; i < segue_types_arms(types); i++) {
            const segue_type_arm arm = segue_types_arm(types, q, i);
            most += weight[q] * arm.mean * (1.0 - arm.mean);
            variance += weight[q] * arm.mean * (1.0 - arm.mean) / (arm.kappa + 1.0);
        }
    return fmin(1e6, fmax(0.5, most / variance - 1.0));
}

static segue_status models_of(const segue_types *types, segue_models **out, segue_error *err)
{
    const size_t n_types = segue_types_count(types), n_arms = segue_types_arms(types);
    const double *share = segue_types_weights(types);
    double *mean = calloc(n_types * n_arms + n_types, sizeof *mean);
    double *weight = mean ? mean + n_types * n_arms : NULL;
    if (!mean)
        return no_memory(err);
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

/* The regret of every task of every run. */
typedef struct curves {
    segue_simulation sim;
    double regret[RUNS][SIMULATED];
} curves;

static segue_status note_regret(void *context, const run_task *task, segue_error *err)
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
    segue_status status = segue_runner_create(&runner, &c->sim, err);
    if (status == SEGUE_OK)
        status = segue_runner_play(runner, run, &totals, note_regret, c->regret[run], err);
    segue_runner_destroy(runner);
    return status;
}

/* All players meet the same tasks: their worlds have the same seed. */
static segue_status simulate(const look *l, const segue_environment *env, const char *player,
                             curves *out, segue_error *err)
{
    segue_learner_config learner = segue_learner_defaults();
    const bool learns = segue_learner_method_find(player);
    out->sim = (segue_simulation){.environment = env,
                                  .learner = learns ? &learner : NULL,
                                  .steps = l->out->steps,
                                  .tasks = SIMULATED,
                                  .runs = RUNS,
                                  .seed = l->seed,
                                  .threads = l->threads};
    segue_status status = learns ? segue_learner_config_parse(&learner, player, err)
                                 : segue_policy_parse(&out->sim.policy, player, err);
    if (status == SEGUE_OK)
        status = segue_simulation_check(&out->sim, err);
    return status == SEGUE_OK ? segue_parallel_run(l->threads, RUNS, play_run, NULL, out, err)
                              : status;
}

/* What share of the regret of ts another saves over the second half of the tasks. */
static double saved_of(const curves *ts, const curves *other)
{
    double lost = 0.0, saved = 0.0;
    for (size_t run = 0; run < RUNS; run++)
        for (size_t task = SIMULATED / 2; task < SIMULATED; task++) {
            lost += ts->regret[run][task];
            saved += ts->regret[run][task] - other->regret[run][task];
        }
    return lost > 0.0 ? saved / lost : 0.0;
}

size_t segue_advise_pays_from(const double *regret, const double *other, size_t runs, size_t tasks,
                              double *total)
{
    size_t from = 0;
    memset(total, 0, runs * sizeof *total);
    for (size_t task = 0; task < tasks; task++) {
        segue_stats ahead = {.count = 0};
        for (size_t run = 0; run < runs; run++) {
            total[run] += regret[run * tasks + task] - other[run * tasks + task];
            segue_stats_add(&ahead, total[run]);
        }
        from = ahead.mean <= 2.0 * segue_stats_standard_error(&ahead) ? 0 : from ? from : task + 1;
    }
    return from;
}

static segue_status simulate_players(const look *l, const segue_environment *env, curves *ts,
                                     curves *tts, curves *single, segue_error *err)
{
    double total[RUNS];
    segue_status status = simulate(l, env, "ts", ts, err);
    if (status == SEGUE_OK)
        status = simulate(l, env, "tts", tts, err);
    if (status == SEGUE_OK)
        status = simulate(l, env, "tts:cap=1", single, err);
    if (status != SEGUE_OK)
        return status;
    l->out->n_simulated = SIMULATED;
    l->out->pays_from =
        segue_advise_pays_from(ts->regret[0], tts->regret[0], RUNS, SIMULATED, total);
    l->out->saved = saved_of(ts, tts);
    l->out->saved_by_prior = saved_of(ts, single);
    return SEGUE_OK;
}

static segue_status simulate_types(const look *l, const segue_types *types, segue_error *err)
{
    segue_models *models = NULL;
    curves *all = calloc(3, sizeof *all);
    segue_status status = all ? models_of(types, &models, err) : no_memory(err);
    const segue_environment env = {.models = models, .spread = average_kappa(types)};
    if (status == SEGUE_OK)
        status = simulate_players(l, &env, all, all + 1, all + 2, err);
    segue_models_destroy(models);
    free(all);
    return status;
}

/* ---- what types give on the log itself --------------------------------------------------- */

static bool is_playable(const segue_advise_result *out)
{
    return out->n_types > 1 && out->n_full >= MANY &&
           (double)out->n_full * (double)out->steps <= MAX_PULLS;
}

static segue_status play_log(const look *l, segue_error *err)
{
    segue_policy_list players;
    segue_replay_result found;
    segue_status status = segue_policy_list_parse(&players, "tla", err);
    if (status != SEGUE_OK)
        return status;
    const segue_replay_config config = {.path = "the log",
                                        .history = l->history,
                                        .highest = 1.0,
                                        .players = &players,
                                        .way = SEGUE_REPLAY_METHOD_RESAMPLE,
                                        .order = SEGUE_REPLAY_ORDER_SHUFFLE,
                                        .least = l->out->least,
                                        .steps = l->out->steps,
                                        .runs = 1,
                                        .seed = l->seed,
                                        .threads = l->threads,
                                        .values_only = true};
    status = segue_replay_evaluate(&found, &config, err);
    if (status == SEGUE_OK)
        l->out->beyond = found.player[found.typed].won[SEGUE_METRIC_SAVED_OVER_PRIOR].value;
    segue_replay_result_fini(&found);
    segue_policy_list_fini(&players);
    return status;
}

/* ---- all of it --------------------------------------------------------------------------- */

static segue_status find_types(const look *l, segue_error *err)
{
    segue_types *types = NULL;
    segue_status status =
        segue_replay_fit_types(&types, l->history, SEGUE_MAX_TYPES_COUNT, l->seed, err);
    if (status == SEGUE_OK) {
        l->out->n_types = segue_types_count(types);
        l->out->none = segue_types_weights(types)[0];
    }
    if (status == SEGUE_OK && l->out->n_types > 0)
        status = segue_replay_explained_variance(types, l->history, l->seed, NULL,
                                                 &l->out->explained, err);
    if (status == SEGUE_OK && l->out->n_types > 1)
        status = simulate_types(l, types, err);
    segue_types_destroy(types);
    return status;
}

segue_status segue_advise(segue_advise_result *out, const segue_history *history, uint64_t least,
                          uint64_t seed, size_t threads, segue_error *err)
{
    const look l = {.out = out, .history = history, .seed = seed, .threads = threads};
    segue_arm_share most;
    *out = (segue_advise_result){
        .least = least, .explained = NAN, .saved = NAN, .saved_by_prior = NAN, .beyond = NAN};
    count(&l);
    segue_status status = count_rows(&l, err);
    if (status == SEGUE_OK)
        status = count_arms(&l, err);
    if (status == SEGUE_OK)
        status = segue_replay_is_uniform(history, &out->alike, &most, err);
    if (status == SEGUE_OK)
        status = find_spectrum(&l, err);
    if (status == SEGUE_OK && !out->constant)
        status = find_types(&l, err);
    return status == SEGUE_OK && is_playable(out) ? play_log(&l, err) : status;
}
