/* arm_numbers.h - numbers of some arms in a learner's settings, such as {"game": 0.1}.
 *
 * Lists are constant.  A pool owns them: that of a learner's settings frees them with the settings,
 * so that terms and tasks, which are copied often, only point to them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_SETTINGS_ARM_NUMBERS_H
#define SEGUE_SERVICE_API_SETTINGS_ARM_NUMBERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "segue/internal.h"

typedef struct arm_numbers_item {
    const char *arm; /* of the same block of memory */
    double value;
} arm_numbers_item;

/** Numbers by arm, at least one, sorted by name. */
typedef struct arm_numbers {
    struct arm_numbers *next; /* in its pool */
    size_t count;
    size_t size; /* of this block of memory */
    arm_numbers_item item[];
} arm_numbers;

/**
 * Read the field of a body, if there is one: numbers from `min` to `max`, without `min` if `open`.
 * An object without numbers gives NULL.  *out stays if its numbers are the same.
 *
 * @retval SEGUE_EDOMAIN, SEGUE_ENOMEM
 */
typedef struct arm_numbers_field {
    const char *name;
    double min, max;
    bool open;
} arm_numbers_field;
SEGUE_MUST_CHECK segue_status segue_arm_numbers_read(json_t *body, const arm_numbers_field *field,
                                                     arm_numbers **pool, const arm_numbers **out,
                                                     segue_error *err);

/** Free a pool; move all lists of a pool to another. */
void segue_arm_numbers_free(arm_numbers **pool);
void segue_arm_numbers_move(arm_numbers **from, arm_numbers **to);

/** Return the list of the pool that is equal, or `numbers` itself. */
const arm_numbers *segue_arm_numbers_shared(const arm_numbers *pool, const arm_numbers *numbers);

/** Bytes of all lists of a pool. */
size_t segue_arm_numbers_bytes(const arm_numbers *pool);

/** Write a field after a comma; nothing for NULL. */
void segue_arm_numbers_write(segue_bytes *b, const char *field, const arm_numbers *numbers);

/** NULL has no numbers. */
bool segue_arm_numbers_equal(const arm_numbers *a, const arm_numbers *b);
double segue_arm_numbers_sum(const arm_numbers *numbers);

/** The first name that `knows` does not know; NULL: it knows all. */
typedef bool (*knows_arm)(const void *context, const char *arm);
const char *segue_arm_numbers_unknown(const arm_numbers *numbers, knows_arm knows,
                                      const void *context);

#endif
