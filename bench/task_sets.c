/* task_sets.c - the sets of bench_sets, and the tasks of a run of one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "task_sets.h"

#include <math.h>
#include <string.h>

#include "bench.h"

static const double heavy[] = {0.9, 0.04, 0.03, 0.02, 0.01};
static const double unequal[] = {0.6, 0.2, 0.1, 0.06, 0.04};
static const double trap[] = {0.3, 0.3, 0.3, 0.05, 0.05};

static const task_set sets[] = {
    {"paper-30", 7, 5, .kind = PAPER, .steps = 30, .n_tasks = 500},
    {"paper-100", 7, 5, .kind = PAPER, .steps = 100, .n_tasks = 500},
    {"paper-300", 7, 5, .kind = PAPER, .steps = 300, .n_tasks = 500},
    {"paper-1000", 7, 5, .kind = PAPER, .steps = 1000, .n_tasks = 500},
    {"paper-5000", 7, 5, .kind = PAPER, .steps = 5000, .n_tasks = 300},
    {"2-types", 7, 2, .kind = RANDOM, .steps = 100, .n_tasks = 500},
    {"5-types", 7, 5, .kind = RANDOM, .steps = 100, .n_tasks = 500},
    {"10-types", 7, 10, .kind = RANDOM, .steps = 100, .n_tasks = 500},
    {"20-types", 7, 20, .kind = RANDOM, .steps = 100, .n_tasks = 500},
    {"40-types", 7, 40, .kind = RANDOM, .steps = 100, .n_tasks = 500},
    {"30-arms", 30, 5, .kind = RANDOM, .steps = 100, .n_tasks = 500},
    {"100-arms", 100, 5, .kind = RANDOM, .steps = 100, .n_tasks = 500},
    {"1000-arms", 1000, 5, .kind = RANDOM, .steps = 300, .n_tasks = 60},
    {"10000-steps", 7, 5, .kind = RANDOM, .steps = 10000, .n_tasks = 100},
    {"heavy", 7, 5, .kind = RANDOM, .steps = 1000, .n_tasks = 500, .weight = heavy},
    {"unequal", 7, 5, .kind = RANDOM, .steps = 100, .n_tasks = 500, .weight = unequal},
    {"one-arm", 7, 5, .kind = ONE_ARM, .steps = 100, .n_tasks = 500},
    {"apart", 7, 5, .kind = APART, .steps = 300, .n_tasks = 400},
    {"apart-2000", 7, 5, .kind = APART, .steps = 2000, .n_tasks = 200},
    {"trap", 7, 5, .kind = TRAP, .steps = 1000, .n_tasks = 400, .weight = trap},
    {"probes", 7, 5, .kind = PROBES, .steps = 300, .n_tasks = 400},
    {"clicks", 7, 5, .kind = CLICKS, .steps = 300, .n_tasks = 400},
    {"replaced-30", 7, 5, .kind = RANDOM, .steps = 100, .n_tasks = 510, .replaced = 30},
    {"replaced-100", 7, 5, .kind = RANDOM, .steps = 100, .n_tasks = 500, .replaced = 100},
    {"replaced-300", 7, 5, .kind = RANDOM, .steps = 100, .n_tasks = 600, .replaced = 300},
    {"seasons", 7, 5, .kind = RANDOM, .steps = 100, .n_tasks = 600, .seasons = 100},
    {"sorted", 7, 5, .kind = RANDOM, .steps = 100, .n_tasks = 500, .block = 25},
    {"drift", 7, 5, .kind = RANDOM, .steps = 100, .n_tasks = 500, .drift = 0.005},
    {"spread-5", 7, 5, .kind = RANDOM, .steps = 100, .n_tasks = 500, .spread = 5.0},
    {"spread-20", 7, 5, .kind = RANDOM, .steps = 100, .n_tasks = 500, .spread = 20.0},
    {"no-type", 7, 5, .kind = RANDOM, .steps = 100, .n_tasks = 500, .no_type = 0.1},
    {"mixed", 7, 5, .kind = RANDOM, .steps = 100, .n_tasks = 500, .mixed = true},
    {"nothing-100", 7, 0, .kind = NOTHING, .steps = 100, .n_tasks = 500},
    {"nothing-1000", 7, 0, .kind = NOTHING, .steps = 1000, .n_tasks = 400},
    {"nothing-30-arms", 30, 0, .kind = NOTHING, .steps = 100, .n_tasks = 400},
    {"nothing-30-arms-1000", 30, 0, .kind = NOTHING, .steps = 1000, .n_tasks = 200},
    {"near-1", 7, 5, .kind = NEAR_1, .steps = 300, .n_tasks = 400},
    {"lengths", 7, 5, .kind = RANDOM, .steps = 200, .n_tasks = 500, .shortest = 20, .early = 1.0},
    {"ended-early", 7, 5, .kind = RANDOM, .steps = 100, .n_tasks = 500, .shortest = 1,
     .early = 0.3},
    {"batches-10", 7, 5, .kind = RANDOM, .steps = 100, .n_tasks = 500, .batch = 10},
    {"batches-50", 7, 5, .kind = RANDOM, .steps = 100, .n_tasks = 500, .batch = 50},
    {"open-10", 7, 5, .kind = RANDOM, .steps = 100, .n_tasks = 500, .open = 10},
};
enum { N_SETS = sizeof sets / sizeof *sets };

const task_set *task_set_at(size_t i)
{
    return i < N_SETS ? &sets[i] : NULL;
}

/* ---- types ------------------------------------------------------------------------------- */

static double between(task_run *r, double low, double high)
{
    return low + (high - low) * segue_rng_uniform(&r->rng);
}

static double mean_of(task_run *r, size_t q, size_t arm, double base)
{
    const double u = segue_rng_uniform(&r->rng);
    switch (r->set->kind) {
    case ONE_ARM:
        return arm == q ? 0.7 + 0.2 * u : base;
    case APART:
        return u < 0.5 ? 0.5 : 0.55;
    case TRAP:
        return arm == 0 ? 0.6 : q >= 3 && arm == q ? 0.95 : 0.1 + 0.4 * u;
    case PROBES:
        return arm == 6 ? 0.05 + 0.15 * (double)q : arm == q ? 0.85 : 0.7;
    case CLICKS:
        return 0.01 + 0.04 * u;
    case NEAR_1:
        return 0.95 + 0.04 * u;
    default:
        return u;
    }
}

static void draw_types(task_run *r)
{
    double base[MAX_ARMS] = {0.0};
    for (size_t i = 0; i < r->set->n_arms; i++)
        base[i] = between(r, 0.2, 0.5);
    for (size_t q = 0; q < r->set->n_types; q++)
        for (size_t i = 0; i < r->set->n_arms; i++)
            r->type[q][i] = mean_of(r, q, i, base[i]);
}

static void read_paper(task_run *r)
{
    segue_error err;
    segue_models_file file;
    check(segue_models_file_read(&file, PAPER_MODELS, SEGUE_MODELS_KNOWN, &err), &err);
    for (size_t q = 0; q < r->set->n_types; q++)
        memcpy(r->type[q], segue_models_row(file.models, q), file.n_arms * sizeof(double));
    segue_models_file_fini(&file);
}

static void make_types(task_run *r)
{
    if (r->set->kind == PAPER)
        read_paper(r);
    else
        draw_types(r);
}

/* ---- tasks ------------------------------------------------------------------------------- */

static size_t draw_type(task_run *r, size_t j)
{
    double u = segue_rng_uniform(&r->rng);
    size_t q = 0;
    if (r->set->block)
        return j / r->set->block % r->set->n_types;
    while (q + 1 < r->set->n_types && (u -= r->weight[q]) >= 0.0)
        q++;
    return q;
}

static double around(task_run *r, double mean)
{
    const double k = r->set->spread;
    return k > 0.0 ? segue_rng_beta(&r->rng, k * mean + 1e-3, k * (1.0 - mean) + 1e-3) : mean;
}

static void draw_task(task_run *r, size_t j)
{
    double *mean = r->mean + j * r->set->n_arms;
    const bool of_no_type = r->set->kind == NOTHING || segue_rng_uniform(&r->rng) < r->set->no_type;
    const size_t q = r->set->n_types ? draw_type(r, j) : 0, p = r->set->mixed ? draw_type(r, j) : q;
    const double share = r->set->mixed ? segue_rng_uniform(&r->rng) : 1.0;
    for (size_t i = 0; i < r->set->n_arms; i++)
        mean[i] = of_no_type ? segue_rng_uniform(&r->rng)
                             : around(r, share * r->type[q][i] + (1.0 - share) * r->type[p][i]);
}

static void move_types(task_run *r)
{
    for (size_t q = 0; q < r->set->n_types; q++)
        for (size_t i = 0; i < r->set->n_arms; i++)
            r->type[q][i] =
                fmin(1.0, fmax(0.0, r->type[q][i] + r->set->drift * segue_rng_normal(&r->rng)));
}

/* Replace the types where the set says so; seasons return to the same types. */
static void change_types(task_run *r, size_t j)
{
    if (r->set->replaced && j % r->set->replaced == 0)
        draw_types(r);
    if (r->set->seasons && j % r->set->seasons == 0) {
        segue_rng_init(&r->rng, r->seed, j / r->set->seasons % 2, 0, 77);
        draw_types(r);
        segue_rng_init(&r->rng, r->seed, j, 1, 77);
    }
    if (r->set->drift > 0.0)
        move_types(r);
}

static void make_models(task_run *r)
{
    segue_error err;
    const size_t n_arms = r->set->n_arms;
    double *mean = new_numbers(MAX_TYPES * n_arms);
    for (size_t q = 0; q < r->set->n_types; q++)
        memcpy(mean + q * n_arms, r->type[q], n_arms * sizeof *mean);
    check(segue_models_create(&r->models, SEGUE_MODELS_KNOWN, n_arms, r->set->n_types, mean,
                              r->weight, &err),
          &err);
    free(mean);
}

void task_run_init(task_run *r, const task_set *set, uint64_t seed)
{
    *r = (task_run){.set = set, .seed = seed, .mean = new_numbers(set->n_tasks * set->n_arms + 1)};
    segue_rng_init(&r->rng, r->seed, 0, 0, 77);
    make_types(r);
    for (size_t q = 0; q < r->set->n_types; q++)
        r->weight[q] = r->set->weight ? r->set->weight[q] : 1.0 / (double)r->set->n_types;
    if (r->set->n_types)
        make_models(r);
    for (size_t j = 0; j < r->set->n_tasks; j++) {
        change_types(r, j);
        draw_task(r, j);
    }
}

void task_run_fini(task_run *r)
{
    segue_models_destroy(r->models);
    free(r->mean);
}

uint64_t task_set_steps(const task_run *r, size_t j)
{
    segue_rng rng;
    segue_rng_init(&rng, r->seed, j, 2, 77);
    const bool ends_early = r->set->shortest && segue_rng_uniform(&rng) < r->set->early;
    const double more = segue_rng_uniform(&rng) * (double)(r->set->steps - r->set->shortest + 1);
    return ends_early ? r->set->shortest + (uint64_t)more : r->set->steps;
}
