/* test_ask_log.c - what asks were asked with is written, read again, and restored after a rollback.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "service/state/ask_log.h"

static const bool without_1[] = {true, false, true};

static void check_staged(ask_log *log, uint64_t position, const char *expected, size_t n)
{
    segue_bytes text = {.data = NULL};
    assert_int_equal(segue_ask_log_stage(log, position, 17, 99, &text), n);
    if (expected)
        assert_string_equal((const char *)text.data, expected);
    else
        assert_int_equal(text.size, 0);
    segue_bytes_fini(&text);
}

static void one_ask_per_reward_stores_nothing_after_the_first(void **state)
{
    ask_log log = {.entry = NULL};
    (void)state;
    for (uint64_t i = 0; i < 3; i++) {
        segue_ask_log_add(&log, &(ask_terms){.rewards = i}, 1);
        check_staged(&log, i, i == 0 ? "@17,99;0:1;" : NULL, 1);
        segue_ask_log_commit(&log, 1);
    }
    segue_ask_log_fini(&log);
}

static void asks_with_the_same_terms_are_one_entry(void **state)
{
    ask_log log = {.run_staged = true, .run_stored = true};
    (void)state;
    for (int i = 0; i < 5000; i++)
        segue_ask_log_add(&log, &(ask_terms){.rewards = 2}, 1);
    assert_int_equal(log.n, 1);
    segue_ask_log_add(&log, &(ask_terms){.rewards = 2, .allowed = without_1, .n_arms = 3}, 1);
    segue_ask_log_add(&log, &(ask_terms){.rewards = 3, .probability = true}, 4);
    segue_ask_log_add(&log, &(ask_terms){.rewards = 3, .probability = true}, 4);
    assert_int_equal(segue_ask_log_add_copy(&log, 3), 0);
    segue_ask_log_add_of_copy(&log, &(ask_terms){.rewards = 4}, 7, 0);
    check_staged(&log, 4, "2:5000;2:1-1;3:4p;3:4p;3:f;4:7*0;", 6);
    segue_ask_log_fini(&log);
}

static void a_rollback_stores_the_entries_later(void **state)
{
    ask_log log = {.entry = NULL};
    (void)state;
    segue_ask_log_add(&log, &(ask_terms){.rewards = 0}, 2);
    check_staged(&log, 0, "@17,99;0:2;", 1);
    segue_ask_log_add(&log, &(ask_terms){.rewards = 0}, 1); /* not merged: the text is written */
    segue_ask_log_rollback(&log);
    check_staged(&log, 0, "@17,99;0:2;0:1;", 2);
    segue_ask_log_commit(&log, 2);
    assert_int_equal(log.n, 0);
    check_staged(&log, 1, ";", 0); /* a reward without an ask since the last */
    segue_ask_log_fini(&log);
}

static void too_many_different_asks_are_lost_and_say_so(void **state)
{
    ask_log log = {.run_staged = true};
    segue_bytes text = {.data = NULL};
    (void)state;
    for (int i = 0; i < 3000; i++)
        segue_ask_log_add(&log, &(ask_terms){.rewards = 0, .probability = true}, 1);
    assert_true(log.is_lost);
    (void)segue_ask_log_stage(&log, 0, 1, 1, &text);
    assert_non_null(strstr((const char *)text.data, ";?;"));
    segue_bytes_fini(&text);
    segue_ask_log_fini(&log);
}

static void a_text_is_read_entry_by_entry(void **state)
{
    const char *text = "@5,18446744073709551615;2:3p-0.65535;2:f;9:1*4;?;";
    ask_entry e;
    (void)state;
    assert_true(segue_ask_log_parse(&text, &e));
    assert_int_equal(e.kind, ASKS_RUN);
    assert_int_equal(e.rewards, 5);
    assert_true(e.n == UINT64_MAX);
    assert_true(segue_ask_log_parse(&text, &e));
    assert_true(e.kind == ASKS_OF_TASK && e.rewards == 2 && e.n == 3 && e.probability);
    assert_int_equal(e.n_without, 2);
    assert_int_equal(e.without[1], 65535);
    free(e.without);
    assert_true(segue_ask_log_parse(&text, &e));
    assert_int_equal(e.kind, ASKS_COPY);
    assert_true(segue_ask_log_parse(&text, &e));
    assert_true(e.kind == ASKS_OF_COPY && e.copy == 4 && e.rewards == 9);
    assert_true(segue_ask_log_parse(&text, &e));
    assert_int_equal(e.kind, ASKS_LOST);
    assert_false(segue_ask_log_parse(&text, &e));
    assert_null(text); /* the end */
}

static void a_text_that_is_wrong_is_rejected(void **state)
{
    static const char *const wrong[] = {"x",          "1",       "1:",   "1:2",  "1:2-;",
                                        "1:2-65536;", "1:2q;",   "@1;",  "@1,;", "1:*;",
                                        "1:2*;",      "1:2-1.;", "-1:2;"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *text = wrong[i];
        ask_entry e;
        if (segue_ask_log_parse(&text, &e) || !text)
            fail_msg("'%s' was read", wrong[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_ask_per_reward_stores_nothing_after_the_first),
        cmocka_unit_test(asks_with_the_same_terms_are_one_entry),
        cmocka_unit_test(a_rollback_stores_the_entries_later),
        cmocka_unit_test(too_many_different_asks_are_lost_and_say_so),
        cmocka_unit_test(a_text_is_read_entry_by_entry),
        cmocka_unit_test(a_text_that_is_wrong_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
