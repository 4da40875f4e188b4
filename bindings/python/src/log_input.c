/* log_input.c - a log from Python: a file, or columns.
 *
 * The names of tasks and arms are texts of Python objects, which `keep` holds while the log is read
 * without the GIL; numbers are copied.
 * SPDX-License-Identifier: Apache-2.0 */
#include "log_input.h"

#include <stdlib.h>
#include <string.h>

#include "column.h"

/* ---- names ------------------------------------------------------------------------------- */

/* A number is named by its text; the text is kept.  A missing name is none. */
static int get_name(log_input *in, PyObject *item, log_text *out)
{
    Py_ssize_t length = 0;
    PyObject *text = PyUnicode_Check(item) ? Py_NewRef(item) : PyObject_Str(item);
    if (text && segue_py_column_is_missing(item, text)) {
        Py_DECREF(text);
        return 0;
    }
    out->text = text ? PyUnicode_AsUTF8AndSize(text, &length) : NULL;
    out->length = (size_t)length;
    const int status = !out->text || PyList_Append(in->keep, text) < 0 ? -1 : 0;
    Py_XDECREF(text);
    return status;
}

static int get_names(log_input *in, PyObject *list, log_text **out)
{
    const Py_ssize_t count = PyList_Size(list);
    if (count < 0)
        return -1;
    *out = PyMem_Calloc((size_t)count + 1, sizeof **out);
    if (!*out) {
        (void)PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        if (get_name(in, PyList_GetItem(list, i), &(*out)[i]) < 0)
            return -1;
    return 0;
}

/* ---- columns ----------------------------------------------------------------------------- */

static int check_length(const char *name, size_t count, size_t n_rows)
{
    if (count == n_rows)
        return 0;
    PyErr_Format(PyExc_ValueError, "column '%s' has %zu rows; column 'task' has %zu", name, count,
                 n_rows);
    return -1;
}

static int get_numbers(const log_input *in, const char *name, PyObject *column, double **out)
{
    size_t count = 0;
    if (column == Py_None)
        return 0;
    const column_rules rules = {.name = name, .is_log = true};
    if (!segue_py_column_numbers(&rules, column, out, &count))
        return -1;
    return check_length(name, count, in->table.n_rows);
}

static int get_columns(log_input *in, PyObject *given)
{
    PyObject *task, *arm, *reward, *time, *probability;
    int has_dates = 0;
    if (!PyArg_ParseTuple(given, "O!O!OOOp", &PyList_Type, &task, &PyList_Type, &arm, &reward,
                          &time, &probability, &has_dates))
        return -1;
    in->path = "the frame";
    in->table.n_rows = (size_t)PyList_Size(task);
    if (check_length("arm", (size_t)PyList_Size(arm), in->table.n_rows) < 0 ||
        get_names(in, task, &in->task) < 0 || get_names(in, arm, &in->arm) < 0 ||
        get_numbers(in, "reward", reward, &in->reward) < 0 ||
        get_numbers(in, "time", time, &in->time) < 0 ||
        get_numbers(in, "probability", probability, &in->probability) < 0)
        return -1;
    in->table = (log_table){.name = in->path,
                            .n_rows = in->table.n_rows,
                            .task = in->task,
                            .arm = in->arm,
                            .reward = in->reward,
                            .time = in->time,
                            .probability = in->probability,
                            .has_dates = has_dates};
    in->reading.table = &in->table;
    return 0;
}

/* ---- files ------------------------------------------------------------------------------- */

static int get_path(log_input *in, PyObject *given)
{
    PyObject *path = NULL;
    if (!PyUnicode_FSConverter(given, &path))
        return -1;
    in->path = PyBytes_AsString(path);
    const int status = PyList_Append(in->keep, path);
    Py_DECREF(path);
    return status;
}

/* Only None and one character are a delimiter. */
static int get_options(log_input *in, PyObject *options)
{
    log_read_options *r = &in->reading;
    const char *delimiter = NULL;
    int skip = 0;
    *r = segue_log_rows_defaults();
    if (PyList_Append(in->keep, options) < 0 ||
        !PyArg_ParseTuple(options, "ddpzzzzzz", &r->lowest, &r->highest, &skip, &delimiter,
                          &r->column[LOG_TASK], &r->column[LOG_ARM], &r->column[LOG_REWARD],
                          &r->column[LOG_TIME], &r->column[LOG_PROBABILITY]))
        return -1;
    r->skip_missing = skip;
    if (delimiter)
        r->delimiter = *delimiter;
    if (!delimiter || (strlen(delimiter) == 1 && strchr(",\t;|", *delimiter)))
        return 0;
    PyErr_Format(PyExc_ValueError, "delimiter is '%s'; need ',', tab, ';' or '|'", delimiter);
    return -1;
}

int segue_py_log_input_init(log_input *out, PyObject *given, PyObject *options)
{
    *out = (log_input){.keep = PyList_New(0)};
    if (!out->keep || get_options(out, options) < 0)
        return -1;
    return PyTuple_Check(given) ? get_columns(out, given) : get_path(out, given);
}

void segue_py_log_input_fini(log_input *input)
{
    PyMem_Free(input->task);
    PyMem_Free(input->arm);
    free(input->reward);
    free(input->time);
    free(input->probability);
    Py_CLEAR(input->keep);
}
