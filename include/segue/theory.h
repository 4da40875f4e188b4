/* theory.h - the sets, gaps, complexities and bounds of the paper, as numbers.
 *
 * After Azar, Lazaric and Brunskill (2013). Delta_i is the gap of arm i to the best arm of the
 * true model; Gamma_i is the distance of two models on arm i. Objects are read-only after
 * creation.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_THEORY_H
#define SEGUE_THEORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/models.h"
#include "segue/perturbation.h"
#include "segue/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a known model set and its true model ---------------------------------------------- */

typedef struct segue_known_sets {
    size_t n_arms, n_models;
    size_t truth;           /* the true model */
    double *gap;            /* n_arms: Delta_i */
    bool *best_for_some;    /* n_arms: A_*, the arms that are best for some model */
    bool *optimistic_model; /* n_models: Theta_+, models with a best value at least the truth's */
    bool *optimistic_arm;   /* n_arms: A_+, their best arms */
    bool *optimistic_for;   /* n_arms x n_models: Theta_{+,i}, those whose best arm is i */
    double *model_gap;      /* n_arms: min of Gamma_i over Theta_{+,i}; infinite outside A_+ */
    double min_model_gap;   /* Gamma_min: over all arms and other models; infinite without one */
} segue_known_sets;

/**
 * Compute the sets of section 3 for true model `truth`. On failure *out is NULL.
 *
 * @retval SEGUE_EDOMAIN  there is no such model
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_known_sets_create(segue_known_sets **out,
                                                                const segue_models *models,
                                                                size_t truth, segue_error *err);
SEGUE_API void segue_known_sets_destroy(segue_known_sets *sets);

/** Theta(A'): set member[k] (n_models) if the best arm of model k is in the set `arms` (n_arms). */
SEGUE_API void segue_known_sets_models_of(const segue_models *models, const bool *arms,
                                          bool *member);

/** The remark on Theorem 1's proof, for an arm of A_+: its pulls discard Theta_{+,i} no later than
 * any other optimistic model, so that the proof loses nothing. True without another model. */
SEGUE_API bool segue_known_sets_is_worst_case(const segue_known_sets *sets,
                                              const segue_models *models, size_t arm);

/** UCB: the sum of 1 / Delta_i over all arms with Delta_i > 0. */
SEGUE_API double segue_complexity_ucb(const segue_known_sets *sets);

/** UCB+: the sum of 1 / Delta_i over the arms that are best for some model. */
SEGUE_API double segue_complexity_ucb_plus(const segue_known_sets *sets);

/** mUCB: the sum of Delta_i / min Gamma_i^2 over the optimistic arms. */
SEGUE_API double segue_complexity_mucb(const segue_known_sets *sets);

/** mUCB, from Theorem 1's second bound: the sum of 1 / min Gamma_i over the optimistic arms with
 * Delta_i > 0 (for the best arm the printed term is infinite). */
SEGUE_API double segue_complexity_mucb_second(const segue_known_sets *sets);

/** Return the bound on mUCB's pulls of `arm` while every average is within its radius (Theorem 1).
 */
SEGUE_API double segue_bound_pulls_mucb(const segue_known_sets *sets, double log_term, size_t arm);

/* ---- an estimated model set, every mean within eps of the truth -------------------------- */

typedef struct segue_estimated_sets {
    size_t n_arms, n_models;
    size_t truth;           /* the true model, in the true set */
    double eps;             /* largest error of an estimated mean */
    size_t *match;          /* n_models: the true model of each estimated one */
    double *gap;            /* n_arms: Delta_i */
    bool *non_dominated;    /* n_models x n_arms: A_*^j, possible best arms of a model */
    bool *optimistic;       /* n_models x n_arms: A_+^j, those with an optimistic value */
    bool *optimistic_model; /* n_models: Theta_+^j, models with an optimistic arm */
    bool *permanent_model;  /* n_models: optimistic models that no data discard */
    bool *first_arm;        /* n_arms: A_1, proposed by discardable models only */
    bool *second_arm;       /* n_arms: A_2, proposed by a permanent model */
    double *model_gap;      /* n_arms: min of Gamma_i / 2 - eps over Theta_{i,+}; else infinite */
} segue_estimated_sets;

/**
 * Compute the sets of section 4.3 for true model `truth` of `models`; `estimated` are estimates of
 * them to within `eps`. `match`, from segue_models_match(estimated, models), gives the true model
 * of each estimated one; NULL: it is computed here. On failure *out is NULL.
 *
 * @retval SEGUE_EDOMAIN  no such model, eps is negative or NaN, or the sets differ in size
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_estimated_sets_create(segue_estimated_sets **out,
                                                                    const segue_models *models,
                                                                    const segue_models *estimated,
                                                                    const size_t *match, double eps,
                                                                    size_t truth, segue_error *err);
SEGUE_API void segue_estimated_sets_destroy(segue_estimated_sets *sets);

/** Theta^j_{i,+}: set member[k] (n_models) if `arm` is an optimistic arm of estimated model k. */
SEGUE_API void segue_estimated_sets_models_of(const segue_estimated_sets *sets, size_t arm,
                                              bool *member);

/** tUCB: sum over A_1 of Delta_i min(1/Delta_i^2, 1/(4 g_i^2)), plus over A_2 of 1/Delta_i. */
SEGUE_API double segue_complexity_tucb(const segue_estimated_sets *sets);

/** Return the bound on umUCB's pulls of `arm`, its three forced pulls included (the corollary). */
SEGUE_API double segue_bound_pulls_umucb(const segue_estimated_sets *sets, double log_term,
                                         size_t arm);

/* ---- bounds ------------------------------------------------------------------------------ */

/**
 * Return the bound on the expected regret of one task: n_arms + 2 L complexity.
 *
 * With segue_complexity_mucb and segue_policy_log_term this is Theorem 1, with
 * segue_complexity_tucb and segue_policy_log_term_estimated Theorem 3 as printed; with
 * segue_complexity_ucb the bound for UCB.
 */
SEGUE_API double segue_bound_regret(size_t n_arms, double log_term, double complexity);

/** Return the bound for umUCB on an estimated set: Theorem 3, plus 3 Delta_i for each arm's forced
 * pulls, which the theorem omits. */
SEGUE_API double segue_bound_regret_estimated(const segue_estimated_sets *sets, double log_term);

/** UCB with a test (`ucb-test`; appendix B of the paper). */
typedef struct segue_hypothesis_test {
    double model_gap; /* smallest distance of two models on any arm; infinite for one model */
    double threshold; /* 2 log(2 / delta) / model_gap^2: pulls of one arm before it commits */
    double tau;       /* n_arms times that: it commits after at most tau + 1 steps */
    double order;     /* the paper's sum of log(n tau) / Delta_i, which has no constant */
    double regret;    /* bound on the expected regret of one task, with constants */
} segue_hypothesis_test;

/** Compute these; `log_term` is UCB's L. If two models agree on an arm, tau is infinite. */
SEGUE_API segue_hypothesis_test segue_hypothesis_test_bound(const segue_models *models,
                                                            const segue_known_sets *sets,
                                                            uint64_t horizon, double delta,
                                                            double log_term);

#ifdef __cplusplus
}
#endif
#endif
