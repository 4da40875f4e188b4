/* test_core.c - status, streams, samplers, screening, statistics, numbers, names, linear algebra,
 * ln Beta.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/linalg/linalg.h"
#include "core/log_gamma.h"
#include "core/path.h"
#include "core/random/beta.h"
#include "core/random/ziggurat.h"
#include "core/text.h"
#include "support.h"

#include <pthread.h>

/* ---- status ------------------------------------------------------------------------------ */

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

/* ---- streams ----------------------------------------------------------------------------- */

/* Known answers of the reference xoshiro256++ for the states {1, 2, 3, 4} and {0, 0, 0, 1}. */
static void the_generator_gives_the_published_answers(void **state)
{
    (void)state;
    static const uint64_t first[] = {UINT64_C(41943041),
                                     UINT64_C(58720359),
                                     UINT64_C(3588806011781223),
                                     UINT64_C(3591011842654386),
                                     UINT64_C(9228616714210784205),
                                     UINT64_C(9973669472204895162),
                                     UINT64_C(14011001112246962877),
                                     UINT64_C(12406186145184390807),
                                     UINT64_C(15849039046786891736),
                                     UINT64_C(10450023813501588000)};
    static const uint64_t second[] = {0x800000,
                                      0x800011,
                                      UINT64_C(0x2200000800011),
                                      UINT64_C(0x2200044000020),
                                      UINT64_C(0x22000448008a1),
                                      UINT64_C(0x1102100802208a0),
                                      UINT64_C(0x114002284200880),
                                      UINT64_C(0x402896644a64095),
                                      UINT64_C(0x8a14a0a244acc891),
                                      UINT64_C(0x8c88ba4680b20495)};
    segue_rng a = {{1, 2, 3, 4}}, b = {{0, 0, 0, 1}};
    for (size_t i = 0; i < 10; i++) {
        assert_true(segue_rng_next(&a) == first[i]);
        assert_true(segue_rng_next(&b) == second[i]);
    }
}

/* The first word of a state is the first output of splitmix64 from the seed; its published
 * outputs from 1234567 begin with this one. */
static void a_stream_opens_with_splitmix64(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 1234567, 0, 0, 0);
    assert_true(rng.s[0] == UINT64_C(6457827717110365317));
}

/* The bytes of these streams are promised: a change of them is a change of every result. */
static void the_streams_are_what_they_were(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 1, 2, 3, SEGUE_STREAM_POLICY);
    const uint64_t first = segue_rng_next(&rng);
    segue_rng_init(&rng, 1, 2, 3, SEGUE_STREAM_POLICY);
    assert_true(segue_rng_next(&rng) == first);
    assert_true(first == UINT64_C(2735552962079368077));
}

static void names_that_differ_give_streams_that_differ(void **state)
{
    (void)state;
    segue_rng a, b;
    const uint64_t names[][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    segue_rng_init(&a, 0, 0, 0, 0);
    for (size_t i = 0; i < 4; i++) {
        segue_rng_init(&b, names[i][0], names[i][1], names[i][2], names[i][3]);
        assert_memory_not_equal(&a, &b, sizeof a);
    }
}

/* Neighbouring streams: the 384 bits of the first six words of 20,000 pairs of neighbours agree
 * in half the cases.  Each count is binomial; |z| < 6.4 for 384 x 3 counts has a false-alarm rate
 * below 1152 * 1.6e-10 < 2e-7. */
static void neighbouring_streams_are_independent(void **state)
{
    (void)state;
    enum { PAIRS = 20000, WORDS = 6 };
    for (int kind = 0; kind < 3; kind++) {
        static int differ[WORDS * 64];
        memset(differ, 0, sizeof differ);
        for (uint64_t i = 0; i < PAIRS; i++) {
            segue_rng a, b;
            segue_rng_init(&a, 5, kind == 0 ? i : 7, kind == 1 ? i : 7, kind == 2 ? i : 7);
            segue_rng_init(&b, 5, kind == 0 ? i + 1 : 7, kind == 1 ? i + 1 : 7,
                           kind == 2 ? i + 1 : 7);
            for (size_t w = 0; w < WORDS; w++) {
                const uint64_t x = segue_rng_next(&a) ^ segue_rng_next(&b);
                for (size_t bit = 0; bit < 64; bit++)
                    differ[w * 64 + bit] += (int)(x >> bit & 1);
            }
        }
        for (size_t i = 0; i < WORDS * 64; i++)
            assert_true(fabs(differ[i] - PAIRS / 2.0) < 6.4 * sqrt(PAIRS / 4.0));
    }
}

/* ---- Bernoulli blocks -------------------------------------------------------------------- */

/* The definition, lane by lane: a 53-bit number, top bit first, one word of the stream a bit. */
static uint64_t block_by_definition(segue_rng rng, uint64_t threshold)
{
    uint64_t words[53], bits = 0;
    for (size_t i = 0; i < 53; i++)
        words[i] = segue_rng_next(&rng);
    for (size_t lane = 0; lane < 64; lane++) {
        uint64_t number = 0;
        for (size_t i = 0; i < 53; i++)
            number = number << 1 | (words[i] >> lane & 1);
        bits |= (uint64_t)(number < threshold) << lane;
    }
    return bits;
}

static void a_uniform_number_is_a_multiple_of_two_to_the_minus_53(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 5, 0, 0, 0);
    for (int i = 0; i < 2000; i++) {
        segue_rng before = rng;
        const uint64_t bits = segue_rng_next(&before) >> 11;
        assert_true(segue_rng_uniform(&rng) == ldexp((double)bits, -53));
    }
}

static void a_block_compares_numbers_with_the_threshold(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 11, 0, 0, 0);
    for (int i = 0; i < 2000; i++) {
        const double p = i < 4 ? i * 0.25 : segue_rng_uniform(&rng);
        const uint64_t threshold = segue_rng_bernoulli_threshold(p);
        const segue_rng before = rng;
        assert_true(segue_rng_bernoulli_block(&rng, threshold) ==
                    block_by_definition(before, threshold));
    }
}

static void a_sure_thing_costs_no_randomness(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 1, 1, 1, 1);
    const segue_rng before = rng;
    assert_true(segue_rng_bernoulli_block(&rng, segue_rng_bernoulli_threshold(0.0)) == 0);
    assert_true(segue_rng_bernoulli_block(&rng, segue_rng_bernoulli_threshold(1.0)) ==
                ~UINT64_C(0));
    assert_memory_equal(&rng, &before, sizeof rng);
}

/* The share of ones in 64,000,000 draws: |z| < 5 has a false-alarm rate of 6e-7. */
static void blocks_have_their_probability(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 12, 0, 0, 0);
    const double p = 0.725, n = 64e6;
    const uint64_t threshold = segue_rng_bernoulli_threshold(p);
    double ones = 0;
    for (int i = 0; i < 1000000; i++)
        ones += __builtin_popcountll(segue_rng_bernoulli_block(&rng, threshold));
    assert_true(fabs(ones - n * p) < 5.0 * sqrt(n * p * (1.0 - p)));
}

/* ---- samplers ---------------------------------------------------------------------------- */

/* Mean and variance of n draws against the truth; the mean of x has variance v / n, that of
 * (x - m)^2 has (m4 - v^2) / n.  |z| < 7, twice in ten cases: 20 * 2.6e-12 under the normal law,
 * and the skewed squares, of which 200,000 are averaged, raise that by less than a thousand. */
static void check_moments(double (*draw)(segue_rng *, double, double), double a, double b, double m,
                          double v, double m4)
{
    enum { N = 200000 };
    segue_rng rng;
    segue_rng_init(&rng, 13, (uint64_t)(a * 1000), (uint64_t)(b * 1000), 0);
    double sum = 0, squares = 0;
    for (int i = 0; i < N; i++) {
        const double x = draw(&rng, a, b);
        sum += x - m;
        squares += (x - m) * (x - m) - v;
    }
    if (!(fabs(sum / N) < 7.0 * sqrt(v / N)))
        fail_msg("mean off by %g for (%g, %g)", sum / N, a, b);
    if (!(fabs(squares / N) < 7.0 * sqrt((m4 - v * v) / N)))
        fail_msg("variance off by %g for (%g, %g)", squares / N, a, b);
}

static double normal(segue_rng *rng, double a, double b)
{
    (void)a, (void)b;
    return segue_rng_normal(rng);
}

static double gamma_draw(segue_rng *rng, double shape, double b)
{
    (void)b;
    return exp(segue_rng_log_gamma(rng, shape));
}

static void samplers_have_their_moments(void **state)
{
    (void)state;
    check_moments(normal, 0, 0, 0, 1, 3);
    const double shapes[] = {0.2, 1.0, 3.5, 40.0};
    for (size_t i = 0; i < 4; i++)
        check_moments(gamma_draw, shapes[i], 0, shapes[i], shapes[i],
                      3 * shapes[i] * shapes[i] + 6 * shapes[i]);
    const double pairs[][2] = {{1, 1}, {0.3, 0.7}, {2, 5}, {0.5, 20}, {300, 100}};
    for (size_t i = 0; i < 5; i++) {
        const double a = pairs[i][0], b = pairs[i][1], s = a + b;
        const double v = a * b / (s * s * (s + 1));
        const double kurtosis =
            3 + 6 * ((a - b) * (a - b) * (s + 1) - a * b * (s + 2)) / (a * b * (s + 2) * (s + 3));
        check_moments(segue_rng_beta, a, b, a / s, v, kurtosis * v * v);
    }
}

/* Kolmogorov-Smirnov: P(sqrt(n) D > 2.7) < 2 exp(-2 * 2.7^2) = 9.3e-7. */
static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void normals_follow_their_law(void **state)
{
    enum { N = 100000 };
    static double x[N];
    const ziggurat *z = *state; /* NULL: the plain ones */
    segue_rng rng;
    segue_rng_init(&rng, 14, 0, 0, 0);
    for (int i = 0; i < N; i++)
        x[i] = z ? segue_ziggurat_normal(z, &rng) : segue_rng_normal(&rng);
    qsort(x, N, sizeof *x, ascending);
    double distance = 0;
    for (int i = 0; i < N; i++) {
        const double cdf = 0.5 * erfc(-x[i] / sqrt(2.0));
        distance = fmax(distance, fmax(cdf - (double)i / N, (i + 1.0) / N - cdf));
    }
    assert_true(sqrt(N) * distance < 2.7);
}

static void fast_normals_follow_it_too(void **state)
{
    (void)state;
    ziggurat z;
    segue_ziggurat_init(&z);
    void *given = &z;
    normals_follow_their_law(&given);
}

/* The tail is one number in 1,700: its share, of N draws, is within five standard errors (5.8e-7),
 * and there the distance beyond its start has the mean and law of the normal. */
static void the_tail_of_fast_normals_is_right(void **state)
{
    (void)state;
    enum { N = 4000000 };
    const double start = 3.442619855899, share = erfc(start / sqrt(2.0));
    const double mean = 2.0 * exp(-0.5 * start * start) / sqrt(2.0 * 3.14159265358979) / share;
    ziggurat z;
    segue_rng rng;
    segue_ziggurat_init(&z);
    segue_rng_init(&rng, 17, 0, 0, 0);
    double count = 0.0, sum = 0.0;
    const int draws = repeats(N);
    for (int i = 0; i < draws; i++) {
        const double x = fabs(segue_ziggurat_normal(&z, &rng));
        count += x > start;
        sum += x > start ? x : 0.0;
    }
    assert_true(fabs(count - draws * share) < 5.0 * sqrt(draws * share));
    /* the standard deviation beyond the start is below 1 / start */
    assert_true(fabs(sum / count - mean) < 5.0 / start / sqrt(count));
}

static ziggurat fast;

static double fast_beta(segue_rng *rng, double a, double b)
{
    return segue_ziggurat_beta(&fast, rng, a, b);
}

static void fast_betas_have_their_moments(void **state)
{
    (void)state;
    const double pairs[][2] = {{1, 1}, {1, 9}, {2, 5}, {1, 300}, {300, 100}, {5000, 3}};
    segue_ziggurat_init(&fast);
    for (size_t i = 0; i < 6; i++) {
        const double a = pairs[i][0], b = pairs[i][1], t = a + b;
        const double v = a * b / (t * t * (t + 1));
        const double kurtosis =
            3 + 6 * ((a - b) * (a - b) * (t + 1) - a * b * (t + 2)) / (a * b * (t + 2) * (t + 3));
        check_moments(fast_beta, a, b, a / t, v, kurtosis * v * v);
    }
}

/* Shapes from flat to sharp, some of them 1, and a number that may be drawn. */
static void random_bar(segue_rng *rng, int i, double *a, double *b, double *x)
{
    const double sharp = exp(12.0 * segue_rng_uniform(rng)), mean = segue_rng_uniform(rng);
    *a = i % 8 == 0 ? 1.0 : 1.0 + sharp * mean;
    *b = i % 8 == 1 ? 1.0 : 1.0 + sharp * (1.0 - mean);
    const double s = *a + *b, deviation = sqrt(*a * *b / (s * s * (s + 1.0)));
    *x = fmin(1.0 - 1e-9, *a / s + deviation * 8.0 * (segue_rng_uniform(rng) - 0.2));
    *x = fmax(1e-9, *x);
}

/* The exponential that candidates come from starts above the density, and, being its tangent but
 * for a factor, stays there; a chance falls as the bar rises. */
static void a_chance_lies_above_the_density_and_falls(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 32, 0, 0, 0);
    int known = 0;
    for (int i = 0; i < 100000; i++) {
        double a, b, x;
        random_bar(&rng, i, &a, &b, &x);
        const double chance = segue_beta_tail_bound(x, a, b);
        const double next = segue_beta_tail_bound(x + (1.0 - x) * 0.01, a, b);
        assert_true(!(next > chance * (1.0 + 1e-12)));
        if (!(chance < 1.0))
            continue;
        const double slope = (a - 1.0) / x - (b - 1.0) / (1.0 - x);
        const double log_density =
            (a - 1.0) * log(x) + (b - 1.0) * log1p(-x) - (lgamma(a) + lgamma(b) - lgamma(a + b));
        assert_true(log(chance * -slope) >= log_density - 1e-7);
        known++;
    }
    assert_true(known > 30000);
}

/* Whether a number is above the bar, and then in which of three parts of what is there. */
static size_t part_of(double t, double x, double width)
{
    return t <= x ? 0 : t <= x + width ? 1 : t <= x + 3.0 * width ? 2 : 3;
}

/* Two tables of N numbers, by chi-squared: its upper 1e-7 quantile with 3 degrees of freedom is
 * below 35.8; there are 40 pairs, so a false alarm has probability 4e-6. */
static void what_is_above_a_bar_has_the_law_of_a_beta(void **state)
{
    (void)state;
    const int n = repeats(50000);
    segue_rng rng;
    segue_rng_init(&rng, 33, 0, 0, 0);
    for (int i = 0, compared = 0; compared < 40; i++) {
        double a, b, x, whole[4] = {0.0}, screened[4] = {0.0}, distance = 0.0;
        random_bar(&rng, i, &a, &b, &x);
        const double chance = segue_beta_tail_bound(x, a, b);
        const double width = x * (1.0 - x) / ((a + b) * x - a + 2.0); /* a part of the tail */
        if (!(chance > 0.01 && chance < 1.0))
            continue;
        for (int k = 0; k < n; k++) {
            const bool tries = segue_rng_uniform(&rng) < chance;
            const double t = tries ? segue_beta_draw_above(x, chance, &rng, a, b) : -1.0;
            whole[part_of(segue_rng_beta(&rng, a, b), x, width)] += 1.0;
            screened[part_of(t, x, width)] += 1.0;
        }
        for (size_t k = 0; k < 4; k++)
            if (whole[k] + screened[k] > 0.0)
                distance +=
                    (whole[k] - screened[k]) * (whole[k] - screened[k]) / (whole[k] + screened[k]);
        if (!(distance < 35.8))
            fail_msg("Beta(%g, %g) above %g: chi-squared %g", a, b, x, distance);
        compared++;
    }
}

static void tiny_shapes_do_not_underflow(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 15, 0, 0, 0);
    for (int i = 0; i < 1000; i++) {
        assert_true(isfinite(segue_rng_log_gamma(&rng, 1e-6)));
        const double x = segue_rng_beta(&rng, 1e-6, 1e-6);
        assert_true(x >= 0.0 && x <= 1.0);
    }
}

/* ---- statistics -------------------------------------------------------------------------- */

static void running_moments_equal_the_two_pass_ones(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 16, 0, 0, 0);
    double x[1000], sum = 0, squares = 0;
    segue_stats all = {0}, left = {0}, right = {0};
    for (size_t i = 0; i < 1000; i++) {
        x[i] = 1e6 + segue_rng_normal(&rng);
        sum += x[i];
        segue_stats_add(&all, x[i]);
        segue_stats_add(i < 300 ? &left : &right, x[i]);
    }
    for (size_t i = 0; i < 1000; i++)
        squares += (x[i] - sum / 1000) * (x[i] - sum / 1000);
    assert_near(all.mean, sum / 1000, 1e-8);
    assert_near(segue_stats_variance(&all), squares / 999, 1e-8);
    assert_near(segue_stats_standard_error(&all), sqrt(squares / 999 / 1000), 1e-8);
    segue_stats_merge(&left, &right);
    assert_int_equal(left.count, 1000);
    assert_near(left.mean, all.mean, 1e-8);
    assert_near(left.squares, all.squares, 1e-6);
}

static void too_few_numbers_have_no_error(void **state)
{
    (void)state;
    segue_stats stats = {0}, none = {0};
    assert_true(isnan(segue_stats_standard_error(&stats)));
    segue_stats_add(&stats, 3.0);
    assert_true(isnan(segue_stats_variance(&stats)));
    segue_stats_merge(&stats, &none);
    assert_int_equal(stats.count, 1);
    segue_stats_merge(&none, &stats);
    assert_near(none.mean, 3.0, 0.0);
}

static void quantiles_go_between_the_numbers(void **state)
{
    (void)state;
    double x[] = {4, 1, 3, 2};
    assert_near(segue_stats_quantile(x, 4, 0.0), 1.0, 0.0);
    assert_near(segue_stats_quantile(x, 4, 0.5), 2.5, 1e-15);
    assert_near(segue_stats_quantile(x, 4, 1.0), 4.0, 0.0);
    assert_near(segue_stats_quantile(x, 4, 0.25), 1.75, 1e-15);
    assert_near(segue_stats_quantile(x, 1, 0.7), 1.0, 0.0);
}

/* ---- numbers ----------------------------------------------------------------------------- */

static void numbers_are_read_strictly(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",      " 1",  "1 ",  "abc", "nan",    "inf", "-inf",
                                        "0x1p3", "1e",  "1e+", ".",   "-",      "+",   "e5",
                                        "1..2",  "1,5", "1_0", "--1", "1e9999", "1d3", "\302\2401"};
    segue_error err;
    double x = 42.0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (segue_number_parse_double(wrong[i], &x, &err) != SEGUE_EPARSE)
            fail_msg("'%s' was read as %g", wrong[i], x);
        assert_near(x, 42.0, 0.0);
    }
}

static void numbers_are_read_to_the_nearest_double(void **state)
{
    (void)state;
    static const char *const fixed[] = {"0",
                                        "-0.0",
                                        "1",
                                        ".5",
                                        "5.",
                                        "+2.5",
                                        "1e22",
                                        "1E-22",
                                        "1e23",
                                        "0.1",
                                        "1e-400",
                                        "5e-324",
                                        "000001",
                                        "123456789012345678",
                                        "0.30000000000000004",
                                        "1.7976931348623157e308",
                                        "2.2250738585072011e-308",
                                        "0.000000000000000000000123"};
    double x;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        assert_ok(segue_number_parse_double(fixed[i], &x, NULL));
        const double expected = strtod(fixed[i], NULL);
        assert_memory_equal(&x, &expected, sizeof x);
    }
    segue_rng rng;
    segue_rng_init(&rng, 17, 0, 0, 0);
    for (int i = 0; i < 100000; i++) {
        char text[64];
        const int digits = (int)random_between(&rng, 1, 20);
        const int power = (int)random_between(&rng, 0, 60) - 30;
        snprintf(text, sizeof text, "%.*ge%d", digits, segue_rng_uniform(&rng), power);
        if (strstr(text, "e-0") && strchr(strchr(text, 'e') + 1, 'e'))
            continue; /* printf wrote an exponent of its own */
        const double expected = strtod(text, NULL);
        assert_ok(segue_number_parse_double(text, &x, NULL));
        assert_memory_equal(&x, &expected, sizeof x);
    }
}

static void whole_numbers_know_their_range(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "-5", "+5", "1.0", "1e3", " 7", "0x10", "seven"};
    uint64_t x = 9;
    segue_error err;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(segue_number_parse_integer(wrong[i], 0, 100, &x, &err), SEGUE_EPARSE);
    assert_int_equal(segue_number_parse_integer("101", 0, 100, &x, &err), SEGUE_EDOMAIN);
    assert_int_equal(segue_number_parse_integer("0", 1, 100, &x, &err), SEGUE_EDOMAIN);
    assert_int_equal(segue_number_parse_integer("18446744073709551616", 0, UINT64_MAX, &x, &err),
                     SEGUE_EDOMAIN);
    assert_int_equal(
        segue_number_parse_integer("99999999999999999999999999", 0, UINT64_MAX, &x, &err),
        SEGUE_EDOMAIN);
    assert_true(x == 9);
    assert_ok(segue_number_parse_integer("18446744073709551615", 0, UINT64_MAX, &x, &err));
    assert_true(x == UINT64_MAX);
}

/* ---- names ------------------------------------------------------------------------------- */

static const char *nth(const void *list, size_t i)
{
    return ((const char *const *)list)[i];
}

static void a_typing_error_is_close_to_its_word(void **state)
{
    (void)state;
    assert_int_equal(segue_text_edit_distance("mucb", "mucb"), 0);
    assert_int_equal(segue_text_edit_distance("mcub", "mucb"), 1);
    assert_int_equal(segue_text_edit_distance("", "ucb"), 3);
    assert_int_equal(segue_text_edit_distance("kitten", "sitting"), 3);
    const char *const names[] = {"simulate", "complexity", "ucb"};
    assert_string_equal(segue_text_closest("simulat", names, 3, nth), "simulate");
    assert_string_equal(segue_text_closest("ucv", names, 3, nth), "ucb");
    assert_null(segue_text_closest("xyz", names, 3, nth));
    char long_name[300];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_null(segue_text_closest(long_name, names, 3, nth));
    assert_int_equal(strlen(segue_path_tail(long_name)), 200);
    assert_string_equal(segue_path_tail("short"), "short");
}

/* ---- linear algebra ---------------------------------------------------------------------- */

/* The n x n matrix with 2 on the diagonal and -1 beside it has 2 - 2 cos(k pi / (n + 1)). */
static void eigenvalues_have_their_closed_form(void **state)
{
    (void)state;
    enum { N = 30 };
    double a[N * N] = {0}, values[N];
    for (size_t i = 0; i < N; i++) {
        a[i * N + i] = 2.0;
        if (i + 1 < N)
            a[i * N + i + 1] = a[(i + 1) * N + i] = -1.0;
    }
    assert_ok(segue_linalg_eigenvalues(N, a, values, NULL));
    for (size_t k = 0; k < N; k++)
        assert_near(values[k], 2.0 - 2.0 * cos((double)(k + 1) * acos(-1.0) / (N + 1)), 1e-13);
}

/* Published quantiles of Student's t, to three decimals. */
static void few_numbers_have_wider_bands(void **state)
{
    (void)state;
    static const struct {
        uint64_t freedom;
        double quantile;
    } table[] = {{1, 12.706}, {2, 4.303}, {3, 3.182},  {4, 2.776},  {5, 2.571},
                 {6, 2.447},  {9, 2.262}, {10, 2.228}, {30, 2.042}, {120, 1.980}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_near(segue_stats_student_95(table[i].freedom + 1), table[i].quantile, 5e-4);
    assert_true(isnan(segue_stats_student_95(1)));
    assert_near(segue_stats_student_95(1000000), 1.959964, 1e-6);
}

/* A symmetric matrix of rank `rank` with random entries. */
static void fill_symmetric(segue_rng *rng, size_t n, size_t rank, double *a)
{
    memset(a, 0, n * n * sizeof *a);
    for (size_t r = 0; r < rank; r++) {
        double v[32];
        const double sign = r % 3 == 2 ? -1.0 : 1.0;
        for (size_t i = 0; i < n; i++)
            v[i] = segue_rng_uniform(rng) - 0.5;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++)
                a[i * n + k] += sign * v[i] * v[k];
    }
}

/* Both ways, that for small orders and LAPACK's: unit vectors at right angles, a v = value v. */
static void eigenvectors_solve_their_equation(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 9, 0, 0, 0);
    for (size_t n = 1; n <= 24; n++)
        for (size_t rank = 0; rank <= n; rank += 1 + n / 4) {
            double a[24 * 24], v[24 * 24], values[24];
            fill_symmetric(&rng, n, rank, a);
            memcpy(v, a, n * n * sizeof *a);
            assert_ok(segue_linalg_eigenvectors(n, v, values, NULL));
            for (size_t i = 0; i < n; i++) {
                assert_true(i == 0 || values[i - 1] <= values[i]);
                for (size_t k = 0; k < n; k++) {
                    double dot = 0.0, image = 0.0;
                    for (size_t l = 0; l < n; l++) {
                        dot += v[i * n + l] * v[k * n + l];
                        image += a[k * n + l] * v[i * n + l];
                    }
                    assert_near(dot, i == k ? 1.0 : 0.0, 1e-12);
                    assert_near(image, values[i] * v[i * n + k], 1e-12);
                }
            }
        }
}

static void what_is_not_finite_has_no_eigenvectors(void **state)
{
    (void)state;
    double values[2];
    double a[4] = {NAN, 1.0, 1.0, 2.0}, b[4] = {1.0, INFINITY, INFINITY, 2.0};
    assert_int_equal(segue_linalg_eigenvectors(2, a, values, NULL), SEGUE_EDOMAIN);
    assert_int_equal(segue_linalg_eigenvectors(2, b, values, NULL), SEGUE_EDOMAIN);
}

/* The rest a^T x - b of a least-squares solution is at right angles to what is combined; both ways,
 * that for small problems and LAPACK's. */
static void least_squares_leave_a_rest_at_right_angles(void **state)
{
    (void)state;
    enum { MOST = 40 };
    static double a[MOST * MOST], kept[MOST * MOST];
    segue_rng rng;
    segue_rng_init(&rng, 12, 0, 0, 0);
    for (size_t m = 1; m <= MOST; m += m < 8 ? 1 : 16)
        for (size_t n = m; n <= MOST; n += 3) {
            double b[MOST], wanted[MOST];
            for (size_t i = 0; i < m * n; i++)
                a[i] = kept[i] = segue_rng_uniform(&rng) - 0.5;
            for (size_t i = 0; i < n; i++)
                b[i] = wanted[i] = segue_rng_uniform(&rng);
            assert_ok(segue_linalg_least_squares(m, n, a, b, NULL));
            for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < m; k++)
                    wanted[i] -= kept[k * n + i] * b[k];
            for (size_t k = 0; k < m; k++) {
                double dot = 0.0;
                for (size_t i = 0; i < n; i++)
                    dot += kept[k * n + i] * wanted[i];
                assert_near(dot, 0.0, 1e-9);
            }
        }
    double zero[4] = {1.0, 2.0, 0.0, 0.0}, right[2] = {1.0, 1.0};
    assert_int_equal(segue_linalg_least_squares(2, 2, zero, right, NULL), SEGUE_EDOMAIN);
}

/* Small products go through loops, large ones through BLAS; both against the definition. */
static void products_are_what_they_are_defined_to_be(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 10, 0, 0, 0);
    static double a[60 * 60], b[60 * 60], c[60 * 60], transposed[60 * 60];
    for (size_t i = 0; i < 60 * 60; i++) {
        a[i] = segue_rng_uniform(&rng);
        b[i] = segue_rng_uniform(&rng);
    }
    for (int large = 0; large < 2; large++) {
        const size_t n = large ? 60 : 4, k = large ? 50 : 3, m = large ? 40 : 5;
        segue_linalg_multiply(n, k, m, a, b, c);
        for (size_t i = 0; i < n * m; i++) {
            double sum = 0.0;
            for (size_t l = 0; l < k; l++)
                sum += a[i / m * k + l] * b[l * m + i % m];
            assert_near(c[i], sum, 1e-12);
        }
        for (size_t i = 0; i < n * k; i++)
            transposed[i % k * n + i / k] = a[i];
        segue_linalg_multiply_left_add(k, n, m, transposed, b, c);
        segue_linalg_multiply_left(k, n, m, transposed, b, c + 30 * 60);
        for (size_t i = 0; i < (n * m < 1800 ? n * m : 0); i++)
            assert_near(c[i], 2.0 * c[30 * 60 + i], 1e-12);
        segue_linalg_gram(n, k, a, c);
        for (size_t i = 0; i < n * n; i++) {
            double sum = 0.0;
            for (size_t l = 0; l < k; l++)
                sum += a[i / n * k + l] * a[i % n * k + l];
            assert_near(c[i], sum, 1e-12);
        }
    }
}

/* One column is as good a matrix as any, also for BLAS. */
static void products_may_have_one_column(void **state)
{
    (void)state;
    enum { N = 25000 };
    static double x[N], y[N];
    double dot = 0.0, sum;
    for (size_t i = 0; i < N; i++) {
        x[i] = (double)(i % 7);
        y[i] = (double)(i % 5);
        dot += x[i] * y[i];
    }
    segue_linalg_multiply_left(N, 1, 1, x, y, &sum);
    assert_near(sum, dot, 0.0); /* whole numbers */
    segue_linalg_gram(1, N, x, &sum);
    segue_linalg_multiply(1, N, 1, x, x, &dot);
    assert_near(sum, dot, 0.0);
}

static void symmetric_products_use_the_upper_triangle(void **state)
{
    (void)state;
    enum { N = 30, K = 4, M = 3 };
    double a[K * N], b[K * N], c[N * N], x[N * M], y[N * M];
    float single_a[N * M], single_b[M * M], single_c[N * M];
    segue_rng rng;
    segue_rng_init(&rng, 16, 0, 0, 0);
    for (size_t i = 0; i < K * N; i++) {
        a[i] = segue_rng_normal(&rng);
        b[i] = segue_rng_normal(&rng);
        x[i % (N * M)] = segue_rng_normal(&rng);
    }
    for (size_t i = 0; i < N * N; i++)
        c[i] = i % N < i / N ? NAN : 1.0; /* below the diagonal nobody looks */
    segue_linalg_add_symmetric(N, K, a, b, c);
    segue_linalg_multiply_symmetric(N, M, c, x, y);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < M; k++) {
            double sum = 0.0;
            for (size_t j = 0; j < N; j++)
                for (size_t l = 0; l < K; l++)
                    sum += x[j * M + k] * (1.0 / K + 0.5 * (a[l * N + i] * b[l * N + j] +
                                                            b[l * N + i] * a[l * N + j]));
            assert_near(y[i * M + k], sum, 1e-12);
        }
    for (size_t i = 0; i < N * M; i++)
        single_a[i] = (float)(i % 11);
    for (size_t i = 0; i < M * M; i++)
        single_b[i] = (float)i;
    segue_linalg_multiply_single(N, M, M, single_a, single_b, single_c);
    for (size_t i = 0; i < N * M; i++) {
        float sum = 0.0F;
        for (size_t l = 0; l < M; l++)
            sum += single_a[i / M * M + l] * single_b[l * M + i % M];
        assert_near((double)single_c[i], (double)sum, 0.0); /* whole numbers */
    }
}

/* A thread that multiplies its own matrix again and again, and counts what comes out otherwise. */
enum { ORDER = 30 };
typedef struct multiplier {
    double a[ORDER * ORDER], first[ORDER * ORDER], again[ORDER * ORDER];
    int times, wrong;
} multiplier;

static void *multiply_often(void *argument)
{
    multiplier *m = argument;
    for (int i = 0; i < m->times; i++) {
        segue_linalg_multiply(ORDER, ORDER, ORDER, m->a, m->a, m->again);
        for (size_t k = 0; k < ORDER * ORDER; k++)
            m->wrong += m->first[k] != m->again[k];
    }
    return NULL;
}

static void products_of_threads_do_not_mix(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    static multiplier all[THREADS];
    pthread_t thread[THREADS];
    for (size_t t = 0; t < THREADS; t++) {
        for (size_t i = 0; i < ORDER * ORDER; i++)
            all[t].a[i] = (double)((i * (t + 3)) % 17) / 16.0;
        all[t].times = repeats(10000);
        segue_linalg_multiply(ORDER, ORDER, ORDER, all[t].a, all[t].a, all[t].first);
    }
    for (size_t t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, multiply_often, &all[t]), 0);
    for (size_t t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(thread[t], NULL), 0);
        assert_int_equal(all[t].wrong, 0);
    }
}

/* ---- ln Gamma, ln Beta ------------------------------------------------------------------- */

/* Stirling's series leaves 1.2e-14; each of its terms, the largest being z ln z, and of the shift,
 * rounds by some 2^-53.  The result is much smaller near its zeros 1 and 2: an absolute bound. */
static void log_gamma_is_that_of_the_c_library(void **state)
{
    (void)state;
    for (int k = 0; k < repeats(18000); k++) {
        const double x = exp(54.0 * k / repeats(18000) - 27.0); /* 2e-12 to 5e11 */
        const double size = 20.0 + fabs(log(x)) + x * fabs(log(x));
        assert_near(segue_log_gamma(x), (double)lgammal(x), 2e-14 + 8e-16 * size);
    }
}

/* ln Gamma(a + n) - ln Gamma(a) = sum of ln(a + k), k < n: no term cancels here, nor in ours.  What
 * rounding takes from the sum is carried along, as valgrind knows no long double. */
static void rises_do_not_cancel(void **state)
{
    (void)state;
    for (int k = 0; k < 140; k++) {
        const double a = exp(0.3 * k - 21.0); /* 8e-10 to 1e9 */
        const segue_log_gamma_ratio rise = segue_log_gamma_ratio_init(a);
        long double sum = 0, carry = 0, size = 20;
        assert_near(segue_log_gamma_ratio_at(&rise, 0.0), 0.0, 0.0);
        for (int n = 1; n <= 300; n++) {
            const long double term = logl((long double)a + (n - 1)) + carry, next = sum + term;
            carry = term - (next - sum);
            sum = next;
            size += fabsl(term) + 1;
            assert_near(segue_log_gamma_ratio_at(&rise, n), (double)sum,
                        2.4e-14 + 1e-15 * (double)size);
        }
    }
}

static void many_rises_are_the_same_as_one_by_one(void **state)
{
    (void)state;
    enum { COUNT = 1003 };
    double x[COUNT], out[COUNT];
    for (size_t k = 0; k < COUNT; k++)
        x[k] = k < 500 ? (double)k : 0.37 * (double)(k * k);
    for (int power = -20; power < 20; power++) {
        const segue_log_gamma_ratio rise = segue_log_gamma_ratio_init(exp(power));
        segue_log_gamma_ratio_all(&rise, x, COUNT, out);
        for (size_t k = 0; k < COUNT; k++)
            assert_near(out[k], segue_log_gamma_ratio_at(&rise, x[k]), 0.0);
    }
}

static void ratios_add_up(void **state)
{
    (void)state;
    enum { COUNT = 67 };
    double a[COUNT], b[COUNT], won[COUNT], pulls[COUNT], sum = 0.0;
    segue_rng rng;
    segue_rng_init(&rng, 18, 0, 0, 0);
    for (size_t k = 0; k < COUNT; k++) {
        a[k] = exp(40.0 * segue_rng_uniform(&rng) - 25.0);
        b[k] = exp(40.0 * segue_rng_uniform(&rng) - 25.0);
        pulls[k] = k % 5 == 0 ? 0.0 : floor(exp(34.0 * segue_rng_uniform(&rng))); /* to 6e14 */
        won[k] = floor(pulls[k] * segue_rng_uniform(&rng));
        assert_near(segue_log_beta_ratios(a, b, won, pulls, k), sum, 0.0);
        const double ratio = segue_log_beta_ratio(a[k], b[k], won[k], pulls[k] - won[k]);
        assert_true(isfinite(ratio) && ratio <= 0.0);
        assert_true(pulls[k] > 0.0 || ratio == 0.0);
        sum += ratio;
    }
}

/* Steps that are not whole, against differences of ln Gamma where these do not cancel much. */
static void betas_are_made_of_gammas(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 17, 0, 0, 0);
    for (int k = 0; k < repeats(20000); k++) {
        const double a = exp(16.0 * segue_rng_uniform(&rng) - 8.0);
        const double b = exp(16.0 * segue_rng_uniform(&rng) - 8.0);
        const double won = 100.0 * segue_rng_uniform(&rng), lost = 100.0 * segue_rng_uniform(&rng);
        const long double whole = lgammal(a) + lgammal(b) - lgammal((long double)a + b);
        const long double after = lgammal((long double)a + won) + lgammal((long double)b + lost) -
                                  lgammal((long double)a + b + won + lost);
        /* sums of up to 6200 ln 6200 = 54000, in double precision under valgrind */
        assert_near(segue_log_beta(a, b), (double)whole, 1e-10);
        assert_near(segue_log_beta(b, a), (double)whole, 1e-10);
        assert_near(segue_log_beta_ratio(a, b, won, lost), (double)(after - whole), 1e-10);
    }
}

static void the_version_and_the_blas_are_told(void **state)
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
        cmocka_unit_test(the_generator_gives_the_published_answers),
        cmocka_unit_test(a_stream_opens_with_splitmix64),
        cmocka_unit_test(the_streams_are_what_they_were),
        cmocka_unit_test(names_that_differ_give_streams_that_differ),
        cmocka_unit_test(neighbouring_streams_are_independent),
        cmocka_unit_test(a_uniform_number_is_a_multiple_of_two_to_the_minus_53),
        cmocka_unit_test(a_block_compares_numbers_with_the_threshold),
        cmocka_unit_test(a_sure_thing_costs_no_randomness),
        cmocka_unit_test(blocks_have_their_probability),
        cmocka_unit_test(samplers_have_their_moments),
        cmocka_unit_test(normals_follow_their_law),
        cmocka_unit_test(fast_normals_follow_it_too),
        cmocka_unit_test(the_tail_of_fast_normals_is_right),
        cmocka_unit_test(fast_betas_have_their_moments),
        cmocka_unit_test(a_chance_lies_above_the_density_and_falls),
        cmocka_unit_test(what_is_above_a_bar_has_the_law_of_a_beta),
        cmocka_unit_test(tiny_shapes_do_not_underflow),
        cmocka_unit_test(running_moments_equal_the_two_pass_ones),
        cmocka_unit_test(too_few_numbers_have_no_error),
        cmocka_unit_test(quantiles_go_between_the_numbers),
        cmocka_unit_test(numbers_are_read_strictly),
        cmocka_unit_test(numbers_are_read_to_the_nearest_double),
        cmocka_unit_test(whole_numbers_know_their_range),
        cmocka_unit_test(a_typing_error_is_close_to_its_word),
        cmocka_unit_test(eigenvalues_have_their_closed_form),
        cmocka_unit_test(products_may_have_one_column),
        cmocka_unit_test(symmetric_products_use_the_upper_triangle),
        cmocka_unit_test(few_numbers_have_wider_bands),
        cmocka_unit_test(eigenvectors_solve_their_equation),
        cmocka_unit_test(what_is_not_finite_has_no_eigenvectors),
        cmocka_unit_test(least_squares_leave_a_rest_at_right_angles),
        cmocka_unit_test(products_are_what_they_are_defined_to_be),
        cmocka_unit_test(products_of_threads_do_not_mix),
        cmocka_unit_test(log_gamma_is_that_of_the_c_library),
        cmocka_unit_test(rises_do_not_cancel),
        cmocka_unit_test(many_rises_are_the_same_as_one_by_one),
        cmocka_unit_test(ratios_add_up),
        cmocka_unit_test(betas_are_made_of_gammas),
        cmocka_unit_test(the_version_and_the_blas_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
