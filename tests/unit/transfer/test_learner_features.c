/* test_learner_features.c - features of tasks: what they change, and what they do not.
 * SPDX-License-Identifier: Apache-2.0 */
#include "transfer_fixture.h"

/* Open a task of a type with a feature that names it and two that say nothing. */
static segue_task *open_with(segue_learner *learner, size_t type, uint64_t number)
{
    const segue_feature features[] = {{.name = "names", .text = type == 0 ? "first" : "second"},
                                      {.name = "any", .text = number % 3 == 0 ? "x" : "y"},
                                      {.name = "number", .number = (double)(number * 37 % 11)}};
    segue_task *task = NULL;
    segue_error err;
    if (segue_learner_open_task_with(learner, features, number % 5 == 0 ? 1 : 3, &task, &err) !=
        SEGUE_OK)
        fail_msg("%s", err.message);
    return task;
}

/* Tell a task of a type rewards of all arms in turn, so that nothing depends on the arms chosen. */
static void tell_in_turn(segue_task *task, size_t type, uint64_t number)
{
    segue_rng rng;
    segue_rng_init(&rng, 92, type, number, 0);
    for (size_t t = 0; t < STEPS; t++)
        tell(task, t % ARMS, segue_rng_uniform(&rng) < mean_of(type, t % ARMS) ? 1.0 : 0.0);
}

static void learn_with(segue_learner *learner, uint64_t first, uint64_t last)
{
    for (uint64_t j = first; j < last; j++) {
        segue_task *task = open_with(learner, j % 2, j);
        tell_in_turn(task, j % 2, j);
        assert_ok(segue_learner_close_task(learner, &task, NULL));
    }
}

static void learn_without(segue_learner *learner, uint64_t first, uint64_t last)
{
    for (uint64_t j = first; j < last; j++) {
        segue_task *task = open_a_task(learner);
        tell_in_turn(task, j % 2, j);
        assert_ok(segue_learner_close_task(learner, &task, NULL));
    }
}

static void same_bytes(const segue_learner *a, const segue_learner *b)
{
    segue_bytes x = {.data = NULL}, y = {.data = NULL};
    segue_learner_serialize(a, &x);
    segue_learner_serialize(b, &y);
    assert_false(x.failed || y.failed);
    assert_int_equal(x.size, y.size);
    assert_memory_equal(x.data, y.data, x.size);
    segue_bytes_fini(&x);
    segue_bytes_fini(&y);
}

static segue_learner *copy_of(const segue_learner *learner)
{
    segue_bytes b = {.data = NULL};
    segue_learner *out = NULL;
    segue_learner_serialize(learner, &b);
    assert_false(b.failed);
    assert_ok(segue_learner_deserialize(&out, b.data, b.size, "it", NULL));
    segue_bytes_fini(&b);
    return out;
}

/* The weight of the type of a task, before its first step. */
static double weight_of(segue_learner *learner, segue_task *task, size_t type)
{
    segue_explanation why;
    assert_ok(segue_learner_explain(learner, task, &why, NULL));
    return why.weight[type];
}

/* The number of the type whose arm is the best one. */
static size_t number_of(const segue_learner *learner, size_t arm)
{
    segue_type_list found;
    size_t number = 0;
    assert_ok(segue_learner_types(learner, &found, NULL));
    for (size_t k = found.n_types; k-- > 0;)
        if (found.mean[k * ARMS + arm] > 0.7)
            number = k + 1;
    segue_type_list_fini(&found);
    assert_true(number > 0);
    return number;
}

/* ---- what they change ---------------------------------------------------------------------- */

static void a_feature_that_names_the_type_moves_its_weight(void **state)
{
    segue_learner *learner = learner_of("tla", false);
    (void)state;
    learn_with(learner, 0, 60);
    segue_task *with = open_with(learner, 0, 0), *without = open_a_task(learner);
    const size_t first = number_of(learner, 0), second = number_of(learner, 1);
    const segue_feature names = {.name = "names", .text = "first"};
    double factor = 0.0, other = 0.0;
    assert_ok(segue_learner_feature_factor(learner, first, &names, &factor, NULL));
    assert_ok(segue_learner_feature_factor(learner, second, &names, &other, NULL));
    assert_true(factor > 1.8 && other < 0.1); /* half of the tasks have it: 2 and 0 in the limit */
    assert_true(weight_of(learner, with, first) > 0.9);
    assert_true(weight_of(learner, with, second) < 0.1);
    assert_true(weight_of(learner, without, first) < 0.6);
    segue_feature_info info;
    segue_feature_peak peak;
    assert_int_equal(segue_learner_n_features(learner), 3);
    assert_ok(segue_learner_feature_info(learner, 0, &info, NULL));
    assert_string_equal(info.name, "names");
    assert_int_equal(info.n_tasks, 60);
    assert_int_equal(info.n_categories, 2);
    assert_true(info.relevance > 0.99);
    assert_ok(segue_learner_feature_peak(learner, 0, second, &peak, NULL));
    assert_string_equal(peak.text, "second");
    for (size_t f = 1; f < 3; f++) {
        assert_ok(segue_learner_feature_info(learner, f, &info, NULL));
        assert_int_equal(info.n_tasks, 48);
        assert_true(info.relevance < 0.5);
    }
    assert_ok(segue_learner_feature_peak(learner, 2, first, &peak, NULL));
    assert_true(info.is_number && peak.text[0] == '\0' && peak.from <= peak.to);
    segue_learner_destroy(learner);
}

/* ---- what they do not change --------------------------------------------------------------- */

static void types_are_learned_from_rewards_alone(void **state)
{
    segue_learner *with = learner_of("tla", false), *without = learner_of("tla", false);
    segue_bytes x = {.data = NULL}, y = {.data = NULL};
    (void)state;
    learn_with(with, 0, 40);
    learn_without(without, 0, 40);
    segue_learner_serialize(with, &x);
    segue_learner_serialize(without, &y);
    assert_int_equal(x.data[8], SEGUE_LEARNER_FILE_VERSION);
    assert_int_equal(y.data[8], SEGUE_LEARNER_WITHOUT_FEATURES);
    assert_true(x.size > y.size);
    assert_memory_equal(x.data + 24, y.data + 24, y.size - 24 - 8); /* between head and checksum */
    segue_bytes_fini(&x);
    segue_bytes_fini(&y);
    segue_learner_destroy(with);
    segue_learner_destroy(without);
}

/* Features that have left the window leave no trace. */
static void a_learner_forgets_features_with_their_tasks(void **state)
{
    segue_learner *with = learner_of("tts:window=16", false),
                  *without = learner_of("tts:window=16", false);
    (void)state;
    learn_with(with, 0, 10);
    learn_without(without, 0, 10);
    learn_without(with, 10, 26);
    learn_without(without, 10, 26);
    assert_int_equal(segue_learner_n_features(with), 0);
    same_bytes(with, without);
    segue_learner_destroy(with);
    segue_learner_destroy(without);
}

/* ---- keeping them -------------------------------------------------------------------------- */

static void a_loaded_learner_continues_bit_for_bit(void **state)
{
    segue_learner *learner = learner_of("tla:window=32", false);
    (void)state;
    learn_with(learner, 0, 40);
    segue_learner *loaded = copy_of(learner);
    same_bytes(learner, loaded);
    learn_with(learner, 40, 60);
    learn_with(loaded, 40, 60);
    same_bytes(learner, loaded);
    segue_task *a = open_with(learner, 1, 1), *b = open_with(loaded, 1, 1);
    for (size_t type = 0; type <= segue_learner_info(learner).n_types; type++)
        assert_near(weight_of(learner, a, type), weight_of(loaded, b, type), 0.0);
    segue_learner_destroy(learner);
    segue_learner_destroy(loaded);
}

static void a_background_refit_keeps_the_features_closed_meanwhile(void **state)
{
    segue_learner *learner = learner_of("tla:window=16", true);
    segue_refit *refit = NULL;
    segue_feature_info before, after;
    (void)state;
    learn_with(learner, 0, 20);
    assert_ok(segue_learner_refit_begin(learner, &refit, NULL));
    learn_with(learner, 20, 26);
    assert_ok(segue_refit_run(refit, NULL));
    assert_ok(segue_learner_feature_info(learner, 1, &before, NULL));
    assert_ok(segue_learner_refit_publish(learner, &refit, NULL));
    assert_ok(segue_learner_feature_info(learner, 1, &after, NULL));
    assert_int_equal(before.n_tasks, after.n_tasks);
    segue_learner *loaded = copy_of(learner);
    learn_with(learner, 26, 40);
    learn_with(loaded, 26, 40);
    same_bytes(learner, loaded);
    segue_learner_destroy(learner);
    segue_learner_destroy(loaded);
}

static void an_added_arm_keeps_the_features(void **state)
{
    segue_learner *learner = learner_of("tts", false);
    const segue_feature names = {.name = "names", .text = "first"};
    double before = 0.0, after = 0.0;
    (void)state;
    learn_with(learner, 0, 40);
    assert_ok(segue_learner_feature_factor(learner, 1, &names, &before, NULL));
    assert_ok(segue_learner_add_arm(learner, NULL));
    assert_ok(segue_learner_feature_factor(learner, 1, &names, &after, NULL));
    assert_near(before, after, 0.0);
    assert_int_equal(segue_learner_n_features(learner), 3);
    segue_learner_destroy(learner);
}

static void a_merge_has_the_features_of_both(void **state)
{
    segue_learner *a = learner_of("tla", false), *b = learner_of("tla", false);
    segue_feature_info info;
    (void)state;
    learn_with(a, 0, 20);
    learn_without(a, 20, 24);
    learn_with(b, 30, 60);
    assert_ok(segue_learner_merge(a, b, NULL));
    assert_ok(segue_learner_feature_info(a, 0, &info, NULL));
    assert_int_equal(info.n_tasks, 50);
    assert_true(info.relevance > 0.99);
    segue_learner *loaded = copy_of(a);
    same_bytes(a, loaded);
    segue_learner_destroy(a);
    segue_learner_destroy(b);
    segue_learner_destroy(loaded);
}

/* A copy of a task, to be asked in another thread, has the task's weights, also after it is closed. */
static void a_copied_task_keeps_its_weights(void **state)
{
    segue_learner *learner = learner_of("tla", false);
    segue_task *copy = NULL;
    (void)state;
    learn_with(learner, 0, 40);
    segue_task *task = open_with(learner, 0, 0);
    const double weight = weight_of(learner, task, 1);
    assert_ok(segue_learner_copy_task(learner, task, &copy, NULL));
    segue_learner_discard_task(learner, &task);
    learn_with(learner, 40, 41);
    assert_near(weight_of(learner, copy, 1), weight, 0.0);
    segue_learner_discard_copy(&copy);
    segue_learner_destroy(learner);
}

/* ---- wrong input --------------------------------------------------------------------------- */

static void invalid_features_are_rejected(void **state)
{
    char long_name[SEGUE_MAX_FEATURE_NAME + 2];
    segue_feature many[SEGUE_MAX_FEATURES + 1];
    segue_learner *learner = learner_of("tla", false), *tucb = learner_of("tucb", false);
    segue_task *task = NULL;
    segue_error err;
    (void)state;
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    for (size_t k = 0; k < SEGUE_MAX_FEATURES + 1; k++)
        many[k] = (segue_feature){.name = "n"};
    const struct {
        segue_feature feature[2];
        size_t n;
        const char *says;
    } cases[] = {{{{.name = ""}}, 1, "name of a feature has 0 bytes"},
                 {{{.name = long_name}}, 1, "has 65 bytes; need 1 to 64"},
                 {{{.name = "a", .text = ""}}, 1, "a text of 0 bytes"},
                 {{{.name = "a", .text = long_name}}, 1, "a text of 65 bytes"},
                 {{{.name = "a", .number = NAN}}, 1, "need a finite number"},
                 {{{.name = "a", .number = -INFINITY}}, 1, "need a finite number"},
                 {{{.name = "a"}, {.name = "a", .text = "b"}}, 2, "'a' is given twice"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        says(segue_learner_open_task_with(learner, cases[k].feature, cases[k].n, &task, &err), &err,
             cases[k].says);
    says(segue_learner_open_task_with(learner, many, SEGUE_MAX_FEATURES + 1, &task, &err), &err,
         "17 features; need 16 at most");
    const segue_feature fine = {.name = "a"};
    says(segue_learner_open_task_with(tucb, &fine, 1, &task, &err), &err, "tucb has no types");
    assert_int_equal(segue_learner_info(learner).opened, 0);
    double factor = 0.0;
    says(segue_learner_feature_factor(learner, 1, &fine, &factor, &err), &err, "no type 1");
    segue_feature_info info;
    says(segue_learner_feature_info(learner, 0, &info, &err), &err, "there is no feature 0");
    segue_learner_destroy(learner);
    segue_learner_destroy(tucb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_feature_that_names_the_type_moves_its_weight),
        cmocka_unit_test(types_are_learned_from_rewards_alone),
        cmocka_unit_test(a_learner_forgets_features_with_their_tasks),
        cmocka_unit_test(a_loaded_learner_continues_bit_for_bit),
        cmocka_unit_test(a_background_refit_keeps_the_features_closed_meanwhile),
        cmocka_unit_test(an_added_arm_keeps_the_features),
        cmocka_unit_test(a_merge_has_the_features_of_both),
        cmocka_unit_test(a_copied_task_keeps_its_weights),
        cmocka_unit_test(invalid_features_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
