/* json_text.h - what the exported functions return: JSON in memory.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_WASM_JSON_TEXT_H
#define SEGUE_WASM_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** A text that grows; start from zeros. */
typedef struct json_text {
    FILE *stream;
    char *text;
    size_t size;
} json_text;

/** Begin a new text and forget the last one; false: out of memory. */
bool json_text_begin(json_text *json);

/** End the text, and return it: valid until the next begin.  On a failure it is an object that says so. */
const char *json_text_end(json_text *json);
void json_text_free(json_text *json);

/** A key with its colon; after another member with a comma. */
void json_text_key(json_text *json, bool first, const char *key);

/** A number that reads back as the same number; NaN and infinity are null. */
void json_text_number(json_text *json, double number);

/** A string; NULL is null. */
void json_text_string(json_text *json, const char *text);

/** An array of numbers. */
void json_text_numbers(json_text *json, size_t count, const double *number);

#endif
