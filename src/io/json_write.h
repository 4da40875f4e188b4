/* json_write.h - JSON written into growing bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_JSON_WRITE_H
#define SEGUE_IO_JSON_WRITE_H

#include <stdint.h>

#include "segue/internal.h"
#include "segue/status.h"

/** Text as it is. */
void segue_json_write_raw(segue_bytes *b, const char *text);
void segue_json_write_format(segue_bytes *b, const char *format, ...) SEGUE_PRINTF(2, 3);

/** A JSON string; UTF-8 goes through as it is, but for characters that hide what a text is, which
 * are escaped (segue_utf8_is_hidden); what is no UTF-8 becomes U+FFFD. */
void segue_json_write_string(segue_bytes *b, const char *text);

/** The shortest number that reads back the same; null if it is not finite. */
void segue_json_write_number(segue_bytes *b, double x);

/** `"name": `, after a comma unless an object or list has just begun. */
void segue_json_write_key(segue_bytes *b, const char *name);

/* A name and its value. */
void segue_json_write_text(segue_bytes *b, const char *name, const char *value);
void segue_json_write_double(segue_bytes *b, const char *name, double value);
void segue_json_write_integer(segue_bytes *b, const char *name, uint64_t value);
void segue_json_write_bool(segue_bytes *b, const char *name, int value);

#endif
