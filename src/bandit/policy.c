/* policy.c - the registry of policies, and the reading of `name:key=value,...`.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/policy.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "segue/number.h"

#define LONGEST_WORD 63 /* of a key or a value */

extern const segue_policy segue_policy_ucb, segue_policy_ucb_plus, segue_policy_mucb,
    segue_policy_umucb, segue_policy_ucb_test, segue_policy_sw_ucb, segue_policy_d_ucb,
    segue_policy_carried_ucb, segue_policy_told_ucb, segue_policy_ucb1, segue_policy_kl_ucb,
    segue_policy_ts, segue_policy_mts;

static const segue_policy *const registry[] = {
    &segue_policy_ucb,         &segue_policy_ucb_plus, &segue_policy_mucb,   &segue_policy_umucb,
    &segue_policy_mts,         &segue_policy_ucb_test, &segue_policy_sw_ucb, &segue_policy_d_ucb,
    &segue_policy_carried_ucb, &segue_policy_told_ucb, &segue_policy_ucb1,   &segue_policy_kl_ucb,
    &segue_policy_ts,
};

const segue_policy *const *segue_policies(size_t *count)
{
    *count = sizeof registry / sizeof *registry;
    return registry;
}

static segue_status find_policy(const char *name, const segue_policy **out, segue_error *err)
{
    const char *guess = NULL;
    size_t closest = SIZE_MAX;
    for (size_t i = 0; i < sizeof registry / sizeof *registry; i++) {
        if (strcmp(registry[i]->name, name) == 0) {
            *out = registry[i];
            return SEGUE_OK;
        }
        if (segue_text_is_closer(name, registry[i]->name, &closest))
            guess = registry[i]->name;
    }
    if (guess)
        return segue_fail(err, SEGUE_ENAME, "there is no policy '%s'; did you mean '%s'?", name,
                          guess);
    return segue_fail(err, SEGUE_ENAME, "there is no policy '%s'; 'segue help policies' lists them",
                      name);
}

static segue_status find_option(const segue_policy *policy, const char *key, size_t *out,
                                segue_error *err)
{
    char keys[128] = "";
    for (size_t i = 0; i < policy->n_options; i++) {
        if (strcmp(policy->options[i].key, key) == 0) {
            *out = i;
            return SEGUE_OK;
        }
        const size_t used = strlen(keys);
        (void)snprintf(keys + used, sizeof keys - used, "%s%s", i ? ", " : "",
                       policy->options[i].key);
    }
    if (policy->n_options == 0)
        return segue_fail(err, SEGUE_ENAME, "policy '%s' has no options, and so no '%s'",
                          policy->name, key);
    return segue_fail(err, SEGUE_ENAME, "policy '%s' has no option '%s'; it has %s", policy->name,
                      key, keys);
}

/* The rank of `word` among the choices "a|b|c", or -1. */
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

static segue_status check_number(const segue_policy *policy, const segue_option *option,
                                 double value, segue_error *err)
{
    /* A NaN fits nowhere. */
    const bool fits = option->open ? value > option->least && value < option->most
                                   : value >= option->least && value <= option->most;
    if (fits && !(option->whole && value != floor(value)))
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EDOMAIN, "%s: %s is %g; need a %s from %g to %g%s", policy->name,
                      option->key, value, option->whole ? "whole number" : "number", option->least,
                      option->most, option->open ? ", ends excluded" : "");
}

segue_status segue_policy_set(segue_policy_spec *spec, const char *key, double value,
                              segue_error *err)
{
    size_t i = 0;
    segue_status status = find_option(spec->policy, key, &i, err);
    if (status != SEGUE_OK)
        return status;
    segue_option option = spec->policy->options[i];
    if (option.choices) { /* their rank */
        option.whole = true;
        option.most = (double)count_choices(option.choices) - 1.0;
    }
    status = check_number(spec->policy, &option, value, err);
    if (status == SEGUE_OK)
        spec->option[i] = value;
    return status;
}

/* Read the value of one option. */
static segue_status read_value(const segue_policy *policy, const segue_option *option,
                               const char *text, double *out, segue_error *err)
{
    if (option->choices) {
        const int rank = rank_of(option->choices, text);
        if (rank < 0)
            return segue_fail(err, SEGUE_EPARSE, "%s: %s is '%s'; need one of %s", policy->name,
                              option->key, text, option->choices);
        *out = rank;
        return SEGUE_OK;
    }
    segue_error inner;
    if (segue_parse_double(text, out, &inner) != SEGUE_OK)
        return segue_fail(err, SEGUE_EPARSE, "%s: %s: %s", policy->name, option->key,
                          inner.message);
    return check_number(policy, option, *out, err);
}

/* Read one `key=value` of `length` characters. */
static segue_status read_option(segue_policy_spec *spec, const char *text, size_t length,
                                segue_error *err)
{
    char word[2 * LONGEST_WORD + 2];
    if (length >= sizeof word)
        return segue_fail(err, SEGUE_EPARSE, "%s: the option '%.40s...' is too long",
                          spec->policy->name, text);
    memcpy(word, text, length);
    word[length] = '\0';
    char *equals = strchr(word, '=');
    if (!equals || equals == word || equals[1] == '\0')
        return segue_fail(err, SEGUE_EPARSE, "%s: '%s' is not of the form key=value",
                          spec->policy->name, word);
    *equals = '\0';

    size_t i = 0;
    segue_status status = find_option(spec->policy, word, &i, err);
    if (status == SEGUE_OK && !isnan(spec->option[i]))
        status = segue_fail(err, SEGUE_EDOMAIN, "%s: %s is given twice", spec->policy->name, word);
    if (status == SEGUE_OK)
        status =
            read_value(spec->policy, &spec->policy->options[i], equals + 1, &spec->option[i], err);
    return status;
}

segue_status segue_policy_parse(segue_policy_spec *out, const char *text, segue_error *err)
{
    char name[LONGEST_WORD + 1];
    const size_t length = strcspn(text, ":");
    (void)snprintf(name, sizeof name, "%.*s", (int)(length < LONGEST_WORD ? length : LONGEST_WORD),
                   text);
    *out = (segue_policy_spec){.policy = NULL};
    for (size_t i = 0; i < SEGUE_MAX_OPTIONS; i++)
        out->option[i] = NAN;

    segue_status status = find_policy(name, &out->policy, err);
    const char *rest = text[length] == ':' ? text + length + 1 : NULL;
    while (status == SEGUE_OK && rest) {
        const size_t span = strcspn(rest, ",");
        status = read_option(out, rest, span, err);
        rest = rest[span] == ',' ? rest + span + 1 : NULL;
    }
    return status;
}
