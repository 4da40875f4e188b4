/* replay.h - what was found when a log was played again: who would have won what, and the verdict.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_REPLAY_H
#define SEGUE_REPORT_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "segue/status.h"

/** A number and its 95 % interval, from a bootstrap over tasks; NaN: not known. */
typedef struct segue_range {
    double value, low, high;
} segue_range;

/** What a player carries from task to task. */
typedef enum segue_carries {
    SEGUE_CARRIES_NOTHING,
    SEGUE_CARRIES_PRIOR, /* a prior of each arm: ts-prior, or learners of types held to one type */
    SEGUE_CARRIES_TYPES, /* a learner of types or models */
    SEGUE_CARRIES_ARM    /* always the same arm, the best in hindsight */
} segue_carries;

/** "nothing", "prior", "types", "arm". */
const char *segue_carries_text(segue_carries carries);

/** What a player would have won, over the tasks that are scored: a range of each. */
typedef enum segue_won {
    SEGUE_WON_REWARD,  /* a step, in the range of the log's rewards */
    SEGUE_WON_REGRET,  /* a task of n steps, against the task's best arm; the same range */
    SEGUE_WON_OVER_TS, /* gains in reward, as shares (0.08: 8 %) of what is lost to: this ... */
    SEGUE_WON_OVER_PRIOR,
    SEGUE_WON_OVER_FIXED, /* ... to here */
    SEGUE_WON_WAY,        /* share of the way from ts to knowing each task's best arm */
    SEGUE_WON_SAVED,      /* share of the regret of `alone`, the best without transfer, it saves */
    SEGUE_WON_BEYOND,     /* the same of `simple`, the best by a prior of each arm */
    SEGUE_RANGES
} segue_won;

typedef struct segue_contestant {
    char *name; /* as typed, or "always ARM" */
    segue_carries carries;
    segue_range won[SEGUE_RANGES]; /* by segue_won */
    double runs_se;                /* of the reward a step, over runs; NaN of one run */
    size_t ahead;   /* from this task on (1 is the first) its total is above that of ts; 0: not */
    double *reward; /* n_places: a step of the task at that place of the order, mean over runs */
    double *reward_se;
    double *regret; /* n_places: a step */
    double *regret_se;
} segue_contestant;

#define SEGUE_TYPICAL 3 /* tasks named for each type */

typedef struct segue_found_type {
    double weight, tasks; /* share of tasks, and their number */
    double spread;        /* s.d. of tasks' means around the type's, average over arms */
    size_t typical[SEGUE_TYPICAL], n_typical; /* numbers of the tasks nearest to it */
    double *mean;                             /* n_arms */
} segue_found_type;

typedef struct segue_found_types {
    size_t count;
    double none;      /* weight of "none of them" */
    size_t n_tasks;   /* that they were fitted to */
    double spread;    /* s.d. of tasks' means without types, average over arms */
    double explained; /* share of the variance of tasks' means that types explain */
    segue_found_type *type;
} segue_found_types;

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
#define SEGUE_ENOUGH_REWARDS 30.0

#define SEGUE_MOST_WARNINGS 8
#define SEGUE_SENTENCE      400

typedef struct segue_replay_found {
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
    segue_contestant *player;
    size_t ts, prior, fixed; /* numbers of these players */
    size_t alone, simple;    /* the best without transfer; the best by a prior of each arm */
    size_t typed;            /* the best by types, or n_players */
    segue_range best;        /* a step, knowing each task's best arm */
    segue_found_types types;
    size_t n_warnings;
    char warning[SEGUE_MOST_WARNINGS][SEGUE_SENTENCE];
    segue_advice advice;
    size_t use; /* the player to use */
    char verdict[2 * SEGUE_SENTENCE];
} segue_replay_found;

/** Free what it owns; all zeros are fine. */
void segue_replay_found_fini(segue_replay_found *found);

/** Add a warning, as printf. */
void segue_replay_warn(segue_replay_found *found, const char *format, ...) SEGUE_PRINTF(2, 3);

/** Fill in `alone`, `simple` and `typed` from the rewards; needed before ranges are bootstrapped.
 */
void segue_replay_rank(segue_replay_found *found);

/** Fill in advice, use and verdict. */
void segue_replay_judge(segue_replay_found *found);

/** How the log was played, in one sentence. */
void segue_replay_print_way(const segue_replay_found *found, FILE *out);

/* ---- the curve ----------------------------------------------------------------------------- */

/** Places first .. last of the order, 1 is the first. */
typedef struct segue_stretch {
    size_t first, last;
} segue_stretch;

#define SEGUE_MOST_STRETCHES 40

/** The order in stretches that double, for tables; held-out tasks are one of their own.  Returns
 * how many. */
size_t segue_replay_stretches(const segue_replay_found *found, segue_stretch *out);

/** A player's mean reward a step in a stretch; NaN: no task had a step. */
double segue_replay_reward_in(const segue_contestant *player, segue_stretch stretch);

/**
 * Write a page that holds all it needs.  Its figures are also left in the folder `figures`; NULL:
 * they are drawn in a temporary one.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_replay_page(const segue_replay_found *found, const char *path,
                                                const char *figures, segue_error *err);

#endif
