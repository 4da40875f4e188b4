/* belief_fixture.h - a belief with storage of its own, and random weights.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_BELIEF_FIXTURE_H
#define TEST_BELIEF_FIXTURE_H

#include "bandit/lookahead/lookahead.h"
#include "support.h"

#define MAX_ARMS       10
#define MAX_COMPONENTS 6

/* A belief with storage of its own. */
typedef struct belief_case {
    segue_belief belief;
    double a[MAX_COMPONENTS * MAX_ARMS], b[MAX_COMPONENTS * MAX_ARMS];
    double weight[MAX_COMPONENTS], sum[MAX_ARMS];
    uint64_t pulls[MAX_ARMS];
    void *memory;
} belief_case;

static belief_case *new_belief_case(size_t n_components, size_t n_arms, bool points)
{
    belief_case *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->memory = malloc(segue_lookahead_scratch_size(n_components, n_arms));
    assert_non_null(m->memory);
    m->belief = (segue_belief){.prior = {.n_components = n_components,
                                         .n_arms = n_arms,
                                         .weight = m->weight,
                                         .a = m->a,
                                         .b = points ? NULL : m->b,
                                         .draws = 1.0},
                               .weight = m->weight,
                               .pulls = m->pulls,
                               .sum = m->sum,
                               .sharpness = 1.0};
    return m;
}

static void free_belief_case(belief_case *m)
{
    free(m->memory);
    free(m);
}

/* Weights, some of them small; sum 1. */
static void random_weights(segue_rng *rng, double *weight, size_t count)
{
    double total = 0.0;
    for (size_t q = 0; q < count; q++)
        total += weight[q] = pow(segue_rng_uniform(rng) + 1e-9, 1.0 + 4.0 * (double)(q % 2));
    for (size_t q = 0; q < count; q++)
        weight[q] /= total;
}

#endif
