/* perturbation.c - Theorem 2: how far estimated means may be from the true ones after some tasks.
 *
 * With the corrected Lemma 5, |B - B_hat| has the terms sqrt(sigma_max) / gap and
 * 1 / sqrt(sigma_min). As sigma_min <= K / m, each is at most (K / m)^1.5 times
 * sqrt(sigma_max / sigma_min^3) (1 / gap + 1 / sigma_min), which the error of the tensor has
 * already: the corrected C(Theta) keeps that product alone. docs/math.md has the steps.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "core/math/exp.h"
#include "core/math/ln.h"
#include "theory/whitening.h"

/* Return C(Theta) without its factor C3. */
static double constant_of(const segue_models *models, const segue_spectrum *spectrum,
                          segue_form form)
{
    const double low = spectrum->sigma_min, high = spectrum->sigma_max;
    const double gap = segue_whitening_gap(models, spectrum, form);
    const double sum =
        form == SEGUE_FORM_CORRECTED ? 1.0 / gap + 1.0 / low : high / gap + 1.0 / low + 1.0 / high;
    return spectrum->lambda_max * sqrt(high / (low * low * low)) * sum;
}

/* Return min(Gamma_sigma, sigma_min), twice the largest eps_2 that the lemmas allow. */
static double separation(const segue_models *models, const segue_spectrum *spectrum)
{
    if (isnan(spectrum->sigma_min))
        return NAN;
    return fmin(segue_whitening_gap(models, spectrum, SEGUE_FORM_PRINTED), spectrum->sigma_min);
}

segue_perturbation segue_perturbation_bound(const segue_models *models,
                                            const segue_spectrum *spectrum, double n_tasks,
                                            double delta, double c3, double c4)
{
    const double arms = (double)models->n_arms, m = (double)models->n_models;
    const double low = spectrum->sigma_min, lambda = spectrum->lambda_min;
    const double smallest = separation(models, spectrum);
    const double log_arms = segue_ln(arms / delta), log_moment = segue_ln(2.0 * arms / delta);
    const double printed = c3 * constant_of(models, spectrum, SEGUE_FORM_PRINTED);
    const double corrected = c3 * constant_of(models, spectrum, SEGUE_FORM_CORRECTED);
    const double rate = segue_pow(arms, 2.5) * m * m * sqrt(log_arms / n_tasks);
    return (segue_perturbation){
        .constant = printed,
        .constant_corrected = corrected,
        .error = printed * rate,
        .error_corrected = corrected * rate,
        .min_tasks = c4 * segue_pow(m, 5) * segue_pow(arms, 6) * log_arms /
                     (smallest * smallest * low * low * low * lambda * lambda),
        .second_moment = 2.0 * arms * sqrt(log_moment / n_tasks),
        .third_moment = segue_pow(arms, 1.5) * sqrt(6.0 * log_moment / n_tasks),
    };
}

/* The printed second condition has C1 where solving for the tasks gives C1^2; its K^6 may be K^5. */
segue_perturbation_tasks segue_perturbation_tasks_needed(const segue_models *models,
                                                         const segue_spectrum *spectrum,
                                                         double delta, double c1)
{
    const double arms = (double)models->n_arms, low = spectrum->sigma_min;
    const double smallest = separation(models, spectrum), lambda = spectrum->lambda_min;
    const double printed =
        1.0 / segue_whitening_gap(models, spectrum, SEGUE_FORM_PRINTED) + 1 / low;
    const double corrected =
        1.0 / segue_whitening_gap(models, spectrum, SEGUE_FORM_CORRECTED) + 1.0 / low;
    const double shared = 43.0 * 43.0 * segue_pow((double)models->n_models, 5) *
                          segue_ln(4.0 * arms / delta) / (low * low * low * lambda * lambda);
    return (segue_perturbation_tasks){
        .moments = 16.0 * arms * arms * segue_ln(2.0 * arms / delta) / (smallest * smallest),
        .tensor = shared * segue_pow(arms, 6) / c1 * printed * printed,
        .tensor_corrected = shared * segue_pow(arms, 5) / (c1 * c1) * corrected * corrected,
    };
}

/* |mu - mu_hat| <= |lambda - lambda_hat| |B| + lambda_hat |B - B_hat| + lambda_hat |B_hat|
 * |v - v_hat|. The paper prints lambda_hat <= lambda + eps; Theorem 5 gives lambda + 5 eps. */
double segue_perturbation_means(const segue_models *models, const segue_spectrum *spectrum,
                                double eps_2, double eps_3, segue_form form)
{
    const segue_whitening w = segue_whitening_bound(models, spectrum, eps_2, form);
    const double eps = segue_tensor_error_bound(models, spectrum, eps_2, eps_3, form);
    const double added = form == SEGUE_FORM_CORRECTED ? 5.0 * eps : eps;
    return 5.0 * eps * w.lift_norm + (spectrum->lambda_max + added) * w.lift +
           8.0 * eps * (1.0 + added / spectrum->lambda_min) * w.lift_noisy;
}
