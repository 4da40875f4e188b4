/* synthetic_paper.h - results of the report's experiments with numbers that a test sets.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TESTS_SYNTHETIC_PAPER_H
#define SEGUE_TESTS_SYNTHETIC_PAPER_H

#include "report/paper.h"

enum { SYNTHETIC_RUNS = 20, SYNTHETIC_POINTS = 20, SYNTHETIC_STEPS = 2000, SYNTHETIC_TASKS = 200 };

/* The cells that the claims use: n = 100, 1000 and 2000; J = 100 and 200; every 10 tasks. All
 * regrets are 100 with standard error 1. Experiments that no claim of the test uses are empty. */
segue_paper *synthetic_paper(void);
void destroy_synthetic_paper(segue_paper *paper);

/* Set the regret of all cells of a policy in an experiment: per task, per model, in each run, and at
 * each point. `environment` NULL: any. */
void set_regret(segue_paper *paper, segue_study study, const char *environment, const char *policy,
                double mean, double se);

/* Set the regret of a policy at one n, per task and per model. */
void set_regret_at(segue_paper *paper, segue_study study, const char *policy, uint64_t steps,
                   double mean, double se);

/* Set a track of all cells of a policy to a line from `start` to `end`; runs differ by about `spread`
 * standard deviations of 1. */
void set_line(segue_paper *paper, segue_study study, const char *policy, segue_track track,
              double start, double end, double spread);

#endif
