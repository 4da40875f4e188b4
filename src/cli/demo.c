/* demo.c - simulated students who use the service.
 *
 * A student is of one of four types, who learn best from different lessons; nobody tells the
 * service which.  The first five hundred come as fast as they can, the rest at a pace that one can
 * follow.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/demo.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "segue/internal.h"
#include "segue/rng.h"

#define STUDENTS 16  /* at once */
#define FAST     500 /* students */
#define STEPS    25
#define TYPES    4
#define LESSONS  5

static const char *const lesson[LESSONS] = {"worked example", "video", "quiz", "game", "text"};
static const double success[TYPES][LESSONS] = {{0.85, 0.40, 0.35, 0.30, 0.50},
                                               {0.30, 0.80, 0.25, 0.50, 0.35},
                                               {0.45, 0.30, 0.85, 0.40, 0.25},
                                               {0.25, 0.45, 0.40, 0.90, 0.20}};

static const char demo_words[] =
    "{\"name\":\"demo\",\"arms\":[\"worked example\",\"video\",\"quiz\",\"game\",\"text\"],"
    "\"steps\":25,\"control\":0.2}";

struct cli_demo {
    segue_service *service;
    pthread_t thread[STUDENTS];
    size_t n_threads;
    uint64_t first; /* student */
    atomic_ullong next;
    atomic_bool stop;
};

/* One request; its body, or NULL if it was refused. */
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

static size_t lesson_of(const json_t *answer)
{
    const char *arm = json_string_value(json_object_get(answer, "arm"));
    size_t i = 0;
    while (arm && i + 1 < LESSONS && strcmp(lesson[i], arm) != 0)
        i++;
    return i;
}

static void rest(void)
{
    const struct timespec pause = {.tv_nsec = 200000000};
    (void)nanosleep(&pause, NULL);
}

/* One student: asked and told until the task is over. */
static void play(cli_demo *demo, uint64_t student, segue_rng *rng)
{
    char body[512];
    const size_t type = (size_t)(segue_rng_uniform(rng) * TYPES);
    (void)snprintf(body, sizeof body, "{\"task\":\"student-%llu\"}", (unsigned long long)student);
    json_t *answer = call(demo, "/v1/learners/demo/ask", body);
    for (int step = 1; answer && step <= STEPS && !atomic_load(&demo->stop); step++) {
        const char *id = json_string_value(json_object_get(answer, "decision"));
        const int reward = segue_rng_uniform(rng) < success[type][lesson_of(answer)];
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
        if (answer && student >= demo->first + FAST)
            rest();
    }
    if (!answer)
        rest(); /* refused: so might the next student be, and at once */
    json_decref(answer);
}

static void *study(void *context)
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

segue_status cli_demo_start(cli_demo **out, segue_service *service, segue_error *err)
{
    cli_demo *demo = calloc(1, sizeof *demo);
    *out = demo;
    if (!demo)
        return segue_fail_no_memory(err, "the students");
    demo->service = service;
    /* students that came before have their keys already */
    demo->first = (uint64_t)segue_service_now(service) % 100000000 * 1000;
    atomic_init(&demo->next, demo->first);
    json_t *created = call(demo, "/v1/learners", demo_words);
    if (!created)
        return segue_fail(err, SEGUE_EIO, "the learner of the demonstration cannot be created");
    json_decref(created);
    for (; demo->n_threads < STUDENTS; demo->n_threads++)
        if (pthread_create(&demo->thread[demo->n_threads], NULL, study, demo) != 0)
            return segue_fail(err, SEGUE_ETHREAD, "a student could not be started");
    return SEGUE_OK;
}

void cli_demo_stop(cli_demo *demo)
{
    if (!demo)
        return;
    atomic_store(&demo->stop, true);
    for (size_t i = 0; i < demo->n_threads; i++)
        (void)pthread_join(demo->thread[i], NULL);
    free(demo);
}
