/* learner_merge.c - what another learner has learned, added to what this one has.
 * SPDX-License-Identifier: Apache-2.0 */
#include "transfer/learner_dispersion.h"

static segue_status check(const segue_learner *into, const segue_learner *from, segue_error *err)
{
    const segue_learner_config *a = &into->config, *b = &from->config;
    if (into == from)
        return segue_fail(err, SEGUE_EDOMAIN, "a learner is not merged with itself");
    if (into->method != from->method)
        return segue_fail(err, SEGUE_EDOMAIN, "%s cannot take over what %s has learned",
                          into->method->info.name, from->method->info.name);
    if (a->n_arms != b->n_arms)
        return segue_fail(err, SEGUE_EDOMAIN, "learners of %zu and of %zu arms do not go together",
                          a->n_arms, b->n_arms);
    if (a->lowest != b->lowest || a->highest != b->highest)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "rewards from %g to %g and from %g to %g do not go together", a->lowest,
                          a->highest, b->lowest, b->highest);
    return SEGUE_OK;
}

segue_status segue_learner_merge(segue_learner *into, const segue_learner *from, segue_error *err)
{
    segue_status status = check(into, from, err);
    if (status == SEGUE_OK)
        status = into->method->merge(into, from, err);
    if (status != SEGUE_OK)
        return status;
    segue_learner_dispersion_merge(into, from);
    segue_learner_refit_detach(into);
    into->opened += from->closed; /* its open tasks stay its own */
    into->closed += from->closed;
    return SEGUE_OK;
}
