/* support.h - what the tests share: model sets, random sets, simulated tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TESTS_SUPPORT_H
#define SEGUE_TESTS_SUPPORT_H

/* cmocka wants these first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>

#include "experiment/processes.h"
#include "segue/segue.h"

/* The paper's models, table 1. */
segue_models *paper_models(void);

/* A set from literal means, equal weights. */
segue_models *models_of(size_t n_arms, size_t n_models, const double *mean);

/* A random set of `min` .. `max` arms and models; every other one has means on a coarse grid
 * (ties), some have equal models, and weights differ, some being 0; at most 128 models. */
segue_models *random_models(segue_rng *rng, size_t min_arms, size_t max_arms, size_t min_models,
                            size_t max_models);

/* How often to repeat what is repeated `count` times: an N-th with SEGUE_TEST_SHORT=N, as under
 * valgrind and the sanitizers, which look for other things and are slow. */
int repeats(int count);

/* A whole number in min .. max. */
size_t random_between(segue_rng *rng, size_t min, size_t max);

/* A spec from its text; fails the test if it is wrong. */
segue_policy_spec policy_of(const char *text);

/* A task of one policy on a known set. */
segue_task *task_of(const char *policy, const segue_models *models, uint64_t horizon);

/* A simulated task whose means are those of one model, and its first task begun. */
segue_simulated_task *new_simulated_task(const segue_environment *env, uint64_t seed, uint64_t run,
                                         size_t model);

/* Tell a task a reward that it must take. */
void tell(segue_task *task, size_t arm, double reward);

/* Empty moments. */
segue_moments *new_moments(size_t n_arms, segue_views views);

/* The largest error of a mean of an estimate, and in *weights of a weight, after matching. */
double error_of(const segue_models *truth, const segue_models *estimate, double *weights);

/* The average of 300 pulls of an arm. */
double average_of_300(segue_rng *rng, uint64_t threshold);

/* Add tasks to moments of 7 arms until there are `wanted`: models in equal shares, three views of
 * 300 pulls each. */
void add_tasks(segue_moments *moments, const segue_models *models, segue_rng *rng, uint64_t wanted);

/* A folder of the test's own, and the path of a file in it; set-up and tear-down of a group. */
extern char own_folder[32], own_path[64];
int make_own_folder(void **state);
int remove_own_folder(void **state);

/* Fill that file. */
void write_bytes(const void *data, size_t size);
void write_text(const char *text);

/* Ranks that are threads of this process: each has a box that the others put messages into.  No
 * memory is asked for, since some tests have none to give. */
enum { MAX_FAKES = 4, BOX_ITEMS = 32, BOX_BYTES = 1024 };

typedef struct box_item {
    size_t from, size;
    segue_message_kind kind;
    unsigned char data[BOX_BYTES];
} box_item;

typedef struct fake_rank {
    struct fake_ranks *all;
    segue_processes processes; /* the view of this rank */
    pthread_mutex_t lock;
    size_t first, count; /* of the items, a circular buffer */
    box_item item[BOX_ITEMS];
} fake_rank;

typedef struct fake_ranks {
    fake_rank rank[MAX_FAKES];
} fake_ranks;

void fake_ranks_init(fake_ranks *fakes, size_t count);

#define assert_ok(call) assert_int_equal((call), SEGUE_OK)
#define assert_near(a, b, tolerance)                                                               \
    do {                                                                                           \
        const double near_a = (a), near_b = (b);                                                   \
        if (!(fabs(near_a - near_b) <= (tolerance)))                                               \
            fail_msg("%s is %.17g, not %.17g", #a, near_a, near_b);                                \
    } while (0)

#endif
