/* estimator.c - create and destroy an estimator, and add tasks to it.
 *
 * An estimator works in three steps, one file each: fit (estimator_fit.c), the verdict on the fit
 * (estimator_verdict.c), and its bytes (estimator_serialize.c).  One thread at a time may use it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/estimator.h"

#include <stdlib.h>

#include "core/fail.h"
#include "core/struct_size.h"
#include "estimate/estimator_state.h"

#define MAX_ALPHA0 1e6
#define WINDOW     8192
#define MAX_STARTS 1000
#define MAX_STEPS  1000

static const segue_struct_size config_size = {.type = "segue_estimator_config",
                                              .first = sizeof(segue_estimator_config),
                                              .now = sizeof(segue_estimator_config)};

void segue_estimator_config_init(segue_estimator_config *config, size_t size)
{
    const segue_estimator_config defaults = {
        .method = "rtp", .starts = 24, .steps = 40, .window = WINDOW, .seed = 1};
    segue_struct_size_init(&config_size, &defaults, config, size);
}

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
    segue_task_window_init(&est->counts.tasks, own.n_arms, own.window);
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
           segue_task_window_bytes(&est->counts.tasks);
}

void segue_estimator_destroy(segue_estimator *est)
{
    if (!est)
        return;
    segue_spectral_fini(&est->fit.s);
    segue_tensor_power_fini(&est->fit.power);
    segue_models_destroy(est->models);
    segue_task_window_fini(&est->counts.tasks);
    free(est->memory);
    free(est);
}

const segue_models *segue_estimator_models(const segue_estimator *est)
{
    return est->models;
}

uint64_t segue_estimator_tasks(const segue_estimator *est)
{
    return est->counts.added;
}

segue_status segue_estimator_add(segue_estimator *est, const double *sum, const double *pulls,
                                 segue_error *err)
{
    return est->method->info.uses_counts ? segue_em_counts_add(&est->counts, sum, pulls, err)
                                         : SEGUE_OK;
}
