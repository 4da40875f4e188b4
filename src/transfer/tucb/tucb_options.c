/* tucb_options.c - the options of tUCB.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "estimate/estimator_method.h"
#include "transfer/tucb/tucb.h"

#define HOLD_PULLS 0.1  /* default of hold with weights=pulls: docs/math.md */
#define MIN_GROWTH 0.05 /* where a fit reads all tasks: em, and above SEGUE_MAX_DENSE_ARMS arms */

const segue_option segue_tucb_options[TUCB_N_OPTIONS] = {
    [TUCB_MODELS] = {.key = "models",
                     .help = "how many to look for (default: as many as the model set has)",
                     .min = 1.0,
                     .max = SEGUE_MAX_ESTIMATED,
                     .whole = true,
                     .default_value = NAN},
    [TUCB_C] = {.key = "C",
                .help = "of eps = C sqrt(log(2mKJ/delta)/j); 0: by doubling (default 2)",
                .min = 0.0,
                .max = 1e6,
                .default_value = 2.0},
    [TUCB_VIEWS] = {.key = "views",
                    .help = "pairs of views in M2: paper, symmetric (default paper)",
                    .choices = "paper|symmetric"},
    [TUCB_BATCHES] = {.key = "batches",
                      .help = "consecutive or interleaved (default consecutive)",
                      .choices = "consecutive|interleaved"},
    [TUCB_STARTS] = {.key = "L",
                     .help = "random starts of the power method (default 24)",
                     .min = 1.0,
                     .max = 1000.0,
                     .whole = true,
                     .default_value = 24.0},
    [TUCB_STEPS] = {.key = "N",
                    .help = "its iterations (default 40)",
                    .min = 1.0,
                    .max = 1000.0,
                    .whole = true,
                    .default_value = 40.0},
    [TUCB_START] = {.key = "start",
                    .help = "rtp from its last answer, or anew: warm, cold (default warm)",
                    .choices = "warm|cold"},
    [TUCB_EVERY] = {.key = "every",
                    .help = "estimate again after this number of tasks (default 1)",
                    .min = 1.0,
                    .max = 1e9,
                    .whole = true,
                    .default_value = 1.0},
    [TUCB_GROWTH] = {.key = "growth",
                     .help = "or later, when grown by this share (default 0; K>100, em: 0.05)",
                     .min = 0.0,
                     .max = 10.0},
    [TUCB_IDENTIFY] = {.key = "identify",
                       .help = "number of first tasks to play round robin (default 0)",
                       .min = 0.0,
                       .max = 1e9,
                       .whole = true},
    [TUCB_DELTA] = {.key = "delta",
                    .help = "probability of failure, 0 to 1 (default 1/n)",
                    .min = 0.0,
                    .max = 1.0,
                    .open = true,
                    .default_value = NAN},
    [TUCB_ESTIMATOR] = {.key = "estimator",
                        .help = ESTIMATOR_NAMES(", ") " (default rtp)",
                        .choices = ESTIMATOR_NAMES("|")},
    [TUCB_WINDOW] = {.key = "window",
                     .help = "em: finished tasks that it keeps (default 8192)",
                     .min = SEGUE_MIN_WINDOW,
                     .max = SEGUE_MAX_WINDOW,
                     .whole = true,
                     .default_value = 8192.0},
    [TUCB_ALPHA0] = {.key = "alpha0",
                     .help = "eca: total of a Dirichlet over the models (default 0: one model)",
                     .min = 0.0,
                     .max = 1e6},
    [TUCB_EPS] = {.key = "eps",
                  .help = "logarithm of eps as in the paper's: lemma, theorem, corollary",
                  .choices = "lemma|theorem|corollary"},
    [TUCB_WEIGHTS] = {.key = "weights",
                      .help = "of tasks in the moments: equal, pulls (default equal)",
                      .choices = "equal|pulls"},
    [TUCB_HOLD] = {.key = "hold",
                   .help = "use models once eps is this; 0: at once (default 0; pulls: 0.1)",
                   .min = 0.0,
                   .max = 1e6,
                   .default_value = NAN},
    [TUCB_FREEZE] = {.key = "freeze",
                     .help = "estimate once, after this number of tasks; 0: always (default 0)",
                     .min = 0.0,
                     .max = 1e9,
                     .whole = true},
};

void segue_tucb_options_apply(segue_learner_config *config)
{
    if (!isnan(config->option[TUCB_MODELS]))
        config->n_models = (size_t)config->option[TUCB_MODELS];
}

/* Growth has a least value where a fit reads all tasks; n_models may have changed since parsing. */
void segue_tucb_options_fill(segue_learner_config *config)
{
    double *option = config->option;
    const estimator_method *method = segue_estimator_method_at((size_t)option[TUCB_ESTIMATOR]);
    option[TUCB_MODELS] = (double)config->n_models;
    if (isnan(option[TUCB_DELTA]))
        option[TUCB_DELTA] = 1.0 / (double)config->horizon;
    if (isnan(option[TUCB_HOLD]))
        option[TUCB_HOLD] = option[TUCB_WEIGHTS] > 0.0 ? HOLD_PULLS : 0.0;
    if (config->n_arms > SEGUE_MAX_DENSE_ARMS || method->info.uses_counts)
        option[TUCB_GROWTH] = fmax(option[TUCB_GROWTH], MIN_GROWTH);
}
