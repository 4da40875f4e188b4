/* mutate.c - damage for a store: bytes of its file, or rows of its tables.
 *
 * A row is changed by an UPDATE of one column (NULL, another type, too large, negative, the value
 * of another row), deleted, or inserted again under another key.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mutate.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <unistd.h>

/* ---- files ------------------------------------------------------------------------------- */

unsigned char *read_store(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *data = malloc(*size);
    assert_int_equal(fread(data, 1, *size, file), *size);
    assert_int_equal(fclose(file), 0);
    return data;
}

void remove_store(const char *path)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char name[200];
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(name, sizeof name, "%s%s", path, ends[i]);
        (void)unlink(name);
    }
}

void write_store(const char *path, const unsigned char *data, size_t size)
{
    remove_store(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* ---- bytes ------------------------------------------------------------------------------- */

void mutate_bytes(segue_rng *rng, unsigned char *data, size_t size, mutation *done)
{
    const size_t count = random_between(rng, 0, 3) > 0 ? 1 : random_between(rng, 2, 40);
    size_t at = random_between(rng, 0, size - 1), used = 0;
    *done = (mutation){.whole = true};
    for (size_t i = 0; i < count; i++) {
        const unsigned char old = data[at];
        data[at] = (unsigned char)(random_between(rng, 0, 1) ? old ^ 1U << random_between(rng, 0, 7)
                                                             : random_between(rng, 0, 255));
        if (used < 200)
            used += (size_t)snprintf(done->text + used, sizeof done->text - used,
                                     "byte %zu: %02x -> %02x; ", at, old, data[at]);
        at = random_between(rng, 0, 3) > 0 ? (at + 1) % size : random_between(rng, 0, size - 1);
    }
}

/* ---- rows -------------------------------------------------------------------------------- */

typedef struct table {
    const char *name;
    const char *columns[12];
    const char *owner; /* the learner of a row r; NULL: none */
    const char *again; /* the columns of its copy; NULL: it has none */
} table;

#define OF_TASK "(SELECT learner FROM task WHERE id = r.task)"

static const table tables[] = {
    {"learner",
     {"id", "name", "config", "created"},
     "r.id",
     "id + 1000, name || 'x', config, created"},
    {"arm",
     {"learner", "position", "name", "added", "retired", "pulls", "total"},
     "r.learner",
     "learner, position + 20, name, added, retired, pulls, total"},
    {"task",
     {"id", "learner", "key", "control", "version", "n_arms", "opened", "closed", "closed_seq",
      "rewards", "total"},
     "r.learner",
     "id + 100000, learner, key || 'x', control, version, n_arms, opened, closed, closed_seq, "
     "rewards, total"},
    {"decision",
     {"task", "number", "arm", "version", "event", "created", "probability", "exact"},
     OF_TASK,
     "task, number + 77, arm, version, event, created, probability, exact"},
    {"reward",
     {"task", "number", "position", "arm", "value", "created", "by_default"},
     OF_TASK,
     "task, number + 77, position, arm, value, created, by_default"},
    {"event",
     {"seq", "learner", "kind", "subject", "created"},
     "r.learner",
     "seq + 100000, learner, kind, subject, created"},
    {"snapshot", {"learner", "seq", "bytes"}, "r.learner", "learner, seq + 1, bytes"},
    {"meta", {"name", "value"}, NULL, NULL},
    {"sqlite_sequence", {"name", "seq"}, NULL, NULL},
};
enum { TABLES = sizeof tables / sizeof *tables };

static const char *const values[] = {"NULL",
                                     "'x'",
                                     "''",
                                     "x'00ff'",
                                     "-1",
                                     "0",
                                     "1",
                                     "3",
                                     "0.5",
                                     "1099511627776",
                                     "-4611686018427387904",
                                     "1e300",
                                     "9e999",
                                     "-9e999",
                                     "CAST(x'ff61' AS TEXT)",
                                     "CAST(x'610062' AS TEXT)",
                                     "hex(zeroblob(200))"};
enum { VALUES = sizeof values / sizeof *values };

static void run(sqlite3 *db, const char *text)
{
    char *why = NULL;
    if (sqlite3_exec(db, text, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", text, why);
}

/* The number that a query gives; 0 without one. */
static int64_t number_of(sqlite3 *db, const char *text)
{
    sqlite3_stmt *sql = NULL;
    if (sqlite3_prepare_v2(db, text, -1, &sql, NULL) != SQLITE_OK)
        fail_msg("%s: %s", text, sqlite3_errmsg(db));
    const int64_t found = sqlite3_step(sql) == SQLITE_ROW ? sqlite3_column_int64(sql, 0) : 0;
    (void)sqlite3_finalize(sql);
    return found;
}

static sqlite3 *open_plain(const char *path)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    return db;
}

void relax_schema(const char *path)
{
    sqlite3 *db = open_plain(path);
    (void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    run(db, "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', "
            "'') WHERE type = 'table'; PRAGMA writable_schema = RESET");
    (void)sqlite3_close(db);
}

void checkpoint(const char *path)
{
    sqlite3 *db = open_plain(path);
    run(db, "PRAGMA wal_checkpoint(TRUNCATE)");
    (void)sqlite3_close(db);
}

static const char *pick(segue_rng *rng, const char *const *list, size_t max)
{
    size_t n = 0;
    while (n < max && list[n])
        n++;
    return list[random_between(rng, 0, n - 1)];
}

/* The condition that finds a random row of a table again, by its first columns. */
static void find_row(segue_rng *rng, sqlite3 *db, const table *t, char *out, size_t size)
{
    char text[200];
    (void)snprintf(text, sizeof text, "SELECT count(*) FROM %s", t->name);
    const int64_t rows = number_of(db, text);
    const int64_t at = rows > 0 ? (int64_t)random_between(rng, 0, (size_t)rows - 1) : 0;
    (void)snprintf(out, size, "(%s, %s) IN (SELECT %s, %s FROM %s LIMIT 1 OFFSET %" PRId64 ")",
                   t->columns[0], t->columns[1], t->columns[0], t->columns[1], t->name, at);
}

static void write_update(segue_rng *rng, const table *t, const char *where, char *out, size_t size)
{
    const char *column = pick(rng, t->columns, 12);
    if (random_between(rng, 0, 3) > 0)
        (void)snprintf(out, size, "UPDATE %s SET %s = %s WHERE %s", t->name, column,
                       values[random_between(rng, 0, VALUES - 1)], where);
    else
        (void)snprintf(out, size,
                       "UPDATE %s SET %s = (SELECT %s FROM %s LIMIT 1 OFFSET %zu) WHERE %s",
                       t->name, column, column, t->name, random_between(rng, 0, 9), where);
}

bool mutate_row(segue_rng *rng, const char *path, mutation *done)
{
    char where[300];
    sqlite3 *db = open_plain(path);
    const table *t = &tables[random_between(rng, 0, TABLES - 1)];
    const size_t kind = random_between(rng, 0, 9);
    *done = (mutation){.whole = !t->owner};
    find_row(rng, db, t, where, sizeof where);
    if (kind == 0)
        (void)snprintf(done->text, sizeof done->text, "DELETE FROM %s WHERE %s", t->name, where);
    else if (kind == 1 && t->again)
        (void)snprintf(done->text, sizeof done->text, "INSERT INTO %s SELECT %s FROM %s WHERE %s",
                       t->name, t->again, t->name, where);
    else
        write_update(rng, t, where, done->text, sizeof done->text);
    const bool fine = sqlite3_exec(db, done->text, NULL, NULL, NULL) == SQLITE_OK;
    const bool changed = fine && sqlite3_changes(db) > 0;
    run(db, "PRAGMA wal_checkpoint(TRUNCATE)");
    (void)sqlite3_close(db);
    return changed;
}

/* ---- whose rows are changed -------------------------------------------------------------- */

/* FNV-1a over the values of a row, with their types. */
static uint64_t add_row(uint64_t sum, sqlite3_stmt *sql)
{
    for (int i = 0; i < sqlite3_column_count(sql); i++) {
        sum = (sum ^ (uint64_t)sqlite3_column_type(sql, i)) * 1099511628211U;
        const unsigned char *data = sqlite3_column_blob(sql, i);
        for (int j = 0; data && j < sqlite3_column_bytes(sql, i); j++)
            sum = (sum ^ data[j]) * 1099511628211U;
    }
    return sum;
}

uint64_t digest_learner(const char *path, int64_t learner)
{
    sqlite3 *db = open_plain(path);
    uint64_t sum = 14695981039346656037U;
    for (size_t i = 0; i < TABLES && tables[i].owner; i++) {
        char text[300];
        sqlite3_stmt *sql = NULL;
        (void)snprintf(text, sizeof text,
                       "SELECT * FROM %s AS r WHERE %s = %" PRId64 " ORDER BY 1, 2", tables[i].name,
                       tables[i].owner, learner);
        assert_int_equal(sqlite3_prepare_v2(db, text, -1, &sql, NULL), SQLITE_OK);
        while (sqlite3_step(sql) == SQLITE_ROW)
            sum = add_row(sum, sql);
        (void)sqlite3_finalize(sql);
    }
    (void)sqlite3_close(db);
    return sum;
}
