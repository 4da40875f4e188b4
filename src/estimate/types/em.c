/* em.c - expectation and maximisation over the finished tasks.
 *
 * E: the share r_lq of task l in component q is proportional to w_q exp fit_lq.
 * M: weights from the sizes R_q = sum_l r_lq; then, for every arm of a type, the wins and
 * pulls of its tasks, task l with weight r_l (kappa + 1) / (kappa + T_l); then kappa, one step up
 * or down its list where the likelihood with p fixed, less SPREAD_PRICE per step, is larger.  The
 * M-step is not exact, so the objective may fall: such a sweep is undone and is the last.
 *
 * A sweep costs O(types x (tasks x arms + different results)); see count_table.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/types/em.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LITTLE 1e-3 /* nats: a sweep that gains less is the last */

/* ---- memory ------------------------------------------------------------------------------ */

segue_status segue_em_state_init(em_state *state, const task_window *tasks, size_t cap,
                                 segue_error *err)
{
    const size_t n = tasks->count;
    *state = (em_state){.n_tasks = n};
    const segue_status status = segue_mixture_init(&state->mix, tasks->n_arms, cap, err);
    if (status != SEGUE_OK)
        return status;
    state->fit = calloc((2 * (cap + 1) + 1) * n, sizeof *state->fit);
    if (!state->fit)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to fit %zu tasks", n);
    state->share = state->fit + (cap + 1) * n;
    state->log_likelihood = state->share + (cap + 1) * n;
    return SEGUE_OK;
}

void segue_em_state_fini(em_state *state)
{
    segue_mixture_fini(&state->mix);
    free(state->fit);
    state->fit = NULL;
}

void segue_em_state_copy(em_state *to, const em_state *from)
{
    const size_t n = from->n_tasks, used = (from->mix.n_types + 1) * n * sizeof(double);
    segue_mixture_copy(&to->mix, &from->mix);
    memcpy(to->fit, from->fit, used);
    memcpy(to->share, from->share, used);
    memcpy(to->log_likelihood, from->log_likelihood, n * sizeof(double));
    memcpy(to->size, from->size, sizeof to->size);
    to->objective = from->objective;
}

static segue_status give_memory(em *fit, size_t cap, segue_error *err)
{
    const size_t n = fit->n_tasks;
    fit->scratch = calloc((5 + 2 * N_KINDS) * n, sizeof *fit->scratch);
    fit->used = calloc(n, sizeof *fit->used);
    if (!fit->scratch || !fit->used)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to fit %zu tasks", n);
    fit->pair_fit = fit->scratch + 3 * n;
    fit->pair_share = fit->scratch + 4 * n;
    for (size_t k = 0; k < N_KINDS; k++) {
        fit->digest.value[k] = fit->scratch + (5 + k) * n;
        fit->digest.share[k] = fit->scratch + (5 + N_KINDS + k) * n;
    }
    segue_status status = segue_count_table_create(&fit->count_tables, fit->tasks, err);
    if (status == SEGUE_OK)
        status = segue_em_state_init(&fit->now, fit->tasks, cap, err);
    if (status == SEGUE_OK)
        status = segue_em_state_init(&fit->swept, fit->tasks, cap, err);
    return status;
}

void segue_em_fini(em *fit)
{
    segue_em_state_fini(&fit->now);
    segue_em_state_fini(&fit->swept);
    segue_count_table_destroy(fit->count_tables, fit->n_arms);
    free(fit->scratch);
    free(fit->used);
}

/* ---- E ----------------------------------------------------------------------------------- */

void segue_em_fit_component(em *fit, size_t component)
{
    const mixture *mix = &fit->now.mix;
    double *column = fit->now.fit + component * fit->n_tasks;
    memset(column, 0, fit->n_tasks * sizeof *column);
    for (size_t i = 0; i < fit->n_arms; i++) {
        const size_t at = component * fit->n_arms + i;
        const uint32_t *pair = fit->count_tables[i].of_task;
        segue_count_table_fits(&fit->count_tables[i], mix->a[at], mix->b[at], fit->scratch,
                               fit->pair_fit);
        for (size_t l = 0; l < fit->n_tasks; l++)
            column[l] += fit->pair_fit[pair[l]];
    }
}

void segue_em_expect(em *fit)
{
    em_state *now = &fit->now;
    const size_t n = fit->n_tasks, n_types = now->mix.n_types;
    double log_weight[SEGUE_MAX_TYPES + 1], sum = 0.0;
    segue_mixture_log_weights(&now->mix, log_weight);
    memset(now->size, 0, sizeof now->size);
    for (size_t l = 0; l < n; l++) {
        now->log_likelihood[l] =
            segue_mixture_shares(log_weight, now->fit + l, n_types, n, now->share + l);
        sum += now->log_likelihood[l];
        for (size_t q = 0; q <= n_types; q++)
            now->size[q] += now->share[q * n + l];
    }
    now->objective = sum - segue_mixture_penalty(&now->mix, n);
}

/* ---- M ----------------------------------------------------------------------------------- */

/* The sums of the shares of the tasks that have each pair. */
static void share_pairs(em *fit, size_t type, size_t arm)
{
    const count_table *t = &fit->count_tables[arm];
    const double *share = fit->now.share + type * fit->n_tasks;
    memset(fit->pair_share, 0, t->n_pairs * sizeof *fit->pair_share);
    for (size_t k = 0; k < fit->n_used; k++)
        fit->pair_share[t->of_task[fit->used[k]]] += share[fit->used[k]];
}

/* Add up what the pairs say about the mean, given kappa. */
static void count_pairs(em *fit, size_t type, size_t arm, size_t spread)
{
    const count_table *t = &fit->count_tables[arm];
    const double kappa = segue_mixture_kappa(spread);
    double won = 0.0, pulls = 0.0;
    for (size_t p = 0; p < t->n_pairs; p++) {
        const double pulled = segue_count_table_pulls(t, p);
        const double counts = fit->pair_share[p] * (kappa + 1.0) / (kappa + pulled);
        won += counts * segue_count_table_won(t, p);
        pulls += counts * pulled;
    }
    segue_mixture_set(&fit->now.mix, type, arm, won, pulls, spread);
}

/* The likelihood of the type's tasks around the mean p, less the price of kappa. */
static double value_of_spread(em *fit, double p, size_t spread)
{
    const double kappa = segue_mixture_kappa(spread);
    return segue_count_table_digest_fit(&fit->digest, kappa * p, kappa * (1.0 - p), fit->scratch) -
           SPREAD_PRICE * (double)spread;
}

/* The best of a kappa and its neighbours; ties go to the current one. */
static size_t best_spread(em *fit, double p, size_t spread)
{
    size_t best = spread;
    double max = value_of_spread(fit, p, spread);
    const size_t next[2] = {spread - 1, spread + 1}; /* below 0 wraps past the end too */
    for (size_t k = 0; k < 2; k++) {
        const double value = next[k] < N_SPREADS ? value_of_spread(fit, p, next[k]) : max;
        if (value > max) {
            max = value;
            best = next[k];
        }
    }
    return best;
}

static void maximise_arm(em *fit, size_t type, size_t arm)
{
    const mixture *mix = &fit->now.mix;
    const size_t at = type * fit->n_arms + arm, spread = mix->spread[at];
    share_pairs(fit, type, arm);
    count_pairs(fit, type, arm, spread);
    if (!(mix->pulls[at] > 0.0))
        return; /* no pulls: neither mean nor spread is known */
    segue_count_table_digest(&fit->count_tables[arm], fit->pair_share, &fit->digest);
    const size_t best = best_spread(fit, segue_mixture_mean(mix, type, arm), spread);
    if (best != spread)
        count_pairs(fit, type, arm, best);
}

void segue_em_maximise(em *fit, size_t type)
{
    const double *share = fit->now.share + type * fit->n_tasks;
    fit->n_used = 0;
    for (size_t l = 0; l < fit->n_tasks; l++)
        if (share[l] > MIN_SHARE)
            fit->used[fit->n_used++] = (uint32_t)l;
    for (size_t i = 0; i < fit->n_arms; i++)
        maximise_arm(fit, type, i);
    segue_em_fit_component(fit, type);
}

/* ---- both -------------------------------------------------------------------------------- */

void segue_em_step(em *fit, size_t type)
{
    segue_mixture_set_weights(&fit->now.mix, fit->now.size, fit->n_tasks);
    segue_em_maximise(fit, type);
    segue_em_expect(fit);
}

static void sweep(em *fit)
{
    segue_mixture_set_weights(&fit->now.mix, fit->now.size, fit->n_tasks);
    for (size_t q = 1; q <= fit->now.mix.n_types; q++)
        segue_em_maximise(fit, q);
    segue_em_expect(fit);
}

void segue_em_sweeps(em *fit, size_t max)
{
    for (size_t s = 0; s < max; s++) {
        segue_em_state_copy(&fit->swept, &fit->now);
        sweep(fit);
        const double gain = fit->now.objective - fit->swept.objective;
        if (gain < 0.0)
            segue_em_state_copy(&fit->now, &fit->swept);
        if (gain < LITTLE)
            return;
    }
}

/* Start with one type that has every task. */
static void make_first(em *fit)
{
    mixture *mix = &fit->now.mix;
    mix->n_types = 1;
    for (size_t i = 0; i < fit->n_arms; i++)
        segue_mixture_set(mix, 1, i, 0.0, 0.0, SPREAD_FIRST);
    for (size_t l = 0; l < fit->n_tasks; l++)
        fit->now.share[fit->n_tasks + l] = 1.0;
    fit->now.size[1] = (double)fit->n_tasks;
    sweep(fit);
}

segue_status segue_em_init(em *fit, const task_window *tasks, const mixture *mix, segue_error *err)
{
    assert(tasks->count > 0);
    *fit = (em){.tasks = tasks, .n_tasks = tasks->count, .n_arms = tasks->n_arms};
    const segue_status status = give_memory(fit, mix->cap, err);
    if (status != SEGUE_OK)
        return status;
    segue_mixture_copy(&fit->now.mix, mix);
    for (size_t q = 0; q <= mix->n_types; q++)
        segue_em_fit_component(fit, q);
    if (mix->n_types == 0)
        make_first(fit);
    else
        segue_em_expect(fit);
    return SEGUE_OK;
}
