/* postgresql_batch.c - rows of a table that wait to be inserted, as one array per column.
 *
 * A group of operations adds hundreds of rows.  They are sent as
 *
 *     INSERT INTO reward (task, number, ...) SELECT * FROM unnest($1::bigint[], $2::bigint[], ...)
 *
 * which is one statement and no round trip of its own, however many rows there are.  An array in
 * PostgreSQL's binary format is a header of 20 bytes (dimensions, whether there are NULLs, the type,
 * the length, the first index), then for each element its size, -1 for NULL, and its bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/postgresql/postgresql_batch.h"

#include <stdio.h>
#include <string.h>

#define HEADER 20 /* bytes of an array before its first element */

const postgresql_table segue_postgresql_batch_tables[SEGUE_N_TABLES + 1] = {
    [SEGUE_TABLE_META] = {"meta", "name, value", "", "", NULL},
    [SEGUE_TABLE_COUNTER] = {"counter", "name, seq", "", "", NULL},
    [SEGUE_TABLE_LEARNER] = {"learner", "id, name, config, created", "ittr", "id", NULL},
    [SEGUE_TABLE_ARM] = {"arm", "learner, position, name, added, retired, pulls, total", "iitrrir",
                         "learner, position", NULL},
    [SEGUE_TABLE_TASK] = {"task",
                          "id, learner, key, control, version, n_arms, opened, closed, "
                          "closed_seq, rewards, total, tag, control_share, features",
                          "iitiiirriirirt", "id", NULL},
    [SEGUE_TABLE_DECISION] = {"decision",
                              "task, number, arm, version, event, created, probability, exact, "
                              "segue_arm, segue_probability",
                              "iiiitrriir", "task, number", "(task, number) DO NOTHING"},
    [SEGUE_TABLE_REWARD] = {"reward",
                            "task, number, position, arm, value, created, by_default, "
                            "probability, asks, segue_arm, segue_probability",
                            "iiiirrirtir", "task, number", NULL},
    [SEGUE_TABLE_EVENT] = {"event", "seq, learner, kind, subject, created, epoch", "iiiiri", "seq",
                           NULL},
    [SEGUE_TABLE_INITIAL] = {"initial", "learner, bytes", "ib", "learner", NULL},
    [SEGUE_TABLE_CHAIN] = {"chain", "learner, seq, bytes", "iib", "learner, seq",
                           "(learner, seq) DO UPDATE SET bytes = excluded.bytes"},
    [SEGUE_TABLE_REMOVED] = {"removed", "task, learner, counts, bytes, erased", "iitbi", "task",
                             "(task) DO UPDATE SET counts = excluded.counts, bytes = "
                             "excluded.bytes, erased = excluded.erased"},
    [SEGUE_TABLE_BASE] = {"base", "learner, seq, bytes", "iib", "learner", NULL},
    [SEGUE_TABLE_REWARD_PART] = {"reward_part", "task, number, event, position, value, created",
                                 "iitirr", "task, number, event", NULL},
    [SEGUE_TABLE_MERGED] = {"merged", "learner, number, origins, bytes", "iitb", "learner, number",
                            NULL},
    [SEGUE_TABLE_SNAPSHOT] = {"snapshot", "learner, seq, bytes", "iib", "learner, seq",
                              "(learner, seq) DO UPDATE SET bytes = excluded.bytes"},
};

/* ---- elements ---------------------------------------------------------------------------- */

/* Numbers are sent with their highest byte first. */
static void append_number(segue_bytes *out, uint64_t value, size_t size)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> (8 * (size - 1 - i)));
    segue_bytes_append(out, bytes, size);
}

static void append_real(segue_bytes *out, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    append_number(out, 8, 4);
    append_number(out, bits, 8);
}

/* Append a value to a column of this type; false: it has another type.  A whole number may be in a
 * column of real ones. */
static bool append_value(segue_bytes *out, char type, const segue_value *value)
{
    static const char empty[1] = "";
    switch (value->type) {
    case SEGUE_VALUE_NULL:
        append_number(out, UINT32_MAX, 4);
        return true;
    case SEGUE_VALUE_INTEGER:
        if (type == 'r') {
            append_real(out, (double)value->integer);
        } else {
            append_number(out, 8, 4);
            append_number(out, (uint64_t)value->integer, 8);
        }
        return type == 'i' || type == 'r';
    case SEGUE_VALUE_REAL:
        append_real(out, value->real);
        return type == 'r';
    default:
        append_number(out, value->size, 4);
        segue_bytes_append(out, value->size ? value->data : empty, value->size);
        return type == (value->type == SEGUE_VALUE_TEXT ? 't' : 'b');
    }
}

segue_status segue_postgresql_batch_add(postgresql_batch *batch, segue_store_table table,
                                        const segue_table_row *row, size_t *bytes, segue_error *err)
{
    static const unsigned char header[HEADER] = {0};
    const postgresql_table *about = &segue_postgresql_batch_tables[table];
    for (size_t i = 0; i < row->n; i++) {
        segue_bytes *column = &batch->column[i];
        const size_t before = column->size;
        if (before == 0)
            segue_bytes_append(column, header, sizeof header);
        if (!append_value(column, about->types[i], &row->value[i]))
            return segue_fail(err, SEGUE_EFILE,
                              "table %s: value %zu of a row has another type than its column (%s)",
                              about->name, i + 1, about->columns);
        if (column->failed)
            return segue_fail_no_memory(err, "rows of a transaction");
        *bytes += column->size - before;
    }
    batch->n++;
    return SEGUE_OK;
}

/* ---- the statement ----------------------------------------------------------------------- */

static const char *array_of(char type)
{
    return type == 'i' ? "bigint[]" : type == 'r' ? "float8[]" : type == 't' ? "text[]" : "bytea[]";
}

/* The number of a type in PostgreSQL. */
static uint64_t number_of(char type)
{
    enum { BYTEA = 17, INT8 = 20, TEXT = 25, FLOAT8 = 701 };
    return type == 'i' ? INT8 : type == 'r' ? FLOAT8 : type == 't' ? TEXT : BYTEA;
}

void segue_postgresql_batch_finish_columns(postgresql_batch *batch, const char *types)
{
    for (size_t i = 0; types[i]; i++) {
        segue_bytes header = {.data = batch->column[i].data, .capacity = HEADER};
        append_number(&header, 1, 4); /* dimension */
        append_number(&header, 1, 4); /* there may be NULLs */
        append_number(&header, number_of(types[i]), 4);
        append_number(&header, batch->n, 4);
        append_number(&header, 1, 4); /* the first index */
    }
}

void segue_postgresql_batch_finish(postgresql_batch *batch, segue_store_table table)
{
    segue_postgresql_batch_finish_columns(batch, segue_postgresql_batch_tables[table].types);
}

void segue_postgresql_batch_clear(postgresql_batch *batch)
{
    batch->n = 0;
    for (size_t i = 0; i < SEGUE_MAX_COLUMNS; i++) {
        batch->column[i].size = 0;
        batch->column[i].failed = false;
    }
}

void segue_postgresql_batch_fini(postgresql_batch *batch)
{
    for (size_t i = 0; i < SEGUE_MAX_COLUMNS; i++)
        segue_bytes_fini(&batch->column[i]);
    batch->n = 0;
}

void segue_postgresql_batch_insert(segue_store_table table, char *out, size_t size)
{
    const postgresql_table *about = &segue_postgresql_batch_tables[table];
    size_t used = (size_t)snprintf(out, size, "INSERT INTO %s (%s) SELECT * FROM unnest(",
                                   about->name, about->columns);
    for (size_t i = 0; about->types[i]; i++)
        used += (size_t)snprintf(out + used, size - used, "%s$%zu::%s", i ? ", " : "", i + 1,
                                 array_of(about->types[i]));
    (void)snprintf(out + used, size - used, ")%s%s", about->conflict ? " ON CONFLICT " : "",
                   about->conflict ? about->conflict : "");
}
