/* versions.h - what a learner taught at some of its versions, so that people see how types changed.
 *
 * A learner has a new version with almost every task; kept are those whose number is a multiple of
 * a stride, which doubles when there are too many.  They are part of a snapshot, and noted after
 * every event of the journal, live and when it is read again: the same events leave the same
 * versions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVE_VERSIONS_H
#define SEGUE_SERVE_VERSIONS_H

#include "core/bytes.h"
#include "segue/learner.h"

#define VERSIONS_MOST  64
#define VERSIONS_TYPES 32 /* of a version, and ... */
#define VERSIONS_ARMS  64 /* ... of a type: the first ones; more are not looked at by people */

typedef struct past_version {
    uint64_t version, tasks; /* its number; closed tasks that it was made from */
    double none;             /* share of tasks that fit no type */
    size_t n_types, n_arms;
    double *number; /* n_types weights, then n_types x n_arms means */
} past_version;

/** What a learner teaches now; free it with segue_past_fini.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_past_take(past_version *out, const segue_learner *learner,
                                              segue_error *err);
void segue_past_fini(past_version *version);

/** All zeros: none. */
typedef struct segue_versions {
    past_version entry[VERSIONS_MOST]; /* the oldest first */
    size_t count;
    uint64_t stride; /* 0 stands for 1 */
} segue_versions;

void segue_versions_fini(segue_versions *versions);

/** A copy; free it in both cases.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_versions_copy(segue_versions *out, const segue_versions *from,
                                                  segue_error *err);

/** Bytes of memory of their numbers. */
size_t segue_versions_bytes(const segue_versions *versions);

/** An event may have made a new version of the learner: keep it, if it is one to be kept.
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_versions_note(segue_versions *versions,
                                                  const segue_learner *learner, segue_error *err);

/** To bytes, and back; free them in both cases.
 * @retval SEGUE_EFILE  they cannot be
 * @retval SEGUE_ENOMEM */
void segue_versions_put(const segue_versions *versions, bytes *b);
SEGUE_MUST_CHECK segue_status segue_versions_get(segue_versions *versions, reader *r,
                                                 segue_error *err);

#endif
