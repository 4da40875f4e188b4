/* sampler_mixing.c - how common each type is among the next tasks, and how alike its tasks are.
 *
 * Types may become common and rare.  Four memories count the tasks of the window with half-lives of
 * 6, 25 and 100 tasks and for ever; each predicts the type of the next task, and its weight is
 * multiplied by the likelihood of what came (Bayes' rule, with a small share that starts over from
 * the first weights).
 *
 * A task may have no more in common with a type than the best arm.  The share of such tasks is
 * learned from those of which the likelihoods tell it, with the last hundred counting.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "core/math/exp.h"
#include "core/math/ln.h"
#include "core/math/log_gamma.h"
#include "estimate/sampler/sampler_internal.h"

#define MIN_FINISHED   3    /* tasks before memories are compared */
#define MIN_UNLIKE     5    /* tasks before the share of unlike tasks is learned */
#define START_OVER     0.02 /* share of the memories' weights that starts over, per task */
#define PRIOR_UNLIKE   1.0  /* unlike tasks ... */
#define PRIOR_JUDGED   20.0 /* ... of this number, before any is seen */
#define FORGET         0.99
#define MAX_UNLIKE     0.3
#define TELLS          1.0 /* nats by which the likelihoods of like and unlike differ */
#define MIN_LIKELIHOOD 1e-300
#define MIN_DECAYED    1e-30 /* weight of a task that decays no further */

/* 2^(-1 / half-life): 6, 25 and 100 tasks, and no end. */
static const double decay[N_HALF_LIVES] = {0.89089871814033930, 0.97265494741228553,
                                           0.99309249543703591, 1.0};
static const double first_weight[N_HALF_LIVES] = {0.1, 0.1, 0.1, 0.7};

/* ---- memories ---------------------------------------------------------------------------- */

double segue_sampler_mixing_decay(size_t memory)
{
    return decay[memory];
}

void segue_sampler_mixing_start(segue_sampler *s)
{
    for (size_t h = 0; h < N_HALF_LIVES; h++)
        s->memory[h] = first_weight[h];
}

/* Compute how much each task of the window counts in one memory. */
static void weigh_tasks(const segue_sampler *s, size_t memory, double *weight)
{
    double decayed = 1.0;
    uint64_t number = s->finished;
    for (size_t l = s->tasks.count; l-- > 0;) {
        const uint64_t earlier = segue_task_window_number(&s->tasks, l);
        for (; decay[memory] < 1.0 && number > earlier && decayed > MIN_DECAYED; number--)
            decayed *= decay[memory];
        number = earlier;
        weight[l] = decayed;
    }
}

const double *segue_sampler_mixing_weigh(const segue_sampler *s)
{
    double *sum = s->scratch, *weight = s->scratch + s->capacity;
    for (size_t l = 0; l < s->tasks.count; l++)
        sum[l] = 0.0;
    for (size_t h = 0; h < N_HALF_LIVES; h++) {
        weigh_tasks(s, h, weight);
        for (size_t l = 0; l < s->tasks.count; l++)
            sum[l] += s->memory[h] * weight[l];
    }
    return sum;
}

/* Sum up the tasks of each type (n_types) as one memory counts them; returns all. */
static double count_decayed(const segue_sampler *s, size_t memory, double *count)
{
    double all = 0.0;
    weigh_tasks(s, memory, s->scratch);
    for (size_t c = 0; c < s->types.n_types; c++)
        count[c] = 0.0;
    for (size_t l = 0; l < s->tasks.count; l++)
        if (s->type_of[l] != NO_TYPE) {
            count[s->type_of[l]] += s->scratch[l];
            all += s->scratch[l];
        }
    return all;
}

double segue_sampler_mixing_shares(const segue_sampler *s, double *share)
{
    double count[MAX_SAMPLED_TYPES], none = 0.0;
    for (size_t c = 0; c < s->types.n_types; c++)
        share[c] = 0.0;
    for (size_t h = 0; h < N_HALF_LIVES; h++) {
        const double all = s->alpha + count_decayed(s, h, count);
        for (size_t c = 0; c < s->types.n_types; c++)
            share[c] += s->memory[h] * count[c] / all;
        none += s->memory[h] * s->alpha / all;
    }
    return none;
}

/* ---- learning ---------------------------------------------------------------------------- */

/* Log-likelihoods of a task under each type, like it and unlike it, and under no type. */
typedef struct fit {
    double like[MAX_SAMPLED_TYPES], unlike[MAX_SAMPLED_TYPES], none, max;
} fit;

static double log_lik_of_arm(double a, double b, double sum, double pulls)
{
    return segue_log_beta_ratio(a, b, sum, fmax(0.0, pulls - sum));
}

static void compute_fit(const segue_sampler *s, const double *sum, const double *pulls, fit *f)
{
    const type_table *t = &s->types;
    f->none = f->max = segue_log_beta_ratios(s->ones, s->ones, sum, pulls, t->n_arms);
    for (size_t c = 0; c < t->n_types; c++) {
        const size_t best = segue_type_table_best_arm(t, c), at = c * t->n_arms;
        f->like[c] = segue_log_beta_ratios(t->play_a + at, t->play_b + at, sum, pulls, t->n_arms);
        f->unlike[c] =
            f->none - log_lik_of_arm(1.0, 1.0, sum[best], pulls[best]) +
            log_lik_of_arm(t->play_a[at + best], t->play_b[at + best], sum[best], pulls[best]);
        f->max = fmax(f->max, fmax(f->like[c], f->unlike[c]));
    }
}

static void compare_memories(segue_sampler *s, const fit *f)
{
    double count[MAX_SAMPLED_TYPES], total = 0.0;
    for (size_t h = 0; h < N_HALF_LIVES; h++) {
        const double all = s->alpha + count_decayed(s, h, count);
        double predicted = s->alpha / all * segue_exp(f->none - f->max);
        for (size_t c = 0; c < s->types.n_types; c++)
            predicted += count[c] / all * segue_exp(f->like[c] - f->max);
        s->memory[h] *= predicted + MIN_LIKELIHOOD;
        total += s->memory[h];
    }
    for (size_t h = 0; h < N_HALF_LIVES; h++)
        s->memory[h] = (1.0 - START_OVER) * s->memory[h] / total + START_OVER * first_weight[h];
}

static void learn_unlike(segue_sampler *s, const fit *f)
{
    const double share = segue_sampler_mixing_unlike(s);
    double like = MIN_LIKELIHOOD, unlike = MIN_LIKELIHOOD;
    for (size_t c = 0; c < s->types.n_types; c++) {
        like += s->types.size[c] * segue_exp(f->like[c] - f->max);
        unlike += s->types.size[c] * segue_exp(f->unlike[c] - f->max);
    }
    const double tells = fabs(segue_ln(unlike / like)) > TELLS ? 1.0 : 0.0;
    const double probability = share * unlike / (share * unlike + (1.0 - share) * like);
    s->unlike = PRIOR_UNLIKE + FORGET * (s->unlike - PRIOR_UNLIKE) + tells * probability;
    s->judged = PRIOR_JUDGED + FORGET * (s->judged - PRIOR_JUDGED) + tells;
}

void segue_sampler_mixing_learn(segue_sampler *s, const double *sum, const double *pulls)
{
    fit f = {.none = 0.0};
    if (s->finished < MIN_FINISHED || s->types.n_types == 0)
        return;
    compute_fit(s, sum, pulls, &f);
    compare_memories(s, &f);
    if (s->finished >= MIN_UNLIKE)
        learn_unlike(s, &f);
}

double segue_sampler_mixing_unlike(const segue_sampler *s)
{
    return fmin(MAX_UNLIKE, s->unlike / s->judged);
}
