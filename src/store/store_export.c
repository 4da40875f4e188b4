/* store_export.c - write a store as lines of JSON (store_format.h).
 *
 * {"segue_store":FORMAT}            first line
 * {"table":NAME,"row":[...]}        one line per row; bytes are {"hex":"..."}
 * {"rows":N}                        last line: shows that the export is complete
 *
 * One read transaction gives all rows of one moment. The file is written to a temporary file and
 * renamed, and is its owner's alone: it holds the key that signs decision ids. Snapshots are not
 * exported, since the event log gives them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/encode.h"
#include "segue/internal.h"
#include "store/store_format.h"

/* The number of columns is part of the format; import rejects rows of another length. */
const segue_store_format_table segue_store_format_tables[SEGUE_N_TABLES] = {
    [SEGUE_TABLE_META] = {"meta", 2},
    [SEGUE_TABLE_LEARNER] = {"learner", 4},
    [SEGUE_TABLE_ARM] = {"arm", 7},
    [SEGUE_TABLE_TASK] = {"task", 14},
    [SEGUE_TABLE_DECISION] = {"decision", 10},
    [SEGUE_TABLE_REWARD] = {"reward", 11},
    [SEGUE_TABLE_EVENT] = {"event", 6},
    [SEGUE_TABLE_INITIAL] = {"initial", 2},
    [SEGUE_TABLE_MERGED] = {"merged", 4},
    [SEGUE_TABLE_CHAIN] = {"chain", 3},
    [SEGUE_TABLE_REMOVED] = {"removed", 5},
    [SEGUE_TABLE_BASE] = {"base", 3},
    [SEGUE_TABLE_REWARD_PART] = {"reward_part", 6},
    [SEGUE_TABLE_COUNTER] = {"counter", 2},
};

/* JSON texts are UTF-8, which bytes need not be. */
static json_t *hex_of(const unsigned char *data, size_t size)
{
    char *text = malloc(2 * size + 1);
    if (!text)
        return NULL;
    segue_encode_hex(text, data, size);
    json_t *out = json_pack("{s:s#}", "hex", text, (int)(2 * size));
    free(text);
    return out;
}

static json_t *value_of(const segue_value *value)
{
    switch (value->type) {
    case SEGUE_VALUE_INTEGER:
        return json_integer(value->integer);
    case SEGUE_VALUE_REAL:
        return json_real(value->real);
    case SEGUE_VALUE_TEXT:
        return json_stringn(value->data, value->size);
    case SEGUE_VALUE_BYTES:
        return hex_of(value->data, value->size);
    case SEGUE_VALUE_NULL:
        break;
    }
    return json_null();
}

/* Return the line of a row, for free(); NULL: out of memory. */
static char *line_of(const char *table, const segue_table_row *row)
{
    json_t *values = json_array();
    bool fine = values != NULL;
    for (size_t i = 0; fine && i < row->n; i++)
        fine = json_array_append_new(values, value_of(&row->value[i])) == 0;
    json_t *line = fine ? json_pack("{s:s,s:O}", "table", table, "row", values) : NULL;
    char *text = line ? json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(line);
    json_decref(values);
    return text;
}

static segue_status write_row(const char *table, const segue_table_row *row, atomic_file *out,
                              segue_error *err)
{
    char *text = line_of(table, row);
    if (!text)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a row of table %s", table);
    segue_atomic_file_append(out, text, strlen(text));
    segue_atomic_file_append(out, "\n", 1);
    free(text);
    return SEGUE_OK;
}

typedef bool (*stop_function)(void);

static bool never(void)
{
    return false;
}

/* Write all rows of a table.  A failed write is reported by segue_atomic_file_commit. */
static segue_status write_table(segue_store *store, int64_t table, atomic_file *out, size_t *count,
                                stop_function stopped, segue_error *err)
{
    const char *name = segue_store_format_tables[table].name;
    segue_rows rows;
    segue_table_row row;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_TABLE, .id = table}, err);
    while (status == SEGUE_OK && out->code == 0) {
        if (stopped())
            status = segue_fail(err, SEGUE_ESTOPPED, "stopped, and nothing was written");
        else if (!segue_rows_next_values(&rows, &row))
            break;
        else
            status = write_row(name, &row, out, err);
        ++*count;
    }
    return segue_rows_close(&rows, status);
}

static segue_status write_tables(segue_store *store, atomic_file *out, stop_function stopped,
                                 segue_error *err)
{
    char line[64];
    size_t rows = 0;
    segue_atomic_file_append(
        out, line,
        (size_t)snprintf(line, sizeof line, "{\"segue_store\":%d}\n", SEGUE_STORE_FORMAT));
    SEGUE_TRY(segue_store_begin_read(store, err));
    segue_status status = SEGUE_OK;
    for (int64_t i = 0; i < SEGUE_N_TABLES && status == SEGUE_OK; i++)
        status = write_table(store, i, out, &rows, stopped, err);
    segue_store_rollback(store);
    segue_atomic_file_append(out, line,
                             (size_t)snprintf(line, sizeof line, "{\"rows\":%zu}\n", rows));
    return status;
}

segue_status segue_store_export(segue_store *store, const char *path, bool (*stopped)(void),
                                segue_error *err)
{
    atomic_file out;
    SEGUE_TRY(segue_atomic_file_begin(&out, path, 0600, err));
    segue_atomic_file_remove_stale(&out); /* they may hold the key of this store */
    const segue_status status = write_tables(store, &out, stopped ? stopped : never, err);
    if (status == SEGUE_OK)
        return segue_atomic_file_commit(&out, err);
    segue_atomic_file_rollback(&out);
    return status;
}
