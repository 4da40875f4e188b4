/* store_check.c - the check of a store.
 *
 * It does all that a start does (recovery_all.c), and so finds all that a start would reject.  It
 * also reads every row, and rebuilds every learner from its first event.  One read transaction sees
 * one moment; a service may run meanwhile.
 *
 * The check writes nothing and runs on one thread.  Its cost is that of replaying the whole event
 * log.  Damage does not end it: each damaged learner is reported, and the first damage is the
 * error.  Lack of memory or a failed read ends it, since they say nothing about the store.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/recovery/store_check.h"

#include <inttypes.h>
#include <stdio.h>

#include "segue/internal.h"
#include "service/state/recovery/recovery.h"
#include "service/state/recovery/recovery_all.h"

typedef struct checker {
    segue_store *store;
    segue_store_check_result *out;
    segue_store_check_listener listener;
    segue_error first; /* damage */
} checker;

static bool is_damage(segue_status status)
{
    return status != SEGUE_OK && status != SEGUE_ENOMEM && status != SEGUE_EIO;
}

/* Report damage; `learner` is NULL for the file. */
static void report(checker *c, const char *learner, const char *why)
{
    if (c->first.status == SEGUE_OK && learner)
        (void)segue_fail(&c->first, SEGUE_EFILE, "learner '%.60s': %s", learner, why);
    else if (c->first.status == SEGUE_OK)
        (void)segue_fail(&c->first, SEGUE_EFILE, "%s", why);
    if (learner)
        c->out->damaged++;
    else
        c->out->file = true;
    if (c->listener.damaged)
        c->listener.damaged(c->listener.context, learner, why);
}

/* The learner rebuilt from its first event must equal the one that a start recovers. */
static segue_status compare(checker *c, const segue_recovery_result *found, segue_error *err)
{
    segue_recovered_learner whole = {.learner = NULL};
    segue_bytes b = {.data = NULL};
    segue_status status = segue_recovery_verify(c->store, found->row, &whole, err);
    if (status == SEGUE_OK) {
        segue_recovery_serialize(found->state->learner, &found->state->stats, &found->state->effect,
                                 &found->state->versions, &found->state->shadow, &b);
        status = b.failed
                     ? segue_fail(err, SEGUE_ENOMEM, "out of memory to compare a learner")
                     : segue_recovery_compare(&whole, b.data, b.size, "what a start recovers", err);
    }
    c->out->events += whole.events;
    segue_bytes_fini(&b);
    segue_recovery_fini(&whole);
    return status;
}

static segue_status report_sound(const checker *c, const segue_stored_learner *row,
                                 segue_error *err)
{
    return c->listener.sound ? c->listener.sound(c->listener.context, c->store, row, err)
                             : SEGUE_OK;
}

/* If a start would quarantine it, that reason is the clearest sentence. */
static segue_status check_learner(checker *c, const segue_recovery_result *found, segue_error *err)
{
    if (found->why)
        return segue_fail(err, SEGUE_EFILE, "%s", found->why);
    SEGUE_TRY(segue_store_verify_learner(c->store, found->row->id, err));
    SEGUE_TRY(segue_store_chain_verify(c->store, found->row, err));
    SEGUE_TRY(compare(c, found, err));
    return report_sound(c, found->row, err);
}

static segue_status on_learner(void *context, const segue_recovery_result *found, segue_error *err)
{
    checker *c = context;
    segue_error why;
    char name[32];
    const segue_status status = check_learner(c, found, &why);
    segue_learner_state_release(found->state);
    c->out->learners++;
    if (status == SEGUE_ENOMEM || status == SEGUE_EIO)
        return segue_fail(err, status, "learner '%.60s': %s", found->row->name, why.message);
    (void)snprintf(name, sizeof name, "damaged-%" PRId64, found->row->id);
    if (status != SEGUE_OK)
        report(c, *found->row->name ? found->row->name : name, why.message);
    return SEGUE_OK;
}

/* These tasks are never played. */
static uint64_t no_draw(void *context)
{
    (void)context;
    return 1;
}

/* Report damage and go on; fail with any other failure. */
static segue_status report_or_fail(checker *c, segue_status status, const segue_error *why,
                                   segue_error *err)
{
    if (is_damage(status))
        report(c, NULL, why->message);
    else if (status != SEGUE_OK)
        return segue_fail(err, status, "%s", why->message);
    return SEGUE_OK;
}

static segue_status check_all(checker *c, segue_error *err)
{
    static const unsigned char key[16];
    const segue_recovery_source recovery = {.store = c->store, .key = key, .draw = no_draw};
    segue_error why;
    SEGUE_TRY(report_or_fail(c, segue_store_verify(c->store, &why), &why, err));
    return report_or_fail(c, segue_recovery_all(&recovery, on_learner, c, &why), &why, err);
}

segue_status segue_store_check_each(segue_store *store, const segue_store_check_listener *listener,
                                    segue_store_check_result *out, segue_error *err)
{
    checker c = {.store = store, .out = out};
    if (listener)
        c.listener = *listener;
    *out = (segue_store_check_result){.learners = 0};
    SEGUE_TRY(segue_store_begin_read(store, err));
    const segue_status status = check_all(&c, err);
    segue_store_rollback(store);
    SEGUE_TRY(status);
    return c.first.status == SEGUE_OK ? SEGUE_OK
                                      : segue_fail(err, SEGUE_EFILE, "%s", c.first.message);
}

segue_status segue_store_check_run(segue_store *store, segue_store_check_result *out,
                                   segue_error *err)
{
    return segue_store_check_each(store, NULL, out, err);
}
