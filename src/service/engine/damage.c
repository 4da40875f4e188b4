/* damage.c - quarantined learners, and damage that a request meets.
 *
 * The list of quarantined learners is guarded by the service's learners_lock.  Only the writer adds
 * to it after the start.
 *
 * Damage is met in three places.  At the start a learner that cannot be recovered is listed.  In a
 * transaction the group is rolled back, the culprit gets 500, and the others run again.  After
 * COMMIT memory lacks a stored change, so the learner is quarantined.  A job that meets damage
 * would fail again and again, so its learner is quarantined, too.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/damage.h"
#include "service/api/responses/response.h"
#include "service/jobs/maintenance.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_write.h"
#include "segue/internal.h"

#define REPORT_PAUSE 10.0 /* seconds between reports of different damage */

/* ---- the list ---------------------------------------------------------------------------- */

static damaged_learner *find(const segue_service *service, const char *name, int64_t id)
{
    damaged_learner *d = service->damaged;
    while (d && (name ? strcmp(d->name, name) != 0 : d->id != id))
        d = d->next;
    return d;
}

static void add(segue_service *service, damaged_learner *d)
{
    (void)pthread_rwlock_wrlock(&service->learners_lock);
    damaged_learner **end = &service->damaged;
    while (*end)
        end = &(*end)->next;
    *end = d;
    (void)pthread_rwlock_unlock(&service->learners_lock);
    segue_service_report(
        service, "learner '%s' is damaged and is not served: %s; restore a backup or delete it",
        d->name, d->why);
}

segue_status segue_damage_add(segue_service *service, const segue_stored_learner *row,
                              const char *why, segue_error *err)
{
    damaged_learner *d = calloc(1, sizeof *d);
    if (!d)
        return segue_fail_no_memory(err, "a damaged learner");
    d->id = row->id;
    d->created = row->created;
    (void)snprintf(d->name, sizeof d->name, "%s", row->name);
    if (d->name[0] == '\0')
        (void)snprintf(d->name, sizeof d->name, "damaged-%" PRId64, row->id);
    (void)snprintf(d->why, sizeof d->why, "%s", why);
    add(service, d);
    return SEGUE_OK;
}

void segue_damage_resolve_names(segue_service *service)
{
    for (damaged_learner *d = service->damaged; d; d = d->next)
        if (segue_hash_map_find(&service->by_name, d->name, strlen(d->name)) ||
            find(service, d->name, 0) != d)
            (void)snprintf(d->name, sizeof d->name, "damaged-%" PRId64, d->id);
}

void segue_damage_fini(segue_service *service)
{
    (void)pthread_rwlock_wrlock(&service->learners_lock);
    while (service->damaged) {
        damaged_learner *d = service->damaged;
        service->damaged = d->next;
        free(d);
    }
    (void)pthread_rwlock_unlock(&service->learners_lock);
}

unsigned long long segue_damage_count(segue_service *service)
{
    unsigned long long count = 0;
    (void)pthread_rwlock_rdlock(&service->learners_lock);
    for (const damaged_learner *d = service->damaged; d; d = d->next)
        count++;
    (void)pthread_rwlock_unlock(&service->learners_lock);
    return count;
}

bool segue_damage_find(segue_service *service, const char *name, int64_t *id,
                       char why[SEGUE_ERROR_SIZE])
{
    (void)pthread_rwlock_rdlock(&service->learners_lock);
    const damaged_learner *d = find(service, name, *id);
    if (d) {
        *id = d->id;
        if (why)
            memcpy(why, d->why, SEGUE_ERROR_SIZE);
    }
    (void)pthread_rwlock_unlock(&service->learners_lock);
    return d != NULL;
}

void segue_damage_remove(segue_service *service, int64_t id)
{
    (void)pthread_rwlock_wrlock(&service->learners_lock);
    damaged_learner **at = &service->damaged;
    while (*at && (*at)->id != id)
        at = &(*at)->next;
    damaged_learner *gone = *at;
    if (gone)
        *at = gone->next;
    (void)pthread_rwlock_unlock(&service->learners_lock);
    free(gone);
}

/* ---- damage met while serving ------------------------------------------------------------ */

/* Its changes are stored, and memory lacks them: a start finds it damaged, too. */
void segue_damage_quarantine(segue_service *service, learner_state *state, const segue_error *why)
{
    segue_error none;
    learner_state *there = segue_service_find_id(service, state->id);
    segue_learner_state_release(there);
    if (there != state)
        return; /* deleted, or quarantined already */
    const segue_stored_learner row = {
        .id = state->id, .name = state->settings.name, .created = state->created};
    if (segue_damage_add(service, &row, why->message, &none) != SEGUE_OK)
        segue_service_fail(service, &none);
    segue_service_drop(service, state);
}

/* Report damage once, however often it is met, and other damage after a pause. */
static void report(segue_service *service, const segue_error *why)
{
    const double now = segue_service_time(service);
    (void)pthread_rwlock_wrlock(&service->learners_lock);
    const bool is_new = strcmp(service->reported, why->message) != 0 &&
                        (!service->reported[0] || now - service->reported_at >= REPORT_PAUSE);
    if (is_new) {
        memcpy(service->reported, why->message, sizeof service->reported);
        service->reported_at = now;
    }
    (void)pthread_rwlock_unlock(&service->learners_lock);
    if (is_new)
        segue_service_report(service, "a request failed: %s", why->message);
}

void segue_damage_respond_failed(segue_service *service, segue_status status,
                                 const segue_error *why, segue_response *response)
{
    if (status == SEGUE_EFILE)
        report(service, why);
    segue_response_fail(response, status == SEGUE_EFILE ? 500 : 503, "%s", why->message);
}

/* Run an operation again that did not meet the damage. */
static void run_again(operation *op)
{
    segue_bytes_fini(&op->response->body);
    op->response->status = 200;
    op->response->retry = 0;
    op->tries = 0;
    op->result = OP_REQUEUE;
}

void segue_damage_refuse(segue_service *service, operation *group, operation *culprit,
                         const segue_error *why)
{
    segue_store_rollback(service->store);
    for (operation *op = group; op; op = op->next) {
        segue_operation_rollback(service, op);
        op->result = OP_RESPONDED; /* jobs are found due again */
        if (op != culprit && op->response)
            run_again(op);
    }
    report(service, why);
    if (culprit->response)
        segue_response_fail(culprit->response, 500, "%s", why->message);
    else if (culprit->state) /* the job would fail again and again, and hold up the queue */
        segue_damage_quarantine(service, culprit->state, why);
    if (culprit->kind != &op_purge)
        segue_maintenance_enqueue_all(service);
}

/* ---- responses --------------------------------------------------------------------------- */

void segue_damage_respond_missing(segue_service *service, const char *name,
                                  segue_response *response)
{
    char why[SEGUE_ERROR_SIZE];
    int64_t id = 0;
    if (segue_damage_find(service, name, &id, why))
        segue_response_fail(response, 500, "learner '%.80s' is damaged and is not served: %s", name,
                            why);
    else if (service->cluster && !response->is_absent)
        segue_response_elsewhere(response);
    else
        segue_response_no_learner(response, name);
}

static void write_line(const damaged_learner *d, segue_bytes *b)
{
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "name", d->name);
    segue_json_write_text(b, "damaged", d->why);
    segue_json_write_text(b, "method", "");
    segue_response_capabilities(b, NULL);
    segue_json_write_bool(b, "paused", false);
    segue_json_write_raw(b, ",\"arms\":0,\"open\":0,\"closed\":0,\"rewards\":0,\"version\":0");
    segue_response_no_effect(b);
    segue_json_write_raw(b, ",\"types\":0,\"no_type\":0");
    segue_json_write_double(b, "created", d->created);
    segue_json_write_raw(b, "}");
}

void segue_damage_write_list(segue_service *service, bool begun, segue_bytes *b)
{
    (void)pthread_rwlock_rdlock(&service->learners_lock);
    for (const damaged_learner *d = service->damaged; d; d = d->next) {
        segue_json_write_raw(b, begun ? "," : "");
        begun = true;
        write_line(d, b);
    }
    (void)pthread_rwlock_unlock(&service->learners_lock);
}

void segue_damage_write_metric(segue_service *service, segue_bytes *b)
{
    segue_json_write_format(
        b,
        "# HELP segue_learners_damaged Learners that are not served: their rows in "
        "the store are damaged.\n# TYPE segue_learners_damaged gauge\n"
        "segue_learners_damaged %llu\n",
        segue_damage_count(service));
}
