/* tokens.c - who may call: tokens, how often, and from where.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "serve/tokens.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/text.h"
#include "serve/siphash.h"

#define SHORTEST 16
#define LONGEST  256

/* ---- reading ----------------------------------------------------------------------------- */

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if (*text <= ' ' || *text > '~')
            return false;
    return true;
}

static segue_status add(tokens *t, const char *path, size_t line, const char *text,
                        segue_error *err)
{
    const size_t size = strlen(text);
    if (size == 0 || text[0] == '#')
        return SEGUE_OK;
    if (size < SHORTEST || size > LONGEST || !is_printable(text))
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s: line %zu: a token has %d to %d printable characters, no spaces",
                          segue_text_tail(path), line, SHORTEST, LONGEST);
    if (t->count == TOKENS_MOST)
        return segue_fail(err, SEGUE_EDOMAIN, "%s: line %zu: there are more than %d tokens",
                          segue_text_tail(path), line, TOKENS_MOST);
    segue_siphash_128(t->key, text, size, t->token[t->count++].sum);
    return SEGUE_OK;
}

static segue_status read_file(tokens *t, const char *path, segue_error *err)
{
    char line[LONGEST + 3];
    segue_status status = SEGUE_OK;
    FILE *file = fopen(path, "r");
    if (!file)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_text_tail(path),
                          strerror(errno));
    for (size_t i = 1; status == SEGUE_OK && fgets(line, sizeof line, file); i++) {
        line[strcspn(line, "\r\n")] = '\0';
        status = add(t, path, i, line, err);
    }
    if (status == SEGUE_OK && ferror(file))
        status = segue_fail(err, SEGUE_EFILE, "%s: cannot be read: %s", segue_text_tail(path),
                            strerror(errno));
    (void)fclose(file);
    memset(line, 0, sizeof line);
    if (status == SEGUE_OK && t->count == 0)
        status = segue_fail(err, SEGUE_EDOMAIN, "%s: has no token", segue_text_tail(path));
    return status;
}

segue_status segue_tokens_init(tokens *t, const char *path, const unsigned char key[16],
                               double rate, segue_error *err)
{
    *t = (tokens){.rate = rate};
    memcpy(t->key, key, sizeof t->key);
    (void)pthread_mutex_init(&t->lock, NULL);
    const segue_status status = path ? read_file(t, path, err) : SEGUE_OK;
    for (size_t i = 0; i < TOKENS_MOST; i++)
        t->token[i].level = rate;
    return status;
}

void segue_tokens_fini(tokens *t)
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
    segue_siphash_128(t->key, authorization + 7, strlen(authorization + 7), sum);
    for (size_t i = 0; i < t->count; i++)
        if (segue_same_bytes(sum, t->token[i].sum, sizeof sum))
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

bool segue_tokens_allow(tokens *t, const segue_request *request, bool open, double now,
                        segue_reply *reply)
{
    if (open)
        return true;
    token *who = t->count > 0 ? find(t, request->authorization) : &t->token[0];
    if (!who) {
        segue_reply_fail(reply, 401, "%s; send Authorization: Bearer TOKEN",
                         request->authorization ? "the token is not one of the service's"
                                                : "the request has no token");
        return false;
    }
    if (take(t, who, now))
        return true;
    segue_reply_fail(reply, 429, "more than %g requests a second; try again in a second", t->rate);
    return false;
}

/* ---- browsers ---------------------------------------------------------------------------- */

static bool is_local(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t size = strlen(names[i]);
        if (strncasecmp(host, names[i], size) == 0 && (host[size] == '\0' || host[size] == ':'))
            return true;
    }
    return false;
}

bool segue_origin_allow(const segue_request *request, bool any_host, segue_reply *reply)
{
    const char *origin = request->origin, *host = request->host ? request->host : "";
    const char *place = origin ? strstr(origin, "://") : NULL;
    if (origin && (!place || strcasecmp(place + 3, host) != 0)) {
        segue_reply_fail(reply, 403, "pages of another origin may not call the service");
        return false;
    }
    if (!any_host && request->host && !is_local(host)) {
        segue_reply_fail(reply, 403,
                         "without tokens only requests for localhost are served, and this one is "
                         "for '%.80s'",
                         host);
        return false;
    }
    return true;
}
