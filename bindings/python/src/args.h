/* args.h - match the arguments of a call with the names of its parameters.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PYTHON_ARGS_H
#define SEGUE_PYTHON_ARGS_H

#include <stdbool.h>

#include "module.h"

/** The parameters of a function that is METH_FASTCALL | METH_KEYWORDS. */
typedef struct signature {
    const char *function;
    const char *const *names;
    Py_ssize_t n_names, n_required;
    Py_ssize_t n_positional; /* the others are given by name only */
} signature;

/** Fill out[0 .. n_names - 1] with borrowed references, NULL where an argument is not given.  False: a
 * TypeError is raised. */
bool segue_py_args_match(const signature *sig, PyObject *const *args, Py_ssize_t n_args,
                         PyObject *keywords, PyObject **out);

/** Replace a TypeError of Python by one that names the argument, its value and what it must be, and an
 * OverflowError by such a ValueError. */
void segue_py_args_reword(const char *name, PyObject *value, const char *need);

/** A number, called `name` in an error.  False: an exception is raised. */
bool segue_py_args_number(const char *name, PyObject *value, double *out);

/** The bytes of a text without NUL, called `name` in an error; they belong to it.  NULL: an exception is
 * raised. */
const char *segue_py_args_text(const char *name, PyObject *text);

/** A whole number from 0 to 2^63 - 1, called `name` in an error.  False: an exception is raised. */
bool segue_py_args_whole(const char *name, PyObject *value, unsigned long long *out);

#endif
