/* decision_audit.c - compute a decision again from the event log.
 *
 *   identify   decode the id; read its learner, its task and the task's history
 *   rebuild    the learner after the event that the task's shared prior knows (recovery.c)
 *   play       open the task with its draw; tell and ask in the stored order, up to the decision
 *
 * The code that opens, asks and tells is the service's own.  Cost: the events before the task took
 * its prior, and one play of the task.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/audit/decision_audit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"
#include "service/audit/task_history.h"
#include "service/state/recovery/recovery.h"

/* ---- identify ---------------------------------------------------------------------------- */

static segue_status read_task(segue_store *store, segue_decision_audit *out, segue_error *err)
{
    bool found = false, removed = false, erased = false;
    const decision *d = &out->decision;
    SEGUE_TRY(segue_store_read_task(store, d->task, &out->task, &found, err));
    if (!found || out->task.learner != d->learner || out->task.tag != d->tag)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "the store has no task of this decision: it was erased, its learner was "
                          "deleted, or the store was restored from an older backup");
    if (d->arm >= out->task.n_arms)
        return segue_fail(err, SEGUE_EDOMAIN, "the decision has no arm of its task");
    SEGUE_TRY(segue_store_is_removed(store, d->task, &removed, &erased, err));
    if (removed)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "the decision cannot be computed again: the rewards of its task were "
                          "removed; use a backup from before");
    return segue_store_task_key(store, d->task, out->key, err);
}

static segue_status find_run(const task_history *history, segue_decision_audit *out,
                             const task_run **run, segue_error *err)
{
    *run = segue_task_history_find(history, out->decision.number, &out->index);
    if (!*run)
        return segue_fail(
            err, SEGUE_EDOMAIN,
            "the decision cannot be computed again: the store has not all asks before it; need a "
            "reward of its task that came after it, in the same run of the service");
    out->prior_seq = (*run)->prior_seq;
    out->draw = (*run)->draw;
    return SEGUE_OK;
}

/* In shadow mode there is nothing to compute.  A reward that later ones changed is stored as it
 * became. */
static segue_status check_settings(const learner_settings *settings, int64_t task, segue_error *err)
{
    if (segue_learner_settings_terms_of(settings, task)->shadow)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "the decision cannot be computed: its task is in shadow mode, and the "
                          "caller chose the arm");
    if (settings->aggregate == SEGUE_AGGREGATE_FIRST)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EDOMAIN,
                      "the decision cannot be computed again: learner '%.80s' takes several "
                      "rewards per decision ('aggregate' is \"%s\"), and the store has no order of "
                      "these and the asks",
                      settings->name, segue_aggregate_name(settings->aggregate));
}

static segue_status check_learner(const segue_stored_learner *row, int64_t task, segue_error *err)
{
    learner_settings settings;
    if (row->damage)
        return segue_fail(err, SEGUE_EFILE, "%s", row->damage);
    SEGUE_TRY(segue_learner_settings_parse(&settings, row->config, err));
    const segue_status status = check_settings(&settings, task, err);
    segue_learner_settings_fini(&settings);
    return status;
}

/* ---- rebuild ----------------------------------------------------------------------------- */

/* Rewards before the base are gone, and so is the learner of then. */
static segue_status rebuild(segue_store *store, const segue_stored_learner *row, uint64_t seq,
                            segue_recovered_learner *out, segue_error *err)
{
    uint64_t base = 0;
    void *bytes = NULL;
    size_t size = 0;
    SEGUE_TRY(segue_store_read_base(store, row->id, &base, &bytes, &size, err));
    free(bytes);
    if (base > seq)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "the decision cannot be computed again: its task took the types after "
                          "event %" PRIu64 ", and rewards up to event %" PRIu64
                          " were removed; use a backup from before",
                          seq, base);
    return segue_recovery_run_until(store, row, false, seq, out, err);
}

static segue_status add_arms(segue_store *store, learner_state *state, segue_error *err)
{
    segue_rows rows;
    segue_stored_arm arm;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_ARMS, .id = state->id}, err);
    while (status == SEGUE_OK && segue_rows_next_arm(&rows, &arm))
        status = segue_learner_state_add_arm(state, arm.name, false, err);
    return segue_rows_close(&rows, status);
}

/* Make a state of the rebuilt learner, which it owns. */
static segue_status create_state(segue_store *store, const segue_stored_learner *row,
                                 segue_recovered_learner *rebuilt, learner_state **out,
                                 segue_error *err)
{
    static const unsigned char key[16];
    learner_settings settings;
    SEGUE_TRY(segue_learner_settings_parse(&settings, row->config, err));
    const segue_status status =
        segue_learner_state_create(out, row, &settings, rebuilt->learner, key, err);
    rebuilt->learner = NULL;
    segue_learner_settings_fini(&settings);
    SEGUE_TRY(status);
    (*out)->seq = rebuilt->seq;
    return add_arms(store, *out, err);
}

static segue_status rebuild_row(segue_store *store, const segue_stored_learner *row,
                                segue_decision_audit *out, segue_error *err)
{
    segue_recovered_learner rebuilt = {.learner = NULL};
    segue_status status = rebuild(store, row, out->prior_seq, &rebuilt, err);
    if (status == SEGUE_OK)
        status = create_state(store, row, &rebuilt, &out->state, err);
    segue_recovery_fini(&rebuilt);
    return status;
}

/* ---- play -------------------------------------------------------------------------------- */

typedef struct audit_play {
    segue_store *store;
    segue_decision_audit *out;
    const task_history *history;
    task_state *task;
    uint64_t asked;  /* in this run */
    task_copy *copy; /* of long asks */
    size_t n_copies;
    bool found; /* the decision was made */
} audit_play;

static segue_status tell_until(audit_play *p, uint64_t rewards, segue_error *err)
{
    if (rewards > p->history->n_rewards)
        return segue_store_fail_damaged(err, "an ask of task %" PRId64 " counts rewards it lacks",
                                        p->task->id);
    while (p->task->rewards < rewards) {
        const past_reward *r = &p->history->reward[p->task->rewards];
        const learner_settings *s = &p->out->state->settings;
        if (r->arm >= p->task->n_arms || !(r->value >= s->lowest && r->value <= s->highest))
            return segue_store_fail_damaged(err, "task %" PRId64 " has a reward out of range",
                                            p->task->id);
        segue_learner_state_tell(p->out->state, p->task, r->arm, r->value);
    }
    return SEGUE_OK;
}

/* The arms that an entry allows; *out is NULL if it allows all, else the caller frees it. */
static segue_status find_allowed(const audit_play *p, const ask_entry *entry, bool **out,
                                 segue_error *err)
{
    *out = NULL;
    if (entry->n_without == 0)
        return SEGUE_OK;
    bool *allowed = calloc(p->out->state->n_arms, sizeof *allowed);
    if (!allowed)
        return segue_fail_no_memory(err, "the arms of a task");
    memset(allowed, true, p->task->n_arms * sizeof *allowed);
    for (uint32_t i = 0; i < entry->n_without; i++)
        if (entry->without[i] < p->task->n_arms)
            allowed[entry->without[i]] = false;
    *out = allowed;
    return SEGUE_OK;
}

/* All that restricted the asks of an entry; the caller frees it in any case. */
static segue_status find_limits(const audit_play *p, const ask_entry *entry, ask_limits *out,
                                segue_error *err)
{
    *out = (ask_limits){.allowed = NULL};
    SEGUE_TRY(find_allowed(p, entry, &out->allowed, err));
    return segue_ask_limits_set(p->out->state, p->task, out, err);
}

/* Describe the task before the decision is made. */
static segue_status describe(audit_play *p, task_state *on, const ask_limits *limits,
                             segue_error *err)
{
    segue_decision_audit *out = p->out;
    const bool *allowed = limits->allowed, *explained = segue_ask_limits_explained(limits);
    const segue_task_summary info = segue_task_info(on->play);
    arm_distribution distribution = {.drawn = NULL};
    out->arm = calloc(out->task.n_arms, sizeof *out->arm);
    if (!out->arm)
        return segue_fail_no_memory(err, "the arms of a task");
    segue_status status = segue_decide_task_distribution(on, limits, &distribution, err);
    if (status == SEGUE_OK && limits->play.rest > 0.0)
        status = segue_task_apply_distribution(on->play, limits->play.allowed, distribution.drawn,
                                               distribution.certain, distribution.probability, err);
    for (size_t i = 0; status == SEGUE_OK && i < out->task.n_arms; i++)
        out->arm[i] = (audited_arm){.name = out->state->arm[i]->name,
                                    .allowed = !allowed || allowed[i],
                                    .pulls = info.pulls[i],
                                    .mean = info.pulls[i] ? segue_task_mean(on->play, i) : NAN,
                                    .probability = segue_task_limits_probability(
                                        &limits->play, on->play, i, distribution.probability[i])};
    free(distribution.drawn);
    out->rewards = p->task->rewards;
    out->pending = info.step > p->task->rewards ? info.step - p->task->rewards : 0;
    if (on->control || segue_learner_explain_among(out->state->learner, on->play, explained,
                                                   &out->types, NULL) != SEGUE_OK)
        out->types = (segue_explanation){.n_types = 0};
    return status;
}

/* Make the asks of an entry, on the task or on a copy. */
static segue_status ask_each(audit_play *p, const ask_entry *entry, task_state *on,
                             segue_error *err)
{
    ask_limits limits;
    arm_distribution distribution = {.drawn = NULL};
    segue_status status = find_limits(p, entry, &limits, err);
    if (status == SEGUE_OK && entry->probability)
        status = segue_decide_task_distribution(on, &limits, &distribution, err);
    for (uint64_t i = 0; i < entry->n && status == SEGUE_OK && !p->found; i++, p->asked++) {
        arm_choice choice;
        p->found = p->asked == p->out->index;
        if (p->found)
            status = describe(p, on, &limits, err);
        if (status == SEGUE_OK)
            status = segue_decide_task_choose(on, &limits, &distribution, &choice, err);
        if (status == SEGUE_OK && p->found) {
            p->out->computed = choice.decision.arm;
            p->out->probability = choice.probability;
            p->out->exact = choice.exact;
            p->out->requested_probability = entry->probability;
        } else if (status == SEGUE_OK && on != p->task) {
            segue_task_count_ask(p->task->play, choice.decision.arm);
        }
    }
    free(distribution.drawn);
    segue_ask_limits_fini(&limits);
    return status;
}

static segue_status add_copy(audit_play *p, segue_error *err)
{
    task_copy *copy = realloc(p->copy, (p->n_copies + 1) * sizeof *copy);
    if (!copy)
        return segue_fail_no_memory(err, "a copy of a task");
    p->copy = copy;
    const segue_status status =
        segue_decide_task_copy(p->out->state, p->task, &copy[p->n_copies++], err);
    if (status == SEGUE_OK)
        segue_task_fork_stream(p->task->play, copy[p->n_copies - 1].task.play);
    return status;
}

static segue_status play_entry(audit_play *p, const ask_entry *entry, segue_error *err)
{
    SEGUE_TRY(tell_until(p, entry->rewards, err));
    if (entry->kind == ASKS_COPY)
        return add_copy(p, err);
    if (entry->kind == ASKS_OF_TASK)
        return ask_each(p, entry, p->task, err);
    return entry->copy < p->n_copies
               ? ask_each(p, entry, &p->copy[entry->copy].task, err)
               : segue_store_fail_damaged(err, "an ask of task %" PRId64 " names no copy of it",
                                          p->task->id);
}

static segue_status open_with_features(audit_play *p, uint64_t draw, segue_error *err)
{
    segue_stored_task row = p->out->task;
    char *features = NULL;
    SEGUE_TRY(segue_store_task_features(p->store, row.id, &features, err));
    row.features = features;
    const segue_status status =
        segue_learner_state_open_task(p->out->state, &row, p->out->key, draw, err);
    free(features);
    return status;
}

/* Open the task as the run did: with its draw, and with the rewards that it had. */
static segue_status open_task(audit_play *p, const task_run *run, segue_error *err)
{
    learner_state *state = p->out->state;
    if (p->out->task.n_arms > state->n_arms)
        return segue_store_fail_damaged(err, "task %" PRId64 " has more arms than its learner",
                                        p->out->task.id);
    SEGUE_TRY(open_with_features(p, run->draw, err));
    p->task = segue_learner_state_task_by_id(state, p->out->task.id);
    return tell_until(p, run->first_reward, err);
}

static segue_status play(segue_store *store, const task_history *history, const task_run *run,
                         segue_decision_audit *out, segue_error *err)
{
    audit_play p = {.store = store, .out = out, .history = history};
    segue_status status = open_task(&p, run, err);
    for (size_t i = run->begin; i < run->end && status == SEGUE_OK && !p.found; i++)
        status = play_entry(&p, &history->entry[i], err);
    for (size_t i = 0; i < p.n_copies; i++)
        segue_decide_task_copy_fini(&p.copy[i]);
    free(p.copy);
    return status;
}

/* ---- the audit --------------------------------------------------------------------------- */

static segue_status run_with(segue_store *store, const segue_stored_learner *row,
                             task_history *history, segue_decision_audit *out, segue_error *err)
{
    const task_run *run = NULL;
    SEGUE_TRY(check_learner(row, out->decision.task, err));
    SEGUE_TRY(segue_task_history_read(store, out->decision.task, history, err));
    SEGUE_TRY(find_run(history, out, &run, err));
    SEGUE_TRY(rebuild_row(store, row, out, err));
    return play(store, history, run, out, err);
}

/* A learner that was deleted loses its rows some time after its name. */
static segue_status run_of_learner(segue_store *store, task_history *history,
                                   segue_decision_audit *out, segue_error *err)
{
    segue_rows rows;
    segue_stored_learner row;
    segue_rows_open(&rows, store,
                    &(segue_query){.kind = SEGUE_QUERY_LEARNER, .id = out->decision.learner}, err);
    const bool found = segue_rows_next_learner(&rows, &row);
    SEGUE_TRY(segue_rows_close(&rows, found ? run_with(store, &row, history, out, err) : SEGUE_OK));
    return found ? SEGUE_OK
                 : segue_fail(err, SEGUE_EDOMAIN, "the learner of the decision was deleted");
}

segue_status segue_decision_audit_run(segue_store *store, const char *id, segue_decision_audit *out,
                                      segue_error *err)
{
    unsigned char key[SEGUE_STORE_KEY_SIZE];
    task_history history = {.n_runs = 0};
    *out = (segue_decision_audit){.state = NULL};
    SEGUE_TRY(segue_store_read_key(store, key, err));
    if (!segue_decision_id_decode(&out->decision, key, id))
        return segue_fail(err, SEGUE_EDOMAIN,
                          "'%.80s' is not a decision of this store; need the id that ask returned",
                          id);
    SEGUE_TRY(segue_store_begin_read(store, err));
    segue_status status = read_task(store, out, err);
    if (status == SEGUE_OK)
        status = run_of_learner(store, &history, out, err);
    segue_task_history_fini(&history);
    segue_store_rollback(store);
    return status;
}

void segue_decision_audit_fini(segue_decision_audit *audit)
{
    free(audit->arm);
    segue_learner_state_release(audit->state);
    *audit = (segue_decision_audit){.state = NULL};
}

bool segue_decision_audit_agrees(const segue_decision_audit *audit)
{
    const double stored = audit->decision.probability, computed = audit->probability;
    const bool is_same_number = !(stored < computed) && !(stored > computed);
    return audit->computed == audit->decision.arm &&
           (!audit->requested_probability || is_same_number);
}
