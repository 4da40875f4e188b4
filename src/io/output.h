/* output.h - what is printed: gathered in memory first, then written whole.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_OUTPUT_H
#define SEGUE_IO_OUTPUT_H

#include <jansson.h>
#include <stdio.h>

#include "segue/status.h"

/** A stream in memory.  Print to `stream`; writing errors show when it is finished. */
typedef struct segue_output {
    FILE *stream;
    char *data;
    size_t size;
} segue_output;

SEGUE_MUST_CHECK segue_status segue_output_init(segue_output *output, segue_error *err);

/** See that all that was printed is in `data`: `size` bytes, and a NUL behind them. */
SEGUE_MUST_CHECK segue_status segue_output_finish(segue_output *output, segue_error *err);

/** Write what was printed to the file at `path`. */
SEGUE_MUST_CHECK segue_status segue_output_write(segue_output *output, const char *path,
                                                 segue_error *err);
void segue_output_fini(segue_output *output);

/* ---- CSV --------------------------------------------------------------------------------- */

/** A text as a field, quoted if it must be. */
void segue_output_csv_text(FILE *out, const char *text);

/** A number as a field: empty if it is not finite. */
void segue_output_csv_number(FILE *out, double x);

/* ---- JSON -------------------------------------------------------------------------------- */

/** A number to be told, with 15 digits: null if it is not finite. */
json_t *segue_json_number(double x);

/** A list of finite numbers that are read again, and come back bit for bit. */
json_t *segue_json_exact(const double *x, size_t count);

/** A text that may be no UTF-8, as the name of a file: what is not shows as '?'. */
json_t *segue_json_text(const char *text);

/** A list of numbers; empty if `x` is NULL. */
json_t *segue_json_numbers(const double *x, size_t count);

/** The list with one more value, the object with one more field; NULL if memory ran out, now or
 * before: what is made of a NULL is NULL, and printing it then says so.  (Of a text that is no
 * UTF-8 jansson makes a NULL too: that is what segue_json_text is for.) */
json_t *segue_json_append(json_t *list, json_t *value);
json_t *segue_json_set(json_t *object, const char *key, json_t *value);

/** Print a value and release it; NULL: memory had run out.  Numbers have 15 digits, or up to 17 if
 * they need them to come back. */
SEGUE_MUST_CHECK segue_status segue_json_print(FILE *out, json_t *value, segue_error *err);

/** The same, in one line. */
SEGUE_MUST_CHECK segue_status segue_json_print_line(FILE *out, json_t *value, segue_error *err);

#endif
