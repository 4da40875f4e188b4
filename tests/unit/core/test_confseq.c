/* test_confseq.c - the interval for the effect of transfer holds at every time of observation.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core/confseq/confseq.h"
#include "support.h"

#define TASKS   5000
#define SHARES  5
#define ALARM   4.9
#define WIDTHS  1.7
#define WITHIN  0.05 /* of the runs may exclude the truth */
#define ANY     1e9  /* no bound of the width */
#define SEASON  1000.0
#define TWO_PI  6.283185307179586
#define PURPOSE 0x100000000ULL

static const double shares[SHARES] = {0.02, 0.05, 0.1, 0.3, 0.5};
static int n_runs;
static bool looks_at_welch;

/* ---- distributions of task rewards ------------------------------------------------------- */

/* The mean of `steps` rewards of 0 and 1. */
static double steps_of(segue_rng *rng, int steps, double mean)
{
    int sum = 0;
    for (int i = 0; i < steps; i++)
        sum += segue_rng_uniform(rng) < mean;
    return (double)sum / steps;
}

/* Two types of tasks, 20 steps; all rewards rise and fall with the season. */
static double seasonal(segue_rng *rng, int task, bool control)
{
    (void)control;
    const double mean = segue_rng_uniform(rng) < 0.5 ? 0.3 : 0.7;
    return steps_of(rng, 20, mean + 0.1 * sin(task * (TWO_PI / SEASON)));
}

/* Mean 0.1, standard deviation 0.21, skewness 2.5. */
static double skewed(segue_rng *rng, int task, bool control)
{
    (void)task, (void)control;
    return pow(segue_rng_uniform(rng), 9.0);
}

/* 1 to 40 steps, most tasks are short; those below 8 steps have the higher rewards. */
static double uneven(segue_rng *rng, int task, bool control)
{
    (void)task, (void)control;
    const double u = segue_rng_uniform(rng);
    const int steps = 1 + (int)(40.0 * u * u);
    return steps_of(rng, steps, steps < 8 ? 0.4 : 0.15);
}

/* One step; three of ten pay. */
static double single(segue_rng *rng, int task, bool control)
{
    (void)task, (void)control;
    return segue_rng_uniform(rng) < 0.3;
}

/* One step; one in fifty pays: 100 control tasks may well have no reward at all. */
static double rare(segue_rng *rng, int task, bool control)
{
    (void)task, (void)control;
    return segue_rng_uniform(rng) < 0.02;
}

/* Means 0.2 with transfer and 0.1 without; and the other way round. */
static double better(segue_rng *rng, int task, bool control)
{
    (void)task;
    const double u = segue_rng_uniform(rng);
    return control ? pow(u, 9.0) : u * u * u * u;
}

static double worse(segue_rng *rng, int task, bool control)
{
    return better(rng, task, !control);
}

/* One step; nearly all pay with transfer, half without. */
static double sure(segue_rng *rng, int task, bool control)
{
    (void)task;
    return segue_rng_uniform(rng) < (control ? 0.5 : 0.98);
}

typedef struct law {
    const char *name;
    double (*draw)(segue_rng *rng, int task, bool control);
    double truth; /* the difference of the means */
    double width; /* bound of the width, in Welch's, at shares from 5 % on */
} law;

static const law laws[] = {
    {"seasonal", seasonal, 0.0, WIDTHS},
    {"skewed", skewed, 0.0, WIDTHS},
    {"uneven", uneven, 0.0, WIDTHS},
    {"single", single, 0.0, WIDTHS},
    {"rare", rare, 0.0, ANY},
    {"better", better, 0.1, ANY},
    {"worse", worse, -0.1, ANY},
    {"sure", sure, 0.48, ANY},
};

/* ---- runs -------------------------------------------------------------------------------- */

typedef struct outcome {
    int excluded;         /* runs in which some interval excluded the truth */
    double width, welchs; /* half widths at the end, summed */
} outcome;

/* segue_stats_student_95, remembered. */
static double student(uint64_t count)
{
    static double known[10001];
    if (count > 10000)
        return segue_stats_student_95(count);
    if (!(known[count] > 0.0))
        known[count] = segue_stats_student_95(count);
    return known[count];
}

/* Half of Welch's 95 % interval, for a sample whose size was fixed before. */
static double welch(const segue_stats *a, const segue_stats *b)
{
    const double n = (double)a->count, m = (double)b->count;
    const double va = segue_stats_variance(a) / n, vb = segue_stats_variance(b) / m, v = va + vb;
    if (!(v > 0.0))
        return 0.0;
    return student(1 + (uint64_t)(v * v / (va * va / (n - 1.0) + vb * vb / (m - 1.0)))) * sqrt(v);
}

static bool excludes(const segue_stats side[2], double truth, segue_confseq *found)
{
    if (!segue_confseq_difference(&side[0], &side[1], 1.0, found))
        return false;
    if (looks_at_welch)
        return fabs(found->difference - truth) > welch(&side[0], &side[1]);
    return truth < found->low || truth > found->high;
}

static void play(const law *l, int run, double share, outcome *out)
{
    segue_stats side[2] = {{.count = 0}, {.count = 0}};
    segue_confseq now = {.difference = 0.0};
    segue_rng rng;
    bool excluded = false;
    segue_rng_init(&rng, 14, (uint64_t)run, (uint64_t)(l - laws),
                   PURPOSE + (uint64_t)(share * 1e3));
    for (int task = 0; task < TASKS; task++) {
        const bool control = segue_rng_uniform(&rng) < share;
        segue_stats_add(&side[control], l->draw(&rng, task, control));
        excluded = excluded || excludes(side, l->truth, &now);
    }
    (void)excludes(side, l->truth, &now);
    out->excluded += excluded;
    out->width += 0.5 * (now.high - now.low);
    out->welchs += welch(&side[0], &side[1]);
}

static bool holds(const law *l, double share)
{
    outcome out = {.excluded = 0};
    for (int run = 0; run < n_runs; run++)
        play(l, run, share, &out);
    const double allowed = n_runs * WITHIN + ALARM * sqrt(n_runs * WITHIN * (1.0 - WITHIN));
    const double ratio = out.width / out.welchs;
    printf("%-8s  difference %5.2f  control %3.0f %%: excluded in %4.1f %% of %d runs, %.2f times "
           "as wide as Welch's at the end\n",
           l->name, l->truth, 100.0 * share, 100.0 * out.excluded / n_runs, n_runs, ratio);
    return out.excluded <= allowed && (share < 0.05 || ratio <= l->width);
}

static void no_interval_excludes_the_truth_too_often_and_the_last_is_tight(void **state)
{
    (void)state;
    bool fine = true;
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        for (size_t j = 0; j < SHARES; j++)
            fine = holds(&laws[i], shares[j]) && fine;
    assert_true(fine);
}

/* ---- the ends ---------------------------------------------------------------------------- */

static void fewer_than_two_of_a_side_have_no_interval(void **state)
{
    (void)state;
    segue_stats many = {.count = 0}, few = {.count = 0};
    segue_confseq found;
    for (int i = 0; i < 100; i++)
        segue_stats_add(&many, i % 2);
    for (int i = 0; i < 2; i++) {
        assert_false(segue_confseq_difference(&many, &few, 1.0, &found));
        assert_false(segue_confseq_difference(&few, &many, 1.0, &found));
        segue_stats_add(&few, 0.5);
    }
    assert_true(segue_confseq_difference(&many, &few, 1.0, &found));
}

static void equal_rewards_still_give_an_interval_of_positive_width(void **state)
{
    (void)state;
    segue_stats side[2] = {{.count = 0}, {.count = 0}};
    segue_confseq found;
    double last = 2.0;
    for (int i = 0; i < 400; i++)
        segue_stats_add(&side[i % 2], -1e100);
    assert_true(segue_confseq_difference(&side[0], &side[1], 2e100, &found));
    assert_true(found.low < -1e98 && found.high > 1e98);
    memset(side, 0, sizeof side);
    for (int i = 0; i < 400; i++) {
        segue_stats_add(&side[i % 2], 1.0);
        if (!segue_confseq_difference(&side[0], &side[1], 1.0, &found))
            continue;
        assert_true(-1.0 <= found.low && found.low < 0.0 && found.high <= 1.0 && found.high > 0.0);
        assert_true(found.high - found.low <= last);
        last = found.high - found.low;
    }
    assert_true(last < 0.1);
}

static void the_scale_of_rewards_does_not_matter(void **state)
{
    (void)state;
    segue_stats one[2] = {{.count = 0}, {.count = 0}}, other[2] = {{.count = 0}, {.count = 0}};
    segue_confseq a, b;
    for (int i = 0; i < 300; i++) {
        const double x = 0.5 + 0.5 * sin(i * i);
        segue_stats_add(&one[i % 3 == 0], x);
        segue_stats_add(&other[i % 3 == 0], 1024.0 * x - 512.0);
    }
    assert_true(segue_confseq_difference(&one[0], &one[1], 1.0, &a));
    assert_true(segue_confseq_difference(&other[0], &other[1], 1024.0, &b));
    assert_true(fabs(1024.0 * a.low - b.low) < 1e-9 && fabs(1024.0 * a.high - b.high) < 1e-9);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_than_two_of_a_side_have_no_interval),
        cmocka_unit_test(equal_rewards_still_give_an_interval_of_positive_width),
        cmocka_unit_test(the_scale_of_rewards_does_not_matter),
        cmocka_unit_test(no_interval_excludes_the_truth_too_often_and_the_last_is_tight),
    };
    n_runs = argc > 1 ? atoi(argv[1]) : repeats(2000);
    looks_at_welch = argc > 2 && strcmp(argv[2], "welch") == 0;
    return n_runs > 0 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
