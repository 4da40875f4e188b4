/* replay_result.h - the result of a replay: reward, regret and gain of each candidate, the types of
 * the log, warnings, and the verdict.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPLAY_REPLAY_RESULT_H
#define SEGUE_REPLAY_REPLAY_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

/** A number and its 95 % interval; NaN: not known. */
typedef struct segue_interval {
    double value, low, high;
} segue_interval;

/** Factors from a gain per task to a sum per year; 0: not known. */
typedef struct segue_yearly {
    double value;         /* of one unit of reward, in any currency */
    double tasks_per_day; /* of which a year has 365 */
} segue_yearly;

/** The knowledge that a candidate transfers from task to task. */
typedef enum segue_transfer_kind {
    SEGUE_TRANSFER_NOTHING,
    SEGUE_TRANSFER_PRIOR, /* a prior per arm: ts-prior, or a learner limited to one type */
    SEGUE_TRANSFER_TYPES, /* types, models or groups of tasks */
    SEGUE_TRANSFER_ARM,   /* always the same arm, the best in hindsight */
    SEGUE_TRANSFER_STREAM /* averages of one stream of rewards, whatever task they came from */
} segue_transfer_kind;

/** "nothing", "prior", "types", "arm". */
const char *segue_replay_result_transfer_text(segue_transfer_kind transfer);

/** Metrics of a candidate over the scored tasks. */
typedef enum segue_replay_metric {
    SEGUE_METRIC_REWARD,           /* per step, in the range of the log's rewards */
    SEGUE_METRIC_REGRET,           /* per task, against the task's best arm, in that range */
    SEGUE_METRIC_GAIN_OVER_TS,     /* gain in reward over ts; a share: 0.08 is 8 % */
    SEGUE_METRIC_GAIN_OVER_PRIOR,  /* over ts-prior */
    SEGUE_METRIC_GAIN_OVER_FIXED,  /* over the best single arm */
    SEGUE_METRIC_GAP_CLOSED,       /* share of the gap between ts and each task's best arm */
    SEGUE_METRIC_REGRET_SAVED,     /* share of the regret of `best_without_transfer` */
    SEGUE_METRIC_SAVED_OVER_PRIOR, /* share of the regret of `best_prior` */
    SEGUE_N_METRICS
} segue_replay_metric;

/** The result of one candidate: a policy, a learner, or a fixed arm. */
typedef struct segue_replay_candidate {
    char *name; /* as typed, or "always ARM" */
    segue_transfer_kind transfer;
    segue_interval metric[SEGUE_N_METRICS];
    double
        play_share[SEGUE_N_METRICS]; /* urn: of the variance of each, from the luck of the runs */
    double logged;                   /* share of its pulls that logged rewards answered */
    double runs_se;                  /* of the reward per step, over runs; NaN: one run */
    size_t ahead_from; /* task from which its total stays above that of ts, from 1; 0: never */
    double *reward;    /* n_played: per step of the task at each position, mean over runs */
    double *reward_se;
    double *regret; /* n_played: per step */
    double *regret_se;
} segue_replay_candidate;

#define SEGUE_N_TYPICAL 3 /* tasks named per type */

typedef struct segue_replay_type {
    double weight, tasks; /* share and number of tasks */
    double spread;        /* s.d. of tasks' means around the type's, averaged over arms */
    size_t typical[SEGUE_N_TYPICAL], n_typical; /* numbers of the tasks nearest to it */
    double *mean;                               /* n_arms */
} segue_replay_type;

typedef struct segue_replay_types {
    size_t count;
    double no_type;   /* weight of the background component */
    size_t n_tasks;   /* tasks in the fit */
    double spread;    /* s.d. of tasks' means without types, averaged over arms */
    double explained; /* share of the variance of tasks' means that types explain */
    segue_replay_type *type;
} segue_replay_types;

/** The conclusion of the verdict. */
typedef enum segue_conclusion {
    SEGUE_CONCLUSION_TYPES,  /* types pay */
    SEGUE_CONCLUSION_PRIOR,  /* transfer pays, but types add little to a prior per arm */
    SEGUE_CONCLUSION_ARM,    /* one arm for all tasks does as well */
    SEGUE_CONCLUSION_NONE,   /* nothing to learn across tasks */
    SEGUE_CONCLUSION_UNCLEAR /* too few tasks, or too few rewards per task */
} segue_conclusion;

#define SEGUE_MAX_WARNINGS  8
#define SEGUE_SENTENCE_SIZE 400

typedef struct segue_replay_result {
    /* The log; names are borrowed. */
    const char *path;
    const char *const *arm_name;
    char *const *task_name;
    size_t n_arms, n_tasks, n_rows;
    uint64_t n_rows_skipped; /* rows without a value, or lines of no decision */
    bool is_tally;           /* the input is a tally */
    size_t drawn_from;       /* the tasks are a random sample of this number; 0: all are played */
    const char *log_options; /* with which the log was read, for a shell */
    double lowest, highest;  /* the range of rewards */
    double logged;           /* average reward of its rows */
    bool constant;           /* all rewards are equal; there are no types then */
    size_t rarest;           /* the arm with the fewest rewards in the played tasks */
    double rarest_rewards;   /* its rewards per task, on average */
    /* How it was played. */
    bool urn;                /* else row replay */
    double rewards_per_cell; /* rewards per arm and task, on average */
    size_t n_fitted_types;   /* urn: types of the fitted population */
    double tasks_needed;     /* urn: to show these types with as many rewards per task; or ... */
    double rows_needed;      /* ... rewards per task, with as many tasks; infinite: unknown */
    uint64_t replicates;     /* urn: replicates of the log, for the intervals */
    bool thinned;            /* row replay: rows are accepted by the log's probabilities */
    const char *order, *holdout;
    size_t n_played;
    size_t n_learned;    /* played tasks that are learned from; those after them are held out */
    size_t first_scored; /* position of the first scored task, from 1 */
    uint64_t steps, runs, seed;
    double rows_accepted; /* row replay: share of the rows that may answer a pull */
    double complete;      /* row replay: share of the scored tasks with rows for all steps */
    /* Results. */
    size_t n_candidates;
    segue_replay_candidate *candidate;
    size_t ts, ts_prior, fixed_arm; /* candidates that gains are measured against */
    size_t best_without_transfer;   /* the best candidate with SEGUE_TRANSFER_NOTHING */
    size_t best_prior;              /* ... with SEGUE_TRANSFER_PRIOR */
    size_t best_types;              /* ... with SEGUE_TRANSFER_TYPES, or n_candidates */
    segue_interval best_arms;       /* reward per step if each task's best arm were known */
    double rare_tasks;          /* tasks of a rare type with another best arm; 0: there is none */
    size_t rare_arm;            /* its best arm */
    double predicted, observed; /* if they differ, a check found the fitted types wrong: rewards
                                       of the arms that they hold for best in a task's first half */
    segue_replay_types types;
    size_t n_warnings;
    char warning[SEGUE_MAX_WARNINGS][SEGUE_SENTENCE_SIZE];
    segue_conclusion conclusion;
    bool has_advice; /* the candidate below is a recommendation, also if the log cannot tell whether
                        types or a prior per arm are better */
    size_t use;      /* the candidate to use */
    segue_yearly yearly;
    char verdict[3 * SEGUE_SENTENCE_SIZE];
} segue_replay_result;

/** Free what the result owns; accepts all zeros. */
void segue_replay_result_fini(segue_replay_result *result);

/** Add a warning, as printf.  Warnings after SEGUE_MAX_WARNINGS are dropped. */
void segue_replay_result_warn(segue_replay_result *result, const char *format, ...)
    SEGUE_PRINTF(2, 3);

/** Set best_without_transfer, best_prior and best_types by the candidates' rewards. */
void segue_replay_result_rank(segue_replay_result *result);

#endif
