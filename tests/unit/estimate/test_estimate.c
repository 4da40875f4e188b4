/* test_estimate.c - moments, and the estimators on exact and on sampled ones.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/linalg/linalg.h"
#include "estimate/estimator_internal.h"
#include "estimate/estimator_method.h"
#include "estimate/types/types_read.h"
#include "support.h"

/* ---- linear algebra ---------------------------------------------------------------------- */

static void eigenvectors_are_the_rows(void **state)
{
    (void)state;
    const double m[9] = {4, 1, 0, 1, 3, 1, 0, 1, 2};
    double a[9], values[3];
    memcpy(a, m, sizeof a);
    assert_ok(segue_linalg_eigenvectors(3, a, values, NULL));
    for (size_t v = 0; v < 3; v++)
        for (size_t i = 0; i < 3; i++) {
            double image = 0;
            for (size_t k = 0; k < 3; k++)
                image += m[i * 3 + k] * a[v * 3 + k];
            assert_near(image, values[v] * a[v * 3 + i], 1e-14);
        }
}

static void general_eigenvectors_and_solutions_are_right(void **state)
{
    (void)state;
    const double m[9] = {1, 2, 0, 0, 3, 1, 0, 0, 5}; /* not symmetric: 1, 3, 5 */
    double a[9], real[3], imaginary[3], vectors[9], x[3] = {1, 2, 3};
    memcpy(a, m, sizeof a);
    assert_ok(segue_linalg_eigen_general(3, a, real, imaginary, vectors, NULL));
    for (size_t v = 0; v < 3; v++)
        for (size_t i = 0; i < 3; i++) {
            double image = 0;
            for (size_t k = 0; k < 3; k++)
                image += m[i * 3 + k] * vectors[v * 3 + k];
            assert_near(image, real[v] * vectors[v * 3 + i], 1e-14);
        }
    memcpy(a, m, sizeof a);
    assert_ok(segue_linalg_solve(3, 1, a, x, NULL)); /* x3 = .6, x2 = (2 - .6)/3, x1 = 1 - 2 x2 */
    assert_near(x[2], 0.6, 1e-14);
    assert_near(x[1], 1.4 / 3.0, 1e-14);
    assert_near(x[0], 1.0 - 2.8 / 3.0, 1e-14);
    double singular[4] = {1, 2, 2, 4}, y[2] = {1, 1};
    assert_int_equal(segue_linalg_solve(2, 1, singular, y, NULL), SEGUE_EDOMAIN);
}

static void weights_are_never_negative(void **state)
{
    (void)state;
    /* The target is 1.2 a - b: with no negative weight, the best is 1.2 a alone. */
    const double mean[] = {1, 0, 0, 0, 1, 0}, outside[] = {1.2, -1, 0}, inside[] = {0.3, 0.7, 5};
    double weight[2];
    assert_ok(segue_weights_nonnegative(2, 3, mean, outside, weight, NULL));
    assert_near(weight[0], 1.2, 1e-14);
    assert_near(weight[1], 0.0, 0.0);
    assert_ok(segue_weights_nonnegative(2, 3, mean, inside, weight, NULL));
    assert_near(weight[0], 0.3, 1e-14);
    assert_near(weight[1], 0.7, 1e-14);
    const double none[] = {-1, -1, 0};
    assert_int_equal(segue_weights_nonnegative(2, 3, mean, none, weight, NULL), SEGUE_EDOMAIN);
}

/* ---- moments ----------------------------------------------------------------------------- */

static void random_views(segue_rng *rng, size_t n_arms, double *views)
{
    for (size_t i = 0; i < 3 * n_arms; i++)
        views[i] = segue_rng_uniform(rng);
}

/* M2 and M3 of 70 tasks, summed up as they are written, in both forms that are kept. */
static void moments_are_the_averages_of_products(void **state)
{
    (void)state;
    const size_t sizes[] = {4, SEGUE_MAX_DENSE_ARMS + 3};
    for (size_t s = 0; s < 2; s++)
        for (int symmetric = 0; symmetric < 2; symmetric++) {
            enum { TASKS = 70, M = 2 }; /* more than a block of those that are kept */
            const size_t n = sizes[s];
            segue_rng rng;
            segue_rng_init(&rng, 61, s, 0, 0);
            segue_moments *moments =
                new_moments(n, symmetric ? SEGUE_VIEWS_SYMMETRIC : SEGUE_VIEWS_PAPER);
            double *views = calloc(3 * n + 2 * n * n + n * M, sizeof *views);
            assert_non_null(views);
            double *m2 = views + 3 * n, *seen = m2 + n * n, *u = seen + n * n;
            double t[M * M * M] = {0}, tensor[M * M * M];
            for (size_t i = 0; i < n * M; i++)
                u[i] = segue_rng_normal(&rng);
            for (int task = 0; task < TASKS; task++) {
                random_views(&rng, n, views);
                assert_ok(segue_moments_add(moments, views, 1.0, NULL));
                const double *v[3] = {views, views + n, views + 2 * n};
                for (size_t i = 0; i < n * n; i++)
                    for (size_t a = 0; a < 3; a++)
                        for (size_t b = 0; b < 3; b++)
                            if (a != b && (symmetric || a + b == 1))
                                m2[i] +=
                                    v[a][i / n] * v[b][i % n] / (symmetric ? 6.0 : 2.0) / TASKS;
                for (size_t i = 0; i < M * M * M; i++)
                    for (size_t p = 0; p < 6; p++) {
                        static const size_t order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                           {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
                        const size_t index[3] = {i / (M * M), i / M % M, i % M};
                        double product = 1.0 / 6.0 / TASKS;
                        for (size_t a = 0; a < 3; a++) {
                            double dot = 0;
                            for (size_t k = 0; k < n; k++)
                                dot += v[order[p][a]][k] * u[k * M + index[a]];
                            product *= dot;
                        }
                        t[i] += product;
                    }
            }
            assert_ok(segue_moments_second(moments, seen, NULL));
            /* views that are kept are rounded to single precision: 6e-8 of their size, 2^-24 */
            const bool rounded = n > SEGUE_MAX_DENSE_ARMS;
            for (size_t i = 0; i < n * n; i++)
                assert_near(seen[i], m2[i], rounded ? 1.2e-7 : 1e-13);
            assert_ok(segue_moments_third(moments, u, M, tensor, NULL));
            for (size_t i = 0; i < M * M * M; i++)
                assert_near(tensor[i] / t[i], 1.0, rounded ? 1e-4 : 1e-9);
            free(views);
            segue_moments_destroy(moments);
        }
}

static void merged_moments_equal_pooled_ones(void **state)
{
    (void)state;
    const size_t sizes[] = {5, SEGUE_MAX_DENSE_ARMS + 1};
    for (size_t s = 0; s < 2; s++) {
        const size_t n = sizes[s];
        segue_rng rng;
        segue_rng_init(&rng, 62, 0, 0, 0);
        segue_moments *all = new_moments(n, SEGUE_VIEWS_SYMMETRIC);
        segue_moments *left = new_moments(n, SEGUE_VIEWS_SYMMETRIC);
        segue_moments *right = new_moments(n, SEGUE_VIEWS_SYMMETRIC);
        double *views = calloc(3 * n + 2 * n * n, sizeof *views), ta[1], tb[1];
        assert_non_null(views);
        double *a = views + 3 * n, *b = a + n * n;
        for (int task = 0; task < 100; task++) {
            random_views(&rng, n, views);
            assert_ok(segue_moments_add(all, views, 1.0, NULL));
            assert_ok(segue_moments_add(task < 42 ? left : right, views, 1.0, NULL));
        }
        assert_ok(segue_moments_merge(left, right, NULL));
        assert_int_equal(segue_moments_tasks(left), 100);
        assert_ok(segue_moments_second(all, a, NULL));
        assert_ok(segue_moments_second(left, b, NULL));
        for (size_t i = 0; i < n * n; i++)
            assert_near(a[i], b[i], 1e-13);
        random_views(&rng, n, views);
        assert_ok(segue_moments_third(all, views, 1, ta, NULL));
        assert_ok(segue_moments_third(left, views, 1, tb, NULL));
        assert_near(ta[0] / tb[0], 1.0, n > SEGUE_MAX_DENSE_ARMS ? 1e-6 : 1e-12);
        segue_moments *copy = new_moments(n, SEGUE_VIEWS_SYMMETRIC);
        assert_ok(segue_moments_merge(copy, left, NULL)); /* with none: a copy, to the bit */
        segue_bytes before = {.data = NULL}, after = {.data = NULL};
        segue_moments_serialize(left, &before);
        segue_moments_serialize(copy, &after);
        assert_int_equal(before.size, after.size);
        assert_memory_equal(before.data, after.data, after.size);
        segue_bytes_fini(&before);
        segue_bytes_fini(&after);
        segue_moments_destroy(copy);
        free(views);
        segue_moments_destroy(all);
        segue_moments_destroy(left);
        segue_moments_destroy(right);
    }
    segue_moments *five = new_moments(5, SEGUE_VIEWS_PAPER),
                  *six = new_moments(6, SEGUE_VIEWS_PAPER);
    segue_moments *other = new_moments(5, SEGUE_VIEWS_SYMMETRIC);
    assert_int_equal(segue_moments_merge(five, six, NULL), SEGUE_EDOMAIN);
    assert_int_equal(segue_moments_merge(five, other, NULL), SEGUE_EDOMAIN);
    segue_moments_destroy(five);
    segue_moments_destroy(six);
    segue_moments_destroy(other);
}

static void wrong_views_are_refused_and_add_nothing(void **state)
{
    (void)state;
    segue_moments *moments = new_moments(2, SEGUE_VIEWS_PAPER);
    double views[6] = {0.1, 0.2, 0.3, NAN, 0.5, 0.6};
    segue_error err;
    assert_int_equal(segue_moments_add(moments, views, 1.0, &err), SEGUE_EDOMAIN);
    assert_non_null(strstr(err.message, "view 2 of arm 2"));
    views[3] = 0.4;
    assert_int_equal(segue_moments_add(moments, views, -1.0, NULL), SEGUE_EDOMAIN);
    views[0] = 1e200;
    assert_int_equal(segue_moments_add(moments, views, 1.0, NULL), SEGUE_EDOMAIN);
    assert_int_equal(segue_moments_tasks(moments), 0);
    segue_moments_destroy(moments);
}

/* ---- exact moments ----------------------------------------------------------------------- */

/* The true moments of a set: each model as one task of its weight, with three equal views. */
static segue_moments *exact_moments(const segue_models *models)
{
    segue_moments *moments = new_moments(models->n_arms, SEGUE_VIEWS_PAPER);
    double *views = calloc(3 * models->n_arms, sizeof *views);
    assert_non_null(views);
    for (size_t k = 0; k < models->n_models; k++) {
        for (size_t i = 0; i < 3 * models->n_arms; i++)
            views[i] = segue_models_row(models, k)[i % models->n_arms];
        assert_ok(segue_moments_add(moments, views, models->weight[k], NULL));
    }
    free(views);
    return moments;
}

/* A random set of m <= K models whose second moment is well conditioned. */
static segue_models *well_conditioned(segue_rng *rng)
{
    for (;;) {
        const size_t n = random_between(rng, 2, 50);
        const size_t m = random_between(rng, 1, n < 10 ? n : 10);
        double *mean = calloc(n * m, sizeof *mean), weight[10];
        assert_non_null(mean);
        for (size_t i = 0; i < n * m; i++)
            mean[i] = segue_rng_uniform(rng);
        for (size_t k = 0; k < m; k++)
            weight[k] = 0.5 + segue_rng_uniform(rng);
        segue_models *models = NULL;
        segue_spectrum spectrum;
        assert_ok(segue_models_create(&models, SEGUE_MODELS_KNOWN, n, m, mean, weight, NULL));
        assert_ok(segue_spectrum_compute(&spectrum, models, NULL));
        free(mean);
        if (spectrum.sigma_min > 1e-3 * spectrum.sigma_max)
            return models;
        segue_models_destroy(models);
    }
}

static void check_exact(const char *name, const segue_models *models, double tolerance,
                        segue_weights how)
{
    segue_estimator_config config = segue_estimator_defaults();
    segue_estimator *est = NULL;
    config.method = name;
    config.n_arms = models->n_arms;
    config.n_models = models->n_models;
    config.weights = how;
    assert_ok(segue_estimator_create(&est, &config, NULL));
    segue_moments *moments = exact_moments(models);
    assert_ok(segue_estimator_fit(est, moments, NULL));
    double weights, error = error_of(models, segue_estimator_models(est), &weights);
    if (!(error < tolerance && weights < tolerance))
        fail_msg("%s, %zu models of %zu arms: means off by %g, weights by %g; %s", name,
                 models->n_models, models->n_arms, error, weights,
                 segue_estimator_info(est).verdict);
    segue_estimator_destroy(est);
    segue_moments_destroy(moments);
}

static void exact_moments_give_exact_models(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 63, 0, 0, 0);
    for (int i = 0; i < repeats(500); i++) {
        segue_models *models = well_conditioned(&rng);
        check_exact("rtp", models, 1e-8,
                    i % 2 ? SEGUE_WEIGHTS_LAMBDA : SEGUE_WEIGHTS_LEAST_SQUARES);
        check_exact("eca", models, 1e-6, SEGUE_WEIGHTS_LEAST_SQUARES);
        check_exact("algorithm-b", models, 1e-6, SEGUE_WEIGHTS_LEAST_SQUARES);
        segue_models_destroy(models);
    }
}

static void the_papers_models_come_back_from_their_moments(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    check_exact("rtp", models, 1e-8, SEGUE_WEIGHTS_LEAST_SQUARES);
    check_exact("rtp", models, 1e-8, SEGUE_WEIGHTS_LAMBDA);
    check_exact("eca", models, 1e-6, SEGUE_WEIGHTS_LEAST_SQUARES);
    check_exact("algorithm-b", models, 1e-6, SEGUE_WEIGHTS_LEAST_SQUARES);
    segue_models_destroy(models);
}

/* ---- many arms --------------------------------------------------------------------------- */

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

/* ---- hard cases -------------------------------------------------------------------------- */

static void check_degenerate(const char *name, const segue_models *models, size_t m, size_t tasks,
                             const char *says)
{
    segue_estimator_config config = segue_estimator_defaults();
    segue_estimator *est = NULL;
    segue_moments *moments = new_moments(models->n_arms, SEGUE_VIEWS_PAPER);
    double views[3 * 8];
    config.method = name;
    config.n_arms = models->n_arms;
    config.n_models = m;
    assert_ok(segue_estimator_create(&est, &config, NULL));
    for (size_t task = 0; task < tasks; task++) {
        for (size_t i = 0; i < 3 * models->n_arms; i++)
            views[i] = segue_models_row(models, task % models->n_models)[i % models->n_arms];
        assert_ok(segue_moments_add(moments, views, 1.0, NULL));
    }
    assert_ok(segue_estimator_fit(est, moments, NULL));
    const segue_estimate_info info = segue_estimator_info(est);
    const segue_models *found = segue_estimator_models(est);
    if (!strstr(info.verdict, says))
        fail_msg("%s: \"%s\" does not say \"%s\"", name, info.verdict, says);
    assert_int_equal(info.found, found != NULL);
    for (size_t i = 0; found && i < m * models->n_arms; i++)
        assert_true(isfinite(found->mean[i]));
    segue_estimator_destroy(est);
    segue_moments_destroy(moments);
}

static void hopeless_moments_get_a_verdict(void **state)
{
    (void)state;
    static const char *const names[] = {"rtp", "eca", "algorithm-b"};
    const double equal[] = {.2, .5, .8, .2, .5, .8}, dependent[] = {.2, .4, .6, .1, .2, .3};
    const double zeros[6] = {0}, ones[] = {1, 1, 1, 1, 1, 1}, good[] = {.9, .1, .4, .2, .8, .3};
    segue_models *sets[] = {models_of(3, 2, equal), models_of(3, 2, dependent),
                            models_of(3, 2, zeros), models_of(3, 2, ones), models_of(3, 2, good)};
    for (size_t i = 0; i < 3; i++) {
        check_degenerate(names[i], sets[0], 2, 50, "none: the 2nd eigenvalue");
        check_degenerate(names[i], sets[1], 2, 50, "none: the 2nd eigenvalue");
        check_degenerate(names[i], sets[2], 2, 50, "none: the 2nd eigenvalue");
        check_degenerate(names[i], sets[2], 1, 50,
                         "none: the 1st eigenvalue is 0, so that there is nothing");
        check_degenerate(names[i], sets[3], 2, 50, "none: the 2nd eigenvalue");
        check_degenerate(names[i], sets[4], 3, 50, "none: the 3rd eigenvalue");
        check_degenerate(names[i], sets[4], 4, 50, "none: 4 models are more than 3 arms");
        check_degenerate(names[i], sets[4], 2, 1, "none: 1 tasks are fewer than 2 models");
        check_degenerate(names[i], sets[4], 2, 0, "none: 0 tasks are fewer than 2 models");
        check_degenerate(names[i], sets[3], 1, 50, "good: all 1 eigenvalues");
        check_degenerate(names[i], sets[3], 1, 5, "weak: 5 tasks are few for 1 models");
        check_degenerate(names[i], sets[4], 2, 50, "good: all 2 eigenvalues");
    }
    for (size_t i = 0; i < 5; i++)
        segue_models_destroy(sets[i]);
}

/* Pure noise: views without any structure.  Whatever comes out is finite, and is never called good,
 * also where there are tasks enough (ten a model) that only the spectrum can tell. */
static void noise_is_called_weak(void **state)
{
    (void)state;
    static const char *const names[] = {"rtp", "eca", "algorithm-b"};
    for (size_t i = 0; i < 3; i++)
        for (uint64_t seed = 0; seed < (uint64_t)repeats(50); seed++) {
            segue_estimator_config config = segue_estimator_defaults();
            segue_estimator *est = NULL;
            segue_moments *moments = new_moments(8, SEGUE_VIEWS_PAPER);
            segue_rng rng;
            double views[24];
            config.method = names[i];
            config.n_arms = 8;
            config.n_models = 5;
            assert_ok(segue_estimator_create(&est, &config, NULL));
            segue_rng_init(&rng, 66, seed, 0, 0);
            for (int task = 0; task < 90; task++) {
                random_views(&rng, 8, views);
                assert_ok(segue_moments_add(moments, views, 1.0, NULL));
                assert_ok(segue_estimator_fit(est, moments, NULL));
                const segue_models *found = segue_estimator_models(est);
                for (size_t k = 0; found && k < 40; k++)
                    assert_true(isfinite(found->mean[k]));
                assert_true(strncmp(segue_estimator_info(est).verdict, "good", 4) != 0);
            }
            segue_estimator_destroy(est);
            segue_moments_destroy(moments);
        }
}

static void wrong_configurations_are_refused(void **state)
{
    (void)state;
    segue_estimator_config good = segue_estimator_defaults();
    segue_estimator *est = NULL;
    good.n_arms = 5;
    good.n_models = 3;
    segue_estimator_config bad[10];
    for (size_t i = 0; i < 10; i++)
        bad[i] = good;
    bad[8].method = NULL;
    bad[9].weights = (segue_weights)9;
    bad[0].n_arms = 1;
    bad[1].n_models = 0;
    bad[2].n_models = SEGUE_MAX_ESTIMATED + 1;
    bad[3].starts = 0;
    bad[4].steps = 0;
    bad[5].alpha0 = 0.5; /* not eca */
    bad[6].alpha0 = NAN;
    bad[7].method = "magic";
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(segue_status_exit_code(segue_estimator_create(&est, &bad[i], NULL)), 2);
    assert_ok(segue_estimator_create(&est, &good, NULL));
    segue_moments *moments = new_moments(6, SEGUE_VIEWS_PAPER);
    assert_int_equal(segue_estimator_fit(est, moments, NULL), SEGUE_EDOMAIN);
    segue_moments_destroy(moments);
    segue_estimator_destroy(est);
    segue_estimator_destroy(NULL);
    segue_moments_destroy(NULL);
}

/* ---- properties -------------------------------------------------------------------------- */

/* Permuting arms permutes the answer; so does it for models, which the matching hides. */
static void a_permutation_of_arms_permutes_the_answer(void **state)
{
    (void)state;
    static const size_t order[7] = {3, 0, 6, 1, 5, 2, 4};
    segue_models *models = paper_models();
    double mean[35];
    for (uint64_t seed = 0; seed < (uint64_t)repeats(10); seed++) {
        segue_estimator *est[2] = {NULL, NULL};
        segue_moments *moments[2] = {new_moments(7, SEGUE_VIEWS_PAPER),
                                     new_moments(7, SEGUE_VIEWS_PAPER)};
        segue_rng rng;
        segue_rng_init(&rng, 67, seed, 0, 0);
        for (int task = 0; task < 2000; task++) {
            double views[21], other[21];
            const size_t k = random_between(&rng, 0, 4);
            for (size_t i = 0; i < 21; i++)
                views[i] = average_of_300(
                    &rng, segue_rng_bernoulli_threshold(segue_models_row(models, k)[i % 7]));
            for (size_t i = 0; i < 21; i++)
                other[i] = views[i / 7 * 7 + order[i % 7]];
            assert_ok(segue_moments_add(moments[0], views, 1.0, NULL));
            assert_ok(segue_moments_add(moments[1], other, 1.0, NULL));
        }
        for (size_t i = 0; i < 2; i++) {
            segue_estimator_config config = segue_estimator_defaults();
            config.n_arms = 7;
            config.n_models = 5;
            assert_ok(segue_estimator_create(&est[i], &config, NULL));
            assert_ok(segue_estimator_fit(est[i], moments[i], NULL));
        }
        for (size_t i = 0; i < 35; i++)
            mean[i] = segue_models_row(segue_estimator_models(est[0]), i / 7)[order[i % 7]];
        segue_models *expected = NULL;
        double weights;
        assert_ok(segue_models_create(&expected, SEGUE_MODELS_ESTIMATED, 7, 5, mean,
                                      segue_estimator_models(est[0])->weight, NULL));
        assert_true(error_of(expected, segue_estimator_models(est[1]), &weights) < 1e-7);
        segue_models_destroy(expected);
        for (size_t i = 0; i < 2; i++) {
            segue_estimator_destroy(est[i]);
            segue_moments_destroy(moments[i]);
        }
    }
    segue_models_destroy(models);
}

/* From fit to fit a model keeps its number: the true model nearest to it is always the same. */
static void a_model_keeps_its_number(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_estimator_config config = segue_estimator_defaults();
    segue_estimator *est = NULL;
    segue_moments *moments = new_moments(7, SEGUE_VIEWS_PAPER);
    segue_rng rng;
    size_t first[5], match[5];
    config.n_arms = 7;
    config.n_models = 5;
    assert_ok(segue_estimator_create(&est, &config, NULL));
    segue_rng_init(&rng, 68, 0, 0, 0);
    for (uint64_t tasks = 2000; tasks <= 2400; tasks += 20) {
        add_tasks(moments, models, &rng, tasks);
        assert_ok(segue_estimator_fit(est, moments, NULL));
        assert_ok(segue_models_match(segue_estimator_models(est), models, match, NULL));
        if (tasks == 2000)
            memcpy(first, match, sizeof first);
        assert_memory_equal(first, match, sizeof match);
    }
    segue_estimator_destroy(est);
    segue_moments_destroy(moments);
    segue_models_destroy(models);
}

/* ---- types ------------------------------------------------------------------------------- */

/* So many tasks in which one arm pays 18 of 20 times and the others pay twice. */
static void finish_tasks(segue_types *types, size_t best, size_t count)
{
    const double pulls[3] = {20, 20, 20};
    double sum[3] = {2, 2, 2};
    sum[best] = 18;
    for (size_t j = 0; j < count; j++) {
        assert_ok(segue_types_add_task(types, sum, pulls, NULL));
        if (segue_types_due(types))
            assert_ok(segue_types_refit(types, NULL));
    }
}

static void types_that_leave_together_are_given_up_together(void **state)
{
    (void)state;
    segue_types_config config = segue_types_defaults();
    segue_types *types = NULL;
    config.n_arms = 3;
    assert_ok(segue_types_create(&types, &config, NULL));
    for (size_t j = 0; j < 60; j++)
        finish_tasks(types, j % 2, 1);
    assert_int_equal(segue_types_count(types), 2);
    /* Alone, each of weight near 1/2 would be kept for 20 tasks.  Eight tell that all have changed,
     * and after eight more there are types again. */
    finish_tasks(types, 2, 18);
    assert_int_equal(segue_types_count(types), 1);
    assert_true(segue_types_a(types)[3 + 2] > segue_types_b(types)[3 + 2]);
    segue_types_destroy(types);
}

static void types_that_come_in_blocks_are_kept(void **state)
{
    (void)state;
    segue_types_config config = segue_types_defaults();
    segue_types *types = NULL;
    config.n_arms = 3;
    assert_ok(segue_types_create(&types, &config, NULL));
    for (size_t j = 0; j < 120; j++)
        finish_tasks(types, j / 10 % 3, 1);
    assert_int_equal(segue_types_count(types), 3);
    segue_types_destroy(types);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvectors_are_the_rows),
        cmocka_unit_test(general_eigenvectors_and_solutions_are_right),
        cmocka_unit_test(weights_are_never_negative),
        cmocka_unit_test(moments_are_the_averages_of_products),
        cmocka_unit_test(merged_moments_equal_pooled_ones),
        cmocka_unit_test(wrong_views_are_refused_and_add_nothing),
        cmocka_unit_test(exact_moments_give_exact_models),
        cmocka_unit_test(the_papers_models_come_back_from_their_moments),
        cmocka_unit_test(subspace_iteration_finds_the_leading_vectors),
        cmocka_unit_test(subspace_iteration_says_when_it_fails),
        cmocka_unit_test(models_of_many_arms_come_back),
        cmocka_unit_test(noisy_spectra_are_judged_as_lapack_has_them),
        cmocka_unit_test(probes_tell_the_noise),
        cmocka_unit_test(hopeless_moments_get_a_verdict),
        cmocka_unit_test(noise_is_called_weak),
        cmocka_unit_test(wrong_configurations_are_refused),
        cmocka_unit_test(a_permutation_of_arms_permutes_the_answer),
        cmocka_unit_test(a_model_keeps_its_number),
        cmocka_unit_test(types_that_leave_together_are_given_up_together),
        cmocka_unit_test(types_that_come_in_blocks_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
