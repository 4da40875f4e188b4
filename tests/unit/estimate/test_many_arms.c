/* test_many_arms.c - estimates above SEGUE_MAX_DENSE_ARMS arms.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate_fixture.h"

enum { MANY = 150, LEADING = 8, WANTED = 5 };

static segue_status multiply(void *matrix, const double *x, size_t r, double *y, segue_error *err)
{
    (void)err;
    segue_linalg_multiply_symmetric(MANY, r, matrix, x, y);
    return SEGUE_OK;
}

/* A symmetric matrix of `rank` random directions of size 1, 1/2, 1/3 ..., and noise. */
static void random_symmetric(segue_rng *rng, size_t rank, double noise, double *a)
{
    memset(a, 0, MANY * MANY * sizeof *a);
    for (size_t k = 0; k < rank; k++) {
        double v[MANY];
        segue_estimator_random_direction(rng, MANY, v);
        for (size_t i = 0; i < MANY * MANY; i++)
            a[i] += v[i / MANY] * v[i % MANY] / (double)(k + 1);
    }
    for (size_t i = 0; i < MANY; i++)
        for (size_t k = i; k < MANY; k++)
            a[i * MANY + k] = a[k * MANY + i] += noise * segue_rng_normal(rng);
}

/* |v - (v'u) u| of two unit vectors, which is 0 if they are the same up to sign. */
static double angle(const double *rows, const double *columns, size_t k)
{
    double dot = 0.0, square = 0.0;
    for (size_t i = 0; i < MANY; i++)
        dot += rows[i] * columns[i * LEADING + k];
    for (size_t i = 0; i < MANY; i++) {
        const double off = columns[i * LEADING + k] - dot * rows[i];
        square += off * off;
    }
    return sqrt(square);
}

/* Iterated eigenvectors are LAPACK's, from random starts and from those of a matrix like it; a
 * residual of 1 % of the noise moves a vector by no more than that over the gap to the next. */
static void subspace_iteration_finds_the_leading_vectors(void **state)
{
    (void)state;
    static double a[MANY * MANY], rows[MANY * MANY];
    double value[MANY];
    segue_rng rng;
    subspace s;
    segue_rng_init(&rng, 71, 0, 0, 0);
    assert_ok(segue_subspace_init(&s, MANY, LEADING, NULL));
    segue_subspace_randomise(&s);
    for (int i = 0; i < repeats(40); i++) {
        const double entry = i % 2 ? 1e-4 : 0.0, noise = 2.0 * entry * sqrt(MANY);
        bool settled = false;
        random_symmetric(&rng, WANTED, entry, a);
        memcpy(rows, a, sizeof a);
        if (i % 4 == 0)
            segue_subspace_randomise(&s);
        assert_ok(segue_subspace_iterate(&s, WANTED, noise, multiply, a, &settled, NULL));
        if (!settled) { /* a matrix of fewer directions than vectors may leave a span of fewer */
            assert_true(entry <= 0.0);
            segue_subspace_randomise(&s);
            continue;
        }
        assert_ok(segue_linalg_eigenvectors(MANY, rows, value, NULL));
        for (size_t k = 0; k < WANTED; k++) {
            assert_near(s.value[k], value[MANY - 1 - k], 0.01 * noise + 1e-11);
            assert_true(angle(rows + (MANY - 1 - k) * MANY, s.vector, k) < 1e-9 + noise);
        }
    }
    segue_subspace_fini(&s);
}

/* Where nothing stands out it gives up, and says so. */
static void subspace_iteration_says_when_it_fails(void **state)
{
    (void)state;
    static double a[MANY * MANY];
    bool settled = true;
    segue_rng rng;
    subspace s;
    segue_rng_init(&rng, 72, 0, 0, 0);
    random_symmetric(&rng, 0, 1.0, a);
    assert_ok(segue_subspace_init(&s, MANY, LEADING, NULL));
    segue_subspace_randomise(&s);
    assert_ok(segue_subspace_iterate(&s, WANTED, 0.0, multiply, a, &settled, NULL));
    assert_false(settled);
    memset(a, 0, sizeof a);
    segue_subspace_randomise(&s);
    assert_ok(segue_subspace_iterate(&s, WANTED, 0.0, multiply, a, &settled, NULL));
    segue_subspace_fini(&s);
}

/* Views are rounded to 2^-24, and whitening divides by the root of eigenvalues. */
static void models_of_many_arms_come_back(void **state)
{
    (void)state;
    enum { M = 6 };
    static double mean[M * MANY];
    segue_rng rng;
    segue_rng_init(&rng, 73, 0, 0, 0);
    for (int i = 0; i < repeats(20); i++) {
        for (size_t k = 0; k < M * MANY; k++)
            mean[k] = segue_rng_uniform(&rng);
        segue_models *models = models_of(MANY, M, mean);
        check_exact("rtp", models, 1e-5, SEGUE_WEIGHTS_LEAST_SQUARES);
        check_exact("eca", models, 1e-4, SEGUE_WEIGHTS_LEAST_SQUARES);
        check_exact("algorithm-b", models, 1e-4, SEGUE_WEIGHTS_LEAST_SQUARES);
        segue_models_destroy(models);
    }
}

/* Noise hides the last eigenvalues: there is an estimate if and only if LAPACK has as many above 0,
 * and those that stand out of the noise are LAPACK's to 1 % of it. */
static void noisy_spectra_are_judged_as_lapack_has_them(void **state)
{
    (void)state;
    enum { M = 20, TASKS = 40 };
    static double mean[M * MANY], views[3 * MANY], m2[MANY * MANY];
    double value[MANY];
    segue_rng rng;
    segue_rng_init(&rng, 75, 0, 0, 0);
    for (int i = 0; i < repeats(20); i++) {
        segue_moments *moments = new_moments(MANY, SEGUE_VIEWS_PAPER);
        segue_estimator_config config = segue_estimator_defaults();
        segue_estimator *est = NULL;
        config.n_arms = MANY;
        config.n_models = M;
        assert_ok(segue_estimator_create(&est, &config, NULL));
        for (size_t k = 0; k < M * MANY; k++)
            mean[k] = 0.3 + 0.4 * segue_rng_uniform(&rng);
        for (int task = 0; task < TASKS; task++) {
            const double *model = mean + random_between(&rng, 0, M - 1) * MANY;
            for (size_t k = 0; k < 3 * MANY; k++)
                views[k] = model[k % MANY] + 0.3 * segue_rng_normal(&rng);
            assert_ok(segue_moments_add(moments, views, 1.0, NULL));
        }
        assert_ok(segue_estimator_fit(est, moments, NULL));
        const segue_estimate_info info = segue_estimator_info(est);
        assert_ok(segue_moments_second(moments, m2, NULL));
        assert_ok(segue_linalg_eigenvalues(MANY, m2, value, NULL));
        assert_int_equal(info.found, value[MANY - M] > 1e-6 * value[MANY - 1]);
        for (size_t k = 0; k < M; k++)
            if (info.eigenvalue[k] > info.noise)
                assert_near(info.eigenvalue[k], value[MANY - 1 - k], 0.01 * info.noise);
            else /* from below */
                assert_true(info.eigenvalue[k] < value[MANY - 1 - k] + 0.01 * info.noise);
        segue_estimator_destroy(est);
        segue_moments_destroy(moments);
    }
}

/* Noise by eight random vectors, against the antisymmetric part itself.  Its squared norm comes out
 * with a relative deviation of sqrt(4 / (8 n)), the norm with half of it, 0.03: 0.16 is 4.9 of
 * these, which noise alone exceeds once in a million times. */
static void probes_tell_the_noise(void **state)
{
    (void)state;
    static double views[3 * MANY], odd[MANY * MANY];
    segue_rng rng;
    segue_rng_init(&rng, 74, 0, 0, 0);
    segue_moments *moments = new_moments(MANY, SEGUE_VIEWS_PAPER);
    double square = 0.0;
    for (int task = 0; task < 300; task++) {
        random_views(&rng, MANY, views);
        assert_ok(segue_moments_add(moments, views, 1.0, NULL));
        for (size_t i = 0; i < MANY * MANY; i++)
            odd[i] += 0.5 *
                      (views[i / MANY] * views[MANY + i % MANY] -
                       views[MANY + i / MANY] * views[i % MANY]) /
                      300.0;
    }
    for (size_t i = 0; i < MANY * MANY; i++)
        square += odd[i] * odd[i];
    const double exact = 2.0 / sqrt(MANY) * sqrt(square);
    assert_near(segue_moments_noise(moments) / exact, 1.0, 0.16);
    segue_moments_destroy(moments);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subspace_iteration_finds_the_leading_vectors),
        cmocka_unit_test(subspace_iteration_says_when_it_fails),
        cmocka_unit_test(models_of_many_arms_come_back),
        cmocka_unit_test(noisy_spectra_are_judged_as_lapack_has_them),
        cmocka_unit_test(probes_tell_the_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
