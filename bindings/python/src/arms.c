/* arms.c - the arms of a learner by name.
 *
 * The names live here, as Python strings, so that an ask returns one without making it and a tell
 * finds its arm by identity.  The library's learner gets them when it is created, and again before it
 * is saved after an arm was added (is_unsaved): so that adding an arm has one step that can fail.
 * SPDX-License-Identifier: Apache-2.0 */
#include "arms.h"

#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "errors.h"

void segue_py_arms_fini(arm_names *arms)
{
    for (size_t i = 0; i < arms->n_arms; i++)
        Py_DECREF(arms->name[i]);
    free(arms->name);
    Py_CLEAR(arms->index);
    arms->name = NULL;
    arms->n_arms = arms->capacity = 0;
}

static bool reserve(arm_names *arms)
{
    if (!arms->index)
        arms->index = PyDict_New();
    if (!arms->index || arms->n_arms < arms->capacity)
        return arms->index != NULL;
    const size_t capacity = 2 * arms->capacity + 8;
    PyObject **name = realloc(arms->name, capacity * sizeof *name);
    if (!name)
        return PyErr_NoMemory() != NULL;
    arms->name = name;
    arms->capacity = capacity;
    return true;
}

/* A str itself: hashing a subclass may run code of Python, which may add arms meanwhile. */
static PyObject *plain_name(PyObject *name)
{
    return PyUnicode_Check(name)
               ? PyUnicode_FromObject(name)
               : PyErr_Format(PyExc_TypeError, "an arm is %R; need its name, a str", name);
}

static bool is_name(const arm_names *arms, PyObject *name)
{
    if (PyUnicode_FindChar(name, 0, 0, PyUnicode_GetLength(name), 1) >= 0) {
        PyErr_Format(PyExc_ValueError, "the name of an arm is %R; need one without NUL", name);
        return false;
    }
    const int exists = PyDict_Contains(arms->index, name);
    if (exists > 0)
        PyErr_Format(PyExc_ValueError, "there are two arms %R; need different names", name);
    return exists == 0;
}

/* Keep the reference to a name that is a str itself, unless it fails. */
static bool append(arm_names *arms, PyObject *name)
{
    if (!reserve(arms) || !is_name(arms, name))
        return false;
    PyObject *index = PyLong_FromSize_t(arms->n_arms);
    const int status = index ? PyDict_SetItem(arms->index, name, index) : -1;
    Py_XDECREF(index);
    if (status < 0)
        return false;
    arms->name[arms->n_arms++] = name;
    arms->is_unsaved = true;
    return true;
}

bool segue_py_arms_add(arm_names *arms, PyObject *given)
{
    PyObject *name = plain_name(given);
    const bool is_added = name && append(arms, name);
    if (!is_added)
        Py_XDECREF(name);
    return is_added;
}

void segue_py_arms_remove_last(arm_names *arms)
{
    PyObject *name = arms->name[--arms->n_arms];
    if (PyDict_DelItem(arms->index, name) < 0)
        PyErr_Clear();
    Py_DECREF(name);
}

bool segue_py_arms_add_all(arm_names *arms, PyObject *names)
{
    if (PyUnicode_Check(names)) {
        PyErr_Format(PyExc_TypeError, "arms is %R; need a list of names", names);
        return false;
    }
    PyObject *name = NULL, *iterator = PyObject_GetIter(names);
    bool is_good = iterator != NULL;
    if (!iterator)
        segue_py_args_reword("arms", names, "a list of names");
    while (is_good && (name = PyIter_Next(iterator))) {
        is_good = segue_py_arms_add(arms, name);
        Py_DECREF(name);
    }
    Py_XDECREF(iterator);
    return is_good && !PyErr_Occurred();
}

static PyObject *read_name(const segue_learner *learner, size_t arm)
{
    const char *name = segue_learner_arm_name(learner, arm);
    return name ? PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "surrogateescape")
                : PyUnicode_FromFormat("%zu", arm + 1);
}

bool segue_py_arms_read(arm_names *arms, const segue_learner *learner)
{
    const size_t n_arms = segue_learner_get_config(learner)->n_arms;
    bool is_good = true;
    for (size_t i = 0; is_good && i < n_arms; i++) {
        PyObject *name = read_name(learner, i);
        is_good = name && segue_py_arms_add(arms, name);
        Py_XDECREF(name);
    }
    arms->is_unsaved = false;
    return is_good;
}

PyObject *segue_py_arms_encode(const arm_names *arms)
{
    const size_t n_arms = arms->n_arms;
    PyObject *encoded = PyTuple_New((Py_ssize_t)n_arms);
    for (size_t i = 0; encoded && i < n_arms; i++) {
        PyObject *bytes = PyUnicode_AsEncodedString(arms->name[i], "utf-8", "surrogateescape");
        if (!bytes || PyTuple_SetItem(encoded, (Py_ssize_t)i, bytes) < 0)
            Py_CLEAR(encoded);
    }
    return encoded;
}

bool segue_py_arms_write(arm_names *arms, PyObject *encoded, segue_learner *learner,
                         const module_state *state)
{
    segue_error err = {.status = SEGUE_ENOMEM, .message = "out of memory to name arms"};
    if ((size_t)PyTuple_Size(encoded) != arms->n_arms)
        return true;
    const char **text = calloc(arms->n_arms + 1, sizeof *text);
    for (size_t i = 0; text && i < arms->n_arms; i++)
        text[i] = PyBytes_AsString(PyTuple_GetItem(encoded, (Py_ssize_t)i));
    const bool is_done = text && segue_learner_name_arms(learner, text, &err) == SEGUE_OK;
    free(text);
    if (is_done)
        arms->is_unsaved = false;
    return is_done || segue_py_errors_raise(state, &err);
}

static bool find_index(const arm_names *arms, PyObject *arm, size_t *index)
{
    PyObject *whole = PyNumber_Index(arm);
    if (!whole) {
        PyErr_Format(PyExc_TypeError, "an arm is %R; need its name, or its index", arm);
        return false;
    }
    *index = PyLong_AsSize_t(whole);
    Py_DECREF(whole);
    if (!PyErr_Occurred() && *index < arms->n_arms)
        return true;
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError, "there is no arm %R; need 0 to %zu", arm, arms->n_arms - 1);
    return false;
}

static bool raise_unknown(const arm_names *arms, const module_state *state, PyObject *arm)
{
    PyObject *first = arms->n_arms > 0 ? arms->name[0] : NULL;
    PyErr_Format(state->unknown_name, "there is no arm %R; need one of the %zu arms: %R%s", arm,
                 arms->n_arms, first, arms->n_arms > 1 ? ", ..." : "");
    return false;
}

bool segue_py_arms_find(const arm_names *arms, const module_state *state, PyObject *arm,
                        size_t *index)
{
    if (!PyUnicode_Check(arm))
        return find_index(arms, arm, index);
    PyObject *found = PyDict_GetItemWithError(arms->index, arm);
    if (found)
        *index = PyLong_AsSize_t(found);
    return found || (!PyErr_Occurred() && raise_unknown(arms, state, arm));
}

bool segue_py_arms_exclude(const arm_names *arms, const module_state *state, PyObject *excluded,
                           bool *allowed, size_t n_arms)
{
    if (PyUnicode_Check(excluded)) {
        PyErr_Format(PyExc_TypeError, "exclude is %R; need a set of arms", excluded);
        return false;
    }
    PyObject *arm = NULL, *iterator = PyObject_GetIter(excluded);
    bool is_good = iterator != NULL;
    if (!iterator)
        segue_py_args_reword("exclude", excluded, "a set of arms");
    while (is_good && (arm = PyIter_Next(iterator))) {
        size_t index = 0;
        is_good = segue_py_arms_find(arms, state, arm, &index);
        if (is_good && index < n_arms)
            allowed[index] = false;
        Py_DECREF(arm);
    }
    Py_XDECREF(iterator);
    return is_good && !PyErr_Occurred();
}

PyObject *segue_py_arms_dict(const arm_names *arms, const double *value, size_t n_arms)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < n_arms; i++) {
        PyObject *number = PyFloat_FromDouble(value[i]);
        if (!number || PyDict_SetItem(dict, arms->name[i], number) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(number);
    }
    return dict;
}
