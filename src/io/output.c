/* output.c - gathered first, then written whole.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "io/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/outfile.h"

#define JSON_DIGITS 15 /* as many as every double keeps */

segue_status segue_output_init(segue_output *output, segue_error *err)
{
    *output = (segue_output){.stream = NULL};
    output->stream = open_memstream(&output->data, &output->size);
    if (!output->stream)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the output");
    return SEGUE_OK;
}

segue_status segue_output_finish(segue_output *output, segue_error *err)
{
    if (fflush(output->stream) != 0 || ferror(output->stream))
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the output");
    return SEGUE_OK;
}

segue_status segue_output_write(segue_output *output, const char *path, segue_error *err)
{
    const segue_status status = segue_output_finish(output, err);
    return status == SEGUE_OK ? segue_outfile_write(path, output->data, output->size, err) : status;
}

void segue_output_fini(segue_output *output)
{
    if (output->stream)
        fclose(output->stream);
    free(output->data);
    *output = (segue_output){.stream = NULL};
}

void segue_print_csv_text(FILE *out, const char *text)
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

void segue_print_csv_number(FILE *out, double x)
{
    if (isfinite(x))
        fprintf(out, "%.*g", JSON_DIGITS, x);
}

json_t *segue_json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
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

static segue_status print_as(FILE *out, json_t *value, size_t layout, segue_error *err)
{
    if (!value)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the output");
    const int code = json_dumpf(value, out, layout | JSON_REAL_PRECISION(JSON_DIGITS));
    json_decref(value);
    if (code != 0)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the output");
    fputc('\n', out);
    return SEGUE_OK;
}

segue_status segue_print_json(FILE *out, json_t *value, segue_error *err)
{
    return print_as(out, value, JSON_INDENT(1), err);
}

segue_status segue_print_json_line(FILE *out, json_t *value, segue_error *err)
{
    return print_as(out, value, JSON_COMPACT, err);
}
