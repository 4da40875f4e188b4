/* arm_cursor.h - pull one arm many times: its counts stay in registers.
 *
 * open_cursor loads the counts of an arm, draw pulls it, close_cursor stores them. Where rewards
 * are bits, draw_eight and jump make 8 and 64 pulls at once; can_jump tells if these cannot change
 * the choice. All functions are inline: a kernel spends its time here.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SIM_KERNELS_ARM_CURSOR_H
#define SEGUE_SIM_KERNELS_ARM_CURSOR_H

#include "sim/kernels/kernel_run.h"

static inline arm_cursor open_cursor(const kernel_run *run, size_t arm)
{
    const uint64_t pulls = run->in.pulls[arm];
    uint64_t *blocks = run->kernel->word + arm * run->kernel->n_blocks;
    return (arm_cursor){.stream = segue_simulated_task_stream(run->simulated, arm),
                        .blocks = blocks,
                        .word = pulls % 64 ? blocks[pulls / 64] >> pulls % 64 : 0,
                        .first = pulls,
                        .pulls = pulls,
                        .ones = (uint64_t)run->in.sum[arm],
                        .sum = run->in.sum[arm]};
}

/* Pull the arm once; returns the sum of its rewards. */
static inline double draw(kernel_run *run, arm_cursor *cursor, size_t arm, bool bits)
{
    if (!bits) {
        const double x = segue_arm_stream_next(cursor->stream, run->rewards);
        segue_batches_add(run->in.batches, arm, x, cursor->pulls++);
        return cursor->sum += x;
    }
    if (cursor->pulls % 64 == 0)
        cursor->word = cursor->blocks[cursor->pulls / 64] = segue_arm_stream_block(cursor->stream);
    cursor->ones += cursor->word & 1;
    cursor->word >>= 1;
    cursor->pulls++;
    return (double)(int64_t)cursor->ones;
}

/* Store the counts of the arm. */
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

/* Return true if `count` more pulls, whatever their rewards, leave every average within the band,
 * the radius being wider by `slack`, and the bound above `other`. An average moves by at most
 * count / (T + count). */
static inline bool can_jump(const segue_kernel *kernel, const arm_cursor *cursor, uint64_t count,
                            const band *b, double average, double slack, double other)
{
    const uint64_t then = cursor->pulls + count;
    const double moves = (double)count * kernel->inverse[then] + 1e-9; /* plus rounding */
    const double radius = kernel->radius[then], reach = radius + slack;
    const double before = kernel->radius[cursor->pulls] + slack;
    return average - moves + radius > other &&
           ((b->high - average + moves <= reach) & (average + moves - b->low <= reach) &
            (b->above - average - moves > before) & (average - moves - b->below > before));
}

/* Pull 8 times; the number of pulls so far is a multiple of 8. */
static inline void draw_eight(arm_cursor *cursor)
{
    static const uint8_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    if (cursor->pulls % 64 == 0)
        cursor->word = cursor->blocks[cursor->pulls / 64] = segue_arm_stream_block(cursor->stream);
    cursor->ones += (uint64_t)ones[cursor->word & 15] + ones[cursor->word >> 4 & 15];
    cursor->word >>= 8;
    cursor->pulls += 8;
}

/* Pull 64 times; the word before is used up. */
static inline double jump(arm_cursor *cursor)
{
    const uint64_t word = segue_arm_stream_block(cursor->stream);
    cursor->blocks[cursor->pulls / 64] = word;
    cursor->ones += (uint64_t)__builtin_popcountll(word);
    cursor->pulls += 64;
    return (double)(int64_t)cursor->ones;
}

#endif
