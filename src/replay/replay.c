/* replay.c - evaluate policies and learners on a log: list the candidates, then prepare, play,
 * score, fit types and judge.
 *
 * A candidate is a policy, a learner, or the best single arm.  Gains are measured against ts,
 * ts-prior, tla:cap=1 and the best arm, so these always take part.  Runs and bootstrap draws are
 * spread over threads and committed in their order: same seed, same bytes on any number of threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay_internal.h"
#include "segue/internal.h"

#define MIN_DRAWN    0.25 /* of the pulls: with fewer, the fitted types hardly matter */
#define MIN_COMPLETE 0.1  /* of the tasks: with fewer, the last steps rest on too few */

/* ---- candidates -------------------------------------------------------------------------- */

static segue_status no_memory(segue_error *err)
{
    return segue_fail_no_memory(err, "the list of policies");
}

/* Return the index of a policy in the list, or its count. */
static size_t find(const segue_policy_list *list, const char *name)
{
    size_t i = 0;
    while (i < list->count && strcmp(list->text[i], name) != 0)
        i++;
    return i;
}

static segue_status list_policies(replay_study *st, segue_error *err)
{
    static const char *const required[] = {"ts", "ts-prior", "tla:cap=1"};
    const segue_policy_list *given = st->config->policies;
    SEGUE_TRY(segue_policy_list_init(&st->list, given->count + 3, err));
    for (size_t i = 0; i < given->count; i++)
        SEGUE_TRY(segue_policy_list_add(&st->list, given->text[i], strlen(given->text[i]), err));
    for (size_t i = 0; i < 3; i++)
        if (find(&st->list, required[i]) == st->list.count)
            SEGUE_TRY(segue_policy_list_add(&st->list, required[i], strlen(required[i]), err));
    st->result->ts = find(&st->list, required[0]);
    st->result->ts_prior = find(&st->list, required[1]);
    return SEGUE_OK;
}

static segue_transfer_kind transfer_kind_of(const segue_policy_list *list, size_t i)
{
    if (!segue_policy_list_is_learner(list, i))
        return list->spec[i].policy->carries ? SEGUE_TRANSFER_STREAM : SEGUE_TRANSFER_NOTHING;
    const segue_learner_config *config = &list->learner[i];
    const segue_learner_method *method = segue_learner_method_find(config->method);
    const bool one_type = segue_learner_config_get(config, "cap") <= 1.0; /* NaN: the default */
    const bool groups = method->has_types || method->has_models || method->groups_tasks;
    return one_type || !groups ? SEGUE_TRANSFER_PRIOR : SEGUE_TRANSFER_TYPES;
}

static segue_status set_name(segue_replay_candidate *candidate, const char *prefix,
                             const char *name, segue_error *err)
{
    const size_t size = strlen(prefix) + strlen(name) + 1;
    candidate->name = malloc(size);
    if (!candidate->name)
        return no_memory(err);
    (void)snprintf(candidate->name, size, "%s%s", prefix, name);
    return SEGUE_OK;
}

static segue_status add_policy(replay_study *st, size_t i, segue_error *err)
{
    const segue_policy_list *list = &st->list;
    const bool learns = segue_policy_list_is_learner(list, i);
    st->result->candidate[i].transfer = transfer_kind_of(list, i);
    st->candidate[i] = (replay_candidate){.policy = learns ? NULL : &list->spec[i],
                                          .learner = learns ? &list->learner[i] : NULL};
    SEGUE_TRY(set_name(&st->result->candidate[i], "", list->text[i], err));
    return segue_replay_run_check(&st->setting, &st->candidate[i], err);
}

/* Find the best single arm of the scored tasks.  Every run of a shuffled order scores other tasks.
 */
static segue_status find_best_arm(const replay_study *st, size_t *arm, segue_error *err)
{
    const segue_replay_result *result = st->result;
    const bool any = st->setting.shuffled && result->n_learned == result->n_played;
    double mean = 0.0;
    if (result->urn)
        return segue_urn_best_arm(&st->urn, st->order, any ? 0 : result->first_scored - 1,
                                  result->n_played, st->config->seed, 0, arm, err);
    *arm = segue_replay_tasks_best_arm(&st->tasks, &mean);
    return SEGUE_OK;
}

static segue_status add_fixed_arm(replay_study *st, segue_error *err)
{
    segue_replay_candidate *fixed = &st->result->candidate[st->result->fixed_arm];
    size_t arm = 0;
    SEGUE_TRY(find_best_arm(st, &arm, err));
    fixed->transfer = SEGUE_TRANSFER_ARM;
    st->candidate[st->result->fixed_arm].arm = arm;
    return set_name(fixed, "always ", st->result->arm_name[arm], err);
}

static segue_status add_candidates(replay_study *st, segue_error *err)
{
    segue_replay_result *result = st->result;
    result->fixed_arm = st->list.count;
    result->candidate = calloc(st->list.count + 1, sizeof *result->candidate);
    st->candidate = calloc(st->list.count + 1, sizeof *st->candidate);
    if (!result->candidate || !st->candidate)
        return no_memory(err);
    result->n_candidates = st->list.count + 1;
    for (size_t i = 0; i < st->list.count; i++)
        SEGUE_TRY(add_policy(st, i, err));
    return add_fixed_arm(st, err);
}

/* ---- warnings that need the result ------------------------------------------------------- */

static void warn_of_short_tasks(segue_replay_result *result)
{
    if (!result->urn && result->complete < MIN_COMPLETE)
        segue_replay_result_warn(result,
                                 "only %.2g %% of the scored tasks had rows for all %" PRIu64
                                 " steps: the last "
                                 "steps rest on few; lower --steps",
                                 100.0 * result->complete, result->steps);
}

/* ---- stages ------------------------------------------------------------------------------ */

/* Where logged rewards answer nearly all pulls, the population does not matter: with many rewards
 * the smallest misfit would show. */
static bool rests_on_population(const replay_study *st)
{
    const segue_replay_result *result = st->result;
    double drawn = 0.0;
    for (size_t c = 0; c < result->n_candidates; c++)
        if (c != result->fixed_arm)
            drawn = fmax(drawn, 1.0 - result->candidate[c].logged);
    return result->urn && drawn > MIN_DRAWN;
}

static segue_status judge(replay_study *st, segue_error *err)
{
    if (rests_on_population(st))
        SEGUE_TRY(segue_replay_model_check(st, err));
    if (!st->result->constant)
        SEGUE_TRY(segue_replay_find_types(st, err));
    warn_of_short_tasks(st->result);
    segue_replay_verdict(st->result);
    return SEGUE_OK;
}

static segue_status evaluate(replay_study *st, segue_error *err)
{
    SEGUE_TRY(list_policies(st, err));
    SEGUE_TRY(segue_replay_prepare(st, err));
    SEGUE_TRY(add_candidates(st, err));
    segue_replay_find_rare_type(st);
    SEGUE_TRY(segue_replay_play_all(st, err));
    st->result->constant = segue_replay_is_constant(st->config->history);
    SEGUE_TRY(segue_replay_score(st, err));
    return st->config->values_only ? SEGUE_OK : judge(st, err);
}

static void study_fini(replay_study *st)
{
    segue_urn_fini(&st->urn);
    segue_urn_log_fini(&st->log);
    segue_policy_list_fini(&st->list);
    segue_replay_tasks_fini(&st->tasks);
    free(st->order);
    free(st->best);
    free(st->candidate);
    free(st->reward_sum);
    free(st->regret_sum);
    free(st->count);
    free(st->reward_curve);
    free(st->regret_curve);
    free(st->run_reward);
    free(st->run_regret);
    free(st->logged);
    free(st->pulls);
}

segue_status segue_replay_evaluate(segue_replay_result *out, const segue_replay_config *config,
                                   segue_error *err)
{
    replay_study st = {.config = config, .result = out};
    *out = (segue_replay_result){.path = NULL};
    const segue_status status = evaluate(&st, err);
    study_fini(&st);
    if (status != SEGUE_OK)
        segue_replay_result_fini(out);
    return status;
}
