/* kernel_run.h - a task while a kernel plays it.
 *
 * Bernoulli rewards are kept as the blocks of 64 that they are drawn in: reward T of an arm is bit
 * T mod 64 of its word T / 64.  The three batches of a task are counted in them at the end.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_KERNELS_KERNEL_RUN_H
#define SEGUE_SIM_KERNELS_KERNEL_RUN_H

#include <math.h>

#include "bandit/batches.h"
#include "bandit/task.h"
#include "core/random/ziggurat.h"
#include "sim/kernels/kernel.h"
#include "sim/simulated_task.h"

/* While the average c of an arm and its reach r stay within these, the same models agree with it:
 * high - c <= r, c - low <= r, above - c > r, c - below > r. */
typedef struct band {
    double high, low;    /* the largest and smallest mean of those that agree */
    double above, below; /* the nearest means of those that do not */
} band;

/* What follows from the rewards of one arm, for kernels that go by bounds. */
typedef struct arm_state {
    double upper;    /* average + radius; infinite without a reward */
    double promise;  /* the most that the models which are left allow */
    uint64_t agrees; /* one bit a model: whether its mean is near enough to the average */
    band band;       /* in which that stays so */
} arm_state;

/* The posterior of one arm, Beta(a, b), and the logarithm of the beta function there. */
typedef struct beta_arm {
    double a, b, log_beta;
} beta_arm;

/* An arm while it is pulled: its counts in registers. */
typedef struct arm_cursor {
    arm_stream *stream;
    uint64_t *words;
    uint64_t word; /* of the current block, the rewards that are left, lowest bit first */
    uint64_t first, pulls;
    uint64_t ones; /* the sum, where rewards are bits */
    double sum;    /* else */
} arm_cursor;

/* An arm on its way to a level that may not be reached. */
typedef struct arm_trial {
    arm_cursor cursor;
    arm_stream stream;
    double upper;
} arm_trial;

struct segue_kernel {
    size_t n_arms;
    uint64_t steps;   /* the most that a task may have */
    size_t n_words;   /* an arm */
    double log_term;  /* of the tables; NaN: they are not filled yet */
    double *inverse;  /* 1 / T, for T = 1 .. steps */
    double *radius;   /* of T rewards; infinite for T = 0 */
    arm_state *arm;   /* n_arms */
    beta_arm *beta;   /* n_arms */
    arm_trial *trial; /* n_arms */
    ziggurat normal;
    uint64_t *word; /* n_arms x n_words: rewards, where they are bits */
};

#define MAX_MODELS 64 /* one bit each */

/* One task that is being played. */
typedef struct kernel_run {
    segue_kernel *kernel;
    task_internals in;
    segue_simulated_task *simulated;
    const segue_rewards *rewards;
    bool bits; /* rewards are 0 or 1, and kept as words */
    const segue_models *models;
    double eps;           /* of umucb */
    uint64_t left;        /* steps */
    uint64_t models_left; /* one bit a model: those that agree with every arm */
} kernel_run;

typedef void (*kernel_function)(kernel_run *run);

void segue_kernel_ucb(kernel_run *run);
void segue_kernel_ucb_plus(kernel_run *run);
void segue_kernel_mucb(kernel_run *run);
void segue_kernel_umucb(kernel_run *run);
void segue_kernel_mts(kernel_run *run);
bool segue_kernel_mts_fits(const segue_models *models); /* whether it can play by them */
void segue_kernel_ts(kernel_run *run);
void segue_kernel_tts(kernel_run *run);
bool segue_kernel_tts_fits(
    const segue_view *view); /* whether it can play by what the task was taught */

/* UCB to the end, for arms whose bounds are known; -INFINITY: it does not play. */
void segue_kernel_ucb_from_bounds(kernel_run *run);
/* The greater part of that, for rewards that are bits; at least one step is left to make. */
void segue_kernel_level(kernel_run *run);

static inline arm_cursor open_cursor(const kernel_run *run, size_t arm)
{
    const uint64_t pulls = run->in.pulls[arm];
    uint64_t *words = run->kernel->word + arm * run->kernel->n_words;
    return (arm_cursor){.stream = segue_simulated_task_stream(run->simulated, arm),
                        .words = words,
                        .word = pulls % 64 ? words[pulls / 64] >> pulls % 64 : 0,
                        .first = pulls,
                        .pulls = pulls,
                        .ones = (uint64_t)run->in.sum[arm],
                        .sum = run->in.sum[arm]};
}

/* Pull the arm once more; returns the sum of its rewards. */
static inline double draw(kernel_run *run, arm_cursor *cursor, size_t arm, bool bits)
{
    if (!bits) {
        const double x = segue_arm_stream_next(cursor->stream, run->rewards);
        segue_batches_add(run->in.batches, arm, x, cursor->pulls++);
        return cursor->sum += x;
    }
    if (cursor->pulls % 64 == 0)
        cursor->word = cursor->words[cursor->pulls / 64] = segue_arm_stream_block(cursor->stream);
    cursor->ones += cursor->word & 1;
    cursor->word >>= 1;
    cursor->pulls++;
    return (double)(int64_t)cursor->ones;
}

/* Write back what the pulls came to. */
static inline void close_cursor(kernel_run *run, const arm_cursor *cursor, size_t arm, bool bits)
{
    run->in.sum[arm] = bits ? (double)cursor->ones : cursor->sum;
    run->in.pulls[arm] = run->in.asked[arm] = cursor->pulls;
    run->left -= cursor->pulls - cursor->first;
}

/* One pull of an arm. */
static inline void pull_once(kernel_run *run, size_t arm)
{
    arm_cursor cursor = open_cursor(run, arm);
    (void)draw(run, &cursor, arm, run->bits);
    close_cursor(run, &cursor, arm, run->bits);
}

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double average_of(const kernel_run *run, size_t arm)
{
    return run->in.sum[arm] * run->kernel->inverse[run->in.pulls[arm]];
}

static inline double upper_of(const kernel_run *run, size_t arm)
{
    return average_of(run, arm) + run->kernel->radius[run->in.pulls[arm]];
}

static inline double mean_of(const kernel_run *run, size_t model, size_t arm)
{
    return segue_models_row(run->models, model)[arm];
}

static inline bool is_within(const band *b, double average, double reach)
{
    return (b->high - average <= reach) & (average - b->low <= reach) &
           (b->above - average > reach) & (average - b->below > reach);
}

/* Whether `count` more pulls, whatever they bring, leave every average on the way within the band,
 * the radius being wider by `slack`, and the bound above `other`.  An average moves by at most
 * count / (T + count) on the way. */
static inline bool can_jump(const segue_kernel *kernel, const arm_cursor *cursor, uint64_t count,
                            const band *b, double average, double slack, double other)
{
    const uint64_t then = cursor->pulls + count;
    const double moves = (double)count * kernel->inverse[then] + 1e-9; /* and some rounding */
    const double radius = kernel->radius[then], reach = radius + slack;
    const double before = kernel->radius[cursor->pulls] + slack;
    return average - moves + radius > other &&
           ((b->high - average + moves <= reach) & (average + moves - b->low <= reach) &
            (b->above - average - moves > before) & (average - moves - b->below > before));
}

/* Pull 8 times; the pulls so far must be a multiple of that. */
static inline void draw_eight(arm_cursor *cursor)
{
    static const uint8_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    if (cursor->pulls % 64 == 0)
        cursor->word = cursor->words[cursor->pulls / 64] = segue_arm_stream_block(cursor->stream);
    cursor->ones += (uint64_t)ones[cursor->word & 15] + ones[cursor->word >> 4 & 15];
    cursor->word >>= 8;
    cursor->pulls += 8;
}

/* Pull 64 times; the word before must be used up. */
static inline double jump(arm_cursor *cursor)
{
    const uint64_t word = segue_arm_stream_block(cursor->stream);
    cursor->words[cursor->pulls / 64] = word;
    cursor->ones += (uint64_t)__builtin_popcountll(word);
    cursor->pulls += 64;
    return (double)(int64_t)cursor->ones;
}

/* Which models agree with the rewards of an arm, to within its radius and `slack`. */
uint64_t segue_kernel_agreeing(const kernel_run *run, size_t arm, double slack);
/* The band in which it stays so. */
band segue_kernel_band(const kernel_run *run, size_t arm);

#endif
