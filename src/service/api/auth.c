/* auth.c - who may call: tokens, how often, and from where.
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

#define PAUSE_MOST   86400.0 /* seconds, of what a caller is told to wait */
#define REPORT_PAUSE 60.0    /* seconds between two reports of refused requests */

/* ---- reading ----------------------------------------------------------------------------- */

typedef struct taking {
    tokens *into;
    const char *path;
} taking;

static segue_status add(void *context, const char *text, size_t line, segue_error *err)
{
    const taking *from = context;
    tokens *t = from->into;
    if (t->count == SEGUE_MAX_TOKENS)
        return segue_fail(err, SEGUE_EDOMAIN, "%s: line %zu: there are more than %d tokens",
                          segue_path_tail(from->path), line, SEGUE_MAX_TOKENS);
    segue_keyed_hash_128(t->key, text, strlen(text), t->token[t->count++].sum);
    return SEGUE_OK;
}

segue_status segue_auth_init(tokens *t, const char *path, const unsigned char key[16], double rate,
                             segue_error *err)
{
    *t = (tokens){.rate = rate};
    memcpy(t->key, key, sizeof t->key);
    (void)pthread_mutex_init(&t->lock, NULL);
    taking from = {t, path};
    const segue_status status = path ? segue_token_file_read(path, add, &from, err) : SEGUE_OK;
    for (size_t i = 0; i < SEGUE_MAX_TOKENS; i++)
        t->token[i].level = rate;
    return status;
}

void segue_auth_fini(tokens *t)
{
    (void)pthread_mutex_destroy(&t->lock);
}

/* ---- asking ------------------------------------------------------------------------------ */

/* The token of a request, looked for among all in the same time; NULL: it has none of them. */
static token *find(tokens *t, const char *authorization)
{
    unsigned char sum[16];
    token *found = NULL;
    if (!authorization || strncasecmp(authorization, "Bearer ", 7) != 0)
        return NULL;
    segue_keyed_hash_128(t->key, authorization + 7, strlen(authorization + 7), sum);
    for (size_t i = 0; i < t->count; i++)
        if (sodium_memcmp(sum, t->token[i].sum, sizeof sum) == 0)
            found = &t->token[i];
    return found;
}

/* A bucket that fills with `rate` a second, up to a second's worth. */
static bool take(tokens *t, token *who, double now)
{
    if (t->rate <= 0.0)
        return true;
    (void)pthread_mutex_lock(&t->lock);
    const double most = t->rate < 1.0 ? 1.0 : t->rate;
    const double passed = now > who->when ? now - who->when : 0.0;
    who->level = who->level + passed * t->rate < most ? who->level + passed * t->rate : most;
    who->when = now;
    const bool enough = who->level >= 1.0;
    who->level -= enough ? 1.0 : 0.0;
    (void)pthread_mutex_unlock(&t->lock);
    return enough;
}

bool segue_auth_allow(tokens *t, const segue_request *request, bool open, double now,
                      segue_response *reply)
{
    if (open)
        return true;
    token *who = t->count > 0 ? find(t, request->authorization) : &t->token[0];
    if (!who) {
        segue_response_fail(reply, 401, "%s; send Authorization: Bearer TOKEN",
                            request->authorization ? "the token is not one of the service's"
                                                   : "the request has no token");
        return false;
    }
    if (take(t, who, now))
        return true;
    const double pause = fmin(ceil(fmax(1.0, 1.0 / t->rate)), PAUSE_MOST);
    segue_response_fail(reply, 429, "more than %g requests a second; try again in %g s", t->rate,
                        pause);
    reply->retry = (unsigned)pause;
    return false;
}

/* ---- refused requests -------------------------------------------------------------------- */

void segue_auth_count_refused(tokens *t, const char *address)
{
    refusals *r = &t->refusals;
    (void)pthread_mutex_lock(&t->lock);
    r->count++;
    (void)snprintf(r->address, sizeof r->address, "%s", address ? address : "");
    (void)pthread_mutex_unlock(&t->lock);
}

bool segue_auth_report_due(tokens *t, double now, refusals *out)
{
    refusals *r = &t->refusals;
    (void)pthread_mutex_lock(&t->lock);
    const bool due = r->count > 0 && now - r->reported >= REPORT_PAUSE;
    if (due) {
        r->reported = now;
        *out = *r;
        r->count = 0;
    }
    (void)pthread_mutex_unlock(&t->lock);
    return due;
}

/* ---- browsers ---------------------------------------------------------------------------- */

bool segue_auth_allow_origin(const segue_request *request, bool any_host, segue_response *reply)
{
    const char *origin = request->origin, *host = request->host ? request->host : "";
    const char *place = origin ? strstr(origin, "://") : NULL;
    if (origin && (!place || strcasecmp(place + 3, host) != 0)) {
        segue_response_fail(reply, 403, "pages of another origin may not call the service");
        return false;
    }
    if (!any_host && request->host && !segue_listen_is_local(host)) {
        segue_response_fail(
            reply, 403,
            "without tokens only requests for localhost are served, and this one is "
            "for '%.80s'",
            host);
        return false;
    }
    return true;
}
