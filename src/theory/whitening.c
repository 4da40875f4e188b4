/* whitening.c - Lemma 5: how far the whitening of a perturbed M2 is from that of the true one.
 *
 * Two of the printed inequalities do not hold. |D_hat^1/2 - D^1/2| is the largest of
 * |s - s_hat| / (sqrt(s) + sqrt(s_hat)), so the smallest eigenvalue governs it, not the largest.
 * |(U - U_hat) D^1/2| takes the root of sigma_max. And where there are more arms than models, the
 * eigenvectors are also separated from the null space, by sigma_min: the gap is then
 * min(Gamma_sigma, sigma_min). The factor sqrt(m) of |U| <= |U|_F stays, as the paper has it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "theory/whitening.h"

#include <math.h>

/* Without two distinct eigenvalues Gamma_sigma is NaN and limits nothing. */
double segue_whitening_gap(const segue_models *models, const segue_spectrum *spectrum,
                           segue_form form)
{
    if (isnan(spectrum->sigma_min))
        return NAN;
    const double gap = isnan(spectrum->gap) ? INFINITY : spectrum->gap;
    return form == SEGUE_FORM_CORRECTED && models->n_arms > models->n_models
               ? fmin(gap, spectrum->sigma_min)
               : gap;
}

/* Fill the bounds whose printed form does not hold. */
static void fill_disputed(segue_whitening *out, const segue_spectrum *spectrum, double m,
                          double eps_2, segue_form form)
{
    const bool corrected = form == SEGUE_FORM_CORRECTED;
    const double high = spectrum->sigma_max;
    out->root = eps_2 / (corrected ? sqrt(spectrum->sigma_min) : high);
    out->scaled_vectors = out->vectors * (corrected ? sqrt(high) : high);
    out->lift = out->scaled_vectors + sqrt(m) * out->root;
}

segue_whitening segue_whitening_bound(const segue_models *models, const segue_spectrum *spectrum,
                                      double eps_2, segue_form form)
{
    const double m = (double)models->n_models;
    const double low = spectrum->sigma_min, high = spectrum->sigma_max;
    const double gap = segue_whitening_gap(models, spectrum, form);
    segue_whitening out = {
        .applies = eps_2 <= 0.5 * fmin(gap, low),
        .inverse_root = 2.0 * eps_2 / (low * sqrt(low)),
        .vectors = 2.0 * sqrt(m) * eps_2 / gap,
        .whitening = 2.0 * sqrt(m / low) * eps_2 * (1.0 / gap + 1.0 / low),
        .whitening_norm = sqrt(m / low),
        .whitening_noisy = sqrt(2.0 * m / low),
        .lift_norm = sqrt(m * high),
        .lift_noisy = sqrt(2.0 * m * high),
    };
    fill_disputed(&out, spectrum, m, eps_2, form);
    return out;
}
