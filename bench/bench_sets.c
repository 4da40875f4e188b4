/* bench_sets.c - the regret of policies and learners on many kinds of tasks.
 *
 *     bench_sets SET POLICIES SEED RUNS
 *     bench_sets list
 *
 * A set says where the means of tasks come from: random types, types that differ on one arm, types
 * that are replaced, nothing shared.  Each run has its own seed and, but for the paper's models, its
 * own types.  All policies of a run meet the same tasks, and the rewards of an arm in the same
 * order.  CSV, one line per run and policy: the regret per task over all tasks, the first 20 and the
 * last 40 %; the 99th percentile and the largest regret of a task; how many tasks are stuck: above
 * STUCK times the median of the first policy of the list; the types at the end, and how many of the
 * set's types are found; the CPU microseconds per step and, for learners, per closed task.  `mla`
 * and `mts` know the types.
 *
 * A type of the set (of its end, if they change) is found if a learned one has the same best arm
 * with a mean that differs by less than FOUND; each learned one counts once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <math.h>
#include <string.h>

#include "io/policy_list.h"
#include "task_sets.h"
#include "transfer/learner_method.h"

#define MAX_OPEN  10 /* tasks at once */
#define MAX_BATCH 50 /* asks before their rewards */
#define FOUND     0.1
#define STUCK     3.0
#define FIRST     20  /* tasks */
#define LATE      0.6 /* share of the tasks before the late ones */

/* ---- play -------------------------------------------------------------------------------- */

typedef struct contest {
    segue_learner *learner; /* or ... */
    segue_task *task;       /* ... a policy */
    double step_seconds, close_seconds;
    uint64_t n_steps;
} contest;

static void contest_init(contest *p, const task_run *r, const segue_policy_list *list, size_t i)
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

static void begin(session *s, contest *p, const task_run *r, size_t j)
{
    segue_error err;
    segue_rng rng;
    *s = (session){.mean = r->mean + j * r->set->n_arms, .j = j, .steps = task_set_steps(r, j)};
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

static void step(session *s, const task_run *r, uint64_t t)
{
    const size_t arm = segue_task_ask(s->task);
    s->pending[s->n_pending++] = arm;
    s->regret += s->best - s->mean[arm];
    if (s->n_pending >= r->set->batch || t + 1 == s->steps)
        tell_pending(s);
}

/* Play `count` tasks at once. */
static void play(contest *p, const task_run *r, size_t first, size_t count, double *regret)
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

/* The learned type that is nearest to a type of the set, or `n_learned`. */
static size_t nearest_to(const double *type, size_t n_arms, const size_t *best, const double *mean,
                         size_t n_learned)
{
    const size_t arm = best_of(type, n_arms);
    double distance = FOUND;
    size_t nearest = n_learned;
    for (size_t p = 0; p < n_learned; p++)
        if (best[p] == arm && fabs(mean[p] - type[arm]) < distance) {
            distance = fabs(mean[p] - type[arm]);
            nearest = p;
        }
    return nearest;
}

/* Types of the set that a learner has found. */
static size_t count_found(const segue_learner *learner, const task_run *r)
{
    size_t best[SEGUE_MAX_TYPES], count = 0;
    double mean[SEGUE_MAX_TYPES];
    const size_t n_arms = r->set->n_arms, n_learned = segue_learner_info(learner).n_types;
    describe_types(learner, n_arms, best, mean);
    for (size_t q = 0; q < r->set->n_types; q++) {
        const size_t p = nearest_to(r->type[q], n_arms, best, mean, n_learned);
        if (p == n_learned)
            continue;
        best[p] = MAX_ARMS; /* counts once */
        count++;
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
static double print_contest(const contest *p, const task_run *r, const char *name, double *regret,
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

static double play_policy(const task_run *r, const segue_policy_list *list, size_t i, double usual)
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

static void play_run(const task_set *s, const segue_policy_list *list, uint64_t seed)
{
    task_run r;
    double usual = 0.0;
    task_run_init(&r, s, seed);
    for (size_t i = 0; i < list->count; i++) {
        const double median = play_policy(&r, list, i, usual);
        usual = i == 0 ? median : usual;
    }
    task_run_fini(&r);
}

static const task_set *find_set(const char *name)
{
    for (size_t i = 0; task_set_at(i); i++)
        if (strcmp(task_set_at(i)->name, name) == 0)
            return task_set_at(i);
    (void)fprintf(stderr, "bench: there is no set '%s'; 'bench_sets list' prints them\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    segue_policy_list list;
    segue_error err;
    for (size_t i = 0; argc == 2 && strcmp(argv[1], "list") == 0 && task_set_at(i); i++)
        (void)puts(task_set_at(i)->name);
    if (argc != 5)
        return argc == 2 ? 0 : 2;
    const task_set *s = find_set(argv[1]);
    const uint64_t seed = strtoull(argv[3], NULL, 10), runs = strtoull(argv[4], NULL, 10);
    check(segue_policy_list_parse(&list, argv[2], &err), &err);
    (void)puts("set,policy,seed,all,first,late,p99,worst,stuck,types,found,step_us,close_us");
    for (uint64_t k = 0; k < runs; k++)
        play_run(s, &list, seed + k);
    segue_policy_list_fini(&list);
    return 0;
}
