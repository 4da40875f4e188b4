/* effect_state.c - the measured effect of transfer of a learner, and what follows from it.
 *
 * Each closed task with a reward counts, weighted by the control share that was in force when it
 * opened (core/confseq/trial.h).  Two settings act on the result:
 *
 *   stop_if_harmful  transfer stops when the whole interval is below 0 (op_transfer.c)
 *   grow             the control share is 1/2 while the estimate is not above 0, and falls to the
 *                    setting `control` as the estimate approaches the half width of its interval:
 *
 *                        share = 1/2 (control / (1/2))^r,  r = estimate / half width, in [0, 1].
 *
 *                    At r = 1 the interval excludes 0.  A task closes after it was assigned, so the
 *                    share of a task depends on tasks that closed before it opened.  It is at least
 *                    3 / sqrt(closed tasks): a rare control task weighs much, and where rewards move
 *                    with time the interval would miss the effect too often (docs/effect.md).
 *
 * Adding a task uses no function of the C library: service and recovery compute the same bytes on
 * every machine.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/effect/effect_state.h"

#include <math.h>

#include "segue/internal.h"

#define FIRST_SHARE 0.5 /* of control tasks of a learner that grows */
#define SLOWNESS    3.0 /* of its fall: the share is at least this, divided by sqrt(closed tasks) */
#define GAP_TASKS   50  /* over which the time between two tasks is averaged */

/* ---- counting ---------------------------------------------------------------------------- */

/* The clock of the machine may be set back: no time has passed then. */
static void count_gap(effect_state *effect, double closed)
{
    const double gap = closed > effect->last_closed ? closed - effect->last_closed : 0.0;
    const uint64_t gaps = segue_trial_count(&effect->trial) - 1; /* including this one */
    if (gaps > 0)
        effect->gap += (gap - effect->gap) / (double)(gaps < GAP_TASKS ? gaps : GAP_TASKS);
    effect->last_closed = closed;
}

void segue_effect_state_add(effect_state *effect, const segue_stored_task *task)
{
    if (task->rewards == 0 || task->id <= effect->after)
        return;
    if (segue_trial_add(&effect->trial, task->control, task->control_share,
                        task->total / (double)task->rewards))
        count_gap(effect, task->closed);
}

bool segue_effect_state_stop(effect_state *effect)
{
    if (effect->is_stopped)
        return false;
    effect->is_stopped = true;
    effect->stops++;
    return true;
}

bool segue_effect_state_resume(effect_state *effect, int64_t last_task)
{
    if (!effect->is_stopped)
        return false;
    *effect = (effect_state){.stops = effect->stops, .after = last_task};
    return true;
}

/* ---- what follows ------------------------------------------------------------------------ */

bool segue_effect_state_is_harmful(const effect_state *effect, double range)
{
    segue_confseq now;
    return segue_trial_interval(&effect->trial, range, &now) && now.high < 0.0;
}

/* How far the evidence that transfer helps has come: 0 to 1. */
static double evidence(const effect_state *effect, double range)
{
    segue_confseq now;
    if (!segue_trial_interval(&effect->trial, range, &now))
        return 0.0;
    return fmin(fmax(now.difference / now.half_width, 0.0), 1.0);
}

double segue_effect_state_share(const effect_state *effect, double range, const task_terms *terms)
{
    if (effect->is_stopped)
        return 1.0;
    if (!terms->grow || !(terms->control < FIRST_SHARE))
        return terms->control;
    const double fall =
        FIRST_SHARE * segue_pow(terms->control / FIRST_SHARE, evidence(effect, range));
    const double tasks = (double)segue_trial_count(&effect->trial);
    return fmin(fmax(fall, SLOWNESS / sqrt(fmax(tasks, 1.0))), FIRST_SHARE);
}

bool segue_effect_state_forecast(const effect_state *effect, double range, const task_terms *terms,
                                 effect_forecast *out)
{
    segue_confseq now;
    const double share = segue_effect_state_share(effect, range, terms);
    if (!segue_trial_interval(&effect->trial, range, &now) || !(share > 0.0) || !(share < 1.0))
        return false;
    out->effect = terms->smallest_effect > 0.0 ? terms->smallest_effect : fabs(now.difference);
    out->tasks =
        segue_trial_subjects_until(&effect->trial, range, share, out->effect, SEGUE_MAX_FORECAST);
    out->seconds = out->tasks == UINT64_MAX ? NAN : (double)out->tasks * effect->gap;
    return true;
}

/* ---- bytes ------------------------------------------------------------------------------- */

static void serialize_group(const segue_trial_group *g, segue_bytes *b)
{
    const double numbers[] = {g->plain.mean, g->plain.squares, g->weight,  g->weight2,
                              g->mean,       g->mean2,         g->squares2};
    segue_bytes_append_u64(b, g->plain.count);
    segue_bytes_append_f64(b, numbers, 7);
}

static bool deserialize_group(segue_trial_group *g, segue_bytes_reader *r)
{
    double x[7] = {0.0};
    const uint64_t count = segue_bytes_read_count(r);
    const bool fine = segue_bytes_read_finite(r, x, 7);
    *g = (segue_trial_group){{count, x[0], x[1]}, x[2], x[3], x[4], x[5], x[6]};
    return fine;
}

void segue_effect_state_serialize(const effect_state *effect, segue_bytes *b)
{
    const double numbers[] = {effect->trial.first, effect->trial.inverse, effect->last_closed,
                              effect->gap};
    for (int i = 0; i < SEGUE_TRIAL_N_GROUPS; i++)
        serialize_group(&effect->trial.group[i], b);
    segue_bytes_append_f64(b, numbers, 4);
    segue_bytes_append_u64(b, (uint64_t)effect->after);
    segue_bytes_append_u64(b, effect->stops);
    segue_bytes_append_u64(b, effect->is_stopped);
}

segue_status segue_effect_state_deserialize(effect_state *effect, segue_bytes_reader *r,
                                            segue_error *err)
{
    double numbers[4] = {0.0};
    bool fine = true;
    *effect = (effect_state){.stops = 0};
    for (int i = 0; i < SEGUE_TRIAL_N_GROUPS; i++)
        fine = deserialize_group(&effect->trial.group[i], r) && fine;
    fine = segue_bytes_read_finite(r, numbers, 4) && fine;
    effect->trial.first = numbers[0];
    effect->trial.inverse = numbers[1];
    effect->last_closed = numbers[2];
    effect->gap = numbers[3];
    const uint64_t after = segue_bytes_read_u64(r);
    effect->after = (int64_t)(after & INT64_MAX);
    effect->stops = segue_bytes_read_count(r);
    const uint64_t stopped = segue_bytes_read_count(r);
    effect->is_stopped = stopped == 1;
    return fine && !r->failed && stopped <= 1 && after <= INT64_MAX
               ? SEGUE_OK
               : segue_fail(err, SEGUE_EFILE,
                            "the effect of transfer in the snapshot of a learner is damaged");
}
