/* kernel.c - play whole tasks: tables, and the kernel of each policy.
 *
 * While one arm is pulled nothing else changes: neither the other arms' bounds nor the models that
 * agree with them. So a kernel chooses once, then pulls until the choice could change, which takes
 * a few comparisons per step, however many arms and models there are. Every number is computed by
 * the same operations as in the plain form; tests compare the two. A segue_kernel belongs to one
 * thread.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/kernels/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "bandit/choose.h"
#include "core/fail.h"
#include "sim/kernels/arm_cursor.h"

#define MAX_STEPS  ((uint64_t)1 << 20) /* steps per task: the length of two tables */
#define MAX_BLOCKS ((uint64_t)1 << 20) /* blocks of rewards */

static const struct {
    const char *policy;
    kernel_function play;
    bool bits; /* it needs rewards of 0 and 1 */
} kernels[] = {
    {"ucb", segue_kernel_ucb, false},   {"ucb+", segue_kernel_ucb_plus, false},
    {"mucb", segue_kernel_mucb, false}, {"umucb", segue_kernel_umucb, false},
    {"mts", segue_kernel_mts, true},    {"ts", segue_kernel_ts, true},
    {"tts", segue_kernel_tts, true},
};

/* ---- memory ------------------------------------------------------------------------------ */

segue_status segue_kernel_create(segue_kernel **out, size_t n_arms, uint64_t steps,
                                 segue_error *err)
{
    *out = NULL;
    segue_kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        return segue_fail_no_memory(err, "a run");
    kernel->n_arms = n_arms;
    kernel->n_blocks = (size_t)(steps / 64 + 1);
    kernel->steps = steps <= MAX_STEPS && n_arms * kernel->n_blocks <= MAX_BLOCKS ? steps : 0;
    if (kernel->steps == 0)
        kernel->n_blocks = 0; /* too large: segue_kernel_play returns false */
    kernel->arm = calloc(n_arms, sizeof *kernel->arm);
    kernel->beta = calloc(n_arms, sizeof *kernel->beta);
    kernel->trial = calloc(n_arms, sizeof *kernel->trial);
    segue_ziggurat_init(&kernel->normal);
    kernel->inverse = calloc(kernel->steps + 1, sizeof *kernel->inverse);
    kernel->radius = calloc(kernel->steps + 1, sizeof *kernel->radius);
    kernel->word = calloc(n_arms * kernel->n_blocks + 1, sizeof *kernel->word);
    if (!kernel->arm || !kernel->beta || !kernel->trial || !kernel->inverse || !kernel->radius ||
        !kernel->word) {
        segue_kernel_destroy(kernel);
        return segue_fail_no_memory(err, "a run");
    }
    kernel->log_term = NAN;
    *out = kernel;
    return SEGUE_OK;
}

void segue_kernel_destroy(segue_kernel *kernel)
{
    if (!kernel)
        return;
    free(kernel->arm);
    free(kernel->beta);
    free(kernel->trial);
    free(kernel->inverse);
    free(kernel->radius);
    free(kernel->word);
    free(kernel);
}

/* Fill the tables for this L, if they are not yet. */
static void prepare(segue_kernel *kernel, double log_term)
{
    if (kernel->log_term == log_term)
        return;
    kernel->radius[0] = INFINITY;
    for (uint64_t t = 1; t <= kernel->steps; t++) {
        kernel->inverse[t] = 1.0 / (double)t;
        kernel->radius[t] = radius(log_term, (double)t);
    }
    kernel->log_term = log_term;
}

/* ---- models ------------------------------------------------------------------------------ */

uint64_t segue_kernel_agreeing(const kernel_run *run, size_t arm, double slack)
{
    const uint64_t pulls = run->in.pulls[arm];
    const double average = average_of(run, arm), reach = run->kernel->radius[pulls] + slack;
    uint64_t agrees = 0;
    for (size_t k = 0; k < run->models->n_models; k++)
        if (pulls == 0 || !(fabs(mean_of(run, k, arm) - average) > reach))
            agrees |= (uint64_t)1 << k;
    return agrees;
}

band segue_kernel_band(const kernel_run *run, size_t arm)
{
    band b = {.high = -INFINITY, .low = INFINITY, .above = INFINITY, .below = -INFINITY};
    const double average = average_of(run, arm);
    for (size_t k = 0; k < run->models->n_models; k++) {
        const double mean = mean_of(run, k, arm);
        if (run->kernel->arm[arm].agrees >> k & 1) {
            b.high = larger(b.high, mean);
            b.low = lesser(b.low, mean);
        } else if (mean > average) {
            b.above = lesser(b.above, mean);
        } else {
            b.below = larger(b.below, mean);
        }
    }
    return b;
}

/* ---- rewards as bits --------------------------------------------------------------------- */

/* Count the ones among rewards from .. to - 1 of an arm. */
static uint64_t count_ones(const uint64_t *word, uint64_t from, uint64_t to)
{
    uint64_t ones = 0;
    for (uint64_t w = from / 64; w * 64 < to; w++) {
        uint64_t bits = word[w];
        if (w == from / 64)
            bits &= UINT64_MAX << from % 64;
        if (to - w * 64 < 64)
            bits &= ~(UINT64_MAX << (to - w * 64));
        ones += (uint64_t)__builtin_popcountll(bits);
    }
    return ones;
}

/* Count the ones among rewards t < to of an arm with t mod 3 = rest. */
static uint64_t count_every_third(const uint64_t *word, uint64_t to, uint64_t rest)
{
    uint64_t ones = 0;
    for (uint64_t t = rest; t < to; t += 3)
        ones += word[t / 64] >> t % 64 & 1;
    return ones;
}

/* Fill the batches of a task whose rewards are blocks. */
static void store_batches(const kernel_run *run)
{
    batches *b = run->in.batches;
    for (size_t arm = 0; b->kind != SEGUE_BATCHES_NONE && arm < b->n_arms; arm++) {
        const uint64_t *word = run->kernel->word + arm * run->kernel->n_blocks;
        const uint64_t pulls = run->in.pulls[arm], third = pulls / 3;
        for (size_t k = 0; k < 3; k++) {
            const bool consecutive = b->kind == SEGUE_BATCHES_CONSECUTIVE;
            const uint64_t end = k < 2 ? (k + 1) * third : pulls;
            const uint64_t ones =
                consecutive ? count_ones(word, k * third, end) : count_every_third(word, pulls, k);
            b->sum[k * b->n_arms + arm] = (double)ones;
            b->count[k * b->n_arms + arm] = consecutive ? end - k * third : (pulls + 2 - k) / 3;
        }
    }
    b->counted = true;
}

/* Set the streams to where the plain form would have left them. */
static void store_streams(const kernel_run *run)
{
    for (size_t arm = 0; arm < run->in.view->n_arms; arm++) {
        const uint64_t pulls = run->in.pulls[arm];
        if (pulls % 64)
            segue_arm_stream_unread(segue_simulated_task_stream(run->simulated, arm),
                                    run->kernel->word[arm * run->kernel->n_blocks + pulls / 64],
                                    (unsigned)(pulls % 64));
    }
}

/* ---- playing ----------------------------------------------------------------------------- */

static kernel_function kernel_of(const segue_policy *policy, bool bits)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(policy->name, kernels[i].policy) == 0 && (bits || !kernels[i].bits))
            return kernels[i].play;
    return NULL;
}

bool segue_kernel_play(segue_kernel *kernel, segue_task *task, segue_simulated_task *simulated,
                       uint64_t steps, double *regret)
{
    kernel_run run = {
        .kernel = kernel, .in = segue_task_internals(task), .simulated = simulated, .left = steps};
    const segue_task_view *view = run.in.view;
    run.rewards = segue_simulated_task_rewards(simulated);
    run.bits = segue_simulated_task_is_bernoulli(simulated);
    run.models = view->models;
    const kernel_function play = kernel_of(run.in.policy, run.bits);
    if (!play || view->allowed || view->reward_weight || view->cost || !run.in.unit_range ||
        steps > kernel->steps || view->n_arms > kernel->n_arms ||
        (run.models && run.models->n_models > MAX_MODELS) ||
        (play == segue_kernel_mts && !segue_kernel_mts_fits(run.models)) ||
        (play == segue_kernel_tts && !segue_kernel_tts_fits(view)))
        return false;
    prepare(kernel, view->log_term);
    play(&run);
    *run.in.step = steps;
    if (run.bits) {
        store_batches(&run);
        store_streams(&run);
    }
    *regret = segue_simulated_task_regret(simulated, run.in.pulls);
    return true;
}
