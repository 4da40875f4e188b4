/* output.h - collect output in memory, then write it to a file at once; fields of CSV.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_OUTPUT_H
#define SEGUE_IO_OUTPUT_H

#include <stdio.h>

#include "segue/status.h"

#define SEGUE_OUTPUT_DIGITS 15 /* of printed numbers: decimals of this length survive a double */

/** A stream in memory.  Print to `stream`; segue_output_finish reports failed writes. */
typedef struct segue_output {
    FILE *stream;
    char *data;
    size_t size;
} segue_output;

SEGUE_MUST_CHECK segue_status segue_output_init(segue_output *output, segue_error *err);

/** Flush: after this `data` holds `size` bytes and a NUL. */
SEGUE_MUST_CHECK segue_status segue_output_finish(segue_output *output, segue_error *err);

/** Finish, and replace the file at `path` atomically. */
SEGUE_MUST_CHECK segue_status segue_output_write(segue_output *output, const char *path,
                                                 segue_error *err);
void segue_output_fini(segue_output *output);

/** Print a field of CSV, quoted if it must be. */
void segue_output_csv_text(FILE *out, const char *text);

/** Print a number as a field of CSV; nothing if it is not finite. */
void segue_output_csv_number(FILE *out, double x);

#endif
