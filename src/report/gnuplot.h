/* gnuplot.h - run gnuplot, and take what it draws.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_GNUPLOT_H
#define SEGUE_REPORT_GNUPLOT_H

#include "segue/internal.h"
#include "segue/status.h"

/**
 * Run `gnuplot -e SETUP SCRIPT` in `folder`, and take its standard output.
 *
 * @retval SEGUE_EFILE  gnuplot is not installed
 * @retval SEGUE_EIO    it failed, with its own words
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_gnuplot_run(const char *folder, const char *setup,
                                                const char *script, segue_bytes *out,
                                                segue_error *err);

/** Whether there is a gnuplot, to be asked before long work. */
SEGUE_MUST_CHECK segue_status segue_gnuplot_check(segue_error *err);

#endif
