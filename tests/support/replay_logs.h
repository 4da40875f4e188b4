/* replay_logs.h - logs in memory for tests of replay, and their evaluation.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TESTS_SUPPORT_REPLAY_LOGS_H
#define SEGUE_TESTS_SUPPORT_REPLAY_LOGS_H

#include "support.h"

#include "replay/replay.h"

/* Bounds are 4.9 standard errors of a mean over many logs: with a normal law they would alarm once
 * in a million.  The means are of 100 or more logs; by Student's law with 99 degrees of freedom it
 * is 4 in a million, and there are a dozen such bounds: one false alarm in 20,000 changes of the
 * random streams. */
#define BOUND 4.9

/* How a log is drawn: rows per task, and probabilities of the arms, which may change with the row.
 */
typedef struct logging {
    size_t n_tasks, rows;
    const double *probability[2]; /* of even and odd rows; NULL: uniform */
    bool has_column;              /* the log has the column "probability" */
} logging;

/* A log in memory. */
typedef struct made_log {
    segue_history history;
    char name[4096];
} made_log;

/* Draw log `number`: the model of each task, then its rows. */
void log_randomly(made_log *log, const segue_models *models, const logging *how, uint64_t number);

/* Draw log `number` with `each` rewards of every arm in every task. */
void log_fully(made_log *log, const segue_models *models, size_t n_tasks, size_t each,
               uint64_t number);

void made_log_fini(made_log *log);

/* A replay of one run with 10 steps and without intervals. */
segue_replay_config config_of(const segue_history *history, const segue_policy_list *policies);

/* Evaluate a log, or fail the test. */
void play_log(segue_replay_result *result, const segue_replay_config *config);

/* Return the candidate of that name, or fail the test. */
const segue_replay_candidate *candidate_named(const segue_replay_result *result, const char *name);

/* Fail unless the mean over logs is within the bound of the truth. */
void assert_unbiased(const char *what, const segue_stats *over_logs, double truth, double truth_se);

/* Simulate the regret of a policy on tasks of these models. */
segue_regret simulated(const segue_models *models, const char *policy, uint64_t tasks,
                       uint64_t steps, uint64_t runs);

/* Two models in which arm 0 is best on average by far, so that it is the fixed arm of every log. */
segue_models *two_models(void);

#endif
