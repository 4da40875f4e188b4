/* plan_page.h - a plan as an HTML page with its figure.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_PLAN_PAGE_H
#define SEGUE_REPORT_PLAN_PAGE_H

#include "plan/plan.h"

/** The content of a page; texts are borrowed. */
typedef struct segue_plan_page {
    const segue_plan_config *config;
    const segue_plan_result *result;
    const char *tasks;   /* the tasks to come, in words */
    const char *command; /* that writes the same bytes again */
} segue_plan_page;

/**
 * Write a self-contained page.  The figure is also stored in the folder `figures`, unless that is
 * NULL.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_plan_page_write(const segue_plan_page *page, const char *path,
                                                    const char *figures, segue_error *err);

#endif
