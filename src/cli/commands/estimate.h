/* estimate.h - what the parts of `segue estimate` share: models in cmd_estimate.c, types beside it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_ESTIMATE_H
#define SEGUE_CLI_COMMANDS_ESTIMATE_H

#include "cli/output.h"
#include "io/log/log.h"
#include "segue/estimator.h"
#include "segue/internal.h"

#define NAMED 5 /* tasks that were left out, named */

typedef struct estimate_settings {
    const char *method, *views, *weights, *format, *out;
    uint64_t types, starts, steps, window, seed, threads;
    double alpha0, lowest, highest;
    bool quiet;
} estimate_settings;

typedef struct study {
    estimate_settings set;
    cli_format format;
    const char *path;
    segue_log log;
    segue_moments *moments;                  /* models: what they are estimated from ... */
    segue_estimator *estimator;              /* ... and by */
    segue_types *types;                      /* types: they, ... */
    size_t by_weight[SEGUE_MAX_TYPES_COUNT]; /* ... numbered by falling weight, as in a replay */
    uint64_t left_out;
    const char *left_out_name[NAMED];
    bool numbers;          /* all arms are named by numbers */
    int symmetric, lambda; /* what --views and --weights say */
} study;

/** Find types in the log that was read.  @retval SEGUE_EDOMAIN, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status cli_estimate_types(study *st, segue_error *err);
extern const cli_printers cli_estimate_types_printers;

/** A mean in [0, 1], in the range of the rewards. */
double cli_estimate_scale_mean(const study *st, double mean);

/** The header of a model set. */
void cli_estimate_print_header(const study *st, FILE *out);

/** The names of the arms. */
json_t *cli_estimate_arm_names(const study *st);

/** Say that a long log was not fitted as a whole, if so. */
void cli_estimate_print_truncated(const study *st, FILE *out);

#endif
