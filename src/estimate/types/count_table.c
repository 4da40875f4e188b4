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
#include "core/log_gamma.h"

#define EMPTY UINT32_MAX

/* A hash table to find the distinct ones of up to `count` numbers. */
typedef struct finder {
    size_t n_slots;   /* a power of 2, at least twice the count */
    uint32_t *slot;   /* n_slots: the index of a number, or EMPTY */
    double *number;   /* count: the numbers to search */
    double *value[4]; /* count each: the distinct ones of each kind, and of the pairs */
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

enum { PAIRS = N_KINDS };

/* Find the distinct wins, losses and pairs of the tasks. */
static void find_pairs(finder *f, const task_window *tasks, size_t arm, count_table *t)
{
    const size_t n = tasks->count;
    for (size_t l = 0; l < n; l++)
        f->number[l] = segue_task_window_sum(tasks, l)[arm];
    t->kind[WON].count = distinct(f, WON, n);
    for (size_t l = 0; l < n; l++)
        f->number[l] =
            segue_task_window_pulls(tasks, l)[arm] - segue_task_window_sum(tasks, l)[arm];
    t->kind[LOST].count = distinct(f, LOST, n);
    for (size_t l = 0; l < n; l++)
        f->number[l] = (double)f->of[WON][l] * (double)n + (double)f->of[LOST][l];
    t->n_pairs = distinct(f, PAIRS, n);
}

/* Find the distinct pulls of the pairs. */
static void find_pulls(finder *f, size_t n, count_table *t)
{
    for (size_t l = 0; l < n; l++)
        f->number[f->of[PAIRS][l]] = f->value[WON][f->of[WON][l]] + f->value[LOST][f->of[LOST][l]];
    t->kind[PULLS].count = distinct(f, PULLS, t->n_pairs);
}

/* Allocate memory of the exact size. */
static segue_status give_memory(count_table *t, size_t n_tasks, segue_error *err)
{
    size_t numbers = 0;
    for (size_t k = 0; k < N_KINDS; k++)
        numbers += t->kind[k].count;
    t->number = calloc(numbers, sizeof *t->number);
    t->index = calloc(n_tasks + N_KINDS * t->n_pairs, sizeof *t->index);
    if (!t->number || !t->index)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the results of %zu tasks", n_tasks);
    double *number = t->number;
    t->of_task = t->index;
    for (size_t k = 0; k < N_KINDS; k++) {
        t->kind[k].value = number;
        number += t->kind[k].count;
        t->kind[k].of_pair = t->index + n_tasks + k * t->n_pairs;
    }
    return SEGUE_OK;
}

static void copy_distinct(const finder *f, size_t n, count_table *t)
{
    memcpy(t->of_task, f->of[PAIRS], n * sizeof *t->of_task);
    for (size_t k = 0; k < N_KINDS; k++)
        memcpy(t->kind[k].value, f->value[k], t->kind[k].count * sizeof *t->number);
    for (size_t l = 0; l < n; l++) {
        t->kind[WON].of_pair[t->of_task[l]] = f->of[WON][l];
        t->kind[LOST].of_pair[t->of_task[l]] = f->of[LOST][l];
    }
    memcpy(t->kind[PULLS].of_pair, f->of[PULLS], t->n_pairs * sizeof *t->index);
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
    return t->kind[WON].value[t->kind[WON].of_pair[pair]];
}

double segue_count_table_pulls(const count_table *t, size_t pair)
{
    return t->kind[PULLS].value[t->kind[PULLS].of_pair[pair]];
}

static void rises(const levels *numbers, double a, double *out)
{
    const segue_log_gamma_ratio rise = segue_log_gamma_ratio_init(a);
    segue_log_gamma_ratio_all(&rise, numbers->value, numbers->count, out);
}

void segue_count_table_fits(const count_table *t, double a, double b, double *scratch, double *fit)
{
    double *won = scratch, *lost = won + t->kind[WON].count, *pulls = lost + t->kind[LOST].count;
    rises(&t->kind[WON], a, won);
    rises(&t->kind[LOST], b, lost);
    rises(&t->kind[PULLS], a + b, pulls);
    for (size_t p = 0; p < t->n_pairs; p++)
        fit[p] = won[t->kind[WON].of_pair[p]] + lost[t->kind[LOST].of_pair[p]] -
                 pulls[t->kind[PULLS].of_pair[p]];
}

/* ---- digest of a type -------------------------------------------------------------------- */

/* Sum the shares of all numbers of a kind, and skip the numbers without a share. */
static size_t digest_kind(const levels *numbers, size_t n_pairs, const double *pair_share,
                          double *value, double *share)
{
    size_t count = 0;
    memset(share, 0, numbers->count * sizeof *share);
    for (size_t p = 0; p < n_pairs; p++)
        share[numbers->of_pair[p]] += pair_share[p];
    for (size_t k = 0; k < numbers->count; k++)
        if (share[k] > 0.0) {
            value[count] = numbers->value[k];
            share[count++] = share[k];
        }
    return count;
}

void segue_count_table_digest(const count_table *t, const double *pair_share, digest *d)
{
    for (size_t k = 0; k < N_KINDS; k++)
        d->count[k] = digest_kind(&t->kind[k], t->n_pairs, pair_share, d->value[k], d->share[k]);
}

double segue_count_table_digest_fit(const digest *d, double a, double b, double *scratch)
{
    const double from[N_KINDS] = {[WON] = a, [LOST] = b, [PULLS] = a + b};
    double sum[N_KINDS] = {0};
    for (size_t k = 0; k < N_KINDS; k++) {
        const segue_log_gamma_ratio rise = segue_log_gamma_ratio_init(from[k]);
        segue_log_gamma_ratio_all(&rise, d->value[k], d->count[k], scratch);
        for (size_t l = 0; l < d->count[k]; l++)
            sum[k] += d->share[k][l] * scratch[l];
    }
    return sum[WON] + sum[LOST] - sum[PULLS];
}
