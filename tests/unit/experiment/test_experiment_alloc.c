/* test_experiment_alloc.c - experiments, shards and processes survive failing allocations.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "support.h"

#include <pthread.h>
#include <unistd.h>

#include "alloc.h"
#include "experiment/experiment.h"
#include "experiment/suite/shared_runs.h"
#include "experiment/suite/timing.h"

static size_t n_threads;

static char file_name[] = "/tmp/segue-alloc-XXXXXX";

/* An experiment is read, run, written, and its results read again. */
static segue_status experiment_scenario(segue_error *err)
{
    char folder[64], checkpoint[128], path[128];
    (void)snprintf(folder, sizeof folder, "/tmp/segue-alloc-experiment-%ld", (long)getpid());
    (void)snprintf(checkpoint, sizeof checkpoint, "%s/a.unfinished", folder);
    (void)snprintf(path, sizeof path, "%s/a.json", folder);
    segue_experiment *experiment = NULL;
    segue_results *results = NULL, *again = NULL;
    const segue_experiment_overrides changes = {.variant = "small", .runs = 2};
    const segue_run_options options = {
        .threads = n_threads, .checkpoint_path = checkpoint, .fresh = true};
    segue_status status = segue_experiment_make_folder(folder, err);
    if (status == SEGUE_OK)
        status = segue_experiment_read(&experiment, file_name, &changes, err);
    if (status == SEGUE_OK)
        status = segue_experiment_run(&results, experiment, &options, err);
    if (status == SEGUE_OK)
        status = segue_experiment_write_results(results, folder, err);
    if (status == SEGUE_OK)
        status = segue_results_read(&again, path, err);
    segue_results_destroy(results);
    segue_results_destroy(again);
    segue_experiment_destroy(experiment);
    return status;
}

/* Both shards of an experiment are run, stay, and are merged. */
static segue_status shards_scenario(segue_error *err)
{
    char folder[64], checkpoint[128];
    (void)snprintf(folder, sizeof folder, "/tmp/segue-alloc-experiment-%ld", (long)getpid());
    segue_experiment *experiment = NULL;
    segue_results *results = NULL;
    const segue_experiment_overrides changes = {.variant = "small", .runs = 2};
    segue_status status = segue_experiment_read(&experiment, file_name, &changes, err);
    for (uint64_t i = 1; i <= 2 && status == SEGUE_OK; i++) {
        const segue_run_options options = {.threads = n_threads,
                                           .checkpoint_path = checkpoint,
                                           .resume = true,
                                           .shard = {.number = i, .count = 2}};
        status = segue_experiment_checkpoint_path(experiment, folder, options.shard, checkpoint,
                                                  sizeof checkpoint, err);
        if (status == SEGUE_OK)
            status = segue_experiment_run(&results, experiment, &options, err);
    }
    if (status == SEGUE_OK)
        status = segue_experiment_merge(&results, experiment, folder, err);
    segue_results_destroy(results);
    segue_experiment_destroy(experiment);
    return status;
}

/* Two equal experiments: the second takes the runs of the first; its time is written and read. */
static segue_status play_suite(segue_experiment *const *experiment, const char *folder,
                               segue_error *err)
{
    char checkpoint[128];
    segue_results *results = NULL;
    segue_run_options options = {
        .threads = n_threads, .checkpoint_path = checkpoint, .fresh = true};
    segue_timing timing = {.finished = true};
    bool found = false;
    (void)snprintf(checkpoint, sizeof checkpoint, "%s/a.unfinished", folder);
    segue_status status = segue_shared_runs_create(&options.shared, experiment, 2, err);
    for (; options.experiment < 2 && status == SEGUE_OK; options.experiment++) {
        status = segue_experiment_run(&results, experiment[options.experiment], &options, err);
        segue_results_destroy(results);
    }
    segue_shared_runs_destroy(options.shared);
    if (status == SEGUE_OK)
        status = segue_timing_key(timing.key, experiment[0], 1, err);
    if (status == SEGUE_OK)
        status = segue_timing_write(&timing, folder, "a", err);
    return status == SEGUE_OK ? segue_timing_read(&timing, folder, "a", &found, err) : status;
}

static segue_status suite_scenario(segue_error *err)
{
    char folder[64];
    (void)snprintf(folder, sizeof folder, "/tmp/segue-alloc-experiment-%ld", (long)getpid());
    segue_experiment *experiment[2] = {NULL, NULL};
    const segue_experiment_overrides changes = {.variant = "small", .runs = 2};
    segue_status status = SEGUE_OK;
    for (size_t i = 0; i < 2 && status == SEGUE_OK; i++)
        status = segue_experiment_read(&experiment[i], file_name, &changes, err);
    if (status == SEGUE_OK)
        status = play_suite(experiment, folder, err);
    segue_experiment_destroy(experiment[0]);
    segue_experiment_destroy(experiment[1]);
    return status;
}

typedef struct part {
    segue_experiment *experiment;
    segue_run_options options;
    segue_results *results;
} part;

static void *take_part(void *argument)
{
    part *self = argument;
    segue_error err;
    (void)!segue_experiment_run(&self->results, self->experiment, &self->options, &err);
    return NULL;
}

/* Two processes, which are threads, share an experiment; either may run out of memory. */
static segue_status ranks_scenario(segue_error *err)
{
    static fake_ranks fakes;
    char checkpoint[128];
    (void)snprintf(checkpoint, sizeof checkpoint, "/tmp/segue-alloc-experiment-%ld/a.unfinished",
                   (long)getpid());
    segue_experiment *experiment = NULL;
    segue_results *results = NULL;
    const segue_experiment_overrides changes = {.variant = "small", .runs = 2};
    part other = {.options = {.threads = n_threads, .processes = &fakes.rank[1].processes}};
    segue_status status = segue_experiment_read(&experiment, file_name, &changes, err);
    if (status == SEGUE_OK)
        status = segue_experiment_read(&other.experiment, file_name, &changes, err);
    fake_ranks_init(&fakes, 2);
    const segue_run_options options = {.threads = n_threads,
                                       .checkpoint_path = checkpoint,
                                       .fresh = true,
                                       .processes = &fakes.rank[0].processes};
    pthread_t thread;
    if (status == SEGUE_OK && pthread_create(&thread, NULL, take_part, &other) != 0)
        status = segue_fail(err, SEGUE_ETHREAD, "there is no other process");
    if (status == SEGUE_OK) {
        status = segue_experiment_run(&results, experiment, &options, err);
        (void)pthread_join(thread, NULL);
    }
    segue_results_destroy(results);
    segue_experiment_destroy(experiment);
    segue_experiment_destroy(other.experiment);
    return status;
}

static char log_name[] = "/tmp/segue-alloc-log-XXXXXX";

/* An experiment on the log log_name. */
static void write_logged_experiment(void)
{
    const int fd = mkstemp(log_name);
    assert_true(fd >= 0);
    FILE *log = fdopen(fd, "w"), *file = fopen(file_name, "w");
    assert_non_null(log);
    assert_non_null(file);
    fputs("task,arm,reward\n", log);
    for (int i = 0; i < 24; i++)
        fprintf(log, "%d,%c,1\n", i % 4, 'a' + i % 3);
    assert_int_equal(fclose(log), 0);
    fprintf(file,
            "{\"name\": \"a\", \"environment\": {\"log\": \"%s\", \"order\": \"file\"}, "
            "\"policies\": [\"ucb\"], \"steps\": 20, \"tasks\": 4, \"runs\": 5, "
            "\"variants\": {\"small\": {\"tasks\": 3}}}",
            log_name);
    assert_int_equal(fclose(file), 0);
}

static void experiments_survive_every_failing_allocation(void **state)
{
    (void)state;
    static const char text[] =
        "{\"name\": \"a\", \"environment\": {\"models\": {\"means\": [[0.1, 0.5], [0.9, 0.2]]}}, "
        "\"policies\": [\"tucb\", \"ucb\"], \"steps\": 20, \"tasks\": [3, 4], \"runs\": 5, "
        "\"every\": 2, \"variants\": {\"small\": {\"tasks\": 3}}}";
    FILE *file = fopen(file_name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    for (n_threads = 1; n_threads <= 2; n_threads++) {
        alloc_fail_each(experiment_scenario, 100);
        alloc_fail_each(shards_scenario, 100);
        alloc_fail_each(ranks_scenario, 100);
        alloc_fail_each(suite_scenario, 100);
    }
    write_logged_experiment();
    n_threads = 1;
    alloc_fail_each(experiment_scenario, 100);
    unlink(log_name);
    unlink(file_name);
    char path[128];
    static const char *const files[] = {"a.unfinished", "a.json",         "a.csv",
                                        "a-curve.csv",  "a.shard-1-of-2", "a.shard-2-of-2",
                                        "timing.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        (void)snprintf(path, sizeof path, "/tmp/segue-alloc-experiment-%ld/%s", (long)getpid(),
                       files[i]);
        (void)unlink(path);
    }
    (void)snprintf(path, sizeof path, "/tmp/segue-alloc-experiment-%ld", (long)getpid());
    assert_int_equal(rmdir(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(experiments_survive_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
