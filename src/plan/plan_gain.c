/* plan_gain.c - the gain of the learner over an opponent, with intervals over runs.
 *
 * A gain is a difference of regrets: learner and opponent of a run meet the same tasks, so it is the
 * difference of their expected rewards, without the noise of single rewards.  Tasks of a run depend
 * on each other by what is learned; runs do not.  Intervals are Student's over runs.  With several
 * populations, all of which a log allows, the truth is another one of them: its interval is that of
 * one more population, from the averages of each over its runs.
 *
 * After the simulated tasks a gain grows by the run's average over their second half: it is assumed
 * that nothing more is learned.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "plan/plan_internal.h"
#include "segue/stats.h"

/* Numbers of runs by their population. */
typedef struct sample {
    size_t n_populations;
    segue_stats of[SEGUE_MAX_PLAN_POPULATIONS];
} sample;

static sample sample_of(const plan_runs *runs)
{
    return (sample){.n_populations = runs->n_populations};
}

static void add(sample *s, uint64_t run, double x)
{
    segue_stats_add(&s->of[run % s->n_populations], x);
}

static segue_interval interval_around(double mean, double half)
{
    return (segue_interval){.value = mean, .low = mean - half, .high = mean + half};
}

/* Return the mean with its 95 % interval. */
static segue_interval interval_of(const sample *s)
{
    segue_stats means = {.count = 0};
    if (s->n_populations == 1)
        return interval_around(s->of->mean, segue_stats_student_95(s->of->count) *
                                                segue_stats_standard_error(s->of));
    for (size_t i = 0; i < s->n_populations; i++)
        segue_stats_add(&means, s->of[i].mean);
    const double variance = segue_stats_variance(&means) * (1.0 + 1.0 / (double)s->n_populations);
    return interval_around(means.mean, segue_stats_student_95(means.count) * sqrt(variance));
}

/* Return the gain in tasks `first` .. `end` - 1 of a run. */
static double gain_of_run(const plan_runs *runs, size_t other, uint64_t run, uint64_t first,
                          uint64_t end)
{
    double sum = 0.0;
    for (uint64_t i = run * runs->tasks + first; i < run * runs->tasks + end; i++)
        sum += runs->regret[other][i] - runs->regret[SEGUE_PLAN_LEARNER][i];
    return sum;
}

/* Return the gain per task in the second half of a run. */
static double late_gain(const plan_runs *runs, size_t other, uint64_t run)
{
    const uint64_t half = runs->tasks / 2;
    return gain_of_run(runs, other, run, half, runs->tasks) / (double)(runs->tasks - half);
}

segue_interval segue_plan_gain_late(const plan_runs *runs, size_t other)
{
    sample s = sample_of(runs);
    for (uint64_t run = 0; run < runs->runs; run++)
        add(&s, run, late_gain(runs, other, run));
    return interval_of(&s);
}

segue_interval segue_plan_gain_total(const plan_runs *runs, size_t other, uint64_t tasks)
{
    sample s = sample_of(runs);
    const uint64_t played = tasks < runs->tasks ? tasks : runs->tasks;
    for (uint64_t run = 0; run < runs->runs; run++)
        add(&s, run,
            gain_of_run(runs, other, run, 0, played) +
                (double)(tasks - played) * late_gain(runs, other, run));
    return interval_of(&s);
}

/* ---- from which task on ------------------------------------------------------------------ */

/* Note the total after `task` (1 is the first), with its interval.  Each field is the task from
 * which something holds without a break: `value`: the mean total is positive; `low`: it is not shown
 * to be negative; `high`: it is shown to be positive.  0: it does not hold now. */
static void note_total(segue_interval *from, const segue_interval *total, double task)
{
    from->value = total->value <= 0.0 ? 0.0 : from->value > 0.0 ? from->value : task;
    from->high = total->low <= 0.0 ? 0.0 : from->high > 0.0 ? from->high : task;
    from->low = total->high < 0.0 ? 0.0 : from->low > 0.0 ? from->low : task;
}

static segue_interval find_pays_from(const plan_runs *runs, size_t other, double *total)
{
    segue_interval from = {.value = 0.0};
    memset(total, 0, (size_t)runs->runs * sizeof *total);
    for (uint64_t task = 0; task < runs->tasks; task++) {
        sample s = sample_of(runs);
        for (uint64_t run = 0; run < runs->runs; run++) {
            total[run] += gain_of_run(runs, other, run, task, task + 1);
            add(&s, run, total[run]);
        }
        const segue_interval now = interval_of(&s);
        note_total(&from, &now, (double)(task + 1));
    }
    return (segue_interval){.value = from.value > 0.0 ? from.value : NAN,
                            .low = from.low > 0.0 ? from.low : NAN,
                            .high = from.high > 0.0 ? from.high : INFINITY};
}

void segue_plan_gain_over(segue_plan_gain *out, const plan_runs *runs, size_t other, double *total)
{
    out->per_task = segue_plan_gain_late(runs, other);
    out->pays_from = find_pays_from(runs, other, total);
}
