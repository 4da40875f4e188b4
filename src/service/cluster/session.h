/* session.h - the session of this server in the store.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_CLUSTER_SESSION_H
#define SEGUE_SERVICE_CLUSTER_SESSION_H

#include "service/cluster/cluster.h"

/** Register a session if there is none, or renew it if that is due.  Returns whether it did. */
bool segue_session_turn(cluster *c);

/** Seconds until segue_session_turn has something to do. */
double segue_session_wait(const cluster *c);

/** Return whether the writer serves the registered session: it has forgotten the learners of those
 * before.  Any thread. */
bool segue_session_is_served(const cluster *c);

#endif
