/* processes.c - how the processes that share an experiment agree.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/processes.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#include "segue/internal.h"

#define HEAD 8 /* bytes of a fare before its sentence: the status and the mark */

bool segue_processes_is_coordinator(const segue_processes *ranks)
{
    return !ranks || ranks->self == 0;
}

void segue_processes_broadcast(const segue_processes *ranks, segue_message_kind kind,
                               const void *data, size_t size)
{
    for (size_t to = 1; to < ranks->count; to++)
        ranks->send(ranks->context, to, kind, data, size);
}

void segue_processes_backoff(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    (void)nanosleep(&moment, NULL);
}

/* No memory is asked for: it may be what there is none of. */
void segue_processes_send_status(const segue_processes *ranks, segue_status status, uint32_t mark,
                                 const segue_error *err)
{
    unsigned char data[HEAD + SEGUE_ERROR_SIZE] = {0};
    const size_t length = status == SEGUE_OK ? 0 : strlen(err->message);
    for (size_t i = 0; i < 4; i++) {
        data[i] = (unsigned char)((uint32_t)status >> (8 * i));
        data[4 + i] = (unsigned char)(mark >> (8 * i));
    }
    memcpy(data + HEAD, err->message, length);
    ranks->send(ranks->context, 0, SEGUE_MESSAGE_STATUS, data, HEAD + length);
}

segue_status segue_processes_read_status(const segue_message *message, uint32_t *mark,
                                         segue_error *err)
{
    assert(message->kind == SEGUE_MESSAGE_STATUS && message->size >= HEAD);
    uint32_t status = 0;
    *mark = 0;
    for (size_t i = 0; i < 4; i++) {
        status |= (uint32_t)message->data[i] << (8 * i);
        *mark |= (uint32_t)message->data[4 + i] << (8 * i);
    }
    if (status == SEGUE_OK)
        return SEGUE_OK;
    return segue_fail(err, (segue_status)status, "rank %zu: %.*s", message->from,
                      (int)(message->size - HEAD), (const char *)message->data + HEAD);
}

static void wait_for(const segue_processes *ranks, segue_message *message)
{
    while (!ranks->receive(ranks->context, message))
        segue_processes_backoff();
}

/* Of all others, the failure of the one with the lowest number. */
static segue_status collect_statuses(const segue_processes *ranks, uint32_t mark, segue_error *err)
{
    unsigned char room[SEGUE_MESSAGE_SIZE];
    segue_message message = {.data = room, .capacity = sizeof room};
    segue_status status = SEGUE_OK;
    size_t lowest = ranks->count;
    for (size_t heard = 1; heard < ranks->count; heard++) {
        uint32_t other = 0;
        segue_error why = {.status = SEGUE_OK};
        wait_for(ranks, &message);
        segue_status here = segue_processes_read_status(&message, &other, &why);
        if (here == SEGUE_OK && other != mark)
            here = segue_fail(&why, SEGUE_EUSAGE,
                              "rank %zu: has another experiment, or another build of segue, than "
                              "rank 0; need the same in all processes",
                              message.from);
        if (here != SEGUE_OK && message.from < lowest) {
            lowest = message.from;
            status = segue_fail(err, here, "%s", why.message);
        }
    }
    return status;
}

static segue_status await_outcome(const segue_processes *ranks, segue_error *err)
{
    unsigned char verdict = SEGUE_OK;
    segue_message message = {.data = &verdict, .capacity = sizeof verdict};
    wait_for(ranks, &message);
    return verdict == SEGUE_OK ? SEGUE_OK : segue_fail(err, (segue_status)verdict, "%s", "");
}

segue_status segue_processes_agree(const segue_processes *ranks, segue_status status, uint32_t mark,
                                   segue_error *err)
{
    if (!ranks)
        return status;
    if (ranks->self != 0) {
        segue_processes_send_status(ranks, status, mark, err);
        return await_outcome(ranks, err);
    }
    segue_error theirs;
    const segue_status other = collect_statuses(ranks, mark, &theirs);
    if (status == SEGUE_OK && other != SEGUE_OK)
        status = segue_fail(err, other, "%s", theirs.message);
    const unsigned char verdict = (unsigned char)status;
    segue_processes_broadcast(ranks, SEGUE_MESSAGE_OUTCOME, &verdict, 1);
    return status;
}

segue_status segue_processes_send_run(const segue_processes *ranks, uint64_t unit,
                                      const double *values, size_t count, segue_error *err)
{
    segue_bytes b = {.data = NULL};
    segue_bytes_append_u64(&b, unit);
    segue_bytes_append_f64(&b, values, count);
    const bool made = !b.failed;
    if (made)
        ranks->send(ranks->context, 0, SEGUE_MESSAGE_RUN, b.data, b.size);
    segue_bytes_fini(&b);
    return made ? SEGUE_OK : segue_fail_no_memory(err, "a finished run");
}
