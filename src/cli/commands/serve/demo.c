/* demo.c - simulated students who use the service.
 *
 * A student is of one of four types, each with another best exercise; the service does not see the
 * type.  Each of N_THREADS threads plays one student after the other, through the same handler as
 * HTTP requests.  The first five hundred come without pause, the others slowly enough to follow on
 * the dashboard.  Threads end when `stop` is set.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/serve/demo.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "segue/internal.h"
#include "segue/rng.h"

#define N_THREADS 16  /* students at once */
#define N_FAST    500 /* students without pauses */
#define STEPS     25
#define N_TYPES   4
#define N_ARMS    5

static const char *const arm_name[N_ARMS] = {"worked example", "video", "quiz", "game", "text"};
/* Probability of reward 1 by type and arm. */
static const double success[N_TYPES][N_ARMS] = {{0.85, 0.40, 0.35, 0.30, 0.50},
                                                {0.30, 0.80, 0.25, 0.50, 0.35},
                                                {0.45, 0.30, 0.85, 0.40, 0.25},
                                                {0.25, 0.45, 0.40, 0.90, 0.20}};

/* A fifth of the tasks are control tasks, so that the dashboard shows the effect of transfer. */
static const char demo_learner[] =
    "{\"name\":\"demo\",\"arms\":[\"worked example\",\"video\",\"quiz\",\"game\",\"text\"],"
    "\"steps\":25,\"control\":0.2}";

struct cli_demo {
    segue_service *service;
    pthread_t thread[N_THREADS];
    size_t n_threads;
    uint64_t first;     /* number of the first student */
    atomic_ullong next; /* number of the next student */
    atomic_bool stop;
};

/* Send one request; returns its body, or NULL if it was rejected. */
static json_t *call(cli_demo *demo, const char *path, const char *body)
{
    segue_response reply;
    const segue_request request = {.own = true,
                                   .method = "POST",
                                   .path = path,
                                   .host = "localhost",
                                   .content_type = "application/json",
                                   .id = "demo",
                                   .body = body,
                                   .size = strlen(body)};
    segue_service_handle_and_wait(demo->service, &request, &reply);
    json_t *answer = reply.status < 300
                         ? json_loadb((const char *)reply.body.data, reply.body.size, 0, NULL)
                         : NULL;
    segue_response_fini(&reply);
    return answer;
}

/* An unknown arm counts as the last one. */
static size_t arm_of(const json_t *answer)
{
    const char *arm = json_string_value(json_object_get(answer, "arm"));
    size_t i = 0;
    while (arm && i + 1 < N_ARMS && strcmp(arm_name[i], arm) != 0)
        i++;
    return i;
}

/* 0.2 s: slow enough to follow a student on the dashboard. */
static void wait_a_moment(void)
{
    const struct timespec pause = {.tv_nsec = 200000000};
    (void)nanosleep(&pause, NULL);
}

/* Play one student: ask and tell until the task has STEPS rewards. */
static void play(cli_demo *demo, uint64_t student, segue_rng *rng)
{
    char body[512];
    const size_t type = (size_t)(segue_rng_uniform(rng) * N_TYPES);
    (void)snprintf(body, sizeof body, "{\"task\":\"student-%llu\"}", (unsigned long long)student);
    json_t *answer = call(demo, "/v1/learners/demo/ask", body);
    for (int step = 1; answer && step <= STEPS && !atomic_load(&demo->stop); step++) {
        const char *id = json_string_value(json_object_get(answer, "decision"));
        const int reward = segue_rng_uniform(rng) < success[type][arm_of(answer)];
        const char *path = step < STEPS ? "/v1/learners/demo/ask" : "/v1/tell";
        if (step < STEPS)
            (void)snprintf(
                body, sizeof body,
                "{\"task\":\"student-%llu\",\"tell\":{\"decision\":\"%s\",\"reward\":%d}}",
                (unsigned long long)student, id ? id : "", reward);
        else
            (void)snprintf(body, sizeof body, "{\"decision\":\"%s\",\"reward\":%d}", id ? id : "",
                           reward);
        json_decref(answer);
        answer = call(demo, path, body);
        if (answer && student >= demo->first + N_FAST)
            wait_a_moment();
    }
    if (!answer)
        wait_a_moment(); /* the next request may be rejected too: do not spin */
    json_decref(answer);
}

/* Student numbers seed the random streams: rewards do not depend on the thread. */
static void *play_students(void *context)
{
    cli_demo *demo = context;
    while (!atomic_load(&demo->stop)) {
        const uint64_t student = atomic_fetch_add(&demo->next, 1);
        segue_rng rng;
        segue_rng_init(&rng, 1, 0, student, SEGUE_STREAM_MODEL);
        play(demo, student, &rng);
    }
    return NULL;
}

/* After an error *out has the threads that were started: the caller stops them. */
segue_status cli_demo_start(cli_demo **out, segue_service *service, segue_error *err)
{
    cli_demo *demo = calloc(1, sizeof *demo);
    *out = demo;
    if (!demo)
        return segue_fail_no_memory(err, "the students");
    demo->service = service;
    /* Keys of an earlier demonstration are in the store: begin at a number from the clock. */
    demo->first = (uint64_t)segue_service_wall_time(service) % 100000000 * 1000;
    atomic_init(&demo->next, demo->first);
    json_t *created = call(demo, "/v1/learners", demo_learner);
    if (!created)
        return segue_fail(err, SEGUE_EIO,
                          "the learner 'demo' cannot be created; use an empty store for --demo");
    json_decref(created);
    for (; demo->n_threads < N_THREADS; demo->n_threads++)
        if (pthread_create(&demo->thread[demo->n_threads], NULL, play_students, demo) != 0)
            return segue_fail(err, SEGUE_ETHREAD,
                              "a thread of the demonstration could not be started; lower the load");
    return SEGUE_OK;
}

/* Waits for the requests in progress, at most one per thread. */
void cli_demo_stop(cli_demo *demo)
{
    if (!demo)
        return;
    atomic_store(&demo->stop, true);
    for (size_t i = 0; i < demo->n_threads; i++)
        (void)pthread_join(demo->thread[i], NULL);
    free(demo);
}
