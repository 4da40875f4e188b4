/* module.c - the extension module segue._segue, with multi-phase initialisation.
 *
 * Every interpreter has a module of its own with its own classes.  To add a part, write a function
 * segue_py_PART_exec, declare it in module.h and list it in `slots`.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "module.h"

#include <stdio.h>

#include "segue/version.h"

/* The stdin of libjansson.a: see CMakeLists.txt. */
extern FILE *segue_py_no_stdin;
FILE *segue_py_no_stdin = NULL;

module_state *segue_py_module_state(PyObject *module)
{
    return PyModule_GetState(module);
}

int segue_py_module_add(PyObject *module, const char *name, PyObject **slot, PyObject *type)
{
    *slot = type;
    return type ? PyModule_AddObjectRef(module, name, type) : -1;
}

static int exec_version(PyObject *module)
{
    return PyModule_AddStringConstant(module, "__version__", segue_version());
}

/* The classes of a state, as an array: it has nothing else. */
static PyObject **classes_of(PyObject *module)
{
    return (PyObject **)PyModule_GetState(module);
}

enum { N_CLASSES = sizeof(module_state) / sizeof(PyObject *) };

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    for (size_t i = 0; i < N_CLASSES; i++)
        Py_VISIT(classes_of(module)[i]);
    return 0;
}

static int module_clear(PyObject *module)
{
    for (size_t i = 0; i < N_CLASSES; i++)
        Py_CLEAR(classes_of(module)[i]);
    return 0;
}

static void module_free(void *module)
{
    (void)module_clear(module);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)(uintptr_t)exec_version},
    {Py_mod_exec, (void *)(uintptr_t)segue_py_errors_exec},
    {Py_mod_exec, (void *)(uintptr_t)segue_py_lock_exec},
    {Py_mod_exec, (void *)(uintptr_t)segue_py_learner_exec},
    {Py_mod_exec, (void *)(uintptr_t)segue_py_types_exec},
    {Py_mod_exec, (void *)(uintptr_t)segue_py_task_exec},
    {Py_mod_exec, (void *)(uintptr_t)segue_py_explain_exec},
    {Py_mod_exec, (void *)(uintptr_t)segue_py_analysis_exec},
    {0, NULL},
};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "segue._segue",
    .m_doc = "The library of Segue, for Python.  Use the names of the package segue.",
    .m_size = sizeof(module_state),
    .m_slots = slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__segue(void);
PyMODINIT_FUNC PyInit__segue(void)
{
    return PyModuleDef_Init(&definition);
}
