/* true_moments.c - the second and third moment of a model set (section 2 of the paper).
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "segue/perturbation.h"

void segue_true_moments_second(const segue_models *models, double *second)
{
    const size_t n = models->n_arms;
    memset(second, 0, n * n * sizeof *second);
    for (size_t k = 0; k < models->n_models; k++) {
        const double *mean = segue_models_row(models, k);
        for (size_t i = 0; i < n * n; i++)
            second[i] += models->weight[k] * mean[i / n] * mean[i % n];
    }
}

void segue_true_moments_third(const segue_models *models, double *third)
{
    const size_t n = models->n_arms;
    memset(third, 0, n * n * n * sizeof *third);
    for (size_t k = 0; k < models->n_models; k++) {
        const double *mean = segue_models_row(models, k);
        for (size_t i = 0; i < n * n * n; i++)
            third[i] += models->weight[k] * mean[i / n / n] * mean[i / n % n] * mean[i % n];
    }
}
