/* erase.c - `segue erase`: erase a task of a service: its key and its rewards.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/client/client.h"

typedef struct settings {
    cli_client client;
    const char *task;
} settings;

static const cli_option options[] = {
    {"task", 0, CLI_TEXT, offsetof(settings, task), "KEY", "the task", 0, 0},
    CLI_CLIENT_OPTIONS,
};

static segue_status run(int argc, char **argv, segue_error *err)
{
    settings set = {.client = cli_client_defaults()};
    const char *learner = NULL;
    SEGUE_TRY(cli_options_parse_operand(options, sizeof options / sizeof *options, argc, argv, &set,
                                        &learner, err));
    if (!learner || !set.task)
        return segue_fail(err, SEGUE_EUSAGE, "give the learner and --task; see 'segue help erase'");
    return cli_client_send(&set.client, "DELETE", cli_client_path(learner, "tasks", set.task), NULL,
                           err);
}

const cli_command cli_command_erase = {
    .name = "erase",
    .summary = "erase a task of a service: its key and its rewards",
    .usage = "erase LEARNER --task KEY [OPTIONS]",
    .details =
        "Needs the right admin.  Prints a receipt: the event of the erasure, its hash, what\n"
        "was removed and what remains.  An open task is discarded, and nothing is learned\n"
        "from it.  docs/retention.md\n\n"
        "examples:\n"
        "  segue erase tutor --task student-42\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
