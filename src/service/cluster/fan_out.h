/* fan_out.h - requests about learners of several servers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_CLUSTER_FAN_OUT_H
#define SEGUE_SERVICE_CLUSTER_FAN_OUT_H

#include "service/engine/service.h"

typedef struct cluster cluster;

/** Return whether several servers answer the request: the list of learners, or rewards of several
 * learners. */
bool segue_fan_out_is_for(const cluster *c, const segue_parsed_request *parsed);

/** Answer it from the answers of the servers; as segue_router_handle. */
bool segue_fan_out_handle(cluster *c, const segue_request *request,
                          const segue_parsed_request *parsed, segue_response *response,
                          segue_completion done, void *context);

/** The learner of a list of rewards; 0: none of them names one.  *several: they name several. */
int64_t segue_fan_out_learner(const cluster *c, const json_t *rewards, bool *several);

#endif
