/* saved_learner.h - create a learner from a saved one: the bytes of segue_learner_save.
 *
 * A request carries them as base64 in the field "saved".  The store keeps them as they came, and
 * the settings name them by their SHA-256 (field "from").  So the learner before its first event is
 * the same in the service, after a restart and in a check of the store.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_SAVED_LEARNER_H
#define SEGUE_SERVICE_API_SAVED_LEARNER_H

#include "service/api/learner_settings.h"

/**
 * Read the field "saved" of a request, if there is one: its bytes, their hash, and the settings
 * that the saved learner has.  Other fields of the request may repeat these.
 *
 * @retval SEGUE_EPARSE, SEGUE_EDOMAIN, SEGUE_EFILE, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_saved_learner_read(learner_settings *settings, json_t *body,
                                                       segue_error *err);

/** Read that field alone, which must be there: its bytes and their hash.
 * @retval SEGUE_EPARSE, SEGUE_EDOMAIN, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_saved_learner_decode(learner_settings *settings, json_t *body,
                                                         segue_error *err);

/**
 * Create the learner of settings that have its bytes.
 *
 * @retval SEGUE_EDOMAIN  a setting is not that of the saved learner; the message names it
 * @retval SEGUE_EFILE    the bytes are missing, damaged, or not those that the settings name
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_saved_learner_create(const learner_settings *settings,
                                                         segue_learner **out, segue_error *err);

#endif
