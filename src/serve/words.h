/* words.h - what a learner is created with, as words of the interface.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVE_WORDS_H
#define SEGUE_SERVE_WORDS_H

#include <jansson.h>
#include <stdbool.h>

#include "core/bytes.h"
#include "segue/learner.h"
#include "store/store.h"

#define NAME_MOST SEGUE_STORE_NAME /* bytes of a name */
#define ARMS_MOST 1000             /* arms of a learner of the service */

typedef struct words {
    char name[NAME_MOST + 1], method[NAME_MOST + 1];
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
SEGUE_MUST_CHECK segue_status segue_words_read(words *w, json_t *body, segue_error *err);
SEGUE_MUST_CHECK segue_status segue_words_parse(words *w, const char *text, segue_error *err);
void segue_words_fini(words *w);

/** Write them, all fields; the same words give the same bytes. */
void segue_words_write(const words *w, bytes *b);

/* Of these, all but the names: range, steps, times, shares, the seed. */
void segue_words_write_numbers(const words *w, bytes *b);

/**
 * Make the learner.
 *
 * @retval SEGUE_ENAME, SEGUE_EPARSE, SEGUE_EDOMAIN, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_words_learner(const words *w, segue_learner **out,
                                                  segue_error *err);

/**
 * A field that is a name: 1 to NAME_MOST bytes without control characters.
 *
 * @retval SEGUE_EPARSE, SEGUE_EDOMAIN
 */
SEGUE_MUST_CHECK segue_status segue_name_read(const json_t *value, const char *field,
                                              char out[NAME_MOST + 1], segue_error *err);

/** Whether a name of something new shows what it is: no control characters, marks of direction or
 * line separators.  @retval SEGUE_EDOMAIN  the sentence names the character */
SEGUE_MUST_CHECK segue_status segue_name_check(const char *field, const char *name,
                                               segue_error *err);

/** The key of a task, which may be there: "." and "..", which no path can name, are refused. */
SEGUE_MUST_CHECK segue_status segue_name_read_key(const json_t *value, const char *field,
                                                  char out[NAME_MOST + 1], segue_error *err);

/** The name of something new, which is checked too. */
SEGUE_MUST_CHECK segue_status segue_name_read_new(const json_t *value, const char *field,
                                                  char out[NAME_MOST + 1], segue_error *err);

#endif
