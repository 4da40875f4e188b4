/* policy_list.c - several policies or learners in one text.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/policy_list.h"
#include "segue/internal.h"

#include <stdlib.h>
#include <string.h>

/* Test whether the token at `text` is an option of the policy before it. */
static bool continues(const char *text)
{
    const size_t length = strcspn(text, ",");
    return memchr(text, '=', length) && !memchr(text, ':', length);
}

/* Return the length of the policy at `text`, with its options. */
static size_t policy_length(const char *text)
{
    size_t length = strcspn(text, ",");
    while (text[length] == ',' && continues(text + length + 1))
        length += 1 + strcspn(text + length + 1, ",");
    return length;
}

segue_status segue_policy_list_init(segue_policy_list *list, size_t max_count, segue_error *err)
{
    *list = (segue_policy_list){.count = 0};
    list->text = calloc(max_count, sizeof *list->text);
    list->spec = calloc(max_count, sizeof *list->spec);
    list->learner = calloc(max_count, sizeof *list->learner);
    if (!list->text || !list->spec || !list->learner)
        return segue_fail_no_memory(err, "the list of policies");
    return SEGUE_OK;
}

segue_status segue_policy_list_add(segue_policy_list *list, const char *text, size_t length,
                                   segue_error *err)
{
    if (length == 0)
        return segue_fail(err, SEGUE_EPARSE, "a name in the list of policies is empty");
    char *copy = strndup(text, length);
    if (!copy)
        return segue_fail_no_memory(err, "the list of policies");
    const size_t i = list->count++;
    list->text[i] = copy;
    list->learner[i] = segue_learner_defaults();
    const segue_learner_method *method = segue_learner_method_find(copy);
    return method && !method->without_transfer
               ? segue_learner_config_parse(&list->learner[i], copy, err)
               : segue_policy_parse(&list->spec[i], copy, err);
}

segue_status segue_policy_list_parse(segue_policy_list *list, const char *text, segue_error *err)
{
    size_t max_count = 1;
    for (const char *p = text; *p; p++)
        max_count += *p == ',';
    segue_status status = segue_policy_list_init(list, max_count, err);
    while (status == SEGUE_OK) {
        const size_t length = policy_length(text);
        status = segue_policy_list_add(list, text, length, err);
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    if (status != SEGUE_OK)
        segue_policy_list_fini(list);
    return status;
}

bool segue_policy_list_is_learner(const segue_policy_list *list, size_t i)
{
    return !list->spec[i].policy;
}

void segue_policy_list_fini(segue_policy_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->text[i]);
    free(list->text);
    free(list->spec);
    free(list->learner);
    *list = (segue_policy_list){.count = 0};
}
