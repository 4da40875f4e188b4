/* postgresql_error.c - failures of the database, each with the store's name and the next step.
 *
 * PostgreSQL says in five characters (SQLSTATE) what failed; a failure to connect has a text alone.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"
#include "store/postgresql/postgresql.h"

#define MAX_TEXT 240 /* bytes of a text of the database in a message */

/* A failure whose SQLSTATE begins with `begin`, or, of a connection, whose text has it. */
typedef struct failure {
    const char *begin;
    segue_status status;
    const char *next; /* step */
} failure;

/* The longer beginnings come first. */
static const failure of_statements[] = {
    {"08", SEGUE_EIO, "the connection failed; it is tried again"},
    {"22", SEGUE_EFILE, "a value is none that this program wrote; restore a backup"},
    {"23", SEGUE_EIO, "the row exists or breaks a rule: another program writes to the store"},
    {"25006", SEGUE_EIO,
     "the database is read-only, such as a standby; add target_session_attrs=read-write and the "
     "primary's host to the store's name"},
    {"40", SEGUE_EIO, "nothing was stored; it is tried again"},
    {"42501", SEGUE_EFILE, "GRANT the right to the user, or name another user"},
    {"42P01", SEGUE_EFILE, "its tables are not those of this program; restore a backup"},
    {"42703", SEGUE_EFILE, "its tables are not those of this program; restore a backup"},
    {"53100", SEGUE_EIO, "free space on the disk of the database"},
    {"53200", SEGUE_EIO, "the database has too little memory"},
    {"53300", SEGUE_EIO, "raise max_connections of the database, or close other connections"},
    {"55P03", SEGUE_EIO, "another session holds a lock; end it"},
    {"57014", SEGUE_EIO, "someone cancelled the statement; it is tried again"},
    {"57P", SEGUE_EIO, "the database was stopped; it is tried again"},
    {"58", SEGUE_EIO, "check the disk of the database"},
    {"XX001", SEGUE_EFILE, "the database is damaged; restore a backup"},
    {"XX002", SEGUE_EFILE, "an index of the database is damaged; REINDEX it"},
};

static const failure of_connections[] = {
    {"password authentication failed", SEGUE_EFILE,
     "check the user and the password (~/.pgpass, PGPASSWORD)"},
    {"no password supplied", SEGUE_EFILE, "put the password into ~/.pgpass or PGPASSWORD"},
    {"no pg_hba.conf entry", SEGUE_EFILE, "allow this machine and user in pg_hba.conf"},
    {"authentication failed", SEGUE_EFILE, "check the user and pg_hba.conf"},
    {"role \"", SEGUE_EFILE, "create the user, or name another one"},
    {"database \"", SEGUE_EFILE, "create it with 'createdb', or name another one"},
    {"permission denied for database", SEGUE_EFILE, "GRANT CONNECT to the user"},
    {"could not translate host name", SEGUE_EFILE, "check the name of the host"},
    {"session is read-only", SEGUE_EIO, "no host is a primary now; promote a standby"},
    {"session is not read-only", SEGUE_EIO, "check target_session_attrs"},
    {"starting up", SEGUE_EIO, "the database is starting; try again"},
    {"shutting down", SEGUE_EIO, "the database is stopping; start it again"},
    {"too many", SEGUE_EIO, "raise max_connections of the database, or close other connections"},
    {"No such file", SEGUE_EIO, "start the database, or check the folder of its socket"},
    {"refused", SEGUE_EIO, "start the database, or check host and port"},
    {"timeout expired", SEGUE_EIO, "check the host, the network and its firewall"},
};

static const char *password_of(const postgresql_store *store)
{
    const PQconninfoOption *o = store->options;
    while (o && o->keyword && strcmp(o->keyword, "password") != 0)
        o++;
    return o && o->keyword && o->val && *o->val ? o->val : NULL;
}

/* Copy a text of the database as one line, without the password. */
static void copy_text(const postgresql_store *store, const char *text, char out[MAX_TEXT])
{
    const char *password = password_of(store);
    size_t used = 0;
    while (*text && used < MAX_TEXT - 4) {
        if (password && strncmp(text, password, strlen(password)) == 0) {
            memcpy(out + used, "***", 3);
            used += 3;
            text += strlen(password);
        } else if (*text == '\n' || *text == '\t') {
            if (used > 0 && out[used - 1] != ' ' && text[1])
                out[used++] = ' ';
            text++;
        } else {
            out[used++] = *text++;
        }
    }
    out[used] = '\0';
}

static segue_status report(const postgresql_store *store, const failure *found,
                           segue_status otherwise, const char *text, segue_error *err)
{
    char line[MAX_TEXT];
    copy_text(store, text, line);
    return segue_fail(err, found ? found->status : otherwise, "%s: %s%s%s", store->base.location,
                      line, found ? "; " : "", found ? found->next : "");
}

segue_status segue_postgresql_error(const postgresql_store *store, const PGresult *result,
                                    segue_error *err)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    if (store->db && PQstatus(store->db) != CONNECTION_OK && !text)
        return report(store, &of_statements[0], SEGUE_EIO, "the connection was lost", err);
    if (!state || !text) {
        const char *own = store->db ? PQerrorMessage(store->db) : "";
        return report(store, NULL, SEGUE_EIO, *own ? own : "out of memory", err);
    }
    const failure *found = NULL;
    for (size_t i = 0; i < sizeof of_statements / sizeof *of_statements && !found; i++)
        if (strncmp(state, of_statements[i].begin, strlen(of_statements[i].begin)) == 0)
            found = &of_statements[i];
    return report(store, found, SEGUE_EIO, text, err);
}

segue_status segue_postgresql_error_connect(const postgresql_store *store, segue_error *err)
{
    const char *text = PQerrorMessage(store->db);
    const failure *found = NULL;
    for (size_t i = 0; i < sizeof of_connections / sizeof *of_connections && !found; i++)
        if (strstr(text, of_connections[i].begin))
            found = &of_connections[i];
    return report(store, found, SEGUE_EIO, text, err);
}
