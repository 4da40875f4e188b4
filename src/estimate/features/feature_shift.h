/* feature_shift.h - how features shift the weights of types.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_FEATURES_FEATURE_SHIFT_H
#define SEGUE_ESTIMATE_FEATURES_FEATURE_SHIFT_H

#include "estimate/features/feature_table.h"

#define NUMBER_CELLS 16 /* quantile bins of a number */

/* One feature: a factor per type and cell (a category, or a quantile bin). */
typedef struct feature_factors {
    double relevance; /* posterior probability that the feature depends on the type */
    size_t n_cells;
    double *factor;                /* n_types x n_cells */
    double edge[NUMBER_CELLS + 1]; /* of the bins of a number, the ends included */
} feature_factors;

/* All zeros: no features.  Features are those of the table that it was built from. */
typedef struct feature_shift {
    size_t n_features, n_types;
    feature_factors feature[SEGUE_MAX_FEATURES];
    double *memory;
} feature_shift;

/* The partition that a shift is built from. */
typedef struct typed_tasks {
    const uint32_t *type_of; /* n_tasks, from 0 on, below n_types */
    size_t n_tasks, n_types;
    size_t n_shown; /* types that get factors: the first ones */
} typed_tasks;

/* Build; `out` is overwritten.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_feature_shift_build(feature_shift *out, const feature_table *t,
                                                        typed_tasks tasks, segue_error *err);
void segue_feature_shift_fini(feature_shift *shift);
size_t segue_feature_shift_bytes(const feature_shift *shift);

/* The cell of a value of a feature; NO_INDEX: not known. */
size_t segue_feature_shift_cell(const feature_shift *shift, const feature_table *t, size_t column,
                                const segue_feature *feature);

/* The factor of a type, from 0 on; 1 where the value is not known. */
double segue_feature_shift_factor(const feature_shift *shift, const feature_table *t, size_t type,
                                  const segue_feature *feature);

#endif
