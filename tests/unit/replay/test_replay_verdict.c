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
                                    .n_tasks = 100,
                                    .n_learned = 100,
                                    .n_arms = 3,
                                    .urn = true,
                                    .n_fitted_types = 2,
                                    .steps = 70,
                                    .arm_name = arm,
                                    .rewards_per_cell = 30.0,
                                    .rarest_rewards = 30.0};
    for (size_t p = 0; p < 4; p++) {
        const double learns = p == 2 ? saved : p == 1 ? saved - over_prior : 0.0;
        candidate[p] =
            (segue_replay_candidate){.name = titles[p], .transfer = transfer[p], .logged = 0.25};
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

static void says(segue_replay_result *result, segue_conclusion conclusion, const char *text)
{
    if (!strstr(result->verdict, text))
        fail_msg("no '%s' in: %s", text, result->verdict);
    assert_int_equal(result->conclusion, conclusion);
    assert_non_null(strstr(result->verdict, "tasks of 70 steps"));
}

static void the_verdict_follows_the_numbers(void **state)
{
    (void)state;
    segue_replay_result result;
    (void)judged(&result, 0.4, 0.3, 0.5);
    says(&result, SEGUE_CONCLUSION_TYPES,
         "Use tla. In tasks of 70 steps, from task 41 on, it would have earned 0.54 per step "
         "(0.52 .. 0.56), +8.0 % (6.0 .. 10.0) over ts and +50.0 % (48.0 .. 52.0) over one arm for "
         "all tasks, always x. It saves 40 % (38 .. 42) of the regret of ts, the best method that "
         "learns nothing across tasks. Types add to a prior per arm: tla saves 30 % (28 .. 32) of "
         "the regret of ts-prior. Beyond the logged rewards (75 % of pulls) this rests on 2 fitted "
         "types.");
    assert_int_equal(result.use, 2);
    (void)judged(&result, 0.4, 0.05, 0.5);
    says(&result, SEGUE_CONCLUSION_PRIOR, "Types add little to a prior per arm: tla saves 5 %");
    assert_int_equal(result.use, 1);
    (void)judged(&result, 0.01, 0.01, 0.5);
    says(&result, SEGUE_CONCLUSION_NONE, "Transfer does not pay. Use ts.");
    assert_int_equal(result.use, 0);
    (void)judged(&result, 0.4, 0.3, -0.015);
    says(&result, SEGUE_CONCLUSION_ARM, "One arm is enough for all tasks: always x.");
    assert_int_equal(result.use, 3);
}

/* An interval that contains its limit is an open question.  Half its width is 0.02: at a distance
 * of 0.016 from the limit (0.02 / 0.016)^2 = 1.5625 times as many tasks are needed, if all of it is
 * noise of the log.  No interval is narrower than its floor of 0.01. */
static void an_open_question_is_said_to_be_one(void **state)
{
    (void)state;
    segue_replay_result result;
    (void)judged(&result, 0.4, 0.116, 0.5);
    says(&result, SEGUE_CONCLUSION_UNCLEAR,
         "Transfer pays in tasks of 70 steps, but this log cannot tell if types add to a prior per "
         "arm: tla saves 12 % (10 .. 14) of the regret of ts-prior, and 10 % is the least that "
         "counts. About 160 tasks with as many rewards would tell.");
    (void)judged(&result, 0.4, 0.109, 0.5);
    says(&result, SEGUE_CONCLUSION_UNCLEAR, "more tasks alone may not tell");
    (void)judged(&result, 0.4, 0.1001, 0.5);
    says(&result, SEGUE_CONCLUSION_UNCLEAR, "more tasks alone may not tell");
    (void)judged(&result, 0.4, 0.3, 0.01);
    says(&result, SEGUE_CONCLUSION_UNCLEAR, "This log cannot tell if learning pays in tasks of 70");
    (void)judged(&result, 0.04, 0.02, 0.5);
    result.candidate[2].metric[SEGUE_METRIC_REGRET_SAVED].low = -0.02;
    segue_replay_verdict(&result);
    says(&result, SEGUE_CONCLUSION_UNCLEAR, "This log cannot tell if transfer pays in tasks of 70");
    assert_null(strstr(result.verdict, "Use "));
}

/* tla is 0.04 above ts. */
static void a_check_that_fails_by_more_than_the_gain_leaves_it_open(void **state)
{
    (void)state;
    segue_replay_result result;
    (void)judged(&result, 0.4, 0.3, 0.5);
    result.predicted = 0.7;
    result.observed = 0.67;
    segue_replay_verdict(&result);
    says(&result, SEGUE_CONCLUSION_TYPES, "Use tla.");
    result.observed = 0.65;
    segue_replay_verdict(&result);
    says(&result, SEGUE_CONCLUSION_UNCLEAR,
         "the fitted types do not describe it. They predict 0.7 where it has 0.65");
    assert_false(result.has_advice);
    assert_null(strstr(result.verdict, "Use "));
}

/* Seven of 100 tasks: 20 are expected in 290. */
static void a_rare_type_leaves_it_open_if_one_arm_is_enough(void **state)
{
    (void)state;
    segue_replay_result result;
    (void)judged(&result, 0.4, 0.3, -0.015);
    result.rare_tasks = 7.0;
    segue_replay_verdict(&result);
    says(
        &result, SEGUE_CONCLUSION_UNCLEAR,
        "for about 7 of its 100 tasks arm 'x' seems best, not always x, and so few do not show how "
        "common they are. 20 of them would, so about 290 tasks.");
    assert_false(result.has_advice);
}

static void a_saving_of_nothing_is_0(void **state)
{
    (void)state;
    segue_replay_result result;
    (void)judged(&result, -0.001, 0.01, 0.5);
    says(&result, SEGUE_CONCLUSION_NONE, "saves 0 % (-2 .. 2) of the regret of ts");
}

/* Judge 100 tasks and 10 runs whose saving by types is 0.116 +- 0.02, with a share of noise of the
 * play.  In units of the squared half width 0.64 must be reached. */
static void judge_with_noise(segue_replay_result *result, double play_share)
{
    (void)judged(result, 0.4, 0.116, 0.5);
    result->runs = 10;
    result->candidate[2].play_share[SEGUE_METRIC_SAVED_OVER_PRIOR] = play_share;
    segue_replay_verdict(result);
}

static void noise_of_the_play_needs_runs_and_not_tasks(void **state)
{
    (void)state;
    segue_replay_result result;
    judge_with_noise(&result, 0.8); /* 0.2 + 0.8 / g = 0.64: g = 1.82 */
    says(&result, SEGUE_CONCLUSION_UNCLEAR,
         "The luck of the play is 80 % of its variance, so this log may tell with --runs 19.");
    assert_null(strstr(result.verdict, "as many rewards"));
    judge_with_noise(&result, 0.2); /* 0.8 / f + 0.2 = 0.64: f = 1.82 */
    says(&result, SEGUE_CONCLUSION_UNCLEAR, "About 190 tasks with as many rewards would tell.");
    judge_with_noise(&result, 0.365); /* 0.635 + 0.365 / g = 0.64 would need 73 g: 730 runs */
    says(&result, SEGUE_CONCLUSION_UNCLEAR, "--runs 730.");
    judge_with_noise(&result, 0.35); /* 0.65 / f + 0.35 = 0.64: f = 2.24 */
    says(&result, SEGUE_CONCLUSION_UNCLEAR, "About 230 tasks with as many rewards would tell.");
}

/* At a squared distance of 0.36 neither part alone, 0.5 each, is enough: 0.5 / f = 0.5 / g = 0.18. */
static void both_may_be_needed(void **state)
{
    (void)state;
    segue_replay_result result;
    (void)judged(&result, 0.4, 0.112, 0.5);
    result.runs = 10;
    result.candidate[2].play_share[SEGUE_METRIC_SAVED_OVER_PRIOR] = 0.5;
    segue_replay_verdict(&result);
    says(&result, SEGUE_CONCLUSION_UNCLEAR,
         "About 280 tasks with as many rewards, and --runs 28, would tell.");
}

static void few_rewards_judge_nothing(void **state)
{
    (void)state;
    segue_replay_result result;
    (void)judged(&result, 0.4, 0.3, 0.5);
    result.rewards_per_cell = 1.999;
    segue_replay_verdict(&result);
    says(&result, SEGUE_CONCLUSION_UNCLEAR,
         "it has 1.9 rewards per arm and task, and 2 or more are needed to see each task's best "
         "arm, so 6 rewards per task");
    result.rewards_per_cell = 2.0;
    segue_replay_verdict(&result);
    assert_int_equal(result.conclusion, SEGUE_CONCLUSION_TYPES);
    result.urn = false; /* row replay takes the best of averages for the best arm */
    result.rarest_rewards = 29.97;
    segue_replay_verdict(&result);
    assert_int_equal(result.conclusion, SEGUE_CONCLUSION_UNCLEAR);
    assert_non_null(strstr(result.verdict,
                           "tasks of at most 70 steps by row replay: arm 'x' has 29.9 rewards per "
                           "task, and 30 are needed"));
    result.constant = true;
    segue_replay_verdict(&result);
    assert_int_equal(result.conclusion, SEGUE_CONCLUSION_ARM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_verdict_follows_the_numbers),
        cmocka_unit_test(an_open_question_is_said_to_be_one),
        cmocka_unit_test(a_check_that_fails_by_more_than_the_gain_leaves_it_open),
        cmocka_unit_test(a_rare_type_leaves_it_open_if_one_arm_is_enough),
        cmocka_unit_test(a_saving_of_nothing_is_0),
        cmocka_unit_test(noise_of_the_play_needs_runs_and_not_tasks),
        cmocka_unit_test(both_may_be_needed),
        cmocka_unit_test(few_rewards_judge_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
