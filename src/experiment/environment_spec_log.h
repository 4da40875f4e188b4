/* environment_spec_log.h - the log of an environment.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_ENVIRONMENT_SPEC_LOG_H
#define SEGUE_EXPERIMENT_ENVIRONMENT_SPEC_LOG_H

#include "experiment/environment_spec.h"
#include "io/json.h"

/**
 * Read the log at `path` with the options in `object`.  Writes a summary with a checksum to the
 * field `log_summary`; if the field exists, a different summary is an error.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN, SEGUE_ENAME, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_environment_spec_log_read(const segue_json_location *at,
                                                              json_t *object, const char *path,
                                                              segue_environment_spec *spec,
                                                              segue_error *err);

/** Fail if fields of a log are given without one, or `rewards` with one; @retval SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_environment_spec_log_check(const segue_json_location *at,
                                                               const json_t *object,
                                                               segue_error *err);

#endif
