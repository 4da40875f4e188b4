/* learner_arms.c - arms that are added, and arms that are retired, between tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "transfer/learner_dispersion.h"

/* Reserve the flags of `n_arms` arms. */
static segue_status reserve(segue_learner *learner, size_t n_arms, segue_error *err)
{
    bool *grown = realloc(learner->allowed, n_arms * sizeof *grown);
    if (!grown)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", n_arms);
    learner->allowed = grown;
    return SEGUE_OK;
}

segue_status segue_learner_add_arm(segue_learner *learner, segue_error *err)
{
    const size_t n_arms = learner->config.n_arms;
    segue_status status = SEGUE_OK;
    if (learner->method->info.fixed_arms)
        return segue_fail(err, SEGUE_EDOMAIN, "%s cannot take another arm: its moments are of %zu",
                          learner->method->info.name, n_arms);
    if (n_arms >= SEGUE_MAX_ARMS)
        return segue_fail(err, SEGUE_EDOMAIN, "there are %zu arms, and cannot be more", n_arms);
    if (learner->allowed)
        status = reserve(learner, n_arms + 1, err);
    if (status == SEGUE_OK)
        status = segue_learner_names_reserve(learner, n_arms + 1, err);
    if (status == SEGUE_OK)
        status = segue_learner_dispersion_reserve(learner, n_arms + 1, err);
    if (status == SEGUE_OK)
        status = learner->method->add_arm(learner, err);
    if (status != SEGUE_OK)
        return status;
    if (learner->allowed)
        learner->allowed[n_arms] = true;
    learner->config.n_arms++;
    return SEGUE_OK;
}

static segue_status allow_all(segue_learner *learner, segue_error *err)
{
    const segue_status status = reserve(learner, learner->config.n_arms, err);
    for (size_t i = 0; status == SEGUE_OK && i < learner->config.n_arms; i++)
        learner->allowed[i] = true;
    return status;
}

static size_t n_left(const segue_learner *learner)
{
    size_t left = 0;
    for (size_t i = 0; i < learner->config.n_arms; i++)
        left += !segue_learner_is_retired(learner, i);
    return left;
}

segue_status segue_learner_retire_arm(segue_learner *learner, size_t arm, segue_error *err)
{
    if (learner->method->info.fixed_arms)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s cannot retire an arm: it learns from tasks that pulled every arm",
                          learner->method->info.name);
    if (arm >= learner->config.n_arms)
        return segue_fail(err, SEGUE_EDOMAIN, "there is no arm %zu; need 0 to %zu", arm,
                          learner->config.n_arms - 1);
    if (segue_learner_is_retired(learner, arm))
        return SEGUE_OK;
    if (n_left(learner) == 1)
        return segue_fail(err, SEGUE_EDOMAIN, "arm %zu is the last one that is left", arm);
    const segue_status status = learner->allowed ? SEGUE_OK : allow_all(learner, err);
    if (status == SEGUE_OK)
        learner->allowed[arm] = false;
    return status;
}

bool segue_learner_is_retired(const segue_learner *learner, size_t arm)
{
    return learner->allowed && arm < learner->config.n_arms && !learner->allowed[arm];
}
