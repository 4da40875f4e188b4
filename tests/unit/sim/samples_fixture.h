/* samples_fixture.h - samples of rows, and of a random log.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SAMPLES_FIXTURE_H
#define TEST_SAMPLES_FIXTURE_H

#include "segue/samples.h"
#include "support.h"

static segue_samples *samples_of(size_t n_tasks, size_t n_arms, const segue_logged_reward *rows,
                                 size_t n_rows, uint64_t min_rewards)
{
    segue_samples *samples = NULL;
    segue_error err;
    if (segue_samples_create(&samples, n_tasks, n_arms, rows, n_rows, min_rewards, &err) !=
        SEGUE_OK)
        fail_msg("%s", err.message);
    return samples;
}

/* A random log of `n_tasks` tasks and 3 arms, in which rewards are told apart. */
static segue_samples *random_samples(size_t n_tasks)
{
    enum { ARMS = 3, EACH = 8 };
    const size_t n_rows = n_tasks * ARMS * EACH;
    segue_logged_reward *rows = calloc(n_rows, sizeof *rows);
    segue_rng rng;
    assert_non_null(rows);
    segue_rng_init(&rng, 70, 0, 0, 0);
    for (size_t i = 0; i < n_rows; i++)
        rows[i] = (segue_logged_reward){.task = (uint32_t)(i % n_tasks),
                                        .arm = (uint32_t)(i / n_tasks % ARMS),
                                        .reward = segue_rng_uniform(&rng)};
    segue_samples *samples = samples_of(n_tasks, ARMS, rows, n_rows, 1);
    free(rows);
    return samples;
}

#endif
