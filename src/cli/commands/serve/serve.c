/* serve.c - `segue serve`: run the decision service until a signal.
 *
 * Started in this order, and stopped in the reverse one: the logs and the certificate
 * (serve_files.c), the listening socket, the service (recovery, writer, jobs), the HTTP server, and
 * the simulated students of --demo.  The main thread then sleeps, and polls for signals and
 * failures.
 *
 * The layers are functions that call each other: run (options, signals), serve_and_notify (service
 * manager), serve_with_files, serve (socket), serve_on (service), serve_http (server),
 * run_until_stopped (--demo).  Each layer owns one resource and releases it after the inner layer
 * returns, in failure too.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/commands/serve/demo.h"
#include "cli/commands/serve/serve_files.h"
#include "cli/interrupt.h"
#include "cli/permissions.h"
#include "segue/internal.h"
#include "service/api/http/http.h"
#include "service/api/http/listen.h"
#include "service/jobs/notify.h"
#include "service/state/clock.h"

/* Options; the text `memory` is parsed into `max_memory`, in bytes (0: the default), `keep` into
 * `keep_seconds` (0: forever). */
typedef struct settings {
    const char *store, *listen, *memory, *keep, *advertise, *lease;
    cli_serve_files files;
    uint64_t threads, max_open, max_memory, max_group, connections, per_address, max_wal, metrics;
    double rate, request_timeout, keep_seconds, lease_seconds;
    bool demo, allow_loss;
    cli_store_name named; /* no option: `store` */
    segue_notify *notify; /* no option: from the environment */
} settings;

static const cli_option options[] = {
    {"store", 's', CLI_TEXT, offsetof(settings, store), "STORE",
     "sqlite:PATH or postgresql:... (default segue.db)", 0, 0},
    {"listen", 'l', CLI_TEXT, offsetof(settings, listen), "ADDRESS",
     "IP:PORT or localhost:PORT (default 127.0.0.1:8080)", 0, 0},
    {"advertise", 0, CLI_TEXT, offsetof(settings, advertise), "URL",
     "share the store with servers that reach this one here", 0, 0},
    {"lease", 0, CLI_TEXT, offsetof(settings, lease), "TIME",
     "after which others take over from a server (default 5s)", 0, 0},
    {"token-file", 't', CLI_TEXT, offsetof(settings, files.token_file), "FILE",
     "tokens and their rights; required for other machines", 0, 0},
    {"tls-cert", 0, CLI_TEXT, offsetof(settings, files.tls_cert), "FILE",
     "serve HTTPS with this certificate or chain (PEM)", 0, 0},
    {"tls-key", 0, CLI_TEXT, offsetof(settings, files.tls_key), "FILE",
     "private key of the certificate (PEM, no password)", 0, 0},
    {"access-log", 0, CLI_TEXT, offsetof(settings, files.access_log), "FILE",
     "one line of JSON per request; -: standard output", 0, 0},
    {"audit-log", 0, CLI_TEXT, offsetof(settings, files.audit_log), "FILE",
     "one line of JSON per administrative request", 0, 0},
    {"rate", 0, CLI_NUMBER, offsetof(settings, rate), "N",
     "requests per second and token (default 0: any)", 0, 1e9},
    {"max-open", 0, CLI_INTEGER, offsetof(settings, max_open), "N",
     "most open tasks (default 100000)", 1, 1e9},
    {"max-memory", 0, CLI_TEXT, offsetof(settings, memory), "SIZE",
     "of learners, tasks, requests: 500M, 4G (default half)", 0, 0},
    {"keep", 0, CLI_TEXT, offsetof(settings, keep), "TIME",
     "remove rewards of tasks closed longer ago: 12h, 90d", 0, 0},
    {"group", 0, CLI_INTEGER, offsetof(settings, max_group), "N",
     "most operations per transaction (default 512)", 1, 1e6},
    {"request-timeout", 0, CLI_NUMBER, offsetof(settings, request_timeout), "S",
     "seconds to receive a request (default 30)", 0.1, 86400},
    {"max-connections", 0, CLI_INTEGER, offsetof(settings, connections), "N",
     "connections at once (default 4096)", 8, 1e6},
    {"max-per-address", 0, CLI_INTEGER, offsetof(settings, per_address), "N",
     "connections per address (default: a quarter of all)", 1, 1e6},
    {"max-wal", 0, CLI_INTEGER, offsetof(settings, max_wal), "MB",
     "largest WAL, if a reader blocks it (default 1024)", 32, 1e6},
    {"metrics-learners", 0, CLI_INTEGER, offsetof(settings, metrics), "N",
     "learners with metrics of their own (default 100)", 0, 10000},
    {"threads", 0, CLI_INTEGER, offsetof(settings, threads), "N",
     "threads that serve HTTP (default: one per CPU)", 1, 256},
    {"allow-loss", 0, CLI_FLAG, offsetof(settings, allow_loss), NULL,
     "serve though a crash of PostgreSQL can lose rewards", 0, 0},
    {"demo", 0, CLI_FLAG, offsetof(settings, demo), NULL,
     "add a learner 'demo' and simulated students", 0, 0},
};

#define IDLE_SECONDS 60.0 /* a connection may be idle between two requests */

/* ---- waiting ------------------------------------------------------------------------------ */

/* Wait for a signal to stop, or a failure; reload files at SIGHUP. */
static void wait_for_end(settings *set, segue_service *service)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    while (!cli_interrupt_requested() && !segue_service_needs_restart(service)) {
        (void)nanosleep(&pause, NULL);
        cli_serve_files_watch(&set->files, service);
        if (cli_interrupt_hangup_requested())
            cli_serve_files_reload(&set->files, service);
        segue_notify_watch(set->notify, service, segue_clock_steady());
    }
}

/* Fail if the service stopped because it could not store. */
static segue_status check_failure(const segue_service *service, segue_error *err)
{
    return segue_service_needs_restart(service)
               ? segue_fail(err, SEGUE_EIO,
                            "the service stopped: %s; fix the cause and start it again",
                            segue_service_failure(service))
               : SEGUE_OK;
}

/* ---- serving ----------------------------------------------------------------------------- */

/* The port is read from the socket: port 0 asks the system for a free one. */
static void print_address(const settings *set, int fd, unsigned connections)
{
    const int host = (int)(strrchr(set->listen, ':') - set->listen);
    const unsigned port = segue_listen_port(fd);
    (void)fprintf(stderr,
                  "segue serve: listening on %.*s:%u, store %s; dashboard at %s://%.*s:%u/\n", host,
                  set->listen, port, set->named.label, set->files.tls ? "https" : "http", host,
                  set->listen, port);
    if (connections < set->connections)
        (void)fprintf(stderr,
                      "segue serve: at most %u connections, not %" PRIu64
                      ": the limit of open files is too low; raise it with 'ulimit -n'\n",
                      connections, set->connections);
}

/* The service goes on if the service manager is not there. */
static void notify_manager(const settings *set, const segue_service *service, const char *message)
{
    const int error = segue_notify_send(set->notify, message);
    if (error != 0)
        segue_service_report(service, "NOTIFY_SOCKET: the service manager cannot be reached: %s",
                             strerror(error));
}

/* Students stop before the HTTP server does. */
static segue_status run_until_stopped(settings *set, segue_service *service, segue_error *err)
{
    cli_demo *demo = NULL;
    segue_status status = set->demo ? cli_demo_start(&demo, service, err) : SEGUE_OK;
    if (status == SEGUE_OK)
        wait_for_end(set, service);
    cli_demo_stop(demo);
    return status;
}

/* Raise the limit of open files, and return how many connections it allows: each is a file, and the
 * store and the program need some too. */
static unsigned raise_file_limit(uint64_t connections)
{
    enum { OTHER_FILES = 64 };
    const rlim_t wanted = connections + OTHER_FILES;
    struct rlimit files = {.rlim_cur = wanted};
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < wanted) {
        files.rlim_cur = files.rlim_max < wanted ? files.rlim_max : wanted;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    if (files.rlim_cur >= wanted)
        return (unsigned)connections;
    return (unsigned)(files.rlim_cur > 2 * OTHER_FILES ? files.rlim_cur - OTHER_FILES
                                                       : files.rlim_cur / 2);
}

/* Use one arena of malloc where addresses are limited: each reserves 64 MiB of them. */
static void limit_arenas(void)
{
    struct rlimit space = {.rlim_cur = RLIM_INFINITY};
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        (void)mallopt(M_ARENA_MAX, 1);
}

/* Translate the options; the configuration borrows their texts. */
static segue_service_config service_config(const settings *set)
{
    segue_service_config config = segue_service_defaults();
    config.store = set->named.name;
    config.allow_loss = set->allow_loss;
    config.token_file = set->files.token_file;
    config.audit = set->files.audit;
    config.max_memory = set->max_memory;
    config.max_open_tasks = set->max_open;
    config.max_group = set->max_group;
    config.max_wal = set->max_wal << 20; /* from MiB */
    config.max_metrics_learners = set->metrics;
    config.rate = set->rate;
    config.keep = set->keep_seconds;
    config.advertise = set->advertise;
    if (set->lease)
        config.lease = set->lease_seconds;
    config.report = cli_serve_files_report;
    config.report_context = set->files.reports;
    return config;
}

/* Serve HTTP until a signal or a failure; drain before the return. */
static segue_status serve_http(settings *set, int fd, segue_service *service, segue_error *err)
{
    segue_http *http = NULL;
    SEGUE_TRY(segue_service_start(service, err));
    const segue_http_config config = {.socket = fd,
                                      .threads = (unsigned)set->threads,
                                      .log = set->files.log,
                                      .connections = {
                                          .limit = raise_file_limit(set->connections),
                                          .per_address = (unsigned)set->per_address,
                                          .request_timeout = set->request_timeout,
                                          .idle_timeout = IDLE_SECONDS,
                                          .tls = set->files.tls,
                                      }};
    SEGUE_TRY(segue_http_open(&http, service, &config, err));
    print_address(set, fd, config.connections.limit);
    cli_permissions_warn_store("segue serve", set->named.name);
    cli_serve_files_warn_not_private(&set->files);
    notify_manager(set, service, "READY=1\nSTATUS=serving");
    const segue_status status = run_until_stopped(set, service, err);
    notify_manager(set, service, "STOPPING=1\nSTATUS=shutting down");
    segue_http_close(http);
    return status == SEGUE_OK ? check_failure(service, err) : status;
}

/* Recover the learners of the store, and serve them on a socket. */
static segue_status serve_on(settings *set, int fd, segue_error *err)
{
    const segue_service_config config = service_config(set);
    segue_service *service = NULL;
    SEGUE_TRY(segue_service_create(&service, &config, err));
    const segue_status status = serve_http(set, fd, service, err);
    segue_service_destroy(service);
    return status;
}

/* The address is bound before the store is opened: a second service fails at once. */
static segue_status serve(settings *set, segue_error *err)
{
    int fd = -1;
    SEGUE_TRY(segue_listen(set->listen, set->files.token_file != NULL, &fd, err));
    const segue_status status = serve_on(set, fd, err);
    (void)close(fd);
    return status;
}

/* The first error wins; an error of closing the logs is reported only if there is none. */
static segue_status serve_with_files(settings *set, segue_error *err)
{
    segue_status status = cli_serve_files_open(&set->files, err);
    if (status == SEGUE_OK)
        status = serve(set, err);
    const segue_status closed = cli_serve_files_close(&set->files, status == SEGUE_OK ? err : NULL);
    return status == SEGUE_OK ? closed : status;
}

/* Messages go to the service manager that the environment names, if any. */
static segue_status serve_and_notify(settings *set, segue_error *err)
{
    const segue_notify_environment from = {.notify_socket = getenv("NOTIFY_SOCKET"),
                                           .watchdog_usec = getenv("WATCHDOG_USEC"),
                                           .watchdog_pid = getenv("WATCHDOG_PID")};
    segue_notify notify;
    SEGUE_TRY(segue_notify_open(&notify, &from, err));
    set->notify = &notify;
    const segue_status status = serve_with_files(set, err);
    set->notify = NULL;
    segue_notify_close(&notify);
    return status;
}

#define MIN_LEASE 0.5 /* seconds; below, a slow commit of the database would end sessions ... */
#define MAX_LEASE 600 /* ... and above, a killed server would be missed for too long */

/* An address is http://HOST:PORT, without a path. */
static bool is_address(const char *url)
{
    const char *host = strstr(url, "://");
    const bool is_http = strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0;
    return is_http && host[3] && !strpbrk(host + 3, "/?# ") && strlen(url) <= SEGUE_MAX_ADDRESS;
}

static segue_status check_cluster(settings *set, segue_error *err)
{
    if (set->advertise && !is_address(set->advertise))
        return segue_fail(err, SEGUE_EUSAGE,
                          "--advertise is '%.80s'; need the URL at which other servers reach this "
                          "one, such as http://10.0.0.1:8080",
                          set->advertise);
    if (!set->lease)
        return SEGUE_OK;
    if (!set->advertise)
        return segue_fail(err, SEGUE_EUSAGE, "--lease needs --advertise");
    SEGUE_TRY(segue_clock_parse_duration(set->lease, &set->lease_seconds, err));
    return set->lease_seconds >= MIN_LEASE && set->lease_seconds <= MAX_LEASE
               ? SEGUE_OK
               : segue_fail(err, SEGUE_EUSAGE, "--lease is '%.40s'; need 0.5s to 10m", set->lease);
}

/* Signals are caught before the first thread starts, so that none is missed. */
static segue_status run(int argc, char **argv, segue_error *err)
{
    const segue_service_config defaults = segue_service_defaults();
    settings set = {.store = defaults.store,
                    .listen = "127.0.0.1:8080",
                    .max_open = defaults.max_open_tasks,
                    .max_group = defaults.max_group,
                    .connections = SEGUE_MAX_HTTP_CONNECTIONS,
                    .request_timeout = 30.0,
                    .max_wal = defaults.max_wal >> 20,
                    .metrics = defaults.max_metrics_learners,
                    .threads = cli_options_default_threads()};
    SEGUE_TRY(cli_options_parse(options, sizeof options / sizeof *options, argc, argv, &set, err));
    if (set.memory)
        SEGUE_TRY(segue_memory_parse(set.memory, &set.max_memory, err));
    if (set.keep)
        SEGUE_TRY(segue_clock_parse_duration(set.keep, &set.keep_seconds, err));
    SEGUE_TRY(check_cluster(&set, err));
    SEGUE_TRY(cli_permissions_take_store(set.store, &set.named, err));
    SEGUE_TRY(cli_serve_files_check(&set.files, err));
    limit_arenas();
    cli_interrupt_catch();
    if (cli_serve_files_can_reload(&set.files))
        cli_interrupt_catch_hangup();
    return serve_and_notify(&set, err);
}

const cli_command cli_command_serve = {
    .name = "serve",
    .summary = "run the decision service: ask for arms and tell rewards by HTTP",
    .usage = "serve [OPTIONS]",
    .details = "JSON over HTTP: create a learner, ask which arm a task should pull, tell the\n"
               "reward.  GET /openapi.json describes all routes; service.md, in the folder that\n"
               "'segue help' names, explains them.\n"
               "All state is in a file of SQLite, or in a database: postgresql://USER@HOST/NAME\n"
               "(postgresql.md).  Several servers can share a database: --advertise\n"
               "(cluster-service.md).  No reward is acknowledged before it is on the disk.\n"
               "SIGTERM stops the service after all received requests are answered.\n"
               "SIGHUP opens the log files again and reads tokens and certificate again; what is\n"
               "wrong is reported and stays as it was.  Without such a file SIGHUP stops it.\n"
               "Files that it creates are private (mode 0600); it warns about those that others\n"
               "can read or write, or that another user owns.\n"
               "A service manager that sets NOTIFY_SOCKET (systemd, Type=notify) is notified\n"
               "when the learners are recovered and when the service stops, and with\n"
               "WATCHDOG_USEC as long as changes are being stored.\n\n"
               "It listens on this machine alone, unless there are tokens: a request then\n"
               "needs the header 'Authorization: Bearer TOKEN'.  A line of the token file is\n"
               "NAME RIGHT TOKEN, or a token alone, which has the right admin.  read: GET\n"
               "requests except export; decide: also open, ask, tell and close; admin: also\n"
               "create, change, delete and export learners.  The audit log has who did what\n"
               "with the right admin; while it cannot be written, such requests get 503.\n"
               "When nearly all connections are in use, those that never carried a\n"
               "valid token are closed first.\n\n"
               "examples:\n"
               "  segue serve --demo --store sqlite:/tmp/demo.db\n"
               "  segue serve --store sqlite:/var/lib/segue/segue.db --access-log -\n"
               "  segue serve --store postgresql://segue@db.example.org/segue\n"
               "  segue serve --listen 0.0.0.0:8443 --token-file tokens \\\n"
               "    --tls-cert cert.pem --tls-key key.pem --audit-log audit.log\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
