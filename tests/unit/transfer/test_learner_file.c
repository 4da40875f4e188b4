/* test_learner_file.c - learners saved, loaded, and damaged files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "learner_bytes.h"

static void a_loaded_learner_goes_on_bit_for_bit(void **state)
{
    (void)state;
    static const char *const texts[] = {"tucb",
                                        "tucb:C=0,views=symmetric,batches=interleaved",
                                        "tucb:estimator=eca,every=3",
                                        "tucb:identify=70",
                                        "tts",
                                        "tla",
                                        "ts-prior",
                                        "ts",
                                        "la",
                                        "ucb:delta=0.1",
                                        "kl-ucb",
                                        "bayes-ucb:c=1",
                                        "eps-greedy:c=2",
                                        "exp3",
                                        "moss",
                                        "ada-ts",
                                        "hier-ts",
                                        "dp-ts:window=40",
                                        "club",
                                        "v-ids",
                                        "tla:cap=2,window=50",
                                        "tucb:estimator=em,C=0",
                                        "tucb:estimator=em,window=50"};
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulated_task *simulated = new_simulated_task(&env, 79, 0, 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const segue_learner_config config = config_of(texts[i], 150);
        segue_learner *learner = learner_of(&config), *loaded = NULL;
        for (uint64_t j = 0; j < 60; j++)
            play_task(learner, simulated, i, j, NULL);
        assert_ok(segue_learner_save(learner, own_path, NULL));
        assert_ok(segue_learner_load(&loaded, own_path, 7, NULL));
        assert_string_equal(segue_learner_info(loaded).estimate.verdict,
                            segue_learner_info(learner).estimate.verdict);
        for (uint64_t j = 60; j < 120; j++) {
            uint64_t a[7], b[7];
            play_task(learner, simulated, i, j, a);
            play_task(loaded, simulated, i, j, b);
            assert_memory_equal(a, b, sizeof a);
        }
        const segue_models *one = segue_learner_models(learner),
                           *two = segue_learner_models(loaded);
        assert_int_equal(one != NULL, two != NULL);
        if (one) {
            assert_memory_equal(one->mean, two->mean, 35 * sizeof(double));
            assert_memory_equal(one->weight, two->weight, 5 * sizeof(double));
        }
        assert_near(segue_learner_info(learner).c, segue_learner_info(loaded).c, 0.0);
        assert_near(segue_learner_info(learner).no_type, segue_learner_info(loaded).no_type, 0.0);
        segue_learner_destroy(learner);
        segue_learner_destroy(loaded);
    }
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

/* More arms than the third moment is stored for: the views are in the file. */
static void a_learner_of_many_arms_is_saved_too(void **state)
{
    (void)state;
    enum { ARMS = SEGUE_MAX_DENSE_ARMS + 20 };
    segue_learner_config config = config_of("tucb", 400);
    config.n_arms = ARMS;
    config.n_models = 2;
    double *mean = calloc(2 * ARMS, sizeof *mean);
    assert_non_null(mean);
    for (size_t i = 0; i < 2 * ARMS; i++)
        mean[i] = (double)((i * 37) % 101) / 101.0;
    segue_models *models = models_of(ARMS, 2, mean);
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulated_task *simulated = new_simulated_task(&env, 80, 0, 0);
    segue_learner *learner = learner_of(&config), *loaded = NULL;
    for (uint64_t j = 0; j < 90; j++) /* one full block of views, and some */
        play_task(learner, simulated, 0, j, NULL);
    assert_ok(segue_learner_save(learner, own_path, NULL));
    assert_ok(segue_learner_load(&loaded, own_path, 0, NULL));
    for (uint64_t j = 90; j < 140; j++) {
        play_task(learner, simulated, 0, j, NULL);
        play_task(loaded, simulated, 0, j, NULL);
    }
    assert_non_null(segue_learner_models(learner));
    assert_in_range(segue_learner_info(learner).age, 0, 6); /* 5 % of the tasks, and no more */
    assert_memory_equal(segue_learner_models(learner)->mean, segue_learner_models(loaded)->mean,
                        2 * ARMS * sizeof(double));
    segue_learner_destroy(learner);
    segue_learner_destroy(loaded);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
    free(mean);
}

static void load_fails(size_t n_arms, const char *says)
{
    segue_learner *learner = NULL;
    segue_error err;
    const segue_status status = segue_learner_load(&learner, own_path, n_arms, &err);
    assert_null(learner);
    if (status == SEGUE_OK || !strstr(err.message, says))
        fail_msg("\"%s\" does not say \"%s\"", status ? err.message : "success", says);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    static unsigned char data[200000];
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulated_task *simulated = new_simulated_task(&env, 81, 0, 0);
    const segue_learner_config config = config_of("tucb", 100);
    segue_learner *learner = learner_of(&config);
    for (uint64_t j = 0; j < 12; j++)
        play_task(learner, simulated, 0, j, NULL);
    assert_ok(segue_learner_save(learner, own_path, NULL));
    FILE *file = fopen(own_path, "rb");
    assert_non_null(file);
    const size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    load_fails(6, "is a learner of 7 arms; need one of 6");
    for (size_t cut = 8; cut < size; cut += cut < 64 ? 1 : 97) {
        write_bytes(data, cut);
        load_fails(0, "is truncated");
    }
    for (size_t bit = 64; bit < 8 * size; bit += bit < 2000 ? 1 : 131) {
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        write_bytes(data, size);
        load_fails(0, bit < 192 ? "" : "its checksum is wrong");
        data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    data[8] = 10;
    write_bytes(data, size);
    load_fails(0, "has format version 10; this program reads 5 to 9");
    data[8] = 4;
    write_bytes(data, size);
    load_fails(0, "has format version 4; this program reads 5 to 9");
    write_bytes((const unsigned char *)"hello", 5);
    load_fails(0, "is not a learner file");
    write_bytes(data, 0);
    load_fails(0, "is not a learner file");
    segue_learner *none = NULL;
    assert_int_equal(segue_learner_load(&none, "/nonexistent", 0, NULL), SEGUE_EFILE);
    assert_int_equal(segue_learner_load(&none, "/tmp", 0, NULL), SEGUE_EFILE);
    assert_int_equal(segue_learner_load(&none, "/dev/zero", 0, NULL),
                     SEGUE_EFILE); /* it has no end */
    assert_int_equal(segue_learner_save(learner, "/nonexistent/file", NULL), SEGUE_EFILE);
    segue_learner_destroy(learner);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

/* Load the bytes with a correct checksum; return whether they are accepted.  An accepted learner
 * must play a task; to learn from it may fail, with a sentence. */
static bool is_accepted(segue_bytes *b)
{
    set_checksum(b);
    segue_learner *learner = NULL;
    segue_task *task = NULL;
    segue_error err = {.status = SEGUE_OK};
    if (segue_learner_deserialize(&learner, b->data, b->size, "it", &err) != SEGUE_OK) {
        assert_non_null(strstr(err.message, "it: is damaged: "));
        return false;
    }
    const segue_learner_config *config = segue_learner_get_config(learner);
    if (segue_learner_open_task(learner, &task, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    for (size_t t = 0; t < 100; t++)
        (void)!segue_task_tell(task, segue_task_ask(task), config->highest, NULL);
    err.message[0] = '\0';
    const segue_status status = segue_learner_close_task(learner, &task, &err);
    assert_true(status == SEGUE_OK || err.message[0] != '\0');
    segue_learner_destroy(learner);
    return true;
}

static const char *const seven[] = {"a", "b", "Gr\xc3\xb6\xc3\x9f", "d", "e", "f, g", "h"};

/* Every number of a file in turn is made odd: the file is refused, or does no harm (which the
 * sanitizers would see). */
static void odd_numbers_in_files_do_no_harm(void **state)
{
    (void)state;
    static const uint64_t odd[] = {UINT64_MAX,
                                   UINT64_C(0xfff8d4a510000000),
                                   (UINT64_C(1) << 53) + 1,
                                   UINT64_C(1) << 53,
                                   UINT64_C(0x7ff0000000000000),  /* infinity */
                                   UINT64_C(0x7fefffffffffffff),  /* the largest double */
                                   UINT64_C(0xbff0000000000000)}; /* -1 */
    static const char *const texts[] = {"tucb:C=0",
                                        "tucb:weights=pulls",
                                        "tucb:estimator=em",
                                        "tla",
                                        "tts:window=16",
                                        "ts-prior",
                                        "ada-ts",
                                        "dp-ts:window=16",
                                        "club:window=16",
                                        "la",
                                        "ucb"};
    segue_models *models = paper_models();
    const segue_environment env = {.size = sizeof(segue_environment), .models = models};
    segue_simulated_task *simulated = new_simulated_task(&env, 82, 0, 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        segue_learner_config config = config_of(texts[i], 100);
        config.n_models = 2; /* which 12 tasks can tell */
        segue_learner *learner = learner_of(&config);
        if (i % 2)
            assert_ok(segue_learner_name_arms(learner, seven, NULL));
        for (uint64_t j = 0; j < 12; j++)
            play_task(learner, simulated, 0, j, NULL);
        segue_bytes b = {.data = NULL};
        segue_learner_serialize(learner, &b);
        size_t refused = 0;
        for (size_t at = HEAD; at + 8 <= b.size - TAIL; at += 8)
            for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
                unsigned char saved[8];
                memcpy(saved, b.data + at, 8);
                for (size_t byte = 0; byte < 8; byte++)
                    b.data[at + byte] = (unsigned char)(odd[k] >> (8 * byte));
                refused += !is_accepted(&b);
                memcpy(b.data + at, saved, 8);
            }
        assert_true(refused > 0);
        assert_true(is_accepted(&b));
        segue_bytes_fini(&b);
        segue_learner_destroy(learner);
    }
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

/* All but its name fits: auto would choose the method that the file was saved with. */
static void a_file_of_the_method_auto_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"tla", "tts", "ts-prior", "tucb"};
    static const char name[16] = "auto";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        segue_learner_config config = config_of(texts[i], 100);
        config.horizon = i == 1 ? 0 : config.horizon;
        segue_learner *learner = learner_of(&config), *loaded = NULL;
        segue_error err = {.status = SEGUE_OK};
        segue_bytes b = {.data = NULL};
        segue_learner_serialize(learner, &b);
        assert_true(is_accepted(&b));
        memcpy(b.data + HEAD, name, sizeof name);
        set_checksum(&b);
        assert_int_equal(segue_learner_deserialize(&loaded, b.data, b.size, "it", &err),
                         SEGUE_EFILE);
        assert_null(loaded);
        assert_string_equal(err.message,
                            "it: is damaged: its method is 'auto'; need the one that auto chose");
        segue_bytes_fini(&b);
        segue_learner_destroy(learner);
    }
}

static void names_of_arms_are_saved(void **state)
{
    (void)state;
    const segue_learner_config config = config_of("tts", 100);
    segue_learner *learner = learner_of(&config), *loaded = NULL;
    assert_null(segue_learner_arm_name(learner, 0));
    assert_ok(segue_learner_name_arms(learner, seven, NULL));
    assert_ok(segue_learner_add_arm(learner, NULL)); /* without a name */
    assert_ok(segue_learner_retire_arm(learner, 3, NULL));
    assert_ok(segue_learner_save(learner, own_path, NULL));
    assert_ok(segue_learner_load(&loaded, own_path, 8, NULL));
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(segue_learner_arm_name(loaded, i), seven[i]);
    assert_null(segue_learner_arm_name(loaded, 7));
    assert_null(segue_learner_arm_name(loaded, 8));
    assert_true(segue_learner_is_retired(loaded, 3));
    assert_ok(segue_learner_name_arms(loaded, NULL, NULL));
    assert_null(segue_learner_arm_name(loaded, 0));
    segue_learner_destroy(learner);
    segue_learner_destroy(loaded);
}

static void wrong_names_change_nothing(void **state)
{
    static char big[SEGUE_MAX_ARM_NAME + 2];
    const char *names[7];
    segue_error err;
    (void)state;
    memset(big, 'x', sizeof big - 1);
    const segue_learner_config config = config_of("la", 100);
    segue_learner *learner = learner_of(&config);
    assert_ok(segue_learner_name_arms(learner, seven, NULL));
    memcpy(names, seven, sizeof names);
    names[4] = "";
    assert_int_equal(segue_learner_name_arms(learner, names, &err), SEGUE_EDOMAIN);
    names[4] = big;
    assert_int_equal(segue_learner_name_arms(learner, names, &err), SEGUE_EDOMAIN);
    assert_string_equal(segue_learner_arm_name(learner, 4), "e");
    names[4] = big + 1;
    assert_ok(segue_learner_name_arms(learner, names, &err));
    segue_learner_destroy(learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loaded_learner_goes_on_bit_for_bit),
        cmocka_unit_test(a_learner_of_many_arms_is_saved_too),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(odd_numbers_in_files_do_no_harm),
        cmocka_unit_test(a_file_of_the_method_auto_is_refused),
        cmocka_unit_test(names_of_arms_are_saved),
        cmocka_unit_test(wrong_names_change_nothing),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
