/* postgresql.h - a PostgreSQL server of the test's own (the script postgresql).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TESTS_POSTGRESQL_H
#define SEGUE_TESTS_POSTGRESQL_H

#include <stdbool.h>
#include <stddef.h>

/* Start the server; false, with a reason on standard error: it is not installed. */
bool postgresql_start(void);

/* Have the server do something: "stop", "start", "kill", "set NAME VALUE". */
void postgresql_command(const char *command);

/* Run statements in the database. */
void postgresql_run(const char *statements);

/* Write the name of a store in a schema of its own, which is created. */
void postgresql_store_name(char *out, size_t size, const char *schema);

/* Stop the server; its folder goes, too. */
void postgresql_stop(void);

#endif
