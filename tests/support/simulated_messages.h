/* simulated_messages.h - requests between simulated servers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TESTS_SIMULATED_MESSAGES_H
#define SEGUE_TESTS_SIMULATED_MESSAGES_H

#include "service/cluster/transport.h"

/* Let a response outlive its service, which counts the memory of its body. */
void sim_messages_detach(segue_response *response);

/* The transport of a server. */
segue_transport sim_messages_transport(size_t from);

/* A message that is drawn goes on by one step, or is lost. */
void sim_messages_step(bool is_lost);

/* Every message goes on by one step. */
void sim_messages_advance_all(void);

/* The server was killed: what it worked on has no answer. */
void sim_messages_drop_to(size_t server);

/* Forget all of them; every sender has given up. */
void sim_messages_clear(void);

#endif
