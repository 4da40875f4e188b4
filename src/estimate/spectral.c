/* spectral.c - diagonalise the second moment, and carry the others into its leading span.
 *
 * W = U D^(-1/2) whitens: W' M2 W = I.  Its pseudo-inverse transposed is B = U D^(1/2).
 * Cost O(n_arms^3) for the eigenvectors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/spectral.h"

#include <math.h>
#include <stdlib.h>

#include "core/linalg.h"

void segue_spectral_fini(spectral *s)
{
    free(s->eigenvalue);
    free(s->basis);
    free(s->first);
    free(s->mean);
    free(s->tensor);
    free(s->scratch);
}

segue_status segue_spectral_init(spectral *s, size_t n_arms, size_t m, segue_error *err)
{
    *s = (spectral){.n_arms = n_arms, .m = m};
    s->eigenvalue = calloc(n_arms, sizeof *s->eigenvalue);
    s->basis = calloc(n_arms * m, sizeof *s->basis);
    s->first = calloc(n_arms, sizeof *s->first);
    s->mean = calloc(m, sizeof *s->mean);
    s->tensor = calloc(m * m * m, sizeof *s->tensor);
    s->scratch = calloc(n_arms * n_arms, sizeof *s->scratch);
    if (!s->eigenvalue || !s->basis || !s->first || !s->mean || !s->tensor || !s->scratch)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to estimate %zu models of %zu arms", m,
                          n_arms);
    return SEGUE_OK;
}

segue_status segue_spectral_second(spectral *s, const segue_moments *moments, double alpha0,
                                   segue_error *err)
{
    const size_t n = s->n_arms;
    segue_moments_first(moments, s->first);
    segue_moments_second(moments, s->scratch);
    for (size_t i = 0; i < n * n && alpha0 > 0.0; i++)
        s->scratch[i] -= alpha0 / (alpha0 + 1.0) * s->first[i / n] * s->first[i % n];
    const segue_status status = segue_la_eigenvectors(n, s->scratch, s->eigenvalue, err);
    if (status != SEGUE_OK)
        return status;
    for (size_t i = 0; i < n / 2; i++) { /* the largest first */
        const double swap = s->eigenvalue[i];
        s->eigenvalue[i] = s->eigenvalue[n - 1 - i];
        s->eigenvalue[n - 1 - i] = swap;
    }
    for (size_t k = 0; k < s->m && k < n; k++)
        for (size_t i = 0; i < n; i++)
            s->basis[i * s->m + k] = s->scratch[(n - 1 - k) * n + i];
    return SEGUE_OK;
}

segue_status segue_spectral_third(spectral *s, const segue_moments *moments, segue_error *err)
{
    segue_la_multiply_left(s->n_arms, s->m, 1, s->basis, s->first, s->mean);
    return segue_moments_third(moments, s->basis, s->m, s->tensor, err);
}

void segue_spectral_whiten(spectral *s)
{
    const size_t m = s->m;
    for (size_t a = 0; a < m; a++) {
        s->mean[a] /= sqrt(s->eigenvalue[a]);
        for (size_t b = 0; b < m; b++) {
            const double scale = sqrt(s->eigenvalue[a] * s->eigenvalue[b]);
            for (size_t c = 0; c < m; c++)
                s->tensor[(a * m + b) * m + c] /= scale * sqrt(s->eigenvalue[c]);
        }
    }
}

void segue_spectral_lift(const spectral *s, bool rooted, const double *x, double *out)
{
    for (size_t i = 0; i < s->n_arms; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < s->m; k++)
            sum += s->basis[i * s->m + k] * (rooted ? sqrt(s->eigenvalue[k]) : 1.0) * x[k];
        out[i] = sum;
    }
}
