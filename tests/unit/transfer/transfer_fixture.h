/* transfer_fixture.h - fixtures of the tests of transfer.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TEST_TRANSFER_FIXTURE_H
#define SEGUE_TEST_TRANSFER_FIXTURE_H

#include "support.h"
#include "transfer/learner_internal.h"
#include "transfer/learner_method.h"

enum { ARMS = 3, STEPS = 40 };

/* Two types, which differ in which of two arms is good. */
static const double two_types[] = {.9, .1, .3, .1, .9, .3};

static inline segue_learner *learner_of(const char *text, bool background)
{
    segue_learner_config config = segue_learner_defaults();
    segue_learner *learner = NULL;
    segue_error err;
    config.n_arms = ARMS;
    config.n_models = 2;
    config.horizon = STEPS;
    config.background = background;
    if (segue_learner_config_parse(&config, text, &err) != SEGUE_OK ||
        segue_learner_create(&learner, &config, &err) != SEGUE_OK)
        fail_msg("%s", err.message);
    return learner;
}

/* The mean of an arm in a task of a type; arms after the three of the type pay 0.95. */
static inline double mean_of(size_t type, size_t arm)
{
    return arm < ARMS ? two_types[type * ARMS + arm] : 0.95;
}

/* Play `steps` steps of a task of a type; rewards come from a stream of their own. */
static inline void play(segue_task *task, size_t type, uint64_t number, int steps)
{
    segue_rng rng;
    segue_rng_init(&rng, 91, type, number, 0);
    for (int t = 0; t < steps; t++) {
        const size_t arm = segue_task_ask(task);
        tell(task, arm, segue_rng_uniform(&rng) < mean_of(type, arm) ? 1.0 : 0.0);
    }
}

static inline segue_task *open_a_task(segue_learner *learner)
{
    segue_task *task = NULL;
    assert_ok(segue_learner_open_task(learner, &task, NULL));
    return task;
}

/* Open, play and close tasks first .. last - 1, of the two types in turn. */
static inline void play_tasks(segue_learner *learner, uint64_t first, uint64_t last)
{
    for (uint64_t j = first; j < last; j++) {
        segue_task *task = open_a_task(learner);
        play(task, j % 2, j, STEPS);
        assert_ok(segue_learner_close_task(learner, &task, NULL));
    }
}

/* A message that a failure must give. */
static inline void says(segue_status status, const segue_error *err, const char *part)
{
    assert_int_equal(status, SEGUE_EDOMAIN);
    if (!strstr(err->message, part))
        fail_msg("'%s' is not in '%s'", part, err->message);
}

typedef struct saved {
    size_t size;
    unsigned char data[1 << 18];
} saved;

static inline void save(const segue_learner *learner, saved *out)
{
    assert_ok(segue_learner_save(learner, own_path, NULL));
    FILE *file = fopen(own_path, "rb");
    assert_non_null(file);
    out->size = fread(out->data, 1, sizeof out->data, file);
    assert_true(out->size < sizeof out->data);
    assert_int_equal(fclose(file), 0);
}

/* Two learners are in the same state, bit for bit. */
static inline void are_same(const segue_learner *a, const segue_learner *b)
{
    static saved one, two;
    save(a, &one);
    save(b, &two);
    assert_int_equal(one.size, two.size);
    assert_memory_equal(one.data, two.data, one.size);
}

static inline segue_learner *load(const segue_learner *learner)
{
    segue_learner *loaded = NULL;
    assert_ok(segue_learner_save(learner, own_path, NULL));
    assert_ok(
        segue_learner_load(&loaded, own_path, segue_learner_get_config(learner)->n_arms, NULL));
    return loaded;
}

static inline void run_and_publish(segue_learner *learner, segue_refit *refit)
{
    assert_ok(segue_refit_run(refit, NULL));
    assert_ok(segue_learner_refit_publish(learner, &refit, NULL));
    assert_null(refit);
}

static inline segue_refit *begin(segue_learner *learner)
{
    segue_refit *refit = NULL;
    assert_ok(segue_learner_refit_begin(learner, &refit, NULL));
    assert_false(segue_learner_refit_due(learner)); /* while it is open */
    return refit;
}

#endif
