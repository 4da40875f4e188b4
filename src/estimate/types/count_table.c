/* count_table.c - the distinct results of an arm over many tasks.
 *
 * Most of some hundred tasks have pulled an arm a few times, and won a few of these pulls: there
 * are far fewer distinct results than tasks, and even fewer distinct numbers.  A likelihood needs
 * ln Gamma at a + won, b + lost and a + b + pulls.  It is computed at the distinct numbers, added
 * up for the distinct pairs, and looked up for the tasks.  Rewards other than 0 and 1 repeat less,
 * and gain nothing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/types/count_table.h"

#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/math/log_gamma.h"

#define EMPTY UINT32_MAX

/* A hash table to find the distinct ones of up to `count` numbers. */
typedef struct finder {
    size_t n_slots;   /* a power of 2, at least twice the count */
    uint32_t *slot;   /* n_slots: the index of a number, or EMPTY */
    double *number;   /* count: the numbers to search */
    double *value[4]; /* count each: the distinct ones of each count, and of the pairs */
    uint32_t *of[4];  /* count each: the index of each number among the distinct ones */
} finder;

static void finder_fini(finder *f)
{
    free(f->slot);
    free(f->number);
}

static segue_status finder_init(finder *f, size_t count, segue_error *err)
{
    *f = (finder){.n_slots = 2};
    while (f->n_slots < 2 * count)
        f->n_slots *= 2;
    f->slot = calloc(f->n_slots + 4 * count, sizeof *f->slot);
    f->number = calloc(5 * count, sizeof *f->number);
    if (!f->slot || !f->number) {
        finder_fini(f);
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the counts of %zu tasks", count);
    }
    for (size_t k = 0; k < 4; k++) {
        f->value[k] = f->number + (k + 1) * count;
        f->of[k] = f->slot + f->n_slots + k * count;
    }
    return SEGUE_OK;
}

/* The slot of a number, or the empty one where it belongs. */
static size_t slot_of(const finder *f, const double *value, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits ^ (bits >> 32)) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(bits >> 32) & (f->n_slots - 1);
    while (f->slot[at] != EMPTY && value[f->slot[at]] != x)
        at = (at + 1) & (f->n_slots - 1);
    return at;
}

/* Find the distinct ones of the first n of `number`, in the order they appear. */
static size_t distinct(finder *f, size_t kind, size_t n)
{
    size_t count = 0;
    memset(f->slot, 0xff, f->n_slots * sizeof *f->slot); /* EMPTY */
    for (size_t l = 0; l < n; l++) {
        const size_t at = slot_of(f, f->value[kind], f->number[l]);
        if (f->slot[at] == EMPTY) {
            f->value[kind][count] = f->number[l];
            f->slot[at] = (uint32_t)count++;
        }
        f->of[kind][l] = f->slot[at];
    }
    return count;
}

/* ---- one arm ----------------------------------------------------------------------------- */

enum { PAIRS = N_COUNTS };

/* Find the distinct wins, losses and pairs of the tasks. */
static void find_pairs(finder *f, const task_window *tasks, size_t arm, count_table *t)
{
    const size_t n = tasks->count;
    for (size_t l = 0; l < n; l++)
        f->number[l] = segue_task_window_sum(tasks, l)[arm];
    t->counts[WON].count = distinct(f, WON, n);
    for (size_t l = 0; l < n; l++)
        f->number[l] =
            segue_task_window_pulls(tasks, l)[arm] - segue_task_window_sum(tasks, l)[arm];
    t->counts[LOST].count = distinct(f, LOST, n);
    for (size_t l = 0; l < n; l++)
        f->number[l] = (double)f->of[WON][l] * (double)n + (double)f->of[LOST][l];
    t->n_pairs = distinct(f, PAIRS, n);
}

/* Find the distinct pulls of the pairs. */
static void find_pulls(finder *f, size_t n, count_table *t)
{
    for (size_t l = 0; l < n; l++)
        f->number[f->of[PAIRS][l]] = f->value[WON][f->of[WON][l]] + f->value[LOST][f->of[LOST][l]];
    t->counts[PULLS].count = distinct(f, PULLS, t->n_pairs);
}

/* Allocate memory of the exact size. */
static segue_status give_memory(count_table *t, size_t n_tasks, segue_error *err)
{
    size_t numbers = 0;
    for (size_t k = 0; k < N_COUNTS; k++)
        numbers += t->counts[k].count;
    t->number = calloc(numbers, sizeof *t->number);
    t->index = calloc(n_tasks + N_COUNTS * t->n_pairs, sizeof *t->index);
    if (!t->number || !t->index)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the results of %zu tasks", n_tasks);
    double *number = t->number;
    t->of_task = t->index;
    for (size_t k = 0; k < N_COUNTS; k++) {
        t->counts[k].value = number;
        number += t->counts[k].count;
        t->counts[k].of_pair = t->index + n_tasks + k * t->n_pairs;
    }
    return SEGUE_OK;
}

static void copy_distinct(const finder *f, size_t n, count_table *t)
{
    memcpy(t->of_task, f->of[PAIRS], n * sizeof *t->of_task);
    for (size_t k = 0; k < N_COUNTS; k++)
        memcpy(t->counts[k].value, f->value[k], t->counts[k].count * sizeof *t->number);
    for (size_t l = 0; l < n; l++) {
        t->counts[WON].of_pair[t->of_task[l]] = f->of[WON][l];
        t->counts[LOST].of_pair[t->of_task[l]] = f->of[LOST][l];
    }
    memcpy(t->counts[PULLS].of_pair, f->of[PULLS], t->n_pairs * sizeof *t->index);
}

static segue_status fill_table(finder *f, const task_window *tasks, size_t arm, count_table *t,
                               segue_error *err)
{
    find_pairs(f, tasks, arm, t);
    find_pulls(f, tasks->count, t);
    const segue_status status = give_memory(t, tasks->count, err);
    if (status == SEGUE_OK)
        copy_distinct(f, tasks->count, t);
    return status;
}

/* ---- all arms ---------------------------------------------------------------------------- */

void segue_count_table_destroy(count_table *count_tables, size_t n_arms)
{
    for (size_t i = 0; count_tables && i < n_arms; i++) {
        free(count_tables[i].number);
        free(count_tables[i].index);
    }
    free(count_tables);
}

segue_status segue_count_table_create(count_table **out, const task_window *tasks, segue_error *err)
{
    finder f;
    *out = NULL;
    segue_status status = finder_init(&f, tasks->count, err);
    if (status != SEGUE_OK)
        return status;
    count_table *count_tables = calloc(tasks->n_arms, sizeof *count_tables);
    if (!count_tables)
        status = segue_fail_no_memory(err, "the results of arms");
    for (size_t i = 0; i < tasks->n_arms && status == SEGUE_OK; i++)
        status = fill_table(&f, tasks, i, &count_tables[i], err);
    finder_fini(&f);
    if (status != SEGUE_OK)
        segue_count_table_destroy(count_tables, tasks->n_arms);
    else
        *out = count_tables;
    return status;
}

/* ---- read -------------------------------------------------------------------------------- */

double segue_count_table_won(const count_table *t, size_t pair)
{
    return t->counts[WON].value[t->counts[WON].of_pair[pair]];
}

double segue_count_table_pulls(const count_table *t, size_t pair)
{
    return t->counts[PULLS].value[t->counts[PULLS].of_pair[pair]];
}

static void rises(const levels *numbers, double a, double *out)
{
    const segue_log_gamma_ratio rise = segue_log_gamma_ratio_init(a);
    segue_log_gamma_ratio_all(&rise, numbers->value, numbers->count, out);
}

void segue_count_table_log_liks(const count_table *t, double a, double b, double *scratch,
                                double *log_lik)
{
    double *won = scratch, *lost = won + t->counts[WON].count,
           *pulls = lost + t->counts[LOST].count;
    rises(&t->counts[WON], a, won);
    rises(&t->counts[LOST], b, lost);
    rises(&t->counts[PULLS], a + b, pulls);
    for (size_t p = 0; p < t->n_pairs; p++)
        log_lik[p] = won[t->counts[WON].of_pair[p]] + lost[t->counts[LOST].of_pair[p]] -
                     pulls[t->counts[PULLS].of_pair[p]];
}

/* ---- weighted counts of a type ----------------------------------------------------------- */

/* Sum the weights of each value of a count, and skip the values without weight. */
static size_t weigh_counts(const levels *numbers, size_t n_pairs, const double *pair_weight,
                           double *value, double *weight)
{
    size_t count = 0;
    memset(weight, 0, numbers->count * sizeof *weight);
    for (size_t p = 0; p < n_pairs; p++)
        weight[numbers->of_pair[p]] += pair_weight[p];
    for (size_t k = 0; k < numbers->count; k++)
        if (weight[k] > 0.0) {
            value[count] = numbers->value[k];
            weight[count++] = weight[k];
        }
    return count;
}

void segue_count_table_weigh(const count_table *t, const double *pair_weight, weighted_counts *d)
{
    for (size_t k = 0; k < N_COUNTS; k++)
        d->count[k] =
            weigh_counts(&t->counts[k], t->n_pairs, pair_weight, d->value[k], d->weight[k]);
}

double segue_count_table_weighted_log_lik(const weighted_counts *d, double a, double b,
                                          double *scratch)
{
    const double from[N_COUNTS] = {[WON] = a, [LOST] = b, [PULLS] = a + b};
    double sum[N_COUNTS] = {0};
    for (size_t k = 0; k < N_COUNTS; k++) {
        const segue_log_gamma_ratio rise = segue_log_gamma_ratio_init(from[k]);
        segue_log_gamma_ratio_all(&rise, d->value[k], d->count[k], scratch);
        for (size_t l = 0; l < d->count[k]; l++)
            sum[k] += d->weight[k][l] * scratch[l];
    }
    return sum[WON] + sum[LOST] - sum[PULLS];
}
