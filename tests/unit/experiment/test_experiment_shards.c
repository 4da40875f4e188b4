/* test_experiment_shards.c - shards and processes give the results of one process.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"

static char *text_of_straight(const segue_experiment *experiment)
{
    char checkpoint[128];
    path_in(checkpoint, sizeof checkpoint, "mixed.unfinished");
    segue_results *results = NULL;
    const segue_run_options whole = {.threads = 1, .checkpoint_path = checkpoint, .fresh = true};
    assert_ok(segue_experiment_run(&results, experiment, &whole, NULL));
    char *text = text_of(results);
    segue_results_destroy(results);
    return text;
}

static segue_status run_shard(const segue_experiment *experiment, segue_shard shard, int stop)
{
    char checkpoint[128];
    segue_results *results = NULL;
    atomic_store(&calls_left, stop);
    assert_ok(segue_experiment_checkpoint_path(experiment, folder, shard, checkpoint,
                                               sizeof checkpoint, NULL));
    const segue_run_options options = {.threads = 1,
                                       .checkpoint_path = checkpoint,
                                       .resume = true,
                                       .shard = shard,
                                       .stopped = stop ? stop_soon : NULL};
    const segue_status status = segue_experiment_run(&results, experiment, &options, NULL);
    assert_null(results);
    return status;
}

static void remove_shards(const segue_experiment *experiment, uint64_t count)
{
    char checkpoint[128];
    for (uint64_t i = 1; i <= count; i++) {
        const segue_shard shard = {.number = i, .count = count};
        assert_ok(segue_experiment_checkpoint_path(experiment, folder, shard, checkpoint,
                                                   sizeof checkpoint, NULL));
        assert_int_equal(unlink(checkpoint), 0);
    }
}

/* Any number of shards, also more than there are runs, and each stopped once. */
static void shards_give_the_same_results(void **state)
{
    (void)state;
    static const uint64_t counts[] = {1, 2, 3, 16, 19};
    segue_experiment *experiment = experiment_of(mixed);
    char *expected = text_of_straight(experiment);
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
        segue_results *results = NULL;
        for (uint64_t i = counts[n]; i >= 1; i--) {
            const segue_shard shard = {.number = i, .count = counts[n]};
            if (counts[n] <= 3)
                assert_int_equal(run_shard(experiment, shard, 22), SEGUE_ESTOPPED);
            assert_ok(run_shard(experiment, shard, 0));
        }
        assert_ok(segue_experiment_merge(&results, experiment, folder, NULL));
        char *text = text_of(results);
        assert_string_equal(text, expected);
        free(text);
        segue_results_destroy(results);
        remove_shards(experiment, counts[n]);
    }
    free(expected);
    segue_experiment_destroy(experiment);
}

/* One of several processes. */
typedef struct part {
    segue_experiment *experiment;
    segue_run_options options;
    segue_results *results;
    segue_status status;
    segue_error err;
    pthread_t thread;
} part;

static void *take_part(void *argument)
{
    part *self = argument;
    self->status =
        segue_experiment_run(&self->results, self->experiment, &self->options, &self->err);
    return NULL;
}

static fake_ranks fakes;

static void begin_together(part *parts, size_t count, const char *checkpoint)
{
    fake_ranks_init(&fakes, count);
    for (size_t i = 0; i < count; i++)
        parts[i] = (part){.experiment = experiment_of(mixed),
                          .options = {.threads = 1 + i % 2,
                                      .checkpoint_path = i == 0 ? checkpoint : NULL,
                                      .resume = true,
                                      .processes = &fakes.rank[i].processes}};
}

static void run_together(part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(pthread_create(&parts[i].thread, NULL, take_part, &parts[i]), 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(pthread_join(parts[i].thread, NULL), 0);
        segue_experiment_destroy(parts[i].experiment);
    }
    for (size_t i = 1; i < count; i++) {
        assert_null(parts[i].results);
        assert_int_equal(parts[i].status, parts[0].status);
        assert_string_equal(parts[i].err.message, "");
    }
}

static void processes_give_the_same_results(void **state)
{
    (void)state;
    char checkpoint[128];
    path_in(checkpoint, sizeof checkpoint, "mixed.unfinished");
    segue_experiment *experiment = experiment_of(mixed);
    char *expected = text_of_straight(experiment);
    for (size_t count = 1; count <= MAX_FAKES; count++) {
        part parts[MAX_FAKES];
        begin_together(parts, count, checkpoint);
        assert_int_equal(unlink(checkpoint), 0);
        run_together(parts, count);
        assert_ok(parts[0].status);
        char *text = text_of(parts[0].results);
        assert_string_equal(text, expected);
        free(text);
        segue_results_destroy(parts[0].results);
    }
    free(expected);
    segue_experiment_destroy(experiment);
}

/* A stopped worker stops all processes; runs that any of them finished are saved. */
static void a_stopped_process_stops_all(void **state)
{
    (void)state;
    char checkpoint[128];
    path_in(checkpoint, sizeof checkpoint, "mixed.unfinished");
    segue_experiment *experiment = experiment_of(mixed);
    char *expected = text_of_straight(experiment);
    part parts[3];
    begin_together(parts, 3, checkpoint);
    parts[0].options.fresh = true;
    parts[2].options.threads = 1;
    parts[2].options.stopped = stop_soon;
    atomic_store(&calls_left, 20);
    run_together(parts, 3);
    assert_int_equal(parts[0].status, SEGUE_ESTOPPED);
    assert_non_null(strstr(parts[0].err.message, "'--resume' continues with them"));
    begin_together(parts, 3, checkpoint);
    run_together(parts, 3);
    assert_ok(parts[0].status);
    char *text = text_of(parts[0].results);
    assert_string_equal(text, expected);
    free(text);
    free(expected);
    segue_results_destroy(parts[0].results);
    segue_experiment_destroy(experiment);
}

static void a_failure_in_one_process_fails_all(void **state)
{
    (void)state;
    char checkpoint[128];
    path_in(checkpoint, sizeof checkpoint, "mixed.unfinished");
    part parts[3];
    begin_together(parts, 3, checkpoint);
    json_t *json = parts[1].experiment->json;
    assert_int_equal(json_object_set_new(json, "seed", json_integer(2)), 0);
    run_together(parts, 3);
    assert_int_equal(parts[0].status, SEGUE_EUSAGE);
    assert_non_null(strstr(parts[0].err.message, "rank 1: has another experiment"));
    begin_together(parts, 3, folder); /* a folder cannot be opened as a file */
    run_together(parts, 3);
    assert_int_equal(parts[0].status, SEGUE_EFILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_give_the_same_results),
        cmocka_unit_test(processes_give_the_same_results),
        cmocka_unit_test(a_stopped_process_stops_all),
        cmocka_unit_test(a_failure_in_one_process_fails_all),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
