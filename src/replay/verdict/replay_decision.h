/* replay_decision.h - the decision behind a verdict.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_VERDICT_REPLAY_DECISION_H
#define SEGUE_REPLAY_VERDICT_REPLAY_DECISION_H

#include "replay/replay_result.h"

/* An open question: the interval and the limit that it contains. */
typedef struct question {
    const segue_interval *interval;
    double limit;
} question;

/* The decision of a verdict. */
typedef struct decision {
    segue_conclusion conclusion;
    size_t best;                   /* the candidate with the largest reward */
    bool few_rewards;              /* unclear: too few rewards per arm and task */
    bool wrong_population;         /* unclear: the fitted types do not describe the log */
    question arm, transfer, types; /* unclear: the open one has an interval */
} decision;

/** Decide by the intervals of a scored result. */
decision segue_replay_decision(const segue_replay_result *result);

/** Return the candidate to use. */
size_t segue_replay_decision_use(const segue_replay_result *result, const decision *d);

/** Return the learner across tasks with the larger reward: of types or of a prior per arm. */
size_t segue_replay_decision_transfer(const segue_replay_result *result);

/** True if a learner of types took part. */
bool segue_replay_decision_has_types(const segue_replay_result *result);

#endif
