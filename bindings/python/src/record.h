/* record.h - dictionaries of numbers and texts, for the results of long work.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PYTHON_RECORD_H
#define SEGUE_PYTHON_RECORD_H

#include <stddef.h>

#include "module.h"

/** Set a field of a dictionary: record becomes NULL, with an exception, if that or the value fails.  The
 * value is computed only while there is a record: nothing of Python is called with an exception set. */
#define RECORD_SET(record, name, value)                                                            \
    segue_py_record_set(&(record), name, (record) ? (value) : NULL)

/** Append to a list, in the same way. */
#define RECORD_APPEND(list, value) segue_py_record_append(&(list), (list) ? (value) : NULL)

/** RECORD_SET, which takes the reference to a value. */
void segue_py_record_set(PyObject **record, const char *name, PyObject *value);

/** RECORD_APPEND, which takes the reference to a value. */
void segue_py_record_append(PyObject **list, PyObject *value);

/** A list of numbers; NULL gives None. */
PyObject *segue_py_record_numbers(const double *numbers, size_t count);

/** A list of texts. */
PyObject *segue_py_record_texts(const char *const *texts, size_t count);

/** A text that may have been cut inside a character. */
PyObject *segue_py_record_text(const char *text);

#endif
