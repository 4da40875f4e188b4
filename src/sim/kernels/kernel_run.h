/* kernel_run.h - the state of a kernel while it plays a task.
 *
 * Bernoulli rewards are stored as the blocks of 64 that they are drawn in: reward T of an arm is
 * bit T mod 64 of its word T / 64. The three batches of a task are counted from them at the end.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_KERNELS_KERNEL_RUN_H
#define SEGUE_SIM_KERNELS_KERNEL_RUN_H

#include <math.h>

#include "bandit/batches.h"
#include "bandit/task/task.h"
#include "core/random/ziggurat.h"
#include "sim/kernels/kernel.h"
#include "sim/simulated_task.h"

/* While the average c of an arm and its reach r stay within these, the same models agree with it:
 * high - c <= r, c - low <= r, above - c > r, c - below > r. */
typedef struct band {
    double high, low;    /* the largest and smallest mean of those that agree */
    double above, below; /* the nearest means of those that do not */
} band;

/* Derived from the rewards of one arm, for kernels that use bounds. */
typedef struct arm_state {
    double upper;    /* average + radius; infinite without a reward */
    double promise;  /* largest mean plus eps of the remaining models */
    uint64_t agrees; /* one bit per model: its mean is within reach of the average */
    band band;       /* while the average is in it, `agrees` does not change */
} arm_state;

/* The posterior of one arm, Beta(a, b), and the logarithm of the beta function there. */
typedef struct beta_arm {
    double a, b, log_beta;
} beta_arm;

/* An arm while it is pulled; see arm_cursor.h. */
typedef struct arm_cursor {
    arm_stream *stream;
    uint64_t *blocks;
    uint64_t word; /* unused rewards of the current block, lowest bit first */
    uint64_t first, pulls;
    uint64_t ones; /* the sum if rewards are bits */
    double sum;    /* the sum otherwise */
} arm_cursor;

/* An arm during the trial of a level; see kernel_level.c. */
typedef struct arm_trial {
    arm_cursor cursor;
    arm_stream stream;
    double upper;
} arm_trial;

struct segue_kernel {
    size_t n_arms;
    uint64_t steps;   /* largest number of steps of a task */
    size_t n_blocks;  /* blocks per arm */
    double log_term;  /* L of the tables; NaN: they are not filled */
    double *inverse;  /* 1 / T, for T = 1 .. steps */
    double *radius;   /* of T rewards; infinite for T = 0 */
    arm_state *arm;   /* n_arms */
    beta_arm *beta;   /* n_arms */
    arm_trial *trial; /* n_arms */
    ziggurat normal;
    uint64_t *word; /* n_arms x n_blocks: rewards, if they are bits */
};

#define MAX_MODELS 64 /* one bit each */

/* One task in play. */
typedef struct kernel_run {
    segue_kernel *kernel;
    task_internals in;
    segue_simulated_task *simulated;
    const segue_rewards *rewards;
    bool bits; /* rewards are 0 or 1, and stored as blocks */
    const segue_models *models;
    double eps;           /* of umucb */
    uint64_t left;        /* steps left */
    uint64_t models_left; /* one bit per model: it agrees with every arm */
} kernel_run;

typedef void (*kernel_function)(kernel_run *run);

void segue_kernel_ucb(kernel_run *run);
void segue_kernel_ucb_plus(kernel_run *run);
void segue_kernel_mucb(kernel_run *run);
void segue_kernel_umucb(kernel_run *run);
void segue_kernel_mts(kernel_run *run);
bool segue_kernel_mts_fits(const segue_models *models); /* true: the kernel can use these means */
void segue_kernel_ts(kernel_run *run);
void segue_kernel_tts(kernel_run *run);
bool segue_kernel_tts_fits(
    const segue_task_view *view); /* true: the kernel can use the task's prior */

/* Play UCB to the end, for arms with known bounds; a bound of -INFINITY excludes an arm. */
void segue_kernel_ucb_from_bounds(kernel_run *run);
/* Play most of that, for rewards that are bits; at least one step remains. */
void segue_kernel_level(kernel_run *run);

/* Return the models that agree with the rewards of an arm, to within its radius and `slack`. */
uint64_t segue_kernel_agreeing(const kernel_run *run, size_t arm, double slack);
/* Return the band in which they stay the same. */
band segue_kernel_band(const kernel_run *run, size_t arm);

#endif
