/* models_json.h - model sets in JSON: {"means": [[0.9, 0.4], [0.2, 0.8]], "weights": [0.5, 0.5]},
 * one list per model; weights are optional.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_MODELS_JSON_H
#define SEGUE_IO_MODELS_JSON_H

#include "io/json.h"
#include "segue/models.h"

/** Read a model set from the value of `field`; @retval SEGUE_EDOMAIN, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_models_json_parse(segue_models **out,
                                                      const segue_json_location *at,
                                                      const char *field, json_t *value,
                                                      segue_error *err);

/** Build the JSON of a model set with exact numbers; NULL: out of memory. */
json_t *segue_models_json_build(const segue_models *models);

#endif
