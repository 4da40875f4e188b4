/* tucb.h - tUCB: its options and its state.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TRANSFER_TUCB_H
#define SEGUE_TRANSFER_TUCB_H

#include "transfer/learner_method.h"

/* The order of its options. */
enum {
    TUCB_MODELS,
    TUCB_C, /* 0: by doubling */
    TUCB_VIEWS,
    TUCB_BATCHES,
    TUCB_STARTS,
    TUCB_STEPS,
    TUCB_START, /* 1: cold */
    TUCB_EVERY,
    TUCB_GROWTH,
    TUCB_IDENTIFY,
    TUCB_DELTA,
    TUCB_ESTIMATOR,
    TUCB_WINDOW,
    TUCB_ALPHA0,
    TUCB_EPS,     /* segue_eps_form */
    TUCB_WEIGHTS, /* 1: by pulls */
    TUCB_HOLD,    /* 0: off */
    TUCB_FREEZE,  /* 0: off */
    TUCB_N_OPTIONS
};

extern const segue_option segue_tucb_options[TUCB_N_OPTIONS];
void segue_tucb_options_apply(segue_learner_config *config);
void segue_tucb_options_fill(segue_learner_config *config);

typedef struct tucb {
    segue_moments *moments;
    segue_estimator *estimator;
    double *views;    /* 3 x n_arms: scratch */
    bool uses_counts; /* the estimator also uses the tasks' counts: em */
    double c;
    uint64_t skipped, violations, no_model_left;
    uint64_t estimated_at; /* tasks in the current estimate */
    double support;        /* of the current estimate: tasks, or with weights the sum of these */
    uint64_t next_fit;     /* tasks at which the next estimate is due */
} tucb;

/* Tasks that an estimate could contain. */
uint64_t segue_tucb_tasks(const tucb *t);

/* Make a copy of the estimator's model set the shared prior; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_tucb_publish(segue_learner *learner, segue_error *err);

/* The support of an estimate from these moments; segue_tucb_schedule takes it. */
double segue_tucb_support(const segue_learner *learner, const segue_moments *moments,
                          uint64_t used);

/* The estimate contains `used` tasks and has this support: set when the next one is due. */
void segue_tucb_schedule(const segue_learner *learner, tucb *t, uint64_t used, double support);

bool segue_tucb_is_due(const segue_learner *learner);

extern const refit_method segue_tucb_refit;
SEGUE_MUST_CHECK segue_status segue_tucb_merge(segue_learner *into, const segue_learner *from,
                                               segue_error *err);

#endif
