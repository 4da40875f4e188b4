/* serve_files.c - the files of `segue serve` besides its store: logs, tokens, certificate.
 *
 * The main thread opens, reloads and closes them.  Other threads write to the logs and read the
 * tokens and the certificate through their own modules, which say how they are guarded.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/serve/serve_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/permissions.h"
#include "segue/internal.h"
#include "store/store.h"

#define LOG_SECONDS 1.0 /* shutdown waits for a log whose pipe is not read */

/* ---- options ----------------------------------------------------------------------------- */

segue_status cli_serve_files_check(const cli_serve_files *files, segue_error *err)
{
    if (!files->tls_cert == !files->tls_key)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EUSAGE, "--tls-cert and --tls-key belong together; give %s too",
                      files->tls_cert ? "--tls-key" : "--tls-cert");
}

/* True if the access log is a file, which SIGHUP reopens; "-" is the standard output. */
static bool has_log_file(const cli_serve_files *files)
{
    return files->access_log && strcmp(files->access_log, "-") != 0;
}

bool cli_serve_files_can_reload(const cli_serve_files *files)
{
    return has_log_file(files) || files->audit_log || files->token_file || files->tls_cert;
}

void cli_serve_files_warn_not_private(const cli_serve_files *files)
{
    static const char who[] = "segue serve";
    if (files->token_file)
        (void)cli_permissions_warn(who, "the token file", files->token_file);
    if (files->tls_key)
        (void)cli_permissions_warn(who, "the key of the certificate", files->tls_key);
    if (has_log_file(files))
        (void)cli_permissions_warn(who, "the access log", files->access_log);
    if (files->audit_log)
        (void)cli_permissions_warn(who, "the audit log", files->audit_log);
}

/* ---- access log and reports -------------------------------------------------------------- */

/* Only the owner may read the log: paths of requests contain keys of tasks. */
static int open_log_file(const char *path)
{
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

/* A notice in place of lines that were dropped while the file was not written fast enough. */
static int format_dropped_requests(char line[SEGUE_LOG_WRITER_NOTICE], uint64_t dropped)
{
    return snprintf(line, SEGUE_LOG_WRITER_NOTICE, "{\"time\":%lld,\"dropped\":%" PRIu64 "}\n",
                    (long long)time(NULL), dropped);
}

/* Standard error has plain lines, not JSON. */
static int format_dropped_reports(char line[SEGUE_LOG_WRITER_NOTICE], uint64_t dropped)
{
    return snprintf(line, SEGUE_LOG_WRITER_NOTICE,
                    "segue serve: %" PRIu64 " lines were dropped here\n", dropped);
}

/* Start the writer of a log file.  A file of the store is refused: lines of the log would damage
 * it. */
static segue_status open_file_writer(const char *path, segue_log_writer **out, segue_error *err)
{
    if (segue_store_file_detect(path))
        return segue_fail(err, SEGUE_EFILE,
                          "%s: is part of a store; name another file with --access-log",
                          segue_path_tail(path));
    const int fd = open_log_file(path);
    if (fd < 0)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_path_tail(path),
                          strerror(errno));
    const segue_status status = segue_log_writer_create(out, fd, format_dropped_requests, err);
    if (status == SEGUE_OK)
        segue_log_writer_reopen(*out, fd); /* the log writer owns fd now */
    else
        (void)close(fd);
    return status;
}

/* Start the writer of the access log; there is none without --access-log. */
static segue_status open_access_log(cli_serve_files *files, segue_error *err)
{
    if (has_log_file(files))
        return open_file_writer(files->access_log, &files->log, err);
    return files->access_log
               ? segue_log_writer_create(&files->log, STDOUT_FILENO, format_dropped_requests, err)
               : SEGUE_OK;
}

void cli_serve_files_report(void *context, const char *message)
{
    char line[SEGUE_ERROR_SIZE + 32];
    const int size = snprintf(line, sizeof line, "segue serve: %s\n", message);
    if (size > 0 && (size_t)size < sizeof line)
        (void)segue_log_writer_append(context, line, (size_t)size);
}

void cli_serve_files_watch(cli_serve_files *files, const segue_service *service)
{
    const int error = files->log && !files->log_fails ? segue_log_writer_error(files->log) : 0;
    if (error == 0)
        return;
    segue_service_report(service,
                         "the access log cannot be written: %s; free its disk and send SIGHUP",
                         strerror(error));
    files->log_fails = true;
}

/* ---- opening and closing ----------------------------------------------------------------- */

segue_status cli_serve_files_open(cli_serve_files *files, segue_error *err)
{
    SEGUE_TRY(segue_log_writer_create(&files->reports, STDERR_FILENO, format_dropped_reports, err));
    SEGUE_TRY(open_access_log(files, err));
    if (files->audit_log)
        SEGUE_TRY(segue_audit_log_open(&files->audit, files->audit_log, err));
    return files->tls_cert ? segue_tls_open(&files->tls, files->tls_cert, files->tls_key, err)
                           : SEGUE_OK;
}

/* Write the rest of the access log, for at most LOG_SECONDS. */
static segue_status close_log(const cli_serve_files *files, segue_error *err)
{
    const int error = segue_log_writer_destroy(files->log, LOG_SECONDS);
    if (error == ETIMEDOUT)
        cli_serve_files_report(files->reports,
                               "the access log was not read, and its last lines are lost");
    else if (error != 0)
        return segue_fail(err, SEGUE_EIO,
                          "lines of the access log could not be written; check its disk");
    return SEGUE_OK;
}

/* Write the rest of the reports.  If standard error is not read, replace it by /dev/null, so that
 * the last error of the program does not block. */
static void close_reports(segue_log_writer *reports)
{
    if (segue_log_writer_destroy(reports, LOG_SECONDS) != ETIMEDOUT)
        return;
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0)
        return;
    (void)dup2(null, STDERR_FILENO);
    (void)close(null);
}

/* The first error wins. */
segue_status cli_serve_files_close(cli_serve_files *files, segue_error *err)
{
    segue_tls_close(files->tls);
    const segue_status audited = segue_audit_log_close(files->audit, err);
    const segue_status logged = close_log(files, audited == SEGUE_OK ? err : NULL);
    close_reports(files->reports);
    return audited == SEGUE_OK ? logged : audited;
}

/* ---- SIGHUP ------------------------------------------------------------------------------ */

static void report_reload(const segue_service *service, segue_status status, const segue_error *err,
                          const char *what)
{
    if (status != SEGUE_OK)
        segue_service_report(service, "%s; %s; correct it and send SIGHUP again", err->message,
                             what);
}

/* Reopen the access log by its name, which may be that of a new file by now. */
static void reopen_access_log(cli_serve_files *files, const segue_service *service)
{
    const int fd = open_log_file(files->access_log);
    if (fd < 0)
        segue_service_report(
            service,
            "%s: cannot be reopened, and the old file is still used: %s; check its "
            "folder and send SIGHUP again",
            segue_path_tail(files->access_log), strerror(errno));
    else
        segue_log_writer_reopen(files->log, fd);
}

void cli_serve_files_reload(cli_serve_files *files, segue_service *service)
{
    segue_error err;
    if (has_log_file(files))
        reopen_access_log(files, service);
    if (files->audit) {
        report_reload(service, segue_audit_log_reopen(files->audit, &err), &err,
                      "the old file of the audit log is still used");
        segue_service_flush_audit(service);
    }
    if (files->token_file)
        report_reload(service, segue_service_reload_tokens(service, &err), &err,
                      "the old tokens stay valid");
    if (files->tls)
        report_reload(service, segue_tls_reload(files->tls, &err), &err,
                      "the old certificate is still used");
}
