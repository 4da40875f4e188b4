/* learner_refit.c - background refits: on a copy, maybe in another thread, then published.
 *
 * While it runs, a refit touches nothing but its copy.  The learner knows of the one that is open
 * only to begin no second one.
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdlib.h>

#include "core/fail.h"
#include "transfer/learner_internal.h"
#include "transfer/learner_method.h"

struct segue_refit {
    segue_learner *learner; /* NULL: it is gone, or was merged; only its thread looks at this */
    const refit_method *method;
    void *copy;
    bool is_run;
};

void segue_learner_set_background(segue_learner *learner, bool background)
{
    assert(!learner->refit);
    learner->config.background = background;
}

bool segue_learner_refit_due(const segue_learner *learner)
{
    const refit_method *method = learner->method->refit;
    return method && learner->config.background && !learner->refit && method->is_due(learner);
}

segue_status segue_learner_refit_begin(segue_learner *learner, segue_refit **out, segue_error *err)
{
    *out = NULL;
    if (!segue_learner_refit_due(learner))
        return segue_fail(err, SEGUE_EDOMAIN, "no refit is due; see segue_learner_refit_due");
    segue_refit *refit = calloc(1, sizeof *refit);
    if (!refit)
        return segue_fail_no_memory(err, "a refit");
    refit->method = learner->method->refit;
    const segue_status status = refit->method->copy(learner, &refit->copy, err);
    if (status != SEGUE_OK) {
        free(refit);
        return status;
    }
    refit->learner = learner;
    learner->refit = refit;
    *out = refit;
    return SEGUE_OK;
}

segue_status segue_refit_run(segue_refit *refit, segue_error *err)
{
    const segue_status status = refit->is_run ? SEGUE_OK : refit->method->run(refit->copy, err);
    refit->is_run = status == SEGUE_OK;
    return status;
}

segue_status segue_learner_refit_publish(segue_learner *learner, segue_refit **refit,
                                         segue_error *err)
{
    if (!*refit || (*refit)->learner != learner)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "the refit is not of this learner, or began before it was merged");
    if (!(*refit)->is_run)
        return segue_fail(err, SEGUE_EDOMAIN, "the refit was not run; see segue_refit_run");
    const segue_status status = (*refit)->method->adopt(learner, (*refit)->copy, err);
    if (status != SEGUE_OK)
        return status;
    segue_refit_destroy(*refit);
    *refit = NULL;
    return SEGUE_OK;
}

segue_status segue_learner_refit_fully(segue_learner *learner, segue_error *err)
{
    return segue_learner_refit_until(learner, NULL, err);
}

segue_status segue_learner_refit_until(segue_learner *learner, const atomic_bool *stop,
                                       segue_error *err)
{
    const refit_method *method = learner->method->refit;
    void *copy = NULL;
    if (!method || !method->run_fully)
        return SEGUE_OK;
    if (learner->refit)
        return segue_fail(err, SEGUE_EDOMAIN, "a refit is open; publish or destroy it first");
    SEGUE_TRY(method->copy(learner, &copy, err));
    method->run_fully(copy, stop);
    segue_status status = segue_stop_check(stop, err);
    if (status == SEGUE_OK)
        status = method->adopt(learner, copy, err);
    method->discard(copy);
    return status;
}

void segue_refit_destroy(segue_refit *refit)
{
    if (!refit)
        return;
    if (refit->learner)
        refit->learner->refit = NULL;
    refit->method->discard(refit->copy);
    free(refit);
}

void segue_learner_refit_detach(segue_learner *learner)
{
    if (learner->refit)
        learner->refit->learner = NULL;
    learner->refit = NULL;
}
