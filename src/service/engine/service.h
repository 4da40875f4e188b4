/* service.h - the decision service without its sockets: requests in, responses out.
 *
 * Every change of a learner goes through the commit queue.  The writer stores a group of changes in
 * one transaction, then applies them to memory and responds.  So memory is never ahead of the disk,
 * and many requests share one wait for it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_SERVICE_H
#define SEGUE_SERVICE_ENGINE_SERVICE_H

#include "service/api/routes.h"

typedef struct segue_service segue_service;

typedef struct segue_service_config {
    const char *store;             /* as for segue_store_open; borrowed while the service lives */
    const char *token_file;        /* NULL: requests need no token */
    struct segue_audit_log *audit; /* NULL: none; borrowed while the service lives */
    uint64_t max_open_tasks;       /* over all learners; default 100,000 */
    uint64_t max_memory; /* bytes (memory.h); 0 (the default): half of the available memory */
    uint64_t max_group;  /* operations of one transaction; default 512 */
    uint64_t max_wal;    /* bytes of the WAL at which changes are rejected; default 1 GB */
    uint64_t max_metrics_learners; /* learners with metrics of their own; default 100 */
    bool
        allow_loss; /* serve also if a crash of the store's database can lose acknowledged rewards */
    double keep; /* seconds until rewards of closed tasks are removed; 0 (the default): forever */
    double rate; /* requests per second and token; 0 (the default): no limit */
    const char *advertise; /* URL at which other servers of the store reach this one; NULL (the
                              default): it serves its store alone; borrowed */
    double lease;          /* seconds after which others take over from a server; default 5 */
    const struct segue_transport *transport; /* of tests; NULL: HTTP */
    double (*now)(void);    /* seconds since 1970, shown to users; NULL: the system clock */
    double (*steady)(void); /* seconds that never jump, for durations; NULL: CLOCK_MONOTONIC */
    void (*report)(void *context, const char *message); /* a line for the operator, from any
                                                            thread, without waiting; or NULL */
    void *report_context;
} segue_service_config;

segue_service_config segue_service_defaults(void);

/**
 * Open the store, and recover its learners.
 *
 * @retval SEGUE_EFILE, SEGUE_EUSAGE, SEGUE_EDOMAIN  the store or the file of tokens cannot be used
 * @retval SEGUE_EIO, SEGUE_ENOMEM, SEGUE_ETHREAD
 */
SEGUE_MUST_CHECK segue_status segue_service_create(segue_service **out,
                                                   const segue_service_config *config,
                                                   segue_error *err);

/** Start the threads.  Without them, call segue_service_run_pending.
 * @retval SEGUE_ETHREAD */
SEGUE_MUST_CHECK segue_status segue_service_start(segue_service *service, segue_error *err);

/** Accept no more requests, drain the queue, and end the threads. */
void segue_service_stop(segue_service *service);
void segue_service_destroy(segue_service *service);

/** Called when a response that was not ready is complete. */
typedef void (*segue_completion)(void *context);

/**
 * Handle a request; the response has the request's id.  True: the response is ready.  False:
 * another thread completes it and calls `done`; request and response must stay valid until then.
 */
bool segue_service_handle(segue_service *service, const segue_request *request,
                          segue_response *response, segue_completion done, void *context);

/** For the cluster: respond to a parsed and allowed request, or queue it; and to one that was allowed
 * before, from its text.  `response` is not reset. */
bool segue_service_dispatch(segue_service *service, const segue_request *request,
                            segue_parsed_request *parsed, segue_response *response,
                            segue_completion done, void *context);
bool segue_service_answer(segue_service *service, const segue_request *request,
                          segue_response *response, segue_completion done, void *context);

/** Handle a request and wait for its response. */
void segue_service_handle_and_wait(segue_service *service, const segue_request *request,
                                   segue_response *response);

/** Without threads: run queued operations and refits until none is left. */
void segue_service_run_pending(segue_service *service);

/** Return whether the writer has answered the last ping, and ping it again if it has.  A writer that
 * is stuck in a transaction or waits for a lock does not answer. */
bool segue_service_ping_writer(segue_service *service);

/** Its counters. */
struct metrics *segue_service_metrics(segue_service *service);

/** Count a request whose response took `seconds`. */
void segue_service_count_request(segue_service *service, const segue_response *response,
                                 double seconds);

/** Test whether a request with this header `Authorization`, or NULL, has a token with this right,
 * or needs none. */
bool segue_service_has_right(segue_service *service, const char *authorization, segue_right needed);

/** Write the lines of the audit log that wait, if there are some. */
void segue_service_flush_audit(segue_service *service);

/** Write the line of a complete request to the audit log, if it is administrative.  Call it before
 * the response is sent; it may wait for the disk. */
void segue_service_audit(segue_service *service, const char *method, const char *path,
                         const segue_response *response);

/** Read the token file again, and report if tokens have changed.  On failure the old tokens stay
 * valid.  @retval SEGUE_EFILE, SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_service_reload_tokens(segue_service *service, segue_error *err);

/** Count the memory of a request's body, or stop counting it; false: there is no memory for it. */
bool segue_service_reserve_body(segue_service *service, size_t size);
void segue_service_release_body(segue_service *service, size_t size);

/** Memory differs from the disk, or may: the service needs a restart. */
bool segue_service_needs_restart(const segue_service *service);
const char *segue_service_failure(const segue_service *service);

/** Open tasks, over all learners. */
uint64_t segue_service_open_tasks(const segue_service *service);

/** Seconds since 1970, by the system clock, which may be set: shown to users. */
double segue_service_wall_time(const segue_service *service);

/** Service time (clock.h): for deadlines, idle times and rates. */
double segue_service_time(const segue_service *service);

/** Report to the operator: one sentence, from any thread.  Callers report a condition when it
 * begins and when it ends, not each time that it is met. */
void segue_service_report(const segue_service *service, const char *format, ...) SEGUE_PRINTF(2, 3);

#endif
