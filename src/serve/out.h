/* out.h - JSON written into growing bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVE_OUT_H
#define SEGUE_SERVE_OUT_H

#include <stdint.h>

#include "core/bytes.h"
#include "segue/status.h"

/** Text as it is. */
void segue_out(bytes *b, const char *text);
void segue_out_format(bytes *b, const char *format, ...) SEGUE_PRINTF(2, 3);

/** A JSON string; UTF-8 goes through as it is, but for characters that hide what a text is, which
 * are escaped (segue_is_hidden); what is no UTF-8 becomes U+FFFD. */
void segue_out_string(bytes *b, const char *text);

/** The shortest number that reads back the same; null if it is not finite. */
void segue_out_number(bytes *b, double x);

/** `"name": `, after a comma unless an object or list has just begun. */
void segue_out_name(bytes *b, const char *name);

/* A name and its value. */
void segue_out_text(bytes *b, const char *name, const char *value);
void segue_out_double(bytes *b, const char *name, double value);
void segue_out_whole(bytes *b, const char *name, uint64_t value);
void segue_out_bool(bytes *b, const char *name, int value);

#endif
