/* access_log.c - a line of JSON per request.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/http/access_log.h"

#include <stdatomic.h>

#include "io/json_write.h"
#include "service/engine/metrics.h"

#define REPORT_SECONDS 60.0 /* between two reports of dropped lines */

/* Count a dropped line, and report it once a minute: one thread of many wins the exchange. */
static void count_dropped(access_log *log)
{
    const double now = segue_service_wall_time(log->service);
    double before = atomic_load(&log->reported);
    (void)atomic_fetch_add(&segue_service_metrics(log->service)->log_dropped, 1);
    if (now >= before && now - before < REPORT_SECONDS)
        return;
    if (atomic_compare_exchange_strong(&log->reported, &before, now))
        segue_service_report(log->service,
                             "the access log is full and lines are dropped: its reader is stuck or "
                             "its disk too slow; read the log faster or move it to a faster disk");
}

void segue_access_log_append(access_log *log, const access_log_entry *entry)
{
    segue_bytes b = {.data = NULL};
    if (!log->writer)
        return;
    segue_json_write_format(&b, "{\"time\":%.3f", segue_service_wall_time(log->service));
    segue_json_write_text(&b, "request", entry->id);
    if (*entry->caller)
        segue_json_write_text(&b, "name", entry->caller);
    segue_json_write_text(&b, "method", entry->method);
    segue_json_write_text(&b, "path", entry->path);
    segue_json_write_text(&b, "route", segue_route_name(entry->route));
    if (entry->from)
        segue_json_write_text(&b, "from", entry->from);
    if (*entry->to)
        segue_json_write_text(&b, "to", entry->to);
    segue_json_write_format(&b, ",\"status\":%d,\"bytes\":%zu,\"ms\":%.3f}\n", entry->status,
                            entry->bytes, entry->seconds * 1e3);
    if (b.failed || !segue_log_writer_append(log->writer, b.data, b.size))
        count_dropped(log);
    segue_bytes_fini(&b);
}
