/* test_experiment.c - experiments: what is measured, what is kept, what is read again.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <stdatomic.h>
#include <unistd.h>

#include "experiment/experiment.h"
#include "experiment/measure.h"
#include "io/output.h"

/* ---- bands ------------------------------------------------------------------------------- */

/* The chance that the k-th smallest and k-th largest of n hold the median: all coin tosses counted.
 */
static double coverage(size_t n, size_t k)
{
    double held = 0.0;
    for (size_t mask = 0; mask < (size_t)1 << n; mask++) {
        const size_t below = (size_t)__builtin_popcountll(mask);
        held += below >= k && n - below >= k;
    }
    return held / pow(2.0, (double)n);
}

static void the_band_of_a_median_holds_for_any_law(void **state)
{
    (void)state;
    double values[16];
    for (size_t n = 1; n <= 16; n++) {
        for (size_t i = 0; i < n; i++) /* 1 .. n, not in order */
            values[i] = (double)(i * 7 % n) + 1.0;
        if (n == 7 || n == 14)
            for (size_t i = 0; i < n; i++)
                values[i] = (double)(n - i);
        const segue_cell cell = {
            .runs = n, .tasks = 1, .every = 1, .n_points = 1, .track = {[1] = values}};
        const segue_median median = segue_cell_median(&cell, SEGUE_TRACK_COMPLEXITY, 0);
        const size_t k = (size_t)median.low;
        assert_near(median.middle, ((double)n + 1.0) / 2.0, 1e-12);
        assert_near(median.high, (double)(n + 1 - k), 1e-12);
        assert_true(k == 1 || coverage(n, k) >= 0.95);
        assert_true(k + 1 > n - k || coverage(n, k + 1) < 0.95);
    }
}

static void runs_without_a_number_are_left_out_of_a_median(void **state)
{
    (void)state;
    double values[] = {NAN, 3.0, NAN, 5.0};
    const segue_cell cell = {
        .runs = 4, .tasks = 1, .every = 1, .n_points = 1, .track = {[1] = values}};
    assert_near(segue_cell_median(&cell, SEGUE_TRACK_COMPLEXITY, 0).middle, 4.0, 1e-12);
    double none[] = {NAN, NAN};
    const segue_cell empty = {
        .runs = 2, .tasks = 1, .every = 1, .n_points = 1, .track = {[1] = none}};
    assert_true(isnan(segue_cell_median(&empty, SEGUE_TRACK_COMPLEXITY, 0).middle));
}

/* ---- measures ---------------------------------------------------------------------------- */

static double average_ucb(const segue_models *models)
{
    double sum = 0.0;
    for (size_t k = 0; k < models->n_models; k++) {
        segue_known_sets *sets = NULL;
        assert_ok(segue_known_sets_create(&sets, models, k, NULL));
        sum += models->weight[k] * segue_complexity_ucb(sets);
        segue_known_sets_destroy(sets);
    }
    return sum;
}

static double average_tucb(const segue_models *models, const segue_models *found, double eps)
{
    double sum = 0.0;
    for (size_t k = 0; k < models->n_models; k++) {
        segue_estimated_sets *sets = NULL;
        assert_ok(segue_estimated_sets_create(&sets, models, found, NULL, eps, k, NULL));
        sum += models->weight[k] * segue_complexity_tucb(sets);
        segue_estimated_sets_destroy(sets);
    }
    return sum;
}

/* Play tasks with a learner and follow it; the points are compared with the learner itself. */
static void a_learner_is_measured_as_it_is(void **state)
{
    (void)state;
    enum { TASKS = 40, EVERY = 4, POINTS = TASKS / EVERY };
    segue_models *models = paper_models();
    segue_measure measure;
    double points[SEGUE_N_TRACKS * POINTS];
    const segue_environment env = {.models = models};
    const segue_simulation sim = {.environment = &env, .tasks = TASKS};
    assert_ok(segue_measure_init(&measure, SEGUE_TRACK_SET_MODELS, &sim, EVERY, NULL));
    assert_int_equal(segue_measure_size(&measure), 5 * POINTS);
    segue_measure_begin(&measure, points);
    segue_learner_config config = segue_learner_defaults();
    config.method = "tucb";
    config.n_arms = 7;
    config.n_models = 5;
    config.horizon = 300;
    assert_ok(segue_learner_config_set(&config, "C", 0.05, NULL));
    segue_learner *learner = NULL;
    assert_ok(segue_learner_create(&learner, &config, NULL));
    segue_simulated_task *world = NULL;
    assert_ok(segue_simulated_task_create(&world, &env, NULL));
    double sum = 0.0, weights = 0.0;
    for (uint64_t j = 0; j < TASKS; j++) {
        segue_task *task = NULL;
        segue_simulated_task_begin(world, 3, 0, j, SEGUE_ANY_MODEL);
        assert_ok(segue_learner_open_task(learner, &task, NULL));
        const run_task played = {
            .number = j, .regret = segue_simulation_play(task, world, 300), .learner = learner};
        assert_ok(segue_learner_close_task(learner, &task, NULL));
        sum += played.regret;
        assert_ok(segue_measure_task(&measure, &played, j + 1 == TASKS, NULL));
        if ((j + 1) % EVERY != 0)
            continue;
        const size_t p = (size_t)(j / EVERY);
        const segue_models *found = segue_learner_models(learner);
        const double eps = segue_learner_info(learner).eps;
        assert_near(points[p], sum / EVERY, 1e-9);
        sum = 0.0;
        if (!found) {
            assert_near(points[POINTS + p], average_ucb(models), 1e-12);
            assert_true(isnan(points[2 * POINTS + p]));
            continue;
        }
        assert_near(points[POINTS + p], average_tucb(models, found, eps), 1e-12);
        assert_near(points[2 * POINTS + p], error_of(models, found, &weights), 1e-12);
        assert_near(points[3 * POINTS + p], eps, 0.0);
        assert_true(points[4 * POINTS + p] >= 0.0 && points[4 * POINTS + p] <= 5.0);
    }
    segue_simulated_task_destroy(world);
    segue_learner_destroy(learner);
    segue_models_destroy(models);
}

static segue_status follow(void *context, const run_task *task, segue_error *err)
{
    return segue_measure_task(context, task, false, err);
}

/* Of a learner of types: the regret, and how many types it has found. */
static void types_are_counted_as_they_are_found(void **state)
{
    (void)state;
    enum { TASKS = 40, EVERY = 5, POINTS = TASKS / EVERY };
    segue_models *models = paper_models();
    const segue_environment env = {.models = models};
    segue_learner_config config = segue_learner_defaults();
    config.method = "tts";
    const segue_simulation sim = {.environment = &env,
                                  .learner = &config,
                                  .steps = 200,
                                  .tasks = TASKS,
                                  .runs = 1,
                                  .threads = 1};
    segue_measure measure;
    double points[2 * POINTS];
    assert_ok(segue_measure_init(&measure, SEGUE_TRACK_SET_TYPES, &sim, EVERY, NULL));
    assert_int_equal(segue_measure_size(&measure), 2 * POINTS);
    segue_measure_begin(&measure, points);
    segue_runner *runner = NULL;
    run_totals totals;
    assert_ok(segue_runner_create(&runner, &sim, NULL));
    assert_ok(segue_runner_play(runner, 0, &totals, follow, &measure, NULL));
    double sum = 0.0;
    for (size_t p = 0; p < POINTS; p++)
        sum += points[p] / POINTS;
    assert_near(sum, totals.regret, 1e-9);
    assert_near(points[POINTS], 0.0, 0.0); /* before its first fit */
    assert_near(points[2 * POINTS - 1], totals.n_types, 0.0);
    assert_true(totals.n_types >= 1.0);
    assert_true(totals.never_best > 0.0 && totals.never_best < 200.0);
    segue_runner_destroy(runner);
    segue_models_destroy(models);
}

/* How many models of the known set have a single arm left if their means are known to within eps.
 */
static size_t settled(const segue_models *models, double eps)
{
    segue_estimated_sets *sets = NULL;
    size_t count = 0;
    assert_ok(segue_estimated_sets_create(&sets, models, models, NULL, eps, 0, NULL));
    for (size_t k = 0; k < models->n_models; k++) {
        size_t arms = 0;
        for (size_t i = 0; i < models->n_arms; i++)
            arms += sets->non_dominated[k * models->n_arms + i];
        count += arms == 1;
    }
    segue_estimated_sets_destroy(sets);
    return count;
}

/* The gaps to the best arm are .15, .14, .1, .255 and .05. */
static void models_settle_when_eps_is_below_half_their_gap(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    assert_int_equal(settled(models, 0.5), 0);
    assert_int_equal(settled(models, 0.127), 1);
    assert_int_equal(settled(models, 0.0745), 2);
    assert_int_equal(settled(models, 0.0695), 3);
    assert_int_equal(settled(models, 0.0495), 4);
    assert_int_equal(settled(models, 0.0245), 5);
    segue_models_destroy(models);
}

/* ---- running ----------------------------------------------------------------------------- */

static char folder[64];

static void path_in(char *path, size_t size, const char *name)
{
    (void)snprintf(path, size, "%s/%s", folder, name);
}

static segue_experiment *experiment_of(const char *text)
{
    char path[128];
    path_in(path, sizeof path, "experiment.json");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    segue_experiment *experiment = NULL;
    segue_error err;
    const segue_experiment_overrides none = {.variant = NULL};
    if (segue_experiment_read(&experiment, path, &none, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    return experiment;
}

static const char mixed[] =
    "{\"name\": \"mixed\", \"environment\": {\"models\": {\"means\": [[0.9, 0.2, 0.4], [0.1, 0.8, "
    "0.3]]}}, \"policies\": [\"tucb\", \"ts\"], \"steps\": [40, 60], \"tasks\": 9, \"runs\": 4, "
    "\"every\": 2}";

static char *text_of(const segue_results *results)
{
    json_t *json = segue_results_to_json(results);
    assert_non_null(json);
    char *text = json_dumps(json, JSON_REAL_PRECISION(15));
    json_decref(json);
    assert_non_null(text);
    return text;
}

static void results_are_read_as_they_were_written(void **state)
{
    (void)state;
    char journal[128], path[128];
    path_in(journal, sizeof journal, "mixed.unfinished");
    path_in(path, sizeof path, "mixed.json");
    segue_experiment *experiment = experiment_of(mixed);
    segue_results *results = NULL, *again = NULL, *third = NULL;
    const segue_run_options options = {.threads = 3, .checkpoint_path = journal, .fresh = true};
    assert_ok(segue_experiment_run(&results, experiment, &options, NULL));
    assert_ok(segue_experiment_write_results(results, folder, NULL));
    assert_ok(segue_results_read(&again, path, NULL));
    for (size_t i = 0; i < results->n_cells; i++)
        assert_near(results->cell[i].regret.mean, again->cell[i].regret.mean, 1e-13);
    /* fifteen digits are kept, and from then on all of them */
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

/* kl-ucb takes a hundred times as long as ucb: when it is through, so is almost everything. */
static void progress_goes_by_time_and_not_by_steps(void **state)
{
    (void)state;
    char journal[128];
    seen_progress seen = {.calls = 0};
    path_in(journal, sizeof journal, "slow.unfinished");
    segue_experiment *experiment = experiment_of(
        "{\"name\": \"slow\", \"environment\": {\"uniform\": 7}, \"policies\": [\"kl-ucb\", "
        "\"ucb\"], \"steps\": 500, \"tasks\": 4, \"runs\": 8}");
    segue_results *results = NULL;
    const segue_run_options options = {.threads = 1,
                                       .checkpoint_path = journal,
                                       .fresh = true,
                                       .progress = see_progress,
                                       .context = &seen};
    assert_ok(segue_experiment_run(&results, experiment, &options, NULL));
    assert_int_equal(seen.calls, 64); /* one per task */
    assert_true(seen.share[31] > 0.9 && seen.share[31] < 1.0);
    assert_near(seen.share[63], 1.0, 1e-6);
    assert_int_equal(unlink(journal), 0);
    segue_results_destroy(results);
    segue_experiment_destroy(experiment);
}

static atomic_int asks_left;

static bool stop_soon(void)
{
    return atomic_fetch_sub(&asks_left, 1) <= 0;
}

/* Long enough for a player to hear of it, and too short for a rank to lose its patience. */
static bool stop_for_a_while(void)
{
    const int left = atomic_fetch_sub(&asks_left, 1);
    return left <= 0 && left > -200;
}

/* Stopped after any number of tasks, and resumed: the same results. */
static void a_stop_at_any_task_does_not_show(void **state)
{
    (void)state;
    char journal[128];
    path_in(journal, sizeof journal, "mixed.unfinished");
    segue_experiment *experiment = experiment_of(mixed);
    segue_results *straight = NULL;
    const segue_run_options whole = {.threads = 1, .checkpoint_path = journal, .fresh = true};
    assert_ok(segue_experiment_run(&straight, experiment, &whole, NULL));
    char *expected = text_of(straight);
    for (int stop = 0; stop < 9 * 16; stop += repeats(10) == 10 ? 7 : 31) {
        segue_results *results = NULL;
        segue_error err;
        const segue_run_options first = {
            .threads = 1, .checkpoint_path = journal, .fresh = true, .stopped = stop_soon};
        atomic_store(&asks_left, stop);
        assert_int_equal(segue_experiment_run(&results, experiment, &first, &err), SEGUE_ESTOPPED);
        assert_null(results);
        char kept[40];
        (void)snprintf(kept, sizeof kept, "stopped; %d of 16 runs", stop / 9);
        assert_non_null(strstr(err.message, kept));
        const segue_run_options then = {.threads = 2, .checkpoint_path = journal, .resume = true};
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

/* ---- shards and ranks -------------------------------------------------------------------- */

static char *text_of_straight(const segue_experiment *experiment)
{
    char journal[128];
    path_in(journal, sizeof journal, "mixed.unfinished");
    segue_results *results = NULL;
    const segue_run_options whole = {.threads = 1, .checkpoint_path = journal, .fresh = true};
    assert_ok(segue_experiment_run(&results, experiment, &whole, NULL));
    char *text = text_of(results);
    segue_results_destroy(results);
    return text;
}

static segue_status run_shard(const segue_experiment *experiment, segue_shard shard, int stop)
{
    char journal[128];
    segue_results *results = NULL;
    atomic_store(&asks_left, stop);
    assert_ok(
        segue_experiment_checkpoint_path(experiment, folder, shard, journal, sizeof journal, NULL));
    const segue_run_options options = {.threads = 1,
                                       .checkpoint_path = journal,
                                       .resume = true,
                                       .shard = shard,
                                       .stopped = stop ? stop_soon : NULL};
    const segue_status status = segue_experiment_run(&results, experiment, &options, NULL);
    assert_null(results);
    return status;
}

static void remove_shards(const segue_experiment *experiment, uint64_t count)
{
    char journal[128];
    for (uint64_t i = 1; i <= count; i++) {
        const segue_shard shard = {.number = i, .count = count};
        assert_ok(segue_experiment_checkpoint_path(experiment, folder, shard, journal,
                                                   sizeof journal, NULL));
        assert_int_equal(unlink(journal), 0);
    }
}

/* Any number of shards, also more than there are runs, and stopped on the way: the same results. */
static void shards_do_not_show(void **state)
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

static void begin_together(part *parts, size_t count, const char *journal)
{
    fake_ranks_init(&fakes, count);
    for (size_t i = 0; i < count; i++)
        parts[i] = (part){.experiment = experiment_of(mixed),
                          .options = {.threads = 1 + i % 2,
                                      .checkpoint_path = i == 0 ? journal : NULL,
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

static void processes_do_not_show(void **state)
{
    (void)state;
    char journal[128];
    path_in(journal, sizeof journal, "mixed.unfinished");
    segue_experiment *experiment = experiment_of(mixed);
    char *expected = text_of_straight(experiment);
    for (size_t count = 1; count <= MAX_FAKES; count++) {
        part parts[MAX_FAKES];
        begin_together(parts, count, journal);
        assert_int_equal(unlink(journal), 0);
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

/* The one that is asked to stop passes it on; what all have finished is kept. */
static void one_that_stops_stops_all(void **state)
{
    (void)state;
    char journal[128];
    path_in(journal, sizeof journal, "mixed.unfinished");
    segue_experiment *experiment = experiment_of(mixed);
    char *expected = text_of_straight(experiment);
    part parts[3];
    begin_together(parts, 3, journal);
    parts[0].options.fresh = true;
    parts[2].options.threads = 1;
    parts[2].options.stopped = stop_for_a_while;
    atomic_store(&asks_left, 20);
    run_together(parts, 3);
    assert_int_equal(parts[0].status, SEGUE_ESTOPPED);
    assert_non_null(strstr(parts[0].err.message, "'--resume' continues with them"));
    begin_together(parts, 3, journal);
    run_together(parts, 3);
    assert_ok(parts[0].status);
    char *text = text_of(parts[0].results);
    assert_string_equal(text, expected);
    free(text);
    free(expected);
    segue_results_destroy(parts[0].results);
    segue_experiment_destroy(experiment);
}

static void what_fails_in_one_process_fails_in_all(void **state)
{
    (void)state;
    char journal[128];
    path_in(journal, sizeof journal, "mixed.unfinished");
    part parts[3];
    begin_together(parts, 3, journal);
    json_t *json = parts[1].experiment->json;
    assert_int_equal(json_object_set_new(json, "seed", json_integer(2)), 0);
    run_together(parts, 3);
    assert_int_equal(parts[0].status, SEGUE_EUSAGE);
    assert_non_null(strstr(parts[0].err.message, "rank 1: has another experiment"));
    begin_together(parts, 3, folder); /* no journal can be there */
    run_together(parts, 3);
    assert_int_equal(parts[0].status, SEGUE_EFILE);
}

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/segue-experiment-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"experiment.json", "mixed.unfinished", "mixed.json",
                                        "mixed.csv", "mixed-curve.csv"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        path_in(path, sizeof path, names[i]);
        (void)unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_band_of_a_median_holds_for_any_law),
        cmocka_unit_test(runs_without_a_number_are_left_out_of_a_median),
        cmocka_unit_test(a_learner_is_measured_as_it_is),
        cmocka_unit_test(types_are_counted_as_they_are_found),
        cmocka_unit_test(models_settle_when_eps_is_below_half_their_gap),
        cmocka_unit_test(results_are_read_as_they_were_written),
        cmocka_unit_test(progress_goes_by_time_and_not_by_steps),
        cmocka_unit_test(a_stop_at_any_task_does_not_show),
        cmocka_unit_test(shards_do_not_show),
        cmocka_unit_test(processes_do_not_show),
        cmocka_unit_test(one_that_stops_stops_all),
        cmocka_unit_test(what_fails_in_one_process_fails_in_all),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
