/* test_rng_sample.c - normal, gamma and beta numbers; draws above a bar.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/random/beta.h"
#include "support.h"

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

static void normals_follow_their_distribution(void **state)
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

static void fast_normals_follow_the_same_distribution(void **state)
{
    (void)state;
    ziggurat z;
    segue_ziggurat_init(&z);
    void *given = &z;
    normals_follow_their_distribution(&given);
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

/* The exponential of the candidates starts above the density and, being its tangent times a
 * factor, stays there; the bound falls as the bar rises. */
static void a_tail_bound_lies_above_the_density_and_falls(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 32, 0, 0, 0);
    int known = 0;
    for (int i = 0; i < 100000; i++) {
        double a, b, x;
        random_bar(&rng, i, &a, &b, &x);
        const double bound = segue_beta_tail_bound(x, a, b);
        const double next = segue_beta_tail_bound(x + (1.0 - x) * 0.01, a, b);
        assert_true(!(next > bound * (1.0 + 1e-12)));
        if (!(bound < 1.0))
            continue;
        const double slope = (a - 1.0) / x - (b - 1.0) / (1.0 - x);
        const double log_density =
            (a - 1.0) * log(x) + (b - 1.0) * log1p(-x) - (lgamma(a) + lgamma(b) - lgamma(a + b));
        assert_true(log(bound * -slope) >= log_density - 1e-7);
        known++;
    }
    assert_true(known > 30000);
}

/* Return 0 for a number below the bar, else one of three parts of the tail. */
static size_t part_of(double t, double x, double width)
{
    return t <= x ? 0 : t <= x + width ? 1 : t <= x + 3.0 * width ? 2 : 3;
}

/* Two tables of N numbers, by chi-squared: its upper 1e-7 quantile with 3 degrees of freedom is
 * below 35.8; there are 40 pairs, so a false alarm has probability 4e-6. */
static void draws_above_a_bar_follow_the_beta_distribution(void **state)
{
    (void)state;
    const int n = repeats(50000);
    segue_rng rng;
    segue_rng_init(&rng, 33, 0, 0, 0);
    for (int i = 0, compared = 0; compared < 40; i++) {
        double a, b, x, whole[4] = {0.0}, screened[4] = {0.0}, distance = 0.0;
        random_bar(&rng, i, &a, &b, &x);
        const double bound = segue_beta_tail_bound(x, a, b);
        const double width = x * (1.0 - x) / ((a + b) * x - a + 2.0); /* a part of the tail */
        if (!(bound > 0.01 && bound < 1.0))
            continue;
        for (int k = 0; k < n; k++) {
            const bool tries = segue_rng_uniform(&rng) < bound;
            const double t = tries ? segue_beta_draw_above(x, bound, &rng, a, b) : -1.0;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samplers_have_their_moments),
        cmocka_unit_test(normals_follow_their_distribution),
        cmocka_unit_test(fast_normals_follow_the_same_distribution),
        cmocka_unit_test(the_tail_of_fast_normals_is_right),
        cmocka_unit_test(fast_betas_have_their_moments),
        cmocka_unit_test(a_tail_bound_lies_above_the_density_and_falls),
        cmocka_unit_test(draws_above_a_bar_follow_the_beta_distribution),
        cmocka_unit_test(tiny_shapes_do_not_underflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
