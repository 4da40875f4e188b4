/* store_format.h - the exported form of a store: lines of JSON.
 *
 *   {"segue_store": 6}
 *   {"table": "reward", "row": [1, 4294967296, 0, 2, 1.0, 1763270000.5, 0, null]}
 *   {"rows": 1}
 *
 * The last line counts the rows: a file without it was cut off.  Bytes are {"hex": "00ff"}.  Real
 * numbers keep their point, and come back bit for bit.  The table "counter" has the largest ids
 * that were given out, also to deleted rows: no id is given twice, so that a decision of a deleted
 * task cannot count for another.  Snapshots are not exported: the event log leads to the same
 * learners, and a snapshot can be longer than any line should be.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_STORE_FORMAT_H
#define SEGUE_STORE_STORE_FORMAT_H

#include "store/store_backend.h"

#define SEGUE_MAX_EXPORT_LINE (1 << 28) /* bytes */

/* A table as exports name it, in the order of segue_store_table. */
typedef struct segue_store_format_table {
    const char *name;
    size_t n_columns;
} segue_store_format_table;

extern const segue_store_format_table segue_store_format_tables[SEGUE_N_TABLES];

#endif
