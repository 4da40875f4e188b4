/* service.h - the decision service without its sockets: requests in, replies out.
 *
 * Everything that changes a learner goes through one queue.  Whoever takes a group from it stores
 * the group in one transaction, and only when that is on the disk lets the changes be seen and
 * answers: memory is never ahead of the disk, and many requests share one wait for it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_SERVICE_H
#define SEGUE_SERVICE_ENGINE_SERVICE_H

#include "service/api/routes.h"

typedef struct segue_service segue_service;

typedef struct segue_service_config {
    const char *store;      /* as for segue_store_open; borrowed while the service lives */
    const char *token_file; /* NULL: no tokens are asked for */
    uint64_t open_most;     /* open tasks; default 100,000 */
    uint64_t memory_most;   /* bytes, see memory.h; 0 (the default): half of what there is */
    uint64_t group_most;    /* operations of one transaction; default 512 */
    uint64_t wal_most;      /* bytes of the WAL, at which nothing more is stored; default 1 GB */
    double rate;            /* requests a second of a token; 0 (the default): any number */
    double (*now)(void);    /* seconds since 1970, for people; NULL: the system's clock */
    double (*steady)(void); /* seconds that never jump, for durations; NULL: CLOCK_MONOTONIC */
    void (*report)(void *context, const char *message); /* a line for the operator, from any
                                                            thread, without waiting; or NULL */
    void *report_context;
} segue_service_config;

segue_service_config segue_service_defaults(void);

/**
 * Open the store, and bring back what it holds.
 *
 * @retval SEGUE_EFILE, SEGUE_EUSAGE, SEGUE_EDOMAIN  the store or the file of tokens cannot be used
 * @retval SEGUE_EIO, SEGUE_ENOMEM, SEGUE_ETHREAD
 */
SEGUE_MUST_CHECK segue_status segue_service_create(segue_service **out,
                                                   const segue_service_config *config,
                                                   segue_error *err);

/** Start the threads that write, estimate and keep time.  Without them, segue_service_run_pending.
 * @retval SEGUE_ETHREAD */
SEGUE_MUST_CHECK segue_status segue_service_start(segue_service *service, segue_error *err);

/** Answer what is in the queue, take in no more, and end the threads. */
void segue_service_stop(segue_service *service);
void segue_service_destroy(segue_service *service);

/** What is called when a reply that was not ready is. */
typedef void (*segue_completion)(void *context);

/**
 * Handle a request; the reply's id is the request's.  True: the reply is ready.  False: it will be,
 * and stays where it is until `done` was called, from another thread.
 */
bool segue_service_handle(segue_service *service, const segue_request *request,
                          segue_response *reply, segue_completion done, void *context);

/** Handle a request and wait for its reply. */
void segue_service_handle_and_wait(segue_service *service, const segue_request *request,
                                   segue_response *reply);

/** Without threads: store and apply what is queued, keep time, estimate; until nothing is left. */
void segue_service_run_pending(segue_service *service);

/** Its counters, for those who listen for it. */
struct metrics *segue_service_metrics(segue_service *service);

/** A request was answered, after so many seconds. */
void segue_service_count_request(segue_service *service, const segue_response *reply,
                                 double seconds);

/** Count the memory of a request's body, or count it no more; false: there is no room for it. */
bool segue_service_reserve_body(segue_service *service, size_t size);
void segue_service_release_body(segue_service *service, size_t size);

/** It cannot go on: what it knows is not what is on the disk.  A start puts that right. */
bool segue_service_has_failed(const segue_service *service);
const char *segue_service_failure(const segue_service *service);

/** Open tasks, over all learners. */
uint64_t segue_service_open_tasks(const segue_service *service);

/** Seconds since 1970, by the system's clock, which may be set: for people. */
double segue_service_now(const segue_service *service);

/** Service time (clock.h): for deadlines, idle times and rates. */
double segue_service_time(const segue_service *service);

/** Report something to the operator: one sentence, from any thread.  Callers report a condition
 * when it begins and when it ends, not each time that they meet it. */
void segue_service_report(const segue_service *service, const char *format, ...) SEGUE_PRINTF(2, 3);

#endif
