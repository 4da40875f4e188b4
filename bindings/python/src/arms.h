/* arms.h - the arms of a learner by name.
 *
 * In a call an arm is its name, or its index among the arms of the learner.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PYTHON_ARMS_H
#define SEGUE_PYTHON_ARMS_H

#include <stdbool.h>

#include "module.h"
#include "segue/learner_arms.h"

/** Names of arms.  All zeros: none.  They only grow. */
typedef struct arm_names {
    PyObject **name; /* n_arms strings */
    size_t n_arms, capacity;
    PyObject *index; /* a dict: name -> index */
    bool is_unsaved; /* the library's learner does not have them yet */
} arm_names;

void segue_py_arms_fini(arm_names *arms);

/** Add a name; the reference stays the caller's.  Runs no code of Python unless it fails.  False: an
 * exception, and nothing has changed. */
bool segue_py_arms_add(arm_names *arms, PyObject *name);

/** Remove the name that was added last. */
void segue_py_arms_remove_last(arm_names *arms);

/** Add the names of an iterable. */
bool segue_py_arms_add_all(arm_names *arms, PyObject *names);

/** Take the names that a learner has; arms without a name are called "1", "2", ... */
bool segue_py_arms_read(arm_names *arms, const segue_learner *learner);

/** A tuple of all names in UTF-8; NULL with an exception. */
PyObject *segue_py_arms_encode(const arm_names *arms);

/** Give such names to a learner, unless an arm was added since: is_unsaved is then still true.  Runs no
 * code of Python unless it fails.  False: an exception. */
bool segue_py_arms_write(arm_names *arms, PyObject *encoded, segue_learner *learner,
                         const module_state *state);

/** Find the index of an arm by its name or by its index.  False: an exception. */
bool segue_py_arms_find(const arm_names *arms, const module_state *state, PyObject *arm,
                        size_t *index);

/** Clear the flags of the arms of an iterable, of `n_arms` flags that are true.  False: an exception. */
bool segue_py_arms_exclude(const arm_names *arms, const module_state *state, PyObject *excluded,
                           bool *allowed, size_t n_arms);

/** A dict from the first n_arms names to the numbers of an array. */
PyObject *segue_py_arms_dict(const arm_names *arms, const double *value, size_t n_arms);

#endif
