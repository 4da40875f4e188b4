/* policy_list.c - several policies or learners in one text.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "cli/policy_list.h"

#include <stdlib.h>
#include <string.h>

/* Whether the token at `text` goes on with the options of the policy before it. */
static bool continues(const char *text)
{
    const size_t length = strcspn(text, ",");
    return memchr(text, '=', length) && !memchr(text, ':', length);
}

/* How long the policy at `text` is, its options included. */
static size_t policy_length(const char *text)
{
    size_t length = strcspn(text, ",");
    while (text[length] == ',' && continues(text + length + 1))
        length += 1 + strcspn(text + length + 1, ",");
    return length;
}

static segue_status add(cli_policies *policies, const char *text, size_t length, segue_error *err)
{
    if (length == 0)
        return segue_fail(err, SEGUE_EPARSE, "--policy: a name in the list is empty");
    char *copy = strndup(text, length);
    if (!copy)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the list of policies");
    const size_t i = policies->count++;
    policies->text[i] = copy;
    policies->learner[i] = segue_learner_defaults();
    return segue_learner_is_named(copy) ? segue_learner_parse(&policies->learner[i], copy, err)
                                        : segue_policy_parse(&policies->spec[i], copy, err);
}

segue_status cli_policies_init(cli_policies *policies, const char *list, segue_error *err)
{
    size_t most = 1;
    for (const char *p = list; *p; p++)
        most += *p == ',';
    *policies = (cli_policies){.count = 0};
    policies->text = calloc(most, sizeof *policies->text);
    policies->spec = calloc(most, sizeof *policies->spec);
    policies->learner = calloc(most, sizeof *policies->learner);
    if (!policies->text || !policies->spec || !policies->learner)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the list of policies");
    for (const char *p = list;;) {
        const size_t length = policy_length(p);
        const segue_status status = add(policies, p, length, err);
        if (status != SEGUE_OK)
            return status;
        if (p[length] == '\0')
            return SEGUE_OK;
        p += length + 1;
    }
}

void cli_policies_fini(cli_policies *policies)
{
    for (size_t i = 0; i < policies->count; i++)
        free(policies->text[i]);
    free(policies->text);
    free(policies->spec);
    free(policies->learner);
    *policies = (cli_policies){.count = 0};
}
