/* calls.h - requests to a service without sockets, for tests.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TESTS_CALLS_H
#define SEGUE_TESTS_CALLS_H

#include "service/api/decision_id.h"
#include "service/engine/service_internal.h"

/* Send a request and expect a status; the start of the response's body goes to `out`. */
enum { CALL_BODY = 4096 };
void call(segue_service *service, int status, const char *method, const char *path,
          const char *body, char out[CALL_BODY]);

/* Create learner 'l' with arms A and B; `more`: further fields, with a comma before each. */
void call_create(segue_service *service, const char *more);

/* Ask learner 'l' for one decision. */
void call_ask(segue_service *service, const char *task, char id[SEGUE_DECISION_ID_LENGTH + 1]);

/* Tell a reward and expect a status. */
void call_tell(segue_service *service, int status, const char *id, double reward);

/* The value of a metric without labels. */
double call_metric(segue_service *service, const char *name);

#endif
