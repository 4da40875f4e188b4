/* analysis.h - simulate, replay, estimate and complexity, as the package segue calls them.
 *
 * These functions are private: analysis.py checks and converts their arguments, and makes objects
 * with tables and plots of the dictionaries and arrays that they return.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PYTHON_ANALYSIS_H
#define SEGUE_PYTHON_ANALYSIS_H

#include "module.h"

PyObject *segue_py_simulate(PyObject *module, PyObject *args);
PyObject *segue_py_replay(PyObject *module, PyObject *args);
PyObject *segue_py_estimate(PyObject *module, PyObject *args);
PyObject *segue_py_complexity(PyObject *module, PyObject *args);

#endif
