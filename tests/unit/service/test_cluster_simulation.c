/* test_cluster_simulation.c - several servers on one database under every order of steps that a seed
 * gives: messages that are late, lost or come twice, servers that are killed, stopped, or suspended in
 * the middle of COMMIT, connections that are cut before or after it (simulated_servers.c).
 *
 * Clients send requests to any server and repeat them.  The invariants are those of
 * docs/cluster-protocol.md: I1 and the register are checked by `check_rewards`, I3 and I4 by
 * `check_learner` (counts, hash chain, epochs), I5 at each answer of an ask, I6 by `check_memory`, I7
 * by the transport, and reads by `check_show`.  I2 cannot be seen from outside: what it prevents is seen by the others.
 *
 * A run is repeated by its seed, `test_cluster_simulation SEED 1`, except for the times that the
 * database writes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <jansson.h>

#include "postgresql.h"
#include "request.h"
#include "service/state/recovery/recovery.h"
#include "simulated_messages.h"
#include "simulated_servers.h"

enum { LEARNERS = 3, TASKS = 3, EVENTS = 4, CLIENTS = 12, STEPS = 2000 };

/* ---- what clients know ------------------------------------------------------------------- */

typedef struct known {
    char decision[SEGUE_MAX_DECISION_ID_LENGTH + 1]; /* "": none was returned yet */
    bool sent[2];                                    /* a tell of this reward was sent ... */
    int counted;                                     /* ... and acknowledged: the reward, or -1 */
} known;

static known knows[LEARNERS][TASKS][EVENTS];

typedef enum kind { CREATE, ASK, TELL, CLOSE, LIST, SHOW, N_KINDS } kind;

typedef struct client {
    bool is_busy, is_done;
    kind kind;
    size_t learner, task, event;
    int reward;
    size_t acknowledged; /* show: rewards of the task that were acknowledged before */
    segue_request request;
    char path[80], body[240];
    segue_response response;
} client;

static client clients[CLIENTS];
static uint64_t current_seed;
static unsigned current_run;
static size_t answered[N_KINDS];

static known *of(const client *c)
{
    return &knows[c->learner][c->task][c->event];
}

static void fill(client *c)
{
    const unsigned long l = c->learner;
    (void)snprintf(c->path, sizeof c->path, "/v1/learners/r%u-%lu/ask", current_run, l);
    c->request = request_of("POST", c->path, c->body);
    switch (c->kind) {
    case CREATE:
        (void)snprintf(c->path, sizeof c->path, "/v1/learners");
        (void)snprintf(c->body, sizeof c->body,
                       "{\"name\":\"r%u-%lu\",\"arms\":[\"x\",\"y\"],\"steps\":6}", current_run, l);
        break;
    case ASK:
        (void)snprintf(c->body, sizeof c->body, "{\"task\":\"t%zu\",\"event\":\"e%zu\"}", c->task,
                       c->event);
        break;
    case TELL:
        (void)snprintf(c->path, sizeof c->path, "/v1/tell");
        (void)snprintf(c->body, sizeof c->body, "{\"decision\":\"%s\",\"reward\":%d}",
                       of(c)->decision, c->reward);
        of(c)->sent[c->reward] = true;
        break;
    case CLOSE:
        (void)snprintf(c->path, sizeof c->path, "/v1/learners/r%u-%lu/tasks/t%zu/close",
                       current_run, l, c->task);
        break;
    case SHOW:
        (void)snprintf(c->path, sizeof c->path, "/v1/learners/r%u-%lu/tasks/t%zu", current_run, l,
                       c->task);
        c->request = request_of("GET", c->path, NULL);
        return;
    default:
        (void)snprintf(c->path, sizeof c->path, "/v1/learners");
        c->request = request_of("GET", c->path, NULL);
        return;
    }
    c->request = request_of("POST", c->path, c->kind == CLOSE ? NULL : c->body);
}

/* ---- answers ----------------------------------------------------------------------------- */

#define SEED_FORMAT "seed %llu: "
#define SEED        (unsigned long long)current_seed

/* I5: the same decision, by any server. */
static void check_ask(const client *c, const json_t *answer)
{
    const char *id = json_string_value(json_object_get(answer, "decision"));
    known *k = of(c);
    assert_non_null(id);
    if (*k->decision && strcmp(k->decision, id) != 0)
        fail_msg(SEED_FORMAT "an event has the decisions %s and %s", SEED, k->decision, id);
    (void)snprintf(k->decision, sizeof k->decision, "%s", id);
}

/* A reward is a register that is written once. */
static void check_tell(const client *c)
{
    known *k = of(c);
    if (c->response.status == 200 && k->counted >= 0 && k->counted != c->reward)
        fail_msg(SEED_FORMAT "both rewards of a decision were acknowledged", SEED);
    if (c->response.status == 200)
        k->counted = c->reward;
    else if (c->response.status == 409 && k->counted == c->reward)
        fail_msg(SEED_FORMAT "the reward that counted was rejected", SEED);
    else if (c->response.status == 410 && k->counted >= 0)
        fail_msg(SEED_FORMAT "a reward that counted is gone", SEED);
}

static size_t count_acknowledged(const client *c)
{
    size_t n = 0;
    for (size_t e = 0; e < EVENTS; e++)
        n += knows[c->learner][c->task][e].counted >= 0;
    return n;
}

/* A read shows what was acknowledged before it, whichever server answers. */
static void check_show(const client *c, const json_t *answer)
{
    const bool found = c->response.status == 200;
    const size_t shown = found ? (size_t)json_integer_value(json_object_get(answer, "rewards")) : 0;
    if ((found || c->response.status == 404) && shown < c->acknowledged)
        fail_msg(SEED_FORMAT "%s shows %zu rewards, and %zu were acknowledged", SEED, c->path,
                 shown, c->acknowledged);
}

static void finish(client *c)
{
    json_t *answer =
        json_loadb((const char *)c->response.body.data, c->response.body.size, 0, NULL);
    assert_non_null(answer);
    if (c->response.status < 300)
        answered[c->kind]++;
    if (c->kind == ASK && c->response.status == 200)
        check_ask(c, answer);
    if (c->kind == TELL)
        check_tell(c);
    if (c->kind == SHOW)
        check_show(c, answer);
    const int status = c->response.status;
    if (status == 421 || status == 500)
        fail_msg(SEED_FORMAT "%s gets %d: %.*s", SEED, c->path, status, (int)c->response.body.size,
                 (const char *)c->response.body.data);
    json_decref(answer);
    segue_response_fini(&c->response);
    c->is_busy = false;
}

static void on_done(void *context)
{
    client *c = context;
    c->is_done = true;
    sim_messages_detach(&c->response);
}

static void collect(void)
{
    for (size_t i = 0; i < CLIENTS; i++)
        if (clients[i].is_busy && clients[i].is_done)
            finish(&clients[i]);
}

/* ---- requests ---------------------------------------------------------------------------- */

static void send_to(client *c, size_t server)
{
    fill(c);
    c->is_busy = true;
    c->is_done = false;
    c->acknowledged = count_acknowledged(c);
    if (segue_service_handle(sim_service(server), &c->request, &c->response, on_done, c))
        on_done(c);
}

static void send_any(void)
{
    const size_t server = sim_draw(SIM_SERVERS);
    client *c = &clients[sim_draw(CLIENTS)];
    if (c->is_busy || !sim_is_running(server))
        return;
    c->kind = (kind[]){
        CREATE, ASK, ASK, ASK, TELL, TELL, TELL, TELL, CLOSE, LIST, SHOW, SHOW}[sim_draw(12)];
    if (sim_is_writing(server))
        c->kind = SHOW; /* a change would wait, and all clients with it */
    c->learner = sim_draw(LEARNERS);
    c->task = sim_draw(TASKS);
    c->event = sim_draw(EVENTS);
    c->reward = (int)sim_draw(2);
    if (c->kind == TELL && !*of(c)->decision)
        c->kind = ASK;
    if (c->kind == CLOSE && sim_draw(4) > 0)
        c->kind = ASK;
    send_to(c, server);
}

/* Clients go on also while a server is suspended. */
static void client_step(void)
{
    collect();
    send_any();
    send_any();
}

/* Answer a request by one server, after the failures. */
static int answer_by(size_t server, client *c)
{
    send_to(c, server);
    for (int i = 0; i < 200 && !c->is_done; i++)
        sim_heal_once();
    assert_true(c->is_done);
    const int status = c->response.status;
    finish(c);
    return status;
}

/* ---- the end of a run -------------------------------------------------------------------- */

/* I5 after all failures: every server repeats the decision. */
static void check_decisions(void)
{
    for (size_t l = 0; l < LEARNERS; l++)
        for (size_t t = 0; t < TASKS; t++)
            for (size_t e = 0; e < EVENTS; e++) {
                client c = {.kind = ASK, .learner = l, .task = t, .event = e};
                const size_t server = (l + t + e + current_run) % SIM_SERVERS;
                if (!*knows[l][t][e].decision)
                    continue;
                const int status = answer_by(server, &c);
                if (status != 200)
                    fail_msg(SEED_FORMAT "a decision is gone: %d", SEED, status);
            }
}

/* I1: what was acknowledged is stored, once, and nothing that was not sent. */
static void check_rewards(segue_store *store, const unsigned char *key)
{
    for (size_t l = 0; l < LEARNERS; l++)
        for (size_t t = 0; t < TASKS; t++)
            for (size_t e = 0; e < EVENTS; e++) {
                const known *k = &knows[l][t][e];
                decision d;
                segue_stored_reward row;
                bool found = false;
                if (!*k->decision)
                    continue;
                assert_true(segue_decision_id_decode(&d, key, k->decision));
                assert_ok(segue_store_find_reward(store, d.task, d.number, &row, &found, NULL));
                if (k->counted >= 0 &&
                    !(found && row.value > k->counted - 0.5 && row.value < k->counted + 0.5))
                    fail_msg(SEED_FORMAT "an acknowledged reward is not stored", SEED);
                if (found && !k->sent[row.value > 0.5])
                    fail_msg(SEED_FORMAT "a reward is stored that was not sent", SEED);
            }
}

/* I6: the owner's memory is what the event log leads to. */
static void check_memory(segue_store *store, const segue_stored_learner *row)
{
    segue_recovered_learner found;
    segue_bytes now = {.data = NULL};
    segue_error err = {.message = ""};
    size_t owners = 0;
    assert_ok(segue_recovery_run(store, row, false, &found, &err));
    for (size_t i = 0; i < SIM_SERVERS; i++) {
        learner_state *state = segue_service_find(sim_service(i), row->name);
        if (!state)
            continue;
        owners++;
        segue_recovery_serialize(state->learner, &state->stats, &state->effect, &state->versions,
                                 &state->shadow, &now);
        segue_learner_state_release(state);
        if (segue_recovery_compare(&found, now.data, now.size, "the owner's memory", &err) !=
            SEGUE_OK)
            fail_msg(SEED_FORMAT "%s", SEED, err.message);
        segue_bytes_fini(&now);
        now = (segue_bytes){.data = NULL};
    }
    segue_recovery_fini(&found);
    if (owners > 1)
        fail_msg(SEED_FORMAT "learner %s has %zu owners", SEED, row->name, owners);
}

/* I3, I4: counts, epochs and the hash chain agree. */
static void check_learner(segue_store *store, const segue_stored_learner *row)
{
    segue_recovered_learner found;
    segue_error err = {.message = ""};
    if (segue_store_verify_learner(store, row->id, &err) != SEGUE_OK ||
        segue_store_chain_verify(store, row, &err) != SEGUE_OK ||
        segue_recovery_verify(store, row, &found, &err) != SEGUE_OK)
        fail_msg(SEED_FORMAT "%s: %s", SEED, row->name, err.message);
    segue_recovery_fini(&found);
    check_memory(store, row);
}

static void check_store(const char *name)
{
    segue_store *store = NULL;
    segue_rows rows;
    segue_stored_learner row;
    char prefix[16];
    assert_ok(segue_store_open(&store, name, SEGUE_STORE_READ, NULL));
    check_rewards(store, sim_service(0)->key);
    (void)snprintf(prefix, sizeof prefix, "r%u-", current_run);
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_LEARNERS}, NULL);
    while (segue_rows_next_learner(&rows, &row))
        if (strncmp(row.name, prefix, strlen(prefix)) == 0)
            check_learner(store, &row);
    assert_ok(segue_rows_close(&rows, SEGUE_OK));
    segue_store_close(store);
}

/* ---- runs -------------------------------------------------------------------------------- */

static void run(const char *name, uint64_t seed)
{
    current_seed = seed;
    memset(knows, 0, sizeof knows);
    memset(clients, 0, sizeof clients);
    for (size_t i = 0; i < LEARNERS * TASKS * EVENTS; i++)
        (&knows[0][0][0])[i].counted = -1;
    sim_start(name, seed, client_step);
    for (int i = 0; i < STEPS; i++)
        sim_step();
    sim_heal();
    collect();
    for (size_t i = 0; i < CLIENTS; i++)
        if (clients[i].is_busy)
            fail_msg(SEED_FORMAT "a request got no answer: %s", SEED, clients[i].path);
    check_decisions();
    check_store(name);
    sim_stop();
    current_run++;
}

int main(int argc, char **argv)
{
    char name[200];
    const uint64_t first = argc > 1 ? (uint64_t)strtoull(argv[1], NULL, 10) : 1;
    const uint64_t n = argc > 2 ? (uint64_t)strtoull(argv[2], NULL, 10) : (uint64_t)repeats(5);
    if (!postgresql_start())
        return 77;
    postgresql_command("set fsync off");
    postgresql_store_name(name, sizeof name, "simulation");
    for (uint64_t seed = first; seed < first + n; seed++)
        run(name, seed);
    postgresql_stop();
    const sim_counts *c = &sim_counts_all;
    (void)printf("%llu runs, %zu steps: %zu forwarded, %zu messages lost, %zu suspended in COMMIT, "
                 "%zu partitions, %zu cut, %zu answers to COMMIT lost, %zu killed, %zu stopped; "
                 "%zu asks, %zu tells, "
                 "%zu closes, %zu reads answered\n",
                 (unsigned long long)n, c->steps, c->sent, c->lost, c->suspended, c->partitions,
                 c->cut, c->unknown, c->killed, c->paused, answered[ASK], answered[TELL],
                 answered[CLOSE], answered[SHOW]);
    return answered[TELL] == 0 || c->sent == 0 || c->suspended == 0;
}
