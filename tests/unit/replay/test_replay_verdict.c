/* test_replay_verdict.c - the verdict of a replay follows its numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay_logs.h"

static segue_interval around(double value)
{
    return (segue_interval){.value = value, .low = value - 0.02, .high = value + 0.02};
}

/* Judge ts, ts-prior, tla and one arm: tla saves shares of the regret of ts and of ts-prior, and
 * gains over the arm. */
static const char *judged(segue_replay_result *result, double saved, double over_prior,
                          double over_arm)
{
    static segue_replay_candidate candidate[4];
    static const char *const arm[] = {"x"};
    static char titles[4][12] = {"ts", "ts-prior", "tla", "always x"};
    static const segue_transfer_kind transfer[] = {SEGUE_TRANSFER_NOTHING, SEGUE_TRANSFER_PRIOR,
                                                   SEGUE_TRANSFER_TYPES, SEGUE_TRANSFER_ARM};
    *result = (segue_replay_result){.candidate = candidate,
                                    .n_candidates = 4,
                                    .ts_prior = 1,
                                    .fixed_arm = 3,
                                    .first_scored = 41,
                                    .n_played = 100,
                                    .n_learned = 100,
                                    .resampled = true,
                                    .steps = 70,
                                    .arm_name = arm,
                                    .rarest_rewards = 30.0};
    for (size_t p = 0; p < 4; p++) {
        const double learns = p == 2 ? saved : p == 1 ? saved - over_prior : 0.0;
        candidate[p] = (segue_replay_candidate){.name = titles[p], .transfer = transfer[p]};
        candidate[p].metric[SEGUE_METRIC_REWARD] = around(p == 3 ? 0.1 : 0.5 + 0.1 * learns);
        candidate[p].metric[SEGUE_METRIC_GAIN_OVER_TS] = around(0.2 * learns);
        candidate[p].metric[SEGUE_METRIC_REGRET_SAVED] = around(learns);
        candidate[p].metric[SEGUE_METRIC_SAVED_OVER_PRIOR] = around(p == 2 ? over_prior : 0.0);
        candidate[p].metric[SEGUE_METRIC_GAIN_OVER_FIXED] = around(over_arm);
    }
    segue_replay_result_rank(result);
    segue_replay_verdict(result);
    return result->verdict;
}

static void the_verdict_follows_the_numbers(void **state)
{
    (void)state;
    segue_replay_result result;
    assert_non_null(strstr(judged(&result, 0.4, 0.3, 0.5),
                           "+8.0 % reward (6.0 .. 10.0) over ts from "
                           "task 41 on: use tla"));
    assert_int_equal(result.conclusion, SEGUE_CONCLUSION_TYPES);
    assert_non_null(strstr(judged(&result, 0.4, 0.05, 0.5), "little to gain from types"));
    assert_int_equal(result.conclusion, SEGUE_CONCLUSION_PRIOR);
    assert_int_equal(result.use, 1);
    assert_non_null(strstr(judged(&result, 0.01, 0.01, 0.5), "transfer does not pay; ts does as"));
    assert_int_equal(result.conclusion, SEGUE_CONCLUSION_NONE);
    assert_int_equal(result.use, 0);
    assert_non_null(strstr(judged(&result, 0.4, 0.3, 0.005),
                           "In tasks of 70 steps, a single arm is enough for all tasks: always x"));
    assert_int_equal(result.conclusion, SEGUE_CONCLUSION_ARM);
    (void)judged(&result, 0.01, 0.01, 0.5);
    result.candidate[2].metric[SEGUE_METRIC_REGRET_SAVED].high = 0.6;
    segue_replay_verdict(&result);
    assert_non_null(strstr(result.verdict, "60 scored tasks are too few to decide"));
    assert_int_equal(result.conclusion, SEGUE_CONCLUSION_UNCLEAR);
    assert_non_null(strstr(judged(&result, 0.4, 0.3, 0.015), "too few to decide"));
}

static void every_verdict_names_its_steps_and_few_rewards_judge_no_types(void **state)
{
    (void)state;
    static const double numbers[][3] = {
        {0.4, 0.3, 0.5}, {0.4, 0.05, 0.5}, {0.01, 0.01, 0.5}, {0.4, 0.3, 0.005}, {0.4, 0.3, 0.015}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (int form = 0; form < 8; form++) { /* resampled or not; few rewards or not; constant */
            segue_replay_result result;
            (void)judged(&result, numbers[i][0], numbers[i][1], numbers[i][2]);
            result.resampled = form & 1;
            result.rarest_rewards = form & 2 ? 29.97 : 30.0;
            result.constant = form & 4;
            segue_replay_verdict(&result);
            assert_non_null(strstr(result.verdict,
                                   form & 1 ? "tasks of 70 steps" : "tasks of at most 70 steps"));
            const bool few = strstr(result.verdict, "Types cannot be judged from this log: arm 'x' "
                                                    "has 29.9 rewards per task, and 30 are needed");
            assert_int_equal(few, (form & 6) == 2);
            if (few) {
                assert_int_equal(result.conclusion, SEGUE_CONCLUSION_UNCLEAR);
                assert_null(strstr(result.verdict, "use "));
                assert_null(strstr(result.verdict, "one arm does"));
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_verdict_follows_the_numbers),
        cmocka_unit_test(every_verdict_names_its_steps_and_few_rewards_judge_no_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
