/* policy_list.h - `ucb,tucb:C=1,views=symmetric,ts`: several policies or learners in one text.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_POLICY_LIST_H
#define SEGUE_IO_POLICY_LIST_H

#include "segue/learner.h"
#include "segue/policy.h"

typedef struct segue_policy_list {
    size_t count;
    char **text;                   /* count: as typed */
    segue_policy_spec *spec;       /* count; its policy is NULL for a learner */
    segue_learner_config *learner; /* count */
} segue_policy_list;

/** Allocate memory for `max_count` policies. */
SEGUE_MUST_CHECK segue_status segue_policy_list_init(segue_policy_list *list, size_t max_count,
                                                     segue_error *err);

/** Add a policy or learner: the first `length` bytes of `text`. */
SEGUE_MUST_CHECK segue_status segue_policy_list_add(segue_policy_list *list, const char *text,
                                                    size_t length, segue_error *err);

/** Parse a list: a token with '=' and no ':' is an option of the policy before it.  The list is
 * empty after a failure. */
SEGUE_MUST_CHECK segue_status segue_policy_list_parse(segue_policy_list *list, const char *text,
                                                      segue_error *err);

/** Test whether the i-th is a learner. */
bool segue_policy_list_is_learner(const segue_policy_list *list, size_t i);

void segue_policy_list_fini(segue_policy_list *list);

#endif
