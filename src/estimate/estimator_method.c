/* estimator_method.c - the registry of estimators.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/estimator_method.h"

#include <math.h>
#include <string.h>

#define ADDRESS(id, name) &segue_estimator_##id,
static const estimator_method *const methods[] = {ESTIMATORS(ADDRESS, )};
enum { N_METHODS = sizeof methods / sizeof *methods };

const estimator_method *segue_estimator_method_at(size_t i)
{
    return i < N_METHODS ? methods[i] : NULL;
}

const segue_estimator_method *segue_estimator_methods(size_t i)
{
    return i < N_METHODS ? &methods[i]->info : NULL;
}

const estimator_method *segue_estimator_method_object(const char *name)
{
    for (size_t i = 0; i < N_METHODS; i++)
        if (strcmp(methods[i]->info.name, name) == 0)
            return methods[i];
    return NULL;
}

const segue_estimator_method *segue_estimator_method_find(const char *name)
{
    const estimator_method *method = segue_estimator_method_object(name);
    return method ? &method->info : NULL;
}

/* ---- what methods share ------------------------------------------------------------------ */

void segue_estimator_random_direction(segue_rng *rng, size_t m, double *v)
{
    double square = 0.0;
    for (size_t a = 0; a < m; a++) {
        v[a] = segue_rng_normal(rng);
        square += v[a] * v[a];
    }
    for (size_t a = 0; a < m; a++)
        v[a] /= sqrt(square);
}

void segue_estimator_tensor_slice(const double *tensor, size_t m, const double *theta,
                                  double *slice)
{
    for (size_t i = 0; i < m * m; i++) {
        slice[i] = 0.0;
        for (size_t c = 0; c < m; c++)
            slice[i] += tensor[i * m + c] * theta[c];
    }
}
