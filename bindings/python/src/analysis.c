/* analysis.c - add simulate, replay, estimate and complexity to the module.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis.h"

#include "models_input.h"

/* _models(models): the arms' names or None, the number of arms, the number of models. */
static PyObject *describe_models(PyObject *module, PyObject *given)
{
    segue_models_file file;
    if (segue_py_models_input(segue_py_module_state(module), given, SEGUE_MODELS_KNOWN, &file) < 0)
        return NULL;
    PyObject *names = segue_py_models_names(&file);
    PyObject *found = names ? Py_BuildValue("Nnn", names, (Py_ssize_t)file.models->n_arms,
                                            (Py_ssize_t)file.models->n_models)
                            : NULL;
    segue_models_file_fini(&file);
    return found;
}

static PyMethodDef functions[] = {
    {"_models", describe_models, METH_O, NULL},
    {"_simulate", segue_py_simulate, METH_VARARGS, NULL},
    {"_replay", segue_py_replay, METH_VARARGS, NULL},
    {"_estimate", segue_py_estimate, METH_VARARGS, NULL},
    {"_complexity", segue_py_complexity, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int segue_py_analysis_exec(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
