/* test_dashboard_responses.c - data of the dashboard: pages, versions, recent decisions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "service/api/http/static_files.h"
#include "service/state/model_history.h"
#include "service/state/recent_rewards.h"
#include "service/state/task_stats.h"
#include "transfer/learner_internal.h"

/* ---- pages ------------------------------------------------------------------------------- */

static void a_page_is_found_by_its_path_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < segue_n_static_files; i++) {
        const segue_static_file *page = segue_static_files_find(segue_static_files[i].path);
        assert_ptr_equal(page, &segue_static_files[i]); /* hence no two have the same */
        assert_true(page->size > 0);
        assert_int_equal(strlen(page->etag), 34);
    }
    assert_non_null(segue_static_files_find("/"));
    assert_non_null(segue_static_files_find("/openapi.json"));
    assert_ptr_equal(segue_static_files_find("/index.html"), segue_static_files_find("/"));
    assert_ptr_equal(segue_static_files_find("/playground/index.html"),
                     segue_static_files_find("/playground/"));
    assert_null(segue_static_files_find("/x/index.html"));
    assert_null(segue_static_files_find("index.html"));
    assert_null(segue_static_files_find("/index"));
    assert_null(segue_static_files_find(""));
    assert_null(segue_static_files_find("/../app.js"));
}

static void a_page_is_the_file_byte_for_byte(void **state)
{
    (void)state;
    const segue_static_file *page = segue_static_files_find("/icon.svg");
    assert_memory_equal(page->data, "<svg ", 5);
    assert_memory_equal(page->data + page->size - 7, "</svg>\n", 7);
}

static void a_page_is_compressed_for_who_takes_that(void **state)
{
    static const char *const yes[] = {
        "gzip", "br, gzip",  "GZIP",           "x-gzip", "br;q=1,gzip ;q=0.001",
        "*",    "br;q=0, *", "gzip;q=1, *;q=0"};
    static const char *const no[] = {"",      "br",      "gzip;q=0",    "gzip; q=0.000, br",
                                     "*;q=0", "gzipped", "gzip;q=0, *", "not gzip",
                                     ",,;"};
    const segue_static_file *page = segue_static_files_find("/app.js");
    (void)state;
    assert_non_null(page->gzip);
    assert_string_equal(page->gzip->encoding, "gzip");
    assert_string_not_equal(page->gzip->etag, page->etag);
    assert_true(page->gzip->size < page->size);
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_ptr_equal(segue_static_files_choose(page, yes[i]), page->gzip);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_ptr_equal(segue_static_files_choose(page, no[i]), page);
    assert_ptr_equal(segue_static_files_choose(page, NULL), page);
    assert_ptr_equal(segue_static_files_choose(&(segue_static_file){.path = "/"}, "gzip")->gzip,
                     NULL);
}

/* ---- versions ---------------------------------------------------------------------------- */

static segue_learner *new_learner(size_t n_arms)
{
    segue_learner_config config = segue_learner_defaults();
    segue_learner *learner = NULL;
    config.method = "tts";
    config.n_arms = n_arms;
    assert_ok(segue_learner_create(&learner, &config, NULL));
    return learner;
}

/* A task of one of two kinds, in which one arm always pays. */
static void finish_task(segue_learner *learner, size_t number)
{
    segue_task *task = NULL;
    assert_ok(segue_learner_open_task(learner, &task, NULL));
    for (size_t step = 0; step < 8; step++)
        assert_ok(segue_task_tell(task, step % 2, step % 2 == number % 2 ? 1.0 : 0.0, NULL));
    assert_ok(segue_learner_close_task(learner, &task, NULL));
}

static void play_tasks(segue_learner *learner, segue_model_history *versions, size_t tasks)
{
    for (size_t i = 0; i < tasks; i++) {
        finish_task(learner, i);
        assert_ok(segue_model_history_add(versions, learner, NULL));
    }
}

static void versions_are_thinned_out_evenly(void **state)
{
    (void)state;
    segue_learner *learner = new_learner(2);
    segue_model_history versions = {.count = 0};
    play_tasks(learner, &versions, 300);
    const uint64_t newest = segue_learner_version(learner);
    assert_true(newest > 2 * SEGUE_MAX_MODEL_VERSIONS);
    assert_true(versions.count > SEGUE_MAX_MODEL_VERSIONS / 2 - 2 &&
                versions.count <= SEGUE_MAX_MODEL_VERSIONS);
    for (size_t i = 0; i < versions.count; i++)
        assert_int_equal(versions.entry[i].version, (i + 1) * versions.stride);
    assert_true(newest - versions.entry[versions.count - 1].version < versions.stride);
    segue_model_history_fini(&versions);
    segue_learner_destroy(learner);
}

static void a_version_is_added_once_and_has_the_shared_prior(void **state)
{
    (void)state;
    segue_learner *learner = new_learner(2);
    segue_model_history versions = {.count = 0};
    segue_type_list found;
    assert_ok(segue_model_history_add(&versions, learner, NULL));
    assert_int_equal(versions.count, 0); /* there is no shared prior yet */
    play_tasks(learner, &versions, 40);
    const size_t count = versions.count;
    assert_ok(segue_model_history_add(&versions, learner, NULL));
    assert_int_equal(versions.count, count);
    const model_version *last = &versions.entry[count - 1];
    assert_ok(segue_learner_types(learner, &found, NULL));
    assert_int_equal(last->version, segue_learner_version(learner));
    assert_int_equal(last->tasks, 40);
    assert_int_equal(last->n_types, found.n_types);
    assert_memory_equal(last->number, found.weight, found.n_types * sizeof(double));
    assert_memory_equal(last->number + found.n_types, found.mean,
                        found.n_types * found.n_arms * sizeof(double));
    segue_type_list_fini(&found);
    segue_model_history_fini(&versions);
    segue_learner_destroy(learner);
}

static void of_many_arms_the_first_are_stored(void **state)
{
    (void)state;
    segue_learner *learner = new_learner(MODEL_HISTORY_ARMS + 6);
    segue_model_history versions = {.count = 0};
    segue_type_list found;
    play_tasks(learner, &versions, 40);
    assert_ok(segue_learner_types(learner, &found, NULL));
    const model_version *last = &versions.entry[versions.count - 1];
    assert_int_equal(last->n_arms, MODEL_HISTORY_ARMS);
    for (size_t k = 0; k < last->n_types; k++)
        assert_memory_equal(last->number + last->n_types + k * MODEL_HISTORY_ARMS,
                            found.mean + k * found.n_arms, MODEL_HISTORY_ARMS * sizeof(double));
    segue_type_list_fini(&found);
    segue_model_history_fini(&versions);
    segue_learner_destroy(learner);
}

static void versions_go_to_bytes_and_back_and_damage_is_seen(void **state)
{
    (void)state;
    segue_learner *learner = new_learner(2);
    segue_model_history versions = {.count = 0}, back;
    segue_bytes b = {.data = NULL}, again = {.data = NULL};
    play_tasks(learner, &versions, 30);
    segue_model_history_serialize(&versions, &b);
    segue_bytes_reader r = {.data = b.data, .size = b.size};
    assert_ok(segue_model_history_deserialize(&back, &r, NULL));
    segue_model_history_serialize(&back, &again);
    assert_int_equal(again.size, b.size);
    assert_memory_equal(again.data, b.data, b.size);
    segue_model_history_fini(&back);
    for (size_t size = 0; size < b.size; size++) {
        segue_bytes_reader part = {.data = b.data, .size = size};
        assert_int_equal(segue_model_history_deserialize(&back, &part, NULL), SEGUE_EFILE);
        segue_model_history_fini(&back);
    }
    b.data[9] = 1; /* more than there can be */
    segue_bytes_reader wrong = {.data = b.data, .size = b.size};
    assert_int_equal(segue_model_history_deserialize(&back, &wrong, NULL), SEGUE_EFILE);
    segue_model_history_fini(&back);
    segue_bytes_fini(&b);
    segue_bytes_fini(&again);
    segue_model_history_fini(&versions);
    segue_learner_destroy(learner);
}

/* ---- types ------------------------------------------------------------------------------- */

static void types_are_found_with_intervals_in_the_range_of_rewards(void **state)
{
    (void)state;
    segue_learner_config config = segue_learner_defaults();
    segue_learner *learner = NULL;
    segue_type_list found;
    config.method = "tts";
    config.n_arms = 2;
    config.lowest = -10.0;
    config.highest = 30.0;
    assert_ok(segue_learner_create(&learner, &config, NULL));
    for (size_t i = 0; i < 60; i++)
        finish_task(learner, i); /* rewards of 0 and 1: low in the range, and alike */
    assert_ok(segue_learner_types(learner, &found, NULL));
    assert_true(found.n_types > 0);
    for (size_t i = 0; i < found.n_types * found.n_arms; i++) {
        assert_true(-10.0 <= found.low[i] && found.low[i] < found.high[i]);
        assert_true(found.high[i] <= 30.0);
    }
    segue_type_list_fini(&found);
    segue_learner_destroy(learner);
}

/* ---- records ----------------------------------------------------------------------------- */

/* Task i of a made-up learner: whose it is, its rewards and their sum. */
static bool is_control(size_t i)
{
    return i % 7 == 3;
}

static uint64_t rewards_of(size_t i)
{
    return i % 5; /* some have none */
}

static double total_of(size_t i)
{
    return (double)rewards_of(i) * (1e6 + sin((double)i)); /* far from 0: squares must not cancel */
}

/* Tasks first .. last - 1 of one side, counted once more. */
static void holds(const task_stats_side *side, bool control, size_t first, size_t last)
{
    uint64_t tasks = 0, rewards = 0;
    double sum = 0.0, squares = 0.0;
    for (size_t i = first; i < last; i++)
        if (is_control(i) == control && rewards_of(i) > 0) {
            tasks++;
            rewards += rewards_of(i);
            sum += sin((double)i);
            squares += sin((double)i) * sin((double)i);
        }
    assert_int_equal(side->stats.count, tasks);
    assert_int_equal(side->rewards, rewards);
    if (tasks > 0)
        assert_near(side->stats.mean - 1e6, sum / (double)tasks, 1e-8);
    assert_near(side->stats.squares, squares - (tasks > 0 ? sum * sum / (double)tasks : 0.0), 1e-6);
}

static void a_record_counts_each_task_once(void **state)
{
    (void)state;
    static task_stats rec;
    for (size_t n = 0; n < 1000; n++) {
        const size_t groups = segue_task_stats_groups(&rec);
        assert_int_equal(segue_task_stats_tasks(&rec), n);
        assert_in_range(groups, n < TASK_STATS_GROUPS / 2 ? n : TASK_STATS_GROUPS / 2,
                        TASK_STATS_GROUPS);
        for (int control = 0; control < 2; control++) {
            holds(&rec.whole.side[control], control, 0, n);
            for (size_t g = 0; g < groups; g++)
                holds(&rec.group[g].side[control], control, g * rec.size,
                      (g + 1) * rec.size < n ? (g + 1) * rec.size : n);
        }
        segue_task_stats_add(&rec, is_control(n), rewards_of(n), total_of(n));
        rec.size = rec.size ? rec.size : 1;
    }
}

static void records_go_to_bytes_and_back_and_damage_is_seen(void **state)
{
    (void)state;
    static task_stats rec, again;
    segue_bytes b = {.data = NULL}, c = {.data = NULL};
    for (size_t i = 0; i < 321; i++)
        segue_task_stats_add(&rec, is_control(i), rewards_of(i), total_of(i));
    segue_task_stats_serialize(&rec, &b);
    segue_bytes_reader r = {.data = b.data, .size = b.size};
    assert_ok(segue_task_stats_deserialize(&again, &r, NULL));
    segue_task_stats_serialize(&again, &c);
    assert_int_equal(r.at, b.size);
    assert_int_equal(b.size, c.size);
    assert_memory_equal(b.data, c.data, b.size);
    for (size_t size = 0; size < b.size; size += 8) {
        r = (segue_bytes_reader){.data = b.data, .size = size};
        assert_int_equal(segue_task_stats_deserialize(&again, &r, NULL), SEGUE_EFILE);
    }
    b.data[6] = 1; /* more tasks than any group could hold */
    r = (segue_bytes_reader){.data = b.data, .size = b.size};
    assert_int_equal(segue_task_stats_deserialize(&again, &r, NULL), SEGUE_EFILE);
    segue_bytes_fini(&b);
    segue_bytes_fini(&c);
}

/* ---- decisions --------------------------------------------------------------------------- */

static void the_last_decisions_are_listed_the_newest_first(void **state)
{
    (void)state;
    recent_rewards list = {.count = 0};
    assert_null(segue_recent_rewards_at(&list, 0));
    for (size_t i = 0; i < 3 * SEGUE_MAX_RECENT_REWARDS / 2; i++) {
        *segue_recent_rewards_add(&list) = (recent_reward){.arm = i};
        assert_int_equal(segue_recent_rewards_at(&list, 0)->arm, i);
    }
    for (size_t i = 0; i < SEGUE_MAX_RECENT_REWARDS; i++)
        assert_int_equal(segue_recent_rewards_at(&list, i)->arm,
                         3 * SEGUE_MAX_RECENT_REWARDS / 2 - 1 - i);
    assert_null(segue_recent_rewards_at(&list, SEGUE_MAX_RECENT_REWARDS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_found_by_its_path_alone),
        cmocka_unit_test(a_page_is_the_file_byte_for_byte),
        cmocka_unit_test(a_page_is_compressed_for_who_takes_that),
        cmocka_unit_test(versions_are_thinned_out_evenly),
        cmocka_unit_test(a_version_is_added_once_and_has_the_shared_prior),
        cmocka_unit_test(of_many_arms_the_first_are_stored),
        cmocka_unit_test(versions_go_to_bytes_and_back_and_damage_is_seen),
        cmocka_unit_test(types_are_found_with_intervals_in_the_range_of_rewards),
        cmocka_unit_test(a_record_counts_each_task_once),
        cmocka_unit_test(records_go_to_bytes_and_back_and_damage_is_seen),
        cmocka_unit_test(the_last_decisions_are_listed_the_newest_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
