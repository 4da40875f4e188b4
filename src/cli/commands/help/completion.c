/* completion.c - candidates for the shells: commands, options, values and operands.
 *
 * The scripts in completions/ pass the words of the command line to `segue help --complete` and show what
 * it prints.  Commands, options and their help come from the tables of the commands, and so do policies and
 * methods.  `values` lists the rest, the values of options that take one of a few words;
 * tests/test_cli_completion.py compares it with what the commands accept.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/help/completion.h"

#include <stdbool.h>
#include <string.h>

#include "cli/command.h"
#include "cli/topics/topics.h"
#include "segue/estimator.h"
#include "segue/learner.h"
#include "segue/policy.h"

/* The word to complete: candidates begin with `typed`.  `done` is before it and is printed with each of
 * them: "--format=" or the first part of a list, "ucb,ts,". */
typedef struct completion_target {
    FILE *out;
    const char *done;
    int done_length;
    const char *typed;
} completion_target;

/* An option takes one of these words, or what `print` prints.  NULL: the option of every other command. */
typedef struct value_list {
    const char *option, *command, *choices;
    void (*print)(const completion_target *target);
    bool is_list; /* separated by commas */
} value_list;

static void offer(const completion_target *target, const char *word, const char *description)
{
    if (strncmp(word, target->typed, strlen(target->typed)) != 0)
        return;
    fprintf(target->out, "%.*s%s%s%s\n", target->done_length, target->done, word,
            description ? "\t" : "", description ? description : "");
}

static void offer_learners(const completion_target *target)
{
    for (size_t i = 0; segue_learner_methods(i); i++)
        offer(target, segue_learner_methods(i)->name, segue_learner_methods(i)->summary);
}

/* --policy takes both kinds, policies and learners; some learners are policies too. */
static void offer_policies(const completion_target *target)
{
    size_t count;
    const segue_policy *const *policies = segue_policy_all(&count);
    for (size_t i = 0; i < count; i++)
        offer(target, policies[i]->name, policies[i]->summary);
    for (size_t i = 0; segue_learner_methods(i); i++)
        if (!segue_learner_methods(i)->without_transfer)
            offer(target, segue_learner_methods(i)->name, segue_learner_methods(i)->summary);
}

/* "types" is a method of `segue estimate` that is not an estimator. */
static void offer_estimators(const completion_target *target)
{
    for (size_t i = 0; segue_estimator_methods(i); i++)
        offer(target, segue_estimator_methods(i)->name, NULL);
    offer(target, "types", NULL);
}

/* The first line that fits counts. */
static const value_list values[] = {
    {"policy", NULL, NULL, offer_policies, .is_list = true},
    {"method", "learn", NULL, offer_learners, false},
    {"method", NULL, NULL, offer_estimators, false},
    {"format", "plot", "svg pdf png", NULL, .is_list = true},
    {"format", NULL, "table csv json", NULL, false},
    {"rewards", NULL, "bernoulli beta normal twopoint", NULL, false},
    {"order", "replay", "shuffle file time", NULL, false},
    {"order", "learn", "file time", NULL, false},
    {"order", NULL, "shuffle file", NULL, false},
    {"play", NULL, "urn rows", NULL, false},
    {"views", NULL, "symmetric paper", NULL, false},
    {"batches", NULL, "interleaved consecutive", NULL, false},
    {"weights", NULL, "least-squares lambda", NULL, false},
    {"kind", NULL, "steps tasks models", NULL, false},
    {"track", NULL, "regret complexity error eps resolved distance fresh_error types", NULL, false},
    {"log", "plot", "x y xy", NULL, false},
    {"delimiter", NULL, "comma tab semicolon pipe", NULL, false},
    {"missing", NULL, "error skip", NULL, false},
    {"kernel", NULL, "fast plain", NULL, false},
};

/* Choices are separated by single blanks. */
static void offer_choices(const completion_target *target, const char *choices)
{
    char word[32];
    for (size_t length; *choices; choices += length + (choices[length] == ' ')) {
        length = strcspn(choices, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, choices);
        offer(target, word, NULL);
    }
}

static void offer_list(completion_target *target, const value_list *list)
{
    const char *comma = list->is_list ? strrchr(target->typed, ',') : NULL;
    if (comma && target->done_length == 0) {
        target->done = target->typed;
        target->done_length = (int)(comma + 1 - target->typed);
    } else if (comma) { /* --policy=ucb,: one text with what is before it */
        target->done_length += (int)(comma + 1 - target->typed);
    }
    target->typed = comma ? comma + 1 : target->typed;
    if (list->print)
        list->print(target);
    else
        offer_choices(target, list->choices);
}

/* The argument of an option; numbers and names are not completed. */
static void offer_values(completion_target *target, const cli_command *command,
                         const cli_option *option)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const value_list *list = &values[i];
        if (strcmp(list->option, option->name) == 0 && strcmp(option->argument, "FILE") != 0 &&
            (!list->command || strcmp(list->command, command->name) == 0)) {
            offer_list(target, list);
            return;
        }
    }
    if (strcmp(option->argument, "FILE") == 0 || strcmp(option->argument, "FOLDER") == 0 ||
        strcmp(option->argument, "PATH") == 0)
        fputs("FILE\n", target->out);
}

static void offer_commands(const completion_target *target)
{
    size_t count;
    const cli_command *const *commands = cli_command_list(&count);
    for (size_t i = 0; i < count; i++)
        offer(target, commands[i]->name, commands[i]->summary);
}

static void offer_topics(const completion_target *target)
{
    size_t count;
    const cli_topic *topics = cli_topics_list(&count);
    offer_commands(target);
    for (size_t i = 0; i < count; i++)
        offer(target, topics[i].name, topics[i].summary);
    offer(target, "policies", "the policies and learners, and their options");
}

static void offer_options(completion_target *target, const cli_command *command)
{
    if (strncmp(target->typed, "--", 2) == 0) {
        target->done = "--";
        target->done_length = 2;
        target->typed += 2;
    } else if (strcmp(target->typed, "-") == 0 || *target->typed == '\0') {
        target->done = "--";
        target->done_length = 2;
        target->typed = "";
    }
    for (size_t i = 0; i < command->n_options; i++)
        offer(target, command->options[i].name, command->options[i].help);
}

/* True for a command whose operands are files. */
static bool takes_files(const cli_command *command)
{
    static const char *const names[] = {"estimate", "tally", "replay", "plan",
                                        "learn",    "run",   "merge",  "plot"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(command->name, names[i]) == 0)
            return true;
    return false;
}

static void offer_operands(completion_target *target, const cli_command *command)
{
    const bool is_option = *target->typed == '-';
    if (strcmp(command->name, "help") == 0)
        offer_topics(target);
    else if (strcmp(command->name, "store") == 0 && !is_option)
        offer_choices(target, "check upgrade export import");
    else if (takes_files(command) && !is_option)
        fputs("FILE\n", target->out);
    else
        offer_options(target, command);
}

/* Find the option of "--name" or "-n" that takes an argument; NULL: it is something else. */
static const cli_option *find_option(const cli_command *command, const char *word, size_t length)
{
    for (size_t i = 0; i < command->n_options; i++) {
        const cli_option *option = &command->options[i];
        const bool is_long = length == strlen(option->name) + 2 && strncmp(word, "--", 2) == 0 &&
                             strncmp(word + 2, option->name, length - 2) == 0;
        const bool is_short =
            length == 2 && option->letter && word[0] == '-' && word[1] == option->letter;
        if ((is_long || is_short) && option->argument)
            return option;
    }
    return NULL;
}

/* Complete "--format=c", one text. */
static void offer_after_sign(completion_target *target, const cli_command *command)
{
    const size_t length = strcspn(target->typed, "=");
    const cli_option *option = find_option(command, target->typed, length);
    target->done = target->typed;
    target->done_length = (int)length + 1;
    target->typed += length + 1;
    if (option)
        offer_values(target, command, option);
}

/* Complete the value of the option before it, or an option or operand.  bash splits "--format=c" into three. */
static void offer_after(completion_target *target, const cli_command *command, int n_args,
                        char *const *args)
{
    int before = n_args - 2;
    if (strcmp(target->typed, "=") == 0)
        target->typed = "";
    else if (before > 1 && strcmp(args[before], "=") == 0)
        before--;
    const cli_option *option =
        before > 0 ? find_option(command, args[before], strlen(args[before])) : NULL;
    if (option)
        offer_values(target, command, option);
    else
        offer_operands(target, command);
}

void cli_completion_print(FILE *out, int n_args, char *const *args)
{
    const cli_command *command = NULL;
    completion_target target = {
        .out = out, .done = "", .typed = n_args > 0 ? args[n_args - 1] : ""};
    if (n_args < 2)
        offer_commands(&target);
    else if (cli_command_find(args[0], &command, NULL) != SEGUE_OK)
        return; /* nothing to offer */
    else if (strncmp(target.typed, "--", 2) == 0 && strchr(target.typed, '='))
        offer_after_sign(&target, command);
    else
        offer_after(&target, command, n_args, args);
}
