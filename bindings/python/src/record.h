/* record.h - dictionaries of numbers and texts, for the results of long work.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PYTHON_RECORD_H
#define SEGUE_PYTHON_RECORD_H

#include <stddef.h>

#include "module.h"

/** Set a field, and take the reference to `value`; a NULL value is an exception that is set already.
 * *record becomes NULL then. */
void segue_py_record_set(PyObject **record, const char *name, PyObject *value);

/** Append to a list, in the same way. */
void segue_py_record_append(PyObject **list, PyObject *value);

/** A list of numbers; NULL gives None. */
PyObject *segue_py_record_numbers(const double *numbers, size_t count);

/** A list of texts. */
PyObject *segue_py_record_texts(const char *const *texts, size_t count);

/** A text that may have been cut inside a character. */
PyObject *segue_py_record_text(const char *text);

#endif
