/* learner_arms.h - add arms to a learner, retire them, and name them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_LEARNER_ARMS_H
#define SEGUE_LEARNER_ARMS_H

#include "segue/learner.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Add an arm after the others; config.n_arms grows by one.  Its prior is flat, in every type, until
 * it is pulled.  Open tasks keep the arms that they were opened with.  On failure nothing has
 * changed.
 *
 * @retval SEGUE_EDOMAIN  there are SEGUE_MAX_ARMS, or the method has fixed arms
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_add_arm(segue_learner *learner,
                                                              segue_error *err);

/**
 * Retire an arm: tasks that are opened later never pull it.  Arms keep their index, and the learner
 * keeps what it knows about the arm.  Retiring a retired arm changes nothing.
 *
 * @retval SEGUE_EDOMAIN  no such arm, the last active one, or the method has fixed arms
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_retire_arm(segue_learner *learner, size_t arm,
                                                                 segue_error *err);

/** Return true if an arm was retired; false for an arm that does not exist. */
SEGUE_API bool segue_learner_is_retired(const segue_learner *learner, size_t arm);

/** Bytes of the name of an arm. */
#define SEGUE_MAX_ARM_NAME 256

/**
 * Name the arms, for people: `names` has one text per arm, which is copied; NULL removes all names.
 * segue_learner_save writes them.  An arm that is added later has no name.  On failure nothing has
 * changed.
 *
 * @retval SEGUE_EDOMAIN  a name is empty or longer than SEGUE_MAX_ARM_NAME
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_name_arms(segue_learner *learner,
                                                                const char *const *names,
                                                                segue_error *err);

/** Return the name of an arm; NULL if it has none. */
SEGUE_API const char *segue_learner_arm_name(const segue_learner *learner, size_t arm);

#ifdef __cplusplus
}
#endif
#endif
