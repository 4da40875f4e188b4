/* test_trial.c - a randomized trial: weights, interval and forecast.
 * tests/unit/service/test_effect_coverage.c shows that the interval is a confidence sequence.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/confseq/trial.h"
#include "support.h"

#define PURPOSE 0x300000000ULL

static void a_constant_share_gives_the_interval_of_two_samples(void **state)
{
    static const double shares[] = {1e-6, 0.05, 0.3, 0.5, 0.9};
    (void)state;
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        segue_trial trial = {.first = 0.0};
        segue_stats side[2] = {{.count = 0}, {.count = 0}};
        segue_confseq a, b;
        for (int i = 0; i < 200; i++) {
            const double x = 0.5 + 0.5 * sin(i * i);
            assert_true(segue_trial_add(&trial, i % 7 == 0, shares[k], x));
            segue_stats_add(&side[i % 7 == 0], x);
            const bool has = segue_confseq_difference(&side[0], &side[1], 1.0, &a);
            assert_int_equal(segue_trial_interval(&trial, 1.0, &b), has);
            if (!has)
                continue;
            assert_near(b.difference, a.difference, 1e-12);
            assert_near(b.low, a.low, 1e-9);
            assert_near(b.high, a.high, 1e-9);
        }
        assert_int_equal(segue_trial_count(&trial), 200);
    }
}

/* The sums once more, from all outcomes. */
static void the_effect_is_the_difference_of_weighted_means(void **state)
{
    segue_trial trial = {.first = 0.0};
    segue_confseq found;
    segue_rng rng;
    double w[2] = {0.0, 0.0}, wx[2] = {0.0, 0.0}, w2[2] = {0.0, 0.0}, inverse = 0.0, x[300];
    int group[300];
    double weight[300];
    (void)state;
    segue_rng_init(&rng, 5, 0, 0, PURPOSE);
    for (int i = 0; i < 300; i++) {
        const double p = 0.05 + 0.9 * segue_rng_uniform(&rng);
        group[i] = segue_rng_uniform(&rng) < p;
        x[i] = segue_rng_uniform(&rng);
        weight[i] = 1.0 / (group[i] ? p : 1.0 - p);
        assert_true(segue_trial_add(&trial, group[i], p, x[i]));
        w[group[i]] += weight[i];
        wx[group[i]] += weight[i] * x[i];
        w2[group[i]] += weight[i] * weight[i];
        inverse += 1.0 / (p * (1.0 - p));
    }
    double squares[2] = {0.0, 0.0};
    for (int i = 0; i < 300; i++) {
        const double d = x[i] - wx[group[i]] / w[group[i]];
        squares[group[i]] += weight[i] * weight[i] * d * d;
    }
    assert_true(segue_trial_interval(&trial, 1.0, &found));
    assert_near(found.difference, wx[0] / w[0] - wx[1] / w[1], 1e-12);
    assert_near(trial.inverse, inverse, 1e-9 * inverse);
    segue_confseq_moments m[2];
    for (int g = 0; g < 2; g++) {
        const double size = w[g] * w[g] / w2[g];
        const double plain = trial.group[g].plain.squares / (double)trial.group[g].plain.count;
        m[g] = (segue_confseq_moments){size, wx[g] / w[g], fmax(squares[g] / w2[g], plain) * size};
    }
    const double ratio = trial.first * inverse / 300.0;
    const segue_confseq again = segue_confseq_of_moments(&m[0], &m[1], 1.0, ratio * ratio);
    assert_near(found.low, again.low, 1e-9);
    assert_near(found.high, again.high, 1e-9);
}

static void subjects_that_were_not_assigned_at_random_do_not_count(void **state)
{
    static const double shares[] = {0.0, 1.0, 1e-12, 1.0 - 1e-12, NAN};
    segue_trial trial = {.first = 0.0};
    segue_confseq found;
    (void)state;
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++)
        assert_false(segue_trial_add(&trial, true, shares[k], 1.0));
    assert_int_equal(segue_trial_count(&trial), 0);
    assert_false(segue_trial_interval(&trial, 1.0, &found));
}

/* One weight of 1e9 among others: an effective size near 1 gives the whole range, not NAN. */
static void extreme_weights_give_the_whole_range(void **state)
{
    segue_trial trial = {.first = 0.0};
    segue_confseq found;
    (void)state;
    for (int i = 0; i < 100; i++)
        (void)segue_trial_add(&trial, i % 2, 0.5, i % 3 == 0);
    (void)segue_trial_add(&trial, true, 1e-9, 1.0);
    assert_true(segue_trial_interval(&trial, 1.0, &found));
    assert_near(found.low, -1.0, 0.0);
    assert_near(found.high, 1.0, 0.0);
}

/* ---- forecasts --------------------------------------------------------------------------- */

/* Alternating outcomes; every 1/p-th subject is control. */
static void add_regular(segue_trial *trial, int count, int period)
{
    for (int i = 0; i < count; i++)
        (void)segue_trial_add(trial, i % period == 0, 1.0 / period,
                              (i / period) % 2 == 0 ? 0.25 : 0.75);
}

static void a_forecast_comes_true(void **state)
{
    static const int periods[] = {2, 5, 20};
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        const int period = periods[k];
        segue_trial trial = {.first = 0.0};
        segue_confseq now;
        add_regular(&trial, 40 * period, period);
        const uint64_t more = segue_trial_subjects_until(&trial, 1.0, 1.0 / period, 0.05, 1000000);
        assert_true(more > 0 && more < 100000);
        add_regular(&trial, (int)(1.1 * (double)more), period);
        assert_true(segue_trial_interval(&trial, 1.0, &now));
        assert_true(now.half_width < 0.05);
        trial = (segue_trial){.first = 0.0};
        add_regular(&trial, 40 * period + (int)(0.9 * (double)more), period);
        assert_true(segue_trial_interval(&trial, 1.0, &now));
        assert_true(now.half_width > 0.05);
    }
}

static void a_forecast_has_ends(void **state)
{
    segue_trial trial = {.first = 0.0};
    (void)state;
    assert_true(segue_trial_subjects_until(&trial, 1.0, 0.5, 0.1, 1000) == UINT64_MAX);
    add_regular(&trial, 400, 2);
    assert_int_equal(segue_trial_subjects_until(&trial, 1.0, 0.5, 0.9, 1000), 0);
    assert_true(segue_trial_subjects_until(&trial, 1.0, 0.5, 1e-6, 1000) == UINT64_MAX);
    assert_true(segue_trial_subjects_until(&trial, 1.0, 0.5, 0.0, 1000) == UINT64_MAX);
    assert_true(segue_trial_subjects_until(&trial, 1.0, 0.0, 0.1, 1000) == UINT64_MAX);
    assert_true(segue_trial_subjects_until(&trial, 1.0, 1.0, 0.1, 1000) == UINT64_MAX);
    const uint64_t at_half = segue_trial_subjects_until(&trial, 1.0, 0.5, 0.05, 1000000);
    assert_true(at_half < segue_trial_subjects_until(&trial, 1.0, 0.05, 0.05, 1000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_share_gives_the_interval_of_two_samples),
        cmocka_unit_test(the_effect_is_the_difference_of_weighted_means),
        cmocka_unit_test(subjects_that_were_not_assigned_at_random_do_not_count),
        cmocka_unit_test(extreme_weights_give_the_whole_range),
        cmocka_unit_test(a_forecast_comes_true),
        cmocka_unit_test(a_forecast_has_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
