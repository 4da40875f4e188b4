/* population_sample.c - populations that the log allows: draws from the posterior of the fit.
 *
 * A fit is one population; few tasks or few rewards allow many, with fewer or more types.  A Markov
 * chain visits them in proportion to their posterior probability.  The prior: MAX_TYPES types,
 * weights from a Dirichlet distribution with MASS / MAX_TYPES each, so that a few types have nearly
 * all tasks; logit means of an arm are normal around a centre of the arm, with one variance for all
 * arms; ln kappa is normal around one centre.  Centres and variance have weak priors and are drawn
 * too: kappa of an arm with few rewards comes close to that of the others.
 *
 * A sweep draws the type of each task, the weights, one factor of all kappas (Metropolis), mean and
 * kappa of each arm of each type that has tasks (slice sampling, Neal 2003), and the centres.  A type without tasks is drawn from the
 * prior.  It costs as much as an EM iteration with MAX_TYPES types, and about 15 evaluations of the
 * likelihood of each arm of a type, over its distinct counts.
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay/population/population_em.h"
#include "segue/internal.h"

#define MAX_TYPES      SEGUE_MAX_POPULATION_TYPES
#define MASS           1.0   /* of the Dirichlet prior: the prior number of types grows with it */
#define BURN_IN        200   /* sweeps before the first draw */
#define THINNING       10    /* sweeps per draw */
#define KAPPA_CENTRE   300.0 /* prior of the centre of ln kappa: its own centre ... */
#define CENTRE_SD      3.0   /* ... and standard deviation: 95 % are within 1 and 100,000 */
#define KAPPA_SD       1.0   /* of ln kappa around the centre */
#define SCALE_STEP     1.0   /* of ln kappa, when all are moved */
#define SPREAD_SHAPE   2.0   /* prior of the variance of logit means: inverse gamma */
#define SPREAD_SCALE   1.0
#define FIRST_SPREAD   0.5
#define SLICE_STEPS    16   /* widths of a slice, at most */
#define NEW_TYPES_MASS 1e-3 /* weight of a type that the start does not have */

enum { LOGIT_MEAN, LOG_KAPPA, N_PARAMETERS };

typedef struct sampler {
    population_em em; /* `now` is the state, of MAX_TYPES types */
    uint32_t *type;   /* n_tasks: type of each task */
    double size[MAX_TYPES];
    double *is_member; /* n_tasks: 1 for the tasks of one type */
    double *centre;    /* n_arms: of logit means */
    double spread;     /* variance of logit means around their centre */
    double log_kappa;  /* centre of ln kappa */
    segue_rng rng;
} sampler;

static double logit(double p)
{
    return segue_ln(p / (1.0 - p));
}

static double clamp(double x, double low, double high)
{
    return fmin(high, fmax(low, x));
}

/* ---- mean and kappa of one arm of a type --------------------------------------------------- */

static void store(sampler *s, size_t at, const double *x)
{
    s->em.now.mean[at] = clamp(1.0 / (1.0 + segue_exp(-x[LOGIT_MEAN])), SEGUE_MIN_POPULATION_MEAN,
                               1.0 - SEGUE_MIN_POPULATION_MEAN);
    s->em.now.concentration[at] =
        clamp(segue_exp(x[LOG_KAPPA]), SEGUE_MIN_POPULATION_KAPPA, SEGUE_MAX_POPULATION_KAPPA);
}

/* Log density of (logit mean, ln kappa) given the weighted counts of an arm. */
static double log_density(sampler *s, size_t arm, const double *x)
{
    static const double low = SEGUE_MIN_POPULATION_MEAN;
    const double m = 1.0 / (1.0 + segue_exp(-x[LOGIT_MEAN])), kappa = segue_exp(x[LOG_KAPPA]);
    const double off = x[LOGIT_MEAN] - s->centre[arm], wide = (x[LOG_KAPPA] - s->log_kappa);
    if (m < low || m > 1.0 - low || kappa < SEGUE_MIN_POPULATION_KAPPA ||
        kappa > SEGUE_MAX_POPULATION_KAPPA)
        return -INFINITY;
    return segue_count_table_weighted_log_lik(&s->em.weighted, m * kappa, (1.0 - m) * kappa,
                                              s->em.scratch) -
           0.5 * (off * off / s->spread + wide * wide / (KAPPA_SD * KAPPA_SD));
}

/* Log density with parameter k set to a value. */
static double density_at(sampler *s, size_t arm, const double *x, size_t k, double value)
{
    double moved[N_PARAMETERS];
    memcpy(moved, x, sizeof moved);
    moved[k] = value;
    return log_density(s, arm, moved);
}

/* Update one parameter by slice sampling: draw a level below the density, step out to an interval
 * beyond it, and draw from the interval, shrunk towards x after every miss. */
static void slice(sampler *s, size_t arm, double *x, size_t k, double width)
{
    const double level = log_density(s, arm, x) + segue_ln(1.0 - segue_rng_uniform(&s->rng));
    double low = x[k] - width * segue_rng_uniform(&s->rng), high = low + width;
    size_t left = (size_t)(SLICE_STEPS * segue_rng_uniform(&s->rng));
    size_t right = SLICE_STEPS - 1 - left;
    for (; left > 0 && density_at(s, arm, x, k, low) > level; left--)
        low -= width;
    for (; right > 0 && density_at(s, arm, x, k, high) > level; right--)
        high += width;
    while (high - low > 1e-12) {
        const double value = low + segue_rng_uniform(&s->rng) * (high - low);
        if (density_at(s, arm, x, k, value) > level) {
            x[k] = value;
            return;
        }
        *(value < x[k] ? &low : &high) = value;
    }
}

/* About four standard deviations of a logit mean, given the pulls of the type's tasks. */
static double width_of(const sampler *s, size_t type, double kappa)
{
    const weighted_counts *d = &s->em.weighted;
    double pulls = 0.0;
    for (size_t k = 0; k < d->count[PULLS]; k++)
        pulls += d->weight[PULLS][k] * d->value[PULLS][k];
    return 4.0 / sqrt(1.0 / s->spread + 0.2 * fmin(pulls, s->size[type] * kappa));
}

static void draw_arm(sampler *s, size_t type, size_t arm)
{
    const size_t at = type * s->em.n_arms + arm;
    double x[N_PARAMETERS] = {logit(s->em.now.mean[at]), segue_ln(s->em.now.concentration[at])};
    segue_population_em_weigh(&s->em, arm, s->is_member);
    slice(s, arm, x, LOGIT_MEAN, width_of(s, type, s->em.now.concentration[at]));
    slice(s, arm, x, LOG_KAPPA, 1.5);
    store(s, at, x);
}

static void draw_type(sampler *s, size_t type)
{
    for (size_t l = 0; l < s->em.n_tasks; l++)
        s->is_member[l] = s->type[l] == type;
    for (size_t i = 0; i < s->em.n_arms; i++)
        draw_arm(s, type, i);
}

static void draw_type_from_prior(sampler *s, size_t type)
{
    for (size_t i = 0; i < s->em.n_arms; i++) {
        const double x[N_PARAMETERS] = {s->centre[i] + sqrt(s->spread) * segue_rng_normal(&s->rng),
                                        s->log_kappa + KAPPA_SD * segue_rng_normal(&s->rng)};
        store(s, type * s->em.n_arms + i, x);
    }
}

/* ---- all concentrations together ------------------------------------------------------------ */

/* Return by how much the log-likelihood of a type's tasks grows if its concentrations are
 * multiplied by a factor. */
static double log_lik_change(sampler *s, size_t type, double factor)
{
    const size_t arms = s->em.n_arms;
    double change = 0.0;
    for (size_t l = 0; l < s->em.n_tasks; l++)
        s->is_member[l] = s->type[l] == type;
    for (size_t i = 0; i < arms; i++) {
        const double kappa = s->em.now.concentration[type * arms + i];
        const double a = s->em.now.mean[type * arms + i] * kappa, b = kappa - a;
        const weighted_counts *counts = &s->em.weighted;
        segue_population_em_weigh(&s->em, i, s->is_member);
        change +=
            segue_count_table_weighted_log_lik(counts, a * factor, b * factor, s->em.scratch) -
            segue_count_table_weighted_log_lik(counts, a, b, s->em.scratch);
    }
    return change;
}

static bool is_kappa_allowed(double kappa)
{
    return kappa >= SEGUE_MIN_POPULATION_KAPPA && kappa <= SEGUE_MAX_POPULATION_KAPPA;
}

/* Log of the posterior density after the move over the one before. */
static double log_ratio_of_scales(sampler *s, double step)
{
    const double off = s->log_kappa - segue_ln(KAPPA_CENTRE), moved = off + step,
                 factor = segue_exp(step);
    const size_t arms = s->em.n_arms;
    double ratio = 0.5 * (off * off - moved * moved) / (CENTRE_SD * CENTRE_SD);
    for (size_t q = 0; q < MAX_TYPES; q++) {
        if (!(s->size[q] > 0.0))
            continue;
        for (size_t i = 0; i < arms; i++)
            if (!is_kappa_allowed(factor * s->em.now.concentration[q * arms + i]))
                return -INFINITY;
        ratio += log_lik_change(s, q, factor);
    }
    return ratio;
}

/* Multiply all concentrations and their centre by one factor (Metropolis).  Drawn one by one they
 * hold each other: the centre moves by a fifth of ln kappa per sweep, and spreads that no reward
 * contradicts would depend on the start. */
static void draw_scale(sampler *s)
{
    const double step = SCALE_STEP * segue_rng_normal(&s->rng), factor = segue_exp(step);
    if (segue_ln(1.0 - segue_rng_uniform(&s->rng)) >= log_ratio_of_scales(s, step))
        return;
    s->log_kappa += step;
    for (size_t q = 0; q < MAX_TYPES; q++)
        for (size_t i = 0; i < s->em.n_arms && s->size[q] > 0.0; i++)
            s->em.now.concentration[q * s->em.n_arms + i] *= factor;
}

/* ---- the other parts of a sweep ------------------------------------------------------------ */

static void draw_types_of_tasks(sampler *s)
{
    const size_t n = s->em.n_tasks;
    segue_population_em_expect(&s->em);
    memset(s->size, 0, sizeof s->size);
    for (size_t l = 0; l < n; l++) {
        double rest = segue_rng_uniform(&s->rng);
        size_t q = 0;
        while (q + 1 < MAX_TYPES && (rest -= s->em.posterior[q * n + l]) >= 0.0)
            q++;
        s->type[l] = (uint32_t)q;
        s->size[q] += 1.0;
    }
}

static void draw_weights(sampler *s)
{
    double total = 0.0, *weight = s->em.now.weight;
    for (size_t q = 0; q < MAX_TYPES; q++) {
        weight[q] = segue_exp(segue_rng_log_gamma(&s->rng, MASS / MAX_TYPES + s->size[q]));
        total += weight[q];
    }
    for (size_t q = 0; q < MAX_TYPES; q++)
        weight[q] = fmax(1e-12, weight[q] / total);
}

/* Draw a normal number: prior (centre, precision), and `count` observations of that precision. */
static double draw_centre(segue_rng *rng, double prior, double prior_precision, double sum,
                          double count, double precision)
{
    const double all = prior_precision + count * precision;
    return (prior * prior_precision + sum * precision) / all + segue_rng_normal(rng) / sqrt(all);
}

/* Draw the centre of an arm's logit means; add the squares of their deviations to `squares`. */
static void draw_arm_centre(sampler *s, size_t arm, double *squares)
{
    const size_t arms = s->em.n_arms;
    double sum = 0.0, count = 0.0;
    for (size_t q = 0; q < MAX_TYPES; q++)
        if (s->size[q] > 0.0) {
            sum += logit(s->em.now.mean[q * arms + arm]);
            count += 1.0;
        }
    s->centre[arm] =
        draw_centre(&s->rng, logit(s->em.arm_mean[arm]), 1.0, sum, count, 1.0 / s->spread);
    for (size_t q = 0; q < MAX_TYPES; q++)
        if (s->size[q] > 0.0)
            *squares += segue_pow(logit(s->em.now.mean[q * arms + arm]) - s->centre[arm], 2.0);
}

static void draw_centres(sampler *s)
{
    const size_t arms = s->em.n_arms;
    double squares = 0.0, sum = 0.0, count = 0.0;
    for (size_t i = 0; i < arms; i++)
        draw_arm_centre(s, i, &squares);
    for (size_t q = 0; q < MAX_TYPES; q++)
        for (size_t i = 0; i < arms && s->size[q] > 0.0; i++) {
            sum += segue_ln(s->em.now.concentration[q * arms + i]);
            count += 1.0;
        }
    s->log_kappa = draw_centre(&s->rng, segue_ln(KAPPA_CENTRE), 1.0 / (CENTRE_SD * CENTRE_SD), sum,
                               count, 1.0 / (KAPPA_SD * KAPPA_SD));
    s->spread = (SPREAD_SCALE + 0.5 * squares) /
                segue_exp(segue_rng_log_gamma(&s->rng, SPREAD_SHAPE + 0.5 * count));
}

static void sweep(sampler *s)
{
    draw_types_of_tasks(s);
    draw_weights(s);
    draw_scale(s);
    for (size_t q = 0; q < MAX_TYPES; q++)
        if (s->size[q] > 0.0)
            draw_type(s, q);
    draw_centres(s);
    for (size_t q = 0; q < MAX_TYPES; q++)
        if (!(s->size[q] > 0.0))
            draw_type_from_prior(s, q);
}

/* ---- all --------------------------------------------------------------------------------- */

static void start_from(sampler *s, const segue_population *start)
{
    segue_population *now = &s->em.now;
    const double dispersion = now->dispersion;
    segue_population_em_copy(now, start);
    now->dispersion = dispersion;
    s->spread = FIRST_SPREAD;
    s->log_kappa = segue_ln(KAPPA_CENTRE);
    for (size_t i = 0; i < s->em.n_arms; i++)
        s->centre[i] = logit(s->em.arm_mean[i]);
    for (size_t q = start->n_types; q < MAX_TYPES; q++) {
        now->weight[q] = NEW_TYPES_MASS;
        draw_type_from_prior(s, q);
    }
    now->n_types = MAX_TYPES;
}

/* Copy the types that have tasks, by descending weight. */
static segue_status copy_draw(sampler *s, segue_population *out, segue_error *err)
{
    segue_population *now = &s->em.now;
    const size_t arms = now->n_arms;
    size_t count = 0;
    double total = 0.0;
    segue_population types;
    SEGUE_TRY(segue_population_init(&types, arms, MAX_TYPES, err));
    types.dispersion = now->dispersion;
    types.log_likelihood = now->log_likelihood;
    for (size_t q = 0; q < MAX_TYPES; q++) {
        if (!(s->size[q] > 0.0))
            continue;
        types.weight[count] = now->weight[q];
        total += now->weight[q];
        memcpy(types.mean + count * arms, now->mean + q * arms, arms * sizeof *types.mean);
        memcpy(types.concentration + count * arms, now->concentration + q * arms,
               arms * sizeof *types.concentration);
        count++;
    }
    types.n_types = count;
    for (size_t q = 0; q < count; q++)
        types.weight[q] /= total;
    const segue_status status = segue_population_init(out, arms, count, err);
    if (status == SEGUE_OK)
        segue_population_em_copy_sorted(out, &types);
    segue_population_fini(&types);
    return status;
}

static segue_status sampler_init(sampler *s, const segue_counts *counts, const size_t *task,
                                 size_t count, segue_error *err)
{
    s->type = calloc(count, sizeof *s->type);
    s->is_member = calloc(count + counts->n_arms, sizeof *s->is_member);
    if (!s->type || !s->is_member)
        return segue_fail_no_memory(err, "the draws of the distribution of tasks");
    s->centre = s->is_member + count;
    return segue_population_em_init(&s->em, counts, task, count, MAX_TYPES, err);
}

static void sampler_fini(sampler *s)
{
    segue_population_em_fini(&s->em);
    free(s->type);
    free(s->is_member);
}

segue_status segue_population_sample(segue_population *out, size_t n_draws,
                                     const segue_counts *counts, const segue_population *start,
                                     const segue_population_config *config, segue_error *err)
{
    const size_t limit = SEGUE_MAX_POPULATION_TASKS;
    const size_t count = counts->n_tasks < limit ? counts->n_tasks : limit;
    size_t task[SEGUE_MAX_POPULATION_TASKS];
    sampler s = {.type = NULL};
    assert(start->n_arms == counts->n_arms && start->n_types <= MAX_TYPES);
    memset(out, 0, n_draws * sizeof *out);
    segue_rng_init(&s.rng, config->seed, config->run, 1, SEGUE_STREAM_ESTIMATOR);
    segue_population_em_sample_tasks(&s.rng, counts->n_tasks, count, task);
    segue_status status = sampler_init(&s, counts, task, count, err);
    if (status == SEGUE_OK)
        start_from(&s, start);
    for (size_t k = 0; k < n_draws && status == SEGUE_OK; k++) {
        const size_t steps = k == 0 ? BURN_IN : THINNING;
        for (size_t step = 0; step < steps && !segue_stop_requested(config->stop); step++)
            sweep(&s);
        status = segue_stop_check(config->stop, err);
        if (status == SEGUE_OK)
            status = copy_draw(&s, &out[k], err);
    }
    for (size_t k = 0; k < n_draws && status != SEGUE_OK; k++)
        segue_population_fini(&out[k]);
    sampler_fini(&s);
    return status;
}
