/* general.c - Gaussian elimination, the QR algorithm and inverse iteration, of small matrices.
 *
 * Eigenvalues: Householder reflections lead to Hessenberg form, and Francis's double shifts to blocks of one or two
 * rows (Francis 1961; Golub and Van Loan, algorithms 7.4.2 and 7.5.1).  An eigenvector solves (A - value) x = b, which
 * is nearly singular: two or three turns from any b.  O(n^3) for all values, and O(n^3) per vector.
 *
 * LAPACK's routines have other bits on other processors; these matrices have as many rows as there are models.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/linalg/general.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_STEPS  60 /* per eigenvalue */
#define STUCK      10 /* steps without an eigenvalue before an unusual shift */
#define ITERATIONS 3  /* of inverse iteration */

/* ---- elimination ------------------------------------------------------------------------- */

static void swap_rows(size_t n, double *a, size_t i, size_t k)
{
    for (size_t j = 0; j < n && i != k; j++) {
        const double swap = a[i * n + j];
        a[i * n + j] = a[k * n + j];
        a[k * n + j] = swap;
    }
}

/* The row from k on with the largest entry in column k. */
static size_t pivot_row(size_t n, const double *a, size_t k)
{
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
        best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
    return best;
}

/* x <- x - factor y, from entry `first` on. */
static void subtract(size_t first, size_t n, double factor, const double *y, double *x)
{
    for (size_t j = first; j < n; j++)
        x[j] -= factor * y[j];
}

bool segue_general_solve(size_t n, size_t m, double *a, double *b, double min_pivot)
{
    for (size_t k = 0; k < n; k++) {
        const size_t pivot = pivot_row(n, a, k);
        swap_rows(n, a, k, pivot);
        swap_rows(m, b, k, pivot);
        if (fabs(a[k * n + k]) < min_pivot)
            a[k * n + k] = min_pivot;
        if (!(fabs(a[k * n + k]) > 0.0))
            return false;
        for (size_t i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / a[k * n + k];
            subtract(k + 1, n, factor, a + k * n, a + i * n);
            subtract(0, m, factor, b + k * m, b + i * m);
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t i = k + 1; i < n; i++)
            subtract(0, m, a[k * n + i], b + i * m, b + k * m);
        for (size_t j = 0; j < m; j++)
            b[k * m + j] /= a[k * n + k];
    }
    return true;
}

/* ---- eigenvalues ------------------------------------------------------------------------- */

/* Turn v into a reflection I - 2 v v' / (v'v) that sends it to a multiple of its first unit vector; returns
 * 2 / (v'v), 0 if there is nothing to do. */
static double make_reflection(size_t count, double *v)
{
    double square = 0.0, rest = 0.0;
    for (size_t i = 0; i < count; i++)
        square += v[i] * v[i];
    for (size_t i = 1; i < count; i++)
        rest += v[i] * v[i];
    if (rest == 0.0)
        return 0.0;
    v[0] += copysign(sqrt(square), v[0]);
    return 2.0 / (v[0] * v[0] + rest);
}

/* Reflect `count` rows from `row` on, in columns from .. to. */
static void reflect_rows(size_t n, double *a, size_t row, size_t count, const double *v,
                         double scale, size_t from, size_t to)
{
    for (size_t j = from; j <= to; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < count; i++)
            sum += v[i] * a[(row + i) * n + j];
        for (size_t i = 0; i < count; i++)
            a[(row + i) * n + j] -= scale * sum * v[i];
    }
}

static void reflect_columns(size_t n, double *a, size_t column, size_t count, const double *v,
                            double scale, size_t from, size_t to)
{
    for (size_t i = from; i <= to; i++) {
        double *row = a + i * n + column, sum = 0.0;
        for (size_t j = 0; j < count; j++)
            sum += row[j] * v[j];
        for (size_t j = 0; j < count; j++)
            row[j] -= scale * sum * v[j];
    }
}

/* v: n numbers of scratch. */
static void make_hessenberg(size_t n, double *a, double *v)
{
    for (size_t k = 0; k + 2 < n; k++) {
        const size_t count = n - k - 1;
        for (size_t i = 0; i < count; i++)
            v[i] = a[(k + 1 + i) * n + k];
        const double scale = make_reflection(count, v);
        reflect_rows(n, a, k + 1, count, v, scale, k, n - 1);
        reflect_columns(n, a, k + 1, count, v, scale, 0, n - 1);
    }
}

/* The sum and the product of the shifts: the eigenvalues of the last two rows, or unusual ones. */
static void choose_shifts(size_t n, const double *h, size_t low, size_t high, size_t step,
                          double *sum, double *product)
{
    const double *above = h + (high - 1) * n + high - 1, *last = above + n;
    *sum = above[0] + last[1];
    *product = above[0] * last[1] - above[1] * last[0];
    if (step % STUCK == 0 && step > 0) {
        const double size = fabs(last[0]) + fabs(h[(low + 1) * n + low]);
        *sum = 1.5 * size;
        *product = size * size;
    }
}

/* One double shift on the rows low .. high, three or more. */
static void francis_step(size_t n, double *h, size_t low, size_t high, size_t step)
{
    const double *top = h + low * n + low, *next = top + n;
    double sum, product;
    choose_shifts(n, h, low, high, step, &sum, &product);
    double v[3] = {top[0] * top[0] + top[1] * next[0] - sum * top[0] + product,
                   next[0] * (top[0] + next[1] - sum), next[0] * next[n + 1]};
    for (size_t k = low; k < high; k++) {
        const size_t count = k + 2 <= high ? 3 : 2;
        const double scale = make_reflection(count, v);
        reflect_rows(n, h, k, count, v, scale, k > low ? k - 1 : low, high);
        reflect_columns(n, h, k, count, v, scale, low, k + 3 <= high ? k + 3 : high);
        v[0] = h[(k + 1) * n + k];
        v[1] = k + 2 <= high ? h[(k + 2) * n + k] : 0.0;
        v[2] = k + 3 <= high ? h[(k + 3) * n + k] : 0.0;
    }
}

/* Of rows k and k + 1. */
static void solve_pair(size_t n, const double *h, size_t k, double *real, double *imaginary)
{
    const double a = h[k * n + k], b = h[k * n + k + 1], c = h[(k + 1) * n + k],
                 d = h[(k + 1) * n + k + 1];
    const double half = 0.5 * (a - d), square = half * half + b * c, root = sqrt(fabs(square));
    if (square < 0.0) {
        real[k] = real[k + 1] = d + half;
        imaginary[k] = root;
        imaginary[k + 1] = -root;
        return;
    }
    const double away = half + copysign(root, half);
    real[k] = d + away;
    real[k + 1] = away != 0.0 ? d - b * c / away : d;
    imaginary[k] = imaginary[k + 1] = 0.0;
}

/* The first row of the last block: its entry left of the diagonal is negligible. */
static size_t block_start(size_t n, double *h, size_t high)
{
    size_t low = high;
    for (; low > 0; low--) {
        double *below = &h[low * n + low - 1];
        if (fabs(*below) <= DBL_EPSILON * (fabs(below[1]) + fabs(h[(low - 1) * n + low - 1]))) {
            *below = 0.0;
            break;
        }
    }
    return low;
}

bool segue_general_eigenvalues(size_t n, double *a, double *real, double *imaginary)
{
    size_t left = n, step = 0; /* eigenvalues to find */
    make_hessenberg(n, a, real);
    while (left > 0) {
        const size_t high = left - 1, low = block_start(n, a, high);
        if (low + 1 < high) {
            if (step++ > MAX_STEPS)
                return false;
            francis_step(n, a, low, high, step);
            continue;
        }
        if (low == high) {
            real[high] = a[high * n + high];
            imaginary[high] = 0.0;
        } else {
            solve_pair(n, a, low, real, imaginary);
        }
        left = low;
        step = 0;
    }
    return true;
}

/* ---- eigenvectors ------------------------------------------------------------------------ */

static double largest(size_t count, const double *x)
{
    double max = 0.0;
    for (size_t i = 0; i < count; i++)
        max = fmax(max, fabs(x[i]));
    return max;
}

static void normalise(size_t n, double *x)
{
    const double size = largest(n, x);
    double square = 0.0;
    for (size_t i = 0; i < n; i++) {
        x[i] /= size;
        square += x[i] * x[i];
    }
    for (size_t i = 0; i < n; i++)
        x[i] /= sqrt(square);
}

void segue_general_eigenvector(size_t n, const double *a, double value, size_t number,
                               double *scratch, double *vector)
{
    const double min_pivot = fmax(DBL_MIN / DBL_EPSILON, DBL_EPSILON * largest(n * n, a));
    for (size_t i = 0; i < n; i++)
        vector[i] = i == number ? 2.0 : 1.0;
    for (int turn = 0; turn < ITERATIONS; turn++) {
        memcpy(scratch, a, n * n * sizeof *scratch);
        for (size_t i = 0; i < n; i++)
            scratch[i * n + i] -= value;
        (void)segue_general_solve(n, 1, scratch, vector, min_pivot); /* no pivot is 0 */
        normalise(n, vector);
    }
}
