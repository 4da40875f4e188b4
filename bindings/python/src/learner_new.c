/* learner_new.c - Learner(arms, steps, method, seed, range, models, tasks, **options): a configuration
 * from arguments.
 *
 * The options of a method may stand in its text ("tla:cap=5") or be given by keyword (cap=5).  Keywords
 * are added to the text, which the library parses.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "args.h"
#include "errors.h"
#include "learner.h"

static const char *const names[] = {"arms", "steps", "method", "seed", "range", "models", "tasks"};
enum { ARMS, STEPS, METHOD, SEED, RANGE, MODELS, TASKS, N_NAMES };

static Py_ssize_t find_name(PyObject *keyword)
{
    for (Py_ssize_t i = 0; i < N_NAMES; i++)
        if (PyUnicode_CompareWithASCIIString(keyword, names[i]) == 0)
            return i;
    return -1;
}

/* Append "key=value" to a text, after ':' or ','. */
static void add_option(PyObject **text, PyObject *key, PyObject *value)
{
    const Py_ssize_t length = PyUnicode_GetLength(*text);
    const bool has_options = PyUnicode_FindChar(*text, ':', 0, length, 1) >= 0;
    PyObject *longer =
        PyUnicode_FromFormat("%U%c%U=%S", *text, has_options ? ',' : ':', key, value);
    Py_DECREF(*text);
    *text = longer;
}

/* Sort the arguments: those of `names` into given, the others as options into *text. */
static bool sort_arguments(PyObject *args, PyObject *keywords, PyObject **given)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    const Py_ssize_t n_args = PyTuple_Size(args);
    if (n_args > N_NAMES) {
        PyErr_Format(PyExc_TypeError, "Learner() takes at most %d arguments by position; %zd given",
                     N_NAMES, n_args);
        return false;
    }
    for (Py_ssize_t i = 0; i < n_args; i++)
        given[i] = PyTuple_GetItem(args, i);
    while (keywords && PyDict_Next(keywords, &at, &key, &value)) {
        const Py_ssize_t i = find_name(key);
        if (i >= 0 && given[i]) {
            PyErr_Format(PyExc_TypeError, "Learner() got the argument '%U' twice", key);
            return false;
        }
        if (i >= 0)
            given[i] = value;
    }
    if (!given[ARMS])
        PyErr_SetString(PyExc_TypeError, "Learner() needs the argument 'arms'");
    return given[ARMS] != NULL;
}

/* The text of the method with the options that are keywords; NULL with an exception. */
static PyObject *method_text(PyObject *method, PyObject *keywords)
{
    PyObject *key, *value, *text = method ? Py_NewRef(method) : PyUnicode_FromString("auto");
    Py_ssize_t at = 0;
    if (text && !PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "method is %R; need a text such as 'tla:cap=5'", text);
        Py_CLEAR(text);
    }
    while (text && keywords && PyDict_Next(keywords, &at, &key, &value))
        if (find_name(key) < 0)
            add_option(&text, key, value);
    return text;
}

static bool parse_method(segue_learner_config *config, PyObject *method, PyObject *keywords,
                         const module_state *state)
{
    segue_error err;
    PyObject *text = method_text(method, keywords);
    const char *utf8 = text ? segue_py_args_text("method", text) : NULL;
    const bool is_good = utf8 && segue_learner_config_parse(config, utf8, &err) == SEGUE_OK;
    if (utf8 && !is_good)
        (void)segue_py_errors_raise(state, &err);
    Py_XDECREF(text);
    return is_good;
}

static bool read_range(segue_learner_config *config, PyObject *range)
{
    PyObject *pair = PySequence_Tuple(range);
    if (pair && PyTuple_Size(pair) == 2) {
        config->lowest = PyFloat_AsDouble(PyTuple_GetItem(pair, 0));
        if (!PyErr_Occurred())
            config->highest = PyFloat_AsDouble(PyTuple_GetItem(pair, 1));
    } else if (pair) {
        PyErr_Format(PyExc_ValueError, "range is %R; need the lowest and the highest reward",
                     range);
    }
    Py_XDECREF(pair);
    if (PyErr_Occurred())
        segue_py_args_reword("range", range, "the lowest and the highest reward");
    return !PyErr_Occurred();
}

/* The seed, if it is given and not None: all 64 bits. */
static bool read_seed(PyObject *given, uint64_t *out)
{
    PyObject *whole = given && given != Py_None ? PyNumber_Index(given) : NULL;
    if (whole)
        *out = PyLong_AsUnsignedLongLong(whole);
    Py_XDECREF(whole);
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "seed is %R; need a whole number from 0 to 2^64 - 1", given);
    } else if (PyErr_Occurred()) {
        segue_py_args_reword("seed", given, "a whole number");
    }
    return !PyErr_Occurred();
}

/* One whole number, if it is given and not None. */
static bool read_whole(PyObject *const *given, int which, uint64_t *out)
{
    unsigned long long value = 0;
    if (!given[which] || given[which] == Py_None)
        return true;
    if (!segue_py_args_whole(names[which], given[which], &value))
        return false;
    *out = value;
    return true;
}

static bool configure(segue_learner_config *config, PyObject *const *given, PyObject *keywords,
                      const module_state *state)
{
    uint64_t n_models = config->n_models;
    if (!parse_method(config, given[METHOD], keywords, state))
        return false;
    n_models = config->n_models;
    if (!read_whole(given, STEPS, &config->horizon) || !read_seed(given[SEED], &config->seed) ||
        !read_whole(given, TASKS, &config->n_tasks) || !read_whole(given, MODELS, &n_models))
        return false;
    config->n_models = n_models;
    return !given[RANGE] || read_range(config, given[RANGE]);
}

static PyObject *create(PyTypeObject *type, const segue_learner_config *config, arm_names *arms)
{
    segue_learner *learner = NULL;
    segue_error err;
    const module_state *state = PyType_GetModuleState(type);
    if (segue_learner_create(&learner, config, &err) != SEGUE_OK) {
        segue_py_arms_fini(arms);
        return segue_py_errors_raise(state, &err);
    }
    PyObject *encoded = segue_py_arms_encode(arms);
    const bool is_named = encoded && segue_py_arms_write(arms, encoded, learner, state);
    Py_XDECREF(encoded);
    if (is_named)
        return segue_py_learner_wrap(type, learner, arms);
    segue_learner_destroy(learner);
    segue_py_arms_fini(arms);
    return NULL;
}

PyObject *segue_py_learner_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *given[N_NAMES] = {NULL};
    arm_names arms = {.name = NULL};
    segue_learner_config config = segue_learner_defaults();
    if (!sort_arguments(args, keywords, given) || !segue_py_arms_add_all(&arms, given[ARMS]) ||
        !configure(&config, given, keywords, PyType_GetModuleState(type))) {
        segue_py_arms_fini(&arms);
        return NULL;
    }
    config.n_arms = arms.n_arms;
    return create(type, &config, &arms);
}
