/* models_input.c - a model set from Python: a file, or rows of means.
 * SPDX-License-Identifier: Apache-2.0 */
#include "models_input.h"

#include <stdlib.h>

#include "column.h"
#include "record.h"

static int read_file(const module_state *state, PyObject *given, segue_models_kind kind,
                     segue_models_file *out)
{
    PyObject *path = NULL;
    segue_error err = {.status = SEGUE_OK};
    segue_status status;
    if (!PyUnicode_FSConverter(given, &path))
        return -1;
    const char *name = PyBytes_AsString(path);
    Py_BEGIN_ALLOW_THREADS status = segue_models_file_read(out, name, kind, &err);
    Py_END_ALLOW_THREADS Py_DECREF(path);
    if (status != SEGUE_OK)
        (void)segue_py_errors_raise(state, &err);
    return status == SEGUE_OK ? 0 : -1;
}

static int create(const module_state *state, segue_models_kind kind, const double *mean,
                  size_t n_means, size_t n_models, const double *weight, segue_models_file *out)
{
    segue_error err = {.status = SEGUE_OK};
    const size_t n_arms = n_models ? n_means / n_models : 0;
    if (segue_models_create(&out->models, kind, n_arms, n_models, mean, weight, &err) == SEGUE_OK)
        return 0;
    (void)segue_py_errors_raise(state, &err);
    return -1;
}

static int read_rows(const module_state *state, PyObject *given, segue_models_kind kind,
                     segue_models_file *out)
{
    PyObject *means = NULL, *weights = NULL;
    Py_ssize_t n_models = 0;
    double *mean = NULL, *weight = NULL;
    size_t n_means = 0, n_weights = 0;
    int result = -1;
    if (!PyArg_ParseTuple(given, "OnO", &means, &n_models, &weights) ||
        !segue_py_column_numbers(&(column_rules){.name = "models"}, means, &mean, &n_means))
        return -1;
    if (weights == Py_None ||
        segue_py_column_numbers(&(column_rules){.name = "weights"}, weights, &weight, &n_weights)) {
        if (weight && n_weights != (size_t)n_models)
            (void)PyErr_Format(PyExc_ValueError, "there are %zu weights; need one per model, %zd",
                               n_weights, n_models);
        else
            result = create(state, kind, mean, n_means, (size_t)n_models, weight, out);
    }
    free(mean);
    free(weight);
    return result;
}

int segue_py_models_input(const module_state *state, PyObject *given, segue_models_kind kind,
                          segue_models_file *out)
{
    *out = (segue_models_file){.models = NULL};
    return PyTuple_Check(given) ? read_rows(state, given, kind, out)
                                : read_file(state, given, kind, out);
}

PyObject *segue_py_models_names(const segue_models_file *file)
{
    if (!file->arm_name)
        return Py_NewRef(Py_None);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < file->n_arms; i++)
        RECORD_APPEND(list, PyUnicode_FromString(file->arm_name[i]));
    return list;
}
