/* test_general.c - systems and eigenproblems of small matrices without symmetry.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "core/linalg/general.h"

enum { MAX = 12 };

/* Entries in -1/2 .. 1/2; every third matrix has whole ones in -2 .. 2, with repeated eigenvalues and zeros. */
static size_t draw_matrix(segue_rng *rng, int number, double *a)
{
    const size_t n = random_between(rng, 1, MAX);
    for (size_t i = 0; i < n * n; i++) {
        const double u = segue_rng_uniform(rng);
        a[i] = number % 3 == 0 ? floor(5.0 * u) - 2.0 : u - 0.5;
    }
    return n;
}

/* Their sum is the trace, their squares' that of A^2, and complex ones come in pairs.  Repeated eigenvalues are found
 * to some root of the rounding error only; the sums are not affected. */
static void eigenvalues_have_the_sums_of_the_matrix(void **state)
{
    double a[MAX * MAX], real[MAX], imaginary[MAX];
    segue_rng rng;
    (void)state;
    segue_rng_init(&rng, 2, 0, 0, 0);
    for (int t = 0; t < repeats(5000); t++) {
        const size_t n = draw_matrix(&rng, t, a);
        double trace = 0.0, squares = 0.0, odd = 0.0;
        for (size_t i = 0; i < n; i++) {
            trace += a[i * n + i];
            for (size_t k = 0; k < n; k++)
                squares += a[i * n + k] * a[k * n + i];
        }
        assert_true(segue_general_eigenvalues(n, a, real, imaginary));
        for (size_t k = 0; k < n; k++) {
            trace -= real[k];
            squares -= real[k] * real[k] - imaginary[k] * imaginary[k];
            odd += imaginary[k];
        }
        assert_near(trace, 0.0, 1e-12);
        assert_near(squares, 0.0, 1e-11);
        assert_near(odd, 0.0, 1e-12);
    }
}

static void eigenvectors_are_those_of_real_eigenvalues(void **state)
{
    double a[MAX * MAX], copy[MAX * MAX], scratch[MAX * MAX], real[MAX], imaginary[MAX],
        vector[MAX];
    segue_rng rng;
    (void)state;
    segue_rng_init(&rng, 3, 0, 0, 0);
    for (int t = 1; t < repeats(5000); t++) {
        const size_t n = draw_matrix(&rng, t % 3 ? t : 1, a);
        memcpy(copy, a, sizeof copy);
        assert_true(segue_general_eigenvalues(n, a, real, imaginary));
        for (size_t k = 0; k < n; k++) {
            double square = 0.0;
            segue_general_eigenvector(n, copy, real[k], k, scratch, vector);
            for (size_t i = 0; i < n; i++) {
                double rest = -real[k] * vector[i];
                for (size_t j = 0; j < n; j++)
                    rest += copy[i * n + j] * vector[j];
                assert_true(imaginary[k] != 0.0 || fabs(rest) < 1e-12);
                square += vector[i] * vector[i];
            }
            assert_near(square, 1.0, 1e-14);
        }
    }
}

static void systems_are_solved_and_singular_ones_refused(void **state)
{
    double a[MAX * MAX], copy[MAX * MAX], b[2 * MAX], x[2 * MAX];
    segue_rng rng;
    int solved = 0;
    (void)state;
    segue_rng_init(&rng, 4, 0, 0, 0);
    for (int t = 1; t < repeats(5000); t++) {
        const size_t n = draw_matrix(&rng, t, a);
        double size = 1.0;
        memcpy(copy, a, sizeof copy);
        for (size_t i = 0; i < 2 * n; i++)
            x[i] = b[i] = segue_rng_uniform(&rng);
        if (!segue_general_solve(n, 2, a, x, 0.0)) {
            assert_int_equal(t % 3, 0); /* only whole numbers are exactly singular */
            continue;
        }
        for (size_t i = 0; i < 2 * n; i++)
            size = fmax(size, fabs(x[i]));
        for (size_t i = 0; i < 2 * n; i++) {
            double rest = b[i];
            for (size_t k = 0; k < n; k++)
                rest -= copy[i / 2 * n + k] * x[2 * k + i % 2];
            assert_near(rest, 0.0,
                        1e-13 * size); /* backward stable: independent of the condition */
        }
        solved++;
    }
    assert_true(solved >= repeats(5000) / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_have_the_sums_of_the_matrix),
        cmocka_unit_test(eigenvectors_are_those_of_real_eigenvalues),
        cmocka_unit_test(systems_are_solved_and_singular_ones_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
