/* decision_audit.h - compute a decision again from the event log.
 *
 * The learner is rebuilt as it was when the task took its shared prior; the task is opened with its
 * random draw; rewards and asks follow in their order (ask_log.h).  The arm of the decision must be
 * the one that was chosen.  Only reads: a service may run meanwhile.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_AUDIT_DECISION_AUDIT_H
#define SEGUE_SERVICE_AUDIT_DECISION_AUDIT_H

#include "service/engine/decide_task.h"

/** One arm, as the task had it before the decision. */
typedef struct audited_arm {
    const char *name;
    bool allowed;
    uint64_t pulls;
    double mean; /* NaN: no reward */
    double probability;
} audited_arm;

typedef struct segue_decision_audit {
    decision decision;    /* as its id has it */
    learner_state *state; /* the learner when the task took its prior; names belong to it */
    segue_stored_task task;
    char key[SEGUE_MAX_NAME_SIZE + 1];
    uint64_t prior_seq; /* the last event that the shared prior knows */
    uint64_t draw;      /* random bits of the task in its run of the service */
    uint64_t index;     /* asks of the task before it, in that run */
    uint64_t rewards;   /* counted before it ... */
    uint64_t pending;   /* ... and asks without a reward then */
    bool requested_probability;
    bool exact;              /* probabilities have a closed form */
    double probability;      /* of the arm; stored: of the id */
    segue_explanation types; /* n_types is 0 without types */
    audited_arm *arm;        /* task.n_arms */
    size_t computed;         /* the arm that was computed */
} segue_decision_audit;

/** Compute a decision again.  Free *out, also after a failure.
 *
 * @retval SEGUE_EDOMAIN  it is no decision of this store, or the store has not what it needs
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_decision_audit_run(segue_store *store, const char *id,
                                                       segue_decision_audit *out, segue_error *err);
void segue_decision_audit_fini(segue_decision_audit *audit);

/** Return whether the same arm, and if it was requested the same probability, was computed. */
bool segue_decision_audit_agrees(const segue_decision_audit *audit);

#endif
