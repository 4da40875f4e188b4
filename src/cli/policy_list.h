/* policy_list.h - `ucb,tucb:C=1,views=symmetric,ts`: several policies or learners in one text.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_POLICY_LIST_H
#define SEGUE_CLI_POLICY_LIST_H

#include "segue/learner.h"
#include "segue/policy.h"

typedef struct cli_policies {
    size_t count;
    char **text;                   /* count: as typed */
    segue_policy_spec *spec;       /* count; without a policy where it is a learner: */
    segue_learner_config *learner; /* count */
} cli_policies;

/** A token with '=' and no ':' continues the options of the policy before it. */
SEGUE_MUST_CHECK segue_status cli_policies_init(cli_policies *policies, const char *list,
                                                segue_error *err);
void cli_policies_fini(cli_policies *policies);

#endif
