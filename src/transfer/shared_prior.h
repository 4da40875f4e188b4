/* shared_prior.h - what a learner gives to new tasks: a model set, or a mixture of types.
 *
 * Tasks that were opened with a shared prior keep it until they close; the learner keeps the
 * current one.  The last user frees it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TRANSFER_SHARED_PRIOR_H
#define SEGUE_TRANSFER_SHARED_PRIOR_H

#include "bandit/belief.h"
#include "segue/learner.h"

typedef struct shared_prior {
    segue_models *models;                /* of a method with models; or ... */
    segue_prior prior;                   /* ... a mixture, whose arrays are ... */
    double *numbers;                     /* ... here */
    size_t n_types;                      /* components 1 .. n_types are types, by number */
    size_t number[SEGUE_MAX_COMPONENTS]; /* of the type that each component stands for; 0: none */
    size_t best[SEGUE_MAX_COMPONENTS];   /* of each type: the component of its best arm; 0: none */
    struct shared_prior *base; /* NULL; or it has weights of its own, and all else of this one */
    uint64_t users; /* the learner while it is current, each open task, each copy of one */
    size_t bytes;   /* of memory ... */
    size_t *total;  /* ... and the learner's sum over its shared priors */
} shared_prior;

typedef struct open_task open_task;

/* Create a mixture of `n_components`, to be filled in; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_shared_prior_create(shared_prior **out, size_t n_components,
                                                        size_t n_arms, segue_error *err);

/* Create a prior with other weights (n_components) of the same mixture; its one user is the caller.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_shared_prior_reweigh(shared_prior **out, shared_prior *base,
                                                         const double *weight, segue_error *err);

/* Remove one user; the last one frees it.  NULL is fine. */
void segue_shared_prior_release(shared_prior *prior);

/* The arrays of a mixture: n_components weights, as many rates of test pulls, then n_components x
 * n_arms times a, b, and the gains of test pulls (segue_prior). */
double *segue_shared_prior_weight(const shared_prior *prior);
double *segue_shared_prior_tests(const shared_prior *prior);
double *segue_shared_prior_a(const shared_prior *prior);
double *segue_shared_prior_b(const shared_prior *prior);
double *segue_shared_prior_gain(const shared_prior *prior);

/* The number of the type that a component of a task's mixture stands for; 0: none.  Without a
 * mixture a task has one component. */
size_t segue_shared_prior_number(const shared_prior *prior, size_t component);

/* Start a task from the mixture that it was opened with. */
void segue_shared_prior_apply(const segue_learner *learner, open_task *entry);

/* Make `next` (NULL: none) the prior of later tasks; the learner owns it from here on. */
void segue_shared_prior_publish(segue_learner *learner, shared_prior *next);

#endif
