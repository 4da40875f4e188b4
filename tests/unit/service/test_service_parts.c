/* test_service_parts.c - the parts of the service: keyed hashes, decision ids, host names, hash
 * maps.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "service/api/decision_id.h"
#include "service/api/http/listen.h"
#include "service/state/hash_map.h"
#include "service/state/keyed_hash.h"

/* From the reference implementation's published vectors: key 00 .. 0f, data 00, 01, ... */
static void keyed_hash_gives_the_published_siphash_vectors(void **state)
{
    static const unsigned char empty[16] = {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6,
                                            0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02, 0x93};
    unsigned char key[16], data[64], sum[16];
    (void)state;
    for (unsigned i = 0; i < 64; i++)
        data[i] = (unsigned char)i;
    memcpy(key, data, 16);
    assert_true(segue_keyed_hash(key, data, 0) == UINT64_C(0x726fdb47dd0e0e31));
    assert_true(segue_keyed_hash(key, data, 15) == UINT64_C(0xa129ca6149be45e5));
    segue_keyed_hash_128(key, data, 0, sum);
    assert_memory_equal(sum, empty, 16);
}

/* Ids with and without a probability. */
static void an_id_is_decoded_and_a_changed_one_is_not(void **state)
{
    const unsigned char key[16] = {1, 2, 3};
    const double *probability = *state;
    const size_t length =
        *probability > 0.0 ? SEGUE_LONG_DECISION_ID_LENGTH : SEGUE_DECISION_ID_LENGTH;
    const decision d = {.learner = 7,
                        .probability = *probability,
                        .task = INT64_C(1) << 40,
                        .tag = UINT64_C(0x7123456789abcdef),
                        .number = (UINT64_C(3) << 61) + 9,
                        .arm = 999,
                        .asked_at = 1763270000.125};
    decision back;
    char text[SEGUE_LONG_DECISION_ID_LENGTH + 2];
    memset(text, '+', sizeof text);
    segue_decision_id_encode(&d, key, text);
    assert_int_equal(strlen(text), length);
    assert_true(text[length + 1] == '+'); /* no byte is written after it */
    assert_true(segue_decision_id_decode(&back, key, text));
    assert_true(back.learner == d.learner && back.task == d.task && back.number == d.number);
    assert_true(back.arm == d.arm && back.tag == d.tag);
    assert_near(back.probability, *probability, 0.0);
    assert_true(fabs(back.asked_at - d.asked_at) < 1e-3);
    for (size_t i = 0; i < length; i++) {
        const char before = text[i];
        text[i] = before == 'A' ? 'B' : 'A';
        assert_false(segue_decision_id_decode(&back, key, text));
        text[i] = before;
    }
    text[length - 1] = '\0';
    assert_false(segue_decision_id_decode(&back, key, text));
}

static void this_machine_has_many_names(void **state)
{
    static const char *const local[] = {"localhost",      "LOCALHOST:80", "127.0.0.1",
                                        "127.0.0.5:8080", "127.255.1.2",  "[::1]",
                                        "[::1]:8080",     "[0:0::0:1]:1"};
    static const char *const other[] = {"",
                                        ":80",
                                        "localhost.",
                                        "localhost.evil.example",
                                        "127.0.0.1.evil.example",
                                        "128.0.0.1",
                                        "0.0.0.0",
                                        "::1",
                                        "[::1",
                                        "[::1]x",
                                        "[::2]:80",
                                        "[]",
                                        "[127.0.0.1]",
                                        "127.1",
                                        "[::ffff:127.0.0.1]",
                                        "evil:@[::1]"};
    (void)state;
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if (!segue_listen_is_local(local[i]))
            fail_msg("'%s' is not local", local[i]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (segue_listen_is_local(other[i]))
            fail_msg("'%s' is local", other[i]);
}

static void a_map_finds_its_entries(void **state)
{
    const unsigned char key[16] = {5};
    static int values[1000];
    hash_map m;
    (void)state;
    segue_hash_map_init(&m, key);
    assert_null(segue_hash_map_find(&m, "x", 1));
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(segue_hash_map_set(&m, &i, sizeof i, &values[i]));
    for (uint64_t i = 0; i < 1000; i += 3)
        segue_hash_map_remove(&m, &i, sizeof i);
    for (uint64_t i = 0; i < 1000; i++)
        assert_ptr_equal(segue_hash_map_find(&m, &i, sizeof i), i % 3 == 0 ? NULL : &values[i]);
    size_t index = 0, count = 0;
    const hash_map_entry *within = NULL;
    while (segue_hash_map_next(&m, &index, &within))
        count++;
    assert_int_equal(count, 666);
    segue_hash_map_fini(&m);
}

int main(void)
{
    static double probabilities[] = {0.0, 0.1};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keyed_hash_gives_the_published_siphash_vectors),
        {"short_id", an_id_is_decoded_and_a_changed_one_is_not, NULL, NULL, &probabilities[0]},
        {"long_id", an_id_is_decoded_and_a_changed_one_is_not, NULL, NULL, &probabilities[1]},
        cmocka_unit_test(this_machine_has_many_names),
        cmocka_unit_test(a_map_finds_its_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
