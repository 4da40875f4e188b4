/* learner_method.c - the registry of learning methods.
 * SPDX-License-Identifier: Apache-2.0 */
#include "transfer/learner_method.h"

#include <string.h>

static const learner_method *const methods[] = {
    &segue_learner_auto,       &segue_learner_tla,     &segue_learner_tts,
    &segue_learner_ts_prior,   &segue_learner_tucb,    &segue_learner_dp_ts,
    &segue_learner_ada_ts,     &segue_learner_hier_ts, &segue_learner_club,
    &segue_learner_v_ids,      &segue_learner_ts,      &segue_learner_la,
    &segue_learner_ucb,        &segue_learner_ucb1,    &segue_learner_kl_ucb,
    &segue_learner_moss,       &segue_learner_imed,    &segue_learner_bayes_ucb,
    &segue_learner_eps_greedy, &segue_learner_exp3,    &segue_learner_round_robin};
enum { N_METHODS = sizeof methods / sizeof *methods };

const segue_learner_method *segue_learner_methods(size_t i)
{
    return i < N_METHODS ? &methods[i]->info : NULL;
}

const learner_method *segue_learner_method_object(const char *name, size_t length)
{
    for (size_t i = 0; i < N_METHODS; i++)
        if (strlen(methods[i]->info.name) == length &&
            strncmp(methods[i]->info.name, name, length) == 0)
            return methods[i];
    return NULL;
}

const segue_learner_method *segue_learner_method_find(const char *text)
{
    const learner_method *method = segue_learner_method_object(text, strcspn(text, ":"));
    return method ? &method->info : NULL;
}
