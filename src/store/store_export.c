/* store_export.c - a store as lines of JSON, and back.
 *
 *   {"segue_store": 2}
 *   {"table": "reward", "row": [1, 4294967296, 0, 2, 1.0, 1763270000.5, 0]}
 *   {"rows": 1}
 *
 * The last line counts the rows: a file without it was cut off.
 * The numbers that were given to learners and tasks, also to those that are gone, come along, so
 * that none is given again: a decision of a deleted one must not count for another.  Format 1 had
 * not got them, and its next numbers are far off.  Bytes are written as {"hex": "00ff"}.  Real
 * numbers keep their point, and come back bit for bit.
 *
 * Snapshots stay behind: the journal leads to the same learners, and a snapshot can be longer than
 * any line should be.  Those in older exports are skipped.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/encode.h"
#include "segue/internal.h"
#include "store/sqlite/sqlite.h"

#define LONGEST_LINE (1 << 28)

/* In the order of filling; the order of the columns is the schema's. */
static const char *const tables[] = {"meta",   "learner", "arm",      "task",           "decision",
                                     "reward", "journal", "snapshot", "sqlite_sequence"};
enum { TABLES = sizeof tables / sizeof *tables, SEQUENCE = TABLES - 1, SNAPSHOT = TABLES - 2 };

/* How many columns they have, by format. */
static const size_t columns[SEGUE_STORE_FORMAT + 1][TABLES] = {
    [1] = {2, 4, 7, 11, 6, 7, 5, 3, 0},
    [2] = {2, 4, 7, 11, 8, 7, 5, 3, 2},
    [3] = {2, 4, 7, 12, 8, 7, 5, 3, 2},
};

/* ---- writing ----------------------------------------------------------------------------- */

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

/* A value that JSON can hold; NULL: `row` says why it cannot. */
static json_t *value_of(sql_row *row, int column)
{
    sqlite3_stmt *sql = row->sql;
    size_t size = 0;
    const void *data = NULL;
    switch (sqlite3_column_type(sql, column)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(sql, column));
    case SQLITE_FLOAT:
        return json_real(segue_sqlite_row_real(row, column));
    case SQLITE_TEXT: /* that of a learner which is being removed is empty */
        return sqlite3_column_bytes(sql, column) == 0
                   ? json_string("")
                   : json_string(segue_sqlite_row_text(row, column, LONGEST_LINE));
    case SQLITE_BLOB:
        data = segue_sqlite_row_blob(row, column, &size);
        return hex_of(data, size);
    default:
        return json_null();
    }
}

static segue_status write_row(sqlite3_stmt *sql, const char *table, atomic_file *out,
                              segue_error *err)
{
    sql_row row = {.sql = sql, .table = table, .keys = 1, .err = err};
    json_t *values = json_array();
    bool fine = true;
    for (int i = 0; fine && i < sqlite3_column_count(sql); i++)
        fine = json_array_append_new(values, value_of(&row, i)) == 0 && row.status == SEGUE_OK;
    json_t *line = fine ? json_pack("{s:s,s:o}", "table", table, "row", values) : NULL;
    if (!fine)
        json_decref(values);
    char *text = line ? json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(line);
    if (!text)
        return row.status != SEGUE_OK
                   ? row.status
                   : segue_fail(err, SEGUE_ENOMEM, "out of memory for a row of table %s", table);
    segue_atomic_file_append(out, text, strlen(text));
    segue_atomic_file_append(out, "\n", 1);
    free(text);
    return SEGUE_OK;
}

/* Who is to be asked whether to give up; it is never NULL. */
typedef bool (*stop_function)(void);

static bool never(void)
{
    return false;
}

static segue_status write_table(segue_store *store, const char *table, atomic_file *out,
                                size_t *rows, stop_function stopped, segue_error *err)
{
    char text[64];
    sqlite3_stmt *sql = NULL;
    int code = SQLITE_ROW;
    segue_status status = SEGUE_OK;
    (void)snprintf(text, sizeof text, "SELECT * FROM %s", table);
    if (sqlite3_prepare_v2(store->db, text, -1, &sql, NULL) != SQLITE_OK)
        return segue_sqlite_fail(store, err);
    for (; status == SEGUE_OK && out->code == 0; ++*rows) {
        if (stopped())
            status = segue_fail(err, SEGUE_ESTOPPED, "stopped, and nothing was written");
        else if ((code = sqlite3_step(sql)) != SQLITE_ROW)
            break;
        else
            status = write_row(sql, table, out, err);
    }
    if (status == SEGUE_OK && out->code == 0 && code != SQLITE_DONE)
        status = segue_sqlite_fail(store, err);
    (void)sqlite3_finalize(sql);
    return status; /* whether it was written is said at the end */
}

static segue_status write_tables(segue_store *store, atomic_file *out, stop_function stopped,
                                 segue_error *err)
{
    char line[64];
    size_t rows = 0;
    segue_atomic_file_append(
        out, line,
        (size_t)snprintf(line, sizeof line, "{\"segue_store\":%d}\n", SEGUE_STORE_FORMAT));
    segue_status status = segue_store_begin_read(store, err);
    for (size_t i = 0; i < TABLES && status == SEGUE_OK; i++)
        if (i != SNAPSHOT)
            status = write_table(store, tables[i], out, &rows, stopped, err);
    segue_store_rollback(store);
    segue_atomic_file_append(out, line,
                             (size_t)snprintf(line, sizeof line, "{\"rows\":%zu}\n", rows));
    return status;
}

segue_status segue_store_export(segue_store *store, const char *path, bool (*stopped)(void),
                                segue_error *err)
{
    atomic_file out;
    segue_status status = segue_atomic_file_begin(&out, path, 0600, err);
    if (status != SEGUE_OK)
        return status;
    segue_atomic_file_remove_stale(&out); /* others may have the key of this store in them */
    status = write_tables(store, &out, stopped ? stopped : never, err);
    if (status == SEGUE_OK)
        return segue_atomic_file_commit(&out, err);
    segue_atomic_file_rollback(&out);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------- */

typedef struct importer {
    segue_store *store;
    const char *path;
    int64_t format; /* of the file */
    size_t line, rows;
    bool whole; /* the last line was there */
    sqlite3_stmt *insert[TABLES];
} importer;

static segue_status wrong(const importer *in, const char *what, segue_error *err)
{
    return segue_fail(err, SEGUE_EFILE, "%s: line %zu: %s", segue_path_tail(in->path), in->line,
                      what);
}

/* Bind bytes; false: it is not hex, or memory ran out. */
static bool bind_hex(sqlite3_stmt *sql, int place, const char *text)
{
    const size_t size = text ? strlen(text) / 2 : 0;
    unsigned char *data = malloc(size + 1);
    const bool fine = text && data && strlen(text) == 2 * size &&
                      segue_encode_hex_decode(data, text, size) &&
                      sqlite3_bind_blob64(sql, place, data, size, SQLITE_TRANSIENT) == SQLITE_OK;
    free(data);
    return fine;
}

static bool bind_value(sqlite3_stmt *sql, int place, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_INTEGER:
        return sqlite3_bind_int64(sql, place, json_integer_value(value)) == SQLITE_OK;
    case JSON_REAL:
        return sqlite3_bind_double(sql, place, json_real_value(value)) == SQLITE_OK;
    case JSON_STRING:
        return sqlite3_bind_text(sql, place, json_string_value(value), -1, SQLITE_TRANSIENT) ==
               SQLITE_OK;
    case JSON_NULL:
        return sqlite3_bind_null(sql, place) == SQLITE_OK;
    case JSON_OBJECT:
        return bind_hex(sql, place, json_string_value(json_object_get(value, "hex")));
    default:
        return false;
    }
}

/* The place of a table, or TABLES. */
static size_t find_table(const char *name)
{
    size_t i = 0;
    while (i < TABLES && (!name || strcmp(tables[i], name) != 0))
        i++;
    return i;
}

/* The statement that fills a table; a value that a row does not have is NULL. */
static sqlite3_stmt *insert_into(importer *in, size_t table)
{
    char text[128];
    if (!in->insert[table]) {
        int used =
            snprintf(text, sizeof text, "INSERT OR REPLACE INTO %s VALUES (?", tables[table]);
        for (size_t c = 1; c < columns[SEGUE_STORE_FORMAT][table]; c++)
            used += snprintf(text + used, sizeof text - (size_t)used, ",?");
        (void)snprintf(text + used, sizeof text - (size_t)used, ")");
        (void)sqlite3_prepare_v2(in->store->db, text, -1, &in->insert[table], NULL);
    }
    return in->insert[table];
}

static segue_status read_row(importer *in, const json_t *line, segue_error *err)
{
    const size_t table = find_table(json_string_value(json_object_get(line, "table")));
    const json_t *row = json_object_get(line, "row");
    if (table == TABLES || !json_is_array(row) || json_array_size(row) == 0 ||
        json_array_size(row) != columns[in->format][table])
        return wrong(in, "is not the row of a table of a store", err);
    in->rows++;
    if (table == SNAPSHOT)
        return SEGUE_OK;
    if (table == SEQUENCE && !in->insert[table]) { /* what the rows before have made of it */
        const segue_status status =
            segue_sqlite_execute(in->store, "DELETE FROM sqlite_sequence", err);
        if (status != SEGUE_OK)
            return status;
    }
    sqlite3_stmt *sql = insert_into(in, table);
    if (!sql)
        return segue_sqlite_fail(in->store, err);
    for (size_t i = 0; i < json_array_size(row); i++)
        if (!bind_value(sql, (int)i + 1, json_array_get(row, i)))
            return wrong(in, "a value of the row is of no known kind, or there is no memory for it",
                         err);
    return segue_sqlite_run(in->store, sql, err);
}

static segue_status read_first(importer *in, const json_t *format, segue_error *err)
{
    in->format = json_integer_value(format);
    return in->format > 0 && in->format <= SEGUE_STORE_FORMAT
               ? SEGUE_OK
               : wrong(in, "is not the first line of an exported store, or of a newer one", err);
}

static segue_status read_last(importer *in, const json_t *rows, segue_error *err)
{
    in->whole = json_is_integer(rows) && json_integer_value(rows) == (json_int_t)in->rows;
    return in->whole ? SEGUE_OK
                     : wrong(in, "counts other rows than there are; export the store again", err);
}

static segue_status read_line(importer *in, const char *text, size_t size, segue_error *err)
{
    json_error_t why;
    json_t *line = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
    const json_t *rows = json_object_get(line, "rows");
    segue_status status = SEGUE_OK;
    if (!json_is_object(line))
        status = wrong(in, "is not an object of JSON", err);
    else if (in->whole)
        status = wrong(in, "is behind the last line, which counts the rows", err);
    else if (in->line > 1)
        status = rows ? read_last(in, rows, err) : read_row(in, line, err);
    else
        status = read_first(in, json_object_get(line, "segue_store"), err);
    json_decref(line);
    return status;
}

static segue_status read_lines(importer *in, FILE *file, segue_error *err)
{
    segue_bytes b = {.data = NULL};
    segue_status status = SEGUE_OK;
    int c = 0;
    while (status == SEGUE_OK && c != EOF) {
        c = getc(file);
        if (c != '\n' && c != EOF) {
            const unsigned char byte = (unsigned char)c;
            segue_bytes_append(&b, &byte, 1);
            if (b.failed || b.size > LONGEST_LINE)
                status = wrong(in, "is too long", err);
            continue;
        }
        if (b.size > 0) {
            in->line++;
            status = read_line(in, (const char *)b.data, b.size, err);
        }
        b.size = 0;
    }
    if (status == SEGUE_OK && (ferror(file) || in->line == 0))
        status = segue_fail(err, SEGUE_EFILE, "%s: %s", segue_path_tail(in->path),
                            in->line == 0 ? "is empty" : "reading failed");
    else if (status == SEGUE_OK && !in->whole)
        status = wrong(in, "is the last, and does not count the rows: the file was cut off", err);
    segue_bytes_fini(&b);
    return status;
}

/* A new store has nothing but its key. */
static segue_status must_be_new(segue_store *store, segue_error *err)
{
    sqlite3_stmt *sql = NULL;
    if (sqlite3_prepare_v2(store->db, "SELECT count(*) FROM learner", -1, &sql, NULL) !=
            SQLITE_OK ||
        sqlite3_step(sql) != SQLITE_ROW) {
        const segue_status status = segue_sqlite_fail(store, err);
        (void)sqlite3_finalize(sql);
        return status;
    }
    const bool is_new = sqlite3_column_int64(sql, 0) == 0;
    (void)sqlite3_finalize(sql);
    return is_new
               ? SEGUE_OK
               : segue_fail(err, SEGUE_EFILE, "%s: has learners already; import into a new store",
                            segue_path_tail(store->path));
}

segue_status segue_store_import(segue_store *store, const char *path, segue_error *err)
{
    importer in = {.store = store, .path = path};
    segue_status status = must_be_new(store, err);
    FILE *file = status == SEGUE_OK ? fopen(path, "rb") : NULL;
    if (status == SEGUE_OK && !file)
        status = segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_path_tail(path),
                            strerror(errno));
    if (status == SEGUE_OK)
        status = segue_store_begin(store, err);
    if (status == SEGUE_OK)
        status = read_lines(&in, file, err);
    if (status == SEGUE_OK && in.format < 3)
        status = segue_sqlite_execute(store, SEGUE_SQL_EMPTY_DELETED, err);
    if (status == SEGUE_OK && !in.insert[SEQUENCE])
        status = segue_sqlite_execute(store, "UPDATE sqlite_sequence SET seq = seq + 1000000", err);
    for (size_t i = 0; i < TABLES; i++)
        (void)sqlite3_finalize(in.insert[i]);
    if (status == SEGUE_OK)
        status = segue_store_commit(store, err);
    if (status != SEGUE_OK)
        segue_store_rollback(store);
    if (file)
        (void)fclose(file);
    return status;
}
