/* jacobi.c - eigenvectors of small symmetric matrices by cyclic rotations (Jacobi 1846; Golub and
 * Van Loan, section 8.5).
 *
 * Each rotation makes one entry off the diagonal zero; a sweep goes over all of them, and their sum
 * of squares falls quadratically in the end.  O(n^3) a sweep, six or so sweeps.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/jacobi.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_SWEEPS 60

/* The rotation that makes entry (p, q) zero: its sine and cosine, by the smaller angle. */
static void find_rotation(size_t n, const double *a, size_t p, size_t q, double *c, double *s)
{
    const double theta = (a[q * n + q] - a[p * n + p]) / (2.0 * a[p * n + q]);
    const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
    *c = 1.0 / sqrt(t * t + 1.0);
    *s = t * *c;
}

static void rotate_rows(size_t n, double *a, size_t p, size_t q, double c, double s)
{
    for (size_t k = 0; k < n; k++) {
        const double x = a[p * n + k], y = a[q * n + k];
        a[p * n + k] = c * x - s * y;
        a[q * n + k] = s * x + c * y;
    }
}

static void rotate_columns(size_t n, double *a, size_t p, size_t q, double c, double s)
{
    for (size_t k = 0; k < n; k++) {
        const double x = a[k * n + p], y = a[k * n + q];
        a[k * n + p] = c * x - s * y;
        a[k * n + q] = s * x + c * y;
    }
}

/* One sweep; false if no entry off the diagonal was above `nothing`. */
static bool sweep(size_t n, double *a, double *vectors, double nothing)
{
    bool rotated = false;
    for (size_t p = 0; p < n; p++)
        for (size_t q = p + 1; q < n; q++) {
            if (fabs(a[p * n + q]) <= nothing)
                continue;
            double c = 1.0, s = 0.0;
            find_rotation(n, a, p, q, &c, &s);
            rotate_rows(n, a, p, q, c, s);
            rotate_columns(n, a, p, q, c, s);
            rotate_rows(n, vectors, p, q, c, s);
            a[p * n + q] = a[q * n + p] = 0.0;
            rotated = true;
        }
    return rotated;
}

/* Put values, and the rows that belong to them, into ascending order. */
static void sort(size_t n, double *values, double *rows)
{
    for (size_t i = 0; i < n; i++) {
        size_t least = i;
        for (size_t k = i + 1; k < n; k++)
            if (values[k] < values[least])
                least = k;
        const double value = values[i];
        values[i] = values[least];
        values[least] = value;
        for (size_t k = 0; k < n; k++) {
            const double x = rows[i * n + k];
            rows[i * n + k] = rows[least * n + k];
            rows[least * n + k] = x;
        }
    }
}

bool segue_jacobi(size_t n, double *a, double *values)
{
    double vectors[SEGUE_JACOBI_MOST * SEGUE_JACOBI_MOST] = {0.0};
    double squares = 0.0;
    int sweeps = 0;
    for (size_t i = 0; i < n * n; i++)
        squares += a[i] * a[i];
    if (!isfinite(squares))
        return false;
    for (size_t i = 0; i < n; i++)
        vectors[i * n + i] = 1.0;
    while (sweeps < MOST_SWEEPS && sweep(n, a, vectors, DBL_EPSILON * sqrt(squares)))
        sweeps++;
    for (size_t i = 0; i < n; i++)
        values[i] = a[i * n + i];
    sort(n, values, vectors);
    memcpy(a, vectors, n * n * sizeof *a);
    return sweeps < MOST_SWEEPS;
}
