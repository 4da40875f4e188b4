/* json_cursor.h - parse the values of one line of JSON in place.
 *
 * A line ends with LF, and eight bytes after it can be read.  A function that fails leaves the cursor at the byte that is wrong.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_TEXT_JSON_CURSOR_H
#define SEGUE_IO_TEXT_JSON_CURSOR_H

#include "io/text/json_lines.h"

/* The position in a line. */
typedef struct segue_json_cursor {
    segue_lines *lines; /* for messages */
    char *line, *at;
    segue_error *err;
} segue_json_cursor;

static inline void segue_json_cursor_skip_blanks(segue_json_cursor *c)
{
    while (*c->at == ' ' || *c->at == '\t' || *c->at == '\r')
        c->at++;
}

/** Fail with `message`, or with a better one for a NUL or the end of the line.
 * @retval SEGUE_EPARSE */
segue_status segue_json_cursor_fail(const segue_json_cursor *c, const char *message);

/** Read the key of a member, its colon and the blanks around it.  @retval SEGUE_EPARSE */
SEGUE_MUST_CHECK segue_status segue_json_cursor_take_key(segue_json_cursor *c,
                                                         segue_json_lines_value *key);

/** Read the string whose quote is at the cursor, and decode its escapes in place.
 * @retval SEGUE_EPARSE */
SEGUE_MUST_CHECK segue_status segue_json_cursor_take_string(segue_json_cursor *c,
                                                            segue_json_lines_value *out);

/** Read a string, a number, true, false or null.  @retval SEGUE_EPARSE */
SEGUE_MUST_CHECK segue_status segue_json_cursor_take_scalar(segue_json_cursor *c,
                                                            segue_json_lines_value *out);

/** Skip an array or object with its contents.
 * @retval SEGUE_EPARSE  also if values are deeper than SEGUE_MAX_JSON_DEPTH */
SEGUE_MUST_CHECK segue_status segue_json_cursor_skip_nested(segue_json_cursor *c);

#endif
