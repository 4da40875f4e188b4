/* tutor.h - a service with one learner, 'tutor', and requests to it, for tests.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TESTS_TUTOR_H
#define SEGUE_TESTS_TUTOR_H

#include <jansson.h>

#include "service/api/decision_id.h"
#include "service/engine/service_internal.h"

extern double clock_now, wall_offset; /* what its clocks show */
extern segue_service *service;
extern int last_status; /* of the last response */

#define SERVED(test) cmocka_unit_test_setup_teardown(test, start_service, stop_service)
#define IN_FILE(test)                                                                              \
    cmocka_unit_test_setup_teardown(test, start_service_in_file, stop_service_in_file)

void start_service_with(segue_service_config config);

int start_service(void **state);

int stop_service(void **state);

/* Send a request; free the response. */
json_t *fetch(const char *method, const char *path, const char *body);

json_t *fetch_ok(int status, const char *method, const char *path, const char *body);

/* Ask for `count` new tasks in one transaction; returns how many got this status. */
size_t ask_together(size_t count, int status);

/* Send a request and expect a status. */
void expect(int status, const char *method, const char *path, const char *body);

/* Expect a status and a message that contains `says`. */
void expect_rejected(int status, const char *says, const char *method, const char *path,
                     const char *body);

void create_tutor(const char *more);

/* Ask for one decision. */
void ask_id(const char *task, char id[SEGUE_DECISION_ID_LENGTH + 1]);

json_t *tell_id(int status, const char *id, double reward);

void expect_tell(const char *expected, const char *id, double reward);

void tell_new(const char *task, double reward);

json_int_t integer_at(const json_t *object, const char *a, const char *b);

/* Let seconds pass and run the jobs; then `n_open` tasks are open. */
void pass_time(double seconds, uint64_t n_open);

/* Skip a test that needs SQLite.  SEGUE_TEST_STORE=postgresql gives the service a store on PostgreSQL. */
void skip_on_postgresql(void);

/* With a store in a file; on PostgreSQL with one that stays over a restart. */
int start_service_in_file(void **state);

int stop_service_in_file(void **state);

void restart_service(void **state);

void ask_many(const char *task, int count);

void expect_rewards(const char *task, int count);

/* Fill the store, which may not grow.  Skips the test on PostgreSQL. */
void fill_disk(void);

#endif
