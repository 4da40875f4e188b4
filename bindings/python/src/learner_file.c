/* learner_file.c - a learner as a file and as bytes; learners merged; a full refit.
 *
 * Files are those of the library: the program reads them, and they are the same byte for byte.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "errors.h"
#include "learner.h"
#include "segue/internal.h"
#include "work.h"

/* ---- saving ------------------------------------------------------------------------------ */

/* Give the names of new arms to the library. */
static bool write_names(learner_object *self)
{
    PyObject *encoded = segue_py_arms_encode(&self->arms);
    const bool is_done = encoded && segue_py_lock_wait(self) &&
                         segue_py_arms_write(&self->arms, encoded, self->learner,
                                             segue_py_learner_state((PyObject *)self));
    Py_XDECREF(encoded);
    return is_done;
}

/* Begin a long call with a learner that has all names; another thread may add an arm meanwhile. */
static bool begin_named(learner_object *self)
{
    for (;;) {
        if (self->arms.is_unsaved && !write_names(self))
            return false;
        if (!segue_py_lock_begin(self))
            return false;
        if (!self->arms.is_unsaved)
            return true;
        segue_py_lock_end(self);
    }
}

PyObject *segue_py_learner_save(PyObject *object, PyObject *path)
{
    learner_object *self = (learner_object *)object;
    PyObject *encoded = NULL;
    segue_error err;
    segue_status status = SEGUE_OK;
    if (!PyUnicode_FSConverter(path, &encoded))
        return NULL;
    const bool is_begun = begin_named(self);
    if (is_begun) {
        const char *text = PyBytes_AsString(encoded);
        PyThreadState *saved = PyEval_SaveThread();
        status = segue_learner_save(self->learner, text, &err);
        PyEval_RestoreThread(saved);
        segue_py_lock_end(self);
    }
    Py_DECREF(encoded);
    if (status != SEGUE_OK)
        return segue_py_errors_raise(segue_py_learner_state(object), &err);
    return is_begun ? Py_NewRef(Py_None) : NULL;
}

PyObject *segue_py_learner_to_bytes(PyObject *object, PyObject *unused)
{
    learner_object *self = (learner_object *)object;
    segue_bytes bytes = {.data = NULL};
    (void)unused;
    if (!begin_named(self))
        return NULL;
    PyThreadState *saved = PyEval_SaveThread();
    segue_learner_serialize(self->learner, &bytes);
    PyEval_RestoreThread(saved);
    segue_py_lock_end(self);
    PyObject *data =
        bytes.failed ? PyErr_NoMemory()
                     : PyBytes_FromStringAndSize((const char *)bytes.data, (Py_ssize_t)bytes.size);
    segue_bytes_fini(&bytes);
    return data;
}

PyObject *segue_py_learner_reduce(PyObject *object, PyObject *unused)
{
    PyObject *module = PyType_GetModule(Py_TYPE(object));
    PyObject *function = module ? PyObject_GetAttrString(module, "from_bytes") : NULL;
    PyObject *data = function ? segue_py_learner_to_bytes(object, unused) : NULL;
    PyObject *pair = data ? Py_BuildValue("(O(O))", function, data) : NULL;
    Py_XDECREF(data);
    Py_XDECREF(function);
    return pair;
}

/* ---- loading ----------------------------------------------------------------------------- */

/* An object of a learner that was loaded, or the exception of the failure. */
static PyObject *wrap(PyObject *module, segue_status status, segue_learner *learner,
                      const segue_error *err)
{
    const module_state *state = segue_py_module_state(module);
    arm_names arms = {.name = NULL};
    if (status != SEGUE_OK)
        return segue_py_errors_raise(state, err);
    if (segue_py_arms_read(&arms, learner))
        return segue_py_learner_wrap((PyTypeObject *)state->learner, learner, &arms);
    segue_learner_destroy(learner);
    segue_py_arms_fini(&arms);
    return NULL;
}

PyObject *segue_py_learner_load(PyObject *module, PyObject *path)
{
    segue_learner *learner = NULL;
    PyObject *encoded = NULL;
    segue_error err;
    if (!PyUnicode_FSConverter(path, &encoded))
        return NULL;
    const char *text = PyBytes_AsString(encoded);
    PyThreadState *saved = PyEval_SaveThread();
    const segue_status status = segue_learner_load(&learner, text, 0, &err);
    PyEval_RestoreThread(saved);
    Py_DECREF(encoded);
    return wrap(module, status, learner, &err);
}

PyObject *segue_py_learner_from_bytes(PyObject *module, PyObject *data)
{
    segue_learner *learner = NULL;
    Py_buffer view;
    segue_error err;
    if (PyObject_GetBuffer(data, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    PyThreadState *saved = PyEval_SaveThread();
    const segue_status status =
        segue_learner_deserialize(&learner, view.buf, (size_t)view.len, "data", &err);
    PyEval_RestoreThread(saved);
    PyBuffer_Release(&view);
    return wrap(module, status, learner, &err);
}

/* ---- merging and refitting --------------------------------------------------------------- */

/* Names decide what an arm is, and the library adds up by index: the first arm that differs, or the
 * number of arms that both have. */
static size_t first_difference(const learner_object *into, const learner_object *from, size_t n)
{
    size_t i = 0;
    while (i < n && PyUnicode_Compare(into->arms.name[i], from->arms.name[i]) == 0)
        i++;
    return i;
}

/* Merge with both locks held.  *arm: the first arm with another name; `n_arms`: there is none. */
static segue_status merge_locked(learner_object *into, learner_object *from, size_t *arm,
                                 size_t *n_arms, segue_error *err)
{
    *n_arms = into->arms.n_arms < from->arms.n_arms ? into->arms.n_arms : from->arms.n_arms;
    *arm = first_difference(into, from, *n_arms);
    if (*arm < *n_arms)
        return SEGUE_EDOMAIN;
    PyThreadState *saved = PyEval_SaveThread();
    const segue_status status = segue_learner_merge(into->learner, from->learner, err);
    PyEval_RestoreThread(saved);
    return status;
}

/* Begin a long call on two learners, in the order of their addresses. */
static bool begin_both(learner_object *a, learner_object *b)
{
    learner_object *first = a < b ? a : b, *second = a < b ? b : a;
    if (!segue_py_lock_begin(first))
        return false;
    const bool is_begun = first == second || segue_py_lock_begin(second);
    if (!is_begun)
        segue_py_lock_end(first);
    return is_begun;
}

PyObject *segue_py_learner_merge(PyObject *object, PyObject *other)
{
    learner_object *into = (learner_object *)object, *from = (learner_object *)other;
    size_t arm = 0, n_arms = 0;
    segue_error err;
    if (Py_TYPE(other) != Py_TYPE(object))
        return PyErr_Format(PyExc_TypeError, "merge() got %R; need a segue.Learner", other);
    if (!begin_both(into, from))
        return NULL;
    const segue_status status = merge_locked(into, from, &arm, &n_arms, &err);
    segue_py_lock_end(into);
    if (into != from)
        segue_py_lock_end(from);
    if (status == SEGUE_OK)
        Py_RETURN_NONE;
    if (arm == n_arms)
        return segue_py_errors_raise(segue_py_learner_state(object), &err);
    return PyErr_Format(PyExc_ValueError,
                        "arm %zu is %R here and %R in the other learner; need the same arms in the "
                        "same order",
                        arm, into->arms.name[arm], from->arms.name[arm]);
}

static segue_status refit(void *context, const atomic_bool *stop, segue_error *err)
{
    const learner_object *self = context;
    return segue_learner_refit_until(self->learner, stop, err);
}

PyObject *segue_py_learner_refit(PyObject *object, PyObject *unused)
{
    learner_object *self = (learner_object *)object;
    (void)unused;
    return segue_py_work_on(self, refit, self) < 0 ? NULL : Py_NewRef(Py_None);
}
