/* simulate.h - the parts of `segue simulate`: what simulate.c plays and simulate_print.c prints.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_SIMULATE_SIMULATE_H
#define SEGUE_CLI_COMMANDS_SIMULATE_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/log/log_options.h"
#include "cli/output.h"
#include "io/models_file.h"
#include "io/policy_list.h"
#include "segue/simulation.h"

typedef struct cli_simulate_settings {
    const char *models, *policy, *curve, *switch_to, *rewards, *format, *out, *save, *load, *kernel;
    const char *log, *order, *explain, *costs;
    uint64_t steps, runs, tasks, seed, threads, uniform, switch_at, min_rewards;
    double spread, mixed, switch_cost;
    cli_log_settings columns; /* of --log */
    bool timing, quiet, ignore_costs;
} cli_simulate_settings;

typedef struct cli_simulate {
    cli_simulate_settings set;
    cli_format format;
    segue_kernels kernel;
    segue_models_file models, switch_to;
    segue_samples *samples; /* with --log */
    segue_environment env;
    segue_policy_list policies;
    segue_learner *learner;           /* with --save or --load */
    segue_simulation_result **result; /* per policy */
    double *seconds;                  /* per policy */
    segue_output reasons;             /* with --explain */
    double *cost;                     /* per arm, with --costs */
} cli_simulate;

extern const cli_printers cli_simulate_printers;

/** Read one cost per arm of the environment.  @retval SEGUE_EUSAGE, SEGUE_EPARSE, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status cli_simulate_read_costs(cli_simulate *s, segue_error *err);

/** Write the regret of each task to the file of --curve, as CSV.
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status cli_simulate_write_curve(const cli_simulate *s, segue_error *err);

#endif
