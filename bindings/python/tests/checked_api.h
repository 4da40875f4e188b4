/* checked_api.h - for the extension of the debug build of Python: it ends the process where a function that makes
 * or calls an object is called while an exception is set.
 *
 * Python checks that for calls only.  Included before each file of the extension (-include).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PYTHON_CHECKED_API_H
#define SEGUE_PYTHON_CHECKED_API_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define SEGUE_CHECKED(call)                                                                        \
    ((PyErr_Occurred() ? Py_FatalError("an exception is set before " #call) : (void)0), call)

#define PyDict_SetItemString(...)        SEGUE_CHECKED(PyDict_SetItemString(__VA_ARGS__))
#define PyDict_New()                     SEGUE_CHECKED(PyDict_New())
#define PyDict_SetItem(...)              SEGUE_CHECKED(PyDict_SetItem(__VA_ARGS__))
#define PyFloat_FromDouble(...)          SEGUE_CHECKED(PyFloat_FromDouble(__VA_ARGS__))
#define PyList_Append(...)               SEGUE_CHECKED(PyList_Append(__VA_ARGS__))
#define PyList_New(...)                  SEGUE_CHECKED(PyList_New(__VA_ARGS__))
#define PyLong_FromSize_t(...)           SEGUE_CHECKED(PyLong_FromSize_t(__VA_ARGS__))
#define PyLong_FromUnsignedLongLong(...) SEGUE_CHECKED(PyLong_FromUnsignedLongLong(__VA_ARGS__))
#undef PyObject_CallFunction /* PY_SSIZE_T_CLEAN gives both another name */
#undef Py_BuildValue
#define PyObject_CallFunction(...)   SEGUE_CHECKED(_PyObject_CallFunction_SizeT(__VA_ARGS__))
#define PyObject_Str(...)            SEGUE_CHECKED(PyObject_Str(__VA_ARGS__))
#define PySequence_List(...)         SEGUE_CHECKED(PySequence_List(__VA_ARGS__))
#define PyStructSequence_New(...)    SEGUE_CHECKED(PyStructSequence_New(__VA_ARGS__))
#define PyTuple_New(...)             SEGUE_CHECKED(PyTuple_New(__VA_ARGS__))
#define PyUnicode_AsUTF8AndSize(...) SEGUE_CHECKED(PyUnicode_AsUTF8AndSize(__VA_ARGS__))
#define PyUnicode_DecodeUTF8(...)    SEGUE_CHECKED(PyUnicode_DecodeUTF8(__VA_ARGS__))
#define PyUnicode_FromFormat(...)    SEGUE_CHECKED(PyUnicode_FromFormat(__VA_ARGS__))
#define PyUnicode_FromString(...)    SEGUE_CHECKED(PyUnicode_FromString(__VA_ARGS__))
#define Py_BuildValue(...)           SEGUE_CHECKED(_Py_BuildValue_SizeT(__VA_ARGS__))

#endif
