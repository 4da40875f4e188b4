/* auth.h - who may call: tokens, how often, and from where.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_AUTH_H
#define SEGUE_SERVICE_API_AUTH_H

#include <pthread.h>
#include <stdbool.h>

#include "segue/status.h"
#include "service/api/routes.h"

#define SEGUE_MAX_TOKENS 64

typedef struct token {
    unsigned char sum[16]; /* of the token, which itself is not kept */
    double level, when;    /* requests it may make now; and when that was so */
} token;

/* Requests without a valid token, since the last report; guarded by lock. */
typedef struct refusals {
    unsigned long long count;
    double reported; /* when that was */
    char address[46];
} refusals;

typedef struct tokens {
    unsigned char key[16];
    token token[SEGUE_MAX_TOKENS]; /* without any, the first one is everybody's */
    size_t count;
    double rate; /* requests a second; 0: any number */
    pthread_mutex_t lock;
    refusals refusals;
} tokens;

/**
 * Take the tokens of a file (token_file.h); NULL: none are needed.
 *
 * @retval SEGUE_EFILE, SEGUE_EDOMAIN
 */
SEGUE_MUST_CHECK segue_status segue_auth_init(tokens *t, const char *path,
                                              const unsigned char key[16], double rate,
                                              segue_error *err);
void segue_auth_fini(tokens *t);

/** Whether a request may go on; else the reply tells why not.  `open`: needs no token. */
bool segue_auth_allow(tokens *t, const segue_request *request, bool open, double now,
                      segue_response *reply);

/** Count a request without a valid token. */
void segue_auth_count_refused(tokens *t, const char *address);

/** Take what is due to be reported: what came since the last report, at most once a minute.  False:
 * nothing is. */
bool segue_auth_report_due(tokens *t, double now, refusals *out);

/** Whether a browser may send this: refused from another origin, and, unless `any_host`, when it
 * was not meant for this machine, which a name that leads here by a trick would be. */
bool segue_auth_allow_origin(const segue_request *request, bool any_host, segue_response *reply);

#endif
