/* postgresql_connect.c - the location of a store, and the connection to its database.
 *
 * A location is what libpq takes: a URI, of which `postgresql:` names the backend too, or keywords
 * and values.  Several hosts, target_session_attrs, TLS and the file of passwords are libpq's.  The
 * location may have a password, so messages use a name of the store that leaves it out, and texts of
 * libpq are searched for it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"
#include "store/postgresql/postgresql.h"

#define MAX_OPTIONS    64
#define OLDEST_VERSION 130000 /* of PostgreSQL */

/* ---- the location ------------------------------------------------------------------------ */

/* libpq would take what follows an unescaped '@', '/' or ':' of a password as a host or a port, and
 * show it in its message. */
static bool is_ambiguous(const char *uri)
{
    const char *last = strrchr(uri, '@'), *path = strchr(uri + 2, '/');
    return last && (strchr(uri, '@') != last || (path && path < last));
}

/* Parse a location; NULL: it is wrong, or memory ran out. */
static PQconninfoOption *parse(const char *location)
{
    char *text = NULL, *why = NULL;
    const bool is_uri = strncmp(location, "//", 2) == 0;
    if (is_uri && is_ambiguous(location))
        return NULL;
    text = malloc(strlen(location) + 16);
    if (!text)
        return NULL;
    (void)sprintf(text, "%s%s", is_uri ? "postgresql:" : "", location);
    PQconninfoOption *options = PQconninfoParse(text, &why);
    PQfreemem(why); /* it may have a part of a password */
    free(text);
    return options;
}

/* The value of an option; NULL: it is not given. */
static const char *value_of(const PQconninfoOption *options, const char *keyword)
{
    const PQconninfoOption *o = options;
    while (o->keyword && strcmp(o->keyword, keyword) != 0)
        o++;
    return o->keyword && o->val && *o->val ? o->val : NULL;
}

/* Options that say which store it is; the others are excluded. */
static void write_label(const PQconninfoOption *options, char *out, size_t size)
{
    static const char *const shown[] = {"service", "host", "hostaddr", "port", "dbname", "options"};
    size_t used = (size_t)snprintf(out, size, "postgresql:");
    for (size_t i = 0; i < sizeof shown / sizeof *shown && used < size; i++) {
        const char *value = value_of(options, shown[i]);
        const bool quoted = value && strpbrk(value, " '\\");
        if (value)
            used += (size_t)snprintf(out + used, size - used, "%s%s=%s%s%s", used > 11 ? " " : "",
                                     shown[i], quoted ? "'" : "", value, quoted ? "'" : "");
    }
}

segue_status segue_postgresql_connect_parse(postgresql_store *store, const char *location,
                                            segue_error *err)
{
    char label[SEGUE_POSTGRESQL_NAME];
    store->options = parse(location);
    if (!store->options)
        return segue_fail(
            err, SEGUE_EUSAGE,
            "the store is no URI or connection string of PostgreSQL; need "
            "postgresql://USER@HOST/DATABASE or 'postgresql:host=HOST dbname=DATABASE'"
            ", and in a URI %%40 for @, %%2F for / in a password");
    write_label(store->options, label, sizeof label);
    store->base.location = strdup(label);
    return store->base.location ? SEGUE_OK : segue_fail_no_memory(err, "a store");
}

void segue_postgresql_connect_label(const char *location, char *out, size_t size, bool *secret)
{
    PQconninfoOption *options = parse(location);
    *secret = !options; /* a part of it may be a password */
    (void)snprintf(out, size, "postgresql:");
    if (!options)
        return;
    write_label(options, out, size);
    *secret = value_of(options, "password") || value_of(options, "sslpassword");
    PQconninfoFree(options);
}

/* ---- the connection ---------------------------------------------------------------------- */

typedef struct settings {
    size_t n;
    const char *keyword[MAX_OPTIONS], *value[MAX_OPTIONS];
} settings;

static void add(settings *s, const char *keyword, const char *value)
{
    if (s->n + 1 >= MAX_OPTIONS)
        return;
    s->keyword[s->n] = keyword;
    s->value[s->n++] = value;
}

/* The options of the location, and what it leaves open: a host that is gone must be noticed. */
static void fill(settings *s, const PQconninfoOption *options)
{
    static const char *const defaults[][2] = {
        {"connect_timeout", "10"},     {"keepalives_idle", "10"},
        {"keepalives_interval", "5"},  {"keepalives_count", "3"},
        {"tcp_user_timeout", "30000"}, {"fallback_application_name", "segue"}};
    *s = (settings){.n = 0};
    for (const PQconninfoOption *o = options; o->keyword; o++)
        if (o->val && *o->val && strcmp(o->keyword, "client_encoding") != 0)
            add(s, o->keyword, o->val);
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (!value_of(options, defaults[i][0]))
            add(s, defaults[i][0], defaults[i][1]);
    add(s, "client_encoding", "UTF8");
}

/* Notices are not printed: the program has one place that reports. */
static void ignore_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

void segue_postgresql_connect_close(postgresql_store *store)
{
    PQfinish(store->db);
    store->db = NULL;
    store->n_queued = store->n_cursors = 0;
    store->transaction = POSTGRESQL_IDLE;
    store->stale = false;
    memset(store->prepared, 0, sizeof store->prepared);
    memset(store->prepared_insert, 0, sizeof store->prepared_insert);
}

static segue_status set_up(postgresql_store *store, segue_error *err)
{
    (void)PQsetNoticeReceiver(store->db, ignore_notice, NULL);
    if (PQserverVersion(store->db) < OLDEST_VERSION)
        return segue_fail(err, SEGUE_EFILE, "%s: PostgreSQL has version %d; need %d or newer",
                          store->base.location, PQserverVersion(store->db) / 10000,
                          OLDEST_VERSION / 10000);
    store->former = store->backend;
    store->backend = PQbackendPID(store->db);
    return segue_postgresql_pipeline_script(store, "SET lock_timeout = '10s'; SET jit = off", err);
}

segue_status segue_postgresql_connect(postgresql_store *store, segue_error *err)
{
    settings s;
    segue_postgresql_connect_close(store);
    fill(&s, store->options);
    store->db = PQconnectdbParams(s.keyword, s.value, 0);
    segue_status status = SEGUE_OK;
    if (!store->db)
        status = segue_fail_no_memory(err, "a connection");
    else if (PQstatus(store->db) != CONNECTION_OK)
        status = segue_postgresql_error_connect(store, err);
    else
        status = set_up(store, err);
    if (status != SEGUE_OK)
        segue_postgresql_connect_close(store);
    return status;
}

segue_status segue_postgresql_connect_again(postgresql_store *store, segue_error *err)
{
    if (store->db && PQstatus(store->db) == CONNECTION_OK)
        return SEGUE_OK;
    SEGUE_TRY(segue_postgresql_connect(store, err));
    const segue_status status =
        store->is_locked ? segue_postgresql_open_lock_again(store, err) : SEGUE_OK;
    if (status != SEGUE_OK)
        segue_postgresql_connect_close(store);
    return status;
}
