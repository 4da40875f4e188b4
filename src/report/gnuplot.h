/* gnuplot.h - run gnuplot and read its output.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_GNUPLOT_H
#define SEGUE_REPORT_GNUPLOT_H

#include "segue/internal.h"
#include "segue/status.h"

/**
 * Run `gnuplot -e SETUP SCRIPT` in `folder`, and append its standard output to `out`.
 *
 * @retval SEGUE_EFILE  gnuplot is not installed
 * @retval SEGUE_EIO    it failed; the message has the first line of its standard error
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_gnuplot_run(const char *folder, const char *setup,
                                                const char *script, segue_bytes *out,
                                                segue_error *err);

/** Append the text of `gnuplot --version` to `out`; @retval as segue_gnuplot_run */
SEGUE_MUST_CHECK segue_status segue_gnuplot_version(segue_bytes *out, segue_error *err);

/** Check that gnuplot is installed, before long work; @retval SEGUE_EFILE */
SEGUE_MUST_CHECK segue_status segue_gnuplot_check(segue_error *err);

#endif
