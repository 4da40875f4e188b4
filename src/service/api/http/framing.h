/* framing.h - rejects requests whose length is ambiguous.
 *
 * If a proxy and the service disagree on where a request ends, a client can hide a second request
 * in the body of the first one (request smuggling).  What RFC 9112 forbids is rejected, and the
 * connection is closed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_HTTP_FRAMING_H
#define SEGUE_SERVICE_API_HTTP_FRAMING_H

#include <stdbool.h>

struct MHD_Connection;

typedef struct segue_framing {
    const char *fault; /* why the request must be rejected; NULL: it is valid */
    bool chunked;      /* libmicrohttpd is lax about chunks: close the connection after it */
} segue_framing;

/** Check a request whose headers were read.  `method`, `url` and `version` are
 * libmicrohttpd's own pointers; `path` and `query` (or NULL) are copies from its log callback. */
segue_framing segue_framing_check(struct MHD_Connection *connection, const char *method,
                                  const char *url, const char *version, const char *path,
                                  const char *query);

#endif
