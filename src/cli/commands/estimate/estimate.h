/* estimate.h - the parts of `segue estimate`: models (estimate.c, estimate_print.c) and types.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_ESTIMATE_ESTIMATE_H
#define SEGUE_CLI_COMMANDS_ESTIMATE_ESTIMATE_H

#include "cli/output.h"
#include "io/log/log.h"
#include "segue/estimator.h"
#include "segue/internal.h"

#define CLI_ESTIMATE_TYPES "types" /* the method that finds types, besides the estimators */
#define CLI_ESTIMATE_NAMED 5       /* skipped tasks whose names are printed */

typedef struct cli_estimate_settings {
    const char *method, *views, *batches, *weights, *format, *out;
    uint64_t types, starts, steps, window, seed;
    double alpha0, lowest, highest;
} cli_estimate_settings;

typedef struct cli_estimate {
    cli_estimate_settings set;
    const segue_estimator_method *method; /* NULL: types */
    cli_format format;
    const char *path;
    segue_log log;
    segue_moments *moments;            /* models: the moments of the tasks, ... */
    segue_estimator *estimator;        /* ... and the estimator */
    segue_types *types;                /* types: the fit, ... */
    size_t by_weight[SEGUE_MAX_TYPES]; /* ... and its types by decreasing weight */
    uint64_t n_skipped;
    const char *skipped[CLI_ESTIMATE_NAMED];
    bool has_number_names;              /* all arms are named by numbers */
    int symmetric, consecutive, lambda; /* --views, --batches and --weights */
} cli_estimate;

extern const cli_printers cli_estimate_printers;
extern const cli_printers cli_estimate_types_printers;

/** Find types in the log that was read.  @retval SEGUE_EDOMAIN, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status cli_estimate_types(cli_estimate *e, segue_error *err);

/** Map a mean from [0, 1] to the range of the rewards. */
double cli_estimate_scale_mean(const cli_estimate *e, double mean);

/** Print the header of a model set: weight, and the arms. */
void cli_estimate_print_header(const cli_estimate *e, FILE *out);

/** List the names of the arms. */
json_t *cli_estimate_arm_names(const cli_estimate *e);

/** Print a sentence if --window excluded tasks of the log. */
void cli_estimate_print_truncated(const cli_estimate *e, FILE *out);

#endif
