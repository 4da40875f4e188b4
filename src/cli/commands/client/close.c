/* close.c - `segue close`: close a task of a service.
 *
 * A task closes by itself after its last reward, or when it is idle; this command lets the learner
 * learn from it now.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/client/client.h"
#include "io/json_write.h"

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
        return segue_fail(err, SEGUE_EUSAGE, "give the learner and --task; see 'segue help close'");
    segue_bytes path = cli_client_path(learner, "tasks", set.task);
    segue_json_write_raw(&path, "/close");
    return cli_client_send(&set.client, "POST", path, NULL, err);
}

const cli_command cli_command_close = {
    .name = "close",
    .summary = "close a task of a service, which learns from it",
    .usage = "close LEARNER --task KEY [OPTIONS]",
    .details = "Closing a closed task changes nothing.\n\n"
               "examples:\n"
               "  segue close tutor --task student-42\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
