/* place.h - the environments of an experiment.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_PLACE_H
#define SEGUE_EXPERIMENT_PLACE_H

#include "experiment/spec.h"
#include "io/json.h"

/**
 * Read the field `environment` of `json`, one object or a list of them.  Model sets that are given
 * by their file are written out in `json`, so that it stands for itself; of a log only its name
 * and what was found in it.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_places_read(const segue_json_place *at, json_t *json,
                                                segue_place **out, size_t *count, segue_error *err);
void segue_place_fini(segue_place *place);

#endif
