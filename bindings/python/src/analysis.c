/* analysis.c - add simulate, replay, estimate and complexity to the module.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis.h"

#include "io/log/timestamp.h"
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

/* _timestamp(text): a time as a number, and true if it is a date. */
static PyObject *parse_timestamp(PyObject *module, PyObject *given)
{
    const char *text = PyUnicode_AsUTF8AndSize(given, NULL);
    segue_error err = {.status = SEGUE_OK};
    double time = 0.0;
    bool is_date = false;
    if (!text)
        return NULL;
    if (segue_timestamp_parse(text, &time, &is_date, &err) != SEGUE_OK)
        return segue_py_errors_raise(segue_py_module_state(module), &err);
    return Py_BuildValue("dO", time, is_date ? Py_True : Py_False);
}

static PyMethodDef functions[] = {
    {"_models", describe_models, METH_O, NULL},
    {"_timestamp", parse_timestamp, METH_O, NULL},
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
