/* curve_file.h - the file of 'segue simulate --curve': regret by task, of several policies.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_CURVE_FILE_H
#define SEGUE_REPORT_CURVE_FILE_H

#include <stddef.h>

#include "segue/status.h"

typedef struct segue_curve_row {
    size_t policy; /* index of its name */
    double task;   /* from 1 */
    double mean, se;
} segue_curve_row;

typedef struct segue_curve_file {
    size_t n_policies, n_rows;
    char **policy; /* names as typed, in the order of the file */
    segue_curve_row *row;
} segue_curve_file;

/**
 * Read a curve; release it with segue_curve_file_fini, also after a failure.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN  the message names file and line
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_curve_file_read(segue_curve_file *curve, const char *path,
                                                    segue_error *err);
void segue_curve_file_fini(segue_curve_file *curve);

#endif
