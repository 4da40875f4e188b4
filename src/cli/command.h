/* command.h - the commands of `segue`, one file each.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMAND_H
#define SEGUE_CLI_COMMAND_H

#include <stdio.h>

#include "cli/options.h"
#include "segue/status.h"

typedef struct cli_command {
    const char *name;
    const char *summary;           /* one line */
    const char *usage;             /* the words after `segue` */
    const char *details;           /* paragraphs and examples below the options */
    const char *list_title;        /* of a list below the options, such as "methods:"; or NULL */
    void (*print_list)(FILE *out); /* one indented line per entry */
    const cli_option *options;
    size_t n_options;
    segue_status (*run)(int argc, char **argv, segue_error *err);
} cli_command;

extern const cli_command cli_command_simulate, cli_command_run, cli_command_merge, cli_command_plot,
    cli_command_paper, cli_command_complexity, cli_command_estimate, cli_command_tally,
    cli_command_replay, cli_command_plan, cli_command_learn, cli_command_bench, cli_command_serve,
    cli_command_learners, cli_command_ask, cli_command_tell, cli_command_close, cli_command_store,
    cli_command_audit, cli_command_erase, cli_command_help, cli_command_version;

/** All commands, in the order of the help. */
const cli_command *const *cli_command_list(size_t *count);

/**
 * Find a command by its name.
 *
 * @retval SEGUE_ENAME  there is none; the message suggests a close one
 */
SEGUE_MUST_CHECK segue_status cli_command_find(const char *name, const cli_command **out,
                                               segue_error *err);

/** Print the help of a command or topic; NULL: the overview. */
SEGUE_MUST_CHECK segue_status cli_help(const char *topic, segue_error *err);

#endif
