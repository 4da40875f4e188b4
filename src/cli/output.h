/* output.h - the ways a command prints what it found.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_OUTPUT_H
#define SEGUE_CLI_OUTPUT_H

#include <jansson.h>

#include "io/output.h"

typedef enum cli_format { CLI_TABLE, CLI_CSV, CLI_JSON } cli_format;

/** @retval SEGUE_ENAME  the text is none of table, csv, json */
SEGUE_MUST_CHECK segue_status cli_output_parse_format(const char *text, cli_format *out,
                                                      segue_error *err);

/** The path of --out: NULL, the standard output, for "-" and "/dev/stdout". */
const char *cli_output_path(const char *out);

/** A file that a command was told of. */
typedef struct cli_path {
    const char *option; /* that named it; NULL: none did, and it is the log */
    const char *path;   /* NULL: there is none */
} cli_path;

/**
 * Look at the files of a command before it works: the first `n_outputs` of `paths` are written, the
 * others read.  No output may be another of them, and each must be one that can be written; "-" is
 * no file, and cli_output_path takes it away where it stands for the standard output.
 *
 * @retval SEGUE_EUSAGE, SEGUE_EFILE
 */
SEGUE_MUST_CHECK segue_status cli_output_check_paths(const cli_path *paths, size_t n_outputs,
                                                     size_t count, segue_error *err);

/** Write to the standard output and see that it arrives. */
SEGUE_MUST_CHECK segue_status cli_output_write_stdout(const char *data, size_t size,
                                                      segue_error *err);

/** Send what was printed to the file at `path`, or to the standard output if it is NULL. */
SEGUE_MUST_CHECK segue_status cli_output_send(segue_output *output, const char *path,
                                              segue_error *err);

/** The three ways a command prints what it found. */
typedef struct cli_printers {
    segue_status (*table)(const void *found, FILE *out, segue_error *err);
    void (*csv)(const void *found, FILE *out);
    json_t *(*json)(const void *found); /* a new value; NULL: out of memory */
} cli_printers;

/** Print in one of the ways, to the file at `path` or, if it is NULL, to the standard output. */
SEGUE_MUST_CHECK segue_status cli_output_print(const cli_printers *printers, const void *found,
                                               cli_format format, const char *path,
                                               segue_error *err);

/** The codes that make a heading bold, if `path` is NULL and the standard output shows colours;
 * else empty texts. */
typedef struct cli_bold {
    const char *on, *off;
} cli_bold;
cli_bold cli_output_bold(const char *path);

#endif
