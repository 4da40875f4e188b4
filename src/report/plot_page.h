/* plot_page.h - the results of an experiment as a small HTML page.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_PLOT_PAGE_H
#define SEGUE_REPORT_PLOT_PAGE_H

#include "io/results/results.h"

/**
 * Write a self-contained page: the figures that 'segue plot' draws, and a table of all cells.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_plot_page_write(const segue_results *results, const char *path,
                                                    segue_error *err);

#endif
