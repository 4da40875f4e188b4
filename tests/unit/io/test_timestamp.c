/* test_timestamp.c - times of a log: numbers and ISO 8601 dates.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "io/log/timestamp.h"

static void times_are_seconds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double seconds;
        bool is_date;
    } good[] = {
        {"0", 0, false},
        {"-1.5e3", -1500, false},
        {"20240229", 20240229, false},
        {"1970-01-01", 0, true},
        {"1969-12-31T23:59:59", -1, true},
        {"2000-03-01", 951868800, true},
        {"1900-03-01", -2203891200, true},
        {"2024-02-29T12:30", 1709209800, true},
        {"2024-02-29 12:30:15.25Z", 1709209815.25, true},
        {"2024-02-29T12:30:15.0000000000000000001Z", 1709209815, true},
        {"2024-02-29T12:30:15+02", 1709202615, true},
        {"2024-02-29T12:30:15+0230", 1709200815, true},
        {"2024-02-29T12:30:15-02:30", 1709218815, true},
        {"2016-12-31T23:59:60Z", 1483228800, true},
        {"9999-12-31", 253402214400, true},
        {"0001-01-01", -62135596800, true},
    };
    static const char *const bad[] = {"",
                                      "now",
                                      "nan",
                                      "2024-02-30",
                                      "2100-02-29",
                                      "2024-13-01",
                                      "2024-00-01",
                                      "2024-01-00",
                                      "2024-1-1",
                                      "2024-01-01T",
                                      "2024-01-01T24:00",
                                      "2024-01-01T12",
                                      "2024-01-01T12:60",
                                      "2024-01-01T12:30:61",
                                      "2024-01-01T12:30:15.",
                                      "2024-01-01T12:30Zz",
                                      "2024-01-01T12:30+2",
                                      "2024-01-01T12:30+02:",
                                      "2024-01-01T12:30+24:00",
                                      "2024-01-01Z",
                                      "2024-01-01 ",
                                      "0000-01-01",
                                      "12:30",
                                      "01/02/2024",
                                      "1e400"};
    double seconds = 0.0;
    bool is_date = false;
    segue_error err;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_ok(segue_timestamp_parse(good[i].text, &seconds, &is_date, NULL));
        assert_near(seconds, good[i].seconds, 0.0);
        assert_int_equal(is_date, good[i].is_date);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (segue_timestamp_parse(bad[i], &seconds, &is_date, &err) != SEGUE_EPARSE)
            fail_msg("\"%s\" was read", bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
