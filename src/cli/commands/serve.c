/* serve.c - `segue serve`: the decision service.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/demo.h"
#include "cli/interrupt.h"
#include "cli/permissions.h"
#include "segue/internal.h"
#include "service/api/http/http.h"
#include "service/api/http/listen.h"

typedef struct settings {
    const char *store, *listen, *token_file, *access_log, *memory;
    uint64_t threads, open_most, memory_most, group_most, connections, per_address, wal_most;
    double rate, request_timeout;
    bool demo;
} settings;

static const cli_option options[] = {
    {"store", 's', CLI_TEXT, offsetof(settings, store), "STORE",
     "where all is kept, sqlite:PATH (default segue.db)", 0, 0},
    {"listen", 'l', CLI_TEXT, offsetof(settings, listen), "ADDRESS",
     "IP:PORT or localhost:PORT (default 127.0.0.1:8080)", 0, 0},
    {"token-file", 't', CLI_TEXT, offsetof(settings, token_file), "FILE",
     "tokens, one a line; needed for other machines", 0, 0},
    {"access-log", 0, CLI_TEXT, offsetof(settings, access_log), "FILE",
     "a line of JSON a request; -: standard output", 0, 0},
    {"rate", 0, CLI_NUMBER, offsetof(settings, rate), "N",
     "requests a second of a token (default 0: any)", 0, 1e9},
    {"max-open", 0, CLI_INTEGER, offsetof(settings, open_most), "N",
     "open tasks that there may be (default 100000)", 1, 1e9},
    {"max-memory", 0, CLI_TEXT, offsetof(settings, memory), "SIZE",
     "for learners, tasks, requests: 500M, 4G (default: half)", 0, 0},
    {"group", 0, CLI_INTEGER, offsetof(settings, group_most), "N",
     "stored together at most; 1: one by one (default 512)", 1, 1e6},
    {"request-timeout", 0, CLI_NUMBER, offsetof(settings, request_timeout), "S",
     "seconds for a request to come (default 30)", 0.1, 86400},
    {"max-connections", 0, CLI_INTEGER, offsetof(settings, connections), "N",
     "connections at once (default 4096)", 8, 1e6},
    {"max-per-address", 0, CLI_INTEGER, offsetof(settings, per_address), "N",
     "of one address (default: a quarter of them)", 1, 1e6},
    {"max-wal", 0, CLI_INTEGER, offsetof(settings, wal_most), "MB",
     "largest WAL, if a reader lets it grow (default 1024)", 32, 1e6},
    {"threads", 0, CLI_INTEGER, offsetof(settings, threads), "N",
     "that answer (default: the processors)", 1, 256},
    {"demo", 0, CLI_FLAG, offsetof(settings, demo), NULL, "let simulated students use it", 0, 0},
};

#define IDLE_SECONDS 60.0 /* that a connection may be idle between two requests */
#define LOG_SECONDS  1.0  /* that the end waits for a log, in case nobody reads it */

/* ---- logs -------------------------------------------------------------------------------- */

/* The paths of requests have keys of tasks: the log is its owner's alone. */
static int open_log_file(const char *path)
{
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static int say_dropped_requests(char line[SEGUE_LOG_WRITER_NOTICE], uint64_t dropped)
{
    return snprintf(line, SEGUE_LOG_WRITER_NOTICE, "{\"time\":%lld,\"dropped\":%" PRIu64 "}\n",
                    (long long)time(NULL), dropped);
}

static int say_dropped_reports(char line[SEGUE_LOG_WRITER_NOTICE], uint64_t dropped)
{
    return snprintf(line, SEGUE_LOG_WRITER_NOTICE,
                    "segue serve: %" PRIu64 " lines were dropped here\n", dropped);
}

static segue_status open_log(const char *path, segue_log_writer **out, segue_error *err)
{
    *out = NULL;
    if (!path)
        return SEGUE_OK;
    const bool is_standard = strcmp(path, "-") == 0;
    if (!is_standard && segue_store_file_detect(path))
        return segue_fail(err, SEGUE_EFILE, "%s: is part of a store; need another file",
                          segue_path_tail(path));
    const int fd = is_standard ? STDOUT_FILENO : open_log_file(path);
    if (fd < 0)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_path_tail(path),
                          strerror(errno));
    const segue_status status = segue_log_writer_create(out, fd, say_dropped_requests, err);
    if (status == SEGUE_OK && !is_standard)
        segue_log_writer_reopen(*out, fd); /* the log's from now on */
    else if (!is_standard)
        (void)close(fd);
    return status;
}

static bool is_file(const settings *set)
{
    return set->access_log && strcmp(set->access_log, "-") != 0;
}

/* Report to the operator, whose standard error may be a pipe that nobody reads. */
static void report(void *context, const char *message)
{
    char line[SEGUE_ERROR_SIZE + 32];
    const int size = snprintf(line, sizeof line, "segue serve: %s\n", message);
    if (size > 0 && (size_t)size < sizeof line)
        (void)segue_log_writer_append(context, line, (size_t)size);
}

/* The log's name may lead to another file by now: go on there. */
static void begin_new_log(const settings *set, const segue_service *service, segue_log_writer *log)
{
    const int fd = open_log_file(set->access_log);
    if (fd < 0)
        segue_service_report(service, "%s: cannot be opened, and the log stays: %s",
                             segue_path_tail(set->access_log), strerror(errno));
    else
        segue_log_writer_reopen(log, fd);
}

/* Until a signal comes. */
static void wait_for_end(const settings *set, const segue_service *service, segue_log_writer *log)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    bool fine = true;
    while (!cli_interrupt_requested() && !segue_service_has_failed(service)) {
        (void)nanosleep(&pause, NULL);
        if (log && fine && segue_log_writer_error(log) != 0) {
            segue_service_report(service, "the access log cannot be written: %s",
                                 strerror(segue_log_writer_error(log)));
            fine = false;
        }
        if (is_file(set) && cli_interrupt_hangup_requested())
            begin_new_log(set, service, log);
    }
}

/* Whether what it knows is on the disk. */
static segue_status check_end(const segue_service *service, segue_error *err)
{
    return segue_service_has_failed(service)
               ? segue_fail(err, SEGUE_EIO, "it cannot go on, and ends; start it again: %s",
                            segue_service_failure(service))
               : SEGUE_OK;
}

/* ---- serving ----------------------------------------------------------------------------- */

static void say_where(const settings *set, int fd, unsigned connections)
{
    const int host = (int)(strrchr(set->listen, ':') - set->listen);
    const unsigned port = segue_listen_port(fd);
    (void)fprintf(stderr, "segue serve: listening on %.*s:%u, store %s; http://%.*s:%u/ shows it\n",
                  host, set->listen, port, set->store, host, set->listen, port);
    if (connections < set->connections)
        (void)fprintf(stderr,
                      "segue serve: at most %u connections, not %" PRIu64
                      ": no more files may be open\n",
                      connections, set->connections);
}

/* Files that have secrets in them, and are not private. */
static void warn_shared(const settings *set)
{
    static const char who[] = "segue serve";
    cli_permissions_warn_store(who, set->store);
    if (set->token_file)
        (void)cli_permissions_warn(who, "the token file", set->token_file);
    if (is_file(set))
        (void)cli_permissions_warn(who, "the access log", set->access_log);
}

static segue_status run_open(const settings *set, segue_service *service, segue_log_writer *log,
                             segue_error *err)
{
    cli_demo *demo = NULL;
    segue_status status = set->demo ? cli_demo_start(&demo, service, err) : SEGUE_OK;
    if (status == SEGUE_OK)
        wait_for_end(set, service, log);
    cli_demo_stop(demo);
    return status;
}

/* So many connections may be open: each is a file, and the store and the program need some, too. */
static unsigned allow_connections(uint64_t connections)
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

/* Each arena of malloc reserves 64 MiB of addresses: where these are limited, one must do. */
static void save_addresses(void)
{
    struct rlimit space = {.rlim_cur = RLIM_INFINITY};
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        (void)mallopt(M_ARENA_MAX, 1);
}

static segue_status serve_on(const settings *set, int fd, segue_log_writer *log,
                             segue_log_writer *reports, segue_error *err)
{
    segue_service_config config = segue_service_defaults();
    segue_service *service = NULL;
    segue_http *http = NULL;
    config.store = set->store;
    config.token_file = set->token_file;
    config.memory_most = set->memory_most;
    config.open_most = set->open_most;
    config.group_most = set->group_most;
    config.wal_most = set->wal_most << 20;
    config.rate = set->rate;
    config.report = report;
    config.report_context = reports;
    segue_status status = segue_service_create(&service, &config, err);
    if (status == SEGUE_OK)
        status = segue_service_start(service, err);
    const segue_http_config shell = {.socket = fd,
                                     .threads = (unsigned)set->threads,
                                     .log = log,
                                     .connections = {
                                         .limit = allow_connections(set->connections),
                                         .per_address = (unsigned)set->per_address,
                                         .request_timeout = set->request_timeout,
                                         .idle_timeout = IDLE_SECONDS,
                                     }};
    if (status == SEGUE_OK)
        status = segue_http_open(&http, service, &shell, err);
    if (status == SEGUE_OK) {
        say_where(set, fd, shell.connections.limit);
        warn_shared(set);
        status = run_open(set, service, log, err);
    }
    segue_http_close(http);
    if (status == SEGUE_OK)
        status = check_end(service, err);
    segue_service_destroy(service);
    return status;
}

static segue_status serve(const settings *set, segue_log_writer *log, segue_log_writer *reports,
                          segue_error *err)
{
    int fd = -1;
    segue_status status = segue_listen(set->listen, set->token_file != NULL, &fd, err);
    if (status == SEGUE_OK)
        status = serve_on(set, fd, log, reports, err);
    if (fd >= 0)
        (void)close(fd);
    return status;
}

/* Write the rest of the access log. */
static segue_status close_log(segue_log_writer *log, segue_log_writer *reports, segue_error *err)
{
    const int error = segue_log_writer_destroy(log, LOG_SECONDS);
    if (error == ETIMEDOUT)
        report(reports, "the access log takes no more lines, and the last ones are lost");
    else if (error != 0)
        return segue_fail(err, SEGUE_EIO, "lines of the access log could not be written");
    return SEGUE_OK;
}

/* If nobody reads standard error, what the program says at its end must not wait for that. */
static void close_reports(segue_log_writer *reports)
{
    if (segue_log_writer_destroy(reports, LOG_SECONDS) != ETIMEDOUT)
        return;
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0)
        return;
    (void)dup2(nowhere, STDERR_FILENO);
    (void)close(nowhere);
}

static segue_status serve_with_logs(const settings *set, segue_error *err)
{
    segue_log_writer *log = NULL, *reports = NULL;
    segue_status status =
        segue_log_writer_create(&reports, STDERR_FILENO, say_dropped_reports, err);
    if (status == SEGUE_OK)
        status = open_log(set->access_log, &log, err);
    if (status == SEGUE_OK)
        status = serve(set, log, reports, err);
    const segue_status closed = close_log(log, reports, status == SEGUE_OK ? err : NULL);
    close_reports(reports);
    return status == SEGUE_OK ? closed : status;
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    const segue_service_config usual = segue_service_defaults();
    settings set = {.store = usual.store,
                    .listen = "127.0.0.1:8080",
                    .open_most = usual.open_most,
                    .group_most = usual.group_most,
                    .connections = SEGUE_MAX_HTTP_CONNECTIONS,
                    .request_timeout = 30.0,
                    .wal_most = usual.wal_most >> 20,
                    .threads = cli_options_default_threads()};
    segue_status status =
        cli_options_parse(options, sizeof options / sizeof *options, argc, argv, &set, err);
    if (status == SEGUE_OK && set.memory)
        status = segue_memory_parse(set.memory, &set.memory_most, err);
    if (status != SEGUE_OK)
        return status;
    save_addresses();
    cli_interrupt_catch();
    if (is_file(&set))
        cli_interrupt_catch_hangup();
    return serve_with_logs(&set, err);
}

const cli_command cli_command_serve = {
    .name = "serve",
    .summary = "answers asks and takes rewards over HTTP",
    .usage = "serve [OPTIONS]",
    .details = "JSON over HTTP: create a learner, ask which arm a task should take, tell the\n"
               "reward; GET /openapi.json has it all, and service.md, in the folder that 'segue\n"
               "help' names, walks through it.\n"
               "All is kept in one file of SQLite; no reward is acknowledged before it is on\n"
               "the disk.  SIGTERM ends it when all that was taken is answered; SIGHUP begins\n"
               "a new file of --access-log, as logrotate wants it; without one it ends it.\n"
               "Files that it makes are their owner's alone (mode 0600); it names those that\n"
               "others can read or write, or that another user owns.\n\n"
               "It listens on this machine alone, unless there are tokens: a request then\n"
               "needs the header 'Authorization: Bearer TOKEN'.  When nearly all connections\n"
               "are taken, those that never carried a valid token are closed first.\n\n"
               "examples:\n"
               "  segue serve --demo --store sqlite:/tmp/demo.db\n"
               "  segue serve --store sqlite:/var/lib/segue/segue.db --access-log -\n"
               "  segue serve --listen 0.0.0.0:8080 --token-file tokens\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
