/* auth.h - which requests are allowed: tokens and their rights, rate, origin.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_ACCESS_AUTH_H
#define SEGUE_SERVICE_API_ACCESS_AUTH_H

#include <pthread.h>
#include <stdbool.h>

#include "segue/status.h"
#include "service/api/request.h"

#define SEGUE_MAX_TOKENS 64

typedef struct token {
    unsigned char hash[16]; /* keyed hash of the token; the token itself is not in memory */
    char name[SEGUE_MAX_TOKEN_NAME_SIZE + 1];
    segue_right right;
    double level, filled; /* requests in its bucket, at this time */
} token;

typedef struct token_list {
    token token[SEGUE_MAX_TOKENS]; /* without tokens, all requests share the first bucket */
    size_t count;
} token_list;

/* Requests without a valid token since the last report. */
typedef struct rejections {
    unsigned long long count;
    double reported;  /* time of the last report */
    char address[46]; /* of the last client */
} rejections;

typedef struct auth {
    unsigned char key[16];
    const char *path; /* of the token file; NULL: requests need no token */
    double rate;      /* requests per second and token; 0: no limit */
    pthread_mutex_t lock;
    token_list tokens;     /* guarded by lock */
    rejections rejections; /* guarded by lock */
} auth;

/**
 * Read the tokens of a file (token_file.h); NULL: no token is needed.  `key` is for the hashes.
 * The path is borrowed.
 *
 * @retval SEGUE_EFILE, SEGUE_EDOMAIN
 */
SEGUE_MUST_CHECK segue_status segue_auth_init(auth *a, const char *path,
                                              const unsigned char key[16], double rate,
                                              segue_error *err);
void segue_auth_fini(auth *a);

/**
 * Read the file again.  On failure the old tokens stay valid.  *count is the number of tokens, or 0
 * if nothing has changed.
 *
 * @retval SEGUE_EFILE, SEGUE_EDOMAIN
 */
SEGUE_MUST_CHECK segue_status segue_auth_reload(auth *a, size_t *count, segue_error *err);

/** Check the token of a request, its rate and its right.  False: `response` says why not.  In both
 * cases `response` has the token's name.  RIGHT_NONE: the route needs no token. */
bool segue_auth_allow(auth *a, const segue_request *request, segue_right needed, double now,
                      segue_response *response);

/** Test whether a header `Authorization`, or NULL, has a token with this right, or no token is
 * needed. */
bool segue_auth_has_right(auth *a, const char *authorization, segue_right needed);

/** Count a request without a valid token. */
void segue_auth_count_rejected(auth *a, const char *address);

/** Take the rejections since the last report, at most once per minute.  False: no report is due. */
bool segue_auth_report_due(auth *a, double now, rejections *out);

/** Check the origin of a request.  Pages of another origin are rejected.  Unless `any_host`, so is
 * a Host that is not this machine: a hostile page may point a name of its own here (DNS rebinding).
 */
bool segue_auth_allow_origin(const segue_request *request, bool any_host, segue_response *response);

#endif
