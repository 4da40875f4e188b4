/* options.c - parse and check `key=value,key=value` by a table of options.
 *
 * A value is a number in its range, or the index of a name among its choices. NaN means "not
 * given".
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "segue/number.h"

#define MAX_OPTION_LENGTH 128 /* of one key=value, with its NUL */

static segue_status find(const option_table *table, const char *key, size_t *out, segue_error *err)
{
    char keys[128] = "";
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->options[i].key, key) == 0) {
            *out = i;
            return SEGUE_OK;
        }
        const size_t used = strlen(keys);
        (void)snprintf(keys + used, sizeof keys - used, "%s%s", i ? ", " : "",
                       table->options[i].key);
    }
    if (table->count == 0)
        return segue_fail(err, SEGUE_ENAME, "%s '%s' has no options, and so no '%s'", table->kind,
                          table->owner, key);
    return segue_fail(err, SEGUE_ENAME, "%s '%s' has no option '%s'; it has %s", table->kind,
                      table->owner, key, keys);
}

/* Return the index of `word` among the choices "a|b|c", or -1. */
static int rank_of(const char *choices, const char *word)
{
    const size_t length = strlen(word);
    const char *choice = choices;
    for (int rank = 0;; rank++) {
        const size_t span = strcspn(choice, "|");
        if (span == length && strncmp(choice, word, length) == 0)
            return rank;
        if (choice[span] == '\0')
            return -1;
        choice += span + 1;
    }
}

static size_t count_choices(const char *choices)
{
    size_t count = 1;
    for (; *choices; choices++)
        count += *choices == '|';
    return count;
}

static segue_status check_number(const option_table *table, const segue_option *option,
                                 double value, segue_error *err)
{
    /* NaN does not fit. */
    const bool fits = option->open ? value > option->min && value < option->max
                                   : value >= option->min && value <= option->max;
    if (fits && !(option->whole && value != floor(value)))
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EDOMAIN, "%s: %s is %g; need a %s from %g to %g%s", table->owner,
                      option->key, value, option->whole ? "whole number" : "number", option->min,
                      option->max, option->open ? ", ends excluded" : "");
}

static segue_status read_value(const option_table *table, const segue_option *option,
                               const char *text, double *out, segue_error *err)
{
    if (option->choices) {
        const int rank = rank_of(option->choices, text);
        if (rank < 0)
            return segue_fail(err, SEGUE_EPARSE, "%s: %s is '%s'; need one of %s", table->owner,
                              option->key, text, option->choices);
        *out = rank;
        return SEGUE_OK;
    }
    double value = 0.0;
    segue_error inner;
    const segue_status parsed = segue_number_parse_double(text, &value, &inner);
    if (parsed != SEGUE_OK)
        return segue_fail(err, parsed, "%s: %s: %s", table->owner, option->key, inner.message);
    SEGUE_TRY(check_number(table, option, value, err));
    *out = value;
    return SEGUE_OK;
}

/* Parse one `key=value` of `length` characters. */
static segue_status read_one(const option_table *table, const char *text, size_t length,
                             double *value, segue_error *err)
{
    char word[MAX_OPTION_LENGTH];
    if (length >= sizeof word)
        return segue_fail(err, SEGUE_EPARSE, "%s: the option '%.40s...' is too long", table->owner,
                          text);
    memcpy(word, text, length);
    word[length] = '\0';
    char *equals = strchr(word, '=');
    if (!equals || equals == word || equals[1] == '\0')
        return segue_fail(err, SEGUE_EPARSE, "%s: '%s' is not of the form key=value", table->owner,
                          word);
    *equals = '\0';

    size_t i = 0;
    SEGUE_TRY(find(table, word, &i, err));
    if (!isnan(value[i]))
        return segue_fail(err, SEGUE_EDOMAIN, "%s: %s is given twice", table->owner, word);
    return read_value(table, &table->options[i], equals + 1, &value[i], err);
}

segue_status segue_options_parse(const option_table *table, const char *text, double *value,
                                 segue_error *err)
{
    for (;;) {
        const size_t span = strcspn(text, ",");
        const segue_status status = read_one(table, text, span, value, err);
        if (status != SEGUE_OK || text[span] == '\0')
            return status;
        text += span + 1;
    }
}

/* Check a number, or the index of a choice. */
static segue_status check_value(const option_table *table, size_t i, double value, segue_error *err)
{
    segue_option option = table->options[i];
    if (option.choices) {
        option.whole = true;
        option.max = (double)count_choices(option.choices) - 1.0;
    }
    return check_number(table, &option, value, err);
}

segue_status segue_options_set(const option_table *table, const char *key, double number,
                               double *value, segue_error *err)
{
    size_t i = 0;
    SEGUE_TRY(find(table, key, &i, err));
    SEGUE_TRY(check_value(table, i, number, err));
    value[i] = number;
    return SEGUE_OK;
}

segue_status segue_options_check(const option_table *table, const double *value, segue_error *err)
{
    for (size_t i = 0; i < table->count; i++)
        if (!isnan(value[i]))
            SEGUE_TRY(check_value(table, i, value[i], err));
    return SEGUE_OK;
}

option_table segue_options_of_policy(const segue_policy *policy)
{
    return (option_table){.kind = "policy",
                          .owner = policy->name,
                          .options = policy->options,
                          .count = policy->n_options};
}
