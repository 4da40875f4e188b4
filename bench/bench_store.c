/* bench_store.c - durable rewards per second: SQLite, PostgreSQL, and a plain INSERT per reward.
 *
 *     bench_store SQLITE_PATH POSTGRESQL_LOCATION [SECONDS]
 *
 * A group is what the service's writer does for that many tells: begin, announce, insert, commit.
 * `pipelined` commits the same rows in one transaction with one INSERT per row, without waiting for
 * each; `single` is a transaction per row.  bench/store starts a database and runs this.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <inttypes.h>
#include <libpq-fe.h>
#include <string.h>

#include "store/store.h"

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Tasks of 50 rewards each, as the service stores them. */
static void add_group(segue_store *store, uint64_t first, uint64_t n)
{
    segue_error err;
    check(segue_store_begin(store, &err), &err);
    for (uint64_t i = first; i < first + n; i++)
        segue_store_expect_reward(store, (int64_t)(1 + i / 50), i);
    for (uint64_t i = first; i < first + n; i++) {
        bool is_new = false;
        const segue_stored_reward row = {.task = (int64_t)(1 + i / 50),
                                         .number = i,
                                         .position = i % 50,
                                         .arm = i % 3,
                                         .value = (double)(i % 2),
                                         .created = 1.7e9 + (double)i};
        check(segue_store_add_reward(store, &row, &is_new, &err), &err);
        if (!is_new)
            exit(1);
    }
    check(segue_store_commit(store, &err), &err);
}

static double rate_of_store(const char *name, uint64_t group, double seconds)
{
    static uint64_t next = 0;
    segue_error err;
    segue_store *store = NULL;
    check(segue_store_open(&store, name, SEGUE_STORE_CREATE, &err), &err);
    check(segue_store_lock(store, &err), &err);
    const uint64_t first = next;
    const double begun = now();
    while (now() - begun < seconds) {
        add_group(store, next, group);
        next += group;
    }
    const double rate = (double)(next - first) / (now() - begun);
    segue_store_close(store);
    return rate;
}

/* ---- plain INSERTs ----------------------------------------------------------------------- */

static void expect(PGconn *db, PGresult *result)
{
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_PIPELINE_SYNC) {
        (void)fprintf(stderr, "bench: %s\n", PQerrorMessage(db));
        exit(1);
    }
    PQclear(result);
}

static void write_values(char text[5][32], const char *value[5], uint64_t i)
{
    const int64_t numbers[5] = {(int64_t)(1 + i / 50), (int64_t)i, (int64_t)(i % 50),
                                (int64_t)(i % 3), (int64_t)(i % 2)};
    for (int k = 0; k < 5; k++) {
        (void)snprintf(text[k], 32, "%" PRId64, numbers[k]);
        value[k] = text[k];
    }
}

static void insert_single(PGconn *db, uint64_t i)
{
    char text[5][32];
    const char *value[5];
    write_values(text, value, i);
    expect(db, PQexecPrepared(db, "add", 5, value, NULL, NULL, 0));
}

static void insert_pipelined(PGconn *db, uint64_t first, uint64_t n)
{
    char text[5][32];
    const char *value[5];
    for (uint64_t i = first; i < first + n; i++) {
        write_values(text, value, i);
        if (PQsendQueryPrepared(db, "add", 5, value, NULL, NULL, 0) != 1)
            exit(1);
    }
    (void)PQpipelineSync(db);
    for (uint64_t i = 0; i < n; i++) {
        expect(db, PQgetResult(db));
        (void)PQgetResult(db);
    }
    expect(db, PQgetResult(db));
}

/* group 0: a transaction per row. */
static double rate_of_plain(const char *location, uint64_t group, double seconds)
{
    static uint64_t next = UINT64_C(1) << 40;
    PGconn *db = PQconnectdb(location);
    expect(db, PQprepare(db, "add",
                         "INSERT INTO reward (task, number, position, arm, value, created, "
                         "by_default) VALUES ($1, $2, $3, $4, $5, 1.7e9, 0)",
                         0, NULL));
    if (group > 0)
        (void)PQenterPipelineMode(db);
    const uint64_t first = next;
    const double begun = now();
    while (now() - begun < seconds) {
        if (group == 0)
            insert_single(db, next++);
        else
            insert_pipelined(db, next, group);
        next += group;
    }
    const double rate = (double)(next - first) / (now() - begun);
    PQfinish(db);
    return rate;
}

int main(int argc, char **argv)
{
    static const uint64_t groups[] = {1, 16, 128, 512};
    char sqlite[512], postgresql[512];
    const double seconds = argc > 3 ? strtod(argv[3], NULL) : 2.0;
    if (argc < 3) {
        (void)fputs("bench_store SQLITE_PATH POSTGRESQL_LOCATION [SECONDS]\n", stderr);
        return 2;
    }
    (void)snprintf(sqlite, sizeof sqlite, "sqlite:%s", argv[1]);
    (void)snprintf(postgresql, sizeof postgresql, "postgresql:%s", argv[2]);
    (void)printf("durable rewards per second\n%8s %12s %12s %12s %12s\n", "group", "sqlite",
                 "postgresql", "pipelined", "single");
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        const double a = rate_of_store(sqlite, groups[i], seconds);
        const double b = rate_of_store(postgresql, groups[i], seconds);
        const double c = rate_of_plain(argv[2], groups[i], seconds);
        const double d = i == 0 ? rate_of_plain(argv[2], 0, seconds) : 0.0;
        (void)printf("%8" PRIu64 " %12.0f %12.0f %12.0f ", groups[i], a, b, c);
        if (i == 0)
            (void)printf("%12.0f", d);
        (void)printf("\n");
        (void)fflush(stdout);
    }
    return 0;
}
