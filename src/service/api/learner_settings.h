/* learner_settings.h - the settings that a learner is created with.
 *
 * The body of POST /v1/learners holds them; the store has them as JSON with all fields filled in.
 * Two requests with the same settings give the same bytes, so a comparison of bytes tells whether
 * a learner exists already with the same settings.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_LEARNER_SETTINGS_H
#define SEGUE_SERVICE_API_LEARNER_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>

#include "segue/internal.h"
#include "segue/learner.h"
#include "service/api/name.h"
#include "service/api/settings/aggregate.h"
#include "service/api/settings/terms_changes.h"

#define SEGUE_MAX_SERVICE_ARMS 1000 /* arms of a learner of the service */

#define SEGUE_SAVED_HASH_LENGTH 64 /* hexadecimal digits of SHA-256 */

typedef struct learner_settings {
    char name[SEGUE_MAX_NAME_SIZE + 1], method[SEGUE_MAX_NAME_SIZE + 1];
    char **arm; /* n_arms names, owned: the arms at creation */
    size_t n_arms;
    uint64_t models;        /* of tucb; 0: not given */
    double lowest, highest; /* range of rewards */
    task_terms terms;       /* at its creation */
    uint64_t seed;
    char from[SEGUE_SAVED_HASH_LENGTH + 1]; /* names the saved learner it starts from; "": none */
    segue_bytes saved;    /* the bytes of that; only while a learner is created, and owned */
    terms_change *change; /* n_changes, owned: of the terms, since its creation */
    size_t n_changes;
    bool paused;
    arm_numbers *numbers;      /* owned: lists that the terms point to */
    segue_aggregate aggregate; /* of several rewards of a decision */
} learner_settings;

/**
 * Read the settings of a new learner from a body; unknown fields are rejected.
 *
 * @retval SEGUE_EPARSE, SEGUE_EDOMAIN, SEGUE_ENAME  a field is wrong; the message names it
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_learner_settings_read(learner_settings *settings, json_t *body,
                                                          segue_error *err);

/** Read settings that the store has.  @retval SEGUE_EFILE  they are not JSON */
SEGUE_MUST_CHECK segue_status segue_learner_settings_parse(learner_settings *settings,
                                                           const char *text, segue_error *err);
void segue_learner_settings_fini(learner_settings *settings);

/** The terms of tasks that are opened now; those of a task with this id. */
const task_terms *segue_learner_settings_terms(const learner_settings *settings);
const task_terms *segue_learner_settings_terms_of(const learner_settings *settings, int64_t task);

/** The width of the range of rewards. */
double segue_learner_settings_range(const learner_settings *settings);

/** Tasks of some terms have a default reward. */
bool segue_learner_settings_has_defaults(const learner_settings *settings);

/** Write all fields as JSON, with the terms of now, or with those at its creation; equal settings
 * give equal bytes. */
void segue_learner_settings_write(const learner_settings *settings, segue_bytes *b);
void segue_learner_settings_write_created(const learner_settings *settings, segue_bytes *b);

/** Write the settings with these changes as the store has them. */
void segue_learner_settings_write_stored(const learner_settings *settings,
                                         const terms_change *change, size_t n_changes, bool paused,
                                         segue_bytes *b);

/** Write the fields from `range` to `seed`. */
void segue_learner_settings_write_numbers(const learner_settings *settings, const task_terms *terms,
                                          segue_bytes *b);

/** Describe the first field that differs: "steps 25, request has 30"; "" if none does. */
void segue_learner_settings_difference(const learner_settings *stored,
                                       const learner_settings *requested, char *out, size_t size);

/** Check that a method takes costs, if there are some.  @retval SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_learner_settings_check_costs(const task_terms *terms,
                                                                 const char *method,
                                                                 segue_error *err);

/**
 * Create a learner with these settings: a new one, or the saved one that they start from
 * (saved_learner.h).  _new ignores a saved one.
 *
 * @retval SEGUE_ENAME, SEGUE_EPARSE, SEGUE_EDOMAIN, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_learner_settings_create_learner(
    const learner_settings *settings, segue_learner **out, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_learner_settings_create_new(const learner_settings *settings,
                                                                segue_learner **out,
                                                                segue_error *err);

#endif
