/* name.c - names of learners, arms, tasks and event ids in a request.
 *
 * A name is UTF-8 of 1 to SEGUE_MAX_NAME_SIZE bytes.  New names have no characters that hide in a
 * page or a terminal; names in the store may be older than that rule, and stay readable.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/name.h"

#include <string.h>

#include "io/json.h"
#include "io/utf8.h"
#include "segue/internal.h"

static const segue_json_location body_location = {.path = "the body"};

segue_status segue_name_check(const char *field, const char *name, segue_error *err)
{
    uint32_t code = 0;
    if (!segue_utf8_find_hidden(name, &code))
        return SEGUE_OK;
    return segue_json_fail(&body_location, field, err, "has the %s U+%04X; need a text without",
                           code < 0xa0                        ? "control character"
                           : code == 0x2028 || code == 0x2029 ? "line separator"
                                                              : "direction mark",
                           (unsigned)code);
}

segue_status segue_name_read(const json_t *value, const char *field,
                             char out[SEGUE_MAX_NAME_SIZE + 1], segue_error *err)
{
    if (!json_is_string(value) || json_string_length(value) == 0)
        return segue_json_fail(&body_location, field, err, "is %s; need a text",
                               json_is_string(value) ? "empty" : segue_json_kind(value));
    if (!segue_json_is_printable(value))
        return segue_name_check(field, json_string_value(value), err);
    const size_t size = json_string_length(value);
    if (size > SEGUE_MAX_NAME_SIZE)
        return segue_json_fail(&body_location, field, err, "has %zu bytes; at most %d are allowed",
                               size, SEGUE_MAX_NAME_SIZE);
    memcpy(out, json_string_value(value), size + 1);
    return SEGUE_OK;
}

segue_status segue_name_read_key(const json_t *value, const char *field,
                                 char out[SEGUE_MAX_NAME_SIZE + 1], segue_error *err)
{
    SEGUE_TRY(segue_name_read(value, field, out, err));
    if (strcmp(out, ".") == 0 || strcmp(out, "..") == 0)
        return segue_json_fail(&body_location, field, err,
                               "is '%s', which means a folder in a path; need another key", out);
    return SEGUE_OK;
}

segue_status segue_name_read_new(const json_t *value, const char *field,
                                 char out[SEGUE_MAX_NAME_SIZE + 1], segue_error *err)
{
    SEGUE_TRY(segue_name_read_key(value, field, out, err));
    return segue_name_check(field, out, err);
}
