/* store_import.c - fill a new store from an export (store_format.h).
 *
 * The import is one transaction: it loads every line or nothing. An export of another format is
 * rejected, and so is one without its last line, which counts the rows. Values are checked by type
 * here; `segue store import` checks their meaning afterwards, as `segue store check` does.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/encode.h"
#include "segue/internal.h"
#include "store/store_format.h"

typedef struct importer {
    segue_store *store;
    const char *path;
    size_t line, rows;
    bool complete;        /* the last line was read */
    segue_bytes text;     /* of the current line */
    unsigned char *bytes; /* of the current row, which has one value of bytes at most */
} importer;

/* Fail with file and line. */
static segue_status fail_line(const importer *in, const char *what, segue_error *err)
{
    return segue_fail(err, SEGUE_EFILE, "%s: line %zu: %s", segue_path_tail(in->path), in->line,
                      what);
}

/* ---- values ------------------------------------------------------------------------------ */

/* Decode hexadecimal digits to in->bytes; false: they are none, or out of memory. */
static bool read_hex(importer *in, const char *text, segue_value *out)
{
    if (!text)
        return false;
    const size_t size = strlen(text) / 2;
    unsigned char *data = realloc(in->bytes, size + 1);
    if (!data)
        return false;
    in->bytes = data;
    *out = (segue_value){.type = SEGUE_VALUE_BYTES, .data = data, .size = size};
    return strlen(text) == 2 * size && segue_encode_hex_decode(data, text, size);
}

/* Texts are borrowed from the parsed line; they live until the row is loaded. */
static bool read_value(importer *in, const json_t *value, segue_value *out)
{
    *out = (segue_value){.type = SEGUE_VALUE_NULL};
    switch (json_typeof(value)) {
    case JSON_INTEGER:
        out->type = SEGUE_VALUE_INTEGER;
        out->integer = json_integer_value(value);
        return true;
    case JSON_REAL:
        out->type = SEGUE_VALUE_REAL;
        out->real = json_real_value(value);
        return true;
    case JSON_STRING:
        out->type = SEGUE_VALUE_TEXT;
        out->data = json_string_value(value);
        out->size = json_string_length(value);
        return true;
    case JSON_NULL:
        return true;
    case JSON_OBJECT:
        return read_hex(in, json_string_value(json_object_get(value, "hex")), out);
    default:
        return false;
    }
}

/* ---- lines ------------------------------------------------------------------------------- */

/* Return the index of a table, or SEGUE_N_TABLES. */
static size_t find_table(const char *name)
{
    size_t i = 0;
    while (i < SEGUE_N_TABLES && (!name || strcmp(segue_store_format_tables[i].name, name) != 0))
        i++;
    return i;
}

static segue_status read_row(importer *in, const json_t *line, segue_error *err)
{
    const size_t table = find_table(json_string_value(json_object_get(line, "table")));
    const json_t *values = json_object_get(line, "row");
    segue_table_row row = {.n = json_array_size(values)};
    if (table == SEGUE_N_TABLES || row.n != segue_store_format_tables[table].n_columns)
        return fail_line(in, "is not the row of a table of a store", err);
    for (size_t i = 0; i < row.n; i++)
        if (!read_value(in, json_array_get(values, i), &row.value[i]))
            return fail_line(in, "a value of the row has no known type, or memory ran out", err);
    in->rows++;
    return in->store->backend->load(in->store, (segue_store_table)table, &row, err);
}

/* Only the current format is read: an export has no upgrade steps. */
static segue_status read_first(const importer *in, const json_t *format, segue_error *err)
{
    const json_int_t number = json_integer_value(format);
    if (number <= 0)
        return fail_line(in, "is not the first line of an exported store", err);
    if (number > SEGUE_STORE_FORMAT)
        return fail_line(in, "the export was written by a newer program; import it with that", err);
    return number == SEGUE_STORE_FORMAT
               ? SEGUE_OK
               : fail_line(
                     in,
                     "the export was written by an older program; import it with that program, "
                     "then 'segue store upgrade' converts the store",
                     err);
}

static segue_status read_last(importer *in, const json_t *rows, segue_error *err)
{
    in->complete = json_is_integer(rows) && json_integer_value(rows) == (json_int_t)in->rows;
    return in->complete
               ? SEGUE_OK
               : fail_line(in, "counts other rows than there are; export the store again", err);
}

/* The first line has the format, the last one the count, all others a row. */
static segue_status read_line(importer *in, const char *text, size_t size, segue_error *err)
{
    json_error_t why;
    json_t *line = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
    const json_t *rows = json_object_get(line, "rows");
    segue_status status = SEGUE_OK;
    if (!json_is_object(line))
        status = fail_line(in, "is not a JSON object", err);
    else if (in->complete)
        status = fail_line(in, "follows the last line, which counts the rows", err);
    else if (in->line > 1)
        status = rows ? read_last(in, rows, err) : read_row(in, line, err);
    else
        status = read_first(in, json_object_get(line, "segue_store"), err);
    json_decref(line);
    return status;
}

/* Fail unless the file ended after the line that counts the rows. */
static segue_status check_end(const importer *in, FILE *file, segue_error *err)
{
    if (ferror(file) || in->line == 0)
        return segue_fail(err, SEGUE_EFILE, "%s: %s", segue_path_tail(in->path),
                          in->line == 0 ? "is empty" : "reading failed");
    return in->complete ? SEGUE_OK
                        : fail_line(in,
                                    "is the last, and does not count the rows: the file was cut "
                                    "off; export the store again",
                                    err);
}

/* Empty lines are skipped, and not counted. */
static segue_status read_lines(importer *in, FILE *file, segue_error *err)
{
    segue_bytes *text = &in->text;
    int c = 0;
    while (c != EOF) {
        c = getc(file);
        if (c != '\n' && c != EOF) {
            const unsigned char byte = (unsigned char)c;
            segue_bytes_append(text, &byte, 1);
            if (text->failed || text->size > SEGUE_MAX_EXPORT_LINE)
                return fail_line(in, "is too long", err);
            continue;
        }
        if (text->size > 0) {
            in->line++;
            SEGUE_TRY(read_line(in, (const char *)text->data, text->size, err));
        }
        text->size = 0;
    }
    return check_end(in, file, err);
}

/* ---- the import -------------------------------------------------------------------------- */

/* A failure rolls back all rows; the store is empty again. */
static segue_status import(importer *in, FILE *file, segue_error *err)
{
    SEGUE_TRY(segue_store_begin(in->store, err));
    segue_status status = read_lines(in, file, err);
    if (status == SEGUE_OK)
        status = segue_store_commit(in->store, err);
    if (status != SEGUE_OK)
        segue_store_rollback(in->store);
    return status;
}

/* The ids of the export stay, so the store must not have given out any. */
segue_status segue_store_import(segue_store *store, const char *path, segue_error *err)
{
    importer in = {.store = store, .path = path};
    int64_t last_learner = 0;
    SEGUE_TRY(segue_store_last_learner(store, &last_learner, err));
    if (last_learner > 0)
        return segue_fail(err, SEGUE_EFILE, "%s: has learners already; import into a new store",
                          segue_path_tail(store->location));
    FILE *file = fopen(path, "rb");
    if (!file)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_path_tail(path),
                          strerror(errno));
    const segue_status status = import(&in, file, err);
    segue_bytes_fini(&in.text);
    free(in.bytes);
    (void)fclose(file);
    return status;
}
