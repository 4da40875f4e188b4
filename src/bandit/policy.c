/* policy.c - the registry of policies; parsing of a policy with its options; the L of radii.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/policy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bandit/options.h"
#include "core/math/ln.h"
#include "core/text.h"

#define MAX_NAME_LENGTH 63

extern const segue_policy segue_policy_ucb, segue_policy_ucb_plus, segue_policy_mucb,
    segue_policy_umucb, segue_policy_ucb_test, segue_policy_sw_ucb, segue_policy_d_ucb,
    segue_policy_carried_ucb, segue_policy_told_ucb, segue_policy_ucb1, segue_policy_kl_ucb,
    segue_policy_ts, segue_policy_la, segue_policy_mts, segue_policy_mla, segue_policy_round_robin,
    segue_policy_moss, segue_policy_imed, segue_policy_bayes_ucb, segue_policy_eps_greedy,
    segue_policy_exp3, segue_policy_mix_ts;

static const segue_policy *const registry[] = {
    &segue_policy_ucb,         &segue_policy_ucb_plus,    &segue_policy_mucb,
    &segue_policy_umucb,       &segue_policy_mts,         &segue_policy_mix_ts,
    &segue_policy_mla,         &segue_policy_ucb_test,    &segue_policy_sw_ucb,
    &segue_policy_d_ucb,       &segue_policy_carried_ucb, &segue_policy_told_ucb,
    &segue_policy_ucb1,        &segue_policy_kl_ucb,      &segue_policy_ts,
    &segue_policy_la,          &segue_policy_moss,        &segue_policy_imed,
    &segue_policy_bayes_ucb,   &segue_policy_eps_greedy,  &segue_policy_exp3,
    &segue_policy_round_robin,
};

const segue_policy *const *segue_policy_all(size_t *count)
{
    *count = sizeof registry / sizeof *registry;
    return registry;
}

static const char *name_of(const void *list, size_t i)
{
    return ((const segue_policy *const *)list)[i]->name;
}

static segue_status find_policy(const char *name, const segue_policy **out, segue_error *err)
{
    const size_t count = sizeof registry / sizeof *registry;
    const size_t index = segue_text_find(name, registry, count, name_of);
    if (index < count) {
        *out = registry[index];
        return SEGUE_OK;
    }
    const char *guess = segue_text_closest(name, registry, count, name_of);
    if (guess)
        return segue_fail(err, SEGUE_ENAME, "there is no policy '%s'; did you mean '%s'?", name,
                          guess);
    return segue_fail(err, SEGUE_ENAME, "there is no policy '%s'; 'segue help policies' lists them",
                      name);
}

segue_status segue_policy_set(segue_policy_spec *spec, const char *key, double value,
                              segue_error *err)
{
    if (!spec->policy)
        return segue_fail(err, SEGUE_EDOMAIN, "no policy is given; see segue_policy_parse");
    const option_table table = segue_options_of_policy(spec->policy);
    return segue_options_set(&table, key, value, spec->option, err);
}

segue_status segue_policy_parse(segue_policy_spec *out, const char *text, segue_error *err)
{
    char name[MAX_NAME_LENGTH + 1];
    const size_t length = strcspn(text, ":");
    (void)snprintf(name, sizeof name, "%.*s",
                   (int)(length < MAX_NAME_LENGTH ? length : MAX_NAME_LENGTH), text);
    *out = (segue_policy_spec){.policy = NULL};
    for (size_t i = 0; i < SEGUE_MAX_OPTIONS; i++)
        out->option[i] = NAN;

    const segue_status status = find_policy(name, &out->policy, err);
    if (status != SEGUE_OK || text[length] == '\0')
        return status;
    const option_table table = segue_options_of_policy(out->policy);
    return segue_options_parse(&table, text + length + 1, out->option, err);
}

double segue_policy_log_term(size_t terms, uint64_t horizon, double delta)
{
    return segue_ln((double)terms) + 2.0 * segue_ln((double)horizon) -
           segue_ln(delta); /* a sum of logarithms cannot overflow */
}

double segue_policy_log_term_estimated(size_t n_models, size_t n_arms, uint64_t horizon,
                                       double delta)
{
    return segue_policy_log_term(2 * n_models * n_arms, horizon, delta);
}
