/* access_log.h - a line of JSON per request.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_HTTP_ACCESS_LOG_H
#define SEGUE_SERVICE_API_HTTP_ACCESS_LOG_H

#include "service/engine/service.h"
#include "service/jobs/log_writer.h"

typedef struct access_log {
    segue_service *service;
    segue_log_writer *writer; /* NULL: no log */
    _Atomic double reported;  /* when dropped lines were last reported */
} access_log;

typedef struct access_log_entry {
    const char *id, *method, *path;
    const char *caller; /* name of the token; "": none */
    const char *from;   /* the session of the server that sent it, or NULL */
    const char *to;     /* the server that answered; "": this one */
    segue_route route;
    int status;
    size_t bytes; /* of the body */
    double seconds;
} access_log_entry;

/** Append a line.  The log writer drops it if its queue is full; that is counted, and reported once
 * a minute.  Any thread may call it. */
void segue_access_log_append(access_log *log, const access_log_entry *entry);

#endif
