/* test_status.c - status, error messages, version.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

static void every_status_has_a_text_and_an_exit_code(void **state)
{
    (void)state;
    assert_string_equal(segue_status_text(SEGUE_OK), "success");
    assert_int_equal(segue_status_exit_code(SEGUE_OK), 0);
    assert_int_equal(segue_status_exit_code(SEGUE_EDOMAIN), 2);
    assert_int_equal(segue_status_exit_code(SEGUE_ENOMEM), 1);
    assert_string_equal(segue_status_text((segue_status)999), "an unknown status");
    assert_int_equal(segue_status_exit_code((segue_status)999), 1);
}

static void a_failure_fills_the_error_and_may_have_none(void **state)
{
    (void)state;
    segue_error err;
    assert_int_equal(segue_fail(&err, SEGUE_EIO, "line %d", 7), SEGUE_EIO);
    assert_int_equal(err.status, SEGUE_EIO);
    assert_string_equal(err.message, "line 7");
    assert_int_equal(segue_fail(NULL, SEGUE_EIO, "unheard"), SEGUE_EIO);
}

static void a_long_sentence_is_cut(void **state)
{
    (void)state;
    segue_error err;
    (void)segue_fail(&err, SEGUE_EIO, "%2000s", "x");
    assert_int_equal(strlen(err.message), SEGUE_ERROR_SIZE - 1);
}

static void version_and_blas_are_reported(void **state)
{
    (void)state;
    assert_non_null(strchr(segue_version(), '.'));
    assert_non_null(strstr(segue_linalg_backend(), "OpenBLAS"));
    assert_true(strlen(segue_version_build()) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_text_and_an_exit_code),
        cmocka_unit_test(a_failure_fills_the_error_and_may_have_none),
        cmocka_unit_test(a_long_sentence_is_cut),
        cmocka_unit_test(version_and_blas_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
