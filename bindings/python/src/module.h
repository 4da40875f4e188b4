/* module.h - the extension module segue._segue: its state, and the parts that fill it.
 *
 * Each part of the module is a file with one function segue_py_PART_exec, which adds its types and
 * functions to a module; module.c lists them.  The module has no global state: everything is in its
 * module_state, one per interpreter.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PYTHON_MODULE_H
#define SEGUE_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/** What a module owns: classes that its parts need. */
typedef struct module_state {
    PyObject *error;        /* segue.Error */
    PyObject *unknown_name; /* segue.UnknownName, a KeyError whose str() is its sentence */
    PyObject *learner;      /* segue.Learner */
    PyObject *task;         /* segue.Task */
    PyObject *type;         /* segue.Type, a record */
    PyObject *feature;      /* segue.Feature, a record */
    PyObject *explanation;  /* segue.Explanation, a record */
} module_state;

/** The state of a module that segue_py_module made. */
module_state *segue_py_module_state(PyObject *module);

/** Add a class to a module and to its state: *slot gets the reference.  0, or -1 with an exception;
 * a NULL `type` is an exception that is set already. */
int segue_py_module_add(PyObject *module, const char *name, PyObject **slot, PyObject *type);

/* The parts: 0, or -1 with an exception. */
int segue_py_errors_exec(PyObject *module);
int segue_py_lock_exec(PyObject *module);
int segue_py_learner_exec(PyObject *module);
int segue_py_types_exec(PyObject *module);
int segue_py_task_exec(PyObject *module);
int segue_py_explain_exec(PyObject *module);
int segue_py_analysis_exec(PyObject *module);

#endif
