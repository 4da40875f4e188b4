/* damaged.h - a service on a store that is damaged on purpose, for tests.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TESTS_DAMAGED_H
#define SEGUE_TESTS_DAMAGED_H

#include <jansson.h>

#include "service/engine/service.h"
#include "service/state/recovery/store_check.h"

extern segue_service *damaged_service;
extern double damaged_clock;
extern char damaged_report[SEGUE_ERROR_SIZE];
extern size_t damaged_reports;
extern char damaged_tell[200];

segue_status damaged_try_start(segue_error *err);

void damaged_start(void);

void damaged_stop(void);

/* One request; the answer is the caller's. */
json_t *damaged_fetch(int status, const char *method, const char *path, const char *body);

void damaged_expect(int status, const char *method, const char *path, const char *body);

void damaged_expect_rejected(int status, const char *says, const char *method, const char *path,
                             const char *body);

/* Ask, and tell a reward if it is not NULL; the body of the tell is in damaged_tell. */
void damaged_play(const char *learner, const char *task, const char *reward);

/* Two learners of three closed tasks and an open one each. */
int damaged_set_up(void **state);

int damaged_tear_down(void **state);

/* Change the store from outside, whatever its tables take. */
void damage_running(const char *text);

void damage_stopped(const char *text);

segue_status damaged_check(segue_store_check_result *found, segue_error *err);

void damaged_expect_found(const char *says);

void damaged_expect_sound(void);

#endif
