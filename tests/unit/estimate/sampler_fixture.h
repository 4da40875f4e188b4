/* sampler_fixture.h - fixtures of the tests of sampled types.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TEST_SAMPLER_FIXTURE_H
#define SEGUE_TEST_SAMPLER_FIXTURE_H

#include "estimate/sampler/sampler_internal.h"
#include "estimate/sampler/sampler_prior.h"
#include "types_fixture.h"

static inline segue_sampler *new_sampler(size_t n_arms, uint64_t seed, size_t window, size_t cap)
{
    segue_sampler_config config = segue_sampler_defaults();
    segue_sampler *s = NULL;
    config.n_arms = n_arms;
    config.seed = seed;
    config.window = window;
    config.cap = cap;
    assert_ok(segue_sampler_create(&s, &config, NULL));
    return s;
}

/* As new learners have it. */
static inline segue_sampler *new_default(size_t n_arms, uint64_t seed)
{
    return new_sampler(n_arms, seed, 512, SEGUE_MAX_TYPES);
}

/* Add a task, and refit if that is due. */
static inline void learn(segue_sampler *s, const double *sum, const double *pulls)
{
    assert_ok(segue_sampler_add_task(s, sum, pulls, NULL));
    if (segue_sampler_due(s))
        segue_sampler_refit(s);
    assert_false(segue_sampler_due(s));
}

/* Tasks of random models out of a list, `pulls` pulls per arm. */
static inline void learn_tasks_of(segue_sampler *s, segue_rng *rng, const double *mean,
                                  size_t n_models, int count, size_t pulls)
{
    const size_t n = segue_sampler_arms(s);
    double sum[16], pulled[16];
    assert_true(n <= 16);
    for (int j = 0; j < count; j++) {
        play(rng, n, mean + random_between(rng, 0, n_models - 1) * n, pulls, false, true, sum,
             pulled);
        learn(s, sum, pulled);
    }
}

/* Tasks of the paper's models in equal shares. */
static inline void learn_paper_tasks(segue_sampler *s, segue_rng *rng, int count, size_t pulls)
{
    segue_models *models = paper_models();
    learn_tasks_of(s, rng, models->mean, 5, count, pulls);
    segue_models_destroy(models);
}

/* Most of ten seeds must be right.  Each caller was run with 400 other seeds, of which at most one was
 * wrong: a seed is wrong with a probability below 2 % (else that had 3e-3), and then 6 of 10 are with
 * one of 210 * 0.02^6 = 1.3e-8. */
typedef bool (*is_right_with)(uint64_t seed);

static inline void assert_by_majority(is_right_with is_right)
{
    const int seeds = repeats(10);
    int right = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++)
        right += is_right(seed);
    assert_true(2 * right >= seeds - 1);
}

/* Make an empty type whose kappas all have one index. */
static inline size_t make_type(segue_sampler *s, size_t kappa)
{
    const size_t type = segue_type_table_append(&s->types, s->next_id++);
    for (size_t i = 0; i < s->config.n_arms; i++)
        segue_type_table_set(&s->types, type, i, 0.0, 0.0, kappa);
    return type;
}

/* Put a task into the window, and into a type unless that is NO_TYPE. */
static inline void position(segue_sampler *s, const double *sum, const double *pulls, uint32_t type)
{
    assert_ok(segue_sampler_reserve(s, 1, NULL));
    segue_task_window_add(&s->tasks, ++s->finished, sum, pulls);
    s->type_of[s->tasks.count - 1] = type;
    if (type != NO_TYPE)
        segue_type_table_add(&s->types, type, sum, pulls, 1.0);
}

/* The largest error of the mean of an arm, of the type that is nearest to a model. */
static inline double distance_to_model(const segue_sampler *s, const double *mean)
{
    double nearest = 1.0;
    for (size_t q = 1; q <= segue_sampler_count(s); q++) {
        double largest = 0.0;
        for (size_t i = 0; i < segue_sampler_arms(s); i++)
            largest = fmax(largest, fabs(segue_sampler_arm(s, q, i).mean - mean[i]));
        nearest = fmin(nearest, largest);
    }
    return nearest;
}

/* The number of a type by its id; 0 if there is none. */
static inline size_t number_of_id(const segue_sampler *s, uint64_t id)
{
    for (size_t q = 1; q <= segue_sampler_count(s); q++)
        if (segue_sampler_id(s, q) == id)
            return q;
    return 0;
}

/* Rates of test pulls are in 0 to 1, gains finite, and only types have them. */
static inline void check_tests(const segue_sampler *s, const sampler_prior *p)
{
    const size_t n = segue_sampler_arms(s);
    double *gain = malloc(p->n_components * n * sizeof *gain), tests[SEGUE_MAX_COMPONENTS];
    segue_sampler_tests_fill(s, p, tests, gain);
    for (size_t q = 0; q < p->n_components; q++) {
        const bool is_type = q >= 1 && q <= p->n_types;
        assert_true(tests[q] >= 0.0 && tests[q] <= (is_type ? 1.0 : 0.0));
        for (size_t i = 0; i < n; i++)
            assert_true(gain[q * n + i] >= 0.0 && isfinite(gain[q * n + i]));
    }
    free(gain);
}

/* Weights are positive and sum to 1; Betas are positive and finite. */
static inline void check_prior(const segue_sampler *s)
{
    const size_t n = segue_sampler_arms(s);
    double *a = malloc(2 * SEGUE_MAX_COMPONENTS * n * sizeof *a), sum = 0.0;
    double *b = a + SEGUE_MAX_COMPONENTS * n;
    sampler_prior p;
    segue_sampler_prior_describe(s, &p);
    assert_int_equal(p.n_types, segue_sampler_count(s));
    assert_in_range(p.n_components, 1 + p.n_types, SEGUE_MAX_COMPONENTS);
    for (size_t q = 0; q < p.n_components; q++) {
        assert_true(p.weight[q] > 0.0 && p.number[q] <= p.n_types);
        sum += p.weight[q];
    }
    assert_near(sum, 1.0, 1e-12);
    assert_true(p.draws > 0.0 && p.draws <= 1.0);
    segue_sampler_prior_fill(s, &p, a, b);
    for (size_t at = 0; at < p.n_components * n; at++)
        assert_true(a[at] > 0.0 && b[at] > 0.0 && a[at] + b[at] >= 1e-6 && isfinite(a[at] + b[at]));
    check_tests(s, &p);
    free(a);
}

/* Every task of the window is in one type, no type is empty, and ids differ. */
static inline void check_partition(const segue_sampler *s)
{
    double size[TYPE_SLOTS] = {0.0};
    for (size_t l = 0; l < s->tasks.count; l++) {
        assert_true(s->type_of[l] < s->types.n_types);
        size[s->type_of[l]] += 1.0;
    }
    for (size_t c = 0; c < s->types.n_types; c++) {
        assert_true(size[c] > 0.0 && size[c] == s->types.size[c]);
        assert_true(s->types.id[c] > 0 && s->types.id[c] < s->next_id);
        for (size_t d = 0; d < c; d++)
            assert_true(s->types.id[c] != s->types.id[d]);
    }
}

static inline void check_sampler(const segue_sampler *s)
{
    double memory = 0.0;
    check_partition(s);
    check_prior(s);
    for (size_t h = 0; h < N_HALF_LIVES; h++)
        memory += s->memory[h];
    assert_near(memory, 1.0, 1e-9);
    assert_true(segue_sampler_mixing_unlike(s) > 0.0 && segue_sampler_mixing_unlike(s) <= 0.3);
    for (size_t q = 1; q <= segue_sampler_count(s); q++)
        for (size_t i = 0; i < segue_sampler_arms(s); i++) {
            const segue_sampled_arm arm = segue_sampler_arm(s, q, i);
            assert_true(arm.low >= 0.0 && arm.low <= arm.mean && arm.mean <= arm.high &&
                        arm.high <= 1.0 && arm.kappa >= 1.0 && arm.pulls >= 0.0 &&
                        isfinite(arm.kappa + arm.pulls));
        }
}

#endif
