/* sw_ucb.c - sliding-window UCB over the whole stream of tasks.
 *
 * Garivier and Moulines (2011): averages of the last tau rewards, whatever task they came from;
 * radius sqrt(xi log(min(t, tau)) / N).  It does not know when a task ends.
 * tau = 2 sqrt(n log(n J)), their choice for J changes in n J steps, and xi = 0.6.
 * Cost O(n_arms) per step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"

#include "core/math/ln.h"

#define MAX_WINDOW 10000000.0
#define UNIT                                                                                       \
    0x1p39 /* rewards are counted in units of 2^-39: sums of a window are exact, and removals      \
              leave no rounding error */

typedef struct pull {
    size_t arm;
    int64_t reward; /* in units */
} pull;

/* The state; in memory after it: the circular buffer of the window, n_arms sums and n_arms counts.
 */
typedef struct window {
    uint64_t t; /* rewards so far in the stream */
    size_t size;
    int64_t *sum; /* in units */
    int64_t *count;
    pull *pulls; /* circular buffer of the window */
} window;

static const segue_option options[] = {
    {.key = "window",
     .help = "how many rewards it remembers (default 2 sqrt(n log(n J)))",
     .min = 1.0,
     .max = MAX_WINDOW,
     .whole = true},
    {.key = "xi",
     .help = "width of the radius, > 0 (default 0.6)",
     .min = 0.0,
     .max = 1e6,
     .open = true},
};

static void fill_defaults(const segue_setting *setting, double *option)
{
    const double n = (double)setting->horizon;
    const double steps = n * (double)setting->n_tasks;
    fill_default(&option[0], fmin(MAX_WINDOW, fmax(1.0, ceil(2.0 * sqrt(n * segue_ln(steps))))));
    fill_default(&option[1], 0.6);
}

static size_t state_size(const segue_setting *setting, const double *option)
{
    return sizeof(window) + 2 * setting->n_arms * sizeof(int64_t) +
           (size_t)option[0] * sizeof(pull);
}

static void begin(const segue_task_view *view)
{
    window *w = view->state;
    w->size = (size_t)view->option[0];
    w->pulls = (pull *)(w + 1);
    w->sum = (int64_t *)(w->pulls + w->size);
    w->count = w->sum + view->n_arms;
}

static void update(const segue_task_view *view, size_t arm, double reward)
{
    window *w = view->state;
    pull *slot = &w->pulls[w->t % w->size];
    if (w->t >= w->size) {
        w->sum[slot->arm] -= slot->reward;
        w->count[slot->arm]--;
    }
    *slot = (pull){.arm = arm, .reward = (int64_t)(reward * UNIT + 0.5)};
    w->sum[arm] += slot->reward;
    w->count[arm]++;
    w->t++;
}

static arm_counts counts(const segue_task_view *view, size_t arm)
{
    const window *w = view->state;
    return (arm_counts){.pulls = (double)w->count[arm], .sum = (double)w->sum[arm] / UNIT};
}

static segue_choice choose(const segue_task_view *view, segue_rng *rng)
{
    (void)rng;
    const window *w = view->state;
    const double seen = (double)(w->t < w->size ? w->t : w->size);
    return by_rule(largest_bound(view, counts, view->option[1] * segue_ln(seen)));
}

const segue_policy segue_policy_sw_ucb = {
    .name = "sw-ucb",
    .summary = "UCB on a sliding window over the whole stream of tasks",
    .carries = true,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .fill_defaults = fill_defaults,
    .state_size = state_size,
    .begin = begin,
    .choose = choose,
    .update = update,
};
