/* output.h - what a command prints: gathered first, then written whole.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_OUTPUT_H
#define SEGUE_CLI_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "segue/status.h"

typedef enum cli_format { CLI_TABLE, CLI_CSV, CLI_JSON } cli_format;

/** @retval SEGUE_ENAME  the text is none of table, csv, json */
SEGUE_MUST_CHECK segue_status cli_parse_format(const char *text, cli_format *out, segue_error *err);

/** The path of --out: NULL, the standard output, for "-" and "/dev/stdout". */
const char *cli_out_path(const char *out);

/** A stream in memory.  Print to `stream`; writing errors show when it is finished. */
typedef struct cli_output {
    FILE *stream;
    char *data;
    size_t size;
} cli_output;

SEGUE_MUST_CHECK segue_status cli_output_init(cli_output *output, segue_error *err);

/** Write what was printed to the file at `path`, or to the standard output if it is NULL. */
SEGUE_MUST_CHECK segue_status cli_output_write(cli_output *output, const char *path,
                                               segue_error *err);
void cli_output_fini(cli_output *output);

/** Write to the standard output and see that it arrives. */
SEGUE_MUST_CHECK segue_status cli_write_stdout(const char *data, size_t size, segue_error *err);

/** A number for JSON: null if it is not finite. */
json_t *cli_json_number(double x);

/** A list of numbers; empty if `x` is NULL. */
json_t *cli_json_numbers(const double *x, size_t count);

/** The list with one more value, the object with one more field; NULL if memory ran out, now or
 * before: what is made of a NULL is NULL, and cli_print then says so. */
json_t *cli_json_append(json_t *list, json_t *value);
json_t *cli_json_set(json_t *object, const char *key, json_t *value);

/** The three ways a command prints what it found. */
typedef struct cli_printers {
    segue_status (*table)(const void *found, FILE *out, segue_error *err);
    void (*csv)(const void *found, FILE *out);
    json_t *(*json)(const void *found); /* a new value; NULL: out of memory */
} cli_printers;

/** Print in one of the ways, to the file at `path` or, if it is NULL, to the standard output. */
SEGUE_MUST_CHECK segue_status cli_print(const cli_printers *printers, const void *found,
                                        cli_format format, const char *path, segue_error *err);

/** A text as a field of CSV, quoted if it must be. */
void cli_print_csv_text(FILE *out, const char *text);

/** A number as a field of CSV: empty if it is not finite. */
void cli_print_csv_number(FILE *out, double x);

/** The codes that make a heading bold, if `path` is NULL and the standard output shows colours;
 * else empty texts. */
typedef struct cli_bold {
    const char *on, *off;
} cli_bold;
cli_bold cli_bold_for(const char *path);

#endif
