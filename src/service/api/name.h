/* name.h - names of learners, arms, tasks and event ids in a request.
 *
 * A name has 1 to SEGUE_MAX_NAME_SIZE bytes of UTF-8.  A new name must also show what it is: no
 * control characters, direction marks or line separators.  Names that the store has may break that
 * rule, and must stay readable.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_NAME_H
#define SEGUE_SERVICE_API_NAME_H

#include <jansson.h>

#include "segue/status.h"
#include "store/store.h"

#define SEGUE_MAX_NAME_SIZE SEGUE_MAX_STORE_NAME /* bytes */

/** Read a field that is a name.  @retval SEGUE_EPARSE, SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_name_read(const json_t *value, const char *field,
                                              char out[SEGUE_MAX_NAME_SIZE + 1], segue_error *err);

/** Read the key of a task: a name, but not "." or "..", which no path can hold. */
SEGUE_MUST_CHECK segue_status segue_name_read_key(const json_t *value, const char *field,
                                                  char out[SEGUE_MAX_NAME_SIZE + 1],
                                                  segue_error *err);

/** Read the name of something new. */
SEGUE_MUST_CHECK segue_status segue_name_read_new(const json_t *value, const char *field,
                                                  char out[SEGUE_MAX_NAME_SIZE + 1],
                                                  segue_error *err);

/** Reject a new name with a character that hides what it is; the message gives the character.
 * @retval SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_name_check(const char *field, const char *name,
                                               segue_error *err);

#endif
