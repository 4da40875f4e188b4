/* errors.c - the exceptions of the module, and which of them a failure of the library raises.
 * SPDX-License-Identifier: Apache-2.0 */
#include "errors.h"

#include <string.h>

static PyObject *exception_of(const module_state *state, segue_status status)
{
    switch (status) {
    case SEGUE_EDOMAIN:
    case SEGUE_EPARSE:
    case SEGUE_EUSAGE:
        return PyExc_ValueError;
    case SEGUE_ENAME:
        return state->unknown_name;
    case SEGUE_EFILE:
    case SEGUE_EIO:
        return PyExc_OSError;
    case SEGUE_ENOMEM:
        return PyExc_MemoryError;
    default:
        return state->error;
    }
}

PyObject *segue_py_errors_raise(const module_state *state, const segue_error *err)
{
    /* A sentence that was cut inside a character is still shown. */
    PyObject *sentence =
        PyUnicode_DecodeUTF8(err->message, (Py_ssize_t)strlen(err->message), "replace");
    if (sentence)
        PyErr_SetObject(exception_of(state, err->status), sentence);
    Py_XDECREF(sentence);
    return NULL;
}

/* KeyError shows the repr of its argument, for keys; a sentence is shown as it is. */
static PyObject *show_sentence(PyObject *self)
{
    PyObject *sentence = NULL, *args = PyObject_GetAttrString(self, "args");
    if (args && PyTuple_Check(args) && PyTuple_Size(args) == 1)
        sentence = PyObject_Str(PyTuple_GetItem(args, 0));
    else if (args)
        sentence = PyObject_Str(args);
    Py_XDECREF(args);
    return sentence;
}

PyDoc_STRVAR(error_doc, "A failure that is no wrong value, wrong name or wrong file.\n\n"
                        ">>> import segue\n"
                        ">>> issubclass(segue.Error, Exception)\n"
                        "True\n");

PyDoc_STRVAR(unknown_name_doc, "There is no arm, method or option of this name.\n\n"
                               ">>> import segue\n"
                               ">>> try:\n"
                               "...     segue.Learner([\"a\", \"b\"], method=\"tsl\")\n"
                               "... except KeyError as error:\n"
                               "...     isinstance(error, segue.UnknownName)\n"
                               "True\n");

static PyObject *make_unknown_name(PyObject *module)
{
    PyType_Slot slots[] = {{Py_tp_doc, (void *)(uintptr_t)unknown_name_doc},
                           {Py_tp_str, (void *)(uintptr_t)show_sentence},
                           {0, NULL}};
    PyType_Spec spec = {.name = "segue.UnknownName",
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        .slots = slots};
    return PyType_FromModuleAndSpec(module, &spec, PyExc_KeyError);
}

int segue_py_errors_exec(PyObject *module)
{
    module_state *state = segue_py_module_state(module);
    PyObject *error = PyErr_NewExceptionWithDoc("segue.Error", error_doc, NULL, NULL);
    if (segue_py_module_add(module, "Error", &state->error, error) < 0)
        return -1;
    return segue_py_module_add(module, "UnknownName", &state->unknown_name,
                               make_unknown_name(module));
}
