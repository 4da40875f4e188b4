/* simulated_servers.c - several servers on one database, in one thread.
 *
 * The linker puts functions of this file before segue_store_begin, _commit and _take_lease
 * (tests/CMakeLists.txt): there a server is suspended, its connection is cut, or its answer is lost.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "simulated_messages.h"
#include "simulated_servers.h"

#include <libpq-fe.h>
#include <sodium.h>

#include "service/cluster/keeper.h"
#include "service/cluster/session.h"
#include "store/store_backend.h"

sim_counts sim_counts_all;

/* ---- draws ------------------------------------------------------------------------------ */

static uint64_t state;

static uint64_t next_bits(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t sim_draw(uint64_t n)
{
    return next_bits() % n;
}

/* Sessions, keys and decisions are random too: from the same seed. */
static const char *random_name(void)
{
    return "simulation";
}

static uint32_t random_word(void)
{
    return (uint32_t)next_bits();
}

static void random_bytes(void *const out, const size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)out)[i] = (unsigned char)next_bits();
}

static randombytes_implementation seeded = {
    .implementation_name = random_name, .random = random_word, .buf = random_bytes};

/* ---- servers ---------------------------------------------------------------- */

typedef struct server {
    size_t index;
    segue_service *service;
    bool is_stopped, is_suspended, has_failed;
    bool is_writing; /* its writer waits for the database; its other threads go on */
} server;

static server servers[SIM_SERVERS];
static double clock_now = 1000.0;
static const char *store_name;
static PGconn *admin;
static bool running;
static void (*client_step)(void);

static double now(void)
{
    return 1.8e9;
}

static double steady(void)
{
    return clock_now;
}

segue_service *sim_service(size_t i)
{
    return servers[i].service;
}

bool sim_is_running(size_t i)
{
    return servers[i].service && !servers[i].is_stopped && !servers[i].is_suspended;
}

bool sim_is_writing(size_t i)
{
    return servers[i].is_writing;
}

static void execute(const char *sql)
{
    PGresult *result = PQexec(admin, sql);
    const ExecStatusType status = PQresultStatus(result);
    PQclear(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        fail_msg("%s: %s", sql, PQerrorMessage(admin));
}

static void pass_time(double seconds)
{
    char sql[120];
    clock_now += seconds;
    (void)snprintf(sql, sizeof sql, "UPDATE server SET expires = expires - interval '%.3f s'",
                   seconds);
    execute(sql);
}

/* ---- starting and killing ---------------------------------------------------------------- */

static void start_server(size_t i)
{
    segue_error err;
    char address[32];
    server *s = &servers[i];
    const segue_transport transport = sim_messages_transport(i);
    segue_service_config config = segue_service_defaults();
    (void)snprintf(address, sizeof address, "http://sim:%zu", i);
    config.store = store_name;
    config.now = now;
    config.steady = steady;
    config.allow_loss = true;
    config.advertise = address;
    config.lease = SIM_TTL;
    config.transport = &transport;
    s->is_stopped = s->is_suspended = s->is_writing = s->has_failed = false;
    if (segue_service_create(&s->service, &config, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
}

/* Its memory is gone; the answers to its requests are lost. */
static void kill_server(size_t i)
{
    server *s = &servers[i];
    s->has_failed = true; /* no transaction of it succeeds any more */
    s->service->cluster->stopping = true;
    segue_service_run_pending(s->service);
    segue_cluster_stop(s->service->cluster);
    segue_service_run_pending(s->service);
    sim_messages_drop_to(i);
    segue_service_destroy(s->service);
    s->service = NULL;
    sim_counts_all.killed++;
}

void sim_start(const char *name, uint64_t seed, void (*clients)(void))
{
    state = seed;
    client_step = clients;
    store_name = name;
    (void)randombytes_set_implementation(&seeded);
    admin = PQconnectdb(name + strlen("postgresql:"));
    if (PQstatus(admin) != CONNECTION_OK)
        fail_msg("%s", PQerrorMessage(admin));
    for (size_t i = 0; i < SIM_SERVERS; i++) {
        servers[i] = (server){.index = i};
        start_server(i);
    }
    running = true;
}

void sim_stop(void)
{
    running = false;
    for (size_t i = 0; i < SIM_SERVERS; i++)
        if (servers[i].service)
            kill_server(i);
    sim_messages_clear();
    execute("DELETE FROM server; DELETE FROM writer; UPDATE lease SET owner = NULL");
    PQfinish(admin);
}

/* ---- the middle of a transaction --------------------------------------------------------- */

segue_status __real_segue_store_begin(segue_store *store, segue_error *err);
segue_status __real_segue_store_commit(segue_store *store, segue_error *err);
segue_status __wrap_segue_store_begin(segue_store *store, segue_error *err);
segue_status __wrap_segue_store_commit(segue_store *store, segue_error *err);

static server *server_of(const segue_store *store)
{
    for (size_t i = 0; i < SIM_SERVERS; i++)
        if (servers[i].service && servers[i].service->store == store)
            return &servers[i];
    return NULL;
}

segue_status __wrap_segue_store_begin(segue_store *store, segue_error *err)
{
    const server *s = server_of(store);
    return s && s->has_failed ? segue_fail(err, SEGUE_EIO, "killed")
                              : __real_segue_store_begin(store, err);
}

/* The others go on meanwhile. */
static void suspend(server *s, uint64_t max_steps)
{
    s->is_suspended = true;
    sim_counts_all.suspended++;
    for (uint64_t n = 1 + sim_draw(max_steps); n > 0; n--)
        sim_step();
    s->is_suspended = false;
}

/* The server and its database lose each other, perhaps until its session was ended.  Then all but the
 * writer's connection go on: the others and requests first, the writer last. */
static void partition(server *s)
{
    s->is_suspended = true;
    sim_counts_all.partitions++;
    for (uint64_t n = sim_draw(100); n > 0; n--) {
        pass_time(SIM_TTL / 40.0);
        sim_step();
    }
    s->is_suspended = false;
    s->is_writing = true;
    for (uint64_t n = sim_draw(200); n > 0; n--)
        sim_step();
    s->is_writing = false;
}

static void cut(const segue_store *store)
{
    char sql[200];
    (void)snprintf(sql, sizeof sql,
                   "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE "
                   "application_name = 'segue %s'",
                   store->session.id);
    execute(sql);
    sim_counts_all.cut++;
}

segue_status __wrap_segue_store_commit(segue_store *store, segue_error *err)
{
    server *s = server_of(store);
    const uint64_t dice = s && running && *store->session.id ? sim_draw(100) : 100;
    if (dice < 6)
        suspend(s, 12);
    else if (dice < 8)
        partition(s);
    else if (dice < 10)
        cut(store);
    const segue_status status = __real_segue_store_commit(store, err);
    if (dice < 10 || dice >= 13 || status != SEGUE_OK)
        return status;
    sim_counts_all.unknown++;
    store->is_unresolved = true; /* the answer was lost */
    if (dice == 10)
        cut(store);
    return segue_fail(err, SEGUE_EIO, "the answer to COMMIT was lost");
}

/* Between reading a lease and taking it others go on, too. */
segue_status __real_segue_store_take_lease(segue_store *store, const segue_session *session,
                                           const segue_lease *found, uint64_t *epoch,
                                           segue_error *err);
segue_status __wrap_segue_store_take_lease(segue_store *store, const segue_session *session,
                                           const segue_lease *found, uint64_t *epoch,
                                           segue_error *err);

segue_status __wrap_segue_store_take_lease(segue_store *store, const segue_session *session,
                                           const segue_lease *found, uint64_t *epoch,
                                           segue_error *err)
{
    for (size_t i = 0; i < SIM_SERVERS && running; i++)
        if (servers[i].service && servers[i].service->cluster->keeping == store && sim_draw(4) == 0)
            suspend(&servers[i], 100);
    return __real_segue_store_take_lease(store, session, found, epoch, err);
}

/* ---- steps ------------------------------------------------------------------------------- */

static void run_server(size_t i)
{
    server *s = &servers[i];
    if (!sim_is_running(i))
        return;
    if (s->is_writing) {
        (void)segue_cluster_turn(s->service->cluster);
        return;
    }
    switch (sim_draw(4)) {
    case 0:
        segue_service_run_pending(s->service);
        break;
    case 1:
        (void)segue_keeper_turn(s->service->cluster);
        break;
    case 2:
        (void)segue_session_turn(s->service->cluster);
        break;
    default:
        (void)segue_cluster_run_pending(s->service->cluster);
    }
}

static size_t count_alive(void)
{
    size_t n = 0;
    for (size_t i = 0; i < SIM_SERVERS; i++)
        n += sim_is_running(i) && !servers[i].is_writing;
    return n;
}

static void fail_server(size_t i)
{
    server *s = &servers[i];
    if (s->is_writing)
        return;
    if (!s->service) {
        start_server(i);
    } else if (s->is_stopped) {
        s->is_stopped = false;
    } else if (sim_is_running(i) && count_alive() > 1) {
        if (sim_draw(2) == 0) {
            kill_server(i);
        } else {
            s->is_stopped = true;
            sim_counts_all.paused++;
        }
    }
}

void sim_step(void)
{
    const uint64_t dice = sim_draw(100);
    sim_counts_all.steps++;
    clock_now += 0.01;
    client_step();
    if (dice < 62)
        run_server(sim_draw(SIM_SERVERS));
    else if (dice < 90)
        sim_messages_step(dice >= 88);
    else if (dice < 98)
        pass_time(sim_draw(8) == 0 ? (double)sim_draw(120) : 0.05);
    else
        fail_server(sim_draw(SIM_SERVERS));
}

void sim_heal_once(void)
{
    for (size_t i = 0; i < SIM_SERVERS; i++) {
        (void)segue_cluster_run_pending(servers[i].service->cluster);
        segue_service_run_pending(servers[i].service);
    }
    sim_messages_advance_all();
    pass_time(0.05);
}

void sim_heal(void)
{
    running = false;
    for (size_t i = 0; i < SIM_SERVERS; i++) {
        servers[i].is_stopped = false;
        if (!servers[i].service)
            start_server(i);
    }
    for (int round = 0; round < 30; round++) {
        pass_time(SIM_TTL / 4.0);
        for (int k = 0; k < 12; k++)
            sim_heal_once();
    }
}
