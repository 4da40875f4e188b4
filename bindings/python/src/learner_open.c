/* learner_open.c - learner.task(features, costs, switch_cost): open a task.
 *
 * What is wrong is found before the task is opened: a rejected call leaves no trace in the learner.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "errors.h"
#include "segue/internal.h"
#include "task.h"

/* What a task is opened with. */
typedef struct terms {
    segue_feature feature[SEGUE_MAX_FEATURES + 1];
    size_t n_features;
    PyObject *items; /* of the features: it owns their texts */
    double *cost;    /* n_arms; NULL: none */
    double switch_cost;
} terms;

static void terms_fini(terms *t)
{
    Py_CLEAR(t->items);
    free(t->cost);
    t->cost = NULL;
}

/* Call a feature by its name in an error. */
static void reword_feature(const char *name, PyObject *value)
{
    char what[SEGUE_MAX_FEATURE_TEXT + 16];
    (void)snprintf(what, sizeof what, "feature '%s'", name);
    segue_py_args_reword(what, value, "a number or a text");
}

static bool read_feature(segue_feature *feature, PyObject *name, PyObject *value)
{
    if (!PyUnicode_Check(name)) {
        PyErr_Format(PyExc_TypeError, "a feature has the name %R; need a str", name);
        return false;
    }
    feature->name = segue_py_args_text("the name of a feature", name);
    if (!feature->name)
        return false;
    if (PyUnicode_Check(value))
        feature->text = segue_py_args_text("a feature", value);
    else
        feature->number = PyFloat_AsDouble(value);
    if (PyErr_Occurred())
        reword_feature(feature->name, value);
    return !PyErr_Occurred();
}

/* The pairs of a mapping; another object is a TypeError. */
static PyObject *read_items(PyObject *mapping, const char *name)
{
    PyObject *items = PyMapping_Items(mapping);
    if (!items && PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Format(PyExc_TypeError, "%s is %R; need a dict", name, mapping);
    return items;
}

/* One feature more than are allowed is read, so that the library rejects it. */
static bool read_features(terms *t, PyObject *features)
{
    if (!features || features == Py_None)
        return true;
    t->items = read_items(features, "features");
    const Py_ssize_t n = t->items ? PyList_Size(t->items) : -1;
    for (Py_ssize_t i = 0; i < n && t->n_features <= SEGUE_MAX_FEATURES; i++) {
        PyObject *item = PyList_GetItem(t->items, i);
        if (!PyTuple_Check(item) || PyTuple_Size(item) != 2) {
            PyErr_Format(PyExc_TypeError, "features is %R; need a dict of names and values",
                         features);
            return false;
        }
        segue_feature *feature = &t->feature[t->n_features++];
        if (!read_feature(feature, PyTuple_GetItem(item, 0), PyTuple_GetItem(item, 1)))
            return false;
    }
    return n >= 0;
}

static bool read_cost(const learner_object *self, const module_state *state, PyObject *arm,
                      PyObject *value, terms *t)
{
    size_t index = 0;
    double cost = 0.0;
    if (!segue_py_args_number("a cost", value, &cost) ||
        !segue_py_arms_find(&self->arms, state, arm, &index))
        return false;
    t->cost[index] = cost;
    return true;
}

/* A dict from arms to costs; arms without one cost nothing. */
static bool read_costs(const learner_object *self, const module_state *state, PyObject *costs,
                       terms *t)
{
    if (!costs || costs == Py_None)
        return true;
    PyObject *items = read_items(costs, "costs");
    if (!items)
        return false;
    /* SEGUE_MAX_ARMS: an arm may be added while the costs are read */
    t->cost = calloc(SEGUE_MAX_ARMS, sizeof *t->cost);
    bool is_good = t->cost || PyErr_NoMemory();
    for (Py_ssize_t i = 0; is_good && i < PyList_Size(items); i++) {
        PyObject *item = PyList_GetItem(items, i);
        is_good =
            PyTuple_Check(item) && PyTuple_Size(item) == 2
                ? read_cost(self, state, PyTuple_GetItem(item, 0), PyTuple_GetItem(item, 1), t)
                : PyErr_Format(PyExc_TypeError, "costs is %R; need a dict", costs) != NULL;
    }
    Py_DECREF(items);
    return is_good;
}

static bool has_costs(const terms *t)
{
    return t->cost || t->switch_cost != 0.0;
}

/* Check costs with a task that leaves no trace. */
static segue_status check_costs(segue_learner *learner, const terms *t, segue_error *err)
{
    segue_task *task = NULL;
    segue_rng rng;
    segue_rng_init(&rng, 0, 0, 0, 0);
    if (!has_costs(t))
        return SEGUE_OK;
    SEGUE_TRY(segue_learner_play_task(learner, &rng, &task, err));
    const segue_status status = segue_task_set_costs(task, t->cost, t->switch_cost, err);
    segue_learner_discard_task(learner, &task);
    return status;
}

static segue_status open_task(segue_learner *learner, const terms *t, segue_task **task,
                              segue_error *err)
{
    SEGUE_TRY(check_costs(learner, t, err));
    SEGUE_TRY(segue_learner_open_task_with(learner, t->feature, t->n_features, task, err));
    if (!has_costs(t))
        return SEGUE_OK;
    const segue_status status = segue_task_set_costs(*task, t->cost, t->switch_cost, err);
    if (status != SEGUE_OK) /* out of memory: nobody has this task, and nobody can close it */
        segue_learner_discard_task(learner, task);
    return status;
}

static PyObject *open_with(learner_object *self, const terms *t)
{
    segue_error err;
    task_object *task = segue_py_task_new(self);
    if (!task || !segue_py_lock_wait(self)) {
        Py_XDECREF((PyObject *)task);
        return NULL;
    }
    if (task->n_arms == self->arms.n_arms && /* no arm was added while it waited */
        open_task(self->learner, t, &task->task, &err) == SEGUE_OK)
        return (PyObject *)task;
    const bool has_changed = task->n_arms != self->arms.n_arms;
    Py_DECREF((PyObject *)task);
    return has_changed ? open_with(self, t)
                       : segue_py_errors_raise(segue_py_learner_state((PyObject *)self), &err);
}

PyObject *segue_py_learner_open_task(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                                     PyObject *keywords)
{
    static const char *const names[] = {"features", "costs", "switch_cost"};
    static const signature sig = {"task", names, 3, 0, 1};
    learner_object *self = (learner_object *)object;
    PyObject *given[3] = {NULL};
    terms t = {.n_features = 0};
    if (!segue_py_args_match(&sig, args, n_args, keywords, given) ||
        (given[2] && !segue_py_args_number("switch_cost", given[2], &t.switch_cost)))
        return NULL;
    PyObject *task = NULL;
    if (read_features(&t, given[0]) &&
        read_costs(self, segue_py_learner_state(object), given[1], &t))
        task = open_with(self, &t);
    terms_fini(&t);
    return task;
}
