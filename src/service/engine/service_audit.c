/* service_audit.c - the audit log: a line of JSON per administrative request.
 *
 * An administrative request is one whose route needs the right admin and that came with a valid
 * token, or needs none.  Its line is written before its response is sent: by the writer after
 * COMMIT, or by the thread that rejects it.  While a line cannot be written, administrative
 * requests get 503 and change nothing.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "io/json_write.h"
#include "service/engine/service_internal.h"
#include "service/jobs/audit_log.h"

/* Report when the log begins to fail, and when it works again. */
static void note(segue_service *service, int error)
{
    const bool failed = atomic_exchange(&service->audit_fails, error != 0);
    if (error != 0 && !failed)
        segue_service_report(service,
                             "the audit log cannot be written: %s; administrative requests get 503 "
                             "until it can: free its disk",
                             strerror(error));
    else if (error == 0 && failed)
        segue_service_report(service, "the audit log is written again");
}

/* false: some lines still wait. */
static bool flush(segue_service *service)
{
    if (!service->config.audit || !atomic_load(&service->audit_fails))
        return true;
    const int error = segue_audit_log_flush(service->config.audit);
    note(service, error);
    return error == 0;
}

void segue_service_flush_audit(segue_service *service)
{
    (void)flush(service);
}

bool segue_service_can_audit(segue_service *service, segue_response *response)
{
    const bool fine = flush(service);
    if (!fine)
        segue_response_fail(response, 503,
                            "the audit log cannot be written, and nothing has changed; free its "
                            "disk and retry");
    return fine;
}

static void write_line(const segue_service *service, const char *method, const char *path,
                       const segue_response *response, segue_bytes *b)
{
    segue_json_write_format(b, "{\"time\":%.3f", segue_service_wall_time(service));
    segue_json_write_text(b, "request", response->id);
    if (*response->caller)
        segue_json_write_text(b, "name", response->caller);
    segue_json_write_text(b, "method", method);
    segue_json_write_text(b, "path", path);
    if (*response->learner)
        segue_json_write_text(b, "learner", response->learner);
    if (*response->hop)
        segue_json_write_text(b, "to", response->hop);
    segue_json_write_format(b, ",\"status\":%d}\n", response->status);
}

/* A rejection changes nothing, so it need not be on the disk: a token without the right must not
 * make the service wait for it. */
static bool needs_sync(const segue_response *response)
{
    return response->status < 400 || response->status >= 500;
}

void segue_service_audit(segue_service *service, const char *method, const char *path,
                         const segue_response *response)
{
    segue_bytes b = {.data = NULL};
    if (!service->config.audit || !response->authorized ||
        segue_route_right(response->route) != RIGHT_ADMIN)
        return;
    write_line(service, method, path, response, &b);
    if (b.failed)
        segue_audit_log_drop(service->config.audit);
    note(service, b.failed ? ENOMEM
                           : segue_audit_log_append(service->config.audit, b.data, b.size,
                                                    needs_sync(response)));
    segue_bytes_fini(&b);
}
