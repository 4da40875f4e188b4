/* body.c - the body of a request while it arrives.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/http/body.h"

#include "segue/number.h"
#include "service/api/request.h"

/* A long body, of a learner to create or of many rewards, is read from a client that may send it. */
bool segue_body_begin(http_body *body, segue_service *service, struct MHD_Connection *connection,
                      const char *method, const char *path)
{
    const char *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
    const char *token = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    uint64_t size = 0;
    body->max = segue_request_max_body(method, path);
    if (body->max > SEGUE_MAX_BODY_SIZE &&
        !segue_service_has_right(service, token, segue_request_body_right(path)))
        body->max = SEGUE_MAX_BODY_SIZE;
    return !length ||
           segue_number_parse_integer(length, 0, UINT64_MAX / 2, &size, NULL) != SEGUE_OK ||
           size <= body->max;
}

void segue_body_append(http_body *body, segue_service *service, const char *data, size_t size)
{
    const size_t before = body->bytes.capacity;
    if (body->bytes.size > body->max)
        return; /* one byte too many is enough to reject it */
    segue_bytes_append(&body->bytes, data, size < body->max + 1 ? size : body->max + 1);
    const size_t more = body->bytes.capacity - before;
    if (segue_service_reserve_body(service, more))
        body->reserved += more;
    else
        body->bytes.failed = true;
}

void segue_body_fini(http_body *body, segue_service *service)
{
    segue_service_release_body(service, body->reserved);
    segue_bytes_fini(&body->bytes);
}
