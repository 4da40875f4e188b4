/* spectral.c - diagonalise the second moment, and project the others on its leading span.
 *
 * W = U D^(-1/2) whitens: W' M2 W = I.  Its pseudo-inverse transposed is B = U D^(1/2).
 * Cost O(n_arms^3) for the eigenvectors; above SEGUE_MAX_DENSE_ARMS arms only the leading ones are
 * made, from those of the last fit, O(n_arms^2 m).
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/spectral.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/linalg/linalg.h"

#define GUARDS 5 /* eigenvectors beyond the m: the gap after the m-th may be narrow */

static bool is_large(const spectral *s)
{
    return s->n_arms > SEGUE_MAX_DENSE_ARMS;
}

void segue_spectral_fini(spectral *s)
{
    free(s->eigenvalue);
    free(s->basis);
    free(s->first);
    free(s->mean);
    free(s->tensor);
    free(s->third);
    segue_subspace_fini(&s->leading);
}

segue_status segue_spectral_init(spectral *s, size_t n_arms, size_t m, segue_error *err)
{
    *s = (spectral){.n_arms = n_arms, .m = m};
    s->eigenvalue = calloc(n_arms, sizeof *s->eigenvalue);
    s->basis = calloc(n_arms * m, sizeof *s->basis);
    s->first = calloc(n_arms, sizeof *s->first);
    s->mean = calloc(m, sizeof *s->mean);
    s->tensor = calloc(m * m * m, sizeof *s->tensor);
    s->third = calloc(m * m * m, sizeof *s->third);
    if (!s->eigenvalue || !s->basis || !s->first || !s->mean || !s->tensor || !s->third)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory to estimate %zu models of %zu arms", m,
                          n_arms);
    if (is_large(s))
        return segue_subspace_init(&s->leading, n_arms, m + GUARDS < n_arms ? m + GUARDS : n_arms,
                                   err);
    return SEGUE_OK;
}

/* ---- all eigenvectors -------------------------------------------------------------------- */

/* The eigenvalues, the largest first, and the leading `count` vectors into the columns of
 * `vector`, from LAPACK's rows. */
static void take_leading(const double *rows, double *value, size_t n, size_t count, double *vector)
{
    for (size_t i = 0; i < n / 2; i++) {
        const double swap = value[i];
        value[i] = value[n - 1 - i];
        value[n - 1 - i] = swap;
    }
    for (size_t k = 0; k < count && k < n; k++)
        for (size_t i = 0; i < n; i++)
            vector[i * count + k] = rows[(n - 1 - k) * n + i];
}

/* Use `matrix`, of n_arms * n_arms numbers, as scratch. */
static segue_status diagonalise_in(spectral *s, const segue_moments *moments, double alpha0,
                                   double *matrix, size_t count, double *vector, segue_error *err)
{
    const size_t n = s->n_arms;
    SEGUE_TRY(segue_moments_second(moments, matrix, err));
    for (size_t i = 0; i < n * n && alpha0 > 0.0; i++)
        matrix[i] -= alpha0 / (alpha0 + 1.0) * s->first[i / n] * s->first[i % n];
    SEGUE_TRY(segue_linalg_eigenvectors(n, matrix, s->eigenvalue, err));
    take_leading(matrix, s->eigenvalue, n, count, vector);
    return SEGUE_OK;
}

static segue_status diagonalise(spectral *s, const segue_moments *moments, double alpha0,
                                size_t count, double *vector, segue_error *err)
{
    const size_t n = s->n_arms;
    double *matrix = calloc(n * n, sizeof *matrix);
    if (!matrix)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a matrix of %zu arms", n);
    const segue_status status = diagonalise_in(s, moments, alpha0, matrix, count, vector, err);
    free(matrix);
    s->n_values = n;
    return status;
}

/* ---- the leading ones -------------------------------------------------------------------- */

/* The matrix to be diagonalised, as a function. */
typedef struct operand {
    const spectral *s;
    const segue_moments *moments;
    double alpha0;
} operand;

static segue_status apply(void *context, const double *x, size_t r, double *y, segue_error *err)
{
    const operand *o = context;
    const size_t n = o->s->n_arms;
    const double *first = o->s->first;
    const double share = o->alpha0 / (o->alpha0 + 1.0);
    const segue_status status = segue_moments_apply(o->moments, x, r, y, err);
    for (size_t k = 0; k < r && share > 0.0; k++) {
        double along = 0.0;
        for (size_t i = 0; i < n; i++)
            along += first[i] * x[i * r + k];
        for (size_t i = 0; i < n; i++)
            y[i * r + k] -= share * first[i] * along;
    }
    return status;
}

/* Iterate from the last vectors; where that does not converge, use LAPACK. */
static segue_status iterate(spectral *s, const segue_moments *moments, double alpha0,
                            segue_error *err)
{
    subspace *sub = &s->leading;
    operand o = {.s = s, .moments = moments, .alpha0 = alpha0};
    bool converged = false;
    if (!s->has_leading)
        segue_subspace_randomise(sub);
    SEGUE_TRY(segue_subspace_iterate(sub, s->m, s->noise, apply, &o, &converged, err));
    if (!converged)
        return diagonalise(s, moments, alpha0, sub->r, sub->vector, err);
    memcpy(s->eigenvalue, sub->value, sub->r * sizeof *sub->value);
    return SEGUE_OK;
}

static segue_status find_leading(spectral *s, const segue_moments *moments, double alpha0,
                                 segue_error *err)
{
    const subspace *sub = &s->leading;
    const segue_status status = iterate(s, moments, alpha0, err);
    s->n_values = sub->r;
    s->has_leading = status == SEGUE_OK; /* else the next fit starts from random vectors */
    for (size_t i = 0; i < s->n_arms && s->has_leading; i++)
        memcpy(s->basis + i * s->m, sub->vector + i * sub->r, s->m * sizeof *s->basis);
    return status;
}

segue_status segue_spectral_diagonalise(spectral *s, const segue_moments *moments, double alpha0,
                                        segue_error *err)
{
    segue_moments_first(moments, s->first);
    s->noise = segue_moments_noise(moments);
    if (is_large(s))
        return find_leading(s, moments, alpha0, err);
    const segue_status status = diagonalise(s, moments, alpha0, s->m, s->basis, err);
    s->noise = fmax(s->noise, -s->eigenvalue[s->n_arms - 1]); /* M2 itself has none below 0 */
    return status;
}

segue_status segue_spectral_project(spectral *s, const segue_moments *moments, segue_error *err)
{
    return segue_moments_third(moments, s->basis, s->m, s->third, err);
}

void segue_spectral_reset(spectral *s)
{
    segue_linalg_multiply_left(s->n_arms, s->m, 1, s->basis, s->first, s->mean);
    memcpy(s->tensor, s->third, s->m * s->m * s->m * sizeof *s->tensor);
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

/* ---- serialize --------------------------------------------------------------------------- */

void segue_spectral_serialize(const spectral *s, segue_bytes *b)
{
    segue_bytes_append_u64(b, s->n_values);
    segue_bytes_append_f64(b, s->eigenvalue, s->n_values);
    segue_bytes_append_u64(b, s->has_leading);
    if (s->has_leading)
        segue_bytes_append_f64(b, s->leading.vector, s->leading.n * s->leading.r);
}

void segue_spectral_deserialize(spectral *s, segue_bytes_reader *r)
{
    const uint64_t n_values = segue_bytes_read_u64(r);
    r->failed = r->failed || n_values > s->n_arms;
    s->n_values = r->failed ? 0 : (size_t)n_values;
    segue_bytes_read_f64(r, s->eigenvalue, s->n_values);
    s->has_leading = segue_bytes_read_u64(r) != 0 && is_large(s);
    if (s->has_leading)
        segue_bytes_read_f64(r, s->leading.vector, s->leading.n * s->leading.r);
}
