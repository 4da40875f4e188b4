/* json.h - strict reading of JSON files: every error names file and field.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_JSON_H
#define SEGUE_IO_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

#define SEGUE_MAX_JSON_SIZE ((size_t)1 << 30) /* bytes */

/** Where a value is, for errors. */
typedef struct segue_json_location {
    const char *path;
    char within[80]; /* the object of its field, such as "environment."; empty: the file */
} segue_json_location;

/**
 * Read a file ("-": the standard input) that contains one object.  Duplicate keys, text after the
 * object and wrong UTF-8 are errors that name the line.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_json_read(json_t **out, const char *path, segue_error *err);

/** Fail with SEGUE_EDOMAIN: "FILE: field 'within.field': SENTENCE". */
segue_status segue_json_fail(const segue_json_location *location, const char *field,
                             segue_error *err, const char *format, ...) SEGUE_PRINTF(4, 5);

/** Fail with the status and message of `why`, and file and field before it. */
segue_status segue_json_fail_cause(const segue_json_location *location, const char *field,
                                   const segue_error *why, segue_error *err);

/** Read a whole number in a range.  3.0 is accepted as 3: some programs write it so. */
SEGUE_MUST_CHECK segue_status segue_json_integer(const segue_json_location *location,
                                                 const char *field, const json_t *value,
                                                 uint64_t min, uint64_t max, uint64_t *out,
                                                 segue_error *err);

/** Read true or false; *out stays as it is if `value` is NULL. */
SEGUE_MUST_CHECK segue_status segue_json_flag(const segue_json_location *location,
                                              const char *field, const json_t *value, bool *out,
                                              segue_error *err);

/** Fail if a field is not among the `count` names, and suggest the closest. */
SEGUE_MUST_CHECK segue_status segue_json_check_keys(const segue_json_location *location,
                                                    json_t *object, const char *const *names,
                                                    size_t count, segue_error *err);

/** Test for a text of one line that is not empty: no control characters. */
bool segue_json_is_printable(const json_t *value);

/** Describe the kind of a value for errors: "a text"; "missing" if it is NULL. */
const char *segue_json_kind(const json_t *value);

#endif
