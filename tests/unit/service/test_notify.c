/* test_notify.c - messages to a service manager, received on a real socket.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "service/jobs/notify.h"

static int manager = -1; /* the socket of the service manager */
static char address[128];

/* Listen on a path, or on an abstract name that begins with '@'. */
static void listen_on(const char *name)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const size_t length = strlen(name);
    const struct timeval patience = {.tv_sec = 60};
    memcpy(at.sun_path, name, length);
    if (name[0] == '@')
        at.sun_path[0] = '\0';
    manager = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_true(manager >= 0);
    assert_int_equal(setsockopt(manager, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(bind(manager, (struct sockaddr *)&at,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)),
                     0);
}

static int set_up(void **state)
{
    if (make_own_folder(state) != 0)
        return -1;
    (void)snprintf(address, sizeof address, "%s/notify", own_folder);
    listen_on(address);
    return 0;
}

static int tear_down(void **state)
{
    (void)close(manager);
    (void)unlink(address);
    return remove_own_folder(state);
}

static void expect_message(const char *expected)
{
    char text[256];
    const ssize_t size = recv(manager, text, sizeof text, 0);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(text, expected, (size_t)size);
}

static void expect_silence(void)
{
    char text[256];
    assert_true(recv(manager, text, sizeof text, MSG_DONTWAIT) < 0);
    assert_int_equal(errno, EAGAIN);
}

static segue_notify notify_of(const char *socket, const char *usec, const char *pid)
{
    segue_notify notify;
    const segue_notify_environment from = {socket, usec, pid};
    segue_error err;
    if (segue_notify_open(&notify, &from, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    return notify;
}

static void a_message_is_one_datagram(void **state)
{
    segue_notify notify = notify_of(address, NULL, NULL);
    (void)state;
    assert_int_equal(segue_notify_send(&notify, "READY=1\nSTATUS=serving"), 0);
    assert_int_equal(segue_notify_send(&notify, "STOPPING=1"), 0);
    expect_message("READY=1\nSTATUS=serving");
    expect_message("STOPPING=1");
    expect_silence();
    segue_notify_close(&notify);
}

static void an_abstract_socket_gets_it_too(void **state)
{
    char name[64];
    (void)state;
    (void)snprintf(name, sizeof name, "@segue-test-notify-%ld", (long)getpid());
    (void)close(manager);
    listen_on(name);
    segue_notify notify = notify_of(name, NULL, NULL);
    assert_int_equal(segue_notify_send(&notify, "READY=1"), 0);
    expect_message("READY=1");
    segue_notify_close(&notify);
}

static void without_a_manager_nothing_is_sent(void **state)
{
    segue_notify none = notify_of(NULL, NULL, NULL), empty = notify_of("", "5", "x");
    (void)state;
    assert_int_equal(segue_notify_send(&none, "READY=1"), 0);
    assert_int_equal(segue_notify_send(&empty, "READY=1"), 0);
    segue_notify_watch(&none, NULL, 1.0);
    expect_silence();
    segue_notify_close(&none);
    segue_notify_close(&empty);
}

static void a_manager_that_is_gone_is_an_error(void **state)
{
    segue_notify notify = notify_of(address, NULL, NULL);
    (void)state;
    (void)close(manager);
    assert_int_equal(segue_notify_send(&notify, "READY=1"), ECONNREFUSED);
    (void)unlink(address);
    assert_int_equal(segue_notify_send(&notify, "READY=1"), ENOENT);
    listen_on(address);
    segue_notify_close(&notify);
}

static void malformed_variables_are_refused(void **state)
{
    char too_long[200];
    memset(too_long, 'x', sizeof too_long);
    too_long[0] = '/';
    too_long[sizeof too_long - 1] = '\0';
    const segue_notify_environment wrong[] = {
        {"relative", NULL, NULL}, {"@", NULL, NULL},     {"/", NULL, NULL},
        {too_long, NULL, NULL},   {address, "", NULL},   {address, "0", NULL},
        {address, "-5", NULL},    {address, "1s", NULL}, {address, "99999999999999999999", NULL},
        {address, "5", "me"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        segue_notify notify;
        segue_error err;
        assert_int_equal(segue_notify_open(&notify, &wrong[i], &err), SEGUE_EUSAGE);
        assert_non_null(strstr(err.message, "; need "));
        assert_int_equal(notify.fd, -1);
    }
}

static void the_watchdog_of_another_process_is_not_ours(void **state)
{
    char pid[32];
    (void)state;
    (void)snprintf(pid, sizeof pid, "%ld", (long)getpid());
    segue_notify ours = notify_of(address, "2500000", pid), any = notify_of(address, "3", NULL),
                 other = notify_of(address, "2500000", "1");
    assert_near(ours.watchdog, 2.5, 1e-12);
    assert_near(any.watchdog, 3e-6, 1e-12);
    assert_near(other.watchdog, 0.0, 0.0);
    segue_notify_close(&ours);
    segue_notify_close(&any);
    segue_notify_close(&other);
}

/* ---- the writer -------------------------------------------------------------------------- */

static void sleep_briefly(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    (void)nanosleep(&pause, NULL);
}

/* Wait until the writer has come back to its queue since the last ping. */
static void await_answer(segue_service *service)
{
    for (int i = 0; i < 60000; i++) {
        (void)pthread_mutex_lock(&service->queue.lock);
        const bool is_answered = service->queue.answered == service->queue.pings;
        (void)pthread_mutex_unlock(&service->queue.lock);
        if (is_answered)
            return;
        sleep_briefly();
    }
    fail_msg("the writer does not answer");
}

static segue_service *start_service(void)
{
    segue_service_config config = segue_service_defaults();
    segue_service *service = NULL;
    segue_error err;
    config.store = own_path;
    if (segue_service_create(&service, &config, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    assert_ok(segue_service_start(service, NULL));
    return service;
}

static void an_idle_writer_is_alive(void **state)
{
    segue_service *service = start_service();
    segue_notify notify = notify_of(address, "10000000", NULL);
    (void)state;
    for (double now = 100.0; now < 130.0; now += 1.0) {
        segue_notify_watch(&notify, service, now); /* every fifth sends */
        await_answer(service);
    }
    for (int i = 0; i < 6; i++)
        expect_message("WATCHDOG=1");
    expect_silence();
    segue_notify_close(&notify);
    segue_service_destroy(service);
}

/* The test holds the lock of a learner that the writer needs to close a task. */
static void a_writer_that_waits_for_ever_is_not(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    segue_service *service = start_service();
    segue_notify notify = notify_of(address, "10000000", NULL);
    (void)state;
    call_create(service, "");
    call_ask(service, "t", id);
    learner_state *learner = segue_service_find(service, "l");
    (void)pthread_mutex_lock(&learner->lock);
    const task_state *task = segue_learner_state_task_by_key(learner, "t");
    assert_true(segue_commit_queue_add_job(service, &op_close, learner->id, task->id));
    while (segue_commit_queue_length(&service->queue) > 0)
        sleep_briefly();
    segue_notify_watch(&notify, service, 100.0); /* the ping before was answered */
    expect_message("WATCHDOG=1");
    for (double now = 105.0; now < 200.0; now += 1.0)
        segue_notify_watch(&notify, service, now);
    expect_silence();
    (void)pthread_mutex_unlock(&learner->lock);
    await_answer(service);
    segue_notify_watch(&notify, service, 200.0);
    expect_message("WATCHDOG=1");
    segue_learner_state_release(learner);
    segue_notify_close(&notify);
    segue_service_destroy(service);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_message_is_one_datagram),         TEST(an_abstract_socket_gets_it_too),
        TEST(without_a_manager_nothing_is_sent), TEST(a_manager_that_is_gone_is_an_error),
        TEST(malformed_variables_are_refused),   TEST(the_watchdog_of_another_process_is_not_ours),
        TEST(an_idle_writer_is_alive),           TEST(a_writer_that_waits_for_ever_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
