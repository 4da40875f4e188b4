/* postgresql.c - a PostgreSQL server of the test's own: two pipes to the script postgresql.
 *
 * The script ends with the pipe to it, so a test that crashes leaves no server.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "postgresql.h"

#include <libpq-fe.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t script;
static FILE *to, *from;
static char folder[64];

static void run_script(const int in[2], const int out[2])
{
    (void)dup2(in[0], STDIN_FILENO);
    (void)dup2(out[1], STDOUT_FILENO);
    (void)close(in[0]);
    (void)close(in[1]);
    (void)close(out[0]);
    (void)close(out[1]);
    (void)execl(POSTGRESQL_SCRIPT, POSTGRESQL_SCRIPT, (char *)NULL);
    _exit(127);
}

bool postgresql_start(void)
{
    int in[2], out[2];
    char line[256] = "";
    if (pipe(in) != 0 || pipe(out) != 0)
        return false;
    script = fork();
    if (script == 0)
        run_script(in, out);
    (void)close(in[0]);
    (void)close(out[1]);
    to = fdopen(in[1], "w");
    from = fdopen(out[0], "r");
    if (fgets(line, sizeof line, from) && sscanf(line, "ready %63s", folder) == 1)
        return true;
    (void)fprintf(stderr, "tests on PostgreSQL are skipped: %s\n", line);
    postgresql_stop();
    return false;
}

void postgresql_stop(void)
{
    (void)fclose(to);
    (void)fclose(from);
    (void)waitpid(script, NULL, 0);
}

void postgresql_command(const char *command)
{
    char line[256] = "";
    (void)fprintf(to, "%s\n", command);
    (void)fflush(to);
    if (!fgets(line, sizeof line, from) || strcmp(line, "done\n") != 0)
        fail_msg("%s: %s", command, line);
}

void postgresql_run(const char *statements)
{
    char name[128];
    (void)snprintf(name, sizeof name, "host=%s user=postgres dbname=postgres", folder);
    PGconn *db = PQconnectdb(name);
    PGresult *result = PQexec(db, statements);
    const ExecStatusType status = PQresultStatus(result);
    char why[256];
    (void)snprintf(why, sizeof why, "%s", PQerrorMessage(db));
    PQclear(result);
    PQfinish(db);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        fail_msg("%s: %s", statements, why);
}

void postgresql_store_name(char *out, size_t size, const char *schema)
{
    char text[128];
    (void)snprintf(text, sizeof text,
                   "SET client_min_messages = error; CREATE SCHEMA IF NOT EXISTS %s", schema);
    postgresql_run(text);
    (void)snprintf(out, size,
                   "postgresql:host=%s user=postgres dbname=postgres options=-csearch_path=%s",
                   folder, schema);
}
