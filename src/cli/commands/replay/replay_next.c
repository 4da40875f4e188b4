/* replay_next.c - commands to run after `segue replay`, for a shell.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/replay/replay_next.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/shell.h"

/* Write a command with `before` and `after` the name of the log; nothing without memory. */
static void write_command(const cli_replay_source *source, const char *before, const char *after,
                          char out[CLI_REPLAY_COMMAND_SIZE])
{
    const bool is_input =
        strcmp(source->path, "-") == 0; /* the next command cannot read it again */
    char *word = is_input ? NULL : segue_shell_quote(source->path, true);
    (void)snprintf(out, CLI_REPLAY_COMMAND_SIZE, "segue %s%s %s%s", before, source->log_options,
                   word ? word : "LOG", after);
    free(word);
}

void cli_replay_next_command(const cli_replay_source *source, const char *command,
                             char out[CLI_REPLAY_COMMAND_SIZE])
{
    write_command(source, command, "", out);
}

void cli_replay_next_learn(const cli_replay_source *source, const segue_replay_result *result,
                           char out[CLI_REPLAY_COMMAND_SIZE])
{
    char before[150];
    *out = '\0';
    if (!result->has_advice || result->use == result->fixed_arm)
        return;
    const int length = snprintf(before, sizeof before, "learn --method %s --steps %" PRIu64,
                                result->candidate[result->use].name, result->steps);
    if (length > 0 && (size_t)length < sizeof before)
        write_command(source, before, " --out learner.segue", out);
}
