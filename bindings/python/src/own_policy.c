/* own_policy.c - a policy that is a function of Python.
 *
 * A policy of the library has no context of its own.  The address of this one travels in two of its
 * options, 32 bits in each, which doubles hold exactly.
 * SPDX-License-Identifier: Apache-2.0 */
#include "own_policy.h"

#include "record.h"

#define HALF 4294967296.0 /* 2^32 */

static own_policy *own_of(const segue_task_view *view)
{
    const uint64_t address = ((uint64_t)view->option[1] << 32) | (uint64_t)view->option[0];
    return (own_policy *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
}

static PyObject *list_pulls(const segue_task_view *view)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; i < view->n_arms; i++)
        RECORD_APPEND(list, PyLong_FromUnsignedLongLong(view->pulls[i]));
    return list;
}

static PyObject *call(const own_policy *own, const segue_task_view *view)
{
    PyObject *pulls = list_pulls(view), *answer = NULL;
    PyObject *sums = pulls ? segue_py_record_numbers(view->sum, view->n_arms) : NULL;
    if (sums)
        answer =
            PyObject_CallFunction(own->choose, "KOO", (unsigned long long)view->step, pulls, sums);
    Py_XDECREF(pulls);
    Py_XDECREF(sums);
    return answer;
}

/* Return the arm of an answer; an exception: the number of arms. */
static size_t arm_of(PyObject *answer, size_t n_arms)
{
    const Py_ssize_t arm = answer ? PyNumber_AsSsize_t(answer, NULL) : -1; /* too large: clipped */
    if (PyErr_Occurred() && !(answer && PyErr_ExceptionMatches(PyExc_TypeError)))
        return n_arms;
    if (!PyErr_Occurred() && arm >= 0 && (size_t)arm < n_arms)
        return (size_t)arm;
    PyObject *kind = PyErr_Occurred() ? PyExc_TypeError : PyExc_ValueError;
    PyErr_Clear();
    PyErr_Format(kind, "choose returned %R; need an arm from 0 to %zu", answer, n_arms - 1);
    return n_arms;
}

/* After an exception the task goes on with arm 0, until the simulation looks for a stop. */
static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    own_policy *own = own_of(view);
    size_t arm = 0;
    (void)rng;
    if (!own->failed) {
        PyObject *answer = call(own, view);
        arm = arm_of(answer, view->n_arms);
        own->failed = arm == view->n_arms;
        Py_XDECREF(answer);
    }
    return (segue_choice){.arm = own->failed ? 0 : arm, .reason = SEGUE_BY_RULE};
}

static const segue_option options[] = {
    {.key = "low", .help = "lower half of an address", .min = 0.0, .max = HALF},
    {.key = "high", .help = "upper half of an address", .min = 0.0, .max = HALF},
};

static const segue_policy policy = {
    .name = "python",
    .summary = "a policy in Python",
    .needs = SEGUE_NEEDS_NOTHING,
    .options = options,
    .n_options = 2,
    .choose = choose,
};

segue_policy_spec segue_py_own_policy_spec(own_policy *own)
{
    const uint64_t address = (uint64_t)(uintptr_t)own;
    return (segue_policy_spec){
        .policy = &policy,
        .option = {(double)(address & UINT32_MAX), (double)(address >> 32)},
    };
}
