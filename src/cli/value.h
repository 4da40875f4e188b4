/* value.h - one value of a result, and how it prints in CSV and JSON.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_VALUE_H
#define SEGUE_CLI_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "io/output.h"

typedef enum cli_value_kind {
    CLI_VALUE_MISSING, /* blank in a table, empty in CSV, null in JSON */
    CLI_VALUE_ABSENT,  /* as MISSING, but JSON omits the field */
    CLI_VALUE_TEXT,
    CLI_VALUE_INTEGER,
    CLI_VALUE_NUMBER,  /* not finite: '-' in a table, empty in CSV, null in JSON */
    CLI_VALUE_BOOLEAN, /* yes or no in a table, true or false elsewhere */
    CLI_VALUE_JSON     /* a new reference, which printing releases; JSON only */
} cli_value_kind;

/** A value.  A text is borrowed from the data, or formatted into `buffer`. */
typedef struct cli_value {
    cli_value_kind kind;
    const char *text; /* NULL: `buffer` */
    uint64_t integer;
    double number;
    json_t *json;
    char buffer[128];
} cli_value;

cli_value cli_value_missing(void);
cli_value cli_value_absent(void);
cli_value cli_value_text(const char *text);
cli_value cli_value_format(const char *format, ...) SEGUE_PRINTF(1, 2);
cli_value cli_value_integer(uint64_t integer);
cli_value cli_value_number(double number);
cli_value cli_value_boolean(int is_true);
cli_value cli_value_json(json_t *json);

/** The characters of a text. */
const char *cli_value_characters(const cli_value *value);

/** Print a value as a field of CSV. */
void cli_value_print_csv(FILE *out, const cli_value *value);

/** A value with its name. */
typedef struct cli_field {
    const char *name; /* "recovery.error" is the field "error" of an object "recovery" */
    cli_value value;
} cli_field;

/** Add a field to an object, and release its value; NULL: out of memory, now or before. */
json_t *cli_value_set(json_t *object, const cli_field *field);

/** Make an object of fields; NULL: out of memory. */
json_t *cli_value_object(const cli_field *fields, size_t count);
#define CLI_OBJECT(fields) cli_value_object((fields), sizeof(fields) / sizeof *(fields))

/** Print fields as CSV: lines of name and value. */
void cli_value_print_pairs(FILE *out, const cli_field *fields, size_t count);

#endif
