/* test_moments.c - moments, weights and linear algebra of estimators.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate_fixture.h"

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

/* M2 and M3 of 70 tasks, summed up as they are written, in both forms that are stored. */
static void moments_are_the_averages_of_products(void **state)
{
    (void)state;
    const size_t sizes[] = {4, SEGUE_MAX_DENSE_ARMS + 3};
    for (size_t s = 0; s < 2; s++)
        for (int symmetric = 0; symmetric < 2; symmetric++) {
            enum { TASKS = 70, M = 2 }; /* more than a block of those that are stored */
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
            /* stored views are rounded to single precision: 6e-8 of their size, 2^-24 */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvectors_are_the_rows),
        cmocka_unit_test(general_eigenvectors_and_solutions_are_right),
        cmocka_unit_test(weights_are_never_negative),
        cmocka_unit_test(moments_are_the_averages_of_products),
        cmocka_unit_test(merged_moments_equal_pooled_ones),
        cmocka_unit_test(wrong_views_are_refused_and_add_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
