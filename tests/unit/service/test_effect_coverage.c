/* test_effect_coverage.c - the effect of transfer while the control share changes: its interval
 * holds at every time, harm is stopped in time, and transfer without an effect is not stopped.
 *
 * Tasks run through the state of the service (effect_state.h): they open with the share in force,
 * many are open at a time, and close in random order.  With p the allowed share of runs, a test
 * fails if more than n p + 4.9 sqrt(n p (1 - p)) of n runs fail: at the worst case p that has
 * probability 5e-7 for each of the cases, by the normal approximation, and 2e-5 for each test.
 * SPDX-License-Identifier: Apache-2.0 */
#include "effect_laws.h"
#include "service/state/effect/effect_state.h"
#include "support.h"

#define N_OPEN  30 /* tasks at a time */
#define ALARM   4.9
#define WITHIN  0.05 /* of the runs may fail */
#define PURPOSE 0x200000000ULL

static int n_runs;
static uint64_t seed = 21;

/* ---- control shares ---------------------------------------------------------------------- */

typedef struct design {
    const char *name;
    bool grow;
    double control; /* 0: it is changed by hand, see share_by_hand */
} design;

static const design designs[] = {
    {"grow to 2 %", true, 0.02},     {"grow to 5 %", true, 0.05}, {"grow to 20 %", true, 0.2},
    {"changed by hand", false, 0.0}, {"grow to 1 %", true, 0.01}, {"5 %", false, 0.05},
};

static double share_by_hand(int task)
{
    return task < 500 ? 0.05 : task < 1500 ? 0.5 : task < 2000 ? 0.0 : 0.1;
}

/* ---- runs -------------------------------------------------------------------------------- */

typedef struct run {
    const law *law;
    task_terms terms;
    effect_state effect;
    segue_rng rng;
    struct {
        bool is_open;
        int number;
        segue_stored_task row;
    } task[N_OPEN];
    int opened;
    double truth; /* sum of the effects of the tasks that count */
} run;

static void open_task(run *r, size_t slot)
{
    const double share = segue_effect_state_share(&r->effect, 1.0, &r->terms);
    const bool control = segue_rng_uniform(&r->rng) < share;
    r->task[slot].is_open = true;
    r->task[slot].number = r->opened++;
    r->task[slot].row =
        (segue_stored_task){.id = r->opened,
                            .control = control,
                            .control_share = share,
                            .rewards = 1,
                            .total = r->law->draw(&r->rng, r->task[slot].number, control),
                            .closed = r->opened};
}

static void close_task(run *r, size_t slot)
{
    const uint64_t before = segue_trial_count(&r->effect.trial);
    segue_effect_state_add(&r->effect, &r->task[slot].row);
    if (segue_trial_count(&r->effect.trial) > before)
        r->truth += r->law->effect(r->task[slot].number);
}

/* Close a task, if one of a random slot is open, and open another one. */
static void step(run *r, const design *d)
{
    const size_t slot = random_between(&r->rng, 0, N_OPEN - 1);
    if (!d->grow && !(d->control > 0.0))
        r->terms.control = share_by_hand(r->opened);
    if (r->task[slot].is_open)
        close_task(r, slot);
    open_task(r, slot);
}

static void begin(run *r, const law *l, const design *d, int number)
{
    *r = (run){.law = l, .terms = {.control = d->control, .grow = d->grow}};
    segue_rng_init(&r->rng, seed, (uint64_t)number, (uint64_t)(l - laws),
                   PURPOSE + (uint64_t)(1e3 * d->control));
}

/* Return whether some interval excludes the mean effect of the tasks that it counts. */
static bool ever_excludes(run *r, const design *d)
{
    bool excluded = false;
    segue_confseq now;
    while (r->opened < TASKS) {
        step(r, d);
        if (!segue_trial_interval(&r->effect.trial, 1.0, &now))
            continue;
        const double truth = r->truth / (double)segue_trial_count(&r->effect.trial);
        excluded = excluded || truth < now.low || truth > now.high;
    }
    return excluded;
}

static double allowed_of(double p)
{
    return n_runs * p + ALARM * sqrt(n_runs * p * (1.0 - p));
}

static bool holds(const law *l, const design *d)
{
    int excluded = 0;
    double share = 0.0, width = 0.0;
    for (int i = 0; i < n_runs; i++) {
        run r;
        segue_confseq now = {.half_width = 0.0};
        begin(&r, l, d, i);
        excluded += ever_excludes(&r, d);
        (void)segue_trial_interval(&r.effect.trial, 1.0, &now);
        share += segue_effect_state_share(&r.effect, 1.0, &r.terms);
        width += now.half_width;
    }
    printf("%-15s %-15s: excluded in %4.1f %% of %d runs; at the end control %4.1f %%, half width "
           "%.3f\n",
           l->name, d->name, 100.0 * excluded / n_runs, n_runs, 100.0 * share / n_runs,
           width / n_runs);
    return excluded <= allowed_of(WITHIN);
}

static void no_interval_excludes_the_truth_too_often(void **state)
{
    (void)state;
    bool fine = true;
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        for (size_t j = 0; j < sizeof designs / sizeof *designs; j++)
            fine = holds(&laws[i], &designs[j]) && fine;
    assert_true(fine);
}

/* Without weights, the rewards that rise while the share changes by hand would be an effect. */
static void plain_means_would_exclude_the_truth(void **state)
{
    const design *d = &designs[3];
    int excluded = 0;
    (void)state;
    for (int i = 0; i < n_runs; i++) {
        run r;
        segue_confseq now;
        begin(&r, law_named("rising"), d, i);
        (void)ever_excludes(&r, d);
        const segue_trial_group *g = r.effect.trial.group;
        excluded += segue_confseq_difference(&g[0].plain, &g[1].plain, 1.0, &now) &&
                    (now.low > 0.0 || now.high < 0.0);
    }
    assert_true(excluded > n_runs / 2);
}

/* ---- stopping ---------------------------------------------------------------------------- */

/* Play until transfer is stopped, at most `n_tasks` tasks; returns the number of closed tasks, or 0: it never was. */
static uint64_t stops_after(const law *l, const design *d, int number, int n_tasks)
{
    run r;
    begin(&r, l, d, number);
    while (r.opened < n_tasks) {
        step(&r, d);
        if (segue_effect_state_is_harmful(&r.effect, 1.0))
            return segue_trial_count(&r.effect.trial);
    }
    return 0;
}

static const design stop_designs[] = {{"50 %", false, 0.5},        {"20 %", false, 0.2},
                                      {"10 %", false, 0.1},        {"5 %", false, 0.05},
                                      {"grow to 5 %", true, 0.05}, {"grow to 1 %", true, 0.01}};

static void transfer_without_an_effect_is_not_stopped(void **state)
{
    bool fine = true;
    (void)state;
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        for (size_t j = 0; j < sizeof stop_designs / sizeof *stop_designs && laws[i].effect == none;
             j++) {
            int stopped = 0;
            for (int k = 0; k < n_runs; k++)
                stopped += stops_after(&laws[i], &stop_designs[j], k, TASKS) > 0;
            printf("%-15s %-15s: stopped in %4.1f %% of %d runs\n", laws[i].name,
                   stop_designs[j].name, 100.0 * stopped / n_runs, n_runs);
            fine = stopped <= allowed_of(WITHIN) && fine;
        }
    assert_true(fine);
}

/* Tasks after which harm h is stopped in 99 % of runs: the smallest N with
 *
 *     1.1 sqrt(z2) sd + 2.33 sd <= h,   sd^2 = v (1/n + 1/m),
 *
 * for N tasks of which a share p is control, v the larger variance and z2 the boundary of
 * confseq.c: the estimate is above -h + 2.33 sd with probability 0.01, and 1.1 is for estimated
 * variances. */
static uint64_t latest_stop(double p, double h, double v)
{
    for (uint64_t n = 10;; n++) {
        const double size = (double)n * p * (1.0 - p), sd = sqrt((v + 2.0 / (double)n) / size);
        const double z2 = (1.0 + 25.0 / size) * log((1.0 + size / 25.0) / (0.05 * 0.05));
        if (1.1 * sqrt(z2) * sd + 2.33 * sd <= h)
            return n;
    }
}

/* A share that grows is near one half while transfer harms: the bound is that of one quarter. */
static bool is_in_time(const law *l, double variance, const design *d)
{
    const uint64_t bound = latest_stop(d->grow ? 0.25 : d->control, 0.1, variance);
    int late_runs = 0;
    double sum = 0.0;
    for (int k = 0; k < n_runs; k++) {
        const uint64_t found = stops_after(l, d, k, (int)bound + N_OPEN);
        late_runs += found == 0 || found > bound;
        sum += (double)(found > 0 ? found : bound);
    }
    printf("%-15s %-11s: stopped after %.0f tasks on average; %d of %d runs after the bound of "
           "%llu\n",
           l->name, d->name, sum / n_runs, late_runs, n_runs, (unsigned long long)bound);
    return late_runs <= allowed_of(0.01);
}

static void harm_is_stopped_in_time(void **state)
{
    bool fine = true;
    (void)state;
    for (size_t j = 0; j < sizeof stop_designs / sizeof *stop_designs; j++) {
        fine = is_in_time(law_named("worse"), WORSE_VARIANCE, &stop_designs[j]) && fine;
        fine = is_in_time(law_named("unsteady harm"), UNSTEADY_VARIANCE, &stop_designs[j]) && fine;
    }
    assert_true(fine);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_interval_excludes_the_truth_too_often),
        cmocka_unit_test(plain_means_would_exclude_the_truth),
        cmocka_unit_test(transfer_without_an_effect_is_not_stopped),
        cmocka_unit_test(harm_is_stopped_in_time),
    };
    n_runs = argc > 1 ? atoi(argv[1]) : repeats(400);
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : seed;
    return n_runs > 0 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
