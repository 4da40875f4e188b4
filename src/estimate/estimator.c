/* estimator.c - one way in for all methods: the spectrum, the method, weights, names, a verdict.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/estimator.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/struct_size.h"
#include "estimate/em_counts.h"
#include "estimate/estimator_internal.h"
#include "estimate/estimator_method.h"

#define COLD_BELOW    100  /* tasks: until then every fit is cold ... */
#define COLD_GROWTH   1.05 /* ... and then each time the tasks have grown by this */
#define MAX_ALPHA0    1e6
#define WINDOW        8192
#define MIN_CERTAINTY 0.8 /* em: of how far tasks are told apart */
#define FEW_TIMES     10  /* times the models: fewer tell little, whatever the spectrum says */
#define MAX_SUM_ERROR 0.3 /* of the sum of the weights from 1 */
#define MAX_STARTS    1000
#define MAX_STEPS     1000

/* What the last fit came to. */
typedef enum outcome_kind { NOTHING_YET, FEW_TASKS, FEW_ARMS, LOW_RANK, FOUND } outcome_kind;

struct segue_estimator {
    segue_estimator_config config;
    const estimator_method *method;
    fit fit;
    double *memory;       /* of the fit's arrays */
    segue_models *models; /* the last estimate, or NULL */
    double *weight;       /* m: what its weights were made of */
    double *best;         /* the better of two answers, while the other is made: see refresh */
    uint64_t cold_at;     /* the next cold fit is at so many tasks */
    counted counted;      /* em only */
    outcome_kind outcome;
    uint64_t used;            /* tasks that counted in the last fit */
    segue_estimate_info info; /* but for the verdict, which is put into words when asked for */
};

static const segue_struct_size config_size = {.type = "segue_estimator_config",
                                              .first = sizeof(segue_estimator_config),
                                              .now = sizeof(segue_estimator_config)};

void segue_estimator_config_init(segue_estimator_config *config, size_t size)
{
    const segue_estimator_config defaults = {
        .method = "rtp", .starts = 24, .steps = 40, .window = WINDOW, .seed = 1};
    segue_struct_size_init(&config_size, &defaults, config, size);
}

void segue_estimator_random_direction(segue_rng *rng, size_t m, double *v)
{
    double square = 0.0;
    for (size_t a = 0; a < m; a++) {
        v[a] = segue_rng_normal(rng);
        square += v[a] * v[a];
    }
    for (size_t a = 0; a < m; a++)
        v[a] /= sqrt(square);
}

void segue_estimator_tensor_slice(const double *tensor, size_t m, const double *theta,
                                  double *slice)
{
    for (size_t i = 0; i < m * m; i++) {
        slice[i] = 0.0;
        for (size_t c = 0; c < m; c++)
            slice[i] += tensor[i * m + c] * theta[c];
    }
}

/* ---- making one -------------------------------------------------------------------------- */

static segue_status check_config(const segue_estimator_config *config,
                                 const segue_estimator_method *method, segue_error *err)
{
    if (config->n_arms < SEGUE_MIN_ARMS || config->n_arms > SEGUE_MAX_ARMS)
        return segue_fail(err, SEGUE_EDOMAIN, "n_arms is %zu; need %d to %d", config->n_arms,
                          SEGUE_MIN_ARMS, SEGUE_MAX_ARMS);
    if (config->n_models < 1 || config->n_models > SEGUE_MAX_ESTIMATED)
        return segue_fail(err, SEGUE_EDOMAIN, "n_models is %zu; need 1 to %d", config->n_models,
                          SEGUE_MAX_ESTIMATED);
    if (config->starts < 1 || config->starts > MAX_STARTS)
        return segue_fail(err, SEGUE_EDOMAIN, "starts is %zu; need 1 to %d", config->starts,
                          MAX_STARTS);
    if (config->steps < 1 || config->steps > MAX_STEPS)
        return segue_fail(err, SEGUE_EDOMAIN, "steps is %zu; need 1 to %d", config->steps,
                          MAX_STEPS);
    if (config->weights != SEGUE_WEIGHTS_LEAST_SQUARES && config->weights != SEGUE_WEIGHTS_LAMBDA)
        return segue_fail(err, SEGUE_EDOMAIN, "there are no weights %d", (int)config->weights);
    if (method->uses_counts &&
        (config->window < SEGUE_MIN_WINDOW || config->window > SEGUE_MAX_WINDOW))
        return segue_fail(err, SEGUE_EDOMAIN, "the window is %zu tasks; need %d to %d",
                          config->window, SEGUE_MIN_WINDOW, SEGUE_MAX_WINDOW);
    if (!(config->alpha0 >= 0.0 && config->alpha0 <= MAX_ALPHA0) ||
        (config->alpha0 > 0.0 && !method->uses_alpha0))
        return segue_fail(err, SEGUE_EDOMAIN, "alpha0 is %g; need 0 to 1e6, and 0 unless eca",
                          config->alpha0);
    return SEGUE_OK;
}

static segue_status find_method(const char *name, const estimator_method **out, segue_error *err)
{
    *out = name ? segue_estimator_method_object(name) : NULL;
    if (*out)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_ENAME,
                      "there is no estimator '%.40s'; need one of " ESTIMATOR_NAMES(", "),
                      name ? name : "");
}

/* What a fit answers with: means, lambdas, weights, one behind the other. */
static size_t answer_size(const fit *f)
{
    return f->m * f->n_arms + 2 * f->m;
}

static segue_status reserve(segue_estimator *est, segue_error *err)
{
    fit *f = &est->fit;
    const size_t m = est->config.n_models, n = est->config.n_arms;
    f->config = &est->config;
    f->n_arms = n;
    f->m = m;
    est->memory = calloc(2 * answer_size(f) + 9 * m * m + 4 * m, sizeof *est->memory);
    if (!est->memory)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to estimate %zu models of %zu arms", m,
                          n);
    f->mean = est->memory;
    f->lambda = f->mean + m * n;
    f->weight = f->lambda + m;
    est->best = f->weight + m;
    est->weight = est->best + answer_size(f);
    f->scratch = est->weight + m;
    const segue_status status = segue_spectral_init(&f->s, n, m, err);
    if (status != SEGUE_OK)
        return status;
    return segue_tensor_power_init(&f->power, m, m + est->config.starts + LANES, err);
}

segue_status segue_estimator_create(segue_estimator **out, const segue_estimator_config *config,
                                    segue_error *err)
{
    segue_estimator_config own = segue_estimator_defaults();
    const estimator_method *method;
    *out = NULL;
    SEGUE_TRY(segue_struct_size_copy(&config_size, config, &own, err));
    SEGUE_TRY(find_method(own.method, &method, err));
    SEGUE_TRY(check_config(&own, &method->info, err));
    segue_estimator *est = calloc(1, sizeof *est);
    if (!est)
        return segue_fail_no_memory(err, "an estimator");
    est->config = own;
    est->config.method = method->info.name;
    est->method = method;
    segue_task_window_init(&est->counted.tasks, own.n_arms, own.window);
    const segue_status status = reserve(est, err);
    if (status != SEGUE_OK) {
        segue_estimator_destroy(est);
        return status;
    }
    *out = est;
    return SEGUE_OK;
}

size_t segue_estimator_bytes(const segue_estimator *est)
{
    const size_t m = est->config.n_models, n = est->config.n_arms;
    const size_t answers = 2 * answer_size(&est->fit) + 9 * m * m + 4 * m;
    const size_t form = 2 * n + n * m + m + 2 * m * m * m;
    return sizeof *est + (answers + form) * sizeof(double) +
           segue_task_window_bytes(&est->counted.tasks);
}

void segue_estimator_destroy(segue_estimator *est)
{
    if (!est)
        return;
    segue_spectral_fini(&est->fit.s);
    segue_tensor_power_fini(&est->fit.power);
    segue_models_destroy(est->models);
    segue_task_window_fini(&est->counted.tasks);
    free(est->memory);
    free(est);
}

const segue_models *segue_estimator_models(const segue_estimator *est)
{
    return est->models;
}

uint64_t segue_estimator_tasks(const segue_estimator *est)
{
    return est->counted.told;
}

segue_status segue_estimator_add(segue_estimator *est, const double *sum, const double *pulls,
                                 segue_error *err)
{
    return est->method->info.uses_counts ? segue_em_counts_add(&est->counted, sum, pulls, err)
                                         : SEGUE_OK;
}

/* ---- the verdict ------------------------------------------------------------------------- */

static const char *ordinal(size_t k)
{
    if (k % 100 >= 11 && k % 100 <= 13)
        return "th";
    return k % 10 == 1 ? "st" : k % 10 == 2 ? "nd" : k % 10 == 3 ? "rd" : "th";
}

/* An eigenvalue below this share of the largest is taken for none. */
static double rank_tolerance(const fit *f)
{
    return f->n_arms > SEGUE_MAX_DENSE_ARMS ? 1e-6
                                            : 1e-9; /* views in single precision are rounded */
}

/* Whether the moments can hold m models at all. */
static outcome_kind judge(const fit *f, uint64_t n_tasks)
{
    const double *eigenvalue = f->s.eigenvalue;
    if (n_tasks < f->m)
        return FEW_TASKS;
    if (f->m > f->n_arms)
        return FEW_ARMS;
    return eigenvalue[f->m - 1] > rank_tolerance(f) * eigenvalue[0] ? FOUND : LOW_RANK;
}

/* The first lambda that no model can have, or m: a true one is 1 / sqrt(rho) >= 1. */
static size_t odd_lambda(const fit *f, uint64_t n_tasks)
{
    size_t k = 0;
    while (k < f->m && f->lambda[k] >= 0.9 && f->lambda[k] <= sqrt((double)n_tasks))
        k++;
    return k;
}

/* Why there is no estimate. */
static void describe_failure(const segue_estimator *est, char *out)
{
    const fit *f = &est->fit;
    const double last = f->m <= f->n_arms ? f->s.eigenvalue[f->m - 1] : 0.0;
    if (est->outcome == NOTHING_YET)
        (void)snprintf(out, SEGUE_VERDICT_SIZE, "none: nothing was estimated yet");
    else if (est->outcome == FEW_TASKS)
        (void)snprintf(out, SEGUE_VERDICT_SIZE, "none: %" PRIu64 " tasks are fewer than %zu models",
                       est->used, f->m);
    else if (est->outcome == FEW_ARMS)
        (void)snprintf(out, SEGUE_VERDICT_SIZE, "none: %zu models are more than %zu arms", f->m,
                       f->n_arms);
    else
        (void)snprintf(out, SEGUE_VERDICT_SIZE, "none: the %zu%s eigenvalue is %.3g, so that %s",
                       f->m, ordinal(f->m), last,
                       f->m > 1 ? "there are fewer models" : "there is nothing to tell");
}

/* The same, where the likelihood has chosen. */
static void describe_likelihood(const segue_estimator *est, char *out)
{
    const segue_estimate_info *info = &est->info;
    const double n = (double)info->n_tasks;
    size_t least = 0;
    for (size_t k = 1; k < info->n_models; k++)
        if (est->models->weight[k] < est->models->weight[least])
            least = k;
    if (info->n_tasks < FEW_TIMES * info->n_models)
        (void)snprintf(out, SEGUE_VERDICT_SIZE, "weak: %" PRIu64 " tasks are few for %zu models",
                       info->n_tasks, info->n_models);
    else if (n * est->models->weight[least] < 2.0)
        (void)snprintf(out, SEGUE_VERDICT_SIZE,
                       "weak: model %zu has %.2g of %" PRIu64 " tasks, so that there may be fewer",
                       least + 1, n * est->models->weight[least], info->n_tasks);
    else
        (void)snprintf(out, SEGUE_VERDICT_SIZE,
                       "%s: %zu models tell %" PRIu64 " tasks apart with %.3g %% certainty",
                       info->certainty < MIN_CERTAINTY ? "weak" : "good", info->n_models,
                       info->n_tasks, 100.0 * info->certainty);
}

/* How far to trust it. */
static void describe_quality(const segue_estimator *est, char *out)
{
    const fit *f = &est->fit;
    const segue_estimate_info *info = &est->info;
    const double last = f->s.eigenvalue[f->m - 1];
    const size_t odd = odd_lambda(f, info->n_tasks);
    if (last <= info->noise)
        (void)snprintf(out, SEGUE_VERDICT_SIZE,
                       "weak: the %zu%s eigenvalue, %.2g, is within its noise, %.2g, at %" PRIu64
                       " tasks",
                       f->m, ordinal(f->m), last, info->noise, info->n_tasks);
    else if (odd < f->m && f->config->alpha0 <= 0.0)
        (void)snprintf(out, SEGUE_VERDICT_SIZE,
                       "weak: the %zu%s component has lambda %.3g, and none can be below 1 or so "
                       "large, at %" PRIu64 " tasks",
                       odd + 1, ordinal(odd + 1), f->lambda[odd], info->n_tasks);
    else if (fabs(info->weight_sum - 1.0) > MAX_SUM_ERROR)
        (void)snprintf(out, SEGUE_VERDICT_SIZE,
                       "weak: the weights sum to %.3g before they are normalised, at %" PRIu64
                       " tasks",
                       info->weight_sum, info->n_tasks);
    else if (info->n_tasks < FEW_TIMES * f->m)
        (void)snprintf(out, SEGUE_VERDICT_SIZE, "weak: %" PRIu64 " tasks are few for %zu models",
                       info->n_tasks, f->m);
    else
        (void)snprintf(out, SEGUE_VERDICT_SIZE,
                       "good: all %zu eigenvalues stand out of the noise, %.2g, at %" PRIu64
                       " tasks",
                       f->m, info->noise, info->n_tasks);
}

segue_estimate_info segue_estimator_info(const segue_estimator *est)
{
    segue_estimate_info info = est->info;
    if (est->outcome != FOUND)
        describe_failure(est, info.verdict);
    else if (est->method->info.uses_counts)
        describe_likelihood(est, info.verdict);
    else
        describe_quality(est, info.verdict);
    return info;
}

/* ---- one fit ----------------------------------------------------------------------------- */

/* Solve from the spectral form. */
static segue_status solve(segue_estimator *est, bool from_last, bool full, segue_error *err)
{
    fit *f = &est->fit;
    segue_spectral_reset(&f->s);
    f->previous = from_last && est->models ? est->models->mean : NULL;
    f->full = full;
    return est->method->solve(f, err);
}

/* A cold fit beside the warm one: the smaller residual is kept. */
static segue_status refresh(segue_estimator *est, segue_error *err)
{
    fit *f = &est->fit;
    const double warm_residual = f->residual;
    memcpy(est->best, f->mean, answer_size(f) * sizeof *est->best);
    const segue_status status = solve(est, true, true, err);
    if (status == SEGUE_OK && warm_residual < f->residual) {
        memcpy(f->mean, est->best, answer_size(f) * sizeof *est->best);
        f->residual = warm_residual;
    } else {
        est->info.warm = false;
    }
    return status;
}

static segue_status solve_warm_or_cold(segue_estimator *est, uint64_t n_tasks, segue_error *err)
{
    fit *f = &est->fit;
    const bool warm = est->models && !est->config.cold && est->method->info.uses_starts;
    f->starts = 0;
    f->iterations = 0;
    f->residual = 0.0;
    segue_rng_init(&f->rng, est->config.seed, est->config.run, n_tasks, SEGUE_STREAM_ESTIMATOR);
    est->info.warm = warm;
    segue_status status = solve(est, warm, !warm, err);
    if (status == SEGUE_OK && warm && n_tasks >= est->cold_at)
        status = refresh(est, err);
    if (n_tasks >= est->cold_at)
        est->cold_at =
            n_tasks < COLD_BELOW ? n_tasks + 1 : (uint64_t)ceil(COLD_GROWTH * (double)n_tasks);
    return status;
}

/* The weights of the set: as configured, with those by lambda where the others fail. */
static segue_status set_weights(segue_estimator *est, segue_error *err)
{
    const fit *f = &est->fit;
    segue_status status = SEGUE_EDOMAIN;
    if (est->config.weights == SEGUE_WEIGHTS_LEAST_SQUARES)
        status = segue_weights_nonnegative(f->m, f->n_arms, f->mean, f->s.first, est->weight, err);
    if (status == SEGUE_EDOMAIN)
        memcpy(est->weight, f->weight, f->m * sizeof *est->weight);
    return status == SEGUE_ENOMEM ? status : SEGUE_OK;
}

/* Put row `from` of the answer to place `to` of `into`. */
static void put(const fit *f, const double *weight, double *into, size_t from, size_t to)
{
    memcpy(into + to * f->n_arms, f->mean + from * f->n_arms, f->n_arms * sizeof *into);
    into[f->m * f->n_arms + to] = f->lambda[from];
    into[f->m * f->n_arms + f->m + to] = weight[from];
}

static segue_status make_set(const segue_estimator *est, segue_models **out, segue_error *err)
{
    const fit *f = &est->fit;
    return segue_models_create(out, SEGUE_MODELS_ESTIMATED, f->n_arms, f->m, f->mean, est->weight,
                               err);
}

/* Order the answer by `match`; whether that changed anything. */
static bool reorder(segue_estimator *est, const size_t *match)
{
    fit *f = &est->fit;
    size_t k = 0;
    while (k < f->m && match[k] == k)
        k++;
    if (k == f->m)
        return false;
    for (k = 0; k < f->m; k++)
        put(f, est->weight, est->best, match[k], k);
    memcpy(f->mean, est->best, (f->m * f->n_arms + f->m) * sizeof *f->mean);
    memcpy(est->weight, est->best + f->m * f->n_arms + f->m, f->m * sizeof *est->weight);
    return true;
}

/* A model keeps its number: order the answer like the set before. */
static segue_status name_models(segue_estimator *est, segue_error *err)
{
    fit *f = &est->fit;
    segue_models *fresh = NULL;
    size_t match[SEGUE_MAX_ESTIMATED];
    for (size_t i = 0; i < f->m * f->n_arms; i++) /* noise can throw an estimate anywhere */
        f->mean[i] = fmin(SEGUE_MAX_ABS_MEAN, fmax(-SEGUE_MAX_ABS_MEAN, f->mean[i]));
    segue_status status = make_set(est, &fresh, err);
    if (status == SEGUE_OK && est->models)
        status = segue_models_match(est->models, fresh, match, err);
    if (status == SEGUE_OK && est->models && reorder(est, match)) {
        segue_models_destroy(fresh);
        status = make_set(est, &fresh, err);
    }
    if (status != SEGUE_OK) {
        segue_models_destroy(fresh);
        return status;
    }
    segue_models_destroy(est->models);
    est->models = fresh;
    return SEGUE_OK;
}

/* Models from the moments alone. */
static segue_status fit_moments(segue_estimator *est, const segue_moments *moments,
                                segue_error *err)
{
    segue_status status = segue_spectral_project(&est->fit.s, moments, err);
    if (status == SEGUE_OK)
        status = solve_warm_or_cold(est, segue_moments_tasks(moments), err);
    return status == SEGUE_OK ? set_weights(est, err) : status;
}

/* em: from the moments' answer and from the last one (or random ones) to the likeliest models of
 * the counts. */
static segue_status fit_counts(segue_estimator *est, segue_error *err)
{
    fit *f = &est->fit;
    em_start starts[2];
    size_t n_starts = 0;
    if (est->outcome == FOUND)
        starts[n_starts++] = (em_start){f->mean, est->weight};
    const bool first = !est->models || est->config.cold;
    if (!first)
        starts[n_starts++] = (em_start){est->models->mean, est->models->weight};
    est->used = est->info.n_tasks = est->counted.tasks.count;
    est->outcome = est->used < f->m ? FEW_TASKS : FOUND;
    if (est->outcome != FOUND)
        return SEGUE_OK;
    segue_rng_init(&f->rng, est->config.seed, est->config.run, est->counted.told,
                   SEGUE_STREAM_ESTIMATOR); /* which the moments' method may have used: no harm */
    return segue_em_counts_fit(&est->counted, f->m, starts, n_starts, first ? &f->rng : NULL,
                               f->mean, est->weight, err);
}

/* What there is to tell of a fit to counts. */
static void set_em_info(segue_estimator *est)
{
    segue_estimate_info *info = &est->info;
    info->lambda = NULL;
    info->residual = 0.0;
    info->weight_sum = 1.0;
    info->iterations = est->counted.iterations;
    info->starts = est->counted.starts;
    info->log_likelihood = est->counted.log_likelihood;
    info->certainty = est->counted.certainty;
}

static void set_info(segue_estimator *est)
{
    const fit *f = &est->fit;
    segue_estimate_info *info = &est->info;
    info->found = true;
    if (est->method->info.uses_counts) {
        set_em_info(est);
        return;
    }
    info->lambda = f->lambda;
    info->residual = f->residual;
    info->iterations = f->iterations;
    info->starts = f->starts;
    info->weight_sum = 0.0;
    for (size_t k = 0; k < f->m; k++)
        info->weight_sum += f->weight[k];
}

static segue_status fit_all(segue_estimator *est, const segue_moments *moments, segue_error *err)
{
    fit *f = &est->fit;
    const uint64_t n_tasks = segue_moments_tasks(moments);
    est->info = (segue_estimate_info){
        .n_tasks = n_tasks, .n_arms = f->n_arms, .n_models = f->m, .eigenvalue = f->s.eigenvalue};
    segue_status status = SEGUE_OK;
    const bool any = n_tasks > 0 && segue_moments_weight(moments) > 0.0;
    if (est->config.cold)
        f->s.has_leading = false;
    if (any)
        status = segue_spectral_diagonalise(&f->s, moments, est->config.alpha0, err);
    if (status != SEGUE_OK)
        return status;
    est->info.n_eigenvalues = f->s.n_values;
    est->info.noise = any ? f->s.noise : 0.0;
    est->used = any ? n_tasks : 0;
    est->outcome = judge(f, est->used);
    if (est->outcome == FOUND)
        status = fit_moments(est, moments, err);
    if (status == SEGUE_OK && est->method->info.uses_counts)
        status = fit_counts(est, err);
    if (status == SEGUE_OK && est->outcome != FOUND) {
        segue_models_destroy(est->models);
        est->models = NULL;
        return SEGUE_OK;
    }
    if (status == SEGUE_OK)
        status = name_models(est, err);
    if (status == SEGUE_OK)
        set_info(est);
    return status;
}

segue_status segue_estimator_fit(segue_estimator *est, const segue_moments *moments,
                                 segue_error *err)
{
    if (segue_moments_arms(moments) != est->fit.n_arms)
        return segue_fail(err, SEGUE_EDOMAIN, "the moments are of %zu arms, the estimator of %zu",
                          segue_moments_arms(moments), est->fit.n_arms);
    const segue_estimate_info info = est->info;
    const outcome_kind outcome = est->outcome;
    const uint64_t used = est->used, cold_at = est->cold_at;
    const segue_status status = fit_all(est, moments, err);
    if (status != SEGUE_OK) { /* the last estimate stays, and what is said of it */
        est->info = info;
        est->outcome = outcome;
        est->used = used;
        est->cold_at = cold_at;
    }
    return status;
}

/* ---- saving ------------------------------------------------------------------------------ */

void segue_estimator_serialize(const segue_estimator *est, segue_bytes *b)
{
    const fit *f = &est->fit;
    const segue_estimate_info *info = &est->info;
    const double numbers[] = {info->noise, info->residual, info->weight_sum};
    segue_bytes_append_u64(b, est->models != NULL);
    segue_bytes_append_u64(b, est->outcome);
    segue_bytes_append_u64(b, est->used);
    segue_bytes_append_u64(b, est->cold_at);
    segue_bytes_append_u64(b, info->n_tasks);
    segue_bytes_append_u64(b, info->iterations);
    segue_bytes_append_u64(b, info->starts);
    segue_bytes_append_u64(b, info->warm);
    segue_bytes_append_f64(b, numbers, 3);
    segue_spectral_serialize(&f->s, b);
    segue_bytes_append_f64(b, f->lambda, f->m);
    if (est->models) {
        segue_bytes_append_f64(b, est->models->mean, f->m * f->n_arms);
        segue_bytes_append_f64(b, est->models->weight, f->m);
    }
    if (est->method->info.uses_counts)
        segue_em_counts_serialize(&est->counted, b);
}

static void get_info(segue_estimator *est, segue_bytes_reader *r)
{
    const fit *f = &est->fit;
    double numbers[3];
    est->info =
        (segue_estimate_info){.n_arms = f->n_arms, .n_models = f->m, .eigenvalue = f->s.eigenvalue};
    est->info.n_tasks = segue_bytes_read_count(r);
    est->info.iterations = segue_bytes_read_count(r);
    est->info.starts = segue_bytes_read_count(r);
    est->info.warm = segue_bytes_read_u64(r) != 0;
    segue_bytes_read_f64(r, numbers, 3);
    est->info.noise = numbers[0];
    est->info.residual = numbers[1];
    est->info.weight_sum = numbers[2];
    segue_spectral_deserialize(&est->fit.s, r);
    est->info.n_eigenvalues = f->s.n_values;
    segue_bytes_read_f64(r, f->lambda, f->m);
}

static segue_status get_models(segue_estimator *est, segue_bytes_reader *r, segue_error *err)
{
    const fit *f = &est->fit;
    segue_bytes_read_f64(r, f->mean, f->m * f->n_arms);
    segue_bytes_read_f64(r, est->weight, f->m);
    const segue_status status = segue_models_create(&est->models, SEGUE_MODELS_ESTIMATED, f->n_arms,
                                                    f->m, f->mean, est->weight, err);
    if (status == SEGUE_OK) /* they were normalised before: take them as they are */
        memcpy(est->models->weight, est->weight, f->m * sizeof *est->weight);
    return status;
}

static segue_status deserialize_counts(segue_estimator *est, segue_bytes_reader *r,
                                       segue_error *err)
{
    const segue_status status = segue_em_counts_deserialize(&est->counted, r, err);
    if (status == SEGUE_OK && est->info.found)
        set_em_info(est);
    return status;
}

segue_status segue_estimator_deserialize(segue_estimator *est, segue_bytes_reader *r,
                                         segue_error *err)
{
    const bool found = segue_bytes_read_u64(r) != 0;
    const uint64_t outcome = segue_bytes_read_u64(r);
    est->used = segue_bytes_read_count(r);
    est->cold_at = segue_bytes_read_count(r);
    get_info(est, r);
    est->info.found = found;
    if (outcome > FOUND || found != (outcome == FOUND))
        return segue_fail(err, SEGUE_EDOMAIN, "what its estimate came to cannot be");
    est->outcome = (outcome_kind)outcome;
    segue_models_destroy(est->models);
    est->models = NULL;
    const segue_status status = found ? get_models(est, r, err) : SEGUE_OK;
    return status == SEGUE_OK && est->method->info.uses_counts ? deserialize_counts(est, r, err)
                                                               : status;
}

/* ---- a copy to fit aside ----------------------------------------------------------------- */

static segue_status copy_bytes(segue_estimator *est, const segue_bytes *b, segue_error *err)
{
    segue_bytes_reader r = {.data = b->data, .size = b->size};
    return b->failed ? segue_fail(err, SEGUE_ENOMEM, "out of memory to copy an estimator")
                     : segue_estimator_deserialize(est, &r, err);
}

segue_status segue_estimator_copy(segue_estimator **out, const segue_estimator *from,
                                  segue_error *err)
{
    segue_bytes b = {.data = NULL};
    segue_status status = segue_estimator_create(out, &from->config, err);
    if (status != SEGUE_OK)
        return status;
    segue_estimator_serialize(from, &b);
    status = copy_bytes(*out, &b, err);
    segue_bytes_fini(&b);
    if (status == SEGUE_OK)
        return SEGUE_OK;
    segue_estimator_destroy(*out);
    *out = NULL;
    return status;
}

static void swap_tasks(counted *a, counted *b)
{
    const ring tasks = a->tasks;
    const uint64_t told = a->told;
    a->tasks = b->tasks;
    a->told = b->told;
    b->tasks = tasks;
    b->told = told;
}

void segue_estimator_swap(segue_estimator *a, segue_estimator *b)
{
    const segue_estimator one = *a;
    *a = *b;
    *b = one;
    a->fit.config = &a->config;
    b->fit.config = &b->config;
    swap_tasks(&a->counted, &b->counted);
}
