/* proxy.h - a socket between a client of PostgreSQL and its server, which can cut connections.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TESTS_PROXY_H
#define SEGUE_TESTS_PROXY_H

typedef enum proxy_cut {
    PROXY_WHOLE,         /* pass everything on */
    PROXY_CUT_COMMIT,    /* cut the connection instead of passing COMMIT on */
    PROXY_CUT_ANSWER,    /* pass COMMIT on, and cut the connection instead of passing its answer */
    PROXY_CUT_AND_REFUSE /* the same, and close new connections at once */
} proxy_cut;

/* Serve on the socket .s.PGSQL.5432 of a folder, for the server whose socket is in another one. */
void proxy_start(const char *folder, const char *server_folder);
/* Set the fate of the next COMMIT; after it the proxy is whole again, or refuses. */
void proxy_set(proxy_cut cut);
void proxy_stop(void);

#endif
