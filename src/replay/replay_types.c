/* replay_types.c - fit types to the tasks of a log; describe them and how well they fit.
 *
 * Types are fitted to all rows of the log, not to the pulls of a candidate.  The explained share of
 * variance compares two fits: tasks' means around their types, and around one type for all tasks.
 * Both are variances of the means themselves, without the noise of few rewards.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay_internal.h"
#include "segue/internal.h"

/* Count the sum of x (1 - x) over the rewards x of a task, per arm. */
static void count_graded(const segue_history *history, size_t task, double *graded)
{
    memset(graded, 0, history->n_arms * sizeof *graded);
    for (size_t i = history->start[task]; i < history->start[task + 1]; i++)
        graded[history->row[i].arm] += history->row[i].reward * (1.0 - history->row[i].reward);
}

/* Add the sums of squares of all tasks, per arm; `sum` is scratch, 3 n_arms. */
static void add_dispersions(const segue_history *history, double *sum, segue_dispersion *arm)
{
    const size_t n_arms = history->n_arms;
    double *pulls = sum + n_arms, *graded = pulls + n_arms;
    for (size_t task = 0; task < history->n_tasks; task++) {
        segue_replay_tasks_count(history, task, sum, pulls);
        count_graded(history, task, graded);
        for (size_t i = 0; i < n_arms; i++)
            segue_dispersion_add(&arm[i], segue_dispersion_capped(pulls[i], sum[i], graded[i]),
                                 1.0);
    }
}

/* Write how many rewards of 0 or 1 a reward of each arm counts as, by the dispersion of the log.
 * @retval SEGUE_ENOMEM */
static segue_status weigh_rewards(const segue_history *history, double *weight, segue_error *err)
{
    segue_expected_dispersion expected;
    segue_dispersion *arm = calloc(history->n_arms, sizeof *arm);
    double *sum = calloc(3 * history->n_arms, sizeof *sum);
    const bool has_memory = arm && sum;
    if (has_memory) {
        add_dispersions(history, sum, arm);
        segue_dispersion_expect(arm, history->n_arms, weight, &expected);
        for (size_t i = 0; i < history->n_arms; i++)
            weight[i] = segue_dispersion_weight(weight[i]);
    }
    free(arm);
    free(sum);
    return has_memory ? SEGUE_OK : segue_fail_no_memory(err, "the counts of a task");
}

/* Count a task in rewards of 0 or 1. */
static void count_weighted(const segue_history *history, size_t task, const double *weight,
                           double *sum, double *pulls)
{
    segue_replay_tasks_count(history, task, sum, pulls);
    for (size_t i = 0; i < history->n_arms; i++) {
        sum[i] *= weight[i];
        pulls[i] *= weight[i];
    }
}

segue_status segue_replay_fit_types(segue_types **out, const segue_history *history, size_t cap,
                                    uint64_t seed, const atomic_bool *stop, segue_error *err)
{
    segue_types_config config = segue_types_defaults();
    const size_t n_arms = history->n_arms;
    double *sum = calloc(3 * n_arms, sizeof *sum); /* sums, pulls, weights of rewards */
    config.n_arms = n_arms;
    config.window = SEGUE_MAX_TYPES_WINDOW;
    config.cap = cap;
    config.seed = seed;
    segue_status status = sum ? segue_types_create(out, &config, err)
                              : segue_fail_no_memory(err, "the counts of a task");
    if (status == SEGUE_OK)
        status = weigh_rewards(history, sum + 2 * n_arms, err);
    for (size_t task = 0; task < history->n_tasks && status == SEGUE_OK; task++) {
        count_weighted(history, task, sum + 2 * n_arms, sum, sum + n_arms);
        status = segue_types_add_task(*out, sum, sum + n_arms, err);
    }
    if (status == SEGUE_OK && history->n_tasks >= SEGUE_MIN_TYPED_TASKS)
        status = segue_types_refit_until_stable(*out, stop, err);
    free(sum);
    return status;
}

bool segue_replay_is_constant(const segue_history *history)
{
    for (size_t i = 1; i < history->n_rows; i++)
        if (history->row[i].reward != history->row[0].reward)
            return false;
    return true;
}

/* ---- spreads ----------------------------------------------------------------------------- */

/* Return the variance of tasks' means around a type's, averaged over arms, in [0, 1]. */
static double variance_of(const segue_types *types, size_t type)
{
    const size_t n_arms = segue_types_arms(types);
    double sum = 0.0;
    for (size_t i = 0; i < n_arms; i++) {
        const segue_type_arm arm = segue_types_arm(types, type, i);
        sum += arm.mean * (1.0 - arm.mean) / (arm.kappa + 1.0);
    }
    return sum / (double)n_arms;
}

/* Return that variance averaged by the weights of the types. */
static double variance_within(const segue_types *types)
{
    const double *weight = segue_types_weights(types);
    double sum = 0.0;
    for (size_t q = 1; q <= segue_types_count(types); q++)
        sum += weight[q] / (1.0 - weight[0]) * variance_of(types, q);
    return sum;
}

segue_status segue_replay_explained_variance(const segue_types *types, const segue_history *history,
                                             uint64_t seed, double *variance, double *explained,
                                             segue_error *err)
{
    segue_types *single = NULL;
    const segue_status status = segue_replay_fit_types(&single, history, 1, seed, NULL, err);
    if (status == SEGUE_OK && segue_types_count(single) == 1) {
        const double all = variance_of(single, 1);
        *explained = fmax(0.0, 1.0 - variance_within(types) / all);
        if (variance)
            *variance = all;
    }
    segue_types_destroy(single);
    return status;
}

static segue_status find_explained(replay_study *st, const segue_types *types, segue_error *err)
{
    segue_replay_types *result = &st->result->types;
    double variance = 0.0;
    const segue_status status = segue_replay_explained_variance(
        types, st->config->history, st->config->seed, &variance, &result->explained, err);
    result->spread = (st->result->highest - st->result->lowest) * sqrt(variance);
    return status;
}

/* ---- typical tasks ----------------------------------------------------------------------- */

/* Return the mean squared distance of a task's averages from a type's means. */
static double distance(const double *sum, const double *pulls, const double *mean, size_t n_arms)
{
    double square = 0.0, count = 0.0;
    for (size_t i = 0; i < n_arms; i++)
        if (pulls[i] > 0.0) {
            const double gap = sum[i] / pulls[i] - mean[i];
            square += gap * gap;
            count += 1.0;
        }
    return count > 0.0 ? square / count : INFINITY;
}

/* Insert a task into the list of the tasks nearest to a type, if it is one; `gap` has their
 * distances. */
static void insert_typical(segue_replay_type *type, double *gap, size_t task, double distance_of)
{
    size_t at = type->n_typical < SEGUE_N_TYPICAL ? type->n_typical++ : SEGUE_N_TYPICAL;
    for (; at > 0 && distance_of < gap[at - 1]; at--)
        if (at < SEGUE_N_TYPICAL) {
            gap[at] = gap[at - 1];
            type->typical[at] = type->typical[at - 1];
        }
    if (at < SEGUE_N_TYPICAL) {
        gap[at] = distance_of;
        type->typical[at] = task;
    }
}

static size_t likeliest(const double *share, size_t count)
{
    size_t best = 0;
    for (size_t q = 1; q <= count; q++)
        best = share[q] > share[best] ? q : best;
    return best;
}

/* Find the typical tasks of all types; `sum` is scratch for sums, pulls, and weights of rewards. */
static void find_typical(replay_study *st, const segue_types *types, double *sum)
{
    const segue_history *history = st->config->history;
    double share[SEGUE_MAX_FITTED_TYPES + 1],
        gap[SEGUE_MAX_FITTED_TYPES][SEGUE_N_TYPICAL] = {{0.0}};
    double *pulls = sum + history->n_arms;
    const double *weight = pulls + history->n_arms;
    for (size_t task = 0; task < history->n_tasks; task++) {
        count_weighted(history, task, weight, sum, pulls);
        (void)segue_types_posterior(types, sum, pulls, share);
        const size_t best = likeliest(share, st->result->types.count);
        if (best == 0)
            continue;
        segue_replay_type *type = &st->result->types.type[best - 1];
        insert_typical(type, gap[best - 1], task,
                       distance(sum, pulls, type->mean, history->n_arms));
    }
}

/* ---- the result -------------------------------------------------------------------------- */

/* Copy weights, sizes, spreads and means of the types. */
static segue_status describe(replay_study *st, const segue_types *types, segue_error *err)
{
    segue_replay_types *result = &st->result->types;
    const size_t n_arms = segue_types_arms(types);
    const segue_types_fit fit = segue_types_evaluate(types);
    const double width = st->result->highest - st->result->lowest;
    result->count = 0;
    result->type = calloc(segue_types_count(types) + 1, sizeof *result->type);
    for (size_t q = 1; result->type && q <= segue_types_count(types); q++) {
        segue_replay_type *type = &result->type[q - 1];
        type->mean = calloc(n_arms, sizeof *type->mean);
        if (!type->mean)
            return segue_fail_no_memory(err, "types");
        result->count = q;
        type->weight = segue_types_weights(types)[q];
        type->tasks = fit.size[q];
        type->spread = width * sqrt(variance_of(types, q));
        for (size_t i = 0; i < n_arms; i++)
            type->mean[i] = segue_types_arm(types, q, i).mean;
    }
    return result->type ? SEGUE_OK : segue_fail_no_memory(err, "types");
}

/* Scale means from [0, 1] to the range of the rewards. */
static void scale_means(segue_replay_result *result)
{
    for (size_t q = 0; q < result->types.count; q++)
        for (size_t i = 0; i < result->n_arms; i++)
            result->types.type[q].mean[i] =
                result->lowest + (result->highest - result->lowest) * result->types.type[q].mean[i];
}

static int by_weight(const void *a, const void *b)
{
    const double x = ((const segue_replay_type *)a)->weight;
    const double y = ((const segue_replay_type *)b)->weight;
    return (x < y) - (x > y);
}

segue_status segue_replay_find_types(replay_study *st, segue_error *err)
{
    const segue_history *history = st->config->history;
    segue_replay_types *result = &st->result->types;
    segue_types *types = NULL;
    double *sum = calloc(3 * history->n_arms, sizeof *sum);
    segue_status status = sum ? segue_replay_fit_types(&types, history, SEGUE_MAX_FITTED_TYPES,
                                                       st->config->seed, st->config->stop, err)
                              : segue_fail_no_memory(err, "the counts of a task");
    if (status != SEGUE_OK)
        goto done;
    status = describe(st, types, err);
    if (status != SEGUE_OK)
        goto done;
    if (segue_types_count(types) > 0)
        status = find_explained(st, types, err);
    if (status != SEGUE_OK)
        goto done;
    status = weigh_rewards(history, sum + 2 * history->n_arms, err);
    if (status != SEGUE_OK)
        goto done;
    find_typical(st, types, sum); /* compares means in [0, 1]: before they are scaled */
    scale_means(st->result);
    qsort(result->type, result->count, sizeof *result->type, by_weight);
    result->no_type = segue_types_weights(types)[0];
    result->n_tasks = segue_types_in_window(types);
done:
    segue_types_destroy(types);
    free(sum);
    return status;
}
