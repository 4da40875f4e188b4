/* log_options.h - the options of every command that reads a log: columns, format, range.
 *
 * A command has a cli_log_settings in its struct of options, CLI_LOG_OPTIONS in its table, and calls
 * cli_log_options_parse before it reads the log.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_LOG_LOG_OPTIONS_H
#define SEGUE_CLI_LOG_LOG_OPTIONS_H

#include <stdio.h>

#include "cli/options.h"
#include "io/log/log_rows.h"

#define CLI_LOG_OPTIONS_SIZE 1024 /* bytes of the options as text */

/* As typed; NULL: not given. */
typedef struct cli_log_settings {
    const char *task, *arm, *reward, *time, *probability;
    const char *delimiter, *missing, *range;
} cli_log_settings;

#define CLI_LOG_OPTION(option, type, field, argument, help)                                        \
    {                                                                                              \
        option, 0, CLI_TEXT, offsetof(type, field), argument, help, 0, 0                           \
    }

/** The rows of a table of options; `member` is the cli_log_settings of struct `type`. */
#define CLI_LOG_OPTIONS(type, member)                                                              \
    CLI_LOG_OPTION("task", type, member.task, "NAME", "column of tasks (default task)"),           \
        CLI_LOG_OPTION("arm", type, member.arm, "NAME", "column of arms (default arm)"),           \
        CLI_LOG_OPTION("reward", type, member.reward, "NAME",                                      \
                       "column of rewards (default reward)"),                                      \
        CLI_LOG_OPTION("time", type, member.time, "NAME", "column of times (default time)"),       \
        CLI_LOG_OPTION("probability", type, member.probability, "NAME",                            \
                       "column of probabilities (default probability)"),                           \
        CLI_LOG_OPTION("delimiter", type, member.delimiter, "D",                                   \
                       "comma, tab, semicolon or pipe (default: guess)"),                          \
        CLI_LOG_OPTION("missing", type, member.missing, "HOW",                                     \
                       "rows without a value: error (default) or skip"),                           \
        CLI_LOG_OPTION("range", type, member.range, "LOW,HIGH",                                    \
                       "range of the rewards (default 0,1)")

/**
 * Read the settings into `out`, which starts with the defaults.  `out` borrows their texts.  The
 * caller sets `time` and `probability`.
 *
 * @retval SEGUE_ENAME, SEGUE_EPARSE, SEGUE_EDOMAIN
 */
SEGUE_MUST_CHECK segue_status cli_log_options_parse(const cli_log_settings *set,
                                                    log_read_options *out, segue_error *err);

/** Print on standard error how many rows of a log were skipped, if any were. */
void cli_log_options_report(const char *path, const log_skipped *skipped);

/** Print on standard error that the rewards of a log use little of its range, if they do: a range
 * that is too wide makes them all alike to a learner. */
void cli_log_options_report_range(const char *path, const log_rows *rows,
                                  const log_read_options *reading);

/** Return the name of the first option that is given, without its dashes, or NULL. */
const char *cli_log_options_given(const cli_log_settings *set);

/** Write the options that are given for a shell, quoted, each with a blank before it.  A text that
 * does not fit is cut. */
void cli_log_options_write(const cli_log_settings *set, char *text, size_t size);

#endif
