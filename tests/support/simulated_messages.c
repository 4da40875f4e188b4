/* simulated_messages.c - requests between simulated servers: each arrives, is answered, is late or is
 * lost, as a seed says.
 *
 * A message that its sender has given up may still arrive: then the request runs and its answer goes
 * nowhere.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "simulated_messages.h"
#include "simulated_servers.h"

typedef struct message {
    struct message *next;
    size_t from, to;
    segue_request request;
    char *path, *query, *body, session[SEGUE_SESSION_SIZE + 1];
    segue_response *out, got;
    segue_delivered delivered;
    void *context;
    bool has_arrived, is_answered;
    bool is_given_up; /* the sender has been told */
} message;

static message *messages;

static void unlink_message(const message *m)
{
    message **at = &messages;
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
}

static void free_message(message *m)
{
    unlink_message(m);
    segue_response_fini(&m->got);
    free(m->path);
    free(m->query);
    free(m->body);
    free(m);
}

/* Tell the sender what became of it. */
static void tell_sender(message *m, segue_delivery delivery)
{
    if (m->is_given_up)
        return;
    m->is_given_up = true;
    if (delivery == SEGUE_DELIVERED) {
        m->out->status = m->got.status;
        m->out->retry = m->got.retry;
        segue_bytes_fini(&m->out->body);
        m->out->body = m->got.body;
        m->got.body = (segue_bytes){.data = NULL};
    }
    m->delivered(m->context, delivery);
}

static char *copy(const void *text, size_t size)
{
    char *out = malloc(size + 1);
    assert_non_null(out);
    if (size > 0)
        memcpy(out, text, size);
    out[size] = '\0';
    return out;
}

/* I7: a request that was forwarded is not forwarded again. */
static bool send_message(void *self, const char *address, const char *session, bool fresh,
                         const segue_request *request, segue_response *response,
                         segue_delivered delivered, void *context)
{
    message *m = calloc(1, sizeof *m);
    (void)fresh;
    assert_non_null(m);
    assert_null(request->hop);
    m->from = *(const size_t *)self;
    m->to = (size_t)(address[strlen(address) - 1] - '0');
    m->path = copy(request->path, strlen(request->path));
    m->body = copy(request->body, request->size);
    (void)snprintf(m->session, sizeof m->session, "%s", session);
    m->request = *request;
    m->request.path = m->path;
    m->request.body = m->body;
    m->request.hop = m->session;
    m->out = response;
    m->delivered = delivered;
    m->context = context;
    m->next = messages;
    messages = m;
    sim_counts_all.sent++;
    return true;
}

/* A message of this server whose sender still waits; `address` NULL: to any server. */
static message *find_sent(size_t from, const char *address)
{
    for (message *m = messages; m; m = m->next)
        if (m->from == from && !m->is_given_up &&
            (!address || m->to == (size_t)(address[strlen(address) - 1] - '0')))
            return m;
    return NULL;
}

/* The list may change with each. */
static void give_up(void *self, const char *address)
{
    const size_t from = *(const size_t *)self;
    for (message *m; (m = find_sent(from, address));)
        tell_sender(m, SEGUE_UNKNOWN);
}

static void close_transport(void *self)
{
    give_up(self, NULL);
}

/* The answer may outlive its server. */
static void on_answer(void *context)
{
    message *m = context;
    m->is_answered = true;
    sim_messages_detach(&m->got);
}

/* One step of a message: it arrives, or its answer does. */
static void advance(message *m)
{
    segue_service *to = sim_service(m->to);
    if (m->is_answered) {
        tell_sender(m, SEGUE_DELIVERED);
        free_message(m);
    } else if (!m->has_arrived && !to) {
        tell_sender(m, SEGUE_NOT_SENT);
        free_message(m);
    } else if (!m->has_arrived && sim_is_running(m->to)) {
        m->has_arrived = true;
        if (segue_service_handle(to, &m->request, &m->got, on_answer, m))
            on_answer(m);
    }
}

/* It is lost, or late: then it arrives although the sender has given up. */
static void lose(message *m)
{
    sim_counts_all.lost++;
    if (!m->has_arrived && sim_draw(2) == 0) {
        tell_sender(m, SEGUE_NOT_SENT);
        free_message(m);
        return;
    }
    tell_sender(m, SEGUE_UNKNOWN);
    if (m->is_answered)
        free_message(m);
}

static message *pick_message(void)
{
    size_t n = 0;
    for (const message *m = messages; m; m = m->next)
        n++;
    message *m = messages;
    for (size_t k = n ? sim_draw(n) : 0; m && k > 0; k--)
        m = m->next;
    return m;
}

void sim_messages_detach(segue_response *response)
{
    if (response->memory)
        segue_memory_release(response->memory, response->held);
    response->memory = NULL;
}

/* ---- interface --------------------------------------------------------------------------- */

segue_transport sim_messages_transport(size_t from)
{
    static size_t index[SIM_SERVERS];
    index[from] = from;
    return (segue_transport){
        .self = &index[from], .send = send_message, .give_up = give_up, .close = close_transport};
}

void sim_messages_step(bool is_lost)
{
    message *m = pick_message();
    if (m && is_lost)
        lose(m);
    else if (m)
        advance(m);
}

void sim_messages_advance_all(void)
{
    for (message *m = messages, *next = NULL; m; m = next) {
        next = m->next;
        advance(m);
    }
}

static message *find_arrived(size_t server)
{
    for (message *m = messages; m; m = m->next)
        if (m->to == server && m->has_arrived)
            return m;
    return NULL;
}

void sim_messages_drop_to(size_t server)
{
    for (message *m; (m = find_arrived(server));) {
        tell_sender(m, SEGUE_UNKNOWN);
        free_message(m);
    }
}

void sim_messages_clear(void)
{
    while (messages)
        free_message(messages);
}
