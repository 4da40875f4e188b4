/* sqlite.c - open a store in one file of SQLite, and change it.
 *
 * The file is in WAL mode with synchronous = FULL: what was committed survives a kill and a loss of
 * power, and readers do not wait for the writer.
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "store/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bytes.h"
#include "core/text.h"

#define PURGE_TASKS_AT_ONCE 50
#define BUSY_MILLISECONDS   2000

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
    " rewards INTEGER NOT NULL DEFAULT 0, total REAL NOT NULL DEFAULT 0, UNIQUE (learner, key));"
    "CREATE INDEX task_open ON task (learner, id) WHERE closed IS NULL;"
    "CREATE INDEX task_closed ON task (learner, closed_seq) WHERE closed_seq IS NOT NULL;"
    "CREATE TABLE decision (task INTEGER, number INTEGER, arm INTEGER NOT NULL,"
    " version INTEGER NOT NULL, event TEXT, asked REAL NOT NULL, PRIMARY KEY (task, number))"
    " WITHOUT ROWID;"
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
    "PRAGMA application_id = 1397049173;" /* "SEGU" */
    "PRAGMA user_version = 1;";
#define APPLICATION 1397049173

segue_status segue_sql_fail(const segue_store *store, segue_error *err)
{
    const int code = sqlite3_errcode(store->db) & 0xff;
    const segue_status status = code == SQLITE_NOMEM                              ? SEGUE_ENOMEM
                                : code == SQLITE_CORRUPT || code == SQLITE_NOTADB ? SEGUE_EFILE
                                                                                  : SEGUE_EIO;
    return segue_fail(err, status, "%s: %s", segue_text_tail(store->path),
                      code == SQLITE_CANTOPEN
                          ? "the files beside it, -wal and -shm, can be neither read nor made; "
                            "allow that, or to write to the folder"
                          : sqlite3_errmsg(store->db));
}

sqlite3_stmt *segue_sql(segue_store *store, statement which, segue_error *err)
{
    if (!store->prepared[which] &&
        sqlite3_prepare_v3(store->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT,
                           &store->prepared[which], NULL) != SQLITE_OK)
        (void)segue_sql_fail(store, err);
    return store->prepared[which];
}

segue_status segue_sql_run(segue_store *store, sqlite3_stmt *sql, segue_error *err)
{
    const int code = sqlite3_step(sql);
    segue_status status = SEGUE_OK;
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        status = segue_sql_fail(store, err);
    (void)sqlite3_reset(sql);
    (void)sqlite3_clear_bindings(sql);
    return status;
}

static segue_status run_plain(segue_store *store, statement which, segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, which, err);
    return sql ? segue_sql_run(store, sql, err) : SEGUE_EIO;
}

static void bind_text(sqlite3_stmt *sql, int place, const char *text)
{
    if (text)
        (void)sqlite3_bind_text(sql, place, text, -1, SQLITE_STATIC);
    else
        (void)sqlite3_bind_null(sql, place);
}

/* ---- opening ----------------------------------------------------------------------------- */

static segue_status execute(segue_store *store, const char *text, segue_error *err)
{
    return sqlite3_exec(store->db, text, NULL, NULL, NULL) == SQLITE_OK
               ? SEGUE_OK
               : segue_sql_fail(store, err);
}

/* The number that a pragma gives. */
static segue_status ask_number(segue_store *store, const char *text, int64_t *out, segue_error *err)
{
    sqlite3_stmt *sql = NULL;
    if (sqlite3_prepare_v2(store->db, text, -1, &sql, NULL) != SQLITE_OK ||
        sqlite3_step(sql) != SQLITE_ROW) {
        const segue_status status = segue_sql_fail(store, err);
        (void)sqlite3_finalize(sql);
        return status;
    }
    *out = sqlite3_column_int64(sql, 0);
    (void)sqlite3_finalize(sql);
    return SEGUE_OK;
}

static segue_status make_schema(segue_store *store, segue_error *err)
{
    segue_status status = execute(store, "BEGIN IMMEDIATE", err);
    if (status == SEGUE_OK)
        status = execute(store, schema, err);
    return status == SEGUE_OK ? execute(store, "COMMIT", err) : status;
}

/* Is it ours, and of our format?  An empty file becomes one that is. */
static segue_status check_format(segue_store *store, segue_store_mode mode, segue_error *err)
{
    int64_t application = 0, format = 0, tables = 0;
    segue_status status = ask_number(store, "PRAGMA application_id", &application, err);
    if (status == SEGUE_OK)
        status = ask_number(store, "PRAGMA user_version", &format, err);
    if (status == SEGUE_OK)
        status = ask_number(store, "SELECT count(*) FROM sqlite_master", &tables, err);
    if (status != SEGUE_OK)
        return status;
    if (mode == SEGUE_STORE_CREATE && application == 0 && tables == 0)
        return make_schema(store, err);
    if (application != APPLICATION)
        return segue_fail(err, SEGUE_EFILE, "%s: is not a store of segue",
                          segue_text_tail(store->path));
    if (format != SEGUE_STORE_FORMAT)
        return segue_fail(err, SEGUE_EFILE,
                          "%s: is of format %" PRId64 ", and this program reads %d%s",
                          segue_text_tail(store->path), format, SEGUE_STORE_FORMAT,
                          format < SEGUE_STORE_FORMAT ? "; 'segue store upgrade' makes it so" : "");
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
    bytes uri = {.data = NULL};
    char letter[8];
    segue_bytes_put(&uri, "file:", 5);
    for (const char *c = store->path; *c; c++)
        segue_bytes_put(&uri, letter, (size_t)snprintf(letter, sizeof letter, "%%%02x", *c & 0xff));
    segue_bytes_put(&uri, "?immutable=1", 13);
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
                      : mode == SEGUE_STORE_CHANGE ? SQLITE_OPEN_READWRITE
                                                   : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    return sqlite3_open_v2(store->path, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
}

/* Who may write opens it for that, even to look: SQLite then tidies its journal up. */
static segue_store_mode settle(const segue_store *store, segue_store_mode mode)
{
    if (mode != SEGUE_STORE_LOOK)
        return mode;
    return may_write(store->path) ? SEGUE_STORE_CHANGE : SEGUE_STORE_READ;
}

/* Why SQLite could not open it: it says the same of all. */
static const char *why_closed(const segue_store *store, segue_store_mode mode)
{
    const int code = store->db ? sqlite3_system_errno(store->db) : ENOMEM;
    struct stat about;
    if (code == ENOENT)
        return mode == SEGUE_STORE_CREATE ? "its folder is missing; make it first"
                                          : "there is no such file; 'segue serve' makes one";
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
        wish == SEGUE_STORE_LOOK && mode == SEGUE_STORE_READ && !has_journal(store->path);
    if ((still ? open_still(store) : open_plain(store, mode)) != SQLITE_OK)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s",
                          segue_text_tail(store->path), why_closed(store, mode));
    if (mode != SEGUE_STORE_READ && sqlite3_db_readonly(store->db, "main") == 1)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be written to: no permission",
                          segue_text_tail(store->path));
    (void)sqlite3_extended_result_codes(store->db, 1);
    (void)sqlite3_busy_timeout(store->db, BUSY_MILLISECONDS);
    if (mode == SEGUE_STORE_READ)
        return SEGUE_OK;
    return execute(store,
                   "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                   "PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -16384;"
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
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a store");
    }
    store->path = strcpy(copy, path);
    store->claim = -1;
    status = open_file(store, mode, err);
    if (status == SEGUE_OK)
        status = check_format(store, mode, err);
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
    (void)sqlite3_close(store->db);
    if (store->claim >= 0)
        (void)close(store->claim);
    free(store->path);
    free(store);
}

const char *segue_store_path(const segue_store *store)
{
    return strcmp(store->path, ":memory:") == 0 ? "" : store->path;
}

/* The lock is on the file itself, whatever the name that leads to it: a link has a journal of its
 * own for SQLite.  SQLite's locks are of another kind, but are gone when this descriptor is closed:
 * that must be after the database is. */
segue_status segue_store_claim(segue_store *store, segue_error *err)
{
    if (*segue_store_path(store) == '\0')
        return SEGUE_OK;
    store->claim = open(store->path, O_RDWR | O_CLOEXEC);
    if (store->claim < 0)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s",
                          segue_text_tail(store->path), strerror(errno));
    if (flock(store->claim, LOCK_EX | LOCK_NB) == 0)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EFILE, "%s: %s%s", segue_text_tail(store->path),
                      errno == EWOULDBLOCK ? "another process serves this store"
                                           : "cannot be locked: ",
                      errno == EWOULDBLOCK ? "" : strerror(errno));
}

/* ---- the file as a whole ----------------------------------------------------------------- */

/* What a closed task says of its rewards, and an arm of those of closed tasks, is there. */
static segue_status check_counts(segue_store *store, segue_error *err)
{
    static const char tasks[] =
        "SELECT count(*) FROM task AS t WHERE closed_seq IS NOT NULL AND rewards <> (SELECT "
        "count(*) FROM reward WHERE task = t.id) AND learner IN (SELECT id FROM learner WHERE name "
        "IS NOT NULL)";
    static const char arms[] =
        "SELECT count(*) FROM learner AS l WHERE name IS NOT NULL AND (SELECT sum(pulls) FROM arm "
        "WHERE learner = l.id) <> (SELECT coalesce(sum(rewards), 0) FROM task WHERE learner = l.id "
        "AND closed_seq IS NOT NULL)";
    int64_t wrong = 0, also = 0;
    segue_status status = ask_number(store, tasks, &wrong, err);
    if (status == SEGUE_OK)
        status = ask_number(store, arms, &also, err);
    if (status == SEGUE_OK && wrong + also > 0)
        return segue_fail(err, SEGUE_EFILE,
                          "%s: is damaged: %" PRId64 " tasks and the arms of %" PRId64
                          " learners count other rewards than there are",
                          segue_text_tail(store->path), wrong, also);
    return status;
}

segue_status segue_store_integrity(segue_store *store, segue_error *err)
{
    sqlite3_stmt *sql = NULL;
    segue_status status = SEGUE_OK;
    if (sqlite3_prepare_v2(store->db, "PRAGMA integrity_check(1)", -1, &sql, NULL) != SQLITE_OK ||
        sqlite3_step(sql) != SQLITE_ROW)
        status = segue_sql_fail(store, err);
    else if (strcmp((const char *)sqlite3_column_text(sql, 0), "ok") != 0)
        status =
            segue_fail(err, SEGUE_EFILE, "%s: is damaged: %.200s", segue_text_tail(store->path),
                       (const char *)sqlite3_column_text(sql, 0));
    (void)sqlite3_finalize(sql);
    return status == SEGUE_OK ? check_counts(store, err) : status;
}

segue_status segue_store_limit(segue_store *store, uint64_t pages, segue_error *err)
{
    char text[64];
    (void)snprintf(text, sizeof text, "PRAGMA max_page_count = %" PRIu64,
                   pages ? pages : UINT64_C(4294967294));
    return execute(store, text, err);
}

/* ---- changes ----------------------------------------------------------------------------- */

segue_status segue_store_begin(segue_store *store, segue_error *err)
{
    return run_plain(store, SQL_BEGIN, err);
}

segue_status segue_store_look(segue_store *store, segue_error *err)
{
    return run_plain(store, SQL_LOOK, err);
}

segue_status segue_store_commit(segue_store *store, segue_error *err)
{
    return run_plain(store, SQL_COMMIT, err);
}

void segue_store_rollback(segue_store *store)
{
    if (!sqlite3_get_autocommit(store->db)) /* some failures have rolled back already */
        (void)run_plain(store, SQL_ROLLBACK, NULL);
}

static segue_status read_meta(segue_store *store, const char *name, unsigned char *key,
                              uint64_t *number, segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, SQL_META, err);
    if (!sql)
        return SEGUE_EIO;
    bind_text(sql, 1, name);
    segue_status status = SEGUE_OK;
    if (sqlite3_step(sql) != SQLITE_ROW || (key && sqlite3_column_bytes(sql, 0) != SEGUE_STORE_KEY))
        status = segue_fail(err, SEGUE_EFILE, "%s: is damaged: it has no '%s'",
                            segue_text_tail(store->path), name);
    else if (key)
        memcpy(key, sqlite3_column_blob(sql, 0), SEGUE_STORE_KEY);
    else if (number)
        *number = (uint64_t)sqlite3_column_int64(sql, 0);
    (void)sqlite3_reset(sql);
    (void)sqlite3_clear_bindings(sql);
    return status;
}

segue_status segue_store_start(segue_store *store, unsigned char key[SEGUE_STORE_KEY],
                               uint64_t *boot, segue_error *err)
{
    segue_status status = read_meta(store, "key", key, NULL, err);
    if (status == SEGUE_OK)
        status = read_meta(store, "boot", NULL, boot, err);
    if (status != SEGUE_OK)
        return status;
    ++*boot;
    sqlite3_stmt *sql = segue_sql(store, SQL_SET_META, err);
    if (!sql)
        return SEGUE_EIO;
    bind_text(sql, 1, "boot");
    (void)sqlite3_bind_int64(sql, 2, (int64_t)*boot);
    return segue_sql_run(store, sql, err);
}

segue_status segue_store_probe(segue_store *store, double when, segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, SQL_SET_META, err);
    if (!sql)
        return SEGUE_EIO;
    bind_text(sql, 1, "probe");
    (void)sqlite3_bind_double(sql, 2, when);
    return segue_sql_run(store, sql, err);
}

segue_status segue_store_add_learner(segue_store *store, segue_stored_learner *learner,
                                     segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, SQL_ADD_LEARNER, err);
    if (!sql)
        return SEGUE_EIO;
    bind_text(sql, 1, learner->name);
    bind_text(sql, 2, learner->config);
    (void)sqlite3_bind_double(sql, 3, learner->created);
    const segue_status status = segue_sql_run(store, sql, err);
    learner->id = sqlite3_last_insert_rowid(store->db);
    return status;
}

/* Run a statement of one number, or of two. */
static segue_status run_with(segue_store *store, statement which, int64_t a, int64_t b,
                             segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, which, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, a);
    if (sqlite3_bind_parameter_count(sql) > 1)
        (void)sqlite3_bind_int64(sql, 2, b);
    return segue_sql_run(store, sql, err);
}

segue_status segue_store_delete_learner(segue_store *store, int64_t learner, segue_error *err)
{
    return run_with(store, SQL_DELETE_LEARNER, learner, 0, err);
}

/* A learner without a name; 0: there is none. */
static segue_status find_deleted(segue_store *store, int64_t *learner, segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, SQL_DELETED, err);
    if (!sql)
        return SEGUE_EIO;
    const int code = sqlite3_step(sql);
    *learner = code == SQLITE_ROW ? sqlite3_column_int64(sql, 0) : 0;
    const segue_status status =
        code == SQLITE_ROW || code == SQLITE_DONE ? SEGUE_OK : segue_sql_fail(store, err);
    (void)sqlite3_reset(sql);
    return status;
}

segue_status segue_store_purge(segue_store *store, bool *more, segue_error *err)
{
    static const statement parts[] = {SQL_PURGE_REWARDS, SQL_PURGE_DECISIONS, SQL_PURGE_TASKS};
    static const statement rest[] = {SQL_PURGE_ARMS, SQL_PURGE_EVENTS, SQL_PURGE_SNAPSHOTS,
                                     SQL_PURGE_LEARNER};
    int64_t learner = 0;
    segue_status status = find_deleted(store, &learner, err);
    *more = status == SEGUE_OK && learner != 0;
    for (size_t i = 0; i < 3 && *more && status == SEGUE_OK; i++)
        status = run_with(store, parts[i], learner, PURGE_TASKS_AT_ONCE, err);
    if (status != SEGUE_OK || !*more || sqlite3_changes(store->db) > 0)
        return status;
    for (size_t i = 0; i < 4 && status == SEGUE_OK; i++)
        status = run_with(store, rest[i], learner, 0, err);
    return status;
}

segue_status segue_store_add_arm(segue_store *store, int64_t learner, size_t place,
                                 const char *name, double when, segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, SQL_ADD_ARM, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)place);
    bind_text(sql, 3, name);
    (void)sqlite3_bind_double(sql, 4, when);
    return segue_sql_run(store, sql, err);
}

segue_status segue_store_retire_arm(segue_store *store, int64_t learner, size_t place, double when,
                                    segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, SQL_RETIRE_ARM, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)place);
    (void)sqlite3_bind_double(sql, 3, when);
    return segue_sql_run(store, sql, err);
}

segue_status segue_store_add_task(segue_store *store, segue_stored_task *task, segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, SQL_ADD_TASK, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, task->learner);
    bind_text(sql, 2, task->key);
    (void)sqlite3_bind_int64(sql, 3, task->control);
    (void)sqlite3_bind_int64(sql, 4, (int64_t)task->version);
    (void)sqlite3_bind_int64(sql, 5, (int64_t)task->n_arms);
    (void)sqlite3_bind_double(sql, 6, task->opened);
    const segue_status status = segue_sql_run(store, sql, err);
    task->id = sqlite3_last_insert_rowid(store->db);
    return status;
}

segue_status segue_store_close_task(segue_store *store, const segue_stored_task *task, uint64_t seq,
                                    segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, SQL_CLOSE_TASK, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, task->id);
    (void)sqlite3_bind_double(sql, 2, task->closed);
    (void)sqlite3_bind_int64(sql, 3, (int64_t)seq);
    (void)sqlite3_bind_int64(sql, 4, (int64_t)task->rewards);
    (void)sqlite3_bind_double(sql, 5, task->total);
    segue_status status = segue_sql_run(store, sql, err);
    if (status == SEGUE_OK)
        status = run_with(store, SQL_ADD_PULLS, task->id, task->learner, err);
    return status == SEGUE_OK ? run_with(store, SQL_FORGET_DECISIONS, task->id, 0, err) : status;
}

segue_status segue_store_add_decision(segue_store *store, const segue_stored_decision *decision,
                                      segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, SQL_ADD_DECISION, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, decision->task);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)decision->number);
    (void)sqlite3_bind_int64(sql, 3, (int64_t)decision->arm);
    (void)sqlite3_bind_int64(sql, 4, (int64_t)decision->version);
    bind_text(sql, 5, decision->event);
    (void)sqlite3_bind_double(sql, 6, decision->asked);
    return segue_sql_run(store, sql, err);
}

segue_status segue_store_add_reward(segue_store *store, const segue_stored_reward *reward,
                                    segue_reward_fate *fate, segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, SQL_ADD_REWARD, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, reward->task);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)reward->number);
    (void)sqlite3_bind_int64(sql, 3, (int64_t)reward->place);
    (void)sqlite3_bind_int64(sql, 4, (int64_t)reward->arm);
    (void)sqlite3_bind_double(sql, 5, reward->value);
    (void)sqlite3_bind_double(sql, 6, reward->told);
    (void)sqlite3_bind_int64(sql, 7, reward->by_default);
    segue_status status = segue_sql_run(store, sql, err);
    *fate = SEGUE_REWARD_NEW;
    if (status != SEGUE_OK || sqlite3_changes(store->db) == 1)
        return status;
    segue_stored_reward there;
    bool found = false;
    status = segue_store_find_reward(store, reward->task, reward->number, &there, &found, err);
    const bool same = !(there.value < reward->value || there.value > reward->value);
    *fate = same ? SEGUE_REWARD_SAME : SEGUE_REWARD_OTHER;
    return status;
}

segue_status segue_store_add_event(segue_store *store, segue_stored_event *event, segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, SQL_ADD_EVENT, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, event->learner);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)event->kind);
    (void)sqlite3_bind_int64(sql, 3, event->subject);
    (void)sqlite3_bind_double(sql, 4, event->when);
    const segue_status status = segue_sql_run(store, sql, err);
    event->seq = (uint64_t)sqlite3_last_insert_rowid(store->db);
    return status;
}

segue_status segue_store_add_snapshot(segue_store *store, int64_t learner, uint64_t seq,
                                      const void *data, size_t size, segue_error *err)
{
    sqlite3_stmt *sql = segue_sql(store, SQL_ADD_SNAPSHOT, err);
    if (!sql)
        return SEGUE_EIO;
    (void)sqlite3_bind_int64(sql, 1, learner);
    (void)sqlite3_bind_int64(sql, 2, (int64_t)seq);
    (void)sqlite3_bind_blob64(sql, 3, data, size, SQLITE_STATIC);
    const segue_status status = segue_sql_run(store, sql, err);
    return status == SEGUE_OK ? run_with(store, SQL_FORGET_SNAPSHOTS, learner, (int64_t)seq, err)
                              : status;
}
