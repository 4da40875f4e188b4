/* feature_table.h - the features of the tasks of a window: a column per feature.
 *
 * A column exists while a task of the window has the feature, a category while a task has it.  So the
 * table is bounded, and is the same after it was written and read.  Index 0 is the oldest task.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_FEATURES_FEATURE_TABLE_H
#define SEGUE_ESTIMATE_FEATURES_FEATURE_TABLE_H

#include "core/bytes.h"
#include "segue/learner_features.h"

#define NO_INDEX SIZE_MAX

typedef struct feature_column {
    bool is_number;
    char name[SEGUE_MAX_FEATURE_NAME + 1];
    size_t n_tasks; /* that have it */
    size_t capacity;
    double *value; /* capacity: a number, or the index of a category; NaN: none */
    uint32_t count[SEGUE_MAX_CATEGORIES];                        /* tasks of each category */
    char text[SEGUE_MAX_CATEGORIES][SEGUE_MAX_FEATURE_TEXT + 1]; /* of those with tasks */
} feature_column;

/* All zeros: no features. */
typedef struct feature_table {
    size_t n_columns;
    feature_column *column[SEGUE_MAX_FEATURES];
} feature_table;

void segue_feature_table_fini(feature_table *t);
size_t segue_feature_table_bytes(const feature_table *t);

/* Reserve memory for `capacity` tasks, and columns for the features of the next task.  A failure
 * leaves the features as they are.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_feature_table_reserve(feature_table *t, size_t capacity,
                                                          const segue_feature *features,
                                                          size_t n_features, segue_error *err);

/* Add a task after `n_tasks` others, for which memory is reserved.  `is_full`: the oldest leaves. */
void segue_feature_table_push(feature_table *t, size_t n_tasks, bool is_full,
                              const segue_feature *features, size_t n_features);

/* The features of a task, in the table's order; their texts are the table's.  Returns how many. */
size_t segue_feature_table_get(const feature_table *t, size_t task,
                               segue_feature out[SEGUE_MAX_FEATURES]);

/* The column of a feature, and the index of a category in it; NO_INDEX: none. */
size_t segue_feature_table_find(const feature_table *t, const segue_feature *feature);
size_t segue_feature_table_category(const feature_column *column, const char *text);

/* Copy the features of `n_tasks` tasks into an empty table.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_feature_table_copy(feature_table *to, const feature_table *from,
                                                       size_t n_tasks, size_t capacity,
                                                       segue_error *err);

/* Write as bytes, and read into an empty table.  @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
void segue_feature_table_serialize(const feature_table *t, size_t n_tasks, segue_bytes *b);
SEGUE_MUST_CHECK segue_status segue_feature_table_deserialize(feature_table *t, size_t n_tasks,
                                                              size_t capacity,
                                                              segue_bytes_reader *r,
                                                              segue_error *err);

#endif
