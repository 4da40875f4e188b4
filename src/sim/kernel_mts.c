/* kernel_mts.c - Thompson sampling over known models by products; see bandit/mts.c for the rule.
 *
 * The plain form adds logarithms and takes exponentials; here the posterior weights themselves are
 * multiplied, and scaled up by a power of two when they become small, which changes no digit.  The
 * two round differently, in the sixteenth digit of a probability.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"
#include "sim/game.h"

#define SMALL 0x1p-600
#define SCALE 0x1p+600

/* The posterior: weights, and their sum. */
typedef struct posterior {
    double weight[MOST_MODELS];
    double total;
} posterior;

/* Take in a reward of 0 or 1 of an arm; where no model is left, the total is 0. */
static inline void update(const game *g, posterior *p, size_t arm, bool success)
{
    const size_t n_models = g->models->n_models, n_arms = g->models->n_arms;
    const double *mean = g->models->mean + arm;
    double total = 0.0;
    for (size_t k = 0; k < n_models; k++) {
        const double mu = lesser(1.0, larger(0.0, mean[k * n_arms])); /* an estimate strays */
        p->weight[k] *= success ? mu : 1.0 - mu;
        total += p->weight[k];
    }
    if (total > 0.0 && total < SMALL) {
        total = 0.0;
        for (size_t k = 0; k < n_models; k++) {
            p->weight[k] *= SCALE;
            total += p->weight[k];
        }
    }
    p->total = total;
}

/* A model by its weight, as segue_draw_index has it. */
static inline size_t draw_model(const posterior *p, size_t n_models, segue_rng *rng)
{
    double rest = segue_rng_uniform(rng) * p->total;
    size_t last = 0;
    for (size_t k = 0; k < n_models; k++) {
        last = p->weight[k] > 0.0 ? k : last;
        if (rest < p->weight[k])
            break;
        rest -= p->weight[k];
    }
    return last;
}

/* Play on by the models while one is left. */
static void play_by_models(game *g, posterior *p)
{
    const size_t n_models = g->models->n_models;
    segue_rng rng = *g->in.rng;
    size_t held = 0; /* the arm in hand */
    hand h = take_arm(g, held);
    for (uint64_t left = g->left; left > 0 && p->total > 0.0; left--) {
        const size_t arm = g->models->best_arm[draw_model(p, n_models, &rng)];
        if (arm != held) {
            put_arm(g, &h, held, true);
            h = take_arm(g, arm);
            held = arm;
        }
        const uint64_t before = h.ones;
        (void)draw(g, &h, arm, true);
        update(g, p, arm, h.ones > before);
    }
    put_arm(g, &h, held, true);
    *g->in.rng = rng;
}

void segue_play_mts(game *g)
{
    posterior p = {.total = 0.0};
    for (size_t k = 0; k < g->models->n_models; k++) {
        p.weight[k] = g->models->weight[k];
        p.total += p.weight[k];
    }
    play_by_models(g, &p);
    *g->in.last_reason = g->left > 0 ? SEGUE_NO_MODEL_LEFT : SEGUE_BY_RULE;
    *g->in.no_model_left += g->left;
    while (g->left > 0)
        pull_once(g, segue_ts_arm(g->in.view, g->in.rng));
}
