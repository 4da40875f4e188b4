/* rewards.c - reward laws: their names, their parameters and the ranges of these.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sim/rewards.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "segue/number.h"

typedef struct law_entry {
    const char *name;
    segue_reward_law law;
    bool whole;      /* the parameter is a whole number */
    double min, max; /* of the parameter; both 0: it has none */
} law_entry;

static const law_entry laws[] = {
    {"bernoulli", SEGUE_BERNOULLI, false, 0.0, 0.0},
    {"beta", SEGUE_BETA, false, 1e-6, 1e6},
    {"normal", SEGUE_NORMAL, false, 1e-3, 1e2},
    {"twopoint", SEGUE_TWOPOINT, false, 1e-6, 1.0},
    {"grades", SEGUE_GRADES, true, 1.0, 1e3},
    {"zeros", SEGUE_ZEROS, false, 1e-6, 0.999},
    {"jackpot", SEGUE_JACKPOT, false, 0.0, 0.999},
    {"lognormal", SEGUE_LOGNORMAL, false, 0.01, 10.0},
};

segue_status segue_rewards_check(const segue_rewards *rewards, segue_error *err)
{
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        const law_entry *entry = &laws[i];
        if (entry->law != rewards->law)
            continue;
        if (entry->max > 0.0 &&
            !(rewards->parameter >= entry->min && rewards->parameter <= entry->max))
            return segue_fail(err, SEGUE_EDOMAIN, "rewards '%s': %g is out of range; need %g to %g",
                              entry->name, rewards->parameter, entry->min, entry->max);
        if (entry->whole && rewards->parameter != floor(rewards->parameter))
            return segue_fail(err, SEGUE_EDOMAIN, "rewards '%s': %g is not a whole number",
                              entry->name, rewards->parameter);
        return SEGUE_OK;
    }
    return segue_fail(err, SEGUE_EDOMAIN,
                      "the reward law is unknown; need one of enum segue_reward_law");
}

segue_status segue_rewards_parse(segue_rewards *out, const char *text, segue_error *err)
{
    const size_t length = strcspn(text, ":");
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        const law_entry *entry = &laws[i];
        if (strlen(entry->name) != length || strncmp(entry->name, text, length) != 0)
            continue;
        const bool given = text[length] == ':', wanted = entry->max > 0.0;
        if (given && !wanted)
            return segue_fail(err, SEGUE_EPARSE, "rewards '%s' take no parameter", entry->name);
        if (wanted && !given)
            return segue_fail(err, SEGUE_EPARSE, "rewards '%s' need a parameter, as in '%s:0.5'",
                              entry->name, entry->name);
        *out = (segue_rewards){.law = entry->law};
        segue_error inner;
        const segue_status status =
            given ? segue_number_parse_double(text + length + 1, &out->parameter, &inner)
                  : SEGUE_OK;
        if (status != SEGUE_OK)
            return segue_fail(err, status, "rewards '%s': %s", entry->name, inner.message);
        return segue_rewards_check(out, err);
    }
    return segue_fail(err, SEGUE_ENAME,
                      "there are no rewards '%.40s'; need bernoulli, beta:PRECISION, normal:SD, "
                      "twopoint:S, grades:N, zeros:S, jackpot:B or lognormal:SIGMA",
                      text);
}
