/* output.c - gathered first, then written whole.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/utf8.h"
#include "segue/internal.h"

#define DIGITS     15   /* of numbers that are told: as many as every double keeps */
#define MAX_DIGITS 17   /* that any double needs to come back bit for bit */
#define COMPACT    (-1) /* depth of a value that is to stand in one line */

segue_status segue_output_init(segue_output *output, segue_error *err)
{
    *output = (segue_output){.stream = NULL};
    output->stream = open_memstream(&output->data, &output->size);
    if (!output->stream)
        return segue_fail_no_memory(err, "the output");
    return SEGUE_OK;
}

segue_status segue_output_finish(segue_output *output, segue_error *err)
{
    if (fflush(output->stream) != 0 || ferror(output->stream))
        return segue_fail_no_memory(err, "the output");
    return SEGUE_OK;
}

segue_status segue_output_write(segue_output *output, const char *path, segue_error *err)
{
    const segue_status status = segue_output_finish(output, err);
    return status == SEGUE_OK ? segue_atomic_file_write(path, output->data, output->size, err)
                              : status;
}

void segue_output_fini(segue_output *output)
{
    if (output->stream)
        fclose(output->stream);
    free(output->data);
    *output = (segue_output){.stream = NULL};
}

void segue_output_csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char *p = text; *p; p++) {
        if (*p == '"')
            fputc('"', out);
        fputc(*p, out);
    }
    fputc('"', out);
}

void segue_output_csv_number(FILE *out, double x)
{
    if (isfinite(x))
        fprintf(out, "%.*g", DIGITS, x);
}

static double rounded(double x, int digits)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%.*g", digits, x);
    return strtod(text, NULL);
}

json_t *segue_json_number(double x)
{
    return isfinite(x) ? json_real(rounded(x, DIGITS)) : json_null();
}

json_t *segue_json_text(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return NULL;
    segue_utf8_sanitize(copy);
    json_t *value = json_string(copy);
    free(copy);
    return value;
}

json_t *segue_json_exact(const double *x, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        list = segue_json_append(list, json_real(x[i]));
    return list;
}

json_t *segue_json_numbers(const double *x, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; x && i < count; i++)
        list = segue_json_append(list, segue_json_number(x[i]));
    return list;
}

json_t *segue_json_append(json_t *list, json_t *value)
{
    if (json_array_append_new(list, value) == 0) /* it refuses NULLs, and takes the value anyway */
        return list;
    json_decref(list);
    return NULL;
}

json_t *segue_json_set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) == 0)
        return object;
    json_decref(object);
    return NULL;
}

/* The fewest digits with which a number comes back, and not fewer than others are told with. */
static size_t digits_of(const json_t *value)
{
    int digits = DIGITS;
    const double x = json_real_value(value);
    while (digits < MAX_DIGITS && rounded(x, digits) != x)
        digits++;
    return (size_t)digits;
}

static void begin_line(FILE *out, int depth)
{
    if (depth != COMPACT)
        fprintf(out, "\n%*s", depth, "");
}

static int print_value(FILE *out, json_t *value, int depth);

static int print_list(FILE *out, const json_t *list, int depth)
{
    const int inner = depth == COMPACT ? COMPACT : depth + 1;
    int code = 0;
    size_t i = 0;
    json_t *value = NULL;
    fputc('[', out);
    json_array_foreach(list, i, value)
    {
        fputs(i ? "," : "", out);
        begin_line(out, inner);
        code |= print_value(out, value, inner);
    }
    if (i)
        begin_line(out, depth);
    fputc(']', out);
    return code;
}

static int print_object(FILE *out, json_t *object, int depth)
{
    const int inner = depth == COMPACT ? COMPACT : depth + 1;
    int code = 0;
    size_t i = 0;
    const char *key = NULL;
    json_t *value = NULL;
    fputc('{', out);
    json_object_foreach(object, key, value)
    {
        fputs(i++ ? "," : "", out);
        begin_line(out, inner);
        json_t *name = json_string(key);
        code |= json_dumpf(name, out, JSON_ENCODE_ANY);
        json_decref(name);
        fputs(depth == COMPACT ? ":" : ": ", out);
        code |= print_value(out, value, inner);
    }
    if (i)
        begin_line(out, depth);
    fputc('}', out);
    return code;
}

/* As jansson lays it out, but each number with the digits that it needs; 0: it went well. */
static int print_value(FILE *out, json_t *value, int depth)
{
    switch (json_typeof(value)) {
    case JSON_ARRAY:
        return print_list(out, value, depth);
    case JSON_OBJECT:
        return print_object(out, value, depth);
    case JSON_REAL:
        return json_dumpf(value, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits_of(value)));
    default:
        return json_dumpf(value, out, JSON_ENCODE_ANY);
    }
}

static segue_status print_as(FILE *out, json_t *value, int depth, segue_error *err)
{
    if (!value)
        return segue_fail_no_memory(err, "the output");
    const int code = print_value(out, value, depth);
    json_decref(value);
    if (code != 0)
        return segue_fail_no_memory(err, "the output");
    fputc('\n', out);
    return SEGUE_OK;
}

segue_status segue_json_print(FILE *out, json_t *value, segue_error *err)
{
    return print_as(out, value, 0, err);
}

segue_status segue_json_print_line(FILE *out, json_t *value, segue_error *err)
{
    return print_as(out, value, COMPACT, err);
}
