/* damage.h - quarantined learners, and damage that a request meets.
 *
 * A learner is quarantined when it cannot be recovered at the start, or when a stored change cannot
 * be applied because its rows are damaged.  It is listed with the reason and can be deleted; all
 * else about it gets 500.  The other learners are served.  A request that meets a
 * damaged row of a learner that is served gets 500, and nothing has changed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_DAMAGE_H
#define SEGUE_SERVICE_ENGINE_DAMAGE_H

#include "service/engine/service_internal.h"

struct damaged_learner {
    damaged_learner *next; /* guarded by the service's learners_lock, as all of it */
    int64_t id;
    double created;
    char name[SEGUE_MAX_NAME_SIZE + 1]; /* the stored one, or "damaged-ID" where that is unusable */
    char why[SEGUE_ERROR_SIZE];
};

/** Add a learner that could not be recovered, and report it.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_damage_add(segue_service *service,
                                               const segue_stored_learner *row, const char *why,
                                               segue_error *err);

/** Give names to those whose name another one has; after all were added. */
void segue_damage_resolve_names(segue_service *service);
/** Empty the list. */
void segue_damage_fini(segue_service *service);

/** Set a learner apart that is served. */
void segue_damage_quarantine(segue_service *service, learner_state *state, const segue_error *why);

/** How many there are; their lines in the list of learners, whose earlier lines `begun` says. */
unsigned long long segue_damage_count(segue_service *service);
void segue_damage_write_list(segue_service *service, bool begun, segue_bytes *b);
void segue_damage_write_metric(segue_service *service, segue_bytes *b);

/** Find one by its name, or by its id (name NULL): fills in the id and `why`, if not NULL. */
bool segue_damage_find(segue_service *service, const char *name, int64_t *id,
                       char why[SEGUE_ERROR_SIZE]);
/** It was deleted. */
void segue_damage_remove(segue_service *service, int64_t id);

/** Respond about a learner that is not served: 500 if it is quarantined; 421 if another server may
 * have it; else 404. */
void segue_damage_respond_missing(segue_service *service, const char *name,
                                  segue_response *response);

/** Respond that the store could not be read: 500 and a report if it is damaged, else 503. */
void segue_damage_respond_failed(segue_service *service, segue_status status,
                                 const segue_error *why, segue_response *response);

/** A transaction met damage in one operation: roll back, refuse that one, and queue the others
 * again. */
void segue_damage_refuse(segue_service *service, operation *group, operation *culprit,
                         const segue_error *why);

#endif
