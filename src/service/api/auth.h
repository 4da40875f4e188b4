/* auth.h - which requests are allowed: tokens, rate, origin.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_AUTH_H
#define SEGUE_SERVICE_API_AUTH_H

#include <pthread.h>
#include <stdbool.h>

#include "segue/status.h"
#include "service/api/request.h"

#define SEGUE_MAX_TOKENS 64

typedef struct token {
    unsigned char hash[16]; /* keyed hash of the token; the token itself is not in memory */
    double level, filled;   /* requests in its bucket, at this time; guarded by lock */
} token;

/* Requests without a valid token since the last report; guarded by lock. */
typedef struct rejections {
    unsigned long long count;
    double reported;  /* time of the last report */
    char address[46]; /* of the last client */
} rejections;

typedef struct auth {
    unsigned char key[16];
    token token[SEGUE_MAX_TOKENS]; /* without tokens, all requests share the first bucket */
    size_t count;
    double rate; /* requests per second and token; 0: no limit */
    pthread_mutex_t lock;
    rejections rejections;
} auth;

/**
 * Read the tokens of a file (token_file.h); NULL: no token is needed.  `key` is for the hashes.
 *
 * @retval SEGUE_EFILE, SEGUE_EDOMAIN
 */
SEGUE_MUST_CHECK segue_status segue_auth_init(auth *a, const char *path,
                                              const unsigned char key[16], double rate,
                                              segue_error *err);
void segue_auth_fini(auth *a);

/** Check the token and the rate of a request.  False: `response` says why not.  `open`: the route
 * needs no token. */
bool segue_auth_allow(auth *a, const segue_request *request, bool open, double now,
                      segue_response *response);

/** Test whether a header `Authorization`, or NULL, has a valid token, or none is needed. */
bool segue_auth_knows(auth *a, const char *authorization);

/** Count a request without a valid token. */
void segue_auth_count_rejected(auth *a, const char *address);

/** Take the rejections since the last report, at most once per minute.  False: no report is due. */
bool segue_auth_report_due(auth *a, double now, rejections *out);

/** Check the origin of a request.  Pages of another origin are rejected.  Unless `any_host`, so is
 * a Host that is not this machine: a hostile page may point a name of its own here (DNS rebinding).
 */
bool segue_auth_allow_origin(const segue_request *request, bool any_host, segue_response *response);

#endif
