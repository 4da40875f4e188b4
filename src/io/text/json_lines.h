/* json_lines.h - strict reading of JSON Lines: one object per line.
 *
 * The caller names the values that it wants by paths: "user", or "context.user.id" for a key of a
 * nested object, or "users.0.id" for the first element of an array; "*" is any element.  Other
 * values may be anything; they are validated and skipped.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_TEXT_JSON_LINES_H
#define SEGUE_IO_TEXT_JSON_LINES_H

#include "io/text/lines.h"

#define SEGUE_MAX_JSON_KEYS   1000
#define SEGUE_MAX_JSON_DEPTH  64
#define SEGUE_MAX_JSON_WANTED 16

typedef enum segue_json_lines_kind {
    SEGUE_JSON_LINES_NONE, /* there is no such key, or it is null */
    SEGUE_JSON_LINES_STRING,
    SEGUE_JSON_LINES_NUMBER,
    SEGUE_JSON_LINES_BOOLEAN,
    SEGUE_JSON_LINES_OTHER /* an array or an object */
} segue_json_lines_kind;

/* A value, or a key. */
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

/* A value of a path with "*". */
typedef struct segue_json_lines_match {
    size_t wanted;  /* index of the path */
    size_t element; /* index in the array that "*" stands for, the last one of the path */
    segue_json_lines_value value;
} segue_json_lines_match;

typedef struct segue_json_lines {
    segue_lines *lines;
    uint64_t next_line;
    const char *const *wanted; /* n_wanted <= SEGUE_MAX_JSON_WANTED paths */
    size_t n_wanted;
    segue_json_lines_value *value; /* n_wanted: their values on the current line */
    segue_json_lines_match *match; /* n_matches: the values of paths with "*" */
    size_t n_matches, match_capacity;
    segue_json_lines_keys others;
    uint32_t seen;  /* one bit per wanted path that the line has */
    uint32_t paths; /* one bit per wanted path of several keys */
    uint32_t stars; /* one bit per wanted path with "*" */
    size_t guess;   /* the index that is probably next */
} segue_json_lines;

/** Prepare to read `lines`.  The caller owns lines, paths and values, which stay where they are. */
void segue_json_lines_init(segue_json_lines *json, segue_lines *lines, const char *const *wanted,
                           size_t n_wanted, segue_json_lines_value *value);
/** Free what reading has allocated; the rest belongs to the caller. */
void segue_json_lines_fini(segue_json_lines *json);

/**
 * Read the next line that is not blank; *more is false at the end.
 *
 * The path "a.b" is also the value of a key "a.b"; an object that has both is an error.
 *
 * @retval SEGUE_EPARSE  not one JSON object (RFC 8259), a duplicate key, more than
 *                       SEGUE_MAX_JSON_KEYS keys, values deeper than SEGUE_MAX_JSON_DEPTH, a NUL in
 *                       a string, or a line that is too long
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_json_lines_next(segue_json_lines *json, bool *more,
                                                    segue_error *err);

#endif
