/* tls.c - the certificate and key of HTTPS, which can be replaced while the service runs.
 *
 * A credential is constant.  A reload publishes a new one through an atomic pointer; handshakes of
 * any thread take the current one.  A handshake may use its credential until it ends, so replaced
 * credentials are freed with the segue_tls.  A reload of unchanged files makes no new credential:
 * SIGHUP, which log rotation sends often, takes no memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/http/tls.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"
#include "service/api/http/connections.h"

#define MAX_CHAIN 16 /* certificates */

const char segue_tls_priorities[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

typedef struct credential {
    struct credential *older;
    gnutls_datum_t files[2]; /* as read: certificate and key */
    gnutls_pcert_st chain[MAX_CHAIN];
    unsigned length; /* of the chain */
    gnutls_privkey_t key;
} credential;

struct segue_tls {
    const char *certificate, *key; /* paths */
    _Atomic(credential *) current;
};

/* ---- reading ----------------------------------------------------------------------------- */

static void free_file(gnutls_datum_t *file)
{
    if (file->data)
        gnutls_memset(file->data, 0, file->size);
    gnutls_free(file->data);
}

static void destroy(credential *c)
{
    for (unsigned i = 0; i < c->length; i++)
        gnutls_pcert_deinit(&c->chain[i]);
    gnutls_privkey_deinit(c->key);
    free_file(&c->files[0]);
    free_file(&c->files[1]);
    free(c);
}

static segue_status read_file(const char *path, gnutls_datum_t *out, segue_error *err)
{
    errno = 0;
    if (gnutls_load_file(path, out) == GNUTLS_E_SUCCESS)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EFILE, "%s: cannot be read: %s", segue_path_tail(path),
                      strerror(errno ? errno : EIO));
}

static segue_status parse_chain(const segue_tls *tls, credential *c, segue_error *err)
{
    unsigned length = MAX_CHAIN;
    const int code =
        gnutls_pcert_list_import_x509_raw(c->chain, &length, &c->files[0], GNUTLS_X509_FMT_PEM, 0);
    if (code == GNUTLS_E_SUCCESS) {
        c->length = length;
        return SEGUE_OK;
    }
    return segue_fail(err, SEGUE_EDOMAIN,
                      "%s: is not a certificate: %s; need PEM, the service's certificate first, at "
                      "most %d",
                      segue_path_tail(tls->certificate), gnutls_strerror(code), MAX_CHAIN);
}

static segue_status parse_key(const segue_tls *tls, credential *c, segue_error *err)
{
    int code = gnutls_privkey_init(&c->key);
    if (code == GNUTLS_E_SUCCESS)
        code = gnutls_privkey_import_x509_raw(c->key, &c->files[1], GNUTLS_X509_FMT_PEM, NULL, 0);
    return code == GNUTLS_E_SUCCESS
               ? SEGUE_OK
               : segue_fail(err, SEGUE_EDOMAIN,
                            "%s: is not a private key: %s; need PEM without a password",
                            segue_path_tail(tls->key), gnutls_strerror(code));
}

/* The key belongs to the certificate if both have the same public key. */
static bool key_matches(const credential *c)
{
    unsigned char of_key[64], of_certificate[64];
    size_t key_size = sizeof of_key, size = sizeof of_certificate;
    gnutls_pubkey_t public_key = NULL;
    const bool matches =
        gnutls_pubkey_init(&public_key) == GNUTLS_E_SUCCESS &&
        gnutls_pubkey_import_privkey(public_key, c->key, 0, 0) == GNUTLS_E_SUCCESS &&
        gnutls_pubkey_get_key_id(public_key, GNUTLS_KEYID_USE_SHA256, of_key, &key_size) == 0 &&
        gnutls_pubkey_get_key_id(c->chain[0].pubkey, GNUTLS_KEYID_USE_SHA256, of_certificate,
                                 &size) == 0 &&
        size == key_size && memcmp(of_key, of_certificate, size) == 0;
    gnutls_pubkey_deinit(public_key);
    return matches;
}

static segue_status parse(const segue_tls *tls, credential *c, segue_error *err)
{
    SEGUE_TRY(parse_chain(tls, c, err));
    SEGUE_TRY(parse_key(tls, c, err));
    if (key_matches(c))
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EDOMAIN,
                      "%s: is not the key of the certificate %s; name its own key with --tls-key",
                      segue_path_tail(tls->key), segue_path_tail(tls->certificate));
}

static bool is_same(const gnutls_datum_t *a, const gnutls_datum_t *b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static bool is_unchanged(const credential *c, const credential *before)
{
    return before && is_same(&c->files[0], &before->files[0]) &&
           is_same(&c->files[1], &before->files[1]);
}

/* ---- for its callers --------------------------------------------------------------------- */

segue_status segue_tls_reload(segue_tls *tls, segue_error *err)
{
    credential *before = atomic_load(&tls->current), *c = calloc(1, sizeof *c);
    if (!c)
        return segue_fail_no_memory(err, "a certificate");
    segue_status status = read_file(tls->certificate, &c->files[0], err);
    if (status == SEGUE_OK)
        status = read_file(tls->key, &c->files[1], err);
    const bool unchanged = status == SEGUE_OK && is_unchanged(c, before);
    if (status == SEGUE_OK && !unchanged)
        status = parse(tls, c, err);
    if (status != SEGUE_OK || unchanged) {
        destroy(c);
        return status;
    }
    c->older = before;
    atomic_store(&tls->current, c);
    return SEGUE_OK;
}

segue_status segue_tls_open(segue_tls **out, const char *certificate, const char *key,
                            segue_error *err)
{
    *out = NULL;
    segue_tls *tls = calloc(1, sizeof *tls);
    if (!tls)
        return segue_fail_no_memory(err, "a certificate");
    tls->certificate = certificate;
    tls->key = key;
    const segue_status status = segue_tls_reload(tls, err);
    if (status == SEGUE_OK)
        *out = tls;
    else
        segue_tls_close(tls);
    return status;
}

void segue_tls_close(segue_tls *tls)
{
    if (!tls)
        return;
    for (credential *c = atomic_load(&tls->current), *older; c; c = older) {
        older = c->older;
        destroy(c);
    }
    free(tls);
}

/* libmicrohttpd makes its connection the pointer of the session.  A connection that was not added
 * to the list is shut down already. */
int segue_tls_retrieve(gnutls_session_t session, const gnutls_datum_t *authorities,
                       int n_authorities, const gnutls_pk_algorithm_t *algorithms, int n_algorithms,
                       gnutls_pcert_st **chain, unsigned *length, gnutls_privkey_t *key)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(
        gnutls_session_get_ptr(session), MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    (void)authorities;
    (void)n_authorities;
    (void)algorithms;
    (void)n_algorithms;
    if (!info || !info->socket_context)
        return -1;
    const segue_tls *tls = segue_connections_tls(info->socket_context);
    credential *c = atomic_load(&tls->current);
    *chain = c->chain;
    *length = c->length;
    *key = c->key;
    return 0;
}
