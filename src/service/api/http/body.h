/* body.h - the body of a request while it arrives: limited, and counted as memory of the service.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_HTTP_BODY_H
#define SEGUE_SERVICE_API_HTTP_BODY_H

#include <microhttpd.h>

#include "segue/internal.h"
#include "service/engine/service.h"

/** All zeros: no body.  bytes.failed: out of memory. */
typedef struct http_body {
    segue_bytes bytes;
    size_t max;      /* bytes that it may have */
    size_t reserved; /* bytes of memory counted for it */
} http_body;

/** Set the limit of a request whose headers are complete.  False: its Content-Length is above it.
 */
bool segue_body_begin(http_body *body, segue_service *service, struct MHD_Connection *connection,
                      const char *method, const char *path);

/** Append a part.  Of a body that is too long, one byte more than the limit is stored. */
void segue_body_append(http_body *body, segue_service *service, const char *data, size_t size);

void segue_body_fini(http_body *body, segue_service *service);

#endif
