/* replay_repeats.c - count rows that repeat an arm; independent draws have a known expectation.
 *
 * A repeat is a row with the arm of the row before it, in the same task.  If the arms of a task are
 * drawn independently, with any probabilities, every order of its rows is equally likely once the
 * counts n_a of its arms are given.  So the counts, not the probabilities, give the moments of the
 * number R of repeats among n rows.  With falling powers x(k) = x (x - 1) .. (x - k + 1):
 *
 *     E[R]   = (n - 1) p2
 *     Var[R] = (n - 1) p2 + 2 (n - 2) p3 + (n - 2) (n - 3) p22 - E[R]^2
 *     p2 = sum n_a(2) / n(2),  p3 = sum n_a(3) / n(3),
 *     p22 = ((sum n_a(2))^2 - sum n_a(2)^2 + sum n_a(4)) / n(4)
 *
 * for one pair, two pairs that share a row, and two that do not (the join-count statistic of Moran
 * 1948 on a path).  Tasks are independent of each other: means and variances add up.
 *
 * Cost: O(rows + arms).
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "replay/replay_internal.h"

/* Sums over the arms of one task. */
typedef struct falling {
    double two, three, four, squares; /* of n_a(2), n_a(3), n_a(4), and n_a(2)^2 */
} falling;

static void add_arm(falling *sum, double count)
{
    const double two = count * (count - 1.0), three = two * (count - 2.0);
    sum->two += two;
    sum->three += three;
    sum->four += three * (count - 3.0);
    sum->squares += two * two;
}

static double ratio(double part, double whole)
{
    return whole > 0.0 ? part / whole : 0.0;
}

/* Add a task with `rows` rows, of which `same` are repeats. */
static void add_task(segue_repeats *out, const falling *sum, double rows, double same)
{
    const double two = rows * (rows - 1.0), three = two * (rows - 2.0), four = three * (rows - 3.0);
    const double mean = (rows - 1.0) * ratio(sum->two, two);
    const double apart = ratio(sum->two * sum->two - sum->squares + sum->four, four);
    out->pairs += rows - 1.0;
    out->same += same;
    out->expected += mean;
    out->variance += mean + 2.0 * (rows - 2.0) * ratio(sum->three, three) +
                     (rows - 2.0) * (rows - 3.0) * apart - mean * mean;
}

/* Count the rows per arm of a task in `count`, which is zero before; return its repeats. */
static double count_task(const segue_history *history, size_t task, double *count)
{
    double same = 0.0;
    for (size_t i = history->start[task]; i < history->start[task + 1]; i++) {
        count[history->row[i].arm] += 1.0;
        same += i > history->start[task] && history->row[i].arm == history->row[i - 1].arm;
    }
    return same;
}

segue_status segue_replay_repeats(const segue_history *history, segue_repeats *out,
                                  segue_error *err)
{
    double *count = calloc(history->n_arms, sizeof *count);
    *out = (segue_repeats){.pairs = 0.0};
    if (!count)
        return segue_fail_no_memory(err, "the counts of a task");
    for (size_t task = 0; task < history->n_tasks; task++) {
        falling sum = {.two = 0.0};
        const double same = count_task(history, task, count);
        const size_t first = history->start[task], end = history->start[task + 1];
        for (size_t i = first; i < end; i++) { /* each arm once, and its count is 0 again */
            add_arm(&sum, count[history->row[i].arm]);
            count[history->row[i].arm] = 0.0;
        }
        if (end > first)
            add_task(out, &sum, (double)(end - first), same);
    }
    free(count);
    return SEGUE_OK;
}
