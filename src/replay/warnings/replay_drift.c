/* replay_drift.c - do an arm's rewards change within a task?
 *
 * The rewards of a task and arm, n of them, are halved in their logged order: h before, k after.
 * If they are independent of each other and of time, every order of them is equally likely, so that
 * the difference D of the two means has expectation 0 and, with s^2 the variance of the n rewards
 * (n - 1 in its denominator), variance s^2 n / (h k).  Weights h k / n add up differences of all
 * tasks and arms: sum of h k D / n, with variance sum of s^2 h k / n.
 *
 * This needs logs whose numbers of rewards do not depend on the rewards: a policy stops to pull an
 * arm after bad rewards, which makes the last ones bad without any drift.  So the test also finds,
 * per arm, how the number of its rewards in a task goes with their average: a correlation times the
 * root of the number of tasks is about standard normal without such a policy.
 *
 * Cost: O(rows + tasks x arms).
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay_internal.h"

/* Sums over the tasks with rewards of an arm: of the number of rewards x, and their average y. */
typedef struct moments {
    double count, x, y, xx, yy, xy;
} moments;

static void add_moments(moments *m, double x, double y)
{
    m->count += 1.0;
    m->x += x;
    m->y += y;
    m->xx += x * x;
    m->yy += y * y;
    m->xy += x * y;
}

/* Return the correlation of x and y times the root of their number; 0 if one of them is constant. */
static double correlation(const moments *m)
{
    const double xx = m->xx - m->x * m->x / m->count, yy = m->yy - m->y * m->y / m->count;
    const double xy = m->xy - m->x * m->y / m->count;
    return m->count > 2.0 && xx > 1e-9 && yy > 1e-9 ? xy / sqrt(xx * yy) * sqrt(m->count) : 0.0;
}

/* Rewards of one task and arm; `half` is of those before the middle. */
typedef struct cell {
    double pulls, sum, square, half;
} cell;

/* Sum the rewards of a task by arm.  `seen` counts them up: 0 at first, as `cells` are. */
static void add_task(const segue_history *history, size_t task, cell *cells, double *seen)
{
    const size_t first = history->start[task], end = history->start[task + 1];
    for (size_t i = first; i < end; i++) {
        cell *c = &cells[history->row[i].arm];
        c->pulls += 1.0;
        c->sum += history->row[i].reward;
        c->square += history->row[i].reward * history->row[i].reward;
    }
    for (size_t i = first; i < end; i++) {
        const size_t arm = history->row[i].arm;
        seen[arm] += 1.0;
        if (seen[arm] <= floor(cells[arm].pulls / 2.0))
            cells[arm].half += history->row[i].reward;
    }
}

static void add_cell(segue_drift *out, const cell *c)
{
    const double n = c->pulls, h = floor(n / 2.0), k = n - h;
    if (n < 2.0)
        return;
    const double variance = (c->square - c->sum * c->sum / n) / (n - 1.0);
    out->sum += h * k / n * ((c->sum - c->half) / k - c->half / h);
    out->variance += fmax(0.0, variance) * h * k / n;
    out->weight += h * k / n;
}

segue_status segue_replay_drift(const segue_history *history, segue_drift *out, segue_error *err)
{
    const size_t n_arms = history->n_arms;
    cell *cells = calloc(n_arms, sizeof *cells);
    double *seen = calloc(n_arms, sizeof *seen);
    moments *arms = calloc(n_arms, sizeof *arms);
    segue_status status = SEGUE_OK;
    *out = (segue_drift){.sum = 0.0};
    if (!cells || !seen || !arms) {
        status = segue_fail_no_memory(err, "the halves of tasks");
        goto done;
    }
    for (size_t task = 0; task < history->n_tasks; task++) {
        memset(cells, 0, n_arms * sizeof *cells);
        memset(seen, 0, n_arms * sizeof *seen);
        add_task(history, task, cells, seen);
        for (size_t arm = 0; arm < n_arms; arm++) {
            add_cell(out, &cells[arm]);
            if (cells[arm].pulls > 0.0)
                add_moments(&arms[arm], cells[arm].pulls, cells[arm].sum / cells[arm].pulls);
        }
    }
    for (size_t arm = 0; arm < n_arms; arm++)
        out->dependence = fmax(out->dependence, fabs(correlation(&arms[arm])));
done:
    free(cells);
    free(seen);
    free(arms);
    return status;
}
