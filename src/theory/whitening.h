/* whitening.h - the gap that separates eigenvectors of M2; shared by the perturbation bounds.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_THEORY_WHITENING_H
#define SEGUE_THEORY_WHITENING_H

#include "segue/perturbation.h"

/** Return the gap of Lemma 5: Gamma_sigma as printed; corrected, at most sigma_min where there are
 * more arms than models. Infinite where nothing limits it, NaN where sigma_min is. */
double segue_whitening_gap(const segue_models *models, const segue_spectrum *spectrum,
                           segue_form form);

#endif
