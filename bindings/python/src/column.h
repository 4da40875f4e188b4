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

/** Copy a column of numbers; the caller frees *out with PyMem_Free.  `name` is what errors call it.
 * False: an exception. */
bool segue_py_column_numbers(const char *name, PyObject *column, double **out, size_t *count);

/** Copy a column of whole numbers of a buffer.  *out is NULL if the object has no such buffer, which is no
 * error: read it as a sequence then.  Negative numbers become SIZE_MAX. */
bool segue_py_column_indices(PyObject *column, size_t **out, size_t *count);

#endif
