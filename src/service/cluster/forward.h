/* forward.h - requests to other servers, by HTTP.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_CLUSTER_FORWARD_H
#define SEGUE_SERVICE_CLUSTER_FORWARD_H

#include "service/cluster/transport.h"

/** Open a transport with a thread of its own.
 * @retval SEGUE_EIO  libcurl cannot be used
 * @retval SEGUE_ENOMEM, SEGUE_ETHREAD */
SEGUE_MUST_CHECK segue_status segue_forward_open(segue_transport *out, segue_error *err);

#endif
