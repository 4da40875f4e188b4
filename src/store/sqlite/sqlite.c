/* sqlite.c - open a store in one file of SQLite.
 *
 * The file is in WAL mode with synchronous = FULL: what was committed survives a kill and a loss of
 * power, and readers do not wait for the writer.
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "store/sqlite/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/encode.h"
#include "segue/internal.h"
#include "store/sqlite/wal.h"

static const char *const texts[] = {
#define SEGUE_STATEMENT_TEXT(name, text) text,
    SEGUE_STATEMENTS(SEGUE_STATEMENT_TEXT)
#undef SEGUE_STATEMENT_TEXT
};

static const char schema[] =
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE learner (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,"
    " config TEXT NOT NULL, created REAL NOT NULL);"
    "CREATE TABLE arm (learner INTEGER, place INTEGER, name TEXT NOT NULL, added REAL NOT NULL,"
    " retired REAL, pulls INTEGER NOT NULL DEFAULT 0, total REAL NOT NULL DEFAULT 0,"
    " PRIMARY KEY (learner, place)) WITHOUT ROWID;"
    "CREATE TABLE task (id INTEGER PRIMARY KEY AUTOINCREMENT, learner INTEGER NOT NULL,"
    " key TEXT NOT NULL, control INTEGER NOT NULL, version INTEGER NOT NULL,"
    " n_arms INTEGER NOT NULL, opened REAL NOT NULL, closed REAL, closed_seq INTEGER,"
    " rewards INTEGER NOT NULL DEFAULT 0, total REAL NOT NULL DEFAULT 0, tag INTEGER,"
    " UNIQUE (learner, key));"
    "CREATE INDEX task_learner ON task (learner);"
    "CREATE INDEX task_open ON task (learner, id) WHERE closed IS NULL;"
    "CREATE INDEX task_closed ON task (learner, closed_seq) WHERE closed_seq IS NOT NULL;"
    "CREATE TABLE decision (task INTEGER, number INTEGER, arm INTEGER NOT NULL,"
    " version INTEGER NOT NULL, event TEXT, asked REAL NOT NULL, probability REAL, exact INTEGER,"
    " PRIMARY KEY (task, number)) WITHOUT ROWID;"
    "CREATE INDEX decision_event ON decision (task, event) WHERE event IS NOT NULL;"
    "CREATE TABLE reward (task INTEGER, number INTEGER, place INTEGER NOT NULL,"
    " arm INTEGER NOT NULL, value REAL NOT NULL, told REAL NOT NULL,"
    " by_default INTEGER NOT NULL, PRIMARY KEY (task, number)) WITHOUT ROWID;"
    "CREATE TABLE journal (seq INTEGER PRIMARY KEY AUTOINCREMENT, learner INTEGER NOT NULL,"
    " kind INTEGER NOT NULL, subject INTEGER NOT NULL, at REAL NOT NULL);"
    "CREATE INDEX journal_learner ON journal (learner, seq);"
    "CREATE TABLE snapshot (learner INTEGER, seq INTEGER, bytes BLOB NOT NULL,"
    " PRIMARY KEY (learner, seq));"
    "INSERT INTO meta VALUES ('key', randomblob(16)), ('boot', 0);"
    "PRAGMA application_id = " SEGUE_SQL_TEXT(SEGUE_STORE_APPLICATION_ID) ";" SEGUE_SQL_SET_FORMAT;

segue_status segue_sqlite_fail(const segue_store *store, segue_error *err)
{
    const int code = sqlite3_errcode(store->db) & 0xff;
    const segue_status status = code == SQLITE_NOMEM ? SEGUE_ENOMEM
                                : code == SQLITE_CORRUPT || code == SQLITE_NOTADB ||
                                        code == SQLITE_CONSTRAINT /* what we write breaks none */
                                    ? SEGUE_EFILE
                                    : SEGUE_EIO;
    return segue_fail(err, status, "%s: %s", segue_path_tail(store->path),
                      code == SQLITE_CANTOPEN
                          ? "the files beside it, -wal and -shm, can be neither read nor made; "
                            "allow that, or to write to the folder"
                          : sqlite3_errmsg(store->db));
}

sqlite3_stmt *segue_sqlite_statement(segue_store *store, statement which, segue_error *err)
{
    if (!store->prepared[which] &&
        sqlite3_prepare_v3(store->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT,
                           &store->prepared[which], NULL) != SQLITE_OK)
        (void)segue_sqlite_fail(store, err);
    return store->prepared[which];
}

segue_status segue_sqlite_run(segue_store *store, sqlite3_stmt *sql, segue_error *err)
{
    const int code = sqlite3_step(sql);
    segue_status status = SEGUE_OK;
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        status = segue_sqlite_fail(store, err);
    (void)sqlite3_reset(sql);
    (void)sqlite3_clear_bindings(sql);
    return status;
}

/* ---- opening ----------------------------------------------------------------------------- */

segue_status segue_sqlite_execute(segue_store *store, const char *text, segue_error *err)
{
    return sqlite3_exec(store->db, text, NULL, NULL, NULL) == SQLITE_OK
               ? SEGUE_OK
               : segue_sqlite_fail(store, err);
}

segue_status segue_sqlite_query_integer(segue_store *store, const char *text, int64_t *out,
                                        segue_error *err)
{
    sqlite3_stmt *sql = NULL;
    if (sqlite3_prepare_v2(store->db, text, -1, &sql, NULL) != SQLITE_OK ||
        sqlite3_step(sql) != SQLITE_ROW) {
        const segue_status status = segue_sqlite_fail(store, err);
        (void)sqlite3_finalize(sql);
        return status;
    }
    *out = sqlite3_column_int64(sql, 0);
    (void)sqlite3_finalize(sql);
    return SEGUE_OK;
}

static segue_status make_schema(segue_store *store, segue_error *err)
{
    store->is_new = true;
    segue_status status = segue_sqlite_execute(store, "BEGIN IMMEDIATE", err);
    if (status == SEGUE_OK)
        status = segue_sqlite_execute(store, schema, err);
    return status == SEGUE_OK ? segue_sqlite_execute(store, "COMMIT", err) : status;
}

/* Is it ours, and of our format?  An empty file becomes one that is. */
static segue_status check_format(segue_store *store, segue_store_mode mode, segue_error *err)
{
    int64_t application = 0, format = 0, tables = 0;
    segue_status status =
        segue_sqlite_query_integer(store, "PRAGMA application_id", &application, err);
    if (status == SEGUE_OK)
        status = segue_sqlite_query_integer(store, "PRAGMA user_version", &format, err);
    if (status == SEGUE_OK)
        status =
            segue_sqlite_query_integer(store, "SELECT count(*) FROM sqlite_master", &tables, err);
    if (status != SEGUE_OK)
        return status;
    if (mode == SEGUE_STORE_CREATE && application == 0 && tables == 0)
        return make_schema(store, err);
    if (application != SEGUE_STORE_APPLICATION_ID)
        return segue_fail(err, SEGUE_EFILE, "%s: is not a store of segue",
                          segue_path_tail(store->path));
    if (format != SEGUE_STORE_FORMAT &&
        !(mode == SEGUE_STORE_UPGRADE && format > 0 && format < SEGUE_STORE_FORMAT))
        return segue_fail(
            err, SEGUE_EFILE, "%s: is of format %" PRId64 ", and this program reads %d%s",
            segue_path_tail(store->path), format, SEGUE_STORE_FORMAT,
            format > 0 && format < SEGUE_STORE_FORMAT ? "; 'segue store upgrade' makes it so" : "");
    return SEGUE_OK;
}

/* What the tables and indices are, a row each column: the texts of the schema differ between a
 * store that was made so and one that became so by an upgrade. */
static const char shape[] =
    "SELECT m.name || ' ' || c.name || ' ' || c.type || ' ' || coalesce(c.dflt_value, '') || ' ' "
    "|| "
    "c.pk || ' ' || (m.sql LIKE '%AUTOINCREMENT%') || ' ' || (m.sql LIKE '%WITHOUT ROWID%') "
    "FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' "
    "UNION ALL SELECT i.name || ' ' || i.\"unique\" || ' ' || i.partial || ' ' || x.seqno || ' ' "
    "|| "
    "coalesce(x.name, '') || ' ' || coalesce(s.sql, '') FROM sqlite_master AS m JOIN "
    "pragma_index_list(m.name) AS i JOIN pragma_index_xinfo(i.name) AS x LEFT JOIN sqlite_master "
    "AS s ON s.name = i.name AND s.type = 'index' WHERE m.type = 'table' UNION ALL SELECT m.name "
    "FROM sqlite_master AS m WHERE m.type NOT IN ('table', 'index') ORDER BY 1";

/* Whether two statements give the same rows of one text. */
static bool same_rows(sqlite3_stmt *a, sqlite3_stmt *b)
{
    for (;;) {
        const int left = sqlite3_step(a), right = sqlite3_step(b);
        if (left != right || (left != SQLITE_ROW && left != SQLITE_DONE))
            return false;
        if (left == SQLITE_DONE)
            return true;
        const char *x = (const char *)sqlite3_column_text(a, 0);
        const char *y = (const char *)sqlite3_column_text(b, 0);
        if (!x || !y || strcmp(x, y) != 0)
            return false;
    }
}

/* Compare with a new store, in memory. */
static segue_status check_shape(segue_store *store, segue_error *err)
{
    sqlite3 *fresh = NULL;
    sqlite3_stmt *here = NULL, *there = NULL;
    segue_status status = SEGUE_OK;
    if (sqlite3_open(":memory:", &fresh) != SQLITE_OK ||
        sqlite3_exec(fresh, schema, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(fresh, shape, -1, &there, NULL) != SQLITE_OK)
        status = segue_fail_no_memory(err, "a store");
    else if (sqlite3_prepare_v2(store->db, shape, -1, &here, NULL) != SQLITE_OK)
        status = segue_sqlite_fail(store, err);
    else if (!same_rows(here, there))
        status = segue_store_fail_damaged(err, "its tables are not those of format %d",
                                          SEGUE_STORE_FORMAT);
    (void)sqlite3_finalize(here);
    (void)sqlite3_finalize(there);
    (void)sqlite3_close(fresh);
    return status;
}

/* Every statement is prepared: what is missing is found now, not in a request. */
segue_status segue_sqlite_check_schema(segue_store *store, segue_error *err)
{
    const segue_status status = check_shape(store, err);
    if (status != SEGUE_OK)
        return status;
    for (statement i = 0; i < N_STATEMENTS; i++)
        if (!segue_sqlite_statement(store, i, err)) {
            if ((sqlite3_errcode(store->db) & 0xff) != SQLITE_ERROR)
                return segue_sqlite_fail(store, err);
            return segue_store_fail_damaged(err, "its tables are not those of format %d: %s",
                                            SEGUE_STORE_FORMAT, sqlite3_errmsg(store->db));
        }
    return SEGUE_OK;
}

/* "sqlite:PATH" or a path. */
static segue_status path_of(const char *name, const char **path, segue_error *err)
{
    const char *colon = strchr(name, ':');
    *path = strncmp(name, "sqlite:", 7) == 0 ? name + 7 : name;
    if (*path == name && colon && !memchr(name, '/', (size_t)(colon - name)))
        return segue_fail(err, SEGUE_EUSAGE, "there is no store '%.60s'; need sqlite:PATH", name);
    if (**path == '\0')
        return segue_fail(err, SEGUE_EUSAGE, "the store '%.60s' has no path; need sqlite:PATH",
                          name);
    return SEGUE_OK;
}

/* A new file is its owner's alone: the key that decisions are signed with is in it.  One that is
 * there is not touched: to close it would end SQLite's locks of this process. */
static void make_private(const char *path)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        (void)close(fd);
}

/* Whether the file and the folder, where SQLite puts its journal, may be written to. */
static bool may_write(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];
    const int size = slash ? (int)(slash - path) + 1 : 0;
    return snprintf(folder, sizeof folder, "%.*s.", size, path) < (int)sizeof folder &&
           access(path, W_OK) == 0 && access(folder, W_OK) == 0;
}

static bool has_journal(const char *path)
{
    char journal[4096];
    return snprintf(journal, sizeof journal, "%s-wal", path) >= (int)sizeof journal ||
           access(journal, F_OK) == 0;
}

/* Open a file that nobody writes to, with neither locks nor a journal. */
static int open_still(segue_store *store)
{
    segue_bytes uri = {.data = NULL};
    char *path = malloc(3 * strlen(store->path) + 1);
    if (!path)
        return SQLITE_NOMEM;
    segue_bytes_append(&uri, "file:", 5);
    segue_bytes_append(&uri, path, segue_encode_percent(path, store->path));
    free(path);
    segue_bytes_append(&uri, "?immutable=1", 13);
    const int code =
        uri.failed
            ? SQLITE_NOMEM
            : sqlite3_open_v2((const char *)uri.data, &store->db,
                              SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    segue_bytes_fini(&uri);
    return code;
}

static int open_plain(segue_store *store, segue_store_mode mode)
{
    const int flags = mode == SEGUE_STORE_READ     ? SQLITE_OPEN_READONLY
                      : mode == SEGUE_STORE_CREATE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                                   : SQLITE_OPEN_READWRITE;
    return sqlite3_open_v2(store->path, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
}

/* Who may write opens it for that, even to look: SQLite then tidies its journal up. */
static segue_store_mode settle(const segue_store *store, segue_store_mode mode)
{
    if (mode != SEGUE_STORE_READ_IMMUTABLE)
        return mode;
    return may_write(store->path) ? SEGUE_STORE_CHANGE : SEGUE_STORE_READ;
}

/* Why SQLite could not open it: it says the same of all. */
static const char *why_closed(const segue_store *store, segue_store_mode mode)
{
    const int code = store->db ? sqlite3_system_errno(store->db) : ENOMEM;
    struct stat about;
    if (code == ENOENT && mode == SEGUE_STORE_CREATE)
        return segue_path_has_folder(store->path) ? "no permission to make a file in its folder"
                                                  : "its folder is missing; make it first";
    if (code == ENOENT)
        return "there is no such file; 'segue serve' makes one";
    if (stat(store->path, &about) == 0 && S_ISDIR(about.st_mode))
        return "is a folder; need a file";
    if (code == EACCES || code == EPERM)
        return "no permission";
    return code ? strerror(code) : sqlite3_errmsg(store->db);
}

static segue_status open_file(segue_store *store, segue_store_mode wish, segue_error *err)
{
    const segue_store_mode mode = settle(store, wish);
    if (mode == SEGUE_STORE_CREATE && *segue_store_path(store) != '\0')
        make_private(store->path);
    const bool still =
        wish == SEGUE_STORE_READ_IMMUTABLE && mode == SEGUE_STORE_READ && !has_journal(store->path);
    if ((still ? open_still(store) : open_plain(store, mode)) != SQLITE_OK)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s",
                          segue_path_tail(store->path), why_closed(store, mode));
    if (mode != SEGUE_STORE_READ && sqlite3_db_readonly(store->db, "main") == 1)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be written to: no permission",
                          segue_path_tail(store->path));
    (void)sqlite3_extended_result_codes(store->db, 1);
    (void)sqlite3_busy_timeout(store->db, SEGUE_BUSY_MILLISECONDS);
    return segue_sqlite_execute(store, "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF",
                                err);
}

/* Only of a file that is ours: WAL is a change of it. */
static segue_status settle_in(segue_store *store, segue_store_mode wish, segue_error *err)
{
    if (settle(store, wish) == SEGUE_STORE_READ)
        return SEGUE_OK;
    return segue_sqlite_execute(store,
                                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                                "PRAGMA journal_size_limit = 20971520; PRAGMA cache_size = -16384;"
                                "PRAGMA wal_autocheckpoint = 4000",
                                err);
}

segue_status segue_store_open(segue_store **out, const char *name, segue_store_mode mode,
                              segue_error *err)
{
    const char *path = NULL;
    *out = NULL;
    segue_status status = path_of(name, &path, err);
    if (status != SEGUE_OK)
        return status;
    segue_store *store = calloc(1, sizeof *store);
    char *copy = malloc(strlen(path) + 1);
    if (!store || !copy) {
        free(store);
        free(copy);
        return segue_fail_no_memory(err, "a store");
    }
    store->path = strcpy(copy, path);
    store->claim = -1;
    status = open_file(store, mode, err);
    if (status == SEGUE_OK)
        status = check_format(store, mode, err);
    if (status == SEGUE_OK)
        status = settle_in(store, mode, err);
    if (status == SEGUE_OK && mode != SEGUE_STORE_UPGRADE)
        status = segue_sqlite_check_schema(store, err);
    if (status != SEGUE_OK) {
        segue_store_close(store);
        return status;
    }
    *out = store;
    return SEGUE_OK;
}

void segue_store_close(segue_store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < N_STATEMENTS; i++)
        (void)sqlite3_finalize(store->prepared[i]);
    segue_wal_prepare_close(store);
    (void)sqlite3_close(store->db);
    segue_wal_close(store->wal);
    if (store->claim >= 0)
        (void)close(store->claim);
    free(store->path);
    free(store);
}

void segue_store_discard(segue_store *store)
{
    char *path = store && store->is_new && *segue_store_path(store) ? store->path : NULL;
    if (path)
        store->path = NULL;
    segue_store_close(store); /* which takes the files beside it away */
    if (path)
        (void)unlink(path);
    free(path);
}

const char *segue_store_path(const segue_store *store)
{
    return strcmp(store->path, ":memory:") == 0 ? "" : store->path;
}

/* The lock is on the file itself, whatever the name that leads to it: a link has a journal of its
 * own for SQLite.  SQLite's locks are of another kind, but are gone when this descriptor is closed:
 * that must be after the database is. */
segue_status segue_store_lock(segue_store *store, segue_error *err)
{
    if (*segue_store_path(store) == '\0')
        return SEGUE_OK;
    store->claim = open(store->path, O_RDWR | O_CLOEXEC);
    struct stat claimed;
    if (store->claim < 0 || fstat(store->claim, &claimed) != 0)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s",
                          segue_path_tail(store->path), strerror(errno));
    store->device = claimed.st_dev;
    store->inode = claimed.st_ino;
    if (flock(store->claim, LOCK_EX | LOCK_NB) == 0)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EFILE, "%s: %s%s", segue_path_tail(store->path),
                      errno == EWOULDBLOCK ? "another process serves this store"
                                           : "cannot be locked: ",
                      errno == EWOULDBLOCK ? "" : strerror(errno));
}

bool segue_sqlite_has_name(const segue_store *store, struct stat *named)
{
    return stat(store->path, named) == 0 && store->device == named->st_dev &&
           store->inode == named->st_ino;
}

bool segue_store_files_exist(const segue_store *store)
{
    struct stat named;
    return store->claim < 0 ||
           (segue_sqlite_has_name(store, &named) && segue_wal_files_exist(store->wal));
}

bool segue_store_is_lost(const segue_store *store)
{
    return store->lost;
}

segue_status segue_store_limit_pages(segue_store *store, uint64_t pages, segue_error *err)
{
    char text[64];
    (void)snprintf(text, sizeof text, "PRAGMA max_page_count = %" PRIu64,
                   pages ? pages : UINT64_C(4294967294));
    return segue_sqlite_execute(store, text, err);
}
