/* test_experiment.c - experiments over threads: files, progress, stop and resume.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

static void results_are_read_as_they_were_written(void **state)
{
    (void)state;
    char checkpoint[128], path[128];
    path_in(checkpoint, sizeof checkpoint, "mixed.unfinished");
    path_in(path, sizeof path, "mixed.json");
    segue_experiment *experiment = experiment_of(mixed);
    segue_results *results = NULL, *again = NULL, *third = NULL;
    const segue_run_options options = {.threads = 3, .checkpoint_path = checkpoint, .fresh = true};
    assert_ok(segue_experiment_run(&results, experiment, &options, NULL));
    assert_ok(segue_experiment_write_results(results, folder, NULL));
    assert_ok(segue_results_read(&again, path, NULL));
    for (size_t i = 0; i < results->n_cells; i++)
        assert_near(results->cell[i].regret.mean, again->cell[i].regret.mean, 1e-13);
    /* writing rounds to fifteen digits; after that nothing changes */
    assert_ok(segue_experiment_write_results(again, folder, NULL));
    assert_ok(segue_results_read(&third, path, NULL));
    char *first = text_of(again), *second = text_of(third);
    assert_string_equal(first, second);
    assert_int_equal(results->n_cells, 4);
    assert_int_equal(results->cell[0].n_points, 5);
    assert_int_equal(segue_cell_last_task(&results->cell[0], 4), 9);
    assert_non_null(segue_results_find(again, "ts", 60, 9));
    assert_null(segue_results_find(again, "ts", 61, 9));
    free(first);
    free(second);
    segue_results_destroy(results);
    segue_results_destroy(again);
    segue_results_destroy(third);
    segue_experiment_destroy(experiment);
}

typedef struct seen_progress {
    size_t calls;
    double share[64];
} seen_progress;

static void see_progress(void *context, double done, double total)
{
    seen_progress *seen = context;
    assert_true(seen->calls < 64);
    seen->share[seen->calls++] = done / total;
}

/* kl-ucb takes a hundred times as long as ucb: after it almost all time has passed. */
static void progress_measures_time_and_not_steps(void **state)
{
    (void)state;
    char checkpoint[128];
    seen_progress seen = {.calls = 0};
    path_in(checkpoint, sizeof checkpoint, "slow.unfinished");
    segue_experiment *experiment = experiment_of(
        "{\"name\": \"slow\", \"environment\": {\"uniform\": 7}, \"policies\": [\"kl-ucb\", "
        "\"ucb\"], \"steps\": 500, \"tasks\": 4, \"runs\": 8}");
    segue_results *results = NULL;
    const segue_run_options options = {.threads = 1,
                                       .checkpoint_path = checkpoint,
                                       .fresh = true,
                                       .progress = see_progress,
                                       .context = &seen};
    assert_ok(segue_experiment_run(&results, experiment, &options, NULL));
    assert_int_equal(seen.calls, 64); /* one per task */
    assert_true(seen.share[31] > 0.9 && seen.share[31] < 1.0);
    assert_near(seen.share[63], 1.0, 1e-6);
    assert_int_equal(unlink(checkpoint), 0);
    segue_results_destroy(results);
    segue_experiment_destroy(experiment);
}

static void a_run_stopped_at_any_task_resumes_to_the_same_results(void **state)
{
    (void)state;
    char checkpoint[128];
    path_in(checkpoint, sizeof checkpoint, "mixed.unfinished");
    segue_experiment *experiment = experiment_of(mixed);
    segue_results *straight = NULL;
    const segue_run_options whole = {.threads = 1, .checkpoint_path = checkpoint, .fresh = true};
    assert_ok(segue_experiment_run(&straight, experiment, &whole, NULL));
    char *expected = text_of(straight);
    for (int stop = 0; stop < 9 * 16; stop += repeats(10) == 10 ? 7 : 31) {
        segue_results *results = NULL;
        segue_error err;
        const segue_run_options first = {
            .threads = 1, .checkpoint_path = checkpoint, .fresh = true, .stopped = stop_soon};
        atomic_store(&calls_left, stop);
        assert_int_equal(segue_experiment_run(&results, experiment, &first, &err), SEGUE_ESTOPPED);
        assert_null(results);
        char saved[40];
        (void)snprintf(saved, sizeof saved, "stopped; %d of 16 runs", stop / 9);
        assert_non_null(strstr(err.message, saved));
        const segue_run_options then = {
            .threads = 2, .checkpoint_path = checkpoint, .resume = true};
        assert_ok(segue_experiment_run(&results, experiment, &then, &err));
        char *text = text_of(results);
        assert_string_equal(text, expected);
        free(text);
        segue_results_destroy(results);
    }
    free(expected);
    segue_results_destroy(straight);
    segue_experiment_destroy(experiment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_read_as_they_were_written),
        cmocka_unit_test(progress_measures_time_and_not_steps),
        cmocka_unit_test(a_run_stopped_at_any_task_resumes_to_the_same_results),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
