/* task.c - segue.Task: ask, tell, close; its attributes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "task.h"

#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "errors.h"
#include "segue/internal.h"
#include "task_doc.h"

task_object *segue_py_task_new(learner_object *learner)
{
    PyTypeObject *type = (PyTypeObject *)segue_py_learner_state((PyObject *)learner)->task;
    task_object *self = (task_object *)PyType_GenericAlloc(type, 0);
    if (!self)
        return NULL;
    self->learner = (learner_object *)Py_NewRef((PyObject *)learner);
    self->n_arms = learner->arms.n_arms;
    self->counts = calloc(2 * self->n_arms, sizeof *self->counts);
    if (self->counts)
        return self;
    Py_DECREF(self);
    return (task_object *)PyErr_NoMemory();
}

/* A task that is dropped while it is open is never closed: the learner learns nothing from it. */
static void discard(task_object *self)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (segue_py_lock_wait(self->learner))
        segue_learner_discard_task(self->learner->learner, &self->task);
    else
        PyErr_Clear(); /* in a forked process, or at the end of the program: the memory stays */
    if (PyErr_WarnEx(PyExc_ResourceWarning,
                     "a segue.Task was not closed; the learner does not learn from it", 1) < 0)
        PyErr_WriteUnraisable((PyObject *)Py_TYPE((PyObject *)self));
    PyErr_Restore(type, value, traceback);
}

static void dealloc(PyObject *object)
{
    task_object *self = (task_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->task)
        discard(self);
    Py_XDECREF((PyObject *)self->learner);
    free(self->counts);
    PyObject_Free(self);
    Py_DECREF(type);
}

static bool raise_closed(void)
{
    PyErr_SetString(PyExc_ValueError, "the task is closed; open the next one with learner.task()");
    return false;
}

bool segue_py_task_ready(task_object *self)
{
    return segue_py_lock_wait(self->learner) && (self->task || raise_closed());
}

bool *segue_py_task_allowed(task_object *self, PyObject *excluded)
{
    bool *allowed = malloc(self->n_arms * sizeof *allowed);
    if (!allowed)
        return (bool *)PyErr_NoMemory();
    memset(allowed, true, self->n_arms * sizeof *allowed);
    if (!excluded || excluded == Py_None ||
        segue_py_arms_exclude(&self->learner->arms, segue_py_learner_state((PyObject *)self),
                              excluded, allowed, self->n_arms))
        return allowed;
    free(allowed);
    return NULL;
}

/* ---- ask and tell ------------------------------------------------------------------------ */

static PyObject *name_of(task_object *self, size_t arm)
{
    self->last_arm = arm;
    return Py_NewRef(self->learner->arms.name[arm]);
}

/* Ask among allowed arms, once or `count` times. */
static PyObject *ask_among(task_object *self, PyObject *count, PyObject *excluded)
{
    unsigned long long n = 0;
    size_t arm = 0;
    segue_error err;
    if (count && !segue_py_args_whole("count", count, &n))
        return NULL;
    bool *allowed = segue_py_task_allowed(self, excluded);
    if (!allowed)
        return NULL;
    PyObject *answer = NULL;
    if (count)
        answer = segue_py_task_ask_many(self, n, allowed);
    else if (segue_py_task_ready(self))
        answer = segue_task_ask_among(self->task, allowed, &arm, &err) == SEGUE_OK
                     ? name_of(self, arm)
                     : segue_py_errors_raise(segue_py_learner_state((PyObject *)self), &err);
    free(allowed);
    return answer;
}

static PyObject *ask(PyObject *object, PyObject *const *args, Py_ssize_t n_args, PyObject *keywords)
{
    static const char *const names[] = {"count", "exclude"};
    static const signature sig = {"ask", names, 2, 0, 1};
    task_object *self = (task_object *)object;
    PyObject *given[2] = {NULL};
    if (n_args > 0 || keywords) {
        if (!segue_py_args_match(&sig, args, n_args, keywords, given))
            return NULL;
        const bool is_single = !given[0] || given[0] == Py_None;
        if (!is_single || given[1])
            return ask_among(self, is_single ? NULL : given[0], given[1]);
    }
    return segue_py_task_ready(self) ? name_of(self, segue_task_ask(self->task)) : NULL;
}

static bool find_arm(task_object *self, PyObject *arm, size_t *index)
{
    const arm_names *arms = &self->learner->arms;
    *index = self->last_arm;
    return arm == arms->name[self->last_arm] ||
           segue_py_arms_find(arms, segue_py_learner_state((PyObject *)self), arm, index);
}

static PyObject *tell(PyObject *object, PyObject *const *args, Py_ssize_t n_args,
                      PyObject *keywords)
{
    static const char *const names[] = {"arm", "reward"};
    static const signature sig = {"tell", names, 2, 2, 2};
    task_object *self = (task_object *)object;
    PyObject *given[2];
    size_t arm = 0;
    double reward = 0.0;
    segue_error err;
    if (!segue_py_args_match(&sig, args, n_args, keywords, given) ||
        !find_arm(self, given[0], &arm))
        return NULL;
    if (!segue_py_args_number("the reward", given[1], &reward) || !segue_py_task_ready(self))
        return NULL;
    if (segue_task_tell(self->task, arm, reward, &err) != SEGUE_OK)
        return segue_py_errors_raise(segue_py_learner_state(object), &err);
    Py_RETURN_NONE;
}

/* ---- close ------------------------------------------------------------------------------- */

static void copy_counts(const segue_task *task, size_t n_arms, double *counts)
{
    const segue_task_summary info = segue_task_info(task);
    for (size_t i = 0; i < n_arms; i++) {
        counts[i] = (double)info.pulls[i];
        counts[n_arms + i] = segue_task_mean(task, i);
    }
}

/* Run the refit that a learner of a service leaves to its owner. */
static segue_status refit_due(segue_learner *learner, segue_error *err)
{
    segue_refit *refit = NULL;
    if (!segue_learner_refit_due(learner))
        return SEGUE_OK;
    segue_status status = segue_learner_refit_begin(learner, &refit, err);
    if (status == SEGUE_OK)
        status = segue_refit_run(refit, err);
    if (status == SEGUE_OK)
        status = segue_learner_refit_publish(learner, &refit, err);
    segue_refit_destroy(refit);
    return status;
}

static segue_status close_task(segue_learner *learner, segue_task **task, segue_error *err)
{
    const segue_status status = segue_learner_close_task(learner, task, err);
    return status == SEGUE_OK ? refit_due(learner, err) : status;
}

static PyObject *close_open(PyObject *object, PyObject *unused)
{
    task_object *self = (task_object *)object;
    segue_status status = SEGUE_OK;
    segue_error err;
    (void)unused;
    if (!self->task)
        Py_RETURN_NONE;
    if (!segue_py_lock_begin(self->learner))
        return NULL;
    if (self->task) { /* no other thread has closed it meanwhile */
        copy_counts(self->task, self->n_arms, self->counts);
        PyThreadState *saved = PyEval_SaveThread();
        status = close_task(self->learner->learner, &self->task, &err);
        PyEval_RestoreThread(saved);
    }
    segue_py_lock_end(self->learner);
    if (status != SEGUE_OK)
        return segue_py_errors_raise(segue_py_learner_state(object), &err);
    Py_RETURN_NONE;
}

static PyObject *enter(PyObject *object, PyObject *unused)
{
    (void)unused;
    return segue_py_task_ready((task_object *)object) ? Py_NewRef(object) : NULL;
}

/* Also after an exception: the rewards that were told are true. */
static PyObject *leave_block(PyObject *object, PyObject *const *args, Py_ssize_t n_args)
{
    (void)args;
    (void)n_args;
    return close_open(object, NULL);
}

/* ---- attributes -------------------------------------------------------------------------- */

/* Bring the counts up to date, with the learner's lock: true for a task that is closed, too. */
static bool count(task_object *self)
{
    if (!segue_py_lock_wait(self->learner))
        return false;
    if (self->task)
        copy_counts(self->task, self->n_arms, self->counts);
    return true;
}

static PyObject *get_pulls(PyObject *object, void *unused)
{
    task_object *self = (task_object *)object;
    (void)unused;
    PyObject *dict = count(self) ? PyDict_New() : NULL;
    for (size_t i = 0; dict && i < self->n_arms; i++) {
        PyObject *pulls = PyLong_FromDouble(self->counts[i]);
        if (!pulls || PyDict_SetItem(dict, self->learner->arms.name[i], pulls) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(pulls);
    }
    return dict;
}

static PyObject *get_means(PyObject *object, void *unused)
{
    task_object *self = (task_object *)object;
    (void)unused;
    return count(self)
               ? segue_py_arms_dict(&self->learner->arms, self->counts + self->n_arms, self->n_arms)
               : NULL;
}

static PyObject *get_is_closed(PyObject *object, void *unused)
{
    task_object *self = (task_object *)object;
    (void)unused;
    return segue_py_lock_wait(self->learner) ? PyBool_FromLong(!self->task) : NULL;
}

static PyObject *get_learner(PyObject *object, void *unused)
{
    (void)unused;
    return Py_NewRef((PyObject *)((task_object *)object)->learner);
}

static PyObject *show(PyObject *object)
{
    task_object *self = (task_object *)object;
    unsigned long long pulls = 0;
    if (!count(self))
        return NULL;
    for (size_t i = 0; i < self->n_arms; i++)
        pulls += (unsigned long long)self->counts[i];
    return PyUnicode_FromFormat("<segue.Task %s: %zu arms, %llu rewards>",
                                self->task ? "open" : "closed", self->n_arms, pulls);
}

static PyGetSetDef attributes[] = {
    {"pulls", get_pulls, NULL, TASK_PULLS_DOC, NULL},
    {"means", get_means, NULL, TASK_MEANS_DOC, NULL},
    {"closed", get_is_closed, NULL, TASK_CLOSED_DOC, NULL},
    {"learner", get_learner, NULL, TASK_LEARNER_DOC, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

#define FAST(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS
static PyMethodDef methods[] = {
    {"ask", FAST(ask), TASK_ASK_DOC},
    {"tell", FAST(tell), TASK_TELL_DOC},
    {"tell_many", FAST(segue_py_task_tell_many), TASK_TELL_MANY_DOC},
    {"explain", FAST(segue_py_task_explain), TASK_EXPLAIN_DOC},
    {"probabilities", FAST(segue_py_task_probabilities), TASK_PROBABILITIES_DOC},
    {"close", close_open, METH_NOARGS, TASK_CLOSE_DOC},
    {"__enter__", enter, METH_NOARGS, TASK_ENTER_DOC},
    {"__exit__", (PyCFunction)(void (*)(void))leave_block, METH_FASTCALL, TASK_EXIT_DOC},
    {NULL, NULL, 0, NULL},
};

static PyObject *make_type(PyObject *module)
{
    PyType_Slot slots[] = {{Py_tp_doc, (void *)(uintptr_t)TASK_DOC},
                           {Py_tp_dealloc, (void *)(uintptr_t)dealloc},
                           {Py_tp_repr, (void *)(uintptr_t)show},
                           {Py_tp_methods, methods},
                           {Py_tp_getset, attributes},
                           {0, NULL}};
    PyType_Spec spec = {.name = "segue.Task",
                        .basicsize = sizeof(task_object),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |
                                 Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        .slots = slots};
    return PyType_FromModuleAndSpec(module, &spec, NULL);
}

int segue_py_task_exec(PyObject *module)
{
    return segue_py_module_add(module, "Task", &segue_py_module_state(module)->task,
                               make_type(module));
}
