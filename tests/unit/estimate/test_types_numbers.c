/* test_types_numbers.c - the numbers of types: by weight, and constant between refits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "types_fixture.h"

static bool are_sorted(const segue_types *types)
{
    const size_t *numbered = segue_types_numbered(types);
    const double *weight = segue_types_weights(types);
    for (size_t n = 2; n <= segue_types_count(types); n++)
        if (weight[numbered[n]] > weight[numbered[n - 1]])
            return false;
    return true;
}

/* The paper's five models in equal shares: weights cross often, and numbers follow at refits. */
static void numbers_change_only_at_a_refit(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 91, 0, 0, 0);
    segue_types *types = new_types(7, 3);
    size_t before[SEGUE_MAX_FITTED_TYPES + 1], crossed = 0;
    for (uint64_t j = 0; j < 400; j++) {
        const uint64_t fitted = types->fitted;
        const size_t count = segue_types_count(types);
        memcpy(before, segue_types_numbered(types), sizeof before);
        finish_paper_tasks(types, &rng, 1, 40);
        check_numbers(types);
        if (types->fitted != fitted)
            assert_true(are_sorted(types));
        else if (segue_types_count(types) == count)
            assert_memory_equal(before, segue_types_numbered(types), (count + 1) * sizeof *before);
        crossed += !are_sorted(types);
    }
    assert_true(crossed > 0); /* else the test shows nothing */
    segue_types_destroy(types);
}

/* Three types of equal weight, added from one task each. */
static void equal_types_go_by_their_means(void **state)
{
    (void)state;
    const double sum[3][2] = {{5.0, 1.0}, {5.0, 9.0}, {7.0, 1.0}}, pulls[2] = {10.0, 10.0};
    const double size[4] = {1.0, 4.0, 4.0, 4.0};
    const size_t by_means[4] = {0, 3, 2, 1}, after[3] = {0, 2, 1};
    mixture mix;
    assert_ok(segue_mixture_init(&mix, 2, 4, NULL));
    for (size_t k = 0; k < 3; k++)
        segue_mixture_add_type(&mix, sum[k], pulls);
    segue_mixture_set_weights(&mix, size, 13);
    segue_mixture_number_types(&mix);
    assert_memory_equal(mix.numbered, by_means, sizeof by_means);
    segue_mixture_remove_type(&mix, 2); /* component 3 becomes 2, and stays the first */
    assert_memory_equal(mix.numbered, after, sizeof after);
    segue_mixture_fini(&mix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_change_only_at_a_refit),
        cmocka_unit_test(equal_types_go_by_their_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
