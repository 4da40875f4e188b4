/* auth.c - which requests are allowed: tokens, rate, origin.
 *
 * Only keyed hashes of tokens are in memory.  A request's token is hashed and compared with all of
 * them in constant time, so that timing reveals nothing.  The rate is a token bucket per token,
 * measured in service time.  All threads that serve requests share the struct; `lock` guards the
 * buckets and the rejections.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/auth.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "segue/internal.h"
#include "service/api/http/listen.h"
#include "service/api/token_file.h"
#include "service/state/keyed_hash.h"

#define MAX_RETRY_SECONDS 86400.0
#define REPORT_SECONDS    60.0 /* between two reports of rejected requests */

/* ---- reading ----------------------------------------------------------------------------- */

typedef struct reading {
    auth *into;
    const char *path;
} reading;

static segue_status add(void *context, const char *text, size_t line, segue_error *err)
{
    const reading *from = context;
    auth *a = from->into;
    if (a->count == SEGUE_MAX_TOKENS)
        return segue_fail(err, SEGUE_EDOMAIN, "%s: line %zu: there are more than %d tokens",
                          segue_path_tail(from->path), line, SEGUE_MAX_TOKENS);
    segue_keyed_hash_128(a->key, text, strlen(text), a->token[a->count++].hash);
    return SEGUE_OK;
}

segue_status segue_auth_init(auth *a, const char *path, const unsigned char key[16], double rate,
                             segue_error *err)
{
    *a = (auth){.rate = rate};
    memcpy(a->key, key, sizeof a->key);
    (void)pthread_mutex_init(&a->lock, NULL);
    reading from = {a, path};
    const segue_status status = path ? segue_token_file_read(path, add, &from, err) : SEGUE_OK;
    for (size_t i = 0; i < SEGUE_MAX_TOKENS; i++)
        a->token[i].level = rate;
    return status;
}

void segue_auth_fini(auth *a)
{
    (void)pthread_mutex_destroy(&a->lock);
}

/* ---- checking ---------------------------------------------------------------------------- */

/* Find the token of a request; all tokens are compared, whichever matches.  NULL: none does. */
static token *find(auth *a, const char *authorization)
{
    unsigned char hash[16];
    token *found = NULL;
    if (!authorization || strncasecmp(authorization, "Bearer ", 7) != 0)
        return NULL;
    segue_keyed_hash_128(a->key, authorization + 7, strlen(authorization + 7), hash);
    for (size_t i = 0; i < a->count; i++)
        if (sodium_memcmp(hash, a->token[i].hash, sizeof hash) == 0)
            found = &a->token[i];
    return found;
}

/* Take one request from a bucket that fills at `rate` per second, up to the requests of a second.
 */
static bool take(auth *a, token *from, double now)
{
    if (a->rate <= 0.0)
        return true;
    (void)pthread_mutex_lock(&a->lock);
    const double capacity = fmax(a->rate, 1.0);
    const double passed = now > from->filled ? now - from->filled : 0.0;
    from->level = fmin(from->level + passed * a->rate, capacity);
    from->filled = now;
    const bool enough = from->level >= 1.0;
    from->level -= enough ? 1.0 : 0.0;
    (void)pthread_mutex_unlock(&a->lock);
    return enough;
}

bool segue_auth_allow(auth *a, const segue_request *request, bool open, double now,
                      segue_response *response)
{
    if (open)
        return true;
    token *from = a->count > 0 ? find(a, request->authorization) : &a->token[0];
    if (!from) {
        segue_response_fail(response, 401, "%s; send Authorization: Bearer TOKEN",
                            request->authorization ? "the token is not valid"
                                                   : "the request has no token");
        return false;
    }
    if (take(a, from, now))
        return true;
    const double pause = fmin(ceil(fmax(1.0, 1.0 / a->rate)), MAX_RETRY_SECONDS);
    segue_response_fail(response, 429, "more than %g requests per second; retry in %g s", a->rate,
                        pause);
    response->retry = (unsigned)pause;
    return false;
}

bool segue_auth_knows(auth *a, const char *authorization)
{
    return a->count == 0 || find(a, authorization);
}

/* ---- rejected requests ------------------------------------------------------------------- */

void segue_auth_count_rejected(auth *a, const char *address)
{
    rejections *r = &a->rejections;
    (void)pthread_mutex_lock(&a->lock);
    r->count++;
    (void)snprintf(r->address, sizeof r->address, "%s", address ? address : "");
    (void)pthread_mutex_unlock(&a->lock);
}

bool segue_auth_report_due(auth *a, double now, rejections *out)
{
    rejections *r = &a->rejections;
    (void)pthread_mutex_lock(&a->lock);
    const bool due = r->count > 0 && now - r->reported >= REPORT_SECONDS;
    if (due) {
        r->reported = now;
        *out = *r;
        r->count = 0;
    }
    (void)pthread_mutex_unlock(&a->lock);
    return due;
}

/* ---- origins ----------------------------------------------------------------------------- */

bool segue_auth_allow_origin(const segue_request *request, bool any_host, segue_response *response)
{
    const char *origin = request->origin, *host = request->host ? request->host : "";
    const char *separator = origin ? strstr(origin, "://") : NULL;
    if (origin && (!separator || strcasecmp(separator + 3, host) != 0)) {
        segue_response_fail(response, 403,
                            "requests from pages of another origin are not allowed; call the "
                            "service from your server");
        return false;
    }
    if (!any_host && request->host && !segue_listen_is_local(host)) {
        segue_response_fail(response, 403,
                            "Host is '%.80s'; without tokens only requests for localhost are "
                            "served: start with --token-file",
                            host);
        return false;
    }
    return true;
}
