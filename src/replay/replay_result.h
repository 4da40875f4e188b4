/* replay_result.h - what was found when a log was played again: who would have won what, and the
 * verdict. SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_REPLAY_RESULT_H
#define SEGUE_REPLAY_REPLAY_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "segue/status.h"

/** A number and its 95 % interval, from a bootstrap over tasks; NaN: not known. */
typedef struct segue_interval {
    double value, low, high;
} segue_interval;

/** What a player carries from task to task. */
typedef enum segue_transfer_kind {
    SEGUE_TRANSFER_NOTHING,
    SEGUE_TRANSFER_PRIOR, /* a prior of each arm: ts-prior, or learners of types held to one type */
    SEGUE_TRANSFER_TYPES, /* a learner of types or models */
    SEGUE_TRANSFER_ARM    /* always the same arm, the best in hindsight */
} segue_transfer_kind;

/** "nothing", "prior", "types", "arm". */
const char *segue_replay_result_transfer_text(segue_transfer_kind carries);

/** What a player would have won, over the tasks that are scored: a range of each. */
typedef enum segue_replay_metric {
    SEGUE_METRIC_REWARD,       /* a step, in the range of the log's rewards */
    SEGUE_METRIC_REGRET,       /* a task of n steps, against the task's best arm; the same range */
    SEGUE_METRIC_GAIN_OVER_TS, /* gains in reward, as shares (0.08: 8 %) of what is lost to: this
                                  ... */
    SEGUE_METRIC_GAIN_OVER_PRIOR,
    SEGUE_METRIC_GAIN_OVER_FIXED,  /* ... to here */
    SEGUE_METRIC_GAP_CLOSED,       /* share of the way from ts to knowing each task's best arm */
    SEGUE_METRIC_REGRET_SAVED,     /* share of the regret of `alone`, the best without transfer, it
                                      saves */
    SEGUE_METRIC_SAVED_OVER_PRIOR, /* the same of `simple`, the best by a prior of each arm */
    SEGUE_N_METRICS
} segue_replay_metric;

typedef struct segue_player_result {
    char *name; /* as typed, or "always ARM" */
    segue_transfer_kind carries;
    segue_interval won[SEGUE_N_METRICS]; /* by segue_replay_metric */
    double runs_se;                      /* of the reward a step, over runs; NaN of one run */
    size_t ahead;   /* from this task on (1 is the first) its total is above that of ts; 0: not */
    double *reward; /* n_places: a step of the task at that place of the order, mean over runs */
    double *reward_se;
    double *regret; /* n_places: a step */
    double *regret_se;
} segue_player_result;

#define SEGUE_N_TYPICAL 3 /* tasks named for each type */

typedef struct segue_replay_type {
    double weight, tasks; /* share of tasks, and their number */
    double spread;        /* s.d. of tasks' means around the type's, average over arms */
    size_t typical[SEGUE_N_TYPICAL], n_typical; /* numbers of the tasks nearest to it */
    double *mean;                               /* n_arms */
} segue_replay_type;

typedef struct segue_replay_types {
    size_t count;
    double none;      /* weight of "none of them" */
    size_t n_tasks;   /* that they were fitted to */
    double spread;    /* s.d. of tasks' means without types, average over arms */
    double explained; /* share of the variance of tasks' means that types explain */
    segue_replay_type *type;
} segue_replay_types;

/** What the verdict comes to. */
typedef enum segue_advice {
    SEGUE_ADVICE_TYPES,  /* types pay */
    SEGUE_ADVICE_PRIOR,  /* transfer pays, but types add little to a prior of each arm */
    SEGUE_ADVICE_ARM,    /* one arm for all tasks does as well */
    SEGUE_ADVICE_NONE,   /* nothing to learn across tasks */
    SEGUE_ADVICE_UNCLEAR /* too few tasks, or too few rewards per task, to tell */
} segue_advice;

/** Rewards of an arm in a task, on average, from which on types can be judged.  With fewer, the
 * luck of a task's averages passes for differences between tasks. */
#define SEGUE_MIN_REWARDS_FOR_TYPES 30.0

#define SEGUE_MAX_WARNINGS  8
#define SEGUE_SENTENCE_SIZE 400

typedef struct segue_replay_result {
    /* The log; names are borrowed. */
    const char *path;
    const char *const *arm_name;
    char *const *task_name;
    size_t n_arms, n_tasks, n_rows;
    double lowest, highest; /* the range of rewards */
    double logged;          /* average reward of its rows */
    bool constant;          /* all rewards are the same; there are no types then */
    size_t rarest;          /* the arm with the fewest rewards in the tasks that were played ... */
    double rarest_rewards;  /* ... and how many they are per task, on average */
    /* How it was played. */
    bool resampled, thinned;
    size_t n_left_out; /* tasks that were not played */
    uint64_t least;    /* ... for fewer rewards of some arm */
    const char *order, *holdout;
    size_t n_places;  /* tasks that were played */
    size_t n_learned; /* of them, learned from; those behind are held out */
    size_t from;      /* the first that is scored; 1 is the first of all */
    uint64_t steps, runs, seed;
    double rows_kept; /* share of the rows that may answer, replay */
    double reached;   /* share of the scored tasks that had all their steps, replay */
    /* What came out. */
    size_t n_players;
    segue_player_result *player;
    size_t ts, prior, fixed; /* numbers of these players */
    size_t alone, simple;    /* the best without transfer; the best by a prior of each arm */
    size_t typed;            /* the best by types, or n_players */
    segue_interval best;     /* a step, knowing each task's best arm */
    segue_replay_types types;
    size_t n_warnings;
    char warning[SEGUE_MAX_WARNINGS][SEGUE_SENTENCE_SIZE];
    segue_advice advice;
    size_t use; /* the player to use */
    char verdict[2 * SEGUE_SENTENCE_SIZE];
} segue_replay_result;

/** Free what it owns; all zeros are fine. */
void segue_replay_result_fini(segue_replay_result *found);

/** Add a warning, as printf. */
void segue_replay_result_warn(segue_replay_result *found, const char *format, ...)
    SEGUE_PRINTF(2, 3);

/** Fill in `alone`, `simple` and `typed` from the rewards; needed before ranges are bootstrapped.
 */
void segue_replay_result_rank(segue_replay_result *found);

/** Fill in advice, use and verdict. */
void segue_replay_verdict(segue_replay_result *found);

/** How the log was played, in one sentence. */
void segue_replay_result_print_method(const segue_replay_result *found, FILE *out);

/* ---- the curve ----------------------------------------------------------------------------- */

/** Places first .. last of the order, 1 is the first. */
typedef struct segue_replay_segment {
    size_t first, last;
} segue_replay_segment;

#define SEGUE_MAX_SEGMENTS 40

/** The order in stretches that double, for tables; held-out tasks are one of their own.  Returns
 * how many. */
size_t segue_replay_result_segments(const segue_replay_result *found, segue_replay_segment *out);

/** A player's mean reward a step in a stretch; NaN: no task had a step. */
double segue_replay_result_segment_reward(const segue_player_result *player,
                                          segue_replay_segment stretch);

/**
 * Write a page that holds all it needs.  Its figures are also left in the folder `figures`; NULL:
 * they are drawn in a temporary one.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_replay_page_write(const segue_replay_result *found,
                                                      const char *path, const char *figures,
                                                      segue_error *err);

#endif
