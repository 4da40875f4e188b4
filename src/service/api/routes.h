/* routes.h - from a method and a path to a route.
 *
 * Parsing uses no sockets and no state of the service: a request goes in, a parsed request or an
 * error response comes out.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_ROUTES_H
#define SEGUE_SERVICE_API_ROUTES_H

#include "service/api/request.h"

/** Parse a request.  False: `response` says why not.  Call segue_request_fini in both cases. */
bool segue_routes_parse(const segue_request *request, segue_parsed_request *parsed,
                        segue_response *response);

#endif
