/* args.c - match the arguments of a call with the names of its parameters.
 * SPDX-License-Identifier: Apache-2.0 */
#include "args.h"

#include <string.h>

static Py_ssize_t find_name(const signature *sig, PyObject *keyword)
{
    for (Py_ssize_t i = 0; i < sig->n_names; i++)
        if (PyUnicode_CompareWithASCIIString(keyword, sig->names[i]) == 0)
            return i;
    return -1;
}

static bool match_keyword(const signature *sig, PyObject *keyword, PyObject *value, PyObject **out)
{
    const Py_ssize_t i = find_name(sig, keyword);
    if (i < 0 || out[i]) {
        PyErr_Format(PyExc_TypeError,
                     i < 0 ? "%s() has no argument '%U'" : "%s() got the argument '%U' twice",
                     sig->function, keyword);
        return false;
    }
    out[i] = value;
    return true;
}

bool segue_py_args_match(const signature *sig, PyObject *const *args, Py_ssize_t n_args,
                         PyObject *keywords, PyObject **out)
{
    if (n_args > sig->n_positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %zd arguments by position; %zd given",
                     sig->function, sig->n_positional, n_args);
        return false;
    }
    for (Py_ssize_t i = 0; i < sig->n_names; i++)
        out[i] = i < n_args ? args[i] : NULL;
    for (Py_ssize_t k = 0; keywords && k < PyTuple_Size(keywords); k++)
        if (!match_keyword(sig, PyTuple_GetItem(keywords, k), args[n_args + k], out))
            return false;
    for (Py_ssize_t i = 0; i < sig->n_required; i++)
        if (!out[i]) {
            PyErr_Format(PyExc_TypeError, "%s() needs the argument '%s'", sig->function,
                         sig->names[i]);
            return false;
        }
    return true;
}

void segue_py_args_reword(const char *name, PyObject *value, const char *need)
{
    const bool is_large = PyErr_ExceptionMatches(PyExc_OverflowError);
    if (!is_large && !PyErr_ExceptionMatches(PyExc_TypeError))
        return;
    PyErr_Clear();
    if (is_large) /* its digits may be thousands */
        PyErr_Format(PyExc_ValueError, "%s is too large; need %s", name, need);
    else
        PyErr_Format(PyExc_TypeError, "%s is %R; need %s", name, value, need);
}

bool segue_py_args_number(const char *name, PyObject *value, double *out)
{
    *out = PyFloat_AsDouble(value);
    if (*out != -1.0 || !PyErr_Occurred())
        return true;
    segue_py_args_reword(name, value, "a number");
    return false;
}

const char *segue_py_args_text(const char *name, PyObject *text)
{
    Py_ssize_t size = 0;
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &size);
    if (!utf8 || strlen(utf8) == (size_t)size)
        return utf8;
    PyErr_Format(PyExc_ValueError, "%s is %R; need a text without NUL", name, text);
    return NULL;
}

bool segue_py_args_whole(const char *name, PyObject *value, unsigned long long *out)
{
    PyObject *whole = PyNumber_Index(value);
    if (!whole) {
        segue_py_args_reword(name, value, "a whole number");
        return false;
    }
    const long long found = PyLong_AsLongLong(whole);
    Py_DECREF(whole);
    if (found < 0) { /* or too large, which is -1 with an exception */
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s is %R; need a whole number from 0 to 2^63 - 1", name,
                     value);
        return false;
    }
    *out = (unsigned long long)found;
    return true;
}
