/* errors.h - a failure of the library as an exception, with the library's sentence.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PYTHON_ERRORS_H
#define SEGUE_PYTHON_ERRORS_H

#include "module.h"
#include "segue/status.h"

/**
 * Raise the exception of a failure, and return NULL.
 *
 *   EDOMAIN, EPARSE, EUSAGE  ValueError
 *   ENAME                    segue.UnknownName, a KeyError
 *   EFILE, EIO               OSError
 *   ENOMEM                   MemoryError
 *   others                   segue.Error
 */
PyObject *segue_py_errors_raise(const module_state *state, const segue_error *err);

#endif
