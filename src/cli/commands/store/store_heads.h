/* store_heads.h - the newest hash of each learner's hash chain, and hashes that were noted.
 *
 * A hash covers all events before it.  So a noted hash that is still in a chain that was verified
 * shows that nothing before it changed; one that is missing, that events were replaced or cut off.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_STORE_STORE_HEADS_H
#define SEGUE_CLI_COMMANDS_STORE_STORE_HEADS_H

#include "cli/output.h"
#include "service/state/recovery/store_check.h"
#include "store/stored.h"

/** A hash of a chain. */
typedef struct cli_store_hash {
    unsigned char hash[SEGUE_DIGEST_SIZE];
    char *learner;  /* NULL: of none, yet */
    uint64_t event; /* 0: the learner at its creation */
} cli_store_hash;

typedef struct cli_store_heads {
    cli_store_hash *head; /* of each sound learner */
    size_t n_heads;
    cli_store_hash *expected; /* hashes that a chain must have */
    size_t n_expected;
    const char *store;              /* its name */
    segue_store_check_result found; /* counts */
} cli_store_heads;

/** Parse --expect: hashes, with commas between them; NULL: none.  Free `out` also after a failure.
 * @retval SEGUE_EUSAGE, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status cli_store_heads_init(cli_store_heads *out, const char *expected,
                                                   segue_error *err);
void cli_store_heads_fini(cli_store_heads *heads);

/** Add the head of a sound learner, and find expected hashes in its chain. */
SEGUE_MUST_CHECK segue_status cli_store_heads_add(cli_store_heads *heads, segue_store *store,
                                                  const segue_stored_learner *row,
                                                  segue_error *err);

/** Fail unless all expected hashes were found.  @retval SEGUE_EFILE */
SEGUE_MUST_CHECK segue_status cli_store_heads_compare(const cli_store_heads *heads,
                                                      segue_error *err);

/** Print that the store is sound, and the heads. */
SEGUE_MUST_CHECK segue_status cli_store_heads_print(const cli_store_heads *heads, cli_format format,
                                                    segue_error *err);

/** Print the line that a store is sound. */
void cli_store_heads_print_sound(FILE *out, const char *store,
                                 const segue_store_check_result *found);

#endif
