/* request.h - an HTTP request, as it came and as it was parsed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_REQUEST_H
#define SEGUE_SERVICE_API_REQUEST_H

#include <jansson.h>
#include <stdbool.h>

#include "service/api/decision_id.h"
#include "service/api/http/static_files.h"
#include "service/api/learner_settings.h"
#include "service/api/name.h"
#include "service/api/responses/response.h"

#define SEGUE_MAX_BODY_SIZE   65536      /* bytes */
#define SEGUE_MAX_CREATE_BODY (16 << 20) /* of a learner to create, which may bring a saved one */
#define SEGUE_MAX_TELL_BODY   (1 << 18)  /* of rewards to tell */
#define SEGUE_MAX_ASK_COUNT   1000       /* decisions of one ask */
#define SEGUE_MAX_TELL_COUNT  1000       /* rewards of one tell */

/** A request as it came; texts belong to the caller. */
typedef struct segue_request {
    const char *method, *path; /* the path is percent-encoded */
    const char *query;         /* after the '?', or NULL */
    /* headers, or NULL */
    const char *authorization, *origin, *host, *content_type;
    const char *if_none_match, *accept_encoding;
    const char *id;
    const char *address; /* of the client, or NULL */
    const char *hop;     /* header Segue-Hop: the session of the server that sent it, or NULL */
    const void *body;
    size_t size;
    bool own;        /* of the program itself: it needs no token */
    bool is_allowed; /* a part of a request that was authorized */
} segue_request;

/** A valid request. */
typedef struct segue_parsed_request {
    segue_route route;
    char learner[SEGUE_MAX_NAME_SIZE + 1], task[SEGUE_MAX_NAME_SIZE + 1],
        arm[SEGUE_MAX_NAME_SIZE + 1];
    char event_id[SEGUE_MAX_NAME_SIZE + 1]; /* the field "event"; "": not given */
    char *features;                         /* of a task to open, as stored, or NULL; owned */
    json_t *exclude, *eligible;             /* names of arms, or NULL; owned */
    json_t *rewards;                        /* of a tell of several, or NULL; owned */
    json_t *origins;                        /* of a learner to merge, or NULL; owned */
    json_t *change;                         /* settings to change, or NULL; owned */
    uint64_t count;                         /* decisions; 0: one, in the plain form */
    bool probability, explain, force;
    char chosen[SEGUE_MAX_NAME_SIZE + 1]; /* the caller's arm, in shadow mode; "": not given ... */
    double chosen_probability;            /* ... and its probability; 0: not given */
    bool tells;                           /* `decision` and `reward` are given */
    char decision[SEGUE_MAX_DECISION_ID_LENGTH + 1];
    double reward;
    char tell_event_id[SEGUE_MAX_NAME_SIZE + 1]; /* the field "event" of the tell; "": not given */
    uint64_t limit;                              /* of a list of tasks */
    int open;                  /* 1: only open tasks, 0: only closed tasks, -1: all */
    learner_settings settings; /* of a learner to create; owned */
    const segue_static_file *page;
} segue_parsed_request;

/** Bytes that the body of a request may have. */
size_t segue_request_max_body(const char *method, const char *path);

/** The right that a body above SEGUE_MAX_BODY_SIZE needs. */
segue_right segue_request_body_right(const char *path);

/** Parse the JSON body for the route of `parsed`.  False: `response` says why not. */
bool segue_request_parse_body(const segue_request *request, segue_parsed_request *parsed,
                              segue_response *response);

/** Read one reward of a list of them.  @retval SEGUE_EDOMAIN  the message names the field */
SEGUE_MUST_CHECK segue_status segue_request_read_reward(json_t *item, segue_parsed_request *parsed,
                                                        segue_error *err);

/** Parse the query of a list of tasks.  False: `response` says why not. */
bool segue_request_parse_query(const segue_request *request, segue_parsed_request *parsed,
                               segue_response *response);

void segue_request_fini(segue_parsed_request *parsed);

#endif
