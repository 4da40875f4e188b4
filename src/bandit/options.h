/* options.h - parse `key=value,key=value` by a table.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_OPTIONS_H
#define SEGUE_BANDIT_OPTIONS_H

#include "segue/policy.h"

/** A table of options and its owner. */
typedef struct option_table {
    const char *kind;  /* "policy" or "learner" */
    const char *owner; /* its name */
    const segue_option *options;
    size_t count;
} option_table;

/**
 * Parse `text` into `value` (count numbers, NaN where nothing was given yet).
 *
 * @retval SEGUE_ENAME, SEGUE_EPARSE, SEGUE_EDOMAIN
 */
SEGUE_MUST_CHECK segue_status segue_options_parse(const option_table *table, const char *text,
                                                  double *value, segue_error *err);

/** Check values that a caller set; NaN stands for the default and fits. */
SEGUE_MUST_CHECK segue_status segue_options_check(const option_table *table, const double *value,
                                                  segue_error *err);

/** Return the table of a policy. */
option_table segue_options_of_policy(const segue_policy *policy);

/** Set one option to a number, or to the index of a choice. */
SEGUE_MUST_CHECK segue_status segue_options_set(const option_table *table, const char *key,
                                                double number, double *value, segue_error *err);

#endif
