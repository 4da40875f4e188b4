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
typedef struct hand {
    arm_stream *stream;
    uint64_t *words;
    uint64_t word; /* of the current block, the rewards that are left, lowest bit first */
    uint64_t first, pulls;
    uint64_t ones; /* the sum, where rewards are bits */
    double sum;    /* else */
} hand;

/* An arm on its way to a level that may not be reached. */
typedef struct arm_trial {
    hand hand;
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
typedef struct game {
    segue_kernel *kernel;
    task_internals in;
    segue_simulated_task *world;
    const segue_rewards *rewards;
    bool bits; /* rewards are 0 or 1, and kept as words */
    const segue_models *models;
    double eps;           /* of umucb */
    uint64_t left;        /* steps */
    uint64_t models_left; /* one bit a model: those that agree with every arm */
} game;

typedef void (*kernel_function)(game *g);

void segue_kernel_ucb(game *g);
void segue_kernel_ucb_plus(game *g);
void segue_kernel_mucb(game *g);
void segue_kernel_umucb(game *g);
void segue_kernel_mts(game *g);
bool segue_kernel_mts_fits(const segue_models *models); /* whether it can play by them */
void segue_kernel_ts(game *g);
void segue_kernel_tts(game *g);
bool segue_kernel_tts_fits(
    const segue_view *view); /* whether it can play by what the task was taught */

/* UCB to the end, for arms whose bounds are known; -INFINITY: it does not play. */
void segue_kernel_ucb_from_bounds(game *g);
/* The greater part of that, for rewards that are bits; at least one step is left to make. */
void segue_kernel_level(game *g);

static inline hand open_cursor(const game *g, size_t arm)
{
    const uint64_t pulls = g->in.pulls[arm];
    uint64_t *words = g->kernel->word + arm * g->kernel->n_words;
    return (hand){.stream = segue_simulated_task_stream(g->world, arm),
                  .words = words,
                  .word = pulls % 64 ? words[pulls / 64] >> pulls % 64 : 0,
                  .first = pulls,
                  .pulls = pulls,
                  .ones = (uint64_t)g->in.sum[arm],
                  .sum = g->in.sum[arm]};
}

/* Pull the arm once more; returns the sum of its rewards. */
static inline double draw(game *g, hand *h, size_t arm, bool bits)
{
    if (!bits) {
        const double x = segue_arm_stream_next(h->stream, g->rewards);
        segue_batches_add(g->in.batches, arm, x, h->pulls++);
        return h->sum += x;
    }
    if (h->pulls % 64 == 0)
        h->word = h->words[h->pulls / 64] = segue_arm_stream_block(h->stream);
    h->ones += h->word & 1;
    h->word >>= 1;
    h->pulls++;
    return (double)(int64_t)h->ones;
}

/* Write back what the pulls came to. */
static inline void close_cursor(game *g, const hand *h, size_t arm, bool bits)
{
    g->in.sum[arm] = bits ? (double)h->ones : h->sum;
    g->in.pulls[arm] = g->in.asked[arm] = h->pulls;
    g->left -= h->pulls - h->first;
}

/* One pull of an arm. */
static inline void pull_once(game *g, size_t arm)
{
    hand h = open_cursor(g, arm);
    (void)draw(g, &h, arm, g->bits);
    close_cursor(g, &h, arm, g->bits);
}

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double average_of(const game *g, size_t arm)
{
    return g->in.sum[arm] * g->kernel->inverse[g->in.pulls[arm]];
}

static inline double upper_of(const game *g, size_t arm)
{
    return average_of(g, arm) + g->kernel->radius[g->in.pulls[arm]];
}

static inline double mean_of(const game *g, size_t model, size_t arm)
{
    return segue_models_row(g->models, model)[arm];
}

static inline bool is_within(const band *b, double average, double reach)
{
    return (b->high - average <= reach) & (average - b->low <= reach) &
           (b->above - average > reach) & (average - b->below > reach);
}

/* Whether `count` more pulls, whatever they bring, leave every average on the way within the band,
 * the radius being wider by `slack`, and the bound above `other`.  An average moves by at most
 * count / (T + count) on the way. */
static inline bool can_jump(const segue_kernel *kernel, const hand *h, uint64_t count,
                            const band *b, double average, double slack, double other)
{
    const uint64_t then = h->pulls + count;
    const double moves = (double)count * kernel->inverse[then] + 1e-9; /* and some rounding */
    const double radius = kernel->radius[then], reach = radius + slack;
    const double before = kernel->radius[h->pulls] + slack;
    return average - moves + radius > other &&
           ((b->high - average + moves <= reach) & (average + moves - b->low <= reach) &
            (b->above - average - moves > before) & (average - moves - b->below > before));
}

/* Pull 8 times; the pulls so far must be a multiple of that. */
static inline void draw_eight(hand *h)
{
    static const uint8_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    if (h->pulls % 64 == 0)
        h->word = h->words[h->pulls / 64] = segue_arm_stream_block(h->stream);
    h->ones += (uint64_t)ones[h->word & 15] + ones[h->word >> 4 & 15];
    h->word >>= 8;
    h->pulls += 8;
}

/* Pull 64 times; the word before must be used up. */
static inline double jump(hand *h)
{
    const uint64_t word = segue_arm_stream_block(h->stream);
    h->words[h->pulls / 64] = word;
    h->ones += (uint64_t)__builtin_popcountll(word);
    h->pulls += 64;
    return (double)(int64_t)h->ones;
}

/* Which models agree with the rewards of an arm, to within its radius and `slack`. */
uint64_t segue_kernel_agreeing(const game *g, size_t arm, double slack);
/* The band in which it stays so. */
band segue_kernel_band(const game *g, size_t arm);

#endif
