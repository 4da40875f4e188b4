/* provenance.h - what the page rests on: references, number of runs, programs, machine and times.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_PROVENANCE_H
#define SEGUE_REPORT_PROVENANCE_H

#include "report/report.h"

/** Print the bibliography, with venues and identifiers. */
void segue_provenance_print_references(FILE *out);

/** Print why there are as many runs as there are, from their standard errors. */
void segue_provenance_print_runs(const segue_paper *paper, FILE *out);

/**
 * Print compiler, BLAS, gnuplot and processor, and the CPU time of the experiments from
 * timing.json in the folder `data`.  The times are in a line of their own that begins with
 * `<p id="times">`: all other lines are the same for a seed, a build and a kind of processor.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_provenance_print_tools(FILE *out, const char *data,
                                                           segue_error *err);

#endif
