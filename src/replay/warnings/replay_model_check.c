/* replay_model_check.c - does the fitted population describe the log?
 *
 * Two checks of population_check.c that need no replay.  Moments: the covariances of arms over
 * tasks are those of the population.  Halves: from the first half of each task's rewards the
 * population predicts which arm is best, and its mean; the second half has that mean.  Both take the
 * averages of a task's rewards for unbiased, which a policy that chose the arms by their rewards
 * breaks: they are skipped then.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "replay/replay_internal.h"

/* Sums, pulls and squares of half of the rewards of each task and arm; one allocation. */
typedef struct half_counts {
    double *memory;
    segue_counts counts;
} half_counts;

static segue_status half_counts_init(half_counts *half, const segue_urn_log *log, segue_error *err)
{
    const size_t cells = log->n_tasks * log->n_arms;
    half->memory = calloc(3 * cells, sizeof *half->memory);
    if (!half->memory)
        return segue_fail_no_memory(err, "the halves of tasks");
    half->counts = (segue_counts){.n_tasks = log->n_tasks,
                                  .n_arms = log->n_arms,
                                  .sum = half->memory,
                                  .pulls = half->memory + cells,
                                  .square = log->binary ? NULL : half->memory + 2 * cells};
    return SEGUE_OK;
}

/* Add rewards first .. end - 1 to a cell. */
static void add_rewards(half_counts *half, const segue_urn_log *log, size_t cell, size_t first,
                        size_t end)
{
    const size_t cells = log->n_tasks * log->n_arms;
    for (size_t i = first; i < end; i++) {
        half->memory[cell] += log->reward[i];
        half->memory[cells + cell] += 1.0;
        half->memory[2 * cells + cell] += log->reward[i] * log->reward[i];
    }
}

static segue_status check_halves(const replay_study *st, segue_population_halves *out,
                                 segue_error *err)
{
    const segue_urn_log *log = &st->log;
    half_counts first = {.memory = NULL}, second = {.memory = NULL};
    segue_status status = half_counts_init(&first, log, err);
    if (status == SEGUE_OK)
        status = half_counts_init(&second, log, err);
    if (status == SEGUE_OK) {
        for (size_t cell = 0; cell < log->n_tasks * log->n_arms; cell++) {
            const size_t start = log->start[cell], end = log->start[cell + 1];
            const size_t middle = start + (end - start) / 2;
            add_rewards(&first, log, cell, start, middle);
            add_rewards(&second, log, cell, middle, end);
        }
        *out = segue_population_check_halves(&st->urn.population, &first.counts, &second.counts);
    }
    free(first.memory);
    free(second.memory);
    return status;
}

segue_status segue_replay_model_check(replay_study *st, segue_error *err)
{
    segue_replay_result *result = st->result;
    const segue_counts counts = segue_urn_log_counts(&st->log);
    const double width = result->highest - result->lowest;
    segue_population_halves halves = {.z = 0.0};
    if (st->chosen)
        return SEGUE_OK;
    if (segue_population_check_moments(&st->urn.population, &counts) > SEGUE_ALARM_OF_PAIRS)
        segue_replay_result_warn(
            result, "the fitted types do not describe how the rewards of two arms of a task go "
                    "together: what is said beyond the logged rewards may be wrong");
    SEGUE_TRY(check_halves(st, &halves, err));
    if (fabs(halves.z) <= SEGUE_ALARM)
        return SEGUE_OK;
    result->predicted = result->lowest + width * halves.predicted;
    result->observed = result->lowest + width * halves.observed;
    segue_replay_result_warn(
        result,
        "the arms that the fitted types hold for best after the first half of each task's "
        "rewards should have %.3g in the second half, and have %.3g: rewards change within "
        "tasks, or tasks differ in other ways than by type; beyond the logged rewards the "
        "result may be wrong by that much",
        result->predicted, result->observed);
    return SEGUE_OK;
}
