/* keeper.h - take learners and serve them; resign those above this server's share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_CLUSTER_KEEPER_H
#define SEGUE_SERVICE_CLUSTER_KEEPER_H

#include "service/cluster/cluster.h"

/** Do one thing that is due.  Returns whether it did. */
bool segue_keeper_turn(cluster *c);

/** Return whether it has something to do now. */
bool segue_keeper_is_due(cluster *c);

#endif
