/* json_write.h - write JSON: piece by piece into growing bytes, or a whole jansson value.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_JSON_WRITE_H
#define SEGUE_IO_JSON_WRITE_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "segue/internal.h"
#include "segue/status.h"

/* ---- piece by piece ---------------------------------------------------------------------- */

/** Append text as it is, or formatted (at most 1023 characters). */
void segue_json_write_raw(segue_bytes *b, const char *text);
void segue_json_write_format(segue_bytes *b, const char *format, ...) SEGUE_PRINTF(2, 3);

/** Write a string.  UTF-8 stays as it is; characters that hide what a text says are escaped
 * (segue_utf8_is_hidden); each byte that is not UTF-8 becomes U+FFFD. */
void segue_json_write_string(segue_bytes *b, const char *text);

/** Write a number with 15 or 17 digits, so that it reads back unchanged; null if not finite. */
void segue_json_write_number(segue_bytes *b, double x);

/** Write `"name":`, with a comma before it unless an object or list has just begun. */
void segue_json_write_key(segue_bytes *b, const char *name);

/* Write a key and its value. */
void segue_json_write_text(segue_bytes *b, const char *name, const char *value);
void segue_json_write_double(segue_bytes *b, const char *name, double value);
void segue_json_write_integer(segue_bytes *b, const char *name, uint64_t value);
void segue_json_write_bool(segue_bytes *b, const char *name, int value);

/* ---- whole values ------------------------------------------------------------------------ */

/** Write a value without spaces.  Real numbers have 15 digits, or up to 17 if they need them to
 * read back unchanged, and always a point or an exponent.  False: out of memory. */
bool segue_json_write_value(segue_bytes *b, json_t *value);

/** Copy JSON without spaces, with one line per value, `step` more spaces per level, and a space
 * after each colon. */
void segue_json_write_indented(segue_bytes *b, const char *json, size_t size, int step);

/** Print a value, indented by one space per level, and release it.  NULL stands for a value whose
 * construction ran out of memory; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_json_print(FILE *out, json_t *value, segue_error *err);

/** Print a value on one line and release it; @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_json_print_line(FILE *out, json_t *value, segue_error *err);

#endif
