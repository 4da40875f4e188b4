/* cmd_serve.c - `segue serve`: the decision service.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "core/text.h"
#include "serve/demo.h"
#include "serve/http.h"
#include "serve/listen.h"

typedef struct settings {
    const char *store, *listen, *token_file, *access_log, *memory;
    uint64_t threads, open_most, memory_most, group_most;
    double rate;
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
    {"max-open", 0, CLI_WHOLE, offsetof(settings, open_most), "N",
     "open tasks that there may be (default 100000)", 1, 1e9},
    {"max-memory", 0, CLI_TEXT, offsetof(settings, memory), "SIZE",
     "for learners, tasks, requests: 500M, 4G (default: half)", 0, 0},
    {"group", 0, CLI_WHOLE, offsetof(settings, group_most), "N",
     "stored together at most; 1: one by one (default 512)", 1, 1e6},
    {"threads", 0, CLI_WHOLE, offsetof(settings, threads), "N",
     "that answer (default: the processors)", 1, 256},
    {"demo", 0, CLI_FLAG, offsetof(settings, demo), NULL, "let simulated students use it", 0, 0},
};

static segue_status open_log(const char *path, FILE **out, segue_error *err)
{
    *out = NULL;
    if (!path)
        return SEGUE_OK;
    *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "a");
    return *out ? SEGUE_OK
                : segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_text_tail(path),
                             strerror(errno));
}

static bool is_file(const settings *set)
{
    return set->access_log && strcmp(set->access_log, "-") != 0;
}

/* The log's name may lead to another file by now: go on there.  Other threads write meanwhile, so
 * the stream stays, and only what it leads to changes. */
static void begin_new_log(const settings *set, FILE *log)
{
    const int fd = open(set->access_log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
        (void)fprintf(stderr, "segue serve: %s: cannot be opened, and the log stays: %s\n",
                      segue_text_tail(set->access_log), strerror(errno));
        return;
    }
    (void)fflush(log);
    (void)dup2(fd, fileno(log));
    (void)close(fd);
}

/* Until a signal comes; what was logged is seen soon. */
static segue_status wait_for_end(const settings *set, const segue_service *service, FILE *log,
                                 segue_error *err)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    bool fine = true;
    while (!cli_interrupted() && !segue_service_is_broken(service)) {
        (void)nanosleep(&pause, NULL);
        if (log && fflush(log) != 0 && fine) {
            (void)fprintf(stderr, "segue serve: the access log cannot be written: %s\n",
                          strerror(errno));
            fine = false;
        }
        if (is_file(set) && cli_hung_up())
            begin_new_log(set, log);
    }
    return segue_service_is_broken(service)
               ? segue_fail(err, SEGUE_EIO, "it cannot go on, and ends; start it again: %s",
                            segue_service_why_broken(service))
               : SEGUE_OK;
}

static void say_where(const settings *set, int fd, unsigned connections)
{
    const int host = (int)(strrchr(set->listen, ':') - set->listen);
    const unsigned port = segue_listen_port(fd);
    (void)fprintf(stderr, "segue serve: listening on %.*s:%u, store %s; http://%.*s:%u/ shows it\n",
                  host, set->listen, port, set->store, host, set->listen, port);
    if (connections < SEGUE_HTTP_CONNECTIONS)
        (void)fprintf(stderr,
                      "segue serve: at most %u connections, not %d: no more files may be open\n",
                      connections, SEGUE_HTTP_CONNECTIONS);
}

static segue_status run_open(const settings *set, segue_service *service, FILE *log,
                             segue_error *err)
{
    segue_demo *demo = NULL;
    segue_status status = set->demo ? segue_demo_start(&demo, service, err) : SEGUE_OK;
    if (status == SEGUE_OK)
        status = wait_for_end(set, service, log, err);
    segue_demo_stop(demo);
    return status;
}

/* So many connections may be open: each is a file, and the store and the program need some, too. */
static unsigned allow_connections(void)
{
    enum { OTHER_FILES = 64 };
    const rlim_t wanted = SEGUE_HTTP_CONNECTIONS + OTHER_FILES;
    struct rlimit files = {.rlim_cur = wanted};
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < wanted) {
        files.rlim_cur = files.rlim_max < wanted ? files.rlim_max : wanted;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    if (files.rlim_cur >= wanted)
        return SEGUE_HTTP_CONNECTIONS;
    return (unsigned)(files.rlim_cur > 2 * OTHER_FILES ? files.rlim_cur - OTHER_FILES
                                                       : files.rlim_cur / 2);
}

/* One call, so that lines of several threads do not mix. */
static void report(const char *message)
{
    (void)fprintf(stderr, "segue serve: %s\n", message);
}

static segue_status serve_on(const settings *set, int fd, FILE *log, segue_error *err)
{
    segue_service_config config = segue_service_defaults();
    segue_service *service = NULL;
    segue_http *http = NULL;
    config.store = set->store;
    config.token_file = set->token_file;
    config.memory_most = set->memory_most;
    config.open_most = set->open_most;
    config.group_most = set->group_most;
    config.rate = set->rate;
    config.report = report;
    segue_status status = segue_service_create(&service, &config, err);
    if (status == SEGUE_OK)
        status = segue_service_start(service, err);
    const segue_http_config shell = {.socket = fd,
                                     .threads = (unsigned)set->threads,
                                     .connections = allow_connections(),
                                     .log = log};
    if (status == SEGUE_OK)
        status = segue_http_open(&http, service, &shell, err);
    if (status == SEGUE_OK) {
        say_where(set, fd, shell.connections);
        status = run_open(set, service, log, err);
    }
    segue_http_close(http);
    segue_service_destroy(service);
    return status;
}

static segue_status serve(const settings *set, FILE *log, segue_error *err)
{
    int fd = -1;
    segue_status status = segue_listen(set->listen, set->token_file != NULL, &fd, err);
    if (status == SEGUE_OK)
        status = serve_on(set, fd, log, err);
    if (fd >= 0)
        (void)close(fd);
    return status;
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    const segue_service_config usual = segue_service_defaults();
    settings set = {.store = usual.store,
                    .listen = "127.0.0.1:8080",
                    .open_most = usual.open_most,
                    .group_most = usual.group_most,
                    .threads = cli_processors()};
    FILE *log = NULL;
    segue_status status =
        cli_parse(options, sizeof options / sizeof *options, argc, argv, &set, err);
    if (status == SEGUE_OK && set.memory)
        status = segue_memory_parse(set.memory, &set.memory_most, err);
    if (status == SEGUE_OK)
        status = open_log(set.access_log, &log, err);
    if (status != SEGUE_OK)
        return status;
    cli_interrupt_catch();
    if (is_file(&set))
        cli_hangup_catch();
    status = serve(&set, log, err);
    if (log && (fflush(log) != 0 || ferror(log)) && status == SEGUE_OK)
        status = segue_fail(err, SEGUE_EIO, "lines of the access log could not be written");
    if (log && log != stdout)
        (void)fclose(log);
    return status;
}

const cli_command cli_command_serve = {
    .name = "serve",
    .summary = "answers asks and takes rewards over HTTP",
    .usage = "serve [OPTIONS]",
    .details = "JSON over HTTP: create a learner, ask which arm a task should take, tell the\n"
               "reward; GET /openapi.json has it all, and docs/service.md walks through it.\n"
               "All is kept in one file of SQLite; no reward is acknowledged before it is on\n"
               "the disk.  SIGTERM ends it when all that was taken is answered; SIGHUP begins\n"
               "a new file of --access-log, as logrotate wants it; without one it ends it.\n\n"
               "It listens on this machine alone, unless there are tokens: a request then\n"
               "needs the header 'Authorization: Bearer TOKEN'.\n\n"
               "examples:\n"
               "  segue serve --demo --store sqlite:/tmp/demo.db\n"
               "  segue serve --store sqlite:/var/lib/segue/segue.db --access-log -\n"
               "  segue serve --listen 0.0.0.0:8080 --token-file tokens\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
