/* test_ownership.c - a learner is resigned and adopted while the service runs: the same bytes, tasks and
 * deadlines before and after.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "request.h"
#include "service/engine/commit_queue.h"
#include "service/engine/operations/ownership/op_adopt.h"
#include "service/state/recovery/recovery.h"
#include "tutor.h"

static const segue_session none = {.id = ""};

static uint64_t draw(void *context)
{
    return segue_service_random_bits(context);
}

/* The bytes of the learner in memory; NULL: it is not there. */
static segue_bytes bytes_of(const char *name)
{
    segue_bytes b = {.data = NULL};
    learner_state *state = segue_service_find(service, name);
    if (!state)
        return b;
    segue_recovery_serialize(state->learner, &state->stats, &state->effect, &state->versions,
                             &state->shadow, &b);
    segue_learner_state_release(state);
    return b;
}

static void resign(void)
{
    learner_state *state = segue_service_find(service, "tutor");
    assert_non_null(state);
    assert_true(segue_commit_queue_add_job(service, &op_resign, state->id, 0));
    segue_service_run_pending(service);
    segue_learner_state_release(state);
}

static size_t adopted;

static void count(void *context)
{
    (void)context;
    adopted++;
}

/* Recover the learner from the store, as another server would, and hand it to the writer. */
static void adopt(int64_t id, const segue_session *session)
{
    const segue_recovery_source source = {.store = service->reader,
                                          .key = service->key,
                                          .draw = draw,
                                          .context = service,
                                          .now = segue_service_time(service)};
    segue_rows rows;
    segue_stored_learner row;
    segue_error err = {.message = ""};
    segue_rows_open(&rows, service->reader, &(segue_query){.kind = SEGUE_QUERY_LEARNER, .id = id},
                    NULL);
    assert_true(segue_rows_next_learner(&rows, &row));
    segue_recovery_result found = {.row = &row};
    if (segue_recovery_learner(&source, &row, &found, &err) != SEGUE_OK)
        found.why = err.message;
    assert_true(segue_op_adopt_push(service, &found, session, 0, count, NULL));
    segue_learner_state_release(found.state);
    assert_ok(segue_rows_close(&rows, SEGUE_OK));
    segue_service_run_pending(service);
}

/* Play tasks, of which one stays open. */
static void play(void)
{
    char task[16];
    for (int i = 0; i < 12; i++) {
        (void)snprintf(task, sizeof task, "t%d", i);
        for (int step = 0; step < 5; step++)
            tell_new(task, step % 2 ? 1.0 : 0.25);
        (void)snprintf(task, sizeof task, "t%d", i);
        char path[64];
        (void)snprintf(path, sizeof path, "/v1/learners/tutor/tasks/%s/close", task);
        expect(200, "POST", path, NULL);
    }
    tell_new("open", 1.0);
}

static void a_learner_comes_back_with_the_same_bytes(void **state)
{
    char id[SEGUE_DECISION_ID_LENGTH + 1];
    (void)state;
    create_tutor("");
    play();
    ask_id("open", id);
    const segue_bytes before = bytes_of("tutor");
    resign();
    assert_null(bytes_of("tutor").data);
    expect(404, "GET", "/v1/learners/tutor", NULL);
    expect(404, "POST", "/v1/learners/tutor/ask", "{\"task\":\"open\"}");
    assert_int_equal(segue_service_open_tasks(service), 0);
    adopt(1, &none);
    const segue_bytes after = bytes_of("tutor");
    assert_int_equal(after.size, before.size);
    assert_memory_equal(after.data, before.data, before.size);
    free(before.data);
    free(after.data);
    assert_int_equal(segue_service_open_tasks(service), 1);
    expect_tell("counted", id, 0.5); /* a decision of before counts after */
    expect_tell("duplicate", id, 0.5);
}

static void a_decision_with_a_deadline_outlives_a_resignation(void **state)
{
    (void)state;
    create_tutor(",\"reward_deadline\":10,\"default_reward\":0.5");
    ask_many("t", 3); /* none of them is stored yet */
    resign();
    adopt(1, &none);
    pass_time(20.0, 1);
    expect_rewards("t", 3);
}

static void another_session_or_a_second_learner_is_not_adopted(void **state)
{
    const segue_session other = {.id = "00112233445566778899aabbccddeeff"};
    (void)state;
    create_tutor("");
    resign();
    adopted = 0;
    adopt(1, &other); /* the session that took it has ended */
    assert_null(bytes_of("tutor").data);
    adopt(1, &none);
    adopt(1, &none); /* it is there */
    assert_int_equal(adopted, 3);
    expect(200, "GET", "/v1/learners/tutor", NULL);
}

static void a_resignation_that_cannot_be_stored_changes_nothing(void **state)
{
    (void)state;
    create_tutor("");
    play();
    fill_disk();
    resign();
    expect(200, "GET", "/v1/learners/tutor", NULL);
    expect(200, "POST", "/v1/learners/tutor/ask", "{\"task\":\"open\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FILE(a_learner_comes_back_with_the_same_bytes),
        IN_FILE(a_decision_with_a_deadline_outlives_a_resignation),
        IN_FILE(another_session_or_a_second_learner_is_not_adopted),
        IN_FILE(a_resignation_that_cannot_be_stored_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
