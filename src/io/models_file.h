/* models_file.h - model sets in CSV.
 *
 *     weight,tutor A,tutor B
 *     0.5,0.9,0.4
 *     0.5,0.2,0.8
 *
 * A header that names the arms, with an optional first column `weight`; one row per model.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_MODELS_FILE_H
#define SEGUE_IO_MODELS_FILE_H

#include "segue/models.h"

typedef struct segue_models_file {
    segue_models *models;
    char **arm_name; /* n_arms */
    size_t n_arms;
} segue_models_file;

/**
 * Read a model set; "-" is the standard input.  On failure *out is empty.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN  the message names file, line and field
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_models_file_read(segue_models_file *out, const char *path,
                                                     segue_models_kind kind, segue_error *err);
void segue_models_file_fini(segue_models_file *file);

/** Return why a text cannot name an arm of a model set; NULL if it can. */
const char *segue_models_file_arm_problem(const char *name);

#endif
