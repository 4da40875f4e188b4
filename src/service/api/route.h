/* route.h - the routes of the API.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_ROUTE_H
#define SEGUE_SERVICE_API_ROUTE_H

/* Each route and its name in metrics and in the access log. */
#define SEGUE_ROUTES(X)                                                                            \
    X(NONE, "none")                                                                                \
    X(LIST, "list_learners")                                                                       \
    X(CREATE, "create_learner")                                                                    \
    X(INSPECT, "inspect_learner")                                                                  \
    X(CHANGE, "change_learner")                                                                    \
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

/** The name of a route in metrics and in the access log. */
const char *segue_route_name(segue_route route);

#endif
