/* column.c - a column of numbers from any array.
 * SPDX-License-Identifier: Apache-2.0 */
#include "column.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char truth; /* a bool of numpy is a byte of any value */

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
    X('?', truth)                                                                                  \
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
        return (code) == '?' ? value != 0 : (double)value;                                         \
    }
        ITEMS(X)
#undef X
    default:
        return NAN;
    }
}

/* Get an attribute that an object may have; NULL without an exception: it has none. */
static PyObject *get_optional(PyObject *object, const char *name)
{
    PyObject *found = PyObject_GetAttrString(object, name);
    if (!found && PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Clear();
    return found;
}

static bool is_list(PyObject *column)
{
    return PyList_Check(column) || PyTuple_Check(column);
}

/* A masked array of numpy: its buffer has values where the mask says that there is none.  True also
 * for an exception. */
static bool is_masked_array(PyObject *column)
{
    PyObject *mask = is_list(column) ? NULL : get_optional(column, "mask");
    PyObject *filled = mask ? get_optional(column, "filled") : NULL;
    Py_XDECREF(mask);
    Py_XDECREF(filled);
    return filled || PyErr_Occurred();
}

/* Clear the exception of an object that has no buffer, or none of its items: it is read as a sequence.  Others, such
 * as KeyboardInterrupt and MemoryError, remain. */
static void clear_unsuitable(void)
{
    PyObject *const kinds[] = {PyExc_BufferError, PyExc_TypeError, PyExc_ValueError,
                               PyExc_NotImplementedError};
    for (size_t i = 0; PyErr_Occurred() && i < sizeof kinds / sizeof *kinds; i++)
        if (PyErr_ExceptionMatches(kinds[i]))
            PyErr_Clear();
}

static bool has_buffer(PyObject *object, Py_buffer *view)
{
    const bool has = PyObject_CheckBuffer(object) &&
                     PyObject_GetBuffer(object, view, PyBUF_FORMAT | PyBUF_STRIDES) == 0;
    clear_unsuitable();
    return has;
}

/* What the to_numpy of a column returns; NULL, perhaps with an exception: nothing. */
static PyObject *to_numpy(PyObject *column)
{
    PyObject *method = get_optional(column, "to_numpy");
    PyObject *array = method ? PyObject_CallFunctionObjArgs(method, NULL) : NULL;
    Py_XDECREF(method);
    clear_unsuitable();
    return array;
}

/* Get the buffer of an object, or of what its to_numpy returns (a column of pandas).  False: it has
 * none, perhaps with an exception. */
static bool get_buffer(PyObject *column, Py_buffer *view)
{
    if (is_list(column) || is_masked_array(column))
        return false;
    if (has_buffer(column, view))
        return true;
    PyObject *array = PyErr_Occurred() ? NULL : to_numpy(column);
    const bool has = array && has_buffer(array, view);
    Py_XDECREF(array);
    return has;
}

static void copy_buffer(const Py_buffer *view, char code, double *out)
{
    const char *item = view->buf;
    const Py_ssize_t stride = view->strides ? view->strides[0] : view->itemsize;
    for (Py_ssize_t i = 0; i < view->shape[0]; i++, item += stride)
        out[i] = number_at(code, item);
}

static void *reserve(Py_ssize_t count, size_t item)
{
    void *block = malloc(((size_t)count + 1) * item);
    return block ? block : PyErr_NoMemory();
}

bool segue_py_column_is_missing(PyObject *item, PyObject *text)
{
    if (PyUnicode_Check(item))
        return false;
    return item == Py_None || (PyFloat_Check(item) && isnan(PyFloat_AsDouble(item))) ||
           PyUnicode_CompareWithASCIIString(text, "<NA>") == 0 ||
           PyUnicode_CompareWithASCIIString(text, "NaT") == 0;
}

/* Describe an item that is no number, or too large a one: in a log by its row, counted from 1. */
static void fail_item(const column_rules *rules, Py_ssize_t i, PyObject *item, bool is_large)
{
    PyObject *found = is_large ? PyUnicode_FromString("too large") : PyObject_Repr(item);
    PyObject *kind = is_large ? PyExc_ValueError : PyExc_TypeError;
    if (found && rules->is_log)
        PyErr_Format(kind, "the frame, row %zd: field '%s': is %U; need a number", i + 1,
                     rules->name, found);
    else if (found)
        PyErr_Format(kind, "%s[%zd] is %U; need a number", rules->name, i, found);
    Py_XDECREF(found);
}

/* A number; NaN for what is missing in a log. */
static double number_of(const column_rules *rules, Py_ssize_t i, PyObject *item)
{
    const double number = PyFloat_AsDouble(item);
    const bool is_large = PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_OverflowError);
    if (!PyErr_Occurred() || !(is_large || PyErr_ExceptionMatches(PyExc_TypeError)))
        return number;
    PyErr_Clear();
    PyObject *text = is_large ? NULL : PyObject_Str(item);
    if (is_large || (text && !(rules->is_log && segue_py_column_is_missing(item, text))))
        fail_item(rules, i, item, is_large);
    Py_XDECREF(text);
    return NAN;
}

/* Dates and durations of numpy and pandas convert to a number, of some unit: that is no reward. */
static bool has_dates(PyObject *column)
{
    PyObject *dtype = is_list(column) ? NULL : get_optional(column, "dtype");
    PyObject *kind = dtype ? get_optional(dtype, "kind") : NULL;
    const bool has = kind && PyUnicode_Check(kind) &&
                     (PyUnicode_CompareWithASCIIString(kind, "M") == 0 ||
                      PyUnicode_CompareWithASCIIString(kind, "m") == 0);
    Py_XDECREF(dtype);
    Py_XDECREF(kind);
    return has;
}

PyObject *segue_py_column_list(const char *name, PyObject *column)
{
    const bool is_column =
        !PyUnicode_Check(column) && !PyDict_Check(column) && !PyAnySet_Check(column);
    PyObject *iterator = is_column ? PyObject_GetIter(column) : NULL;
    if (!iterator && (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError))) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s is %R; need a list or an array", name, column);
    }
    PyObject *list = iterator ? PySequence_List(iterator) : NULL;
    Py_XDECREF(iterator);
    return list;
}

static bool copy_sequence(const column_rules *rules, PyObject *column, double **out, size_t *count)
{
    const bool is_masked = is_masked_array(column);
    PyObject *list = PyErr_Occurred() ? NULL
                     : is_masked      ? PyObject_CallMethod(column, "tolist", NULL)
                                      : segue_py_column_list(rules->name, column);
    const Py_ssize_t n = list ? PyList_Size(list) : -1;
    *out = n >= 0 ? reserve(n, sizeof **out) : NULL;
    bool is_good = *out != NULL;
    for (Py_ssize_t i = 0; is_good && i < n; i++) {
        (*out)[i] = number_of(rules, i, PyList_GetItem(list, i));
        is_good = !PyErr_Occurred();
    }
    Py_XDECREF(list);
    *count = (size_t)n;
    if (!is_good) {
        free(*out);
        *out = NULL;
    }
    return is_good;
}

bool segue_py_column_numbers(const column_rules *rules, PyObject *column, double **out,
                             size_t *count)
{
    Py_buffer view;
    *out = NULL;
    if (!get_buffer(column, &view)) {
        if (!PyErr_Occurred() && has_dates(column))
            PyErr_Format(PyExc_TypeError, "%s has dates or durations; need numbers", rules->name);
        return !PyErr_Occurred() && copy_sequence(rules, column, out, count);
    }
    const char code = code_of(&view);
    const char *wrong = view.format && strchr(view.format, 'Z') ? "complex numbers; need real ones"
                        : view.ndim > 1 ? "rows and columns; need one column"
                                        : NULL;
    *out = code ? reserve(view.shape[0], sizeof **out) : NULL;
    if (*out) {
        *count = (size_t)view.shape[0];
        copy_buffer(&view, code, *out);
    }
    PyBuffer_Release(&view);
    if (wrong) /* numpy would convert some of them, with a warning */
        PyErr_Format(PyExc_TypeError, "%s has %s", rules->name, wrong);
    return wrong || code ? *out != NULL : copy_sequence(rules, column, out, count);
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
        return !PyErr_Occurred();
    const char code = code_of(&view);
    bool is_good = true;
    if (code && strchr(WHOLE, code)) {
        *out = reserve(view.shape[0], sizeof **out);
        is_good = *out != NULL;
        const char *item = view.buf;
        const Py_ssize_t stride = view.strides ? view.strides[0] : view.itemsize;
        for (Py_ssize_t i = 0; is_good && i < view.shape[0]; i++)
            (*out)[i] = index_of(number_at(code, item + i * stride));
        *count = (size_t)view.shape[0];
    }
    PyBuffer_Release(&view);
    return is_good;
}
