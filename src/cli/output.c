/* output.c - gathered first, then written whole.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "cli/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/outfile.h"

#define JSON_DIGITS 15 /* as many as every double keeps */

segue_status cli_parse_format(const char *text, cli_format *out, segue_error *err)
{
    static const char *const names[] = {"table", "csv", "json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (cli_format)i;
            return SEGUE_OK;
        }
    return segue_fail(err, SEGUE_ENAME, "--format: there is no '%.40s'; need table, csv or json",
                      text);
}

const char *cli_out_path(const char *out)
{
    const bool standard = out && (strcmp(out, "-") == 0 || strcmp(out, "/dev/stdout") == 0);
    return standard ? NULL : out;
}

segue_status cli_output_init(cli_output *output, segue_error *err)
{
    *output = (cli_output){.stream = NULL};
    output->stream = open_memstream(&output->data, &output->size);
    if (!output->stream)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the output");
    return SEGUE_OK;
}

segue_status cli_write_stdout(const char *data, size_t size, segue_error *err)
{
    if (fwrite(data, 1, size, stdout) != size || fflush(stdout) != 0)
        return segue_fail(err, SEGUE_EIO, "writing to the standard output failed: %s",
                          strerror(errno));
    return SEGUE_OK;
}

segue_status cli_output_write(cli_output *output, const char *path, segue_error *err)
{
    if (fflush(output->stream) != 0 || ferror(output->stream))
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the output");
    return path ? segue_outfile_write(path, output->data, output->size, err)
                : cli_write_stdout(output->data, output->size, err);
}

void cli_output_fini(cli_output *output)
{
    if (output->stream)
        fclose(output->stream);
    free(output->data);
    *output = (cli_output){.stream = NULL};
}

json_t *cli_json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *cli_json_numbers(const double *x, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; x && i < count; i++)
        list = cli_json_append(list, cli_json_number(x[i]));
    return list;
}

json_t *cli_json_append(json_t *list, json_t *value)
{
    if (json_array_append_new(list, value) == 0) /* it refuses NULLs, and takes the value anyway */
        return list;
    json_decref(list);
    return NULL;
}

json_t *cli_json_set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) == 0)
        return object;
    json_decref(object);
    return NULL;
}

/* Print a JSON value and release it. */
static segue_status print_json(FILE *out, json_t *value, segue_error *err)
{
    if (!value)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the output");
    const int code = json_dumpf(value, out, JSON_INDENT(1) | JSON_REAL_PRECISION(JSON_DIGITS));
    json_decref(value);
    if (code != 0)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the output");
    fputc('\n', out);
    return SEGUE_OK;
}

segue_status cli_print(const cli_printers *printers, const void *found, cli_format format,
                       const char *path, segue_error *err)
{
    cli_output output;
    segue_status status = cli_output_init(&output, err);
    if (status != SEGUE_OK)
        return status;
    if (format == CLI_CSV)
        printers->csv(found, output.stream);
    else if (format == CLI_JSON)
        status = print_json(output.stream, printers->json(found), err);
    else
        status = printers->table(found, output.stream, err);
    if (status == SEGUE_OK)
        status = cli_output_write(&output, path, err);
    cli_output_fini(&output);
    return status;
}

void cli_print_csv_text(FILE *out, const char *text)
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

void cli_print_csv_number(FILE *out, double x)
{
    if (isfinite(x))
        fprintf(out, "%.*g", JSON_DIGITS, x);
}

cli_bold cli_bold_for(const char *path)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    const bool shows = !path && isatty(STDOUT_FILENO) && !(no_colour && *no_colour) && terminal &&
                       strcmp(terminal, "dumb") != 0;
    return shows ? (cli_bold){.on = "\033[1m", .off = "\033[0m"} : (cli_bold){.on = "", .off = ""};
}
