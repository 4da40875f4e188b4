/* replay.c - what would transfer have given on a log: prepare, play, score, judge.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/utf8.h"
#include "replay/replay_internal.h"
#include "segue/internal.h"

#define FEW_REACH 0.1 /* of the tasks: the last steps rest on too few */
#define SHOWN     40  /* bytes of a name */

/* ---- players ----------------------------------------------------------------------------- */

static segue_status no_memory(segue_error *err)
{
    return segue_fail_no_memory(err, "the list of policies");
}

/* The number of a player in the list, or its count. */
static size_t find(const segue_policy_list *list, const char *name)
{
    size_t i = 0;
    while (i < list->count && strcmp(list->text[i], name) != 0)
        i++;
    return i;
}

/* Those of the configuration, and those that gains are told over. */
static segue_status list_players(replay_study *st, segue_error *err)
{
    static const char *const wanted[] = {"ts", "ts-prior", "tla:cap=1"};
    const segue_policy_list *given = st->config->players;
    segue_status status = segue_policy_list_init(&st->list, given->count + 3, err);
    for (size_t i = 0; i < given->count && status == SEGUE_OK; i++)
        status = segue_policy_list_add(&st->list, given->text[i], strlen(given->text[i]), err);
    for (size_t i = 0; i < 3 && status == SEGUE_OK; i++)
        if (find(&st->list, wanted[i]) == st->list.count)
            status = segue_policy_list_add(&st->list, wanted[i], strlen(wanted[i]), err);
    st->found->ts = find(&st->list, wanted[0]);
    st->found->prior = find(&st->list, wanted[1]);
    return status;
}

static segue_transfer_kind transfer_kind_of(const segue_policy_list *list, size_t i)
{
    if (!segue_policy_list_is_learner(list, i))
        return SEGUE_TRANSFER_NOTHING;
    const segue_learner_config *config = &list->learner[i];
    const segue_learner_method *method = segue_learner_method_find(config->method);
    const bool one_type = segue_learner_config_get(config, "cap") <= 1.0; /* NaN: the default */
    return one_type || !(method->has_types || method->has_models) ? SEGUE_TRANSFER_PRIOR
                                                                  : SEGUE_TRANSFER_TYPES;
}

/* The arm whose averages are best over tasks, in hindsight. */
static size_t best_fixed(const replay_study *st)
{
    size_t best = 0;
    double most = -1.0;
    for (size_t arm = 0; arm < st->found->n_arms; arm++) {
        const double mean = st->arm_count[arm] > 0.0 ? st->arm_sum[arm] / st->arm_count[arm] : -1.0;
        if (mean > most) {
            best = arm;
            most = mean;
        }
    }
    return best;
}

static segue_status name_player(segue_player_result *c, const char *before, const char *name,
                                segue_error *err)
{
    const size_t size = strlen(before) + strlen(name) + 1;
    c->name = malloc(size);
    if (!c->name)
        return no_memory(err);
    (void)snprintf(c->name, size, "%s%s", before, name);
    return SEGUE_OK;
}

static segue_status set_players(replay_study *st, segue_error *err)
{
    segue_replay_result *found = st->found;
    const segue_policy_list *list = &st->list;
    found->fixed = list->count;
    found->player = calloc(list->count + 1, sizeof *found->player);
    st->player = calloc(list->count + 1, sizeof *st->player);
    if (!found->player || !st->player)
        return no_memory(err);
    found->n_players = list->count + 1;
    segue_status status = SEGUE_OK;
    for (size_t i = 0; i < list->count && status == SEGUE_OK; i++) {
        const bool learns = segue_policy_list_is_learner(list, i);
        found->player[i].carries = transfer_kind_of(list, i);
        st->player[i] = (replay_player){.policy = learns ? NULL : &list->spec[i],
                                        .learner = learns ? &list->learner[i] : NULL};
        status = name_player(&found->player[i], "", list->text[i], err);
        if (status == SEGUE_OK)
            status = segue_replay_run_check(&st->setting, &st->player[i], err);
    }
    found->player[found->fixed].carries = SEGUE_TRANSFER_ARM;
    st->player[found->fixed].arm = best_fixed(st);
    return status == SEGUE_OK ? name_player(&found->player[found->fixed], "always ",
                                            found->arm_name[best_fixed(st)], err)
                              : status;
}

/* ---- all of it --------------------------------------------------------------------------- */

static void warn_of_short_tasks(segue_replay_result *found)
{
    if (!found->resampled && found->reached < FEW_REACH)
        segue_replay_result_warn(
            found,
            "only %.2g %% of the scored tasks had rows for all %llu steps: the last "
            "steps rest on few; lower --steps",
            100.0 * found->reached, (unsigned long long)found->steps);
}

static void warn_of_few_rewards(segue_replay_result *found)
{
    const char *arm = found->arm_name[found->rarest];
    if (found->resampled && !found->constant && found->rarest_rewards < SEGUE_MIN_REWARDS_FOR_TYPES)
        segue_replay_result_warn(
            found,
            "arm '%.*s' has %.4g rewards per task, and %.0f are needed: resampling "
            "takes the luck of few rewards for differences between tasks, so the "
            "truth may lie outside these intervals",
            (int)segue_utf8_prefix_length(arm, SHOWN), arm,
            floor(10.0 * found->rarest_rewards) / 10.0, SEGUE_MIN_REWARDS_FOR_TYPES);
}

static segue_status study(replay_study *st, segue_error *err)
{
    segue_status status = list_players(st, err);
    if (status == SEGUE_OK)
        status = segue_replay_prepare(st, err);
    if (status == SEGUE_OK)
        status = set_players(st, err);
    if (status == SEGUE_OK)
        status = segue_replay_play_all(st, err);
    if (status == SEGUE_OK)
        status = segue_replay_score(st, err);
    if (status != SEGUE_OK || st->config->values_only)
        return status;
    st->found->constant = segue_replay_is_constant(st->config->history);
    if (!st->found->constant)
        status = segue_replay_find_types(st, err);
    if (status != SEGUE_OK)
        return status;
    warn_of_short_tasks(st->found);
    warn_of_few_rewards(st->found);
    segue_replay_verdict(st->found);
    return SEGUE_OK;
}

static void study_fini(replay_study *st)
{
    segue_samples_destroy(st->samples);
    segue_policy_list_fini(&st->list);
    free(st->number);
    free(st->order);
    free(st->best);
    free(st->arm_sum);
    free(st->arm_count);
    free(st->player);
    free(st->won);
    free(st->lost);
    free(st->count);
    free(st->reward);
    free(st->regret);
    free(st->run);
}

segue_status segue_replay_evaluate(segue_replay_result *out, const segue_replay_config *config,
                                   segue_error *err)
{
    replay_study st = {.config = config, .found = out};
    *out = (segue_replay_result){.path = NULL};
    const segue_status status = study(&st, err);
    study_fini(&st);
    if (status != SEGUE_OK)
        segue_replay_result_fini(out);
    return status;
}
