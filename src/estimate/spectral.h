/* spectral.h - the moments in the span of the leading eigenvectors: what every estimator works on.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_ESTIMATE_SPECTRAL_H
#define SEGUE_ESTIMATE_SPECTRAL_H

#include "core/bytes.h"
#include "estimate/moments.h"
#include "estimate/subspace.h"

/* The problem that is left once M2 is diagonal. */
typedef struct spectral {
    size_t n_arms, m;
    size_t n_values;    /* eigenvalues that are known: all, or of many arms the leading few */
    double *eigenvalue; /* n_values, the largest first */
    double noise;       /* how large noise makes an eigenvalue */
    double *basis;      /* n_arms x m: U, the m leading eigenvectors as columns */
    double *first;      /* n_arms: M1 */
    double *mean;       /* m: U' M1 */
    double *tensor;     /* m x m x m: M3(U, U, U), symmetric; a method may destroy it ... */
    double *third;      /* ... and it is here too */
    subspace leading;   /* of many arms: the eigenvectors, from which the next fit starts */
    bool has_leading;   /* there are some */
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

/* The mean and the tensor as a method finds them, however often. */
void segue_spectral_reset(spectral *s);

/* Whiten: the tensor becomes M3(W, W, W), W = U D^(-1/2), and the mean W' M1. */
void segue_spectral_whiten(spectral *s);

/* out (n_arms) = U D^(1/2) x if `rooted`, else U x, for x of m. */
void segue_spectral_lift(const spectral *s, bool rooted, const double *x, double *out);

/* What the next fit starts from, and the eigenvalues: to bytes and back. */
void segue_spectral_serialize(const spectral *s, segue_bytes *b);
void segue_spectral_deserialize(spectral *s, segue_bytes_reader *r);

#endif
