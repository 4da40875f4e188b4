/* estimate.h - the parts of `segue estimate`: models (estimate.c, estimate_print.c) and types.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_ESTIMATE_ESTIMATE_H
#define SEGUE_CLI_COMMANDS_ESTIMATE_ESTIMATE_H

#include "cli/log/log_tally.h"
#include "cli/output.h"
#include "io/log/log.h"
#include "segue/estimator.h"
#include "segue/internal.h"

#define CLI_ESTIMATE_TYPES "types" /* the method that finds types, besides the estimators */
#define CLI_ESTIMATE_NAMED 5       /* skipped tasks whose names are printed */

typedef struct cli_estimate_settings {
    const char *method, *views, *batches, *weights, *format, *out;
    uint64_t types, starts, steps, window, seed;
    double alpha0;
    bool assign;
    cli_log_settings log;
} cli_estimate_settings;

/* The likeliest type of a task; 0: no type. */
typedef struct cli_estimate_assignment {
    size_t type;
    double probability;
} cli_estimate_assignment;

typedef struct cli_estimate {
    cli_estimate_settings set;
    const segue_estimator_method *method; /* NULL: types */
    cli_format format;
    const char *path;
    log_read_options reading; /* columns, format and range of the log */
    bool is_tally;            /* the input is a tally, not a log */
    segue_log log;
    segue_moments *moments;            /* models: the moments of the tasks, ... */
    segue_estimator *estimator;        /* ... the estimator, ... */
    size_t *by_weight;                 /* ... and its models by falling weight; NULL: none */
    segue_types *types;                /* types: the fit ... */
    double *reward_weight;             /* ... and n_arms: what a reward counts as in it */
    cli_estimate_assignment *assigned; /* --assign: log.n_tasks */
    uint64_t n_skipped;
    const char *skipped[CLI_ESTIMATE_NAMED];
    bool has_number_names;              /* all arms are named by numbers */
    int symmetric, consecutive, lambda; /* --views, --batches and --weights */
} cli_estimate;

extern const cli_printers cli_estimate_printers;
extern const cli_printers cli_estimate_types_printers;
extern const cli_printers cli_estimate_assign_printers;

/** Find types in the log that was read.  @retval SEGUE_EDOMAIN, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status cli_estimate_types(cli_estimate *e, segue_error *err);

/** Find the likeliest type of each task, of a fit of types.  @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status cli_estimate_assign(cli_estimate *e, segue_error *err);

/** Write the posterior of a task: no type first, then types by number.  `counts` is scratch of
 * 2 x n_arms.  Returns the likeliest. */
size_t cli_estimate_posterior(const cli_estimate *e, size_t task, double *counts,
                              double *probability);

/** Map a mean from [0, 1] to the range of the rewards. */
double cli_estimate_scale_mean(const cli_estimate *e, double mean);

/** Print the header of a model set: weight, and the arms. */
void cli_estimate_print_header(const cli_estimate *e, FILE *out);

/** List the names of the arms. */
json_t *cli_estimate_arm_names(const cli_estimate *e);

/** Print a sentence if --window excluded tasks of the log. */
void cli_estimate_print_truncated(const cli_estimate *e, FILE *out);

#endif
