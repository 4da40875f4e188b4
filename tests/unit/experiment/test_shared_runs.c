/* test_shared_runs.c - runs that experiments share are played once, and change no byte.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/suite/shared_runs.h"
#include "fixture.h"

#define MODELS "\"models\": {\"means\": [[0.9, 0.2, 0.4], [0.1, 0.8, 0.3]]}"

/* Calls of `stopped`, one per task. */
static atomic_int n_tasks;

static bool count_task(void)
{
    atomic_fetch_add(&n_tasks, 1);
    return false;
}

static char *play(const segue_experiment *experiment, segue_shared_runs *shared, size_t number)
{
    char checkpoint[128];
    segue_results *results = NULL;
    path_in(checkpoint, sizeof checkpoint, "mixed.unfinished");
    const segue_run_options options = {.threads = 2,
                                       .checkpoint_path = checkpoint,
                                       .fresh = true,
                                       .stopped = count_task,
                                       .shared = shared,
                                       .experiment = number};
    assert_ok(segue_experiment_run(&results, experiment, &options, NULL));
    char *text = text_of(results);
    segue_results_destroy(results);
    return text;
}

/* Play two experiments apart and together: the same results, and `fewer` tasks together. */
static void compare(const char *first, const char *second, int fewer)
{
    segue_experiment *experiment[2] = {experiment_of(first), experiment_of(second)};
    segue_shared_runs *shared = NULL;
    int played[2];
    char *text[2][2];
    assert_ok(segue_shared_runs_create(&shared, experiment, 2, NULL));
    for (size_t together = 0; together < 2; together++) {
        atomic_store(&n_tasks, 0);
        for (size_t e = 0; e < 2; e++)
            text[together][e] = play(experiment[e], together ? shared : NULL, e);
        played[together] = atomic_load(&n_tasks);
    }
    for (size_t e = 0; e < 2; e++) {
        assert_string_equal(text[0][e], text[1][e]);
        free(text[0][e]);
        free(text[1][e]);
        segue_experiment_destroy(experiment[e]);
    }
    assert_int_equal(played[0] - played[1], fewer);
    segue_shared_runs_destroy(shared);
}

#define TASKS(policies, rest)                                                                      \
    "{\"name\": \"mixed\", \"environment\": {" MODELS "}, \"policies\": [" policies                \
    "], \"steps\": 40, \"tasks\": 9, " rest "}"

static void equal_cells_are_played_once(void **state)
{
    (void)state;
    compare(TASKS("\"tucb\", \"ts\"", "\"runs\": 4, \"every\": 2"),
            TASKS("\"ts\", \"ucb\"", "\"runs\": 4, \"every\": 2"), 4 * 9);
}

/* C = 2 is the default; the name of an environment and the order of cells do not matter. */
static void defaults_and_names_do_not_matter(void **state)
{
    (void)state;
    compare(
        TASKS("\"tucb\"", "\"runs\": 4, \"every\": 2"),
        "{\"name\": \"other\", \"environment\": {\"name\": \"x\", " MODELS
        "}, \"policies\": [\"tucb:C=1\", \"tucb:C=2\"], \"steps\": [20, 40], \"tasks\": [4, 9], "
        "\"runs\": 4, \"every\": 2}",
        4 * 9);
}

static void points_and_runs_may_differ(void **state)
{
    (void)state;
    compare(TASKS("\"tucb\", \"tts\"", "\"runs\": 4, \"every\": 2"),
            TASKS("\"tucb\", \"tts\"", "\"runs\": 4, \"every\": 3"), 2 * 4 * 9);
    compare(TASKS("\"tucb\"", "\"runs\": 4, \"every\": 2"), TASKS("\"tucb\"", "\"runs\": 6"),
            4 * 9);
    compare(TASKS("\"tucb\"", "\"runs\": 6"), TASKS("\"tucb\"", "\"runs\": 4, \"every\": 2"),
            4 * 9);
}

#define SINGLE(runs)                                                                               \
    "{\"name\": \"mixed\", \"environment\": {" MODELS                                              \
    "}, \"policies\": [\"ucb\"], \"steps\": 40, \"runs\": " runs "}"

/* The streams of single tasks depend on the number of runs. */
static void single_tasks_need_as_many_runs(void **state)
{
    (void)state;
    compare(SINGLE("4"), SINGLE("4"), 2 * 4);
    compare(SINGLE("4"), SINGLE("5"), 0);
}

static void other_cells_are_not_shared(void **state)
{
    (void)state;
    static const char first[] = TASKS("\"tucb\"", "\"runs\": 3");
    compare(first, TASKS("\"tucb:C=1\"", "\"runs\": 3"), 0);
    compare(first, TASKS("\"tucb\"", "\"runs\": 3, \"seed\": 2"), 0);
    compare(first,
            "{\"name\": \"mixed\", \"environment\": {" MODELS
            ", \"rewards\": \"beta:5\"}, \"policies\": [\"tucb\"], \"steps\": 40, \"tasks\": 9, "
            "\"runs\": 3}",
            0);
    compare(first,
            "{\"name\": \"mixed\", \"environment\": {" MODELS
            "}, \"policies\": [\"tucb\"], \"steps\": 40, \"tasks\": 8, \"runs\": 3}",
            0);
}

/* Only the first of three plays; the cost of the others is none. */
static void a_third_experiment_takes_from_the_first(void **state)
{
    (void)state;
    segue_experiment *experiment[3];
    segue_shared_runs *shared = NULL;
    for (size_t e = 0; e < 3; e++)
        experiment[e] = experiment_of(TASKS("\"tucb\"", "\"runs\": 3"));
    assert_ok(segue_shared_runs_create(&shared, experiment, 3, NULL));
    atomic_store(&n_tasks, 0);
    for (size_t e = 0; e < 3; e++) {
        assert_int_equal(segue_shared_runs_is_repeated(shared, e, 0), e > 0);
        free(play(experiment[e], shared, e));
        segue_experiment_destroy(experiment[e]);
    }
    assert_int_equal(atomic_load(&n_tasks), 3 * 9);
    segue_shared_runs_destroy(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_cells_are_played_once),
        cmocka_unit_test(defaults_and_names_do_not_matter),
        cmocka_unit_test(points_and_runs_may_differ),
        cmocka_unit_test(single_tasks_need_as_many_runs),
        cmocka_unit_test(other_cells_are_not_shared),
        cmocka_unit_test(a_third_experiment_takes_from_the_first),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
