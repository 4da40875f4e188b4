/* householder.c - least squares by reflections (Householder 1958; Golub and Van Loan, section
 * 5.3).
 *
 * Row k of `a` is column k of the problem. A reflection sends the rest of it to a multiple of e_k,
 * and is applied to the rows after it and to b; a triangular system remains. O(m^2 n).
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/linalg/householder.h"

#include <math.h>

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* x <- x - 2 v (v'x) / (v'v), where `square` is v'v. */
static void reflect(size_t n, const double *v, double square, double *x)
{
    const double scale = 2.0 * dot(n, v, x) / square;
    for (size_t i = 0; i < n; i++)
        x[i] -= scale * v[i];
}

/* Turn v, row k from its k-th entry on, into a reflection; returns the diagonal entry, 0 if the
 * row is a combination of those before it. */
static double make_reflection(size_t n, double *v)
{
    const double length = sqrt(dot(n, v, v));
    const double diagonal = v[0] > 0.0 ? -length : length;
    v[0] -= diagonal;
    return diagonal;
}

bool segue_householder_solve(size_t m, size_t n, double *a, double *b)
{
    for (size_t k = 0; k < m; k++) {
        double *v = a + k * n + k;
        const double diagonal = make_reflection(n - k, v);
        const double square = dot(n - k, v, v);
        if (!(square > 0.0 && isfinite(square) && diagonal != 0.0))
            return false;
        for (size_t later = k + 1; later < m; later++)
            reflect(n - k, v, square, a + later * n + k);
        reflect(n - k, v, square, b + k);
        v[0] = diagonal; /* the triangle: entry (k, l) is a[l * n + k], l >= k */
    }
    for (size_t k = m; k-- > 0;) {
        for (size_t l = k + 1; l < m; l++)
            b[k] -= a[l * n + k] * b[l];
        b[k] /= a[k * n + k];
    }
    return true;
}
