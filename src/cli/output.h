/* output.h - print the result of a command as table, CSV or JSON, to a file or standard output.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_OUTPUT_H
#define SEGUE_CLI_OUTPUT_H

#include <jansson.h>

#include "io/output.h"

typedef enum cli_format { CLI_TABLE, CLI_CSV, CLI_JSON } cli_format;

/** Parse --format.  @retval SEGUE_ENAME  not table, csv or json */
SEGUE_MUST_CHECK segue_status cli_output_parse_format(const char *text, cli_format *out,
                                                      segue_error *err);

/** Return the path of --out; NULL, the standard output, for "-" and "/dev/stdout". */
const char *cli_output_path(const char *out);

/** A file that an argument names. */
typedef struct cli_path {
    const char *option; /* the option; NULL: the operand, a log */
    const char *path;   /* NULL: there is none */
} cli_path;

/**
 * Check the files of a command before it computes: the first `n_outputs` of `paths` are written,
 * the others read.  Each output must be writable and differ from all other files.  "-" is not a
 * file; cli_output_path replaces it where it means the standard output.
 *
 * @retval SEGUE_EUSAGE, SEGUE_EFILE
 */
SEGUE_MUST_CHECK segue_status cli_output_check_paths(const cli_path *paths, size_t n_outputs,
                                                     size_t count, segue_error *err);

/** Write to the standard output and flush it.  @retval SEGUE_EIO */
SEGUE_MUST_CHECK segue_status cli_output_write_stdout(const char *data, size_t size,
                                                      segue_error *err);

/** Write gathered output to the file at `path`; NULL: to the standard output. */
SEGUE_MUST_CHECK segue_status cli_output_send(segue_output *output, const char *path,
                                              segue_error *err);

/** The three formats of a command's result. */
typedef struct cli_printers {
    segue_status (*table)(const void *data, FILE *out, segue_error *err);
    void (*csv)(const void *data, FILE *out);
    json_t *(*json)(const void *data); /* a new value; NULL: out of memory */
} cli_printers;

/** Print a result to the file at `path`; NULL: to the standard output. */
SEGUE_MUST_CHECK segue_status cli_output_print(const cli_printers *printers, const void *data,
                                               cli_format format, const char *path,
                                               segue_error *err);

/** The codes that make a heading bold; empty unless `path` is NULL and the standard output is a
 * terminal with colours. */
typedef struct cli_bold {
    const char *on, *off;
} cli_bold;
cli_bold cli_output_bold(const char *path);

#endif
