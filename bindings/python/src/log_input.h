/* log_input.h - a log from Python: a file, or columns.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PYTHON_LOG_INPUT_H
#define SEGUE_PYTHON_LOG_INPUT_H

#include "errors.h"
#include "io/log/log_table.h"

/** A log that can be read: `reading` and `path` are for segue_history_read and segue_log_read. */
typedef struct log_input {
    log_read_options reading;
    const char *path; /* of a file, or the name of the columns in messages */
    log_table table;
    log_text *task, *arm;
    double *reward, *time, *probability;
    PyObject *keep; /* texts of Python that `task`, `arm` and `reading` borrow from */
} log_input;

/**
 * Prepare a log.  `given` is the path of a file, or a tuple of columns: tasks, arms (lists), rewards,
 * times or None, probabilities or None, and true if times are dates.  `options` is a tuple: lowest
 * and highest reward, true to skip rows without a value, the delimiter or None, and for files the
 * names of the five columns, each a text or None.
 *
 * 0, or -1 with an exception; the caller calls segue_py_log_input_fini in both cases.
 */
int segue_py_log_input_init(log_input *out, PyObject *given, PyObject *options);
void segue_py_log_input_fini(log_input *input);

#endif
