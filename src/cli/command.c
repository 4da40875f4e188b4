/* command.c - the list of commands.
 *
 * main.c finds a command here by its name; help.c prints the list. A command is one constant
 * cli_command in its own file of commands/.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include <string.h>

#include "segue/internal.h"

/* The order is that of the help: experiments, models and logs, the service, the rest. */
static const cli_command *const commands[] = {
    &cli_command_paper,    &cli_command_simulate,   &cli_command_run,      &cli_command_merge,
    &cli_command_plot,     &cli_command_complexity, &cli_command_estimate, &cli_command_tally,
    &cli_command_replay,   &cli_command_plan,       &cli_command_learn,    &cli_command_serve,
    &cli_command_learners, &cli_command_ask,        &cli_command_tell,     &cli_command_close,
    &cli_command_audit,    &cli_command_erase,      &cli_command_store,    &cli_command_bench,
    &cli_command_help,     &cli_command_version,
};

const cli_command *const *cli_command_list(size_t *count)
{
    *count = sizeof commands / sizeof *commands;
    return commands;
}

static const char *name_of(const void *list, size_t i)
{
    return ((const cli_command *const *)list)[i]->name;
}

/* Commands of the past, and what does their work now. */
static const struct former {
    const char *name, *now;
} former[] = {{"advise", "replay --dry-run"}};

static const char *find_former(const char *name)
{
    for (size_t i = 0; i < sizeof former / sizeof *former; i++)
        if (strcmp(name, former[i].name) == 0)
            return former[i].now;
    return NULL;
}

/* The error names what replaces the command, or the closest name. */
segue_status cli_command_find(const char *name, const cli_command **out, segue_error *err)
{
    const size_t count = sizeof commands / sizeof *commands;
    const size_t index = segue_text_find(name, commands, count, name_of);
    if (index < count) {
        *out = commands[index];
        return SEGUE_OK;
    }
    if (find_former(name))
        return segue_fail(err, SEGUE_ENAME, "there is no command '%s' any more; use 'segue %s'",
                          name, find_former(name));
    const char *guess = segue_text_closest(name, commands, count, name_of);
    if (guess)
        return segue_fail(err, SEGUE_ENAME, "there is no command '%.60s'; did you mean '%s'?", name,
                          guess);
    return segue_fail(err, SEGUE_ENAME, "there is no command '%.60s'; see 'segue help'", name);
}
