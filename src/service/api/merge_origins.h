/* merge_origins.h - where the tasks of a learner come from: itself, and learners merged into it.
 *
 * An origin is a text that names one learner of one store, on any machine.  An export carries its
 * own origin and those of the learners that were merged into it, so that a merge can tell whether
 * tasks would count twice.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_MERGE_ORIGINS_H
#define SEGUE_SERVICE_API_MERGE_ORIGINS_H

#include <jansson.h>

#include "service/state/learner_state.h"

#define SEGUE_ORIGIN_LENGTH 32   /* hexadecimal digits */
#define SEGUE_MAX_MERGES    1000 /* learners merged into one */
#define SEGUE_MAX_ORIGINS   2000 /* of one saved learner */

/** Write the origin of a learner; `key`: the store's.  It does not give the key away. */
void segue_merge_origins_own(const learner_state *state, const unsigned char key[16],
                             char out[SEGUE_ORIGIN_LENGTH + 1]);

/** Read the field "origins" of a request, if there is one: a new reference, or NULL.
 * @retval SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_merge_origins_read(json_t *body, json_t **out,
                                                       segue_error *err);

/** Write what the store keeps about a merge: the hash of the bytes, and their origins (NULL: not
 * known). */
void segue_merge_origins_write(const char *hash, const json_t *origins, segue_bytes *b);

/** The stored merges of a learner: their number, hashes and origins. */
typedef struct merge_list {
    uint64_t count;
    json_t *hashes;  /* an array of texts */
    json_t *origins; /* an object: each origin is a key, once, however often it was merged */
} merge_list;

/** Read them; free in both cases.  @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_merge_origins_list(segue_store *store, int64_t learner,
                                                       merge_list *out, segue_error *err);
void segue_merge_origins_fini(merge_list *list);

/** Return whether an array has a text. */
bool segue_merge_origins_has(const json_t *list, const char *text);

#endif
