/* perturbation.h - how errors of the moments become errors of the estimated means.
 *
 * Azar, Lazaric and Brunskill (2013), section 4.2 and appendix C: Theorem 2 with the lemmas of its
 * proof. eps_2 and eps_3 are the errors of M2 and M3, eps that of the whitened tensor, all in
 * operator norm; D and U are the leading eigenvalues and eigenvectors of M2, W = U D^-1/2 and
 * B = U D^1/2. A hat marks what a perturbed M2 has. The lemmas need distinct leading eigenvalues.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PERTURBATION_H
#define SEGUE_PERTURBATION_H

#include <stdbool.h>
#include <stddef.h>

#include "segue/models.h"
#include "segue/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Some inequalities of the appendix do not hold as printed; docs/math.md derives the others. */
typedef enum segue_form { SEGUE_FORM_PRINTED, SEGUE_FORM_CORRECTED } segue_form;

/** M2 = sum rho mu (x) mu (n_arms^2 numbers) and M3 = sum rho mu (x) mu (x) mu (n_arms^3). */
SEGUE_API void segue_true_moments_second(const segue_models *models, double *second);
SEGUE_API void segue_true_moments_third(const segue_models *models, double *third);

/** Eigenvalues of the second moment M2 = sum rho mu mu^T of a set. */
typedef struct segue_spectrum {
    double sigma_min; /* the smallest of the n_models largest eigenvalues; NaN if m > K */
    double sigma_max; /* the largest */
    double gap;       /* Gamma_sigma: the smallest difference of distinct ones (1e-12 of the largest
                         counts as equal); NaN if there are no two, or m > K */
    double lambda_min; /* the smallest 1 / sqrt(rho) */
    double lambda_max; /* the largest */
} segue_spectrum;

/** Compute the spectrum; @retval SEGUE_ENOMEM */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_spectrum_compute(segue_spectrum *out,
                                                               const segue_models *models,
                                                               segue_error *err);

/** Lemma 5 and the bounds of Theorem 2's proof on W and B. */
typedef struct segue_whitening {
    bool applies;           /* eps_2 <= min(Gamma_sigma, sigma_min) / 2: the lemma's condition */
    double inverse_root;    /* |D_hat^-1/2 - D^-1/2| */
    double root;            /* |D_hat^1/2 - D^1/2| */
    double vectors;         /* |U_hat - U|, with the signs that make it least */
    double scaled_vectors;  /* |(U - U_hat) D^1/2| */
    double whitening;       /* |W - W_hat| */
    double whitening_norm;  /* |W| */
    double whitening_noisy; /* |W_hat| */
    double lift;            /* |B - B_hat| */
    double lift_norm;       /* |B| */
    double lift_noisy;      /* |B_hat| */
} segue_whitening;

/** Return the bounds on the whitening, given eps_2. */
SEGUE_API segue_whitening segue_whitening_bound(const segue_models *models,
                                                const segue_spectrum *spectrum, double eps_2,
                                                segue_form form);

/** Lemma 6: the bound on eps, given eps_2 and eps_3. */
SEGUE_API double segue_tensor_error_bound(const segue_models *models,
                                          const segue_spectrum *spectrum, double eps_2,
                                          double eps_3, segue_form form);

/** Theorem 5: errors of the eigenpair (lambda, v) of a tensor that is off by eps. */
typedef struct segue_tensor_error {
    bool applies; /* eps <= C1 lambda_min / n_models; C1 is not specified */
    double vector;
    double value;
} segue_tensor_error;

/** Return the bounds on an eigenpair, given `lambda` and eps; `c1` is the constant that the theorem
 * does not specify. */
SEGUE_API segue_tensor_error segue_tensor_error_of(const segue_models *models,
                                                   const segue_spectrum *spectrum, double lambda,
                                                   double eps, double c1);

/** Theorem 2: the error of the means that the robust tensor power method estimates. */
typedef struct segue_perturbation {
    double constant;           /* C(Theta), as printed */
    double constant_corrected; /* from the corrected Lemma 5 */
    double error;              /* the largest Euclidean error of a model's means, as printed */
    double error_corrected;    /* and with the corrected constant */
    double min_tasks;          /* the theorem holds from this number of tasks on */
    double second_moment;      /* Lemma 7: bound on eps_2 */
    double third_moment;       /* and on eps_3 */
} segue_perturbation;

/**
 * Return the bounds of Theorem 2 and of its concentration lemma, with probability 1 - delta.
 *
 * `c3` and `c4` are the constants that the theorem does not specify; 1 is a usual choice. All
 * fields but the last two are NaN where sigma_min is.
 */
SEGUE_API segue_perturbation segue_perturbation_bound(const segue_models *models,
                                                      const segue_spectrum *spectrum,
                                                      double n_tasks, double delta, double c3,
                                                      double c4);

/** The two conditions on the number of tasks in the proof of Theorem 2, from which it sums up
 * min_tasks. */
typedef struct segue_perturbation_tasks {
    double moments;          /* eps_2 meets the condition of Lemmas 5 and 6 */
    double tensor;           /* eps meets that of Theorem 5, as printed */
    double tensor_corrected; /* with C1 squared and K^5; see docs/math.md */
} segue_perturbation_tasks;

/** Return the number of tasks that each condition needs; `c1` as in segue_tensor_error_of. */
SEGUE_API segue_perturbation_tasks segue_perturbation_tasks_needed(const segue_models *models,
                                                                   const segue_spectrum *spectrum,
                                                                   double delta, double c1);

/** Return the largest Euclidean error of a model's means, given eps_2 and eps_3: the last step of
 * the proof of Theorem 2, before it becomes a constant. */
SEGUE_API double segue_perturbation_means(const segue_models *models,
                                          const segue_spectrum *spectrum, double eps_2,
                                          double eps_3, segue_form form);

#ifdef __cplusplus
}
#endif
#endif
