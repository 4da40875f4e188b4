/* complexity.h - the parts of `segue complexity`: what complexity.c computes and
 * complexity_print.c and complexity_bounds.c print.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_COMPLEXITY_COMPLEXITY_H
#define SEGUE_CLI_COMMANDS_COMPLEXITY_COMPLEXITY_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/output.h"
#include "io/models_file.h"
#include "segue/theory.h"

typedef struct cli_complexity_settings {
    const char *models, *estimated, *format, *out;
    uint64_t steps, tasks;
    double eps, delta, c1, c3, c4;
} cli_complexity_settings;

/** The quantities of one true model, or their averages. */
typedef struct cli_complexity_row {
    segue_known_sets *known;
    segue_estimated_sets *estimated; /* NULL without --estimated */
    segue_hypothesis_test test;
    double ucb, ucb_plus, mucb, mucb_second, tucb;
    double bound_umucb; /* NaN without --estimated */
} cli_complexity_row;

typedef struct cli_complexity {
    cli_complexity_settings set;
    cli_format format;
    segue_models_file models, estimated;
    size_t *match;            /* n_models, with --estimated */
    cli_complexity_row *rows; /* n_models */
    cli_complexity_row average;
    segue_spectrum spectrum;
    segue_perturbation perturbation;
    segue_perturbation_tasks tasks;
    double delta, log_term, log_term_estimated;
    double error; /* the largest of an estimated mean, with --estimated */
} cli_complexity;

/** The regret bound of a task of --steps steps, K + 2 L complexity (docs/math.md). */
double cli_complexity_bound(const cli_complexity *c, double complexity);

/** The bound over --tasks tasks (Theorem 4): of umUCB on the estimates if there are any, else of
 * mUCB. */
double cli_complexity_run_bound(const cli_complexity *c);

/** Print the bounds below the tables of models. */
void cli_complexity_print_bounds(const cli_complexity *c, FILE *out);

/** Theorem 2 on the model set as JSON: constants, error, conditions on the number of tasks; NULL:
 * out of memory. */
json_t *cli_complexity_perturbation(const cli_complexity *c);

extern const cli_printers cli_complexity_printers;

#endif
