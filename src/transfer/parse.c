/* parse.c - a learner's name and options.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "bandit/options.h"
#include "segue/learner.h"

#define NAME "tucb"

enum { C, VIEWS, BATCHES, L, N, START, EVERY, GROWTH, IDENTIFY, DELTA, ESTIMATOR, N_OPTIONS };

static const segue_option options[N_OPTIONS] = {
    [C] = {.key = "C",
           .help = "of eps = C sqrt(log(2mKJ/delta)/j); 0: by doubling (default 2)",
           .least = 0.0,
           .most = 1e6},
    [VIEWS] = {.key = "views",
               .help = "pairs of views in M2: paper, symmetric (default paper)",
               .choices = "paper|symmetric"},
    [BATCHES] = {.key = "batches",
                 .help = "consecutive or interleaved (default consecutive)",
                 .choices = "consecutive|interleaved"},
    [L] = {.key = "L",
           .help = "random starts of the power method (default 24)",
           .least = 1.0,
           .most = 1000.0,
           .whole = true},
    [N] = {.key = "N",
           .help = "its iterations (default 40)",
           .least = 1.0,
           .most = 1000.0,
           .whole = true},
    [START] = {.key = "start",
               .help = "rtp from its last answer, or anew: warm, cold (default warm)",
               .choices = "warm|cold"},
    [EVERY] = {.key = "every",
               .help = "estimate again after so many tasks (default 1)",
               .least = 1.0,
               .most = 1e9,
               .whole = true},
    [GROWTH] = {.key = "growth",
                .help = "or later, when grown by this share (default 0; K > 100: 0.05)",
                .least = 0.0,
                .most = 10.0},
    [IDENTIFY] = {.key = "identify",
                  .help = "play so many first tasks round robin (default 0)",
                  .least = 0.0,
                  .most = 1e9,
                  .whole = true},
    [DELTA] = {.key = "delta",
               .help = "probability of failure, 0 to 1 (default 1/n)",
               .least = 0.0,
               .most = 1.0,
               .open = true},
    [ESTIMATOR] = {.key = "estimator",
                   .help = "rtp, algorithm-b or eca (default rtp)",
                   .choices = "rtp|algorithm-b|eca"},
};

segue_learner_config segue_learner_defaults(void)
{
    return (segue_learner_config){.method = NAME,
                                  .n_tasks = 10000,
                                  .c = 2.0,
                                  .views = SEGUE_VIEWS_PAPER,
                                  .batches = SEGUE_BATCHES_CONSECUTIVE,
                                  .estimator = "rtp",
                                  .starts = 24,
                                  .steps = 40,
                                  .every = 1,
                                  .highest = 1.0,
                                  .seed = 1};
}

const segue_option *segue_learner_options(size_t *count)
{
    *count = N_OPTIONS;
    return options;
}

bool segue_learner_is_named(const char *text)
{
    return strcspn(text, ":") == strlen(NAME) && strncmp(text, NAME, strlen(NAME)) == 0;
}

static void take(segue_learner_config *config, const double *value)
{
    static const char *const estimators[] = {"rtp", "algorithm-b", "eca"};
    if (!isnan(value[C])) {
        config->doubling = value[C] <= 0.0;
        config->c = config->doubling ? config->c : value[C];
    }
    if (!isnan(value[VIEWS]))
        config->views = value[VIEWS] > 0.0 ? SEGUE_VIEWS_SYMMETRIC : SEGUE_VIEWS_PAPER;
    if (!isnan(value[BATCHES]))
        config->batches =
            value[BATCHES] > 0.0 ? SEGUE_BATCHES_INTERLEAVED : SEGUE_BATCHES_CONSECUTIVE;
    if (!isnan(value[L]))
        config->starts = (size_t)value[L];
    if (!isnan(value[N]))
        config->steps = (size_t)value[N];
    if (!isnan(value[START]))
        config->cold = value[START] > 0.0;
    if (!isnan(value[EVERY]))
        config->every = (uint64_t)value[EVERY];
    if (!isnan(value[GROWTH]))
        config->growth = value[GROWTH];
    if (!isnan(value[IDENTIFY]))
        config->identify = (uint64_t)value[IDENTIFY];
    if (!isnan(value[DELTA]))
        config->delta = value[DELTA];
    if (!isnan(value[ESTIMATOR]))
        config->estimator = estimators[(size_t)value[ESTIMATOR]];
}

segue_status segue_learner_parse(segue_learner_config *config, const char *text, segue_error *err)
{
    const option_table table = {
        .kind = "learner", .owner = NAME, .options = options, .count = N_OPTIONS};
    double value[N_OPTIONS];
    if (!segue_learner_is_named(text))
        return segue_fail(err, SEGUE_ENAME, "there is no learner '%.40s'; need %s", text, NAME);
    for (size_t i = 0; i < N_OPTIONS; i++)
        value[i] = NAN;
    const char *rest = strchr(text, ':');
    const segue_status status = rest ? segue_options_read(&table, rest + 1, value, err) : SEGUE_OK;
    if (status != SEGUE_OK)
        return status;
    config->method = NAME;
    take(config, value);
    return SEGUE_OK;
}
