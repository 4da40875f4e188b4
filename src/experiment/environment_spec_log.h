/* environment_spec_log.h - the log of an environment.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_ENVIRONMENT_SPEC_LOG_H
#define SEGUE_EXPERIMENT_ENVIRONMENT_SPEC_LOG_H

#include "experiment/environment_spec.h"
#include "io/json.h"

/**
 * Read the log at `path` as the fields of `object` say.  What was found in it, with a sum over its
 * rewards, is written to the field `found`; or compared with it, where it is there: results hold
 * the name of a log, not its rows, and can only be made again from the same ones.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN, SEGUE_ENAME, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_environment_spec_log_read(const segue_json_location *at,
                                                              json_t *object, const char *path,
                                                              segue_environment_spec *spec,
                                                              segue_error *err);

/** Refuse fields of a log where there is none, and of rewards where there is; @retval SEGUE_EPARSE
 */
SEGUE_MUST_CHECK segue_status segue_environment_spec_log_check(const segue_json_location *at,
                                                               const json_t *object,
                                                               segue_error *err);

#endif
