/* model_history.h - the types of a learner at some of its versions, to show how they changed.
 *
 * A learner has a new version with almost every task.  Stored are those whose number is a multiple
 * of a stride, which doubles when there are too many.  The history is part of a snapshot, and is
 * updated after every event, by the service and by recovery.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_MODEL_HISTORY_H
#define SEGUE_SERVICE_STATE_MODEL_HISTORY_H

#include "segue/internal.h"
#include "segue/learner.h"

#define SEGUE_MAX_MODEL_VERSIONS 64
#define MODEL_HISTORY_TYPES      32 /* per version: the first ones */
#define MODEL_HISTORY_ARMS       64 /* per type: the first ones */

typedef struct model_version {
    uint64_t version, tasks; /* its number; closed tasks that it was learned from */
    double no_type;          /* share of tasks that fit no type */
    size_t n_types, n_arms;
    double *number; /* n_types weights, then n_types x n_arms means */
} model_version;

/** Copy the types that a learner has now; free with segue_model_history_version_fini.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_model_history_capture(model_version *out,
                                                          const segue_learner *learner,
                                                          segue_error *err);
void segue_model_history_version_fini(model_version *version);

/** All zeros: none. */
typedef struct segue_model_history {
    model_version entry[SEGUE_MAX_MODEL_VERSIONS]; /* the oldest first */
    size_t count;
    uint64_t stride; /* 0 stands for 1 */
} segue_model_history;

void segue_model_history_fini(segue_model_history *versions);

/** A copy; free it in both cases.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_model_history_copy(segue_model_history *out,
                                                       const segue_model_history *from,
                                                       segue_error *err);

/** Bytes of memory of their numbers. */
size_t segue_model_history_bytes(const segue_model_history *versions);

/** Add the current version of the learner, if it is new and a multiple of the stride.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_model_history_add(segue_model_history *versions,
                                                      const segue_learner *learner,
                                                      segue_error *err);

/** To bytes, and back; free them in both cases.
 * @retval SEGUE_EFILE  they cannot be
 * @retval SEGUE_ENOMEM */
void segue_model_history_serialize(const segue_model_history *versions, segue_bytes *b);
SEGUE_MUST_CHECK segue_status segue_model_history_deserialize(segue_model_history *versions,
                                                              segue_bytes_reader *r,
                                                              segue_error *err);

#endif
