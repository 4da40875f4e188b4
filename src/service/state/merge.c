/* merge.c - merge a learner with a saved one, in the service and in recovery.
 *
 * The store has the bytes as they came, and the event log says when: so recovery merges the same
 * learners in the same order.  Cost: deserializing the saved learner, and one refit.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/merge.h"

#include <inttypes.h>
#include <stdlib.h>

segue_status segue_merge_bytes(segue_learner *learner, const void *data, size_t size,
                               segue_error *err)
{
    segue_learner *from = NULL;
    SEGUE_TRY(segue_learner_deserialize(&from, data, size, "the saved learner", err));
    const segue_status status = segue_learner_merge(learner, from, err);
    segue_learner_destroy(from);
    return status;
}

segue_status segue_merge_try(const segue_learner *learner, const void *data, size_t size,
                             segue_error *err)
{
    segue_bytes b = {.data = NULL};
    segue_learner *copy = NULL;
    segue_learner_serialize(learner, &b);
    segue_status status =
        b.failed ? segue_fail_no_memory(err, "a copy of a learner")
                 : segue_learner_deserialize(&copy, b.data, b.size, "a copy of the learner", err);
    segue_bytes_fini(&b);
    if (status == SEGUE_OK)
        status = segue_merge_bytes(copy, data, size, err);
    segue_learner_destroy(copy);
    return status;
}

segue_status segue_merge_stored(segue_store *store, int64_t id, uint64_t number,
                                segue_learner *learner, segue_error *err)
{
    void *data = NULL;
    size_t size = 0;
    SEGUE_TRY(segue_store_read_merged(store, id, number, &data, &size, err));
    if (!data)
        return segue_store_fail_damaged(
            err, "the learner that was merged as number %" PRIu64 " is missing (table merged)",
            number);
    const segue_status status = segue_merge_bytes(learner, data, size, err);
    free(data);
    return status;
}
