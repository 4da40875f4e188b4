/* learner_settings.h - what a learner is created with, as words of the interface.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_LEARNER_SETTINGS_H
#define SEGUE_SERVICE_API_LEARNER_SETTINGS_H

#include <jansson.h>
#include <stdbool.h>

#include "segue/internal.h"
#include "segue/learner.h"
#include "store/store.h"

#define SEGUE_MAX_NAME_SIZE    SEGUE_MAX_STORE_NAME /* bytes of a name */
#define SEGUE_MAX_SERVICE_ARMS 1000                 /* arms of a learner of the service */

typedef struct words {
    char name[SEGUE_MAX_NAME_SIZE + 1], method[SEGUE_MAX_NAME_SIZE + 1];
    char **arm; /* n_arms: those it was created with */
    size_t n_arms;
    uint64_t models;
    double lowest, highest;
    uint64_t steps;
    double wait; /* seconds; 0: for ever */
    bool has_default;
    double fallback; /* the default */
    uint64_t close_after;
    double idle;
    bool has_idle; /* somebody said so, and it is not the default */
    double control;
    uint64_t seed;
} words;

/**
 * Read them from a body, strictly.
 *
 * @retval SEGUE_EPARSE, SEGUE_EDOMAIN, SEGUE_ENAME  a field is wrong; the sentence names it
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_learner_settings_read(words *w, json_t *body, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_learner_settings_parse(words *w, const char *text,
                                                           segue_error *err);
void segue_learner_settings_fini(words *w);

/** Write them, all fields; the same words give the same bytes. */
void segue_learner_settings_write(const words *w, segue_bytes *b);

/* Of these, all but the names: range, steps, times, shares, the seed. */
void segue_learner_settings_write_numbers(const words *w, segue_bytes *b);

/**
 * Make the learner.
 *
 * @retval SEGUE_ENAME, SEGUE_EPARSE, SEGUE_EDOMAIN, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_learner_settings_create_learner(const words *w,
                                                                    segue_learner **out,
                                                                    segue_error *err);

/**
 * A field that is a name: 1 to SEGUE_MAX_NAME_SIZE bytes without control characters.
 *
 * @retval SEGUE_EPARSE, SEGUE_EDOMAIN
 */
SEGUE_MUST_CHECK segue_status segue_learner_settings_read_name(const json_t *value,
                                                               const char *field,
                                                               char out[SEGUE_MAX_NAME_SIZE + 1],
                                                               segue_error *err);

/** Whether a name of something new shows what it is: no control characters, marks of direction or
 * line separators.  @retval SEGUE_EDOMAIN  the sentence names the character */
SEGUE_MUST_CHECK segue_status segue_learner_settings_check_name(const char *field, const char *name,
                                                                segue_error *err);

/** The key of a task, which may be there: "." and "..", which no path can name, are refused. */
SEGUE_MUST_CHECK segue_status segue_learner_settings_read_key(const json_t *value,
                                                              const char *field,
                                                              char out[SEGUE_MAX_NAME_SIZE + 1],
                                                              segue_error *err);

/** The name of something new, which is checked too. */
SEGUE_MUST_CHECK segue_status segue_learner_settings_read_new_name(
    const json_t *value, const char *field, char out[SEGUE_MAX_NAME_SIZE + 1], segue_error *err);

#endif
