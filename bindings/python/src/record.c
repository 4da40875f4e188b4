/* record.c - dictionaries of numbers and texts, for the results of long work.
 * SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include <string.h>

void segue_py_record_set(PyObject **record, const char *name, PyObject *value)
{
    if (*record && (!value || PyDict_SetItemString(*record, name, value) < 0))
        Py_CLEAR(*record);
    Py_XDECREF(value);
}

void segue_py_record_append(PyObject **list, PyObject *value)
{
    if (*list && (!value || PyList_Append(*list, value) < 0))
        Py_CLEAR(*list);
    Py_XDECREF(value);
}

PyObject *segue_py_record_numbers(const double *numbers, size_t count)
{
    if (!numbers)
        return Py_NewRef(Py_None);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < count; i++)
        RECORD_APPEND(list, PyFloat_FromDouble(numbers[i]));
    return list;
}

PyObject *segue_py_record_text(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *segue_py_record_texts(const char *const *texts, size_t count)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < count; i++)
        RECORD_APPEND(list, segue_py_record_text(texts[i]));
    return list;
}
