/* jacobi.c - eigenvectors of small symmetric matrices by rotations (Jacobi 1846; Golub and Van
 * Loan, section 8.5), in the order of a tournament.
 *
 * Each rotation zeroes one entry off the diagonal; a sweep visits all of them, and their sum of
 * squares falls quadratically in the end. O(n^3) per sweep, about six sweeps. All memory is on the
 * stack, so any number of threads may call it at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/linalg/jacobi.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_SWEEPS 60

/* Rows p and q <- c p - s q and s p + c q. */
static void rotate_rows(size_t n, double *a, size_t p, size_t q, double c, double s)
{
    double *restrict x = a + p * n, *restrict y = a + q * n;
    for (size_t k = 0; k < n; k++) {
        const double old = x[k];
        x[k] = c * old - s * y[k];
        y[k] = s * old + c * y[k];
    }
}

/* A rotation of rows p and q. */
typedef struct rotation {
    size_t p, q;
    double t, c, s; /* tangent, cosine, sine */
} rotation;

/* Find pair i of a round of a tournament of `players`, an even number: in players - 1 rounds every
 * two meet once, and in a round no one meets two. */
static void pair_up(size_t players, size_t round, size_t i, size_t *p, size_t *q)
{
    const size_t a = (round + i) % (players - 1);
    const size_t b = i == 0 ? players - 1 : (round + players - 1 - i) % (players - 1);
    *p = a < b ? a : b;
    *q = a < b ? b : a;
}

/* Find the rotations of a round, by the smaller angles, for entries above `tolerance`. They
 * concern different rows, so that none waits for another. */
static size_t find_rotations(size_t n, const double *a, size_t round, double tolerance,
                             rotation *out)
{
    const size_t players = n + n % 2;
    size_t count = 0, p, q;
    for (size_t i = 0; i < players / 2; i++) {
        pair_up(players, round, i, &p, &q);
        if (q < n && fabs(a[p * n + q]) > tolerance)
            out[count++] = (rotation){.p = p, .q = q};
    }
    for (size_t i = 0; i < count; i++) {
        const size_t row = out[i].p, column = out[i].q;
        const double theta =
            (a[column * n + column] - a[row * n + row]) / (2.0 * a[row * n + column]);
        out[i].t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
        out[i].c = 1.0 / sqrt(out[i].t * out[i].t + 1.0);
        out[i].s = out[i].t * out[i].c;
    }
    return count;
}

/* Rotate rows and columns so that entry (p, q) becomes zero; symmetry gives the columns from the
 * rows. */
static void rotate(size_t n, double *a, double *vectors, const rotation *r)
{
    const size_t p = r->p, q = r->q;
    const double across = a[p * n + q], first = a[p * n + p], second = a[q * n + q];
    rotate_rows(n, a, p, q, r->c, r->s);
    rotate_rows(n, vectors, p, q, r->c, r->s);
    a[p * n + p] = first - r->t * across;
    a[q * n + q] = second + r->t * across;
    a[p * n + q] = a[q * n + p] = 0.0;
    for (size_t k = 0; k < n; k++) {
        a[k * n + p] = a[p * n + k];
        a[k * n + q] = a[q * n + k];
    }
}

/* Make one sweep; false if no entry off the diagonal was above `tolerance`. */
static bool sweep(size_t n, double *a, double *vectors, double tolerance)
{
    rotation round_of[SEGUE_MAX_JACOBI / 2 + 1];
    bool rotated = false;
    for (size_t round = 0; round < n + n % 2 - 1; round++) {
        const size_t count = find_rotations(n, a, round, tolerance, round_of);
        for (size_t i = 0; i < count; i++)
            rotate(n, a, vectors, &round_of[i]);
        rotated = rotated || count > 0;
    }
    return rotated;
}

/* Sort values, and the rows that belong to them, ascending. */
static void sort(size_t n, double *values, double *rows)
{
    for (size_t i = 0; i < n; i++) {
        size_t smallest = i;
        for (size_t k = i + 1; k < n; k++)
            if (values[k] < values[smallest])
                smallest = k;
        const double value = values[i];
        values[i] = values[smallest];
        values[smallest] = value;
        for (size_t k = 0; k < n; k++) {
            const double x = rows[i * n + k];
            rows[i * n + k] = rows[smallest * n + k];
            rows[smallest * n + k] = x;
        }
    }
}

bool segue_jacobi_eigen(size_t n, double *a, double *values)
{
    double vectors[SEGUE_MAX_JACOBI * SEGUE_MAX_JACOBI] = {0.0};
    double squares = 0.0;
    int sweeps = 0;
    for (size_t i = 0; i < n * n; i++)
        squares += a[i] * a[i];
    if (!isfinite(squares))
        return false;
    for (size_t i = 0; i < n; i++)
        vectors[i * n + i] = 1.0;
    while (sweeps < MAX_SWEEPS && sweep(n, a, vectors, DBL_EPSILON * sqrt(squares)))
        sweeps++;
    for (size_t i = 0; i < n; i++)
        values[i] = a[i * n + i];
    sort(n, values, vectors);
    memcpy(a, vectors, n * n * sizeof *a);
    return sweeps < MAX_SWEEPS;
}
