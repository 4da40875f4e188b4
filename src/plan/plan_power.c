/* plan_power.c - how many tasks a control experiment needs to show a gain.
 *
 * A service plays a share of its tasks without transfer, by ts, and learns from all tasks.  The
 * effect of transfer is the difference of the means of both groups, with its confidence sequence
 * (core/confseq/confseq.h).  It shows a gain once the lower end is above 0; the sequence may be read at any
 * time, so the first time counts.  One experiment per run and share is played: task t is a control
 * task with the probability of the share, and then has the reward of ts in task t of the run, else
 * that of the learner.
 *
 * After the simulated tasks, rewards are redrawn from the second half of all runs, as if nothing
 * more were learned.  The rewards of the learner are shifted so that the two groups differ by the
 * gain that plan_gain.c computes from regrets: it is less noisy than the difference of the rewards.
 * Its error is common to all experiments, so they are played again, with the same draws, at both
 * ends of its interval; if it is the log that does not tell the gain, also in the simulated tasks.
 * The interval of the power adds that error to the binomial one (Wilson's),
 * as independent errors add.
 *
 * The sequence is read after every task up to READ_ALWAYS, and then whenever tasks have grown by
 * one per cent.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "plan/plan_internal.h"
#include "segue/internal.h"

#define READ_ALWAYS 200
#define GROWTH      1.01

/* The search for all crossings. */
typedef struct search {
    const plan_runs *runs;
    const segue_plan_config *config;
    /* Added to the learner's reward per step in the simulated tasks, and after them. */
    double early_shift[N_PLAN_LEVELS], shift[N_PLAN_LEVELS];
    plan_crossings *out;
} search;

/* ---- one experiment ---------------------------------------------------------------------- */

/* Return the reward of task `task` (from 0) of a run, or one of the later half of all runs. */
static double reward_of(const search *s, size_t candidate, uint64_t run, uint64_t task,
                        plan_level level, segue_rng *rng)
{
    const plan_runs *runs = s->runs;
    const uint64_t half = runs->tasks / 2, late = runs->tasks - half;
    const bool simulated = task < runs->tasks;
    if (!simulated) {
        run = (uint64_t)(segue_rng_uniform(rng) * (double)runs->runs);
        task = half + (uint64_t)(segue_rng_uniform(rng) * (double)late);
    }
    const double shift = simulated ? s->early_shift[level] : s->shift[level];
    return runs->reward[candidate][run * runs->tasks + task] +
           (candidate == SEGUE_PLAN_LEARNER ? shift : 0.0);
}

/* Rewards per step lie in [0, 1]. */
static bool shows_gain(const segue_stats *transfer, const segue_stats *control)
{
    segue_confseq effect;
    return segue_confseq_difference(transfer, control, 1.0, &effect) && effect.low > 0.0;
}

static double play_experiment(const search *s, uint64_t run, size_t share, plan_level level)
{
    const double control = segue_plan_control_share(share);
    const uint64_t max_tasks = s->config->max_tasks;
    segue_stats side[2] = {{.count = 0}, {.count = 0}};
    double next = READ_ALWAYS;
    segue_rng rng;
    segue_rng_init(&rng, s->config->seed, run, share, SEGUE_STREAM_BOOTSTRAP);
    for (uint64_t task = 0; task < max_tasks; task++) {
        const bool is_control = segue_rng_uniform(&rng) < control;
        const size_t candidate = is_control ? SEGUE_PLAN_TS : SEGUE_PLAN_LEARNER;
        segue_stats_add(&side[is_control], reward_of(s, candidate, run, task, level, &rng));
        const double read = (double)(task + 1);
        if (read > READ_ALWAYS && read < next && task + 1 < max_tasks)
            continue;
        next = fmax(next, GROWTH * read);
        if (shows_gain(&side[0], &side[1]))
            return read;
    }
    return INFINITY;
}

/* ---- all experiments --------------------------------------------------------------------- */

static segue_status find_crossings(void *context, size_t worker, uint64_t item, segue_error *err)
{
    const search *s = context;
    const uint64_t run = item / SEGUE_N_PLAN_SHARES;
    const size_t share = (size_t)(item % SEGUE_N_PLAN_SHARES);
    (void)worker;
    (void)err;
    for (size_t level = 0; level < N_PLAN_LEVELS; level++)
        s->out->task[share][level][run] = play_experiment(s, run, share, (plan_level)level);
    return SEGUE_OK;
}

/* Return the mean reward per step of a candidate in the second half of all runs. */
static double late_reward(const plan_runs *runs, size_t candidate)
{
    const uint64_t half = runs->tasks / 2;
    double sum = 0.0;
    for (uint64_t run = 0; run < runs->runs; run++)
        for (uint64_t task = half; task < runs->tasks; task++)
            sum += runs->reward[candidate][run * runs->tasks + task];
    return sum / (double)(runs->runs * (runs->tasks - half));
}

static void set_shifts(search *s)
{
    const segue_interval gain = segue_plan_gain_late(s->runs, SEGUE_PLAN_TS);
    const double gains[N_PLAN_LEVELS] = {gain.value, gain.low, gain.high};
    const double seen =
        late_reward(s->runs, SEGUE_PLAN_LEARNER) - late_reward(s->runs, SEGUE_PLAN_TS);
    for (size_t i = 0; i < N_PLAN_LEVELS; i++) {
        s->shift[i] = gains[i] / (s->config->range * (double)s->config->steps) - seen;
        s->early_shift[i] = s->runs->n_populations > 1 ? s->shift[i] - s->shift[0] : 0.0;
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static segue_status allocate(plan_crossings *out, uint64_t runs, segue_error *err)
{
    *out = (plan_crossings){.runs = runs};
    for (size_t i = 0; i < SEGUE_N_PLAN_SHARES; i++)
        for (size_t level = 0; level < N_PLAN_LEVELS; level++) {
            out->task[i][level] = calloc((size_t)runs, sizeof(double));
            if (!out->task[i][level])
                return segue_fail_no_memory(err, "the control experiments of a plan");
        }
    return SEGUE_OK;
}

segue_status segue_plan_power_find(plan_crossings *out, const plan_runs *runs,
                                   const segue_plan_config *config, segue_error *err)
{
    search s = {.runs = runs, .config = config, .out = out};
    SEGUE_TRY(allocate(out, runs->runs, err));
    set_shifts(&s);
    SEGUE_TRY(segue_parallel_run(config->threads, runs->runs * SEGUE_N_PLAN_SHARES, find_crossings,
                                 NULL, &s, err));
    for (size_t i = 0; i < SEGUE_N_PLAN_SHARES; i++)
        for (size_t level = 0; level < N_PLAN_LEVELS; level++)
            qsort(out->task[i][level], (size_t)runs->runs, sizeof(double), compare);
    return SEGUE_OK;
}

void segue_plan_power_fini(plan_crossings *crossings)
{
    for (size_t i = 0; i < SEGUE_N_PLAN_SHARES; i++)
        for (size_t level = 0; level < N_PLAN_LEVELS; level++)
            free(crossings->task[i][level]);
}

/* ---- power ------------------------------------------------------------------------------- */

/* Return the share of `count` among the runs, with Wilson's interval. */
static segue_interval share_of(uint64_t count, uint64_t runs)
{
    segue_interval out = {.value = (double)count / (double)runs};
    segue_wilson_interval((double)count, (double)runs, &out.low, &out.high);
    return out;
}

static double power_of(const plan_crossings *crossings, size_t share, plan_level level,
                       uint64_t tasks)
{
    uint64_t count = 0;
    while (count < crossings->runs && crossings->task[share][level][count] <= (double)tasks)
        count++;
    return (double)count / (double)crossings->runs;
}

/* The length of a vector; neither part overflows when squared. */
static double length_of(double x, double y)
{
    return sqrt(x * x + y * y);
}

segue_interval segue_plan_power_at(const plan_crossings *crossings, size_t share, uint64_t tasks)
{
    const double power = power_of(crossings, share, PLAN_LEVEL_VALUE, tasks);
    const double low = power_of(crossings, share, PLAN_LEVEL_LOW, tasks);
    const double high = power_of(crossings, share, PLAN_LEVEL_HIGH, tasks);
    const double runs = (double)crossings->runs;
    const segue_interval wilson = share_of((uint64_t)rint(power * runs), crossings->runs);
    return (segue_interval){
        .value = power,
        .low = fmax(0.0, power - length_of(power - wilson.low, fmax(0.0, power - low))),
        .high = fmin(1.0, power + length_of(wilson.high - power, fmax(0.0, high - power)))};
}

/* ---- tasks for a power ------------------------------------------------------------------- */

/* After the k-th crossing the power is estimated as k / runs.  The interval has the tasks at which
 * the interval of the power begins, and ends, to reach the power that is asked for. */
static segue_interval tasks_of_level(const double *crossing, uint64_t runs)
{
    segue_interval out = {.value = INFINITY, .low = INFINITY, .high = INFINITY};
    for (uint64_t k = runs; k > 0; k--) {
        const segue_interval power = share_of(k, runs);
        out.value = power.value >= SEGUE_PLAN_POWER ? crossing[k - 1] : out.value;
        out.low = power.high >= SEGUE_PLAN_POWER ? crossing[k - 1] : out.low;
        out.high = power.low >= SEGUE_PLAN_POWER ? crossing[k - 1] : out.high;
    }
    return out;
}

/* Move away from `value` by two independent relative errors: to `a`, and to `b`. */
static double add_errors(double value, double a, double b, double sign)
{
    const double of_a = fmax(0.0, sign * segue_ln(a / value));
    const double of_b = fmax(0.0, sign * segue_ln(b / value));
    return value * segue_exp(sign * length_of(of_a, of_b));
}

/* A larger gain needs fewer tasks. */
segue_interval segue_plan_power_tasks(const plan_crossings *crossings, size_t share)
{
    double *const *task = crossings->task[share];
    const uint64_t runs = crossings->runs;
    segue_interval out = tasks_of_level(task[PLAN_LEVEL_VALUE], runs);
    if (!isfinite(out.value))
        return out;
    out.low = add_errors(out.value, out.low, tasks_of_level(task[PLAN_LEVEL_HIGH], runs).value, -1);
    out.high = add_errors(out.value, out.high, tasks_of_level(task[PLAN_LEVEL_LOW], runs).value, 1);
    return out;
}
