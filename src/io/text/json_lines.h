/* json_lines.h - strict reading of JSON Lines: one flat object per line.
 *
 * The caller names the keys that it wants.  Values of other keys may be anything, also nested; they
 * are validated and skipped.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_TEXT_JSON_LINES_H
#define SEGUE_IO_TEXT_JSON_LINES_H

#include "io/text/lines.h"

#define SEGUE_MAX_JSON_KEYS   1000
#define SEGUE_MAX_JSON_DEPTH  64
#define SEGUE_MAX_JSON_WANTED 32

typedef enum segue_json_lines_kind {
    SEGUE_JSON_LINES_NONE, /* there is no such key, or it is null */
    SEGUE_JSON_LINES_STRING,
    SEGUE_JSON_LINES_NUMBER,
    SEGUE_JSON_LINES_BOOLEAN,
    SEGUE_JSON_LINES_OTHER /* an array or an object */
} segue_json_lines_kind;

/* The value of a wanted key. */
typedef struct segue_json_lines_value {
    segue_json_lines_kind kind;
    char *text; /* a string with its escapes decoded, or the text of a number, true or false; valid
                   until the next line is read.  The byte after it may be overwritten. */
    size_t length;
} segue_json_lines_value;

/* The keys of a line that are not wanted. */
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
    uint32_t seen; /* one bit per wanted key that the line has */
    size_t guess;  /* the index that is probably next */
} segue_json_lines;

/** Free the list of other keys; the rest belongs to the caller. */
void segue_json_lines_fini(segue_json_lines *json);

/**
 * Read the next line that is not blank; *more is false at the end.
 *
 * @retval SEGUE_EPARSE  not one JSON object (RFC 8259), a duplicate key, more than
 *                       SEGUE_MAX_JSON_KEYS keys, values deeper than SEGUE_MAX_JSON_DEPTH, a NUL in
 *                       a string, or a line that is too long
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_json_lines_next(segue_json_lines *json, bool *more,
                                                    segue_error *err);

#endif
