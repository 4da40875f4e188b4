/* kernel_mts.c - Thompson sampling over known models by products; see bandit/policies/mts.c for
 * the rule.
 *
 * The plain form adds logarithms and takes exponentials; this kernel multiplies the posterior
 * weights themselves. Each weight has its own scale, 2^-600 to the power of its level, so that a
 * model with a tiny weight can recover. The two forms round differently, in the sixteenth digit of
 * a probability.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"
#include "sim/kernels/arm_cursor.h"

#define MIN_WEIGHT 0x1p-600
#define SCALE      0x1p+600
#define MIN_MEAN   0x1p-400 /* MIN_WEIGHT times a smaller mean would underflow */

/* The posterior. Weights only fall, and are from MIN_WEIGHT to 1, or 0. */
typedef struct posterior {
    double weight[MAX_MODELS];
    double factor[MAX_MODELS]; /* 1 for the lowest level, MIN_WEIGHT for the next, else 0 */
    double share[MAX_MODELS];  /* weight times factor */
    double total;              /* sum of the shares */
    uint64_t level[MAX_MODELS];
    double up[MAX_MODELS], down[MAX_MODELS]; /* likelihoods of a 1 and a 0 of the current arm */
} posterior;

bool segue_kernel_mts_fits(const segue_models *models)
{
    const size_t size = models->n_models * models->n_arms;
    size_t i = 0;
    while (i < size && (models->mean[i] <= 0.0 || models->mean[i] >= MIN_MEAN))
        i++;
    return i == size;
}

/* Raise the level of small weights, and set the factors. */
static void set_levels(posterior *p, size_t n_models)
{
    uint64_t lowest = UINT64_MAX;
    for (size_t k = 0; k < n_models; k++) {
        for (; p->weight[k] > 0.0 && p->weight[k] < MIN_WEIGHT; p->level[k]++)
            p->weight[k] *= SCALE;
        if (p->weight[k] > 0.0 && p->level[k] < lowest)
            lowest = p->level[k];
    }
    p->total = 0.0;
    for (size_t k = 0; k < n_models; k++) {
        const uint64_t above = p->level[k] - lowest;
        p->factor[k] = p->weight[k] <= 0.0 || above > 1 ? 0.0 : above == 1 ? MIN_WEIGHT : 1.0;
        p->share[k] = p->weight[k] * p->factor[k];
        p->total += p->share[k];
    }
}

/* Make an arm the current one. */
static arm_cursor open_with(const kernel_run *run, posterior *p, size_t arm)
{
    for (size_t k = 0; k < run->models->n_models; k++) {
        p->up[k] = lesser(
            1.0, larger(0.0, mean_of(run, k, arm))); /* an estimated mean may lie outside [0, 1] */
        p->down[k] = 1.0 - p->up[k];
    }
    return open_cursor(run, arm);
}

/* Update the posterior by a reward of 0 or 1 of the current arm; total 0: no model is left. */
static inline void update(posterior *p, size_t n_models, bool success)
{
    const double *likelihood = success ? p->up : p->down;
    double total = 0.0;
    bool underflows = false;
    for (size_t k = 0; k < n_models; k++) {
        const double weight = p->weight[k] * likelihood[k];
        underflows |= (weight < MIN_WEIGHT) & (weight > 0.0);
        p->weight[k] = weight;
        p->share[k] = weight * p->factor[k];
        total += p->share[k];
    }
    p->total = total;
    if (underflows)
        set_levels(p, n_models);
}

/* Draw a model by its weight, as segue_rng_index does. */
static inline size_t draw_model(const posterior *p, size_t n_models, segue_rng *rng)
{
    double rest = segue_rng_uniform(rng) * p->total;
    size_t last = 0;
    for (size_t k = 0; k < n_models; k++) {
        last = p->share[k] > 0.0 ? k : last;
        if (rest < p->share[k])
            break;
        rest -= p->share[k];
    }
    return last;
}

/* Play while a model is left. */
static void play_by_models(kernel_run *run, posterior *p)
{
    const size_t n_models = run->models->n_models;
    segue_rng rng = *run->in.rng;
    size_t current = 0; /* the arm of the cursor */
    arm_cursor cursor = open_with(run, p, current);
    for (uint64_t left = run->left; left > 0 && p->total > 0.0; left--) {
        const size_t arm = run->models->best_arm[draw_model(p, n_models, &rng)];
        if (arm != current) {
            close_cursor(run, &cursor, current, true);
            cursor = open_with(run, p, arm);
            current = arm;
        }
        const uint64_t before = cursor.ones;
        (void)draw(run, &cursor, arm, true);
        update(p, n_models, cursor.ones > before);
    }
    close_cursor(run, &cursor, current, true);
    *run->in.rng = rng;
}

void segue_kernel_mts(kernel_run *run)
{
    posterior p = {.total = 0.0};
    for (size_t k = 0; k < run->models->n_models; k++)
        p.weight[k] = run->models->weight[k];
    set_levels(&p, run->models->n_models);
    play_by_models(run, &p);
    *run->in.last_reason = run->left > 0 ? SEGUE_NO_MODEL_LEFT : SEGUE_BY_RULE;
    *run->in.no_model_left += run->left;
    while (run->left > 0)
        pull_once(run, segue_ts_arm(run->in.view, run->in.rng));
}
