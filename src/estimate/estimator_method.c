/* estimator_method.c - the registry of estimators.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/estimator_method.h"

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
