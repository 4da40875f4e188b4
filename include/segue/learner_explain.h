/* learner_explain.h - the posterior of a task over the learned types, and the purpose of its next
 * pull.
 *
 * Types are numbered from 1, by falling weight when they were last refitted; number 0 is the
 * background: the task is of no type.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_LEARNER_EXPLAIN_H
#define SEGUE_LEARNER_EXPLAIN_H

#include "segue/learner.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The posterior of a task over types when it was closed. */
typedef struct segue_type_posterior {
    uint64_t version; /* of the shared prior that the task started from: it numbers the types */
    size_t n_types;
    double weight[SEGUE_MAX_TYPES + 1]; /* n_types + 1 probabilities, sum 1 */
} segue_type_posterior;

/** Get the posterior of the task that was closed last; false: no task was closed since the learner
 * was created or loaded, or its method has no posterior. */
SEGUE_API bool segue_learner_last_posterior(const segue_learner *learner,
                                            segue_type_posterior *out);

/** The purpose of a pull. */
typedef enum segue_purpose {
    SEGUE_EXPLOIT,     /* the arm with the largest mean now */
    SEGUE_DISTINGUISH, /* it separates two types, one of them maybe the background */
    SEGUE_EXPLORE      /* it improves the estimate of the arm, whatever the type is */
} segue_purpose;

/** The posterior of an open task and its next pull. */
typedef struct segue_explanation {
    size_t n_types;
    double weight[SEGUE_MAX_TYPES + 1]; /* n_types + 1 probabilities, sum 1 */
    size_t arm;                         /* that look-ahead pulls next */
    segue_purpose purpose;              /* of that pull */
    size_t first, second;               /* the two types that it separates most, if any */
    double gain;                        /* expected over the best arm now, to the task's end */
} segue_explanation;

/**
 * Explain an open task of a learner whose method has a posterior.  A method that samples (tts, and
 * sometimes tla) may pull another arm than look-ahead.
 *
 * @retval SEGUE_EDOMAIN  the task is not an open one of this learner, or it has no posterior
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_explain(const segue_learner *learner,
                                                              segue_task *task,
                                                              segue_explanation *out,
                                                              segue_error *err);

/** Explain an open task of which only the allowed arms may be pulled (n_arms flags; NULL: all).
 * @retval SEGUE_EDOMAIN  also if no arm is allowed */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_explain_among(const segue_learner *learner,
                                                                    segue_task *task,
                                                                    const bool *allowed,
                                                                    segue_explanation *out,
                                                                    segue_error *err);

#ifdef __cplusplus
}
#endif
#endif
