/* auth.c - which requests are allowed: tokens and their rights, rate, origin.
 *
 * Only keyed hashes of tokens are in memory.  A request's token is hashed and compared with all of
 * them in constant time, so that timing reveals nothing.  The rate is a token bucket per token,
 * measured in service time.  All threads that serve requests share the struct; `lock` guards the
 * tokens, which a reload replaces as a whole, and the rejections.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/access/auth.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "segue/internal.h"
#include "service/api/access/token_file.h"
#include "service/api/http/listen.h"
#include "service/state/keyed_hash.h"

#define MAX_RETRY_SECONDS 86400.0
#define REPORT_SECONDS    60.0 /* between two reports of rejected requests */

/* ---- reading ----------------------------------------------------------------------------- */

typedef struct reading {
    const auth *of;
    token_list *into;
} reading;

/* Find a token by its hash; all are compared, whichever matches.  NULL: none does. */
static token *find_hash(token_list *tokens, const unsigned char hash[16])
{
    token *found = NULL;
    for (size_t i = 0; i < tokens->count; i++)
        if (sodium_memcmp(hash, tokens->token[i].hash, sizeof tokens->token[i].hash) == 0)
            found = &tokens->token[i];
    return found;
}

/* A line that repeats an earlier one changes nothing; with another name or right it is an error. */
static segue_status check_repeated(const reading *from, const token *first,
                                   const segue_token_line *line, segue_error *err)
{
    const bool both_alone = strchr(first->name, ' ') && strchr(line->name, ' ');
    if (both_alone || (strcmp(first->name, line->name) == 0 && first->right == line->right))
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EDOMAIN,
                      "%s: line %zu: the token of '%s' again, with another name or right; remove "
                      "one of the two lines",
                      segue_path_tail(from->of->path), line->number, first->name);
}

static segue_status add(void *context, const segue_token_line *line, segue_error *err)
{
    const reading *from = context;
    token_list *into = from->into;
    token fresh = {.right = line->right, .level = from->of->rate};
    segue_keyed_hash_128(from->of->key, line->token, strlen(line->token), fresh.hash);
    const token *first = find_hash(into, fresh.hash);
    if (first)
        return check_repeated(from, first, line, err);
    if (into->count == SEGUE_MAX_TOKENS)
        return segue_fail(err, SEGUE_EDOMAIN, "%s: line %zu: there are more than %d tokens",
                          segue_path_tail(from->of->path), line->number, SEGUE_MAX_TOKENS);
    memcpy(fresh.name, line->name, sizeof fresh.name);
    into->token[into->count++] = fresh;
    return SEGUE_OK;
}

static segue_status read_tokens(const auth *a, token_list *out, segue_error *err)
{
    reading from = {a, out};
    *out = (token_list){.token = {{.right = RIGHT_ADMIN, .level = a->rate}}};
    return a->path ? segue_token_file_read(a->path, add, &from, err) : SEGUE_OK;
}

segue_status segue_auth_init(auth *a, const char *path, const unsigned char key[16], double rate,
                             segue_error *err)
{
    *a = (auth){.path = path, .rate = rate};
    memcpy(a->key, key, sizeof a->key);
    (void)pthread_mutex_init(&a->lock, NULL);
    return read_tokens(a, &a->tokens, err);
}

void segue_auth_fini(auth *a)
{
    (void)pthread_mutex_destroy(&a->lock);
}

/* Replace the tokens.  One that stays has its bucket still.  True: something has changed.  Under
 * the lock. */
static bool replace(auth *a, token_list *fresh)
{
    bool changed = fresh->count != a->tokens.count;
    for (size_t i = 0; i < fresh->count; i++) {
        token *to = &fresh->token[i];
        const token *before = find_hash(&a->tokens, to->hash);
        changed =
            changed || !before || before->right != to->right || strcmp(before->name, to->name) != 0;
        if (before) {
            to->level = before->level;
            to->filled = before->filled;
        }
    }
    a->tokens = *fresh;
    return changed;
}

segue_status segue_auth_reload(auth *a, size_t *count, segue_error *err)
{
    token_list fresh;
    *count = 0;
    if (!a->path)
        return SEGUE_OK;
    SEGUE_TRY(read_tokens(a, &fresh, err));
    (void)pthread_mutex_lock(&a->lock);
    if (replace(a, &fresh))
        *count = fresh.count;
    (void)pthread_mutex_unlock(&a->lock);
    return SEGUE_OK;
}

/* ---- checking ---------------------------------------------------------------------------- */

/* Hash the token of a request, before the lock is taken.  False: it has none. */
static bool hash_token(const auth *a, const char *authorization, unsigned char hash[16])
{
    if (!authorization || strncasecmp(authorization, "Bearer ", 7) != 0)
        return false;
    segue_keyed_hash_128(a->key, authorization + 7, strlen(authorization + 7), hash);
    return true;
}

/* Take one request from a bucket that fills at `rate` per second, up to the requests of a second.
 * Under the lock. */
static bool take(const auth *a, token *from, double now)
{
    if (a->rate <= 0.0)
        return true;
    const double capacity = fmax(a->rate, 1.0);
    const double passed = now > from->filled ? now - from->filled : 0.0;
    from->level = fmin(from->level + passed * a->rate, capacity);
    from->filled = now;
    const bool enough = from->level >= 1.0;
    from->level -= enough ? 1.0 : 0.0;
    return enough;
}

/* Find the token of a request, or of all requests if they need none, and take from its bucket.
 * False: it has no valid token. */
static bool use_token(auth *a, const char *authorization, double now, token *out, bool *enough)
{
    unsigned char hash[16];
    const bool has_hash = a->path && hash_token(a, authorization, hash);
    (void)pthread_mutex_lock(&a->lock);
    token *found = !a->path ? &a->tokens.token[0] : has_hash ? find_hash(&a->tokens, hash) : NULL;
    *enough = found && take(a, found, now);
    if (found)
        *out = *found;
    (void)pthread_mutex_unlock(&a->lock);
    return found;
}

static void fail_token(const segue_request *request, segue_response *response)
{
    segue_response_fail(response, 401, "%s; send Authorization: Bearer TOKEN",
                        request->authorization ? "the token is not valid"
                                               : "the request has no token");
}

static void fail_rate(const auth *a, segue_response *response)
{
    const double pause = fmin(ceil(fmax(1.0, 1.0 / a->rate)), MAX_RETRY_SECONDS);
    segue_response_fail(response, 429, "more than %g requests per second; retry in %g s", a->rate,
                        pause);
    response->retry = (unsigned)pause;
}

static void fail_right(const token *from, segue_right needed, segue_response *response)
{
    segue_response_fail(response, 403,
                        "the token '%s' has the right %s and this request needs the right %s; use "
                        "a token that has it",
                        from->name, segue_right_name(from->right), segue_right_name(needed));
}

bool segue_auth_allow(auth *a, const segue_request *request, segue_right needed, double now,
                      segue_response *response)
{
    token from;
    bool enough = false;
    if (needed == RIGHT_NONE)
        return true;
    if (!use_token(a, request->authorization, now, &from, &enough)) {
        fail_token(request, response);
        return false;
    }
    memcpy(response->caller, from.name, sizeof response->caller);
    response->authorized = enough;
    if (enough && from.right >= needed)
        return true;
    if (enough)
        fail_right(&from, needed, response);
    else
        fail_rate(a, response);
    return false;
}

bool segue_auth_has_right(auth *a, const char *authorization, segue_right needed)
{
    unsigned char hash[16];
    if (!a->path)
        return true;
    if (!hash_token(a, authorization, hash))
        return false;
    (void)pthread_mutex_lock(&a->lock);
    const token *found = find_hash(&a->tokens, hash);
    const bool enough = found && found->right >= needed;
    (void)pthread_mutex_unlock(&a->lock);
    return enough;
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
