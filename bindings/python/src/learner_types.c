/* learner_types.c - the types that a learner has found, and the features that it knows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "errors.h"
#include "learner.h"
#include "learner_doc.h"
#include "segue/internal.h"

/* Set a field of a record to a new reference; NULL becomes an exception that is seen at the end. */
static void set(PyObject *record, Py_ssize_t field, PyObject *value)
{
    PyStructSequence_SetItem(record, field, value); /* a NULL is skipped when it is freed */
}

/* The interval's end of each arm, or None. */
static PyObject *ends(const learner_object *self, const double *value, size_t n_arms)
{
    return value ? segue_py_arms_dict(&self->arms, value, n_arms) : Py_NewRef(Py_None);
}

static PyObject *make_type_record(const learner_object *self, PyObject *type,
                                  const segue_type_list *found, size_t k)
{
    const size_t row = k * found->n_arms;
    PyObject *record = PyStructSequence_New((PyTypeObject *)type);
    if (!record)
        return NULL;
    set(record, 0, PyLong_FromSize_t(k + 1));
    set(record, 1, PyLong_FromUnsignedLongLong(found->id[k]));
    set(record, 2, PyFloat_FromDouble(found->weight[k]));
    set(record, 3, segue_py_arms_dict(&self->arms, found->mean + row, found->n_arms));
    set(record, 4, ends(self, found->low ? found->low + row : NULL, found->n_arms));
    set(record, 5, ends(self, found->high ? found->high + row : NULL, found->n_arms));
    if (PyErr_Occurred())
        Py_CLEAR(record);
    return record;
}

PyObject *segue_py_learner_get_types(PyObject *object, void *unused)
{
    learner_object *self = (learner_object *)object;
    const module_state *state = segue_py_learner_state(object);
    segue_type_list found;
    segue_error err;
    (void)unused;
    if (!segue_py_lock_wait(self))
        return NULL;
    if (segue_learner_types(self->learner, &found, &err) != SEGUE_OK)
        return segue_py_errors_raise(state, &err);
    PyObject *list = PyList_New((Py_ssize_t)found.n_types);
    for (size_t k = 0; list && k < found.n_types; k++) {
        PyObject *record = make_type_record(self, state->type, &found, k);
        if (!record || PyList_SetItem(list, (Py_ssize_t)k, record) < 0)
            Py_CLEAR(list);
    }
    segue_type_list_fini(&found);
    return list;
}

PyObject *segue_py_learner_get_no_type(PyObject *object, void *unused)
{
    learner_object *self = (learner_object *)object;
    size_t n_types = 0;
    (void)unused;
    return segue_py_lock_wait(self)
               ? PyFloat_FromDouble(segue_learner_no_type(self->learner, &n_types))
               : NULL;
}

static PyObject *make_feature_record(const segue_feature_info *info, PyObject *type)
{
    PyObject *record = PyStructSequence_New((PyTypeObject *)type);
    if (!record)
        return NULL;
    set(record, 0, PyUnicode_FromString(info->name));
    set(record, 1, PyBool_FromLong(info->is_number));
    set(record, 2, PyLong_FromSize_t(info->n_tasks));
    set(record, 3, PyLong_FromSize_t(info->n_categories));
    set(record, 4, PyFloat_FromDouble(info->relevance));
    if (PyErr_Occurred())
        Py_CLEAR(record);
    return record;
}

PyObject *segue_py_learner_get_features(PyObject *object, void *unused)
{
    learner_object *self = (learner_object *)object;
    const module_state *state = segue_py_learner_state(object);
    segue_feature_info info[SEGUE_MAX_FEATURES];
    segue_error err;
    (void)unused;
    if (!segue_py_lock_wait(self))
        return NULL;
    const size_t count = segue_learner_n_features(self->learner);
    for (size_t i = 0; i < count; i++)
        if (segue_learner_feature_info(self->learner, i, &info[i], &err) != SEGUE_OK)
            return segue_py_errors_raise(state, &err);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *record = make_feature_record(&info[i], state->feature);
        if (!record || PyList_SetItem(list, (Py_ssize_t)i, record) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* ---- the classes of records -------------------------------------------------------------- */

static PyStructSequence_Field type_fields[] = {
    {"number", "1, 2, ... by falling weight when the types were last refitted"},
    {"id", "the same as long as the type exists; 0: the method has none"},
    {"weight", "the share of tasks that are of this type"},
    {"means", "a dict: arm -> mean reward"},
    {"low", "a dict: the lower ends of the 95 % intervals of the means; None: not known"},
    {"high", "a dict: the upper ends"},
    {NULL, NULL},
};

static PyStructSequence_Field feature_fields[] = {
    {"name", "the name"},
    {"is_number", "True: a number; False: a category"},
    {"tasks", "the tasks of the window that have it"},
    {"categories", "how many there are; 0: it is a number"},
    {"relevance", "the probability that it depends on the type"},
    {NULL, NULL},
};

static PyStructSequence_Desc type_desc = {"segue.Type", TYPE_DOC, type_fields, 6};
static PyStructSequence_Desc feature_desc = {"segue.Feature", FEATURE_DOC, feature_fields, 5};

int segue_py_types_exec(PyObject *module)
{
    module_state *state = segue_py_module_state(module);
    PyObject *type = (PyObject *)PyStructSequence_NewType(&type_desc);
    if (segue_py_module_add(module, "Type", &state->type, type) < 0)
        return -1;
    PyObject *feature = (PyObject *)PyStructSequence_NewType(&feature_desc);
    return segue_py_module_add(module, "Feature", &state->feature, feature);
}
