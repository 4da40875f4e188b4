/* store_backends.h - the backends of the own_store, and rows for the tests that every one must
 * pass.
 *
 * `own_store` and `own_reader` are two handles of one store of the current backend.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TESTS_STORE_BACKENDS_H
#define SEGUE_TESTS_STORE_BACKENDS_H

#include "store/store_backend.h"

struct CMUnitTest;

extern segue_store *own_store, *own_reader;

/* Run the tests once per backend, each with an empty own_store; returns the number that failed. */
int run_on_backends(const struct CMUnitTest *tests, size_t n);
int open_handles(void **state);
int close_handles(void **state);

#define CONFORMS(test) cmocka_unit_test_setup_teardown(test, open_handles, close_handles)

/* Open a store of the current backend; "a" is that of `own_store`. */
segue_store *open_store(const char *which, segue_store_mode mode);

/* Damage the first reward of task 1, without the interface's functions. */
void damage_reward(void);

void begin(void);
void commit(void);

int64_t add_learner(const char *name);
int64_t add_task(int64_t learner, const char *key);
bool add_reward(int64_t task, uint64_t number, uint64_t position, double value);
uint64_t add_event(int64_t learner, segue_event_kind kind, int64_t subject);

/* Close a task that has `rewards` rewards of value 1. */
void close_task(int64_t learner, int64_t id, uint64_t rewards);

/* Add learner "a" with two arms, and task "t" with two rewards of value 1; returns the learner. */
int64_t add_rows(void);

size_t count_tasks(segue_store *from, segue_query_kind kind, int64_t learner);

#endif
