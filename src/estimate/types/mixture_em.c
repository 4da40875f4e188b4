/* mixture_em.c - expectation and maximisation over the finished tasks.
 *
 * In a task, an arm has a pair of counts: won, its sum of rewards; lost, its pulls minus that sum.
 *
 * E: the posterior r_lq of task l over component q is proportional to w_q exp log_lik_lq.
 * M: weights from the sizes R_q = sum_l r_lq; then, for every arm of a type, the reward sums and
 * pulls of its tasks, task l with weight r_l (kappa + 1) / (kappa + T_l); then kappa, one step up
 * or down its list where the likelihood with p fixed, less SPREAD_PRICE per step, is larger.  The
 * M-step is not exact, so the objective may fall: such a sweep is undone and is the last.
 *
 * A sweep costs O(types x (tasks x arms + different results)); see count_table.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/types/mixture_em.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/stop.h"

#define MIN_GAIN 1e-3 /* nats: a sweep that gains less is the last */

/* ---- memory ------------------------------------------------------------------------------ */

segue_status segue_mixture_em_state_init(mixture_em_state *state, const task_window *tasks,
                                         size_t cap, segue_error *err)
{
    const size_t n = tasks->count;
    *state = (mixture_em_state){.n_tasks = n};
    const segue_status status = segue_mixture_init(&state->mix, tasks->n_arms, cap, err);
    if (status != SEGUE_OK)
        return status;
    state->log_lik = calloc((2 * (cap + 1) + 1) * n, sizeof *state->log_lik);
    if (!state->log_lik)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to fit %zu tasks", n);
    state->posterior = state->log_lik + (cap + 1) * n;
    state->mixture_log_lik = state->posterior + (cap + 1) * n;
    return SEGUE_OK;
}

void segue_mixture_em_state_fini(mixture_em_state *state)
{
    segue_mixture_fini(&state->mix);
    free(state->log_lik);
    state->log_lik = NULL;
}

void segue_mixture_em_state_copy(mixture_em_state *to, const mixture_em_state *from)
{
    const size_t n = from->n_tasks, used = (from->mix.n_types + 1) * n * sizeof(double);
    segue_mixture_copy(&to->mix, &from->mix);
    memcpy(to->log_lik, from->log_lik, used);
    memcpy(to->posterior, from->posterior, used);
    memcpy(to->mixture_log_lik, from->mixture_log_lik, n * sizeof(double));
    memcpy(to->size, from->size, sizeof to->size);
    to->objective = from->objective;
}

static segue_status give_memory(mixture_em *em, size_t cap, segue_error *err)
{
    const size_t n = em->n_tasks;
    em->scratch = calloc((5 + 2 * N_COUNTS) * n, sizeof *em->scratch);
    em->used = calloc(n, sizeof *em->used);
    if (!em->scratch || !em->used)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to fit %zu tasks", n);
    em->pair_log_lik = em->scratch + 3 * n;
    em->pair_weight = em->scratch + 4 * n;
    for (size_t k = 0; k < N_COUNTS; k++) {
        em->weighted.value[k] = em->scratch + (5 + k) * n;
        em->weighted.weight[k] = em->scratch + (5 + N_COUNTS + k) * n;
    }
    segue_status status = segue_count_table_create(&em->count_tables, em->tasks, err);
    if (status == SEGUE_OK)
        status = segue_mixture_em_state_init(&em->now, em->tasks, cap, err);
    if (status == SEGUE_OK)
        status = segue_mixture_em_state_init(&em->swept, em->tasks, cap, err);
    return status;
}

void segue_mixture_em_fini(mixture_em *em)
{
    segue_mixture_em_state_fini(&em->now);
    segue_mixture_em_state_fini(&em->swept);
    segue_count_table_destroy(em->count_tables, em->n_arms);
    free(em->scratch);
    free(em->used);
}

/* ---- E ----------------------------------------------------------------------------------- */

void segue_mixture_em_update_log_lik(mixture_em *em, size_t component)
{
    const mixture *mix = &em->now.mix;
    double *column = em->now.log_lik + component * em->n_tasks;
    memset(column, 0, em->n_tasks * sizeof *column);
    for (size_t i = 0; i < em->n_arms; i++) {
        const size_t at = component * em->n_arms + i;
        const uint32_t *pair = em->count_tables[i].of_task;
        segue_count_table_log_liks(&em->count_tables[i], mix->a[at], mix->b[at], em->scratch,
                                   em->pair_log_lik);
        for (size_t l = 0; l < em->n_tasks; l++)
            column[l] += em->pair_log_lik[pair[l]];
    }
}

void segue_mixture_em_expect(mixture_em *em)
{
    mixture_em_state *now = &em->now;
    const size_t n = em->n_tasks, n_types = now->mix.n_types;
    double log_weight[SEGUE_MAX_FITTED_TYPES + 1], sum = 0.0;
    segue_mixture_log_weights(&now->mix, log_weight);
    memset(now->size, 0, sizeof now->size);
    for (size_t l = 0; l < n; l++) {
        now->mixture_log_lik[l] =
            segue_mixture_apply_bayes(log_weight, now->log_lik + l, n_types, n, now->posterior + l);
        sum += now->mixture_log_lik[l];
        for (size_t q = 0; q <= n_types; q++)
            now->size[q] += now->posterior[q * n + l];
    }
    now->objective = sum - segue_mixture_penalty(&now->mix, n);
}

/* ---- M ----------------------------------------------------------------------------------- */

/* Sum, for each pair, the posteriors of the tasks that have it. */
static void weigh_pairs(mixture_em *em, size_t type, size_t arm)
{
    const count_table *t = &em->count_tables[arm];
    const double *posterior = em->now.posterior + type * em->n_tasks;
    memset(em->pair_weight, 0, t->n_pairs * sizeof *em->pair_weight);
    for (size_t k = 0; k < em->n_used; k++)
        em->pair_weight[t->of_task[em->used[k]]] += posterior[em->used[k]];
}

/* Add up what the pairs say about the mean, given kappa. */
static void count_pairs(mixture_em *em, size_t type, size_t arm, size_t spread)
{
    const count_table *t = &em->count_tables[arm];
    const double kappa = segue_mixture_kappa(spread);
    double won = 0.0, pulls = 0.0;
    for (size_t p = 0; p < t->n_pairs; p++) {
        const double pulled = segue_count_table_pulls(t, p);
        const double counts = em->pair_weight[p] * (kappa + 1.0) / (kappa + pulled);
        won += counts * segue_count_table_won(t, p);
        pulls += counts * pulled;
    }
    segue_mixture_set(&em->now.mix, type, arm, won, pulls, spread);
}

/* The log-likelihood of the type's tasks around the mean p, less the price of kappa. */
static double value_of_spread(mixture_em *em, double p, size_t spread)
{
    const double kappa = segue_mixture_kappa(spread);
    return segue_count_table_weighted_log_lik(&em->weighted, kappa * p, kappa * (1.0 - p),
                                              em->scratch) -
           SPREAD_PRICE * (double)spread;
}

/* The best of a kappa and its neighbours; ties go to the current one. */
static size_t best_spread(mixture_em *em, double p, size_t spread)
{
    size_t best = spread;
    double max = value_of_spread(em, p, spread);
    const size_t next[2] = {spread - 1, spread + 1}; /* below 0 wraps past the end too */
    for (size_t k = 0; k < 2; k++) {
        const double value = next[k] < N_SPREADS ? value_of_spread(em, p, next[k]) : max;
        if (value > max) {
            max = value;
            best = next[k];
        }
    }
    return best;
}

static void maximise_arm(mixture_em *em, size_t type, size_t arm)
{
    const mixture *mix = &em->now.mix;
    const size_t at = type * em->n_arms + arm, spread = mix->spread[at];
    weigh_pairs(em, type, arm);
    count_pairs(em, type, arm, spread);
    if (!(mix->pulls[at] > 0.0))
        return; /* no pulls: neither mean nor spread is known */
    segue_count_table_weigh(&em->count_tables[arm], em->pair_weight, &em->weighted);
    const size_t best = best_spread(em, segue_mixture_mean(mix, type, arm), spread);
    if (best != spread)
        count_pairs(em, type, arm, best);
}

void segue_mixture_em_maximise(mixture_em *em, size_t type)
{
    const double *posterior = em->now.posterior + type * em->n_tasks;
    em->n_used = 0;
    for (size_t l = 0; l < em->n_tasks; l++)
        if (posterior[l] > MIN_POSTERIOR)
            em->used[em->n_used++] = (uint32_t)l;
    for (size_t i = 0; i < em->n_arms; i++)
        maximise_arm(em, type, i);
    segue_mixture_em_update_log_lik(em, type);
}

/* ---- both -------------------------------------------------------------------------------- */

void segue_mixture_em_step(mixture_em *em, size_t type)
{
    segue_mixture_set_weights(&em->now.mix, em->now.size, em->n_tasks);
    segue_mixture_em_maximise(em, type);
    segue_mixture_em_expect(em);
}

static void sweep(mixture_em *em)
{
    segue_mixture_set_weights(&em->now.mix, em->now.size, em->n_tasks);
    for (size_t q = 1; q <= em->now.mix.n_types; q++)
        segue_mixture_em_maximise(em, q);
    segue_mixture_em_expect(em);
}

void segue_mixture_em_sweeps(mixture_em *em, size_t max)
{
    for (size_t s = 0; s < max && !segue_stop_requested(em->stop); s++) {
        segue_mixture_em_state_copy(&em->swept, &em->now);
        sweep(em);
        const double gain = em->now.objective - em->swept.objective;
        if (gain < 0.0)
            segue_mixture_em_state_copy(&em->now, &em->swept);
        if (gain < MIN_GAIN)
            return;
    }
}

/* Start with one type that has every task. */
static void make_first(mixture_em *em)
{
    mixture *mix = &em->now.mix;
    mix->n_types = 1;
    for (size_t i = 0; i < em->n_arms; i++)
        segue_mixture_set(mix, 1, i, 0.0, 0.0, SPREAD_FIRST);
    for (size_t l = 0; l < em->n_tasks; l++)
        em->now.posterior[em->n_tasks + l] = 1.0;
    em->now.size[1] = (double)em->n_tasks;
    sweep(em);
}

segue_status segue_mixture_em_init(mixture_em *em, const task_window *tasks, const mixture *mix,
                                   segue_error *err)
{
    assert(tasks->count > 0);
    *em = (mixture_em){.tasks = tasks, .n_tasks = tasks->count, .n_arms = tasks->n_arms};
    const segue_status status = give_memory(em, mix->cap, err);
    if (status != SEGUE_OK)
        return status;
    segue_mixture_copy(&em->now.mix, mix);
    for (size_t q = 0; q <= mix->n_types; q++)
        segue_mixture_em_update_log_lik(em, q);
    if (mix->n_types == 0)
        make_first(em);
    else
        segue_mixture_em_expect(em);
    return SEGUE_OK;
}
