/* spectral.h - the moments in the span of the leading eigenvectors: the input of every method.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_SPECTRAL_H
#define SEGUE_ESTIMATE_SPECTRAL_H

#include "core/bytes.h"
#include "estimate/moments.h"
#include "estimate/subspace.h"

/* The moments after M2 is diagonal. */
typedef struct spectral {
    size_t n_arms, m;
    size_t
        n_values; /* known eigenvalues: all, or above SEGUE_MAX_DENSE_ARMS arms the leading ones */
    double *eigenvalue; /* n_values, the largest first */
    double noise;       /* the eigenvalue that noise alone makes */
    double *basis;      /* n_arms x m: U, the m leading eigenvectors as columns */
    double *first;      /* n_arms: M1 */
    double *mean;       /* m: U' M1 */
    double *tensor;     /* m x m x m: M3(U, U, U), symmetric; a method may destroy it ... */
    double *third;      /* ... and its copy */
    subspace leading;   /* of many arms: the eigenvectors, from which the next fit starts */
    bool has_leading;   /* `leading` is set */
} spectral;

/* @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_spectral_init(spectral *s, size_t n_arms, size_t m,
                                                  segue_error *err);
void segue_spectral_fini(spectral *s);

/* Diagonalise M2 - alpha0 / (alpha0 + 1) M1 M1': its eigenvalues, U and the noise.
 * @retval SEGUE_ENOMEM, SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_spectral_diagonalise(spectral *s, const segue_moments *moments,
                                                         double alpha0, segue_error *err);

/* M3 in that basis.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_spectral_project(spectral *s, const segue_moments *moments,
                                                     segue_error *err);

/* Restore the mean and the tensor, which a method may have destroyed. */
void segue_spectral_reset(spectral *s);

/* Whiten: the tensor becomes M3(W, W, W), W = U D^(-1/2), and the mean W' M1. */
void segue_spectral_whiten(spectral *s);

/* out (n_arms) = U D^(1/2) x if `rooted`, else U x, for x of m. */
void segue_spectral_lift(const spectral *s, bool rooted, const double *x, double *out);

/* Write and read the start of the next fit, and the eigenvalues. */
void segue_spectral_serialize(const spectral *s, segue_bytes *b);
void segue_spectral_deserialize(spectral *s, segue_bytes_reader *r);

#endif
