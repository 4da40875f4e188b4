/* test_rng.c - named random streams and blocks of Bernoulli draws.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

/* Known answers of the reference xoshiro256++ for the states {1, 2, 3, 4} and {0, 0, 0, 1}. */
static void the_generator_gives_the_published_values(void **state)
{
    (void)state;
    static const uint64_t first[] = {UINT64_C(41943041),
                                     UINT64_C(58720359),
                                     UINT64_C(3588806011781223),
                                     UINT64_C(3591011842654386),
                                     UINT64_C(9228616714210784205),
                                     UINT64_C(9973669472204895162),
                                     UINT64_C(14011001112246962877),
                                     UINT64_C(12406186145184390807),
                                     UINT64_C(15849039046786891736),
                                     UINT64_C(10450023813501588000)};
    static const uint64_t second[] = {0x800000,
                                      0x800011,
                                      UINT64_C(0x2200000800011),
                                      UINT64_C(0x2200044000020),
                                      UINT64_C(0x22000448008a1),
                                      UINT64_C(0x1102100802208a0),
                                      UINT64_C(0x114002284200880),
                                      UINT64_C(0x402896644a64095),
                                      UINT64_C(0x8a14a0a244acc891),
                                      UINT64_C(0x8c88ba4680b20495)};
    segue_rng a = {{1, 2, 3, 4}}, b = {{0, 0, 0, 1}};
    for (size_t i = 0; i < 10; i++) {
        assert_true(segue_rng_next(&a) == first[i]);
        assert_true(segue_rng_next(&b) == second[i]);
    }
}

/* The first word of a state is the first output of splitmix64 from the seed; its published
 * outputs from 1234567 begin with this one. */
static void a_stream_opens_with_splitmix64(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 1234567, 0, 0, 0);
    assert_true(rng.s[0] == UINT64_C(6457827717110365317));
}

/* The bytes of these streams are promised: a change of them is a change of every result. */
static void streams_give_their_golden_values(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 1, 2, 3, SEGUE_STREAM_POLICY);
    const uint64_t first = segue_rng_next(&rng);
    segue_rng_init(&rng, 1, 2, 3, SEGUE_STREAM_POLICY);
    assert_true(segue_rng_next(&rng) == first);
    assert_true(first == UINT64_C(2735552962079368077));
}

static void names_that_differ_give_streams_that_differ(void **state)
{
    (void)state;
    segue_rng a, b;
    const uint64_t names[][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    segue_rng_init(&a, 0, 0, 0, 0);
    for (size_t i = 0; i < 4; i++) {
        segue_rng_init(&b, names[i][0], names[i][1], names[i][2], names[i][3]);
        assert_memory_not_equal(&a, &b, sizeof a);
    }
}

/* Neighbouring streams: the 384 bits of the first six words of 20,000 pairs of neighbours agree
 * in half the cases.  Each count is binomial; |z| < 6.4 for 384 x 3 counts has a false-alarm rate
 * below 1152 * 1.6e-10 < 2e-7. */
static void neighbouring_streams_are_independent(void **state)
{
    (void)state;
    enum { PAIRS = 20000, DRAWS = 6 };
    for (int kind = 0; kind < 3; kind++) {
        static int differ[DRAWS * 64];
        memset(differ, 0, sizeof differ);
        for (uint64_t i = 0; i < PAIRS; i++) {
            segue_rng a, b;
            segue_rng_init(&a, 5, kind == 0 ? i : 7, kind == 1 ? i : 7, kind == 2 ? i : 7);
            segue_rng_init(&b, 5, kind == 0 ? i + 1 : 7, kind == 1 ? i + 1 : 7,
                           kind == 2 ? i + 1 : 7);
            for (size_t w = 0; w < DRAWS; w++) {
                const uint64_t x = segue_rng_next(&a) ^ segue_rng_next(&b);
                for (size_t bit = 0; bit < 64; bit++)
                    differ[w * 64 + bit] += (int)(x >> bit & 1);
            }
        }
        for (size_t i = 0; i < DRAWS * 64; i++)
            assert_true(fabs(differ[i] - PAIRS / 2.0) < 6.4 * sqrt(PAIRS / 4.0));
    }
}

/* The definition, lane by lane: a 53-bit number, top bit first, one word of the stream a bit. */
static uint64_t block_by_definition(segue_rng rng, uint64_t threshold)
{
    uint64_t draws[53], bits = 0;
    for (size_t i = 0; i < 53; i++)
        draws[i] = segue_rng_next(&rng);
    for (size_t lane = 0; lane < 64; lane++) {
        uint64_t number = 0;
        for (size_t i = 0; i < 53; i++)
            number = number << 1 | (draws[i] >> lane & 1);
        bits |= (uint64_t)(number < threshold) << lane;
    }
    return bits;
}

static void a_uniform_number_is_a_multiple_of_two_to_the_minus_53(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 5, 0, 0, 0);
    for (int i = 0; i < 2000; i++) {
        segue_rng before = rng;
        const uint64_t bits = segue_rng_next(&before) >> 11;
        assert_true(segue_rng_uniform(&rng) == ldexp((double)bits, -53));
    }
}

static void a_block_compares_numbers_with_the_threshold(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 11, 0, 0, 0);
    for (int i = 0; i < 2000; i++) {
        const double p = i < 4 ? i * 0.25 : segue_rng_uniform(&rng);
        const uint64_t threshold = segue_rng_bernoulli_threshold(p);
        const segue_rng before = rng;
        assert_true(segue_rng_bernoulli_block(&rng, threshold) ==
                    block_by_definition(before, threshold));
    }
}

static void a_certain_reward_draws_nothing(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 1, 1, 1, 1);
    const segue_rng before = rng;
    assert_true(segue_rng_bernoulli_block(&rng, segue_rng_bernoulli_threshold(0.0)) == 0);
    assert_true(segue_rng_bernoulli_block(&rng, segue_rng_bernoulli_threshold(1.0)) ==
                ~UINT64_C(0));
    assert_memory_equal(&rng, &before, sizeof rng);
}

/* The share of ones in 64,000,000 draws: |z| < 5 has a false-alarm rate of 6e-7. */
static void blocks_have_their_probability(void **state)
{
    (void)state;
    segue_rng rng;
    segue_rng_init(&rng, 12, 0, 0, 0);
    const double p = 0.725, n = 64e6;
    const uint64_t threshold = segue_rng_bernoulli_threshold(p);
    double ones = 0;
    for (int i = 0; i < 1000000; i++)
        ones += __builtin_popcountll(segue_rng_bernoulli_block(&rng, threshold));
    assert_true(fabs(ones - n * p) < 5.0 * sqrt(n * p * (1.0 - p)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_gives_the_published_values),
        cmocka_unit_test(a_stream_opens_with_splitmix64),
        cmocka_unit_test(streams_give_their_golden_values),
        cmocka_unit_test(names_that_differ_give_streams_that_differ),
        cmocka_unit_test(neighbouring_streams_are_independent),
        cmocka_unit_test(a_uniform_number_is_a_multiple_of_two_to_the_minus_53),
        cmocka_unit_test(a_block_compares_numbers_with_the_threshold),
        cmocka_unit_test(a_certain_reward_draws_nothing),
        cmocka_unit_test(blocks_have_their_probability),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
