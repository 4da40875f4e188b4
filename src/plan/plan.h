/* plan.h - plan the use of transfer: from which task on it pays, and how to show that it does.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PLAN_PLAN_H
#define SEGUE_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/population/population.h"
#include "replay/yearly.h"
#include "segue/status.h"

#define SEGUE_MAX_PLAN_POPULATIONS 20
#define SEGUE_MAX_PLAN_RUNS        10000
#define SEGUE_MAX_PLAN_SIMULATED   10000   /* tasks of a run that are simulated */
#define SEGUE_MAX_PLAN_TASKS       1000000 /* tasks of a control experiment */

/** The input; all is borrowed. */
typedef struct segue_plan_config {
    /* The tasks to come.  Several: each is one that a log allows, and run r has number r modulo
     * their number; intervals then include what the log does not tell. */
    const segue_population *population;
    size_t n_types;       /* named in the text */
    size_t n_populations; /* 1 .. SEGUE_MAX_PLAN_POPULATIONS */
    double range;         /* of rewards: largest minus smallest; gains are in their unit */
    segue_yearly yearly;  /* their value per year */
    const char *learner;  /* method and options, as in "tla:cap=4" */
    uint64_t steps;       /* per task */
    uint64_t max_tasks;   /* of the table, and of the search for enough tasks */
    uint64_t simulated;   /* tasks of each run that are simulated; those after them are redrawn from
                            the second half of these */
    uint64_t runs;        /* at least 2 */
    uint64_t seed;
    size_t threads;
    void (*progress)(void *context, double done, double total);
    void *context;
} segue_plan_config;

/** The opponents of the learner, and the learner itself. */
typedef enum segue_plan_candidate {
    SEGUE_PLAN_TS,      /* no transfer; the service plays its control tasks so */
    SEGUE_PLAN_LA,      /* no transfer, with look-ahead */
    SEGUE_PLAN_PRIOR,   /* a prior per arm and no types, with look-ahead: tla:cap=1 */
    SEGUE_PLAN_LEARNER, /* the learner that is planned */
    SEGUE_N_PLAN_CANDIDATES
} segue_plan_candidate;

#define SEGUE_N_PLAN_SHARES  5   /* control shares: 2, 5, 10, 20 and 50 % */
#define SEGUE_MAX_PLAN_ROWS  40  /* numbers of tasks */
#define SEGUE_PLAN_POWER     0.8 /* the power that is asked for */
#define SEGUE_PLAN_TEXT_SIZE 1600

/** The gain of the learner over an opponent, in units of reward. */
typedef struct segue_plan_gain {
    segue_interval pays_from; /* the task from which its total reward stays ahead; NaN: not within
                                 the simulated tasks */
    segue_interval per_task;  /* gain per task once it has learned: in the second half of the
                                 simulated tasks */
} segue_plan_gain;

/** Totals after a number of tasks. */
typedef struct segue_plan_row {
    uint64_t tasks;                           /* 1, 1.5, 2, 3, 5 and 7 times a power of ten */
    bool round;                               /* 1, 2 or 5 times: a row of the table */
    segue_interval total[SEGUE_PLAN_LEARNER]; /* gain over each opponent, all tasks together */
    /* Probability that a control experiment has shown a gain by then, per control share. */
    segue_interval power[SEGUE_N_PLAN_SHARES];
} segue_plan_row;

/** A control experiment with one share of control tasks. */
typedef struct segue_plan_share {
    double control;       /* share of tasks in the control group */
    segue_interval tasks; /* needed for SEGUE_PLAN_POWER; an infinite end: above max_tasks */
    double lost;          /* reward that the control tasks forgo by then */
} segue_plan_share;

typedef struct segue_plan_result {
    double ts_reward; /* per task, of ts */
    size_t without;   /* the better of SEGUE_PLAN_TS and SEGUE_PLAN_LA */
    segue_plan_gain gain[SEGUE_PLAN_LEARNER];
    size_t n_rows;
    segue_plan_row row[SEGUE_MAX_PLAN_ROWS];
    segue_plan_share share[SEGUE_N_PLAN_SHARES];
    size_t fastest;     /* share that needs the fewest tasks; SEGUE_N_PLAN_SHARES: none is enough */
    size_t recommended; /* smallest share that needs at most twice as many; or none */
    char text[SEGUE_PLAN_TEXT_SIZE]; /* the conclusion in words */
} segue_plan_result;

/** Name of a candidate: "ts", "la", "tla:cap=1"; the learner's is the caller's. */
const char *segue_plan_opponent(size_t candidate);

/** The control shares, ascending. */
double segue_plan_control_share(size_t i);

/**
 * Simulate the tasks to come, and plan.
 *
 * @retval SEGUE_EDOMAIN, SEGUE_EUSAGE, SEGUE_ENAME, SEGUE_EPARSE  a field is out of range
 * @retval SEGUE_ENOMEM, SEGUE_ETHREAD
 */
SEGUE_MUST_CHECK segue_status segue_plan_compute(segue_plan_result *out,
                                                 const segue_plan_config *config, segue_error *err);

/** Write the conclusion of a plan into its text. */
void segue_plan_describe(segue_plan_result *result, const segue_plan_config *config);

#endif
