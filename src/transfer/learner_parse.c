/* learner_parse.c - the methods of learning, and a learner's name and options as text.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "bandit/options.h"
#include "transfer/learner_method.h"

#define MAX_OPTIONS 16

static const learner_method *const methods[] = {&segue_learner_auto, &segue_learner_tla,
                                                &segue_learner_tts, &segue_learner_ts_prior,
                                                &segue_learner_tucb};
enum { METHODS = sizeof methods / sizeof *methods };

segue_learner_config segue_learner_defaults(void)
{
    return (segue_learner_config){.method = "auto",
                                  .n_tasks = 10000,
                                  .c = 2.0,
                                  .views = SEGUE_VIEWS_PAPER,
                                  .batches = SEGUE_BATCHES_CONSECUTIVE,
                                  .estimator = "rtp",
                                  .starts = 24,
                                  .steps = 40,
                                  .every = 1,
                                  .cap = 16,
                                  .highest = 1.0,
                                  .seed = 1};
}

const learner_method *segue_learner_method_find(const char *name, size_t length)
{
    for (size_t i = 0; i < METHODS; i++)
        if (strlen(methods[i]->kind.name) == length &&
            strncmp(methods[i]->kind.name, name, length) == 0)
            return methods[i];
    return NULL;
}

const segue_learner_kind *segue_learner_kinds(size_t i)
{
    return i < METHODS ? &methods[i]->kind : NULL;
}

bool segue_learner_is_named(const char *text)
{
    return segue_learner_method_find(text, strcspn(text, ":")) != NULL;
}

segue_status segue_learner_parse(segue_learner_config *config, const char *text, segue_error *err)
{
    const learner_method *method = segue_learner_method_find(text, strcspn(text, ":"));
    double value[MAX_OPTIONS];
    if (!method)
        return segue_fail(err, SEGUE_ENAME,
                          "there is no learner '%.40s'; need auto, tla, tts, ts-prior or tucb",
                          text);
    const option_table table = {.kind = "learner",
                                .owner = method->kind.name,
                                .options = method->kind.options,
                                .count = method->kind.n_options};
    for (size_t i = 0; i < MAX_OPTIONS; i++)
        value[i] = NAN;
    const char *rest = strchr(text, ':');
    const segue_status status = rest ? segue_options_parse(&table, rest + 1, value, err) : SEGUE_OK;
    if (status != SEGUE_OK)
        return status;
    config->method = method->kind.name;
    method->take(config, value);
    return SEGUE_OK;
}
