/* test_learner_file.c - learners saved, loaded, and damaged files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "learner_fixture.h"

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
                                        "tla:cap=2,window=50,hint=2",
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
    data[8] = 8;
    write_bytes(data, size);
    load_fails(0, "has format version 8; this program reads 5 to 7");
    data[8] = 4;
    write_bytes(data, size);
    load_fails(0, "has format version 4; this program reads 5 to 7");
    write_bytes((const unsigned char *)"hello", 5);
    load_fails(0, "is not a learner file");
    write_bytes(data, 0);
    load_fails(0, "is not a learner file");
    segue_learner *none = NULL;
    assert_int_equal(segue_learner_load(&none, "/nonexistent", 0, NULL), SEGUE_EFILE);
    assert_int_equal(segue_learner_load(&none, "/tmp", 0, NULL), SEGUE_EFILE);
    assert_int_equal(segue_learner_save(learner, "/nonexistent/file", NULL), SEGUE_EFILE);
    segue_learner_destroy(learner);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

#define HEAD 24 /* magic, version, length */

#define TAIL 8 /* the checksum */

/* Set the checksum of changed bytes. */
static void set_checksum(segue_bytes *b)
{
    segue_bytes sum = {.data = NULL};
    segue_bytes_append_u64(&sum, segue_bytes_crc32(b->data, b->size - TAIL));
    memcpy(b->data + b->size - TAIL, sum.data, TAIL);
    segue_bytes_fini(&sum);
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

/* Cut bytes out, the later ones first. */
static void cut(segue_bytes *b, size_t at, size_t count)
{
    memmove(b->data + at, b->data + at + count, b->size - at - count);
    b->size -= count;
}

/* Make bytes of a learner of seven arms that has seen rewards of 0 and 1 those of an older version.
 * Version 6 has no option `dispersion`, which is the last one, and no sums of squares; version 5 no
 * number of names, which stands after that of retired arms. */
static void make_older(segue_bytes *b, unsigned char version, size_t n_options)
{
    const size_t option = HEAD + 16 + 8 * (7 + 2), names = option + 8 * (1 + n_options + 3 + 1);
    cut(b, names + 8, 3 * 7 * sizeof(double));
    if (version == 5)
        cut(b, names, 8);
    cut(b, option + 8 * n_options, 8);
    b->data[option] = (unsigned char)(n_options - 1);
    b->data[8] = version;
    const uint64_t length = b->size - HEAD - TAIL;
    for (size_t i = 0; i < 8; i++)
        b->data[16 + i] = (unsigned char)(length >> (8 * i));
    set_checksum(b);
}

/* Tell 20 tasks of 20 rewards; they are 0 or 1, or graded. */
static segue_learner *trained(const char *method, bool graded)
{
    const segue_learner_config config = config_of(method, 100);
    segue_learner *learner = learner_of(&config);
    segue_task *task = NULL;
    for (size_t i = 0; i < 20; i++) {
        assert_ok(segue_learner_open_task(learner, &task, NULL));
        for (size_t k = 0; k < 20; k++)
            tell(task, k % 7, graded ? 0.3 + 0.02 * (double)((3 * k + i) % 10) : i % 2 == k % 2);
        assert_ok(segue_learner_close_task(learner, &task, NULL));
    }
    return learner;
}

static void are_equal(const segue_learner *one, const segue_learner *two)
{
    segue_bytes a = {.data = NULL}, b = {.data = NULL};
    segue_learner_serialize(one, &a);
    segue_learner_serialize(two, &b);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    segue_bytes_fini(&a);
    segue_bytes_fini(&b);
}

/* They know no sums of squares: these start at zero, and all else is as it was saved. */
static void files_of_versions_5_and_6_can_be_read(void **state)
{
    static const struct {
        const char *method;
        size_t n_options;
    } methods[] = {{"tts", 4}, {"tla", 4}, {"ts-prior", 1}};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (unsigned char version = 5; version <= 6; version++) {
            segue_learner *learner = trained(methods[i].method, false), *loaded = NULL;
            segue_bytes b = {.data = NULL}, again = {.data = NULL};
            segue_learner_serialize(learner, &b);
            make_older(&b, version, methods[i].n_options);
            assert_ok(segue_learner_deserialize(&loaded, b.data, b.size, "it", NULL));
            segue_learner_serialize(loaded, &again);
            make_older(&again, version, methods[i].n_options);
            assert_int_equal(b.size, again.size);
            assert_memory_equal(b.data, again.data, b.size);
            segue_bytes_fini(&b);
            segue_bytes_fini(&again);
            segue_learner_destroy(learner);
            segue_learner_destroy(loaded);
        }
}

/* A loaded learner expects the same dispersions: it goes on with the same bytes. */
static void sums_of_squares_are_saved(void **state)
{
    (void)state;
    static const char *const methods[] = {"tts", "tla", "ts-prior"};
    for (size_t i = 0; i < 3; i++) {
        segue_learner *learner = trained(methods[i], true), *loaded = NULL;
        segue_bytes b = {.data = NULL};
        segue_task *one = NULL, *two = NULL;
        segue_learner_serialize(learner, &b);
        assert_ok(segue_learner_deserialize(&loaded, b.data, b.size, "it", NULL));
        are_equal(learner, loaded);
        assert_ok(segue_learner_open_task(learner, &one, NULL));
        assert_ok(segue_learner_open_task(loaded, &two, NULL));
        for (size_t arm = 0; arm < 7; arm++) {
            const double each = segue_task_learned_weight(one, arm);
            assert_true(each > 5.0); /* the rewards vary from 0.3 to 0.48 */
            assert_near(each, segue_task_learned_weight(two, arm), 0.0);
        }
        segue_bytes_fini(&b);
        segue_learner_destroy(learner);
        segue_learner_destroy(loaded);
    }
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
        cmocka_unit_test(files_of_versions_5_and_6_can_be_read),
        cmocka_unit_test(sums_of_squares_are_saved),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
