/* test_linalg.c - eigenvectors, least squares and products, also on several threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/linalg/linalg.h"
#include "support.h"

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

/* For small orders and for LAPACK's: orthogonal unit vectors with a v = value v. */
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

static void a_matrix_that_is_not_finite_has_no_eigenvectors(void **state)
{
    (void)state;
    double values[2];
    double a[4] = {NAN, 1.0, 1.0, 2.0}, b[4] = {1.0, INFINITY, INFINITY, 2.0};
    assert_int_equal(segue_linalg_eigenvectors(2, a, values, NULL), SEGUE_EDOMAIN);
    assert_int_equal(segue_linalg_eigenvectors(2, b, values, NULL), SEGUE_EDOMAIN);
}

/* The residual a^T x - b of a least-squares solution is orthogonal to the rows of a; for small
 * problems and for LAPACK's. */
static void least_squares_residuals_are_orthogonal(void **state)
{
    (void)state;
    enum { MAX_ORDER = 40 };
    static double a[MAX_ORDER * MAX_ORDER], copy[MAX_ORDER * MAX_ORDER];
    segue_rng rng;
    segue_rng_init(&rng, 12, 0, 0, 0);
    for (size_t m = 1; m <= MAX_ORDER; m += m < 8 ? 1 : 16)
        for (size_t n = m; n <= MAX_ORDER; n += 3) {
            double b[MAX_ORDER], wanted[MAX_ORDER];
            for (size_t i = 0; i < m * n; i++)
                a[i] = copy[i] = segue_rng_uniform(&rng) - 0.5;
            for (size_t i = 0; i < n; i++)
                b[i] = wanted[i] = segue_rng_uniform(&rng);
            assert_ok(segue_linalg_least_squares(m, n, a, b, NULL));
            for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < m; k++)
                    wanted[i] -= copy[k * n + i] * b[k];
            for (size_t k = 0; k < m; k++) {
                double dot = 0.0;
                for (size_t i = 0; i < n; i++)
                    dot += copy[k * n + i] * wanted[i];
                assert_near(dot, 0.0, 1e-9);
            }
        }
    double zero[4] = {1.0, 2.0, 0.0, 0.0}, right[2] = {1.0, 1.0};
    assert_int_equal(segue_linalg_least_squares(2, 2, zero, right, NULL), SEGUE_EDOMAIN);
}

/* Small products go through loops, large ones through BLAS; both against the definition. */
static void products_equal_their_definition(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 10, 0, 0, 0);
    static double a[60 * 60], b[60 * 60], c[60 * 60], d[60 * 60], transposed[60 * 60];
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
        segue_linalg_multiply_left(k, n, m, transposed, b, d);
        for (size_t i = 0; i < n * m; i++)
            assert_near(c[i], 2.0 * d[i], 1e-12);
        segue_linalg_gram(n, k, a, c);
        for (size_t i = 0; i < n * n; i++) {
            double sum = 0.0;
            for (size_t l = 0; l < k; l++)
                sum += a[i / n * k + l] * a[i % n * k + l];
            assert_near(c[i], sum, 1e-12);
        }
    }
}

/* A matrix of one column works, also with BLAS. */
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
        c[i] = i % N < i / N ? NAN : 1.0; /* the entries below the diagonal are not read */
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

/* A thread that multiplies its own matrix many times and counts wrong products. */
enum { ORDER = 30 };
typedef struct multiplier {
    double a[ORDER * ORDER], first[ORDER * ORDER], again[ORDER * ORDER];
    int times, wrong;
} multiplier;

static void *multiply_many_times(void *argument)
{
    multiplier *m = argument;
    for (int i = 0; i < m->times; i++) {
        segue_linalg_multiply(ORDER, ORDER, ORDER, m->a, m->a, m->again);
        for (size_t k = 0; k < ORDER * ORDER; k++)
            m->wrong += m->first[k] != m->again[k];
    }
    return NULL;
}

static void products_of_several_threads_are_correct(void **state)
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
        assert_int_equal(pthread_create(&thread[t], NULL, multiply_many_times, &all[t]), 0);
    for (size_t t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(thread[t], NULL), 0);
        assert_int_equal(all[t].wrong, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_have_their_closed_form),
        cmocka_unit_test(products_may_have_one_column),
        cmocka_unit_test(symmetric_products_use_the_upper_triangle),
        cmocka_unit_test(eigenvectors_solve_their_equation),
        cmocka_unit_test(a_matrix_that_is_not_finite_has_no_eigenvectors),
        cmocka_unit_test(least_squares_residuals_are_orthogonal),
        cmocka_unit_test(products_equal_their_definition),
        cmocka_unit_test(products_of_several_threads_are_correct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
