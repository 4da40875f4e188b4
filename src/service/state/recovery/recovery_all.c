/* recovery_all.c - recover all learners of a store, one after the other (recovery_learner.c).
 *
 * Runs in the thread that starts the service or checks a store, before any other thread exists.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/recovery/recovery_all.h"

#include <inttypes.h>
#include <string.h>

#include "segue/internal.h"

typedef struct all {
    const segue_recovery_source *from;
    segue_recovery_callback seen;
    void *context;
    hash_map names; /* of the learners that are not damaged */
} all;

/* Two learners of one name cannot both be served: the first is. */
static segue_status recover_named(all *a, const segue_stored_learner *row,
                                  segue_recovery_result *found, segue_error *err)
{
    if (!row->damage && segue_hash_map_find(&a->names, row->name, strlen(row->name)))
        return segue_store_fail_damaged(err,
                                        "table learner, id %" PRId64 ", column name: another "
                                        "learner has it",
                                        row->id);
    const segue_status status = segue_recovery_learner(a->from, row, found, err);
    if (status != SEGUE_OK || segue_hash_map_set(&a->names, row->name, strlen(row->name), a))
        return status;
    segue_learner_state_release(found->state);
    found->state = NULL;
    return segue_fail_no_memory(err, "a learner");
}

/* Damage is reported to the callback and recovery goes on; other failures end it. */
static segue_status recover_row(all *a, const segue_stored_learner *row, segue_error *err)
{
    segue_error why = {.status = SEGUE_OK};
    segue_recovery_result found = {.row = row};
    const segue_status status = recover_named(a, row, &found, &why);
    if (status == SEGUE_ENOMEM || status == SEGUE_EIO)
        return segue_fail(err, status, "%s", why.message);
    if (status != SEGUE_OK)
        found.why = why.message;
    return a->seen(a->context, &found, err);
}

segue_status segue_recovery_all(const segue_recovery_source *recovery, segue_recovery_callback seen,
                                void *context, segue_error *err)
{
    all a = {.from = recovery, .seen = seen, .context = context};
    segue_hash_map_init(&a.names, recovery->key);
    segue_rows rows;
    segue_stored_learner row;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, recovery->store, &(segue_query){.kind = SEGUE_QUERY_LEARNERS}, err);
    while (status == SEGUE_OK && segue_rows_next_learner(&rows, &row))
        status = recover_row(&a, &row, err);
    status = segue_rows_close(&rows, status);
    segue_hash_map_fini(&a.names);
    return status;
}
