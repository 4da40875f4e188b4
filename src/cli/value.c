/* value.c - one value of a result, and how it prints in CSV and JSON.
 *
 * Commands describe what they print as values: columns.c prints rows of them, cli_value_object
 * makes a JSON object of named ones. A value that is MISSING is null in JSON; one that is ABSENT
 * has no field at all.
 *
 * A text is borrowed, unless cli_value_format wrote it to the buffer of the value. A value of JSON
 * owns its reference until cli_value_set takes it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/value.h"
#include "io/json_build.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* The value is unknown: empty in CSV, null in JSON. */
cli_value cli_value_missing(void)
{
    return (cli_value){.kind = CLI_VALUE_MISSING};
}

/* The field does not exist here: JSON has no such key. */
cli_value cli_value_absent(void)
{
    return (cli_value){.kind = CLI_VALUE_ABSENT};
}

/* The text is borrowed, and must live until the value is printed. */
cli_value cli_value_text(const char *text)
{
    return (cli_value){.kind = CLI_VALUE_TEXT, .text = text};
}

/* The text is in the value itself: it is cut to the size of the buffer. */
cli_value cli_value_format(const char *format, ...)
{
    cli_value value = {.kind = CLI_VALUE_TEXT};
    va_list args;
    va_start(args, format);
    (void)vsnprintf(value.buffer, sizeof value.buffer, format, args);
    va_end(args);
    return value;
}

cli_value cli_value_integer(uint64_t integer)
{
    return (cli_value){.kind = CLI_VALUE_INTEGER, .integer = integer};
}

/* A number that is not finite is empty in CSV and null in JSON. */
cli_value cli_value_number(double number)
{
    return (cli_value){.kind = CLI_VALUE_NUMBER, .number = number};
}

cli_value cli_value_boolean(int is_true)
{
    return (cli_value){.kind = CLI_VALUE_BOOLEAN, .integer = is_true != 0};
}

/* The value owns the reference; a NULL, out of memory, makes the whole object NULL. */
cli_value cli_value_json(json_t *json)
{
    return (cli_value){.kind = CLI_VALUE_JSON, .json = json};
}

/* Do not copy a value and keep this pointer: it may point into the value. */
const char *cli_value_characters(const cli_value *value)
{
    return value->text ? value->text : value->buffer;
}

/* JSON and missing values are empty in CSV. */
void cli_value_print_csv(FILE *out, const cli_value *value)
{
    if (value->kind == CLI_VALUE_TEXT)
        segue_output_csv_text(out, cli_value_characters(value));
    else if (value->kind == CLI_VALUE_INTEGER)
        fprintf(out, "%" PRIu64, value->integer);
    else if (value->kind == CLI_VALUE_NUMBER)
        segue_output_csv_number(out, value->number);
    else if (value->kind == CLI_VALUE_BOOLEAN)
        fputs(value->integer ? "true" : "false", out);
}

/* A value of JSON gives its reference away; the others make a new one. */
static json_t *to_json(const cli_value *value)
{
    switch (value->kind) {
    case CLI_VALUE_TEXT:
        return segue_json_text(cli_value_characters(value));
    case CLI_VALUE_INTEGER:
        return json_integer((json_int_t)value->integer);
    case CLI_VALUE_NUMBER:
        return segue_json_number(value->number);
    case CLI_VALUE_BOOLEAN:
        return json_boolean(value->integer != 0);
    case CLI_VALUE_JSON:
        return value->json;
    case CLI_VALUE_MISSING:
    case CLI_VALUE_ABSENT:
        break;
    }
    return json_null();
}

/* Set a field; "a.b" sets the field b of the object a, which the first such name creates. */
static json_t *set_field(json_t *object, const char *name, json_t *value)
{
    char outer[64];
    const char *dot = strchr(name, '.');
    if (!dot)
        return segue_json_set(object, name, value);
    (void)snprintf(outer, sizeof outer, "%.*s", (int)(dot - name), name);
    json_t *inner = json_object_get(object, outer);
    inner = set_field(inner ? json_incref(inner) : json_object(), dot + 1, value);
    return segue_json_set(object, outer, inner);
}

/* The object is consumed on failure: callers only test the last result. */
json_t *cli_value_set(json_t *object, const cli_field *field)
{
    if (field->value.kind == CLI_VALUE_ABSENT)
        return object;
    return set_field(object, field->name, to_json(&field->value));
}

json_t *cli_value_object(const cli_field *fields, size_t count)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++)
        object = cli_value_set(object, &fields[i]);
    return object;
}

/* Names are literals without commas: they need no quotes. */
void cli_value_print_pairs(FILE *out, const cli_field *fields, size_t count)
{
    fputs("name,value\n", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s,", fields[i].name);
        cli_value_print_csv(out, &fields[i].value);
        fputc('\n', out);
    }
}
