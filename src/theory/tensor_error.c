/* tensor_error.c - Lemma 6 and Theorem 5: the error of the whitened tensor and of its eigenpairs.
 *
 * Lemma 6 replaces W by W_hat in one argument of M3_hat at a time. The three differences cost 2,
 * 2 sqrt(2) and 4 times (m / sigma_min)^(3/2) eps_2 (1 / gap + 1 / sigma_min) |M3_hat|, in all less
 * than the printed 10 times.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "core/math/exp.h"
#include "theory/whitening.h"

/* Return the largest Euclidean norm of a model's means. */
static double largest_norm(const segue_models *models)
{
    double largest = 0.0;
    for (size_t k = 0; k < models->n_models; k++) {
        double square = 0.0;
        for (size_t arm = 0; arm < models->n_arms; arm++)
            square += segue_models_row(models, k)[arm] * segue_models_row(models, k)[arm];
        largest = fmax(largest, sqrt(square));
    }
    return largest;
}

double segue_tensor_error_bound(const segue_models *models, const segue_spectrum *spectrum,
                                double eps_2, double eps_3, segue_form form)
{
    const double low = spectrum->sigma_min;
    const double gap = segue_whitening_gap(models, spectrum, form);
    const double third = eps_3 + segue_pow(largest_norm(models), 3); /* at least |M3_hat| */
    return segue_pow((double)models->n_models / low, 1.5) *
           (10.0 * eps_2 * (1.0 / gap + 1.0 / low) * third + eps_3);
}

segue_tensor_error segue_tensor_error_of(const segue_models *models, const segue_spectrum *spectrum,
                                         double lambda, double eps, double c1)
{
    return (segue_tensor_error){
        .applies = eps <= c1 * spectrum->lambda_min / (double)models->n_models,
        .vector = 8.0 * eps / lambda,
        .value = 5.0 * eps,
    };
}
