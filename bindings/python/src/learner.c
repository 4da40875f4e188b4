/* learner.c - segue.Learner: making and freeing it, its attributes, its methods.
 * SPDX-License-Identifier: Apache-2.0 */
#include "learner.h"

#include <stdlib.h>
#include <unistd.h>

#include "errors.h"
#include "learner_doc.h"
#include "segue/internal.h"

module_state *segue_py_learner_state(PyObject *self)
{
    return PyType_GetModuleState(Py_TYPE(self));
}

PyObject *segue_py_learner_wrap(PyTypeObject *type, segue_learner *learner, arm_names *arms)
{
    learner_object *self = (learner_object *)PyType_GenericAlloc(type, 0);
    if (!self) {
        segue_learner_destroy(learner);
        segue_py_arms_fini(arms);
        return NULL;
    }
    self->learner = learner;
    self->arms = *arms;
    self->process = getpid();
    self->lock = PyThread_allocate_lock();
    if (self->lock)
        return (PyObject *)self;
    Py_DECREF(self);
    return PyErr_NoMemory();
}

/* Only in a forked process, or when the program ends, can a learner be busy here: it is in the middle of a change,
 * and stays. */
static void dealloc(PyObject *object)
{
    learner_object *self = (learner_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (!self->is_busy) {
        segue_learner_destroy(self->learner);
        if (self->lock && self->process == getpid())
            PyThread_free_lock(self->lock);
    }
    segue_py_arms_fini(&self->arms);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* ---- attributes -------------------------------------------------------------------------- */

static PyObject *get_arms(PyObject *object, void *unused)
{
    const learner_object *self = (learner_object *)object;
    const size_t n_arms = self->arms.n_arms;
    (void)unused;
    PyObject *names = PyTuple_New((Py_ssize_t)n_arms);
    for (size_t i = 0; names && i < n_arms; i++)
        (void)PyTuple_SetItem(names, (Py_ssize_t)i, Py_NewRef(self->arms.name[i]));
    return names;
}

/* A tuple of the names whose flags are set. */
static PyObject *select_names(const arm_names *arms, const bool *flag, size_t n_arms)
{
    PyObject *names = PyList_New(0);
    for (size_t i = 0; names && i < n_arms; i++)
        if (flag[i] && PyList_Append(names, arms->name[i]) < 0)
            Py_CLEAR(names);
    PyObject *tuple = names ? PyList_AsTuple(names) : NULL;
    Py_XDECREF(names);
    return tuple;
}

static PyObject *get_retired(PyObject *object, void *unused)
{
    learner_object *self = (learner_object *)object;
    (void)unused;
    if (!segue_py_lock_wait(self))
        return NULL;
    const size_t n_arms = self->arms.n_arms;
    bool *flag = malloc(n_arms * sizeof *flag);
    if (!flag)
        return PyErr_NoMemory();
    for (size_t i = 0; i < n_arms; i++)
        flag[i] = segue_learner_is_retired(self->learner, i);
    PyObject *names = select_names(&self->arms, flag, n_arms);
    free(flag);
    return names;
}

static PyObject *get_method(PyObject *object, void *unused)
{
    learner_object *self = (learner_object *)object;
    char text[1024];
    (void)unused;
    if (!segue_py_lock_wait(self))
        return NULL;
    const segue_learner_config *config = segue_learner_get_config(self->learner);
    const bool fits = segue_learner_config_format(config, text, sizeof text);
    return PyUnicode_FromString(fits ? text : config->method);
}

static PyObject *get_range(PyObject *object, void *unused)
{
    const segue_learner_config *config =
        segue_learner_get_config(((learner_object *)object)->learner);
    (void)unused;
    return Py_BuildValue("(dd)", config->lowest, config->highest);
}

static PyObject *get_steps(PyObject *object, void *unused)
{
    const uint64_t steps = segue_learner_get_config(((learner_object *)object)->learner)->horizon;
    (void)unused;
    return steps ? PyLong_FromUnsignedLongLong(steps) : Py_NewRef(Py_None);
}

static PyObject *get_seed(PyObject *object, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(
        segue_learner_get_config(((learner_object *)object)->learner)->seed);
}

/* A count of segue_learner_summary, at the offset `where`. */
static PyObject *get_count(PyObject *object, void *where)
{
    learner_object *self = (learner_object *)object;
    if (!segue_py_lock_wait(self))
        return NULL;
    const segue_learner_summary info = segue_learner_info(self->learner);
    return PyLong_FromUnsignedLongLong(
        *(const uint64_t *)(const void *)((const char *)&info + (uintptr_t)where));
}

static PyObject *get_version(PyObject *object, void *unused)
{
    learner_object *self = (learner_object *)object;
    (void)unused;
    return segue_py_lock_wait(self)
               ? PyLong_FromUnsignedLongLong(segue_learner_version(self->learner))
               : NULL;
}

#define COUNT(field) (void *)offsetof(segue_learner_summary, field)
static PyGetSetDef attributes[] = {
    {"arms", get_arms, NULL, LEARNER_ARMS_DOC, NULL},
    {"retired", get_retired, NULL, LEARNER_RETIRED_DOC, NULL},
    {"method", get_method, NULL, LEARNER_METHOD_DOC, NULL},
    {"range", get_range, NULL, LEARNER_RANGE_DOC, NULL},
    {"steps", get_steps, NULL, LEARNER_STEPS_DOC, NULL},
    {"seed", get_seed, NULL, LEARNER_SEED_DOC, NULL},
    {"opened", get_count, NULL, LEARNER_OPENED_DOC, COUNT(opened)},
    {"closed", get_count, NULL, LEARNER_CLOSED_DOC, COUNT(closed)},
    {"skipped", get_count, NULL, LEARNER_SKIPPED_DOC, COUNT(skipped)},
    {"version", get_version, NULL, LEARNER_VERSION_DOC, NULL},
    {"types", segue_py_learner_get_types, NULL, LEARNER_TYPES_DOC, NULL},
    {"no_type", segue_py_learner_get_no_type, NULL, LEARNER_NO_TYPE_DOC, NULL},
    {"features", segue_py_learner_get_features, NULL, LEARNER_FEATURES_DOC, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* ---- arms -------------------------------------------------------------------------------- */

/* The library sees the name when the learner is saved: check it here. */
static bool is_short(PyObject *name)
{
    Py_ssize_t size = 1;
    if (PyUnicode_Check(name) && !PyUnicode_AsUTF8AndSize(name, &size))
        return false;
    if (size < 1 || size > SEGUE_MAX_ARM_NAME)
        PyErr_Format(PyExc_ValueError, "the name of an arm has %zd bytes; need 1 to %d", size,
                     SEGUE_MAX_ARM_NAME);
    return size >= 1 && size <= SEGUE_MAX_ARM_NAME;
}

static PyObject *add_arm(PyObject *object, PyObject *name)
{
    learner_object *self = (learner_object *)object;
    segue_error err;
    const bool was_unsaved = self->arms.is_unsaved;
    if (!is_short(name) || !segue_py_lock_wait(self) || !segue_py_arms_add(&self->arms, name))
        return NULL;
    if (segue_learner_add_arm(self->learner, &err) == SEGUE_OK)
        Py_RETURN_NONE;
    segue_py_arms_remove_last(&self->arms);
    self->arms.is_unsaved = was_unsaved;
    return segue_py_errors_raise(segue_py_learner_state(object), &err);
}

static PyObject *retire_arm(PyObject *object, PyObject *arm)
{
    learner_object *self = (learner_object *)object;
    const module_state *state = segue_py_learner_state(object);
    size_t index = 0;
    segue_error err;
    if (!segue_py_arms_find(&self->arms, state, arm, &index) || !segue_py_lock_wait(self))
        return NULL;
    if (segue_learner_retire_arm(self->learner, index, &err) != SEGUE_OK)
        return segue_py_errors_raise(state, &err);
    Py_RETURN_NONE;
}

/* ---- the class --------------------------------------------------------------------------- */

static PyObject *show(PyObject *object)
{
    learner_object *self = (learner_object *)object;
    size_t n_types = 0;
    if (!segue_py_lock_wait(self))
        return NULL;
    (void)segue_learner_no_type(self->learner, &n_types);
    const segue_learner_config *config = segue_learner_get_config(self->learner);
    const segue_learner_summary info = segue_learner_info(self->learner);
    return PyUnicode_FromFormat("<segue.Learner %s: %zu arms, %llu closed tasks, %zu types>",
                                config->method, config->n_arms, (unsigned long long)info.closed,
                                n_types);
}

/* The table is made in Python: segue/_html.py. */
static PyObject *show_html(PyObject *object, PyObject *unused)
{
    PyObject *module = PyImport_ImportModule("segue._html");
    PyObject *function = module ? PyObject_GetAttrString(module, "learner_table") : NULL;
    PyObject *text = function ? PyObject_CallFunctionObjArgs(function, object, NULL) : NULL;
    (void)unused;
    Py_XDECREF(function);
    Py_XDECREF(module);
    return text;
}

#define FAST(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS
static PyMethodDef methods[] = {
    {"task", FAST(segue_py_learner_open_task), LEARNER_TASK_DOC},
    {"add_arm", add_arm, METH_O, LEARNER_ADD_ARM_DOC},
    {"retire_arm", retire_arm, METH_O, LEARNER_RETIRE_ARM_DOC},
    {"refit", segue_py_learner_refit, METH_NOARGS, LEARNER_REFIT_DOC},
    {"save", segue_py_learner_save, METH_O, LEARNER_SAVE_DOC},
    {"to_bytes", segue_py_learner_to_bytes, METH_NOARGS, LEARNER_TO_BYTES_DOC},
    {"merge", segue_py_learner_merge, METH_O, LEARNER_MERGE_DOC},
    {"__reduce__", segue_py_learner_reduce, METH_NOARGS, LEARNER_REDUCE_DOC},
    {"_repr_html_", show_html, METH_NOARGS, LEARNER_HTML_DOC},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef functions[] = {
    {"load", segue_py_learner_load, METH_O, LEARNER_LOAD_DOC},
    {"from_bytes", segue_py_learner_from_bytes, METH_O, LEARNER_FROM_BYTES_DOC},
    {NULL, NULL, 0, NULL},
};

static PyObject *make_type(PyObject *module)
{
    PyType_Slot slots[] = {{Py_tp_doc, (void *)(uintptr_t)LEARNER_DOC},
                           {Py_tp_new, (void *)(uintptr_t)segue_py_learner_new},
                           {Py_tp_dealloc, (void *)(uintptr_t)dealloc},
                           {Py_tp_repr, (void *)(uintptr_t)show},
                           {Py_tp_methods, methods},
                           {Py_tp_getset, attributes},
                           {0, NULL}};
    PyType_Spec spec = {.name = "segue.Learner",
                        .basicsize = sizeof(learner_object),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                        .slots = slots};
    return PyType_FromModuleAndSpec(module, &spec, NULL);
}

int segue_py_learner_exec(PyObject *module)
{
    module_state *state = segue_py_module_state(module);
    if (segue_py_module_add(module, "Learner", &state->learner, make_type(module)) < 0)
        return -1;
    return PyModule_AddFunctions(module, functions);
}
