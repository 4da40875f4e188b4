/* metrics.c - what is counted, for Prometheus.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/metrics.h"

#include "io/json_write.h"

static const double edges[METRICS_BUCKETS - 1] = {1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01,
                                                  0.03, 0.1,  0.3,  1.0,  3.0,  10.0};

void segue_metrics_count(metrics *m, segue_route route, int status, double seconds)
{
    size_t at = 0;
    while (at < METRICS_BUCKETS - 1 && seconds > edges[at])
        at++;
    const int first = status >= 100 && status < 600 ? status / 100 : 0;
    (void)atomic_fetch_add_explicit(&m->requests[route][first], 1, memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&m->bucket[route][at], 1, memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&m->microseconds[route],
                                    (unsigned long long)(seconds > 0.0 ? seconds * 1e6 : 0.0),
                                    memory_order_relaxed);
}

static void about(segue_bytes *b, const char *name, const char *kind, const char *help)
{
    segue_json_write_format(b, "# HELP segue_%s %s\n# TYPE segue_%s %s\n", name, help, name, kind);
}

static void one(segue_bytes *b, const char *name, const char *kind, const char *help,
                unsigned long long value)
{
    about(b, name, kind, help);
    segue_json_write_format(b, "segue_%s %llu\n", name, value);
}

static unsigned long long seen(const metrics *m, segue_route route)
{
    unsigned long long sum = 0;
    for (size_t i = 0; i < 6; i++)
        sum += atomic_load(&m->requests[route][i]);
    return sum;
}

static void write_requests(const metrics *m, segue_bytes *b)
{
    about(b, "requests_total", "counter", "Requests by route and kind of status.");
    for (segue_route route = 0; route < N_ROUTES; route++)
        for (int i = 0; i < 6; i++) {
            const unsigned long long count = atomic_load(&m->requests[route][i]);
            if (count > 0)
                segue_json_write_format(b,
                                        "segue_requests_total{route=\"%s\",status=\"%dxx\"} %llu\n",
                                        segue_route_name(route), i, count);
        }
}

static void write_times(const metrics *m, segue_route route, segue_bytes *b)
{
    unsigned long long sum = 0;
    const char *name = segue_route_name(route);
    for (size_t i = 0; i < METRICS_BUCKETS; i++) {
        sum += atomic_load(&m->bucket[route][i]);
        if (i < METRICS_BUCKETS - 1)
            segue_json_write_format(b,
                                    "segue_request_seconds_bucket{route=\"%s\",le=\"%g\"} %llu\n",
                                    name, edges[i], sum);
    }
    segue_json_write_format(b, "segue_request_seconds_bucket{route=\"%s\",le=\"+Inf\"} %llu\n",
                            name, sum);
    segue_json_write_format(b, "segue_request_seconds_sum{route=\"%s\"} %.6f\n", name,
                            (double)atomic_load(&m->microseconds[route]) * 1e-6);
    segue_json_write_format(b, "segue_request_seconds_count{route=\"%s\"} %llu\n", name, sum);
}

static void write_connections(const metrics *m, segue_bytes *b)
{
    static const char *const reasons[METRICS_DROPPED] = {"timeout", "full", "address"};
    one(b, "connections", "gauge", "Open connections.", atomic_load(&m->connections));
    about(b, "connections_dropped_total", "counter", "Connections closed, by reason.");
    for (int i = 0; i < METRICS_DROPPED; i++)
        segue_json_write_format(b, "segue_connections_dropped_total{reason=\"%s\"} %llu\n",
                                reasons[i], atomic_load(&m->dropped[i]));
    one(b, "access_log_dropped_total", "counter", "Lines dropped from the access log.",
        atomic_load(&m->log_dropped));
    one(b, "refused_logins_total", "counter", "Requests without a valid token.",
        atomic_load(&m->refused));
}

void segue_metrics_write(const metrics *m, const segue_gauges *now, segue_bytes *b)
{
    write_requests(m, b);
    about(b, "request_seconds", "histogram", "Time from the request to its answer.");
    for (segue_route route = 0; route < N_ROUTES; route++)
        if (seen(m, route) > 0)
            write_times(m, route, b);
    one(b, "decisions_total", "counter", "Decisions given.", atomic_load(&m->decisions));
    one(b, "rewards_total", "counter", "Rewards counted.", atomic_load(&m->rewards));
    one(b, "duplicates_total", "counter", "Rewards told again.", atomic_load(&m->duplicates));
    one(b, "defaults_total", "counter", "Defaults counted.", atomic_load(&m->defaults));
    one(b, "tasks_closed_total", "counter", "Tasks closed.", atomic_load(&m->closed));
    one(b, "transactions_total", "counter", "Groups stored.", atomic_load(&m->groups));
    one(b, "transaction_operations_total", "counter", "Operations in them.",
        atomic_load(&m->grouped));
    one(b, "store_failures_total", "counter", "Groups that could not be stored.",
        atomic_load(&m->failures));
    one(b, "refits_total", "counter", "Fits published.", atomic_load(&m->refits));
    one(b, "refit_failures_total", "counter", "Fits that failed, and are tried again.",
        atomic_load(&m->refit_failures));
    one(b, "snapshots_total", "counter", "Snapshots stored.", atomic_load(&m->snapshots));
    one(b, "open_tasks", "gauge", "Open tasks.", now->open_tasks);
    one(b, "unstored_decisions", "gauge",
        "Decisions that wait for a default and are not stored yet.", now->unstored);
    one(b, "queue_length", "gauge", "Operations that wait to be stored.", now->queued);
    one(b, "checkpoints_total", "counter", "Checkpoints of the WAL.", atomic_load(&m->checkpoints));
    one(b, "checkpoint_failures_total", "counter", "Checkpoints that failed; nothing is lost.",
        atomic_load(&m->checkpoint_failures));
    one(b, "wal_bytes", "gauge", "Size of the WAL's file.", now->wal_bytes);
    write_connections(m, b);
    one(b, "ready", "gauge", "Whether it can store what it is told.", now->ready);
}

void segue_metrics_write_memory(const memory *m, size_t reads, segue_bytes *b)
{
    one(b, "memory_bytes", "gauge", "Memory of learners, tasks and requests, as it is counted.",
        atomic_load(&m->kept) + atomic_load(&m->under_way));
    one(b, "memory_limit_bytes", "gauge", "What --max-memory allows.", m->limit);
    one(b, "memory_full", "gauge", "Whether new tasks and learners are refused.",
        atomic_load(&m->full));
    one(b, "resident_bytes", "gauge", "Memory of the process, as the system sees it.",
        segue_memory_resident());
    one(b, "reads_waiting", "gauge", "Long requests that wait or are under way.", reads);
}
