/* column.h - one row of a result, validated column by column; a backend says how a value is read.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_COLUMN_H
#define SEGUE_STORE_COLUMN_H

#include "store/store_backend.h"

#define SEGUE_MAX_LEARNER_ID UINT32_MAX         /* the largest id of a learner */
#define SEGUE_MAX_ROW_ID     (INT64_C(1) << 62) /* of a task or an event: others must follow it */
#define SEGUE_MAX_ROW_ARMS   65536              /* arms that a decision can name */
#define SEGUE_MAX_ROW_TEXT   ((size_t)1 << 28)  /* bytes of a learner's settings */

/* The current row of a result. */
typedef struct store_row store_row;
struct store_row {
    segue_value (*value)(const store_row *row, int column); /* valid until the next row */
    const char *(*title)(const store_row *row, int column); /* NULL: out of memory */
    void *source;                                           /* the backend's: a result ... */
    int index;                                              /* ... and the row in it, if any */
    const char *table;
    int keys;            /* number of first columns that identify the row */
    segue_status status; /* of the first column that failed; then `err` has the sentence */
    segue_error *err;
};

bool segue_column_is_null(const store_row *row, int column);
/* The number of a column that was found by its value, so that it needs no check; 0 if it is none. */
int64_t segue_column_key(const store_row *row, int column);
int64_t segue_column_integer(store_row *row, int column, int64_t min, int64_t max);
uint64_t segue_column_count(store_row *row, int column); /* at most 2^53: exact as a double */
bool segue_column_flag(store_row *row, int column);
double segue_column_real(store_row *row, int column); /* finite */
/* Well-formed UTF-8 of 1 to `max` bytes, none of them 0; valid until the next step. */
const char *segue_column_text(store_row *row, int column, size_t max);
const void *segue_column_blob(store_row *row, int column, size_t *size);
/* Read the columns of a row of any table, each validated alone. */
SEGUE_MUST_CHECK segue_status segue_column_values(store_row *row, segue_table_row *out);
/* Reject a column that is valid alone, but not with the others. */
void segue_column_fail(store_row *row, int column, const char *need);

#endif
