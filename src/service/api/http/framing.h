/* framing.h - whether a request's head leaves no doubt where the request ends.
 *
 * A proxy and the service that disagree on that let a caller hide a second request in the body of a
 * first one (request smuggling).  What RFC 9112 forbids is refused, and the connection is closed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_HTTP_FRAMING_H
#define SEGUE_SERVICE_API_HTTP_FRAMING_H

#include <stdbool.h>

struct MHD_Connection;

typedef struct segue_framing {
    const char *fault; /* a sentence: the request is to be refused; NULL: it is sound */
    bool chunked;      /* libmicrohttpd is lax about chunks: close the connection after it */
} segue_framing;

/** Look at a request whose headers have come.  `method`, `url` and `version` are those that
 * libmicrohttpd gives; `path` and `query` (or NULL) are copies of what its log callback saw. */
segue_framing segue_framing_check(struct MHD_Connection *connection, const char *method,
                                  const char *url, const char *version, const char *path,
                                  const char *query);

#endif
