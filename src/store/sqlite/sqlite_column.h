/* sqlite_column.h - one row of a result, validated column by column.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_SQLITE_SQLITE_COLUMN_H
#define SEGUE_STORE_SQLITE_SQLITE_COLUMN_H

#include "store/sqlite/sqlite.h"

#define SEGUE_MAX_LEARNER_ID UINT32_MAX         /* the largest id of a learner */
#define SEGUE_MAX_ROW_ID     (INT64_C(1) << 62) /* of a task or an event: others must follow it */
#define SEGUE_MAX_ROW_ARMS   65536              /* arms that a decision can name */
#define SEGUE_MAX_ROW_TEXT   ((size_t)1 << 28)  /* bytes of a learner's settings */

/* The current row of a statement. */
typedef struct sql_row {
    sqlite3_stmt *sql;
    const char *table;
    int keys;            /* number of first columns that identify the row */
    segue_status status; /* of the first column that failed; then `err` has the sentence */
    segue_error *err;
} sql_row;

bool segue_sqlite_column_is_null(const sql_row *row, int column);
int64_t segue_sqlite_column_integer(sql_row *row, int column, int64_t min, int64_t max);
uint64_t segue_sqlite_column_count(sql_row *row, int column); /* at most 2^53: exact as a double */
bool segue_sqlite_column_flag(sql_row *row, int column);
double segue_sqlite_column_real(sql_row *row, int column); /* finite */
/* Well-formed UTF-8 of 1 to `max` bytes, none of them 0; valid until the next step. */
const char *segue_sqlite_column_text(sql_row *row, int column, size_t max);
const void *segue_sqlite_column_blob(sql_row *row, int column, size_t *size);
/* Reject a column that is valid alone, but not with the others. */
void segue_sqlite_column_fail(sql_row *row, int column, const char *need);

#endif
