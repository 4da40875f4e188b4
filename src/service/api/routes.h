/* routes.h - a request to what it asks for: no sockets, no state.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_ROUTES_H
#define SEGUE_SERVICE_API_ROUTES_H

#include <jansson.h>
#include <stdbool.h>

#include "segue/internal.h"
#include "service/api/decision_id.h"
#include "service/api/learner_settings.h"
#include "service/api/static_files.h"
#include "service/state/memory.h"

#define SEGUE_MAX_BODY_SIZE 65536 /* bytes */
#define SEGUE_MAX_ASK_COUNT 1000  /* decisions of one ask */

/* What can be asked for: name in metrics and logs. */
#define SEGUE_ROUTES(X)                                                                            \
    X(NONE, "none")                                                                                \
    X(LIST, "list_learners")                                                                       \
    X(CREATE, "create_learner")                                                                    \
    X(INSPECT, "inspect_learner")                                                                  \
    X(DELETE, "delete_learner")                                                                    \
    X(HISTORY, "learner_history")                                                                  \
    X(VERSIONS, "learner_versions")                                                                \
    X(DECISIONS, "learner_decisions")                                                              \
    X(ADD_ARM, "add_arm")                                                                          \
    X(RETIRE_ARM, "retire_arm")                                                                    \
    X(TASKS, "list_tasks")                                                                         \
    X(OPEN, "open_task")                                                                           \
    X(TASK, "inspect_task")                                                                        \
    X(CLOSE, "close_task")                                                                         \
    X(ASK, "ask")                                                                                  \
    X(TELL, "tell")                                                                                \
    X(HEALTH, "healthz")                                                                           \
    X(READY, "readyz")                                                                             \
    X(METRICS, "metrics")                                                                          \
    X(PAGE, "page")

typedef enum segue_route {
#define SEGUE_ROUTE_ENUM(name, text) ROUTE_##name,
    SEGUE_ROUTES(SEGUE_ROUTE_ENUM)
#undef SEGUE_ROUTE_ENUM
        N_ROUTES
} segue_route;

const char *segue_routes_name(segue_route route);

typedef struct segue_request {
    const char *method, *path; /* the path as it came, percent-encoded */
    const char *query;         /* behind the '?', or NULL */
    /* headers, or NULL */
    const char *authorization, *origin, *host, *content_type;
    const char *if_none_match;
    const char *id;
    const char *address; /* of the caller, or NULL */
    const void *body;
    size_t size;
    bool own; /* of the program itself: no token is asked for */
} segue_request;

typedef struct segue_response {
    segue_route route;
    int status;
    const char *type;              /* of the body */
    const char *allow;             /* the header, or NULL */
    unsigned retry;                /* Retry-After in seconds; 0: waiting does not help */
    bool authorized;               /* it had a valid token, or the service asks for none */
    const segue_static_file *page; /* what is sent in place of `body`, or with 304 not sent */
    segue_bytes body;
    memory *memory; /* that `held` bytes of the body are counted in, or NULL */
    size_t held;
    char id[SEGUE_MAX_NAME_SIZE + 1]; /* of the request */
} segue_response;

void segue_response_fini(segue_response *reply);

/** Make it an error with that status and sentence.  503 says Retry-After: such conditions end by
 * themselves; set `retry` to 0 afterwards where this one does not, or for 429 where it does. */
void segue_response_fail(segue_response *reply, int status, const char *format, ...)
    SEGUE_PRINTF(3, 4);

/** The same, of a status of the library: 400 where the input is wrong, 503 where it is not. */
void segue_response_fail_status(segue_response *reply, const segue_error *why);

/** Too many requests that read or decide long are under way. */
void segue_response_busy(segue_response *reply);

/** There is no learner of that name. */
void segue_response_no_learner(segue_response *reply, const char *name);

/** Say in a refusal what became of the reward that came with an ask: it was counted all the same.
 */
void segue_response_add_reward(segue_response *reply, const segue_bytes *told);

/** A request that was understood. */
typedef struct segue_parsed_request {
    segue_route route;
    char learner[SEGUE_MAX_NAME_SIZE + 1], task[SEGUE_MAX_NAME_SIZE + 1],
        arm[SEGUE_MAX_NAME_SIZE + 1];
    char event[SEGUE_MAX_NAME_SIZE + 1]; /* "": none */
    json_t *exclude;                     /* a list of names, or NULL; owned */
    uint64_t count;                      /* decisions; 0: one, in the plain form */
    bool probability, explain;
    bool tells;
    char decision[SEGUE_DECISION_ID_LENGTH + 1];
    double reward;
    uint64_t limit; /* of a list of tasks */
    int open;       /* 1: only open ones, 0: only closed ones, -1: all */
    words words;    /* of a learner to create */
    const segue_static_file *page;
} segue_parsed_request;

/** Understand a request; false: `reply` tells why not.  Free the call in both cases. */
bool segue_routes_parse(const segue_request *request, segue_parsed_request *call,
                        segue_response *reply);
void segue_routes_request_fini(segue_parsed_request *call);

#endif
