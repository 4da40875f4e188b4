/* json.h - strict reading of JSON files: every refusal names the file and the field.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_JSON_H
#define SEGUE_IO_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

#define SEGUE_MAX_JSON_SIZE ((size_t)1 << 30) /* bytes */

/** Where a value stands, for errors. */
typedef struct segue_json_location {
    const char *path;
    char within[80]; /* what its field is in, such as "environment." */
} segue_json_location;

/**
 * Read a file ("-": the standard input) that holds one object.  Keys given twice, text behind the
 * end and wrong UTF-8 are refused, with the line.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_json_read(json_t **out, const char *path, segue_error *err);

/** "FILE: field 'within.field': ..." */
segue_status segue_json_fail(const segue_json_location *place, const char *field, segue_error *err,
                             const char *format, ...) SEGUE_PRINTF(4, 5);

/** The same, of a failure met while its value was worked out: with its status and sentence. */
segue_status segue_json_fail_cause(const segue_json_location *place, const char *field,
                                   const segue_error *why, segue_error *err);

/** A whole number in a range; 3.0 is 3, since not all that write JSON tell them apart. */
SEGUE_MUST_CHECK segue_status segue_json_integer(const segue_json_location *place,
                                                 const char *field, const json_t *value,
                                                 uint64_t least, uint64_t most, uint64_t *out,
                                                 segue_error *err);

/** Refuse fields that are not in the list of `count` names, and suggest the one that was meant. */
SEGUE_MUST_CHECK segue_status segue_json_check_keys(const segue_json_location *place,
                                                    json_t *object, const char *const *names,
                                                    size_t count, segue_error *err);

/** Whether a value is a text of one line, not empty, that can be shown: no control characters. */
bool segue_json_is_printable(const json_t *value);

/** What a value is, in words: "a text"; "missing" if it is NULL. */
const char *segue_json_kind(const json_t *value);

#endif
