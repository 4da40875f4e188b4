/* environment_spec.h - the environments of an experiment, read from JSON.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_ENVIRONMENT_SPEC_H
#define SEGUE_EXPERIMENT_ENVIRONMENT_SPEC_H

#include "io/json.h"
#include "segue/simulation.h"

/** An environment of an experiment, and the data that it owns. */
typedef struct segue_environment_spec {
    char *name;
    segue_models *models, *switch_to;
    segue_samples *samples;
    segue_environment env;                      /* borrows the three above */
    char *models_path, *switch_path, *log_path; /* files they came from; NULL: none */
} segue_environment_spec;

/**
 * Read the field `environment` of `json`, one object or a list of them.  Replaces file names of
 * model sets in `json` by the sets, so that `json` alone repeats the experiment; of a log it adds
 * a summary (environment_spec_log.h).  The caller calls _fini for each of the `count` specs, and
 * frees *out, also after a failure.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_environment_spec_read_all(const segue_json_location *at,
                                                              json_t *json,
                                                              segue_environment_spec **out,
                                                              size_t *count, segue_error *err);
void segue_environment_spec_fini(segue_environment_spec *spec);

#endif
