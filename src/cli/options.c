/* options.c - parse a table of options with getopt_long, and print it as help.
 *
 * A command describes its options once, as a constant array of cli_option; parsing, help, manual
 * pages and shell completion read that array. Values go to the fields of a struct, by offset; the
 * table gives the range.
 *
 * Errors name the option, the range, and the closest name. An option of a policy that is given to
 * the command is recognized, and the error shows where it belongs.
 *
 * Each command calls cli_options_parse, or cli_options_parse_operand if it has an operand, before
 * anything else; help.c prints the same tables. getopt_long has global state: only one
 * thread may parse.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <assert.h>
#include <getopt.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "segue/internal.h"
#include "segue/learner.h"
#include "segue/number.h"
#include "segue/policy.h"
#include "segue/simulation.h"

#define MAX_OPTIONS 48
#define FIRST_LONG  256 /* getopt's values for long options start here, above all letters */

/* The negated test also rejects NaN. */
static segue_status set_number(const cli_option *option, const char *text, double *out,
                               segue_error *err)
{
    double value = 0.0;
    segue_error inner;
    const segue_status parsed = segue_number_parse_double(text, &value, &inner);
    if (parsed != SEGUE_OK)
        return segue_fail(err, parsed, "--%s: %s", option->name, inner.message);
    if (!(value >= option->min && value <= option->max))
        return segue_fail(err, SEGUE_EDOMAIN, "--%s: %s is out of range; need %g to %g",
                          option->name, text, option->min, option->max);
    *out = value;
    return SEGUE_OK;
}

/* The table has the range as doubles, which are exact up to 2^53. */
static segue_status set_integer(const cli_option *option, const char *text, uint64_t *out,
                                segue_error *err)
{
    segue_error inner;
    const segue_status status =
        segue_number_parse_integer(text, (uint64_t)option->min, (uint64_t)option->max, out, &inner);
    if (status != SEGUE_OK)
        return segue_fail(err, status, "--%s: %s", option->name, inner.message);
    return SEGUE_OK;
}

/* Store a value in the field of its kind; the casts are safe, since the table was made with
 * offsetof. */
static segue_status set_option(const cli_option *option, const char *text, void *target,
                               segue_error *err)
{
    char *field = (char *)target + option->offset;
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)(void *)field = true;
        return SEGUE_OK;
    case CLI_TEXT:
        *(const char **)(void *)field = text;
        return SEGUE_OK;
    case CLI_NUMBER:
        return set_number(option, text, (double *)(void *)field, err);
    case CLI_INTEGER:
        return set_integer(option, text, (uint64_t *)(void *)field, err);
    }
    return SEGUE_OK;
}

/* Access for segue_text_find and segue_text_closest. */
static const char *name_of(const void *list, size_t i)
{
    return ((const cli_option *)list)[i].name;
}

/* List the options that begin with `typed`; returns how many there are. */
static size_t list_beginning_with(const cli_option *options, size_t count, const char *typed,
                                  char *text, size_t size)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t used = strlen(text);
        if (strncmp(options[i].name, typed, strlen(typed)) == 0)
            (void)snprintf(text + used, size - used, "%s--%s", found++ ? ", " : "",
                           options[i].name);
    }
    return found;
}

/* Access for segue_text_find: the key of an option of a policy. */
static const char *key_of(const void *list, size_t i)
{
    return ((const segue_option *)list)[i].key;
}

static bool has_key(const segue_option *options, size_t count, const char *key)
{
    return segue_text_find(key, options, count, key_of) < count;
}

/* Find the first policy or learner that has an option of this name, or NULL. */
static const char *find_owner(const char *key)
{
    size_t count;
    const segue_policy *const *policies = segue_policy_all(&count);
    for (size_t i = 0; i < count; i++)
        if (has_key(policies[i]->options, policies[i]->n_options, key))
            return policies[i]->name;
    for (size_t i = 0; segue_learner_methods(i); i++)
        if (has_key(segue_learner_methods(i)->options, segue_learner_methods(i)->n_options, key))
            return segue_learner_methods(i)->name;
    return NULL;
}

/* Explain why getopt rejected an argument: an unknown option, or a value for a flag. */
static segue_status fail_option(const cli_option *options, size_t count, const char *word,
                                segue_error *err)
{
    char typed[64];
    if (optopt >= FIRST_LONG)
        return segue_fail(err, SEGUE_EUSAGE, "the option '--%s' takes no value",
                          options[optopt - FIRST_LONG].name);
    if (optopt)
        return segue_fail(err, SEGUE_ENAME, "there is no option '-%c'; see 'segue help'", optopt);
    const char *name = word + strspn(word, "-");
    (void)snprintf(typed, sizeof typed, "%.*s", (int)strcspn(name, "="), name);
    char several[128] = "";
    if (list_beginning_with(options, count, typed, several, sizeof several) > 1)
        return segue_fail(err, SEGUE_ENAME, "'%.60s' could be %s", word, several);
    const bool plays = segue_text_find("policy", options, count, name_of) < count;
    const char *owner = plays ? find_owner(typed) : NULL;
    if (owner)
        return segue_fail(err, SEGUE_ENAME,
                          "there is no option '--%s'; policies take options as in '--policy "
                          "%s:%s=VALUE'; see 'segue help policies'",
                          typed, owner, typed);
    const char *guess = segue_text_closest(typed, options, count, name_of);
    if (guess)
        return segue_fail(err, SEGUE_ENAME, "there is no option '%.60s'; did you mean '--%s'?",
                          word, guess);
    return segue_fail(err, SEGUE_ENAME, "there is no option '%.60s'; see 'segue help'", word);
}

/* Write the two tables of getopt_long. */
static void translate(const cli_option *options, size_t count, struct option *longs, char *shorts)
{
    *shorts++ = ':'; /* distinguish a missing argument from an unknown option */
    for (size_t i = 0; i < count; i++) {
        const bool takes = options[i].kind != CLI_FLAG;
        longs[i] = (struct option){.name = options[i].name,
                                   .has_arg = takes ? required_argument : no_argument,
                                   .val = FIRST_LONG + (int)i};
        if (!options[i].letter)
            continue;
        *shorts++ = options[i].letter;
        if (takes)
            *shorts++ = ':';
    }
    longs[count] = (struct option){.name = NULL};
    *shorts = '\0';
}

/* Find the index of getopt's code in the table; `count`: the option is unknown. */
static size_t index_of(const cli_option *options, size_t count, int code)
{
    size_t i = 0;
    while (i < count && code != FIRST_LONG + (int)i &&
           !(options[i].letter && code == options[i].letter))
        i++;
    return i;
}

/* getopt_long reorders the arguments, so that options may follow the operands. */
segue_status cli_options_parse_operands(const cli_option *options, size_t count, int argc,
                                        char **argv, void *target, char *const **operands,
                                        size_t *n_operands, segue_error *err)
{
    struct option longs[MAX_OPTIONS + 1];
    char shorts[2 * MAX_OPTIONS + 2];
    assert(count <= MAX_OPTIONS);
    translate(options, count, longs, shorts);
    opterr = 0;
    optind = 1;
    for (;;) {
        const int code = getopt_long(argc, argv, shorts, longs, NULL);
        if (code == -1)
            break;
        if (code == ':')
            return segue_fail(err, SEGUE_EUSAGE, "the option '%s' needs a value", argv[optind - 1]);
        const size_t index = index_of(options, count, code);
        if (index == count)
            return fail_option(options, count, argv[optind - 1], err);
        SEGUE_TRY(set_option(&options[index], optarg, target, err));
    }
    *operands = argv + optind;
    *n_operands = (size_t)(argc - optind);
    return SEGUE_OK;
}

segue_status cli_options_parse_operand(const cli_option *options, size_t count, int argc,
                                       char **argv, void *target, const char **operand,
                                       segue_error *err)
{
    char *const *operands = NULL;
    size_t n_operands = 0;
    const size_t max = operand ? 1 : 0;
    SEGUE_TRY(cli_options_parse_operands(options, count, argc, argv, target, &operands, &n_operands,
                                         err));
    if (operand)
        *operand = n_operands ? operands[0] : NULL;
    if (n_operands > max)
        return segue_fail(err, SEGUE_EUSAGE,
                          "'%.60s' is not an option, and one operand at most is expected",
                          operands[max]);
    return SEGUE_OK;
}

segue_status cli_options_parse(const cli_option *options, size_t count, int argc, char **argv,
                               void *target, segue_error *err)
{
    return cli_options_parse_operand(options, count, argc, argv, target, NULL, err);
}

/* Options without a letter are indented, so that all names align. */
void cli_options_print(FILE *out, const cli_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char left[40];
        (void)snprintf(left, sizeof left, "%s%c%s--%s%s%s", options[i].letter ? "-" : "  ",
                       options[i].letter ? options[i].letter : ' ', options[i].letter ? ", " : " ",
                       options[i].name, options[i].argument ? " " : "",
                       options[i].argument ? options[i].argument : "");
        fprintf(out, "  %-22s %s\n", left, options[i].help);
    }
}

/* Escape the characters that are markup in scdoc. */
void cli_options_print_escaped(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (strchr("_*\\", text[i]))
            fputc('\\', out);
        fputc(text[i], out);
    }
}

/* Each option is a paragraph in bold, with its help indented by a tab. */
void cli_options_print_manual(FILE *out, const cli_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "*--%s*", options[i].name);
        if (options[i].letter)
            fprintf(out, ", *-%c*", options[i].letter);
        if (options[i].argument)
            fprintf(out, " _%s_", options[i].argument);
        fputs("\n\t", out);
        cli_options_print_escaped(out, options[i].help, strlen(options[i].help));
        fputs("\n\n", out);
    }
}

/* Count the processors that are online, within the limit of the library. */
uint64_t cli_options_default_threads(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > SEGUE_MAX_THREADS ? SEGUE_MAX_THREADS : (uint64_t)count;
}
