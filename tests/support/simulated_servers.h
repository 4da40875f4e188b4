/* simulated_servers.h - several servers on one database, in one thread: clocks, messages and failures
 * come from a seed.
 *
 * Nothing runs by itself: a step of the simulation runs a part of one server, delivers or loses one
 * message, lets time pass for all, or has a server fail.  A server can be suspended in the middle of
 * COMMIT while the others go on.  The database is a real one; time passes for it by moving the
 * expiry of sessions.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TESTS_SIMULATED_SERVERS_H
#define SEGUE_TESTS_SIMULATED_SERVERS_H

#include "service/cluster/cluster.h"
#include "service/engine/service_internal.h"

enum { SIM_SERVERS = 3 };
#define SIM_TTL 100.0 /* seconds of the simulation */

typedef struct sim_counts {
    size_t steps, sent, lost, suspended, partitions, cut, unknown, killed, paused;
} sim_counts;
extern sim_counts sim_counts_all;

/* Draw a number below n. */
uint64_t sim_draw(uint64_t n);

/* Start all servers on the store `name`; stop them as after a kill.  `clients` is called at each step. */
void sim_start(const char *name, uint64_t seed, void (*clients)(void));
void sim_stop(void);

/* The service of a server; NULL: it was killed. */
segue_service *sim_service(size_t server);
bool sim_is_running(size_t server); /* neither killed, stopped nor suspended */

bool sim_is_writing(size_t server); /* its writer waits for the database */

/* Do one thing that is drawn. */
void sim_step(void);

/* Let all servers and messages go on for a moment, without failures. */
void sim_heal_once(void);

/* Failures end, all messages arrive, time passes until all is quiet. */
void sim_heal(void);

#endif
