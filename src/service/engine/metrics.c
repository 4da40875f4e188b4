/* metrics.c - counters, histograms and gauges in the text format of Prometheus.
 *
 * Request times have a histogram per route with fixed edges from 10 microseconds to 10 seconds.
 * Routes without requests are not written.
 *
 * Counting costs a few relaxed atomic additions and takes no lock, so every request is counted.  A
 * scrape reads the counters one after the other: sums may differ by requests that arrive meanwhile.
 * Buckets are counted separately and summed up here, as Prometheus wants cumulative ones.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/engine/metrics.h"

#include <string.h>

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

void segue_metrics_write_header(segue_bytes *b, const char *name, const char *kind,
                                const char *help)
{
    segue_json_write_format(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind);
}

void segue_metrics_write_label(segue_bytes *b, const char *value)
{
    while (*value) {
        const size_t plain = strcspn(value, "\\\"\n");
        segue_bytes_append(b, value, plain);
        value += plain;
        if (*value)
            segue_json_write_raw(b, *value == '\n' ? "\\n" : *value == '"' ? "\\\"" : "\\\\");
        value += *value != '\0';
    }
}

/* The names here are without their prefix. */
static void write_header(segue_bytes *b, const char *name, const char *kind, const char *help)
{
    segue_json_write_format(b, "# HELP segue_%s %s\n# TYPE segue_%s %s\n", name, help, name, kind);
}

static void write_value(segue_bytes *b, const char *name, const char *kind, const char *help,
                        unsigned long long value)
{
    write_header(b, name, kind, help);
    segue_json_write_format(b, "segue_%s %llu\n", name, value);
}

/* Requests of all classes of status. */
static unsigned long long count_requests(const metrics *m, segue_route route)
{
    unsigned long long sum = 0;
    for (size_t i = 0; i < 6; i++)
        sum += atomic_load(&m->requests[route][i]);
    return sum;
}

static void write_requests(const metrics *m, segue_bytes *b)
{
    write_header(b, "requests_total", "counter", "Requests by route and class of status.");
    for (segue_route route = 0; route < N_ROUTES; route++)
        for (int i = 0; i < 6; i++) {
            const unsigned long long count = atomic_load(&m->requests[route][i]);
            if (count > 0)
                segue_json_write_format(b,
                                        "segue_requests_total{route=\"%s\",status=\"%dxx\"} %llu\n",
                                        segue_route_name(route), i, count);
        }
}

/* The last bucket has no upper edge. */
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
    write_value(b, "connections", "gauge", "Open connections.", atomic_load(&m->connections));
    write_header(b, "connections_dropped_total", "counter", "Connections closed, by reason.");
    for (int i = 0; i < METRICS_DROPPED; i++)
        segue_json_write_format(b, "segue_connections_dropped_total{reason=\"%s\"} %llu\n",
                                reasons[i], atomic_load(&m->dropped[i]));
    write_value(b, "access_log_dropped_total", "counter", "Lines dropped from the access log.",
                atomic_load(&m->log_dropped));
    write_value(b, "refused_logins_total", "counter", "Requests without a valid token.",
                atomic_load(&m->refused));
}

/* The names are part of the interface: dashboards and alerts use them. */
void segue_metrics_write(const metrics *m, const segue_gauges *now, segue_bytes *b)
{
    write_requests(m, b);
    write_header(b, "request_seconds", "histogram", "Seconds from request to response.");
    for (segue_route route = 0; route < N_ROUTES; route++)
        if (count_requests(m, route) > 0)
            write_times(m, route, b);
    write_value(b, "decisions_total", "counter", "Decisions given.", atomic_load(&m->decisions));
    write_value(b, "rewards_total", "counter", "Rewards counted.", atomic_load(&m->rewards));
    write_value(b, "duplicates_total", "counter", "Rewards that were stored before.",
                atomic_load(&m->duplicates));
    write_value(b, "defaults_total", "counter", "Default rewards counted.",
                atomic_load(&m->defaults));
    write_value(b, "tasks_closed_total", "counter", "Tasks closed.", atomic_load(&m->closed));
    write_value(b, "transactions_total", "counter", "Transactions committed.",
                atomic_load(&m->groups));
    write_value(b, "transaction_operations_total", "counter",
                "Operations in committed transactions.", atomic_load(&m->grouped));
    write_value(b, "store_failures_total", "counter", "Transactions that failed.",
                atomic_load(&m->failures));
    write_value(b, "refits_total", "counter", "Refits published.", atomic_load(&m->refits));
    write_value(b, "refit_failures_total", "counter", "Refits that failed; they are retried.",
                atomic_load(&m->refit_failures));
    write_value(b, "snapshots_total", "counter", "Snapshots stored.", atomic_load(&m->snapshots));
    write_value(b, "open_tasks", "gauge", "Open tasks.", now->open_tasks);
    write_value(b, "unstored_decisions", "gauge",
                "Decisions with a default reward that are not stored yet.", now->unstored);
    write_value(b, "queue_length", "gauge", "Operations in the commit queue.", now->queued);
    write_value(b, "checkpoints_total", "counter", "WAL checkpoints.",
                atomic_load(&m->checkpoints));
    write_value(b, "checkpoint_failures_total", "counter",
                "WAL checkpoints that failed; no data is lost.",
                atomic_load(&m->checkpoint_failures));
    write_value(b, "wal_bytes", "gauge", "Size of the WAL file.", now->wal_bytes);
    write_connections(m, b);
    write_value(b, "ready", "gauge", "1 if the service can store, else 0.", now->ready);
    write_value(b, "audit_log_failing", "gauge",
                "1 while the audit log cannot be written: administrative requests get 503.",
                now->audit_fails);
}

void segue_metrics_write_memory(const memory *m, size_t reads, segue_bytes *b)
{
    write_value(b, "memory_bytes", "gauge",
                "Memory of learners, tasks and requests, as the service counts it.",
                atomic_load(&m->of_learners) + atomic_load(&m->of_requests));
    write_value(b, "memory_limit_bytes", "gauge", "Limit of --max-memory.", m->limit);
    write_value(b, "memory_full", "gauge", "1 if new tasks and learners are rejected, else 0.",
                atomic_load(&m->full));
    write_value(b, "reads_waiting", "gauge", "Long requests queued or running.", reads);
}
