/* costs.c - read the option --costs of `segue simulate`.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/simulate/simulate.h"
#include "segue/internal.h"
#include "segue/number.h"

segue_status cli_simulate_read_costs(cli_simulate *s, segue_error *err)
{
    const size_t n_arms = segue_environment_arms(&s->env);
    const char *at = s->set.costs;
    char text[32];
    size_t count = 1;
    for (const char *c = at; c && *c; c++)
        count += *c == ',';
    if (s->set.ignore_costs && !at && !(s->set.switch_cost > 0.0))
        return segue_fail(err, SEGUE_EUSAGE, "--ignore-costs needs --costs or --switch-cost");
    if (!at)
        return SEGUE_OK;
    if (count != n_arms)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--costs has %zu numbers and the tasks %zu arms; need "
                          "one for each",
                          count, n_arms);
    s->cost = calloc(n_arms, sizeof *s->cost);
    for (size_t arm = 0; s->cost && arm < n_arms; arm++, at += strcspn(at, ",") + 1) {
        (void)snprintf(text, sizeof text, "%.*s", (int)strcspn(at, ","), at);
        if (segue_number_parse_double(text, &s->cost[arm], NULL) != SEGUE_OK)
            return segue_fail(err, SEGUE_EPARSE, "--costs: '%s' is not a number", text);
    }
    return s->cost ? SEGUE_OK : segue_fail_no_memory(err, "the costs");
}
