/* shadow_state.h - steps in which the caller chose, compared with what Segue would have chosen.
 *
 * Closed tasks of shadow mode count here, and nowhere in the effect of transfer.  It is a function
 * of closed tasks alone and part of a snapshot.  The learner's lock guards it; only the writer
 * changes it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_SHADOW_SHADOW_STATE_H
#define SEGUE_SERVICE_STATE_SHADOW_SHADOW_STATE_H

#include "segue/internal.h"
#include "store/stored.h"

/** All zeros: no task is closed yet. */
typedef struct shadow_state {
    uint64_t tasks, steps;  /* closed tasks, and their rewards ... */
    double total;           /* ... and the sum of these */
    uint64_t agreed;        /* steps in which Segue would have chosen the caller's arm ... */
    double agreed_total;    /* ... and the sum of their rewards */
    segue_off_policy known; /* steps with the caller's probability */
    segue_off_policy any;   /* all steps, without using it; rewards are scaled to [0, 1] */
} shadow_state;

/** Add a reward of a closed task; rewards are from `lowest` to `highest`.  End the task. */
void segue_shadow_state_add(shadow_state *shadow, const segue_stored_reward *reward, double lowest,
                            double highest);
void segue_shadow_state_end_task(shadow_state *shadow);

/** Compute the interval of Segue minus the caller per step, for rewards in [0, 1], that decides which is
 * better: over the steps with the caller's probability if there are any, else over all steps.
 * *estimates: the former, whose difference is an estimate.
 * @retval false  there are no steps */
bool segue_shadow_state_interval(const shadow_state *shadow, bool *estimates, segue_confseq *out);

/** @retval SEGUE_EFILE  the bytes are damaged */
void segue_shadow_state_serialize(const shadow_state *shadow, segue_bytes *b);
SEGUE_MUST_CHECK segue_status segue_shadow_state_deserialize(shadow_state *shadow,
                                                             segue_bytes_reader *r,
                                                             segue_error *err);

#endif
