/* task_features.h - features of a task as JSON: in a request, and in the store.
 *
 * The stored text is an object with sorted names; values are texts and numbers.  true and false are the
 * texts "true" and "false"; null is a feature that is not known, and is not stored.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_TASK_FEATURES_H
#define SEGUE_SERVICE_API_TASK_FEATURES_H

#include <jansson.h>

#include "segue/internal.h"

/** Bytes of the stored text: each byte of a name or a text may be escaped. */
#define SEGUE_MAX_FEATURES_SIZE                                                                    \
    (2 + SEGUE_MAX_FEATURES * (2 * (SEGUE_MAX_FEATURE_NAME + SEGUE_MAX_FEATURE_TEXT) + 6))

/**
 * Read the field "features" of a request: *out is the stored text, which the caller frees; NULL: there
 * are none.
 *
 * @retval SEGUE_EDOMAIN  the message names the feature
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_task_features_read(json_t *value, char **out, segue_error *err);

/** Features of a stored text; the names and texts belong to `json`. */
typedef struct task_features {
    json_t *json;
    segue_feature item[SEGUE_MAX_FEATURES];
    size_t n;
} task_features;

/** Parse a stored text; NULL has no features.  segue_task_features_fini frees them, also after a failure.
 * @retval SEGUE_EDOMAIN, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_task_features_parse(task_features *out, const char *text,
                                                        segue_error *err);
void segue_task_features_fini(task_features *features);

#endif
