/* replay_decision.h - the decision behind a verdict.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_VERDICT_REPLAY_DECISION_H
#define SEGUE_REPLAY_VERDICT_REPLAY_DECISION_H

#include "replay/replay_result.h"

/* An open question: the interval of a candidate's metric, and the limit that it contains. */
typedef struct question {
    const segue_interval *interval;
    double limit;
    size_t candidate;
    segue_replay_metric metric;
} question;

/* The tasks or runs that would answer an open question; 0: as now.  Both 0: nothing would. */
typedef struct remedy {
    double tasks; /* of a log, in all */
    double runs;  /* of the play, in all */
} remedy;

/* The decision of a verdict. */
typedef struct decision {
    segue_conclusion conclusion;
    size_t best;                   /* the candidate with the largest reward */
    bool few_rewards;              /* unclear: too few rewards per arm and task */
    bool wrong_population;         /* unclear: the fitted types do not describe the log */
    bool rare_type;                /* unclear: a type of few tasks has another best arm */
    question arm, transfer, types; /* unclear: the open one has an interval */
} decision;

/** Decide by the intervals of a scored result. */
decision segue_replay_decision(const segue_replay_result *result);

/** Return the candidate to use. */
size_t segue_replay_decision_use(const segue_replay_result *result, const decision *d);

/** Return the learner across tasks with the larger reward: of types or of a prior per arm. */
size_t segue_replay_decision_transfer(const segue_replay_result *result);

/** Find what answers an open question: more runs if those are enough, since they cost no data; else
 * more tasks, or both. */
remedy segue_replay_decision_remedy(const segue_replay_result *result, const question *open);

/** True if a learner of types took part. */
bool segue_replay_decision_has_types(const segue_replay_result *result);

#endif
