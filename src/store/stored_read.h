/* stored_read.h - rows of a result to structs.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_STORED_READ_H
#define SEGUE_STORE_STORED_READ_H

#include "store/column.h"

/* Read a row of any query but SEGUE_QUERY_TABLE into `out`, a segue_stored_... of the query.  The
 * backend fills in how a value is read, and `err`.  Its columns are those of the SELECTs of
 * sqlite_statements.h, in that order. */
SEGUE_MUST_CHECK segue_status segue_stored_read(segue_rows *rows, store_row *row, void *out);

/* The parameter `number` of a query, as a database's integer. */
int64_t segue_stored_read_number(const segue_query *query);

#endif
