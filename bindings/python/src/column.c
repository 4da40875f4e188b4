/* column.c - a column of numbers from any array.
 * SPDX-License-Identifier: Apache-2.0 */
#include "column.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The kinds of items that are read without calling Python: the codes of the module struct. */
#define ITEMS(X)                                                                                   \
    X('b', signed char)                                                                            \
    X('B', unsigned char)                                                                          \
    X('h', short)                                                                                  \
    X('H', unsigned short)                                                                         \
    X('i', int)                                                                                    \
    X('I', unsigned int)                                                                           \
    X('l', long)                                                                                   \
    X('L', unsigned long)                                                                          \
    X('q', long long)                                                                              \
    X('Q', unsigned long long)                                                                     \
    X('n', ptrdiff_t)                                                                              \
    X('N', size_t)                                                                                 \
    X('?', bool)                                                                                   \
    X('f', float)                                                                                  \
    X('d', double)

#define WHOLE "bBhHiIlLqQnN"

/* The code of the items of a buffer, in native size and order; 0: another kind. */
static char code_of(const Py_buffer *view)
{
    const char *format = view->format ? view->format : "B";
    if (*format == '@')
        format++;
    if (view->ndim != 1 || format[0] == '\0' || format[1] != '\0')
        return 0;
    switch (format[0]) {
#define X(code, type)                                                                              \
    case code:                                                                                     \
        return view->itemsize == (Py_ssize_t)sizeof(type) ? (char)(code) : 0;
        ITEMS(X)
#undef X
    default:
        return 0;
    }
}

static double number_at(char code, const char *item)
{
    switch (code) {
#define X(of, type)                                                                                \
    case of: {                                                                                     \
        type value;                                                                                \
        memcpy(&value, item, sizeof value);                                                        \
        return (double)value;                                                                      \
    }
        ITEMS(X)
#undef X
    default:
        return NAN;
    }
}

/* Get the buffer of an object, or of what its to_numpy returns (a column of pandas).  False: it has
 * none. */
static bool get_buffer(PyObject *column, Py_buffer *view)
{
    if (PyObject_CheckBuffer(column) &&
        PyObject_GetBuffer(column, view, PyBUF_FORMAT | PyBUF_STRIDES) == 0)
        return true;
    PyErr_Clear();
    PyObject *array = PyObject_HasAttrString(column, "to_numpy")
                          ? PyObject_CallMethod(column, "to_numpy", NULL)
                          : NULL;
    const bool has = array && PyObject_CheckBuffer(array) &&
                     PyObject_GetBuffer(array, view, PyBUF_FORMAT | PyBUF_STRIDES) == 0;
    PyErr_Clear();
    Py_XDECREF(array);
    return has;
}

static bool copy_buffer(const Py_buffer *view, char code, double *out)
{
    const char *item = view->buf;
    const Py_ssize_t stride = view->strides ? view->strides[0] : view->itemsize;
    for (Py_ssize_t i = 0; i < view->shape[0]; i++, item += stride)
        out[i] = number_at(code, item);
    return true;
}

static bool reserve(Py_ssize_t count, size_t item, void *out)
{
    void *block = PyMem_Malloc(((size_t)count + 1) * item);
    memcpy(out, &block, sizeof block);
    return block || PyErr_NoMemory();
}

static bool copy_sequence(const char *name, PyObject *column, double **out, size_t *count)
{
    PyObject *list = PySequence_List(column);
    const Py_ssize_t n = list ? PyList_Size(list) : -1;
    bool is_good = n >= 0 && reserve(n, sizeof **out, out);
    for (Py_ssize_t i = 0; is_good && i < n; i++) {
        PyObject *item = PyList_GetItem(list, i);
        (*out)[i] = PyFloat_AsDouble(item);
        if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            PyErr_Format(PyExc_TypeError, "%s[%zd] is %R; need a number", name, i, item);
        }
        is_good = !PyErr_Occurred();
    }
    Py_XDECREF(list);
    *count = (size_t)n;
    if (!is_good) {
        PyMem_Free(*out);
        *out = NULL;
    }
    return is_good;
}

bool segue_py_column_numbers(const char *name, PyObject *column, double **out, size_t *count)
{
    Py_buffer view;
    *out = NULL;
    if (!get_buffer(column, &view))
        return copy_sequence(name, column, out, count);
    const char code = code_of(&view);
    bool is_good = code && reserve(view.shape[0], sizeof **out, out);
    if (is_good) {
        *count = (size_t)view.shape[0];
        is_good = copy_buffer(&view, code, *out);
    }
    PyBuffer_Release(&view);
    return code ? is_good : copy_sequence(name, column, out, count);
}

/* The largest doubles are exact only up to 2^53, far above any index. */
static size_t index_of(double number)
{
    return number >= 0.0 && number < 9007199254740992.0 ? (size_t)number : SIZE_MAX;
}

bool segue_py_column_indices(PyObject *column, size_t **out, size_t *count)
{
    Py_buffer view;
    *out = NULL;
    if (!get_buffer(column, &view))
        return true;
    const char code = code_of(&view);
    bool is_good = true;
    if (code && strchr(WHOLE, code)) {
        is_good = reserve(view.shape[0], sizeof **out, out);
        const char *item = view.buf;
        const Py_ssize_t stride = view.strides ? view.strides[0] : view.itemsize;
        for (Py_ssize_t i = 0; is_good && i < view.shape[0]; i++)
            (*out)[i] = index_of(number_at(code, item + i * stride));
        *count = (size_t)view.shape[0];
    }
    PyBuffer_Release(&view);
    return is_good;
}
