/* own_policy.h - a policy that is a function of Python.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PYTHON_OWN_POLICY_H
#define SEGUE_PYTHON_OWN_POLICY_H

#include <stdbool.h>

#include "module.h"
#include "segue/policy.h"

/** A policy in Python: choose(step, pulls, sums) returns an arm, counted from 0. */
typedef struct own_policy {
    PyObject *choose; /* borrowed */
    bool failed;      /* an exception is set: it is not called again */
} own_policy;

/** The policy as the library plays it: by the thread that has the GIL, with one thread. */
segue_policy_spec segue_py_own_policy_spec(own_policy *own);

#endif
