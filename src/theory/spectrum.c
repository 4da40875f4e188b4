/* spectrum.c - the eigenvalues of the second moment M2 of a model set.
 *
 * The non-zero eigenvalues of M2 = sum rho mu mu^T are those of the Gram matrix of the vectors
 * sqrt(rho) mu, which is n_models wide however many arms there are.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "core/linalg/linalg.h"
#include "segue/theory.h"

#define SAME_EIGENVALUE                                                                            \
    1e-12 /* relative to the largest: closer values are equal, smaller ones 0                      \
           */

/* Return the smallest difference of two distinct numbers of an ascending list. */
static double smallest_difference(const double *values, size_t count)
{
    double smallest = NAN;
    for (size_t i = 1; i < count; i++) {
        const double difference = values[i] - values[i - 1];
        if (difference > SAME_EIGENVALUE * values[count - 1])
            smallest = fmin(smallest, difference); /* fmin ignores the NaN */
    }
    return smallest;
}

static void set_lambdas(segue_spectrum *out, const segue_models *models)
{
    out->lambda_min = INFINITY;
    out->lambda_max = 0.0;
    for (size_t k = 0; k < models->n_models; k++) {
        const double lambda = 1.0 / sqrt(models->weight[k]);
        out->lambda_min = fmin(out->lambda_min, lambda);
        out->lambda_max = fmax(out->lambda_max, lambda);
    }
}

/* Compute the eigenvalues of M2, ascending in `values`; `scaled` and `gram` are scratch. */
static segue_status eigenvalues(const segue_models *models, double *scaled, double *gram,
                                double *values, segue_error *err)
{
    for (size_t k = 0; k < models->n_models; k++)
        for (size_t arm = 0; arm < models->n_arms; arm++)
            scaled[k * models->n_arms + arm] =
                sqrt(models->weight[k]) * segue_models_row(models, k)[arm];
    segue_linalg_gram(models->n_models, models->n_arms, scaled, gram);
    return segue_linalg_eigenvalues(models->n_models, gram, values, err);
}

segue_status segue_spectrum_compute(segue_spectrum *out, const segue_models *models,
                                    segue_error *err)
{
    const size_t m = models->n_models;
    *out = (segue_spectrum){.sigma_min = NAN, .sigma_max = NAN, .gap = NAN};
    set_lambdas(out, models);
    if (m > models->n_arms)
        return SEGUE_OK;

    double *values = calloc(m + m * m + m * models->n_arms, sizeof *values);
    if (!values)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the spectrum of %zu models", m);
    double *gram = values + m, *scaled = gram + m * m;
    const segue_status status = eigenvalues(models, scaled, gram, values, err);
    if (status == SEGUE_OK) {
        out->sigma_min = values[0] > SAME_EIGENVALUE * values[m - 1] ? values[0] : 0.0;
        out->sigma_max = values[m - 1];
        out->gap = smallest_difference(values, m);
    }
    free(values);
    return status;
}
