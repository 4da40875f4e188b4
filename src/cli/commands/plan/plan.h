/* plan.h - `segue plan`: its options, its inputs and its result.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_PLAN_PLAN_H
#define SEGUE_CLI_COMMANDS_PLAN_PLAN_H

#include "cli/log/log_options.h"
#include "cli/output.h"
#include "plan/plan.h"

#define CLI_PLAN_TEXT_SIZE 600

/** The options; 0 or NaN: not given. */
typedef struct cli_plan_settings {
    uint64_t types, arms, steps, tasks, simulated, runs, seed, threads;
    double effect, base, spread, value, tasks_per_day;
    cli_log_settings log;
    const char *policy, *html, *figures, *format, *out;
    bool quiet;
} cli_plan_settings;

/** The command under way; `config` borrows from the other members. */
typedef struct cli_plan {
    cli_plan_settings set;
    cli_format format;
    const char *path; /* of the log; NULL: a guess */
    size_t n_populations;
    segue_population population[SEGUE_MAX_PLAN_POPULATIONS]; /* the tasks to come */
    segue_plan_config config;
    segue_plan_result result;
    char tasks[CLI_PLAN_TEXT_SIZE]; /* the tasks to come, in words */
} cli_plan;

extern const cli_printers cli_plan_printers;

/**
 * Make the types of a guess: type q has mean base + effect for arm q, and base for the others.
 *
 * @retval SEGUE_EUSAGE, SEGUE_EDOMAIN  a setting is missing, or does not fit the others
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status cli_plan_guess(cli_plan *plan, segue_error *err);

/**
 * Fit types to the log, and draw distributions of tasks that it allows.
 *
 * @retval SEGUE_EUSAGE, SEGUE_EDOMAIN  a setting of a guess is given, or the log has too few tasks
 * @retval other  as segue_history_read
 */
SEGUE_MUST_CHECK segue_status cli_plan_read_log(cli_plan *plan, segue_error *err);

/** Write the page of --html.  @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status cli_plan_write_page(const cli_plan *plan, segue_error *err);

#endif
