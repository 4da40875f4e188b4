/* column.h - a column of numbers from any array: numpy, pandas, array, memoryview, or a list.
 *
 * Arrays are read through the buffer protocol, without numpy's headers, and with any stride.  Objects that
 * have no buffer of numbers are read as sequences.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PYTHON_COLUMN_H
#define SEGUE_PYTHON_COLUMN_H

#include <stdbool.h>
#include <stddef.h>

#include "module.h"

typedef struct column_rules {
    const char *name; /* what errors call the column */
    bool is_log;      /* it may have missing values, which become NaN; errors count rows from 1 */
} column_rules;

/** Copy a column of real numbers; the caller frees *out with free.  False: an exception. */
bool segue_py_column_numbers(const column_rules *rules, PyObject *column, double **out,
                             size_t *count);

/** A list of the items of a column, called `name` in an error; not of a text, nor of a dict or set, which have no
 * order or only keys.  NULL: an exception. */
PyObject *segue_py_column_list(const char *name, PyObject *column);

/** True for None, NaN, and the missing values of pandas; `text` is str(item). */
bool segue_py_column_is_missing(PyObject *item, PyObject *text);

/** Copy a column of whole numbers of a buffer.  *out is NULL if the object has no such buffer, which is no
 * error: read it as a sequence then.  Negative numbers become SIZE_MAX. */
bool segue_py_column_indices(PyObject *column, size_t **out, size_t *count);

#endif
