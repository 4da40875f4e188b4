/* environment_spec.h - the environments of an experiment.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_ENVIRONMENT_SPEC_H
#define SEGUE_EXPERIMENT_ENVIRONMENT_SPEC_H

#include "experiment/experiment_spec.h"
#include "io/json.h"

/**
 * Read the field `environment` of `json`, one object or a list of them.  Model sets that are given
 * by their file are written out in `json`, so that it stands for itself; of a log only its name
 * and what was found in it.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_environment_spec_read_all(const segue_json_location *at,
                                                              json_t *json,
                                                              segue_environment_spec **out,
                                                              size_t *count, segue_error *err);
void segue_environment_spec_fini(segue_environment_spec *place);

#endif
