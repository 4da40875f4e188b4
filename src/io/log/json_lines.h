/* json_lines.h - strict reading of JSON Lines: one flat object a line.
 *
 * Only some keys are asked for; the values of others may be anything, nested too, and are checked
 * and passed over.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_JSON_LINES_H
#define SEGUE_IO_LOG_JSON_LINES_H

#include "io/log/lines.h"

#define SEGUE_MAX_JSON_KEYS   1000
#define SEGUE_MAX_JSON_DEPTH  64
#define SEGUE_MAX_JSON_WANTED 32

typedef enum segue_json_lines_kind {
    SEGUE_JSON_LINES_NONE, /* there is no such key, or it is null */
    SEGUE_JSON_LINES_STRING,
    SEGUE_JSON_LINES_NUMBER,
    SEGUE_JSON_LINES_OTHER /* true, false, an array or an object */
} segue_json_lines_kind;

/* A value that was asked for. */
typedef struct segue_json_lines_value {
    segue_json_lines_kind kind;
    char *text; /* of a string, without its escapes, or as the number is written; valid until the
                   next line is read.  Its reader may put a NUL behind it. */
    size_t length;
} segue_json_lines_value;

/* What is known of the other keys of a line. */
typedef struct segue_json_lines_keys {
    segue_json_lines_value *key;
    size_t count, capacity;
} segue_json_lines_keys;

typedef struct segue_json_lines {
    segue_lines *lines;
    uint64_t next_line;
    const char *const *wanted; /* n_wanted <= SEGUE_MAX_JSON_WANTED keys */
    size_t n_wanted;
    segue_json_lines_value *value; /* n_wanted: their values on the current line */
    segue_json_lines_keys others;
    uint32_t seen; /* a bit for each key that was wanted, and is there */
    size_t guess;  /* which of them comes next, probably */
} segue_json_lines;

/** Free what was used; the rest belongs to the caller. */
void segue_json_lines_fini(segue_json_lines *json);

/**
 * Read the next line that is not blank; *more is false at the end.
 *
 * @retval SEGUE_EPARSE  it is not an object of JSON (RFC 8259) alone, a key is there twice, it has
 *                       more than SEGUE_MAX_JSON_KEYS keys or values deeper than
 * SEGUE_MAX_JSON_DEPTH, a string has a NUL in it, or the line is too long
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_json_lines_next(segue_json_lines *json, bool *more,
                                                    segue_error *err);

#endif
