/* serve_files.h - the files of `segue serve` besides its store: logs, tokens, certificate.
 *
 * They are given by name, opened at the start, and opened or read again at SIGHUP.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_SERVE_FILES_H
#define SEGUE_CLI_COMMANDS_SERVE_FILES_H

#include <stdbool.h>

#include "service/api/http/tls.h"
#include "service/engine/service.h"
#include "service/jobs/audit_log.h"
#include "service/jobs/log_writer.h"

typedef struct cli_serve_files {
    /* options, or NULL */
    const char *token_file, *access_log, *audit_log, *tls_cert, *tls_key;

    segue_log_writer *reports; /* standard error */
    segue_log_writer *log;     /* access log, or NULL */
    segue_audit_log *audit;    /* or NULL */
    segue_tls *tls;            /* NULL: plain HTTP */
    bool log_fails;            /* and that was reported */
} cli_serve_files;

/** Check that the options go together.  @retval SEGUE_EUSAGE */
SEGUE_MUST_CHECK segue_status cli_serve_files_check(const cli_serve_files *files, segue_error *err);

/** True if SIGHUP opens or reads a file again; else it stops the service. */
bool cli_serve_files_can_reload(const cli_serve_files *files);

/** Open the logs and read the certificate; the service reads the tokens.  Call
 * cli_serve_files_close in both cases.  @retval SEGUE_EFILE, SEGUE_EDOMAIN, SEGUE_ENOMEM, SEGUE_ETHREAD */
SEGUE_MUST_CHECK segue_status cli_serve_files_open(cli_serve_files *files, segue_error *err);

/** Write the rest of the logs, and close.  @retval SEGUE_EIO  lines are lost */
SEGUE_MUST_CHECK segue_status cli_serve_files_close(cli_serve_files *files, segue_error *err);

/** Open the logs again by their names, and read the tokens and the certificate again.  What cannot
 * be read stays as it was, and is reported. */
void cli_serve_files_reload(cli_serve_files *files, segue_service *service);

/** Report once that the access log cannot be written. */
void cli_serve_files_watch(cli_serve_files *files, const segue_service *service);

/** Warn about files with secrets that are not private. */
void cli_serve_files_warn_not_private(const cli_serve_files *files);

/** Report to the operator; `context` is the log writer of the reports.  Standard error may be a
 * pipe that is not read, so the writer queues the line. */
void cli_serve_files_report(void *context, const char *message);

#endif
