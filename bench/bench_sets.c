/* bench_sets.c - the regret of policies and learners on many kinds of tasks.
 *
 *     bench_sets SET POLICIES SEED RUNS
 *     bench_sets list
 *
 * A set says where the means of tasks come from: random types, types that differ on one arm, types
 * that are replaced, nothing shared.  Each run has its own seed and, but for the paper's models, its
 * own types.  All policies of a run meet the same tasks, and the rewards of an arm in the same
 * order.  CSV, one line per run and policy: the regret per task over all tasks, the first 20 and the
 * last 40 %; the 99th percentile and the largest regret of a task; tasks that are
 * stuck: above STUCK times the median of the first policy of the list; the types at the end, and
 * how many of the set's types are found; the CPU microseconds per step and, for learners, per closed
 * task.  `mla` and `mts` know the types.
 *
 * A type of the set (of its end, if they change) is found if a learned one has the same best arm
 * with a mean that differs by less than FOUND; each learned one counts once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <math.h>
#include <string.h>

#include "io/policy_list.h"
#include "transfer/learner_method.h"

#define MAX_ARMS  1000
#define MAX_TYPES 40
#define MAX_OPEN  10 /* tasks at once */
#define MAX_BATCH 50 /* asks before their rewards */
#define FOUND     0.1
#define STUCK     3.0
#define FIRST     20  /* tasks */
#define LATE      0.6 /* share of the tasks before the late ones */

typedef enum kind {
    PAPER,
    RANDOM,
    ONE_ARM, /* each type has one arm that is better than a base, which all share */
    APART,   /* every mean is 0.5 or 0.55 */
    TRAP,    /* arm 1 pays 0.6 under every type; rare types hide an arm of 0.95 */
    PROBES,  /* the last arm is never the best, and tells the type */
    CLICKS,  /* means of 0.01 to 0.05 */
    NEAR_1,  /* means of 0.95 to 0.99 */
    NOTHING  /* tasks share nothing */
} kind;

typedef struct set {
    const char *name;
    size_t n_arms, n_types;
    uint64_t steps, n_tasks;
    size_t replaced; /* number of tasks after which all types are replaced; 0: never */
    size_t seasons;  /* number of tasks after which two sets of types take turns */
    size_t block;    /* tasks come type by type: the number of tasks of each */
    double spread;   /* concentration of a task's means around its type; 0: none */
    double no_type;  /* share of tasks of no type */
    double drift;    /* standard deviation by which means move per task */
    kind kind;
    bool mixed;        /* a task is a mixture of two types */
    uint64_t shortest; /* tasks end after `shortest` to `steps` steps; 0: none ends early ... */
    double early;      /* ... but only this share of them does */
    size_t batch;      /* asks before their rewards; 0: one */
    size_t open;       /* tasks open at once, step by step in turn; 0: one */
    const double *weight;
} set;

static const double heavy[] = {0.9, 0.04, 0.03, 0.02, 0.01};
static const double unequal[] = {0.6, 0.2, 0.1, 0.06, 0.04};
static const double trap[] = {0.3, 0.3, 0.3, 0.05, 0.05};

static const set sets[] = {
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

/* One run: its types now, and the means of every task. */
typedef struct run {
    const set *set;
    uint64_t seed;
    double type[MAX_TYPES][MAX_ARMS];
    double weight[MAX_TYPES];
    double *mean; /* n_tasks x n_arms */
    segue_models *models;
    segue_rng rng;
} run;

/* ---- types ------------------------------------------------------------------------------- */

static double between(run *r, double low, double high)
{
    return low + (high - low) * segue_rng_uniform(&r->rng);
}

static double mean_of(run *r, size_t q, size_t arm, double base)
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

static void draw_types(run *r)
{
    double base[MAX_ARMS] = {0.0};
    for (size_t i = 0; i < r->set->n_arms; i++)
        base[i] = between(r, 0.2, 0.5);
    for (size_t q = 0; q < r->set->n_types; q++)
        for (size_t i = 0; i < r->set->n_arms; i++)
            r->type[q][i] = mean_of(r, q, i, base[i]);
}

static void read_paper(run *r)
{
    segue_error err;
    segue_models_file file;
    check(segue_models_file_read(&file, PAPER_MODELS, SEGUE_MODELS_KNOWN, &err), &err);
    for (size_t q = 0; q < r->set->n_types; q++)
        memcpy(r->type[q], segue_models_row(file.models, q), file.n_arms * sizeof(double));
    segue_models_file_fini(&file);
}

static void make_types(run *r)
{
    if (r->set->kind == PAPER)
        read_paper(r);
    else
        draw_types(r);
}

/* ---- tasks ------------------------------------------------------------------------------- */

static size_t draw_type(run *r, size_t j)
{
    double u = segue_rng_uniform(&r->rng);
    size_t q = 0;
    if (r->set->block)
        return j / r->set->block % r->set->n_types;
    while (q + 1 < r->set->n_types && (u -= r->weight[q]) >= 0.0)
        q++;
    return q;
}

static double around(run *r, double mean)
{
    const double k = r->set->spread;
    return k > 0.0 ? segue_rng_beta(&r->rng, k * mean + 1e-3, k * (1.0 - mean) + 1e-3) : mean;
}

static void draw_task(run *r, size_t j)
{
    double *mean = r->mean + j * r->set->n_arms;
    const bool of_no_type = r->set->kind == NOTHING || segue_rng_uniform(&r->rng) < r->set->no_type;
    const size_t q = r->set->n_types ? draw_type(r, j) : 0, p = r->set->mixed ? draw_type(r, j) : q;
    const double share = r->set->mixed ? segue_rng_uniform(&r->rng) : 1.0;
    for (size_t i = 0; i < r->set->n_arms; i++)
        mean[i] = of_no_type ? segue_rng_uniform(&r->rng)
                             : around(r, share * r->type[q][i] + (1.0 - share) * r->type[p][i]);
}

static void move_types(run *r)
{
    for (size_t q = 0; q < r->set->n_types; q++)
        for (size_t i = 0; i < r->set->n_arms; i++)
            r->type[q][i] =
                fmin(1.0, fmax(0.0, r->type[q][i] + r->set->drift * segue_rng_normal(&r->rng)));
}

/* Replace the types where the set says so; seasons return to the same types. */
static void change_types(run *r, size_t j)
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

static void make_models(run *r)
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

static void make_run(run *r)
{
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

/* ---- play -------------------------------------------------------------------------------- */

typedef struct contest {
    segue_learner *learner; /* or ... */
    segue_task *task;       /* ... a policy */
    double step_seconds, close_seconds;
    uint64_t n_steps;
} contest;

static void contest_init(contest *p, const run *r, const segue_policy_list *list, size_t i)
{
    segue_error err;
    *p = (contest){.learner = NULL};
    if (segue_policy_list_is_learner(list, i)) {
        segue_learner_config config = list->learner[i];
        config.n_arms = r->set->n_arms;
        config.horizon = r->set->steps;
        config.n_tasks = r->set->n_tasks;
        config.seed = r->seed;
        check(segue_learner_create(&p->learner, &config, &err), &err);
    } else {
        segue_task_config config = segue_task_defaults();
        config.policy = list->spec[i];
        config.setting = (segue_setting){.n_arms = r->set->n_arms,
                                         .horizon = r->set->steps,
                                         .n_tasks = r->set->n_tasks,
                                         .models = r->models};
        check(segue_task_create(&p->task, &config, &err), &err);
    }
}

/* A task that is open. */
typedef struct session {
    segue_task *task;
    const double *mean;
    size_t j, pending[MAX_BATCH], n_pending;
    uint64_t steps;
    double best, regret;
    segue_rng rewards[MAX_ARMS];
} session;

/* The number of steps of a task. */
static uint64_t steps_of(const run *r, size_t j)
{
    segue_rng rng;
    segue_rng_init(&rng, r->seed, j, 2, 77);
    const bool ends_early = r->set->shortest && segue_rng_uniform(&rng) < r->set->early;
    const double more = segue_rng_uniform(&rng) * (double)(r->set->steps - r->set->shortest + 1);
    return ends_early ? r->set->shortest + (uint64_t)more : r->set->steps;
}

static void begin(session *s, contest *p, const run *r, size_t j)
{
    segue_error err;
    segue_rng rng;
    *s = (session){.mean = r->mean + j * r->set->n_arms, .j = j, .steps = steps_of(r, j)};
    for (size_t i = 0; i < r->set->n_arms; i++) {
        s->best = fmax(s->best, s->mean[i]);
        segue_rng_init(&s->rewards[i], r->seed, 0, j, i);
    }
    s->task = p->task;
    if (p->learner)
        check(segue_learner_open_task(p->learner, &s->task, &err), &err);
    segue_rng_init(&rng, r->seed, 0, j, SEGUE_STREAM_POLICY);
    segue_task_next(s->task, &rng, 0);
}

static void tell_pending(session *s)
{
    segue_error err;
    for (size_t k = 0; k < s->n_pending; k++) {
        const size_t arm = s->pending[k];
        const double reward = segue_rng_uniform(&s->rewards[arm]) < s->mean[arm] ? 1.0 : 0.0;
        check(segue_task_tell(s->task, arm, reward, &err), &err);
    }
    s->n_pending = 0;
}

static void step(session *s, const run *r, uint64_t t)
{
    const size_t arm = segue_task_ask(s->task);
    s->pending[s->n_pending++] = arm;
    s->regret += s->best - s->mean[arm];
    if (s->n_pending >= r->set->batch || t + 1 == s->steps)
        tell_pending(s);
}

/* Play `count` tasks at once. */
static void play(contest *p, const run *r, size_t first, size_t count, double *regret)
{
    static session sessions[MAX_OPEN];
    segue_error err;
    for (size_t k = 0; k < count; k++)
        begin(&sessions[k], p, r, first + k);
    const double start = cpu_seconds();
    for (uint64_t t = 0; t < r->set->steps; t++)
        for (size_t k = 0; k < count; k++)
            if (t < sessions[k].steps)
                step(&sessions[k], r, t);
    const double middle = cpu_seconds();
    for (size_t k = 0; k < count; k++) {
        if (p->learner)
            check(segue_learner_close_task(p->learner, &sessions[k].task, &err), &err);
        regret[first + k] = sessions[k].regret;
        p->n_steps += sessions[k].steps;
    }
    p->step_seconds += middle - start;
    p->close_seconds += cpu_seconds() - middle;
}

/* ---- results ----------------------------------------------------------------------------- */

/* The best arm of n. */
static size_t best_of(const double *mean, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        best = mean[i] > mean[best] ? i : best;
    return best;
}

static void describe_types(const segue_learner *learner, size_t n_arms, size_t *best, double *mean)
{
    double all[MAX_ARMS], low, high;
    for (size_t q = 0; q < segue_learner_info(learner).n_types; q++) {
        for (size_t i = 0; i < n_arms; i++)
            learner->method->describe_arm(learner, q + 1, i, &all[i], &low, &high);
        best[q] = best_of(all, n_arms);
        mean[q] = all[best[q]];
    }
}

/* Types of the set that a learner has found. */
static size_t count_found(const segue_learner *learner, const run *r)
{
    size_t best[SEGUE_MAX_TYPES], count = 0;
    double mean[SEGUE_MAX_TYPES];
    describe_types(learner, r->set->n_arms, best, mean);
    for (size_t q = 0; q < r->set->n_types; q++) {
        const size_t arm = best_of(r->type[q], r->set->n_arms);
        size_t nearest = SEGUE_MAX_TYPES;
        for (size_t p = 0; p < segue_learner_info(learner).n_types; p++)
            if (best[p] == arm &&
                (nearest == SEGUE_MAX_TYPES ||
                 fabs(mean[p] - r->type[q][arm]) < fabs(mean[nearest] - r->type[q][arm])))
                nearest = p;
        if (nearest < SEGUE_MAX_TYPES && fabs(mean[nearest] - r->type[q][arm]) < FOUND) {
            best[nearest] = MAX_ARMS; /* counts once */
            count++;
        }
    }
    return count;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double average(const double *regret, size_t first, size_t last)
{
    double sum = 0.0;
    for (size_t j = first; j < last; j++)
        sum += regret[j];
    return sum / (double)(last - first);
}

static size_t count_above(const double *regret, size_t n, double limit)
{
    size_t count = 0;
    for (size_t j = 0; j < n; j++)
        count += regret[j] > limit;
    return count;
}

/* `usual` is the median regret of the first policy; of that, 0. Return the median. */
static double print_contest(const contest *p, const run *r, const char *name, double *regret,
                            double usual)
{
    const size_t n = r->set->n_tasks;
    const double all = average(regret, 0, n), first = average(regret, 0, FIRST);
    const double late = average(regret, (size_t)(LATE * (double)n), n);
    qsort(regret, n, sizeof *regret, ascending);
    const double median = regret[n / 2];
    const size_t n_types = p->learner ? segue_learner_info(p->learner).n_types : 0;
    printf("%s,\"%s\",%llu,%.4f,%.4f,%.4f,%.2f,%.2f,%zu,%zu,%zu,%.2f,%.0f\n", r->set->name, name,
           (unsigned long long)r->seed, all, first, late, regret[(size_t)(0.99 * (double)n)],
           regret[n - 1], count_above(regret, n, STUCK * (usual > 0.0 ? usual : median)), n_types,
           n_types ? count_found(p->learner, r) : 0, 1e6 * p->step_seconds / (double)p->n_steps,
           1e6 * p->close_seconds / (double)n);
    (void)fflush(stdout);
    return median;
}

static double play_policy(const run *r, const segue_policy_list *list, size_t i, double usual)
{
    contest p;
    double *regret = new_numbers(r->set->n_tasks + 1);
    contest_init(&p, r, list, i);
    const size_t at_once = p.learner && r->set->open ? r->set->open : 1;
    for (size_t j = 0; j < r->set->n_tasks; j += at_once)
        play(&p, r, j, at_once, regret);
    const double median = print_contest(&p, r, list->text[i], regret, usual);
    if (!p.learner)
        segue_task_destroy(p.task);
    segue_learner_destroy(p.learner);
    free(regret);
    return median;
}

static void play_run(const set *s, const segue_policy_list *list, uint64_t seed)
{
    run r = {.set = s, .seed = seed, .mean = new_numbers(s->n_tasks * s->n_arms + 1)};
    double usual = 0.0;
    make_run(&r);
    for (size_t i = 0; i < list->count; i++) {
        const double median = play_policy(&r, list, i, usual);
        usual = i == 0 ? median : usual;
    }
    segue_models_destroy(r.models);
    free(r.mean);
}

static const set *find_set(const char *name)
{
    for (size_t i = 0; i < N_SETS; i++)
        if (strcmp(sets[i].name, name) == 0)
            return &sets[i];
    (void)fprintf(stderr, "bench: there is no set '%s'; 'bench_sets list' prints them\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    segue_policy_list list;
    segue_error err;
    for (size_t i = 0; argc == 2 && strcmp(argv[1], "list") == 0 && i < N_SETS; i++)
        (void)puts(sets[i].name);
    if (argc != 5)
        return argc == 2 ? 0 : 2;
    const set *s = find_set(argv[1]);
    const uint64_t seed = strtoull(argv[3], NULL, 10), runs = strtoull(argv[4], NULL, 10);
    check(segue_policy_list_parse(&list, argv[2], &err), &err);
    (void)puts("set,policy,seed,all,first,late,p99,worst,stuck,types,found,step_us,close_us");
    for (uint64_t k = 0; k < runs; k++)
        play_run(s, &list, seed + k);
    segue_policy_list_fini(&list);
    return 0;
}
