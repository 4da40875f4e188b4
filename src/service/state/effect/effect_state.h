/* effect_state.h - the measured effect of transfer of a learner, and what follows from it.
 *
 * The control share of the next task, and if transfer is stopped, are functions of closed tasks and
 * of events alone.  It is part of a snapshot.  The learner's lock guards it; only the writer changes
 * it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_EFFECT_EFFECT_STATE_H
#define SEGUE_SERVICE_STATE_EFFECT_EFFECT_STATE_H

#include "segue/internal.h"
#include "service/api/settings/task_terms.h"
#include "store/stored.h"

#define SEGUE_MAX_FORECAST 1000000 /* tasks: a forecast beyond is "more than" that */

/** All zeros: no task is closed yet. */
typedef struct effect_state {
    segue_trial trial;  /* closed tasks that count */
    double last_closed; /* wall time of the last of them; 0: none */
    double gap;         /* seconds between two of them, a moving average */
    int64_t after;      /* tasks up to this id do not count: they opened before transfer resumed */
    uint64_t stops;     /* times that transfer was stopped */
    bool is_stopped;    /* new tasks are played without transfer */
} effect_state;

/** How many further tasks it takes to distinguish an effect from zero. */
typedef struct effect_forecast {
    double effect;  /* to distinguish from zero, > 0 */
    uint64_t tasks; /* UINT64_MAX: more than SEGUE_MAX_FORECAST */
    double seconds; /* at the present rate; NAN: not known */
} effect_forecast;

/** Count a closed task. */
void segue_effect_state_add(effect_state *effect, const segue_stored_task *task);

/** Stop transfer, and resume it: the comparison then starts anew with tasks of a larger id than
 * `last_task`.  False: it is stopped, or it is not. */
bool segue_effect_state_stop(effect_state *effect);
bool segue_effect_state_resume(effect_state *effect, int64_t last_task);

/** Return whether the whole interval is below 0; `range`: of rewards. */
bool segue_effect_state_is_harmful(const effect_state *effect, double range);

/** The probability that the next task is a control task; `terms`: of new tasks. */
double segue_effect_state_share(const effect_state *effect, double range, const task_terms *terms);

/** Forecast when the effect can be distinguished from zero.
 * @retval false  nothing is compared: no interval, or no task is assigned at random */
bool segue_effect_state_forecast(const effect_state *effect, double range, const task_terms *terms,
                                 effect_forecast *out);

/** @retval SEGUE_EFILE  the bytes are damaged */
void segue_effect_state_serialize(const effect_state *effect, segue_bytes *b);
SEGUE_MUST_CHECK segue_status segue_effect_state_deserialize(effect_state *effect,
                                                             segue_bytes_reader *r,
                                                             segue_error *err);

#endif
