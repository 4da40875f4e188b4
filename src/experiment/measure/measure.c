/* measure.c - compute the tracks of a run, task by task.
 *
 * A track is a number per point, and a point is a group of `every` tasks. schedule_play.c calls
 * segue_measure_begin per run and segue_measure_task per task; values go to the memory of the run,
 * track by track.
 *
 * Complexity of a learner at task j (section 4.3 of the paper, its figure 'complexity over tasks'):
 * that of its estimated models and eps_j, averaged over the true models by their weights; without
 * an estimate it plays as UCB, and has UCB's.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/measure/measure.h"

#include <math.h>
#include <stdlib.h>

#include "segue/internal.h"
#include "segue/theory.h"

/* Compute UCB's complexity, averaged by the weights of the models. */
static segue_status known_complexity(const segue_models *models, double *out, segue_error *err)
{
    *out = 0.0;
    for (size_t k = 0; k < models->n_models; k++) {
        segue_known_sets *sets = NULL;
        SEGUE_TRY(segue_known_sets_create(&sets, models, k, err));
        *out += models->weight[k] * segue_complexity_ucb(sets);
        segue_known_sets_destroy(sets);
    }
    return SEGUE_OK;
}

segue_status segue_measure_init(segue_measure *measure, segue_track_set track_set,
                                const segue_simulation *sim, uint64_t every, segue_error *err)
{
    *measure = (segue_measure){.track_set = track_set, .sim = sim, .every = every};
    measure->n_points = every ? (size_t)((sim->tasks + every - 1) / every) : 0;
    if (!segue_cell_tracks(track_set, SEGUE_TRACK_COMPLEXITY))
        return SEGUE_OK;
    measure->truth = sim->environment->models;
    return known_complexity(measure->truth, &measure->known, err);
}

/* Count the tracks of the set before `end`. */
static size_t n_tracks(const segue_measure *measure, size_t end)
{
    size_t count = 0;
    for (size_t q = 0; q < end; q++)
        count += segue_cell_tracks(measure->track_set, (segue_track)q);
    return count;
}

size_t segue_measure_size(const segue_measure *measure)
{
    return n_tracks(measure, SEGUE_N_TRACKS) * measure->n_points;
}

segue_status segue_measure_begin(segue_measure *measure, uint64_t run, double *out,
                                 segue_error *err)
{
    measure->out = out;
    measure->sum = 0.0;
    measure->seen = 0;
    measure->point = 0;
    return measure->track_set == SEGUE_TRACK_SET_FRESH
               ? segue_fresh_rewards_create(&measure->fresh, measure->sim, run, err)
               : SEGUE_OK;
}

void segue_measure_end(segue_measure *measure)
{
    segue_fresh_rewards_destroy(measure->fresh);
    measure->fresh = NULL;
}

/* Tracks that are not in the set take no memory: count those before this one. */
static void put(segue_measure *measure, segue_track track, double value)
{
    measure->out[n_tracks(measure, track) * measure->n_points + measure->point] = value;
}

/* Return the largest distance of an estimated mean from that of the model it matches. */
static double largest_error(const segue_models *truth, const segue_models *found,
                            const size_t *match)
{
    double largest = 0.0;
    for (size_t k = 0; k < found->n_models; k++)
        for (size_t i = 0; i < found->n_arms; i++)
            largest = fmax(largest, fabs(segue_models_row(found, k)[i] -
                                         segue_models_row(truth, match[k])[i]));
    return largest;
}

/* Return the largest Euclidean distance of an estimated model from the one it matches. */
static double largest_distance(const segue_models *truth, const segue_models *found,
                               const size_t *match)
{
    double largest = 0.0;
    for (size_t k = 0; k < found->n_models; k++) {
        double square = 0.0;
        for (size_t i = 0; i < found->n_arms; i++) {
            const double error =
                segue_models_row(found, k)[i] - segue_models_row(truth, match[k])[i];
            square += error * error;
        }
        largest = fmax(largest, sqrt(square));
    }
    return largest;
}

/* Count the estimated models with a single non-dominated arm. */
static double count_resolved(const segue_estimated_sets *sets)
{
    size_t count = 0;
    for (size_t k = 0; k < sets->n_models; k++) {
        size_t arms = 0;
        for (size_t i = 0; i < sets->n_arms; i++)
            arms += sets->non_dominated[k * sets->n_arms + i];
        count += arms == 1;
    }
    return (double)count;
}

/* Sets depend on the true model, so there are n_models of them per point. */
static segue_status measure_estimate(segue_measure *measure, const segue_models *found, double eps,
                                     const size_t *match, segue_error *err)
{
    const segue_models *truth = measure->truth;
    double complexity = 0.0;
    for (size_t k = 0; k < truth->n_models; k++) {
        segue_estimated_sets *sets = NULL;
        SEGUE_TRY(segue_estimated_sets_create(&sets, truth, found, match, eps, k, err));
        complexity += truth->weight[k] * segue_complexity_tucb(sets);
        if (k == 0) /* depends on the estimated models alone */
            put(measure, SEGUE_TRACK_RESOLVED, count_resolved(sets));
        segue_estimated_sets_destroy(sets);
    }
    put(measure, SEGUE_TRACK_COMPLEXITY, complexity);
    put(measure, SEGUE_TRACK_ERROR, largest_error(truth, found, match));
    put(measure, SEGUE_TRACK_DISTANCE, largest_distance(truth, found, match));
    put(measure, SEGUE_TRACK_EPS, eps);
    return SEGUE_OK;
}

static segue_status measure_models(segue_measure *measure, const segue_learner *learner,
                                   segue_error *err)
{
    const segue_models *truth = measure->truth, *found = segue_learner_models(learner);
    if (!found) {
        put(measure, SEGUE_TRACK_COMPLEXITY, measure->known);
        put(measure, SEGUE_TRACK_ERROR, NAN);
        put(measure, SEGUE_TRACK_DISTANCE, NAN);
        put(measure, SEGUE_TRACK_EPS, NAN);
        put(measure, SEGUE_TRACK_RESOLVED, 0.0);
        return SEGUE_OK;
    }
    size_t *match = calloc(found->n_models, sizeof *match);
    if (!match)
        return segue_fail_no_memory(err, "a match");
    segue_status status = segue_models_match(found, truth, match, err);
    if (status == SEGUE_OK)
        status = measure_estimate(measure, found, segue_learner_info(learner).eps, match, err);
    free(match);
    return status;
}

/* The error of the estimate from fresh rewards, if there is one. */
static segue_status measure_fresh(segue_measure *measure, segue_error *err)
{
    const segue_models *truth = measure->truth, *found = NULL;
    SEGUE_TRY(segue_fresh_rewards_fit(measure->fresh, &found, err));
    put(measure, SEGUE_TRACK_FRESH, NAN);
    size_t *match = found ? calloc(found->n_models, sizeof *match) : NULL;
    if (!match)
        return found ? segue_fail_no_memory(err, "a match") : SEGUE_OK;
    const segue_status status = segue_models_match(found, truth, match, err);
    if (status == SEGUE_OK)
        put(measure, SEGUE_TRACK_FRESH, largest_error(truth, found, match));
    free(match);
    return status;
}

static segue_status measure_learner(segue_measure *measure, const segue_learner *learner,
                                    segue_error *err)
{
    if (measure->fresh)
        SEGUE_TRY(measure_fresh(measure, err));
    if (segue_cell_tracks(measure->track_set, SEGUE_TRACK_COMPLEXITY))
        return measure_models(measure, learner, err);
    if (measure->track_set == SEGUE_TRACK_SET_TYPES)
        put(measure, SEGUE_TRACK_TYPES, (double)segue_learner_info(learner).n_types);
    return SEGUE_OK;
}

segue_status segue_measure_task(segue_measure *measure, const run_task *task, bool last,
                                segue_error *err)
{
    if (!measure->every)
        return SEGUE_OK;
    if (measure->fresh)
        SEGUE_TRY(segue_fresh_rewards_add(measure->fresh, task, err));
    measure->sum += task->regret;
    measure->seen++;
    if (measure->seen < measure->every && !last)
        return SEGUE_OK;
    put(measure, SEGUE_TRACK_REGRET, measure->sum / (double)measure->seen);
    const segue_status status = measure_learner(measure, task->learner, err);
    measure->sum = 0.0;
    measure->seen = 0;
    measure->point++;
    return status;
}
