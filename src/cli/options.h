/* options.h - options as a table, which gives parsing, help and manual pages.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_OPTIONS_H
#define SEGUE_CLI_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "segue/status.h"

typedef enum cli_option_kind {
    CLI_FLAG,   /* bool */
    CLI_TEXT,   /* const char * */
    CLI_NUMBER, /* double */
    CLI_INTEGER /* uint64_t */
} cli_option_kind;

typedef struct cli_option {
    const char *name; /* without the dashes */
    char letter;      /* short form, or 0 */
    cli_option_kind kind;
    size_t offset;        /* of the field to set */
    const char *argument; /* its name in help, or NULL for a flag */
    const char *help;     /* one line, with the default */
    double min, max;      /* of a number, both included */
} cli_option;

/**
 * Parse the arguments after the command into the struct at `target`; an operand is an error.
 *
 * @retval SEGUE_EUSAGE, SEGUE_ENAME, SEGUE_EPARSE, SEGUE_EDOMAIN
 */
SEGUE_MUST_CHECK segue_status cli_options_parse(const cli_option *options, size_t count, int argc,
                                                char **argv, void *target, segue_error *err);

/** Parse options and at most one operand; *operand is NULL if there is none. */
SEGUE_MUST_CHECK segue_status cli_options_parse_operand(const cli_option *options, size_t count,
                                                        int argc, char **argv, void *target,
                                                        const char **operand, segue_error *err);

/** Parse options and any number of operands: argv's own texts, *n_operands of them. */
SEGUE_MUST_CHECK segue_status cli_options_parse_operands(const cli_option *options, size_t count,
                                                         int argc, char **argv, void *target,
                                                         char *const **operands, size_t *n_operands,
                                                         segue_error *err);

/** Print the options as help, or as the source of a manual page (scdoc). */
void cli_options_print(FILE *out, const cli_option *options, size_t count);
void cli_options_print_manual(FILE *out, const cli_option *options, size_t count);

/** Print a text for scdoc, with its markup characters escaped. */
void cli_options_print_escaped(FILE *out, const char *text, size_t length);

/** Return the default of --threads: the number of CPUs. */
uint64_t cli_options_default_threads(void);

#endif
