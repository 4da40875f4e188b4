/* tls.h - the certificate and key of HTTPS, which can be replaced while the service runs.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_HTTP_TLS_H
#define SEGUE_SERVICE_API_HTTP_TLS_H

#include <gnutls/abstract.h>

#include "segue/status.h"

typedef struct segue_tls segue_tls;

/** Versions and ciphers, in the notation of GnuTLS: TLS 1.2 and 1.3. */
extern const char segue_tls_priorities[];

/**
 * Read a certificate, or a chain that begins with the certificate of this service, and its private
 * key, both as PEM.  The paths are borrowed.
 *
 * @retval SEGUE_EFILE    a file cannot be read
 * @retval SEGUE_EDOMAIN  it is not a certificate or key, or the key belongs to another certificate
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_tls_open(segue_tls **out, const char *certificate,
                                             const char *key, segue_error *err);
void segue_tls_close(segue_tls *tls);

/** Read both files again, for connections to come.  On failure the old certificate stays in use.
 * One thread at a time.  @retval as segue_tls_open */
SEGUE_MUST_CHECK segue_status segue_tls_reload(segue_tls *tls, segue_error *err);

/** Gives a handshake the current certificate; it finds the segue_tls through its connection.  For
 * MHD_OPTION_HTTPS_CERT_CALLBACK. */
gnutls_certificate_retrieve_function2 segue_tls_retrieve;

#endif
