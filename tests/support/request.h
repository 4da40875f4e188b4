/* request.h - requests to a service without sockets, for tests.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TESTS_REQUEST_H
#define SEGUE_TESTS_REQUEST_H

#include "service/engine/service.h"

enum { REQUEST_PATH = 512 };

/** A request of this machine; the texts are borrowed, and `path` has no query. */
segue_request request_of(const char *method, const char *path, const char *body);

/** A request whose `path` may have a query; `copy` holds its text. */
segue_request request_with_query(char copy[REQUEST_PATH], const char *method, const char *path,
                                 const char *body);

/* Return the id in the body of an ask's response, for free(), or NULL; frees the body. */
char *take_decision_id(char *body);

#endif
