/* choices.h - where the paper is silent, ambiguous or wrong: what is done here, and how much it
 * matters.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_CHOICES_H
#define SEGUE_REPORT_CHOICES_H

#include <stdio.h>

#include "report/paper.h"

/** Print the section of the page.  The table in docs/paper.md is this one, with the numbers of the
 * whole experiments; tests/test_paper_docs.py compares them. */
void segue_choices_print(const segue_paper *paper, FILE *out);

#endif
