/* route.h - the routes of the API.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_ROUTE_H
#define SEGUE_SERVICE_API_ROUTE_H

#include "service/api/access/right.h"

/* Each route, its name in metrics and in the access log, and the right that it needs.  NONE is the
 * route of requests that have no other. */
#define SEGUE_ROUTES(X)                                                                            \
    X(NONE, "none", READ)                                                                          \
    X(LIST, "list_learners", READ)                                                                 \
    X(CREATE, "create_learner", ADMIN)                                                             \
    X(INSPECT, "inspect_learner", READ)                                                            \
    X(CHANGE, "change_learner", ADMIN)                                                             \
    X(DELETE, "delete_learner", ADMIN)                                                             \
    X(HISTORY, "learner_history", READ)                                                            \
    X(VERSIONS, "learner_versions", READ)                                                          \
    X(DECISIONS, "learner_decisions", READ)                                                        \
    X(SHADOW, "shadow_report", READ)                                                               \
    X(EXPORT, "export_learner", ADMIN)                                                             \
    X(MERGE, "merge_learner", ADMIN)                                                               \
    X(ADD_ARM, "add_arm", ADMIN)                                                                   \
    X(RETIRE_ARM, "retire_arm", ADMIN)                                                             \
    X(RESUME, "resume_transfer", ADMIN)                                                            \
    X(TASKS, "list_tasks", READ)                                                                   \
    X(OPEN, "open_task", DECIDE)                                                                   \
    X(TASK, "inspect_task", READ)                                                                  \
    X(ERASE, "erase_task", ADMIN)                                                                  \
    X(CLOSE, "close_task", DECIDE)                                                                 \
    X(ASK, "ask", DECIDE)                                                                          \
    X(TELL, "tell", DECIDE)                                                                        \
    X(HEALTH, "healthz", NONE)                                                                     \
    X(READY, "readyz", NONE)                                                                       \
    X(METRICS, "metrics", READ)                                                                    \
    X(PAGE, "page", NONE)

typedef enum segue_route {
#define SEGUE_ROUTE_ENUM(name, text, right) ROUTE_##name,
    SEGUE_ROUTES(SEGUE_ROUTE_ENUM)
#undef SEGUE_ROUTE_ENUM
        N_ROUTES
} segue_route;

/** The name of a route in metrics and in the access log. */
const char *segue_route_name(segue_route route);

/** The right that a route needs. */
segue_right segue_route_right(segue_route route);

#endif
