/* logs_fixture.h - read a log, or expect its error.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_IO_LOGS_FIXTURE_H
#define TESTS_IO_LOGS_FIXTURE_H

#include "io/log/history.h"
#include "support.h"

#define HEAD "task,arm,reward\n"

static const log_read_options plain = {.highest = 1.0};
static const log_read_options all = {.highest = 1.0, .time = true, .probability = true};

/* Expect an error whose message starts with `says` after the name of the file, and contains `next`. */
static inline void refused_with(const char *what, const char *says, const char *next,
                                const log_read_options *options)
{
    segue_history history;
    segue_error err = {.status = SEGUE_OK};
    const segue_status status = segue_history_read(&history, own_path, options, &err);
    if (segue_status_exit_code(status) != 2 || err.status != status)
        fail_msg("%s: status %d, \"%s\"", what, (int)status, err.message);
    assert_null(history.row);
    if (strncmp(err.message, own_path, strlen(own_path)) != 0 ||
        strncmp(err.message + strlen(own_path), says, strlen(says)) != 0)
        fail_msg("%s: \"%s\" does not go on with \"%s\"", what, err.message, says);
    if (!strstr(err.message, next))
        fail_msg("%s: \"%s\" does not say \"%s\"", what, err.message, next);
}

static inline void refused(const char *what, const char *says)
{
    refused_with(what, says, "", &all);
}

static inline segue_history must_read(const char *what)
{
    segue_history history;
    segue_error err = {.status = SEGUE_OK};
    if (segue_history_read(&history, own_path, &all, &err) != SEGUE_OK)
        fail_msg("%s: %s", what, err.message);
    return history;
}

#endif
