/* help.c - `segue help`: help texts, and the sources of manual pages and shell completion.
 *
 * All three are printed from the same tables: commands and their options, policies, learners,
 * estimators and topics. --manual prints a page as scdoc, which the build turns into manual pages;
 * --complete prints candidates for the last of some words, which the completion scripts call.
 *
 * main.c calls cli_help for --help. Output is gathered in memory and sent once, as in all commands.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "cli/command.h"
#include "cli/commands/help/completion.h"
#include "cli/installed_files.h"
#include "cli/output.h"
#include "cli/topics/topics.h"
#include "segue/internal.h"
#include "segue/learner.h"
#include "segue/policy.h"

#define MANUAL_OF_POLICIES                                                                         \
    "segue-policies(7)\n\n# NAME\n\nsegue-policies - the policies and learners of segue\n\n"       \
    "# POLICIES\n\n```\n"

/* Print the help of one command: usage, options, an optional list (such as methods), details. */
static void print_command(FILE *out, const cli_command *command)
{
    fprintf(out, "segue %s: %s\n\nusage: segue %s\n", command->name, command->summary,
            command->usage);
    if (command->n_options) {
        fputs("\noptions:\n", out);
        cli_options_print(out, command->options, command->n_options);
    }
    if (command->print_list) {
        fprintf(out, "\n%s\n", command->list_title);
        command->print_list(out);
    }
    if (*command->details)
        fprintf(out, "\n%s", command->details);
}

/* True for a line of capitals, which is a section of its own. */
static bool is_heading(const char *line, size_t length)
{
    const size_t capitals = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ ");
    return length > 0 && *line != ' ' && capitals == length;
}

/* Print paragraphs as they are, and indented lines as literal blocks. */
static void print_manual_details(FILE *out, const char *details)
{
    bool literal = false;
    for (const char *line = details; *line;) {
        const size_t length = strcspn(line, "\n");
        const bool indented = strncmp(line, "  ", 2) == 0;
        if (indented != literal)
            fputs("```\n", out);
        literal = indented;
        if (strncmp(line, "examples:", length) == 0 && length > 0)
            fputs("# EXAMPLES\n", out);
        else if (is_heading(line, length))
            fprintf(out, "# %.*s\n", (int)length, line);
        else if (literal)
            fprintf(out, "%.*s", (int)length, line);
        else
            cli_options_print_escaped(out, line, length);
        fputc('\n', out);
        line += length + (line[length] == '\n');
    }
    if (literal)
        fputs("```\n", out);
}

/* Print a manual page, as scdoc. */
static void print_manual(FILE *out, const cli_command *command)
{
    fprintf(out, "segue-%s(1)\n\n# NAME\n\nsegue-%s - %s\n\n# SYNOPSIS\n\n*segue* ", command->name,
            command->name, command->summary);
    cli_options_print_escaped(out, command->usage, strlen(command->usage));
    fputs("\n\n", out);
    if (command->n_options)
        fputs("# OPTIONS\n\n", out);
    cli_options_print_manual(out, command->options, command->n_options);
    if (command->print_list) {
        fprintf(out, "%s\n\n```\n", command->list_title);
        command->print_list(out);
        fputs("```\n\n", out);
    }
    if (*command->details)
        fputs("# DESCRIPTION\n\n", out);
    print_manual_details(out, command->details);
    fputs("\n# EXIT STATUS\n\n0 done, 1 failed while running, 2 wrong usage or input.\n\n"
          "# SEE ALSO\n\n*segue*(1)\n",
          out);
}

/* Print the paths of the files that are installed with the program, unless it was copied alone. */
static void print_files(FILE *out)
{
    char path[CLI_PATH_SIZE];
    if (cli_installed_files_find(path, "models", "", NULL) != SEGUE_OK) {
        fputs("\nFiles installed with segue: none; this program is outside its installation\n",
              out);
        return;
    }
    fputs("\nFiles installed with segue:\n", out);
    if (cli_installed_files_find(path, "experiments", "", NULL) == SEGUE_OK)
        fprintf(out, "  experiments: %s\n", path);
    if (cli_installed_files_find(path, "models", "", NULL) == SEGUE_OK)
        fprintf(out, "  models:      %s\n", path);
    if (cli_installed_files_find(path, "logs", "", NULL) == SEGUE_OK)
        fprintf(out, "  logs:        %s\n", path);
    if (cli_installed_files_find_docs(path))
        fprintf(out, "  docs:        %s\n", path);
}

/* One line per command and topic, and where installed files are. */
static void print_overview(FILE *out)
{
    size_t count;
    const cli_command *const *commands = cli_command_list(&count);
    fputs("segue: sequential transfer in multi-armed bandits\n\n"
          "usage: segue COMMAND [OPTIONS]\n\ncommands:\n",
          out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n'segue help COMMAND' explains one.  Other topics of help:\n"
          "  policies     the policies and learners, and their options\n",
          out);
    const cli_topic *topics = cli_topics_list(&count);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "  %-12s %s\n", topics[i].name, topics[i].summary);
    print_files(out);
    fputs("\nExit codes: 0 done, 1 failed while running, 2 wrong usage or input.\n", out);
}

/* Policies that a service and `segue learn` also take as a method. */
static void print_methods_without_transfer(FILE *out)
{
    fputs("\nA service takes learners, and these policies, without transfer:\n ", out);
    for (size_t i = 0; segue_learner_methods(i); i++)
        if (segue_learner_methods(i)->without_transfer)
            fprintf(out, " %s", segue_learner_methods(i)->name);
    fputs("\n", out);
}

/* A star marks policies that need models. */
static void print_policies(FILE *out)
{
    size_t count;
    const segue_policy *const *policies = segue_policy_all(&count);
    fputs("Policies, and their options (written name:key=value,key=value):\n\n", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%c %-12s %s\n", policies[i]->needs ? '*' : ' ', policies[i]->name,
                policies[i]->summary);
        for (size_t k = 0; k < policies[i]->n_options; k++)
            fprintf(out, "      %-9s %s\n", policies[i]->options[k].key,
                    policies[i]->options[k].help);
    }
    fputs("\nLearners, which play over many tasks:\n\n", out);
    for (size_t i = 0; segue_learner_methods(i); i++) {
        const segue_learner_method *kind = segue_learner_methods(i);
        if (kind->without_transfer)
            continue; /* the policy of its name is listed */
        fprintf(out, "  %-12s %s\n", kind->name, kind->summary);
        for (size_t k = 0; k < kind->n_options; k++)
            fprintf(out, "      %-9s %s\n", kind->options[k].key, kind->options[k].help);
    }
    print_methods_without_transfer(out);
    fputs("\n* needs a known model set (told-ucb: each task's model).\n"
          "n: steps per task; m: models; K: arms; J: tasks; radius: sqrt(L / 2 pulls).\n",
          out);
}

/* A topic is in section 7, a command in section 1. */
static void print_manual_of_topic(FILE *out, const cli_topic *topic)
{
    fprintf(out, "segue-%s(7)\n\n# NAME\n\nsegue-%s - %s\n\n# DESCRIPTION\n\n", topic->name,
            topic->name, topic->summary);
    for (size_t i = 0; i < CLI_TOPICS_MAX_PARTS && topic->parts[i]; i++)
        print_manual_details(out, topic->parts[i]);
    fputs("\n# SEE ALSO\n\n*segue*(1)\n", out);
}

/* Topics have precedence over commands; their names differ. */
static segue_status print_topic(FILE *out, const char *topic, bool manual, segue_error *err)
{
    const cli_command *command = NULL;
    if (topic && strcmp(topic, "policies") == 0) {
        fputs(manual ? MANUAL_OF_POLICIES : "", out);
        print_policies(out);
        fputs(manual ? "```\n" : "", out);
        return SEGUE_OK;
    }
    if (!topic) {
        print_overview(out);
        return SEGUE_OK;
    }
    const cli_topic *format = cli_topics_find(topic);
    if (format && manual)
        print_manual_of_topic(out, format);
    for (size_t i = 0; format && !manual && i < CLI_TOPICS_MAX_PARTS && format->parts[i]; i++)
        fputs(format->parts[i], out);
    if (format)
        return SEGUE_OK;
    SEGUE_TRY(cli_command_find(topic, &command, err));
    if (manual)
        print_manual(out, command);
    else
        print_command(out, command);
    return SEGUE_OK;
}

/* Send what was printed, unless printing failed. */
static segue_status send(segue_output *output, segue_status status, segue_error *err)
{
    if (status == SEGUE_OK)
        status = cli_output_send(output, NULL, err);
    segue_output_fini(output);
    return status;
}

static segue_status show(const char *topic, bool manual, segue_error *err)
{
    segue_output output;
    SEGUE_TRY(segue_output_init(&output, err));
    return send(&output, print_topic(output.stream, topic, manual, err), err);
}

static segue_status complete(int n_args, char *const *args, segue_error *err)
{
    segue_output output;
    SEGUE_TRY(segue_output_init(&output, err));
    cli_completion_print(output.stream, n_args, args);
    return send(&output, SEGUE_OK, err);
}

segue_status cli_help(const char *topic, segue_error *err)
{
    return show(topic, false, err);
}

/* Parsed by hand: `--complete` and `--manual` are for scripts, and not in the list of options. */
static segue_status run(int argc, char **argv, segue_error *err)
{
    const char *how = argc > 1 && strncmp(argv[1], "--", 2) == 0 ? argv[1] : NULL;
    const char *topic = argc > (how ? 2 : 1) ? argv[how ? 2 : 1] : NULL;
    if (how && strcmp(how, "--complete") == 0)
        return complete(argc - 2, argv + 2, err);
    if (argc > (how ? 3 : 2))
        return segue_fail(err, SEGUE_EUSAGE, "help takes one topic; see 'segue help help'");
    if (how && strcmp(how, "--manual") != 0)
        return segue_fail(err, SEGUE_ENAME,
                          "there is no option '%.40s' of help; need --complete or --manual", how);
    return show(topic, how != NULL, err);
}

const cli_command cli_command_help = {
    .name = "help",
    .summary = "explain a command, the policies, or a file format",
    .usage = "help [COMMAND | policies | logs | models | results]",
    .details = "'segue help --complete WORDS' prints candidates for the last of the words\n"
               "after 'segue', one per line, each with a tab and its description: completion\n"
               "calls it.  The line FILE stands for the names of files.  'segue help --manual\n"
               "COMMAND', or --manual TOPIC, prints the manual page, as scdoc.\n",
    .run = run,
};
