/* models_input.h - a model set from Python: a file, or rows of means.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PYTHON_MODELS_INPUT_H
#define SEGUE_PYTHON_MODELS_INPUT_H

#include "errors.h"
#include "io/models_file.h"

/** Read a model set: the path of a file, or a tuple (means, number of models, weights or None) with
 * all means in one column.  0, or -1 with an exception; *out is empty then. */
int segue_py_models_input(const module_state *state, PyObject *given, segue_models_kind kind,
                          segue_models_file *out);

/** The names of the arms as a list, or None if they have none. */
PyObject *segue_py_models_names(const segue_models_file *file);

#endif
