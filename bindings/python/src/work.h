/* work.h - long work without the GIL, which Ctrl-C ends.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_PYTHON_WORK_H
#define SEGUE_PYTHON_WORK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "errors.h"
#include "learner.h"

/** Long work: it polls *stop, and then fails with SEGUE_ESTOPPED. */
typedef segue_status (*long_work)(void *context, const atomic_bool *stop, segue_error *err);

/**
 * Run work in a thread of its own, without the GIL.  This thread waits for it and handles signals;
 * after an exception of a handler, such as KeyboardInterrupt, it ends the work and raises that.
 *
 * Nothing of `context` may belong to Python.  0, or -1 with an exception.
 */
int segue_py_work_run(const module_state *state, long_work function, void *context);

/**
 * The same with the learner's lock; other handlers than that of Ctrl-C run after it.  Work that is stopped
 * leaves no trace.  If the handler raises nothing, it is done again: the learner may have changed meanwhile.
 */
int segue_py_work_on(learner_object *learner, long_work function, void *context);

#endif
