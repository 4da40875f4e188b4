/* metrics.h - counters and gauges for Prometheus.
 *
 * Counters are relaxed atomics: any thread counts without a lock, and a scrape may see one counter
 * ahead of another.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_METRICS_H
#define SEGUE_SERVICE_ENGINE_METRICS_H

#include <stdatomic.h>

#include "segue/internal.h"
#include "service/api/routes.h"

#define METRICS_BUCKETS 14

/* Why a connection was closed. */
enum { METRICS_DROPPED_TIMEOUT, METRICS_DROPPED_FULL, METRICS_DROPPED_ADDRESS, METRICS_DROPPED };

typedef struct metrics {
    atomic_ullong requests[N_ROUTES][6];             /* by the first digit of the status */
    atomic_ullong bucket[N_ROUTES][METRICS_BUCKETS]; /* seconds; the last one: any */
    atomic_ullong microseconds[N_ROUTES];            /* their sum */
    atomic_ullong rewards, duplicates, defaults;     /* tells that were stored */
    atomic_ullong decisions, groups, grouped;        /* asked; transactions, and what was in them */
    atomic_ullong failures, refits, snapshots;       /* transactions that could not be stored */
    atomic_ullong closed;                            /* tasks */
    atomic_ullong refit_failures;                    /* refits that failed, and are tried again */
    atomic_ullong checkpoints, checkpoint_failures;  /* of the WAL */
    atomic_ullong connections, dropped[METRICS_DROPPED]; /* open; closed, by reason */
    atomic_ullong log_dropped, refused;                  /* lines of the access log; logins */
} metrics;

void segue_metrics_count(metrics *m, segue_route route, int status, double seconds);

/** Values of this moment, in addition to the counters. */
typedef struct segue_gauges {
    unsigned long long open_tasks;
    unsigned long long unstored; /* decisions that wait for a default */
    unsigned long long wal_bytes;
    size_t queued; /* operations */
    bool ready;
    bool audit_fails; /* lines of the audit log wait */
} segue_gauges;

/** Write all metrics in the text format 0.0.4. */
void segue_metrics_write(const metrics *m, const segue_gauges *now, segue_bytes *b);

/** Write memory and the length of the read pool. */
void segue_metrics_write_memory(const memory *m, size_t reads, segue_bytes *b);

/** Write the metrics of the process and of the build; `started`: seconds since 1970. */
void segue_metrics_write_process(double started, segue_bytes *b);

/** Write the metrics of learners, of at most config.max_metrics_learners.
 * @retval false  out of memory */
bool segue_metrics_write_learners(segue_service *service, segue_bytes *b);

/** Write the lines that begin a metric; and a label's value, escaped. */
void segue_metrics_write_header(segue_bytes *b, const char *name, const char *kind,
                                const char *help);
void segue_metrics_write_label(segue_bytes *b, const char *value);

#endif
