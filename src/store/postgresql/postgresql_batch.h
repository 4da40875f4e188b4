/* postgresql_batch.h - rows of a table that wait to be inserted, as one array per column.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_POSTGRESQL_POSTGRESQL_BATCH_H
#define SEGUE_STORE_POSTGRESQL_POSTGRESQL_BATCH_H

#include "segue/internal.h"
#include "store/store_backend.h"

/* The columns of a table, and what an insert does if the row exists. */
typedef struct postgresql_table {
    const char *name, *columns;
    const char *types;    /* one letter per column: i integer, r real, t text, b bytes */
    const char *keys;     /* the columns that order it */
    const char *conflict; /* NULL: a row that exists is an error */
} postgresql_table;

extern const postgresql_table segue_postgresql_batch_tables[SEGUE_N_TABLES + 1];

typedef struct postgresql_batch {
    size_t n;
    segue_bytes column[SEGUE_MAX_COLUMNS]; /* each an array in PostgreSQL's binary format */
} postgresql_batch;

/* Add a row, and its size to *bytes.  @retval SEGUE_EFILE  a value has another type than its column
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_postgresql_batch_add(postgresql_batch *batch,
                                                         segue_store_table table,
                                                         const segue_table_row *row, size_t *bytes,
                                                         segue_error *err);

/* Finish the arrays, of a table or of these types; then column[i] is a parameter. */
void segue_postgresql_batch_finish(postgresql_batch *batch, segue_store_table table);
void segue_postgresql_batch_finish_columns(postgresql_batch *batch, const char *types);
void segue_postgresql_batch_clear(postgresql_batch *batch);
void segue_postgresql_batch_fini(postgresql_batch *batch);

/* Write the INSERT of a table, whose parameters are the arrays of its columns. */
void segue_postgresql_batch_insert(segue_store_table table, char *out, size_t size);

#endif
