/* bench_truth.c - the true value of learners on given tasks, for bench/verdict.
 *
 * usage: bench_truth ARMS TASKS FIRST STEPS LAW SEED POLICIES < MEANS
 *
 * MEANS are doubles: TASKS x ARMS true means per run, run after run.  Every policy or learner of the list
 * plays all tasks of a run in their order; those from FIRST on (counted from 1) are scored.  A line of
 * output has the run, the policy, and its reward and regret per step, by the true means of the
 * pulled arms.  LAW is bernoulli, levels:L (L trials divided by L) or beta:P (precision P).  The
 * j-th reward of an arm in a task is the same number for all policies.  Nothing of src/replay is
 * used: this is the answer that the replay of a log is judged by.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "bench.h"
#include "io/policy_list.h"

typedef struct truth {
    size_t n_arms, n_tasks, first;
    uint64_t steps, seed;
    unsigned long levels; /* Bernoulli trials per reward */
    double precision;     /* of a Beta reward; 0: another law */
    segue_policy_list list;
    double *means;  /* n_tasks x n_arms: of one run */
    segue_rng *rng; /* n_arms: the rewards of the open task */
} truth;

typedef struct score {
    double reward, regret; /* per step, summed over scored tasks */
} score;

static double draw_reward(const truth *t, segue_rng *rng, double mean)
{
    double sum = 0.0;
    if (t->precision > 0.0)
        return segue_rng_beta(rng, t->precision * mean, t->precision * (1.0 - mean));
    for (unsigned long i = 0; i < t->levels; i++)
        sum += segue_rng_uniform(rng) < mean;
    return sum / (double)t->levels;
}

/* Play one task; return the sum of the means of the pulled arms. */
static double play_task(const truth *t, segue_task *task, uint64_t run, size_t j)
{
    const double *mean = t->means + j * t->n_arms;
    double sum = 0.0;
    segue_error err;
    for (size_t arm = 0; arm < t->n_arms; arm++)
        segue_rng_init(&t->rng[arm], t->seed, run, j, arm);
    for (uint64_t step = 0; step < t->steps; step++) {
        const size_t arm = segue_task_ask(task);
        check(segue_task_tell(task, arm, draw_reward(t, &t->rng[arm], mean[arm]), &err), &err);
        sum += mean[arm];
    }
    return sum;
}

static double best_mean(const truth *t, size_t j)
{
    const double *mean = t->means + j * t->n_arms;
    double best = 0.0;
    for (size_t arm = 0; arm < t->n_arms; arm++)
        best = mean[arm] > best ? mean[arm] : best;
    return best;
}

static segue_learner *create_learner(const truth *t, size_t i, uint64_t run)
{
    segue_error err;
    segue_learner *learner = NULL;
    segue_learner_config config = t->list.learner[i];
    config.n_arms = t->n_arms;
    config.horizon = t->steps;
    config.n_tasks = t->n_tasks;
    config.seed = t->seed;
    config.run = run;
    check(segue_learner_create(&learner, &config, &err), &err);
    return learner;
}

static segue_task *create_task(const truth *t, size_t i)
{
    segue_error err;
    segue_task *task = NULL;
    segue_task_config config = segue_task_defaults();
    config.policy = t->list.spec[i];
    config.setting =
        (segue_setting){.n_arms = t->n_arms, .horizon = t->steps, .n_tasks = t->n_tasks};
    check(segue_task_create(&task, &config, &err), &err);
    return task;
}

/* Play all tasks of a run with the i-th policy or learner. */
static score play_run(const truth *t, size_t i, uint64_t run)
{
    segue_error err;
    score out = {.reward = 0.0};
    segue_learner *learner =
        segue_policy_list_is_learner(&t->list, i) ? create_learner(t, i, run) : NULL;
    segue_task *task = learner ? NULL : create_task(t, i);
    for (size_t j = 0; j < t->n_tasks; j++) {
        segue_rng rng;
        if (learner)
            check(segue_learner_open_task(learner, &task, &err), &err);
        segue_rng_init(&rng, t->seed, run, j, SEGUE_STREAM_POLICY);
        segue_task_next(task, &rng, 0);
        const double reward = play_task(t, task, run, j) / (double)t->steps;
        if (learner)
            check(segue_learner_close_task(learner, &task, &err), &err);
        out.reward += j + 1 >= t->first ? reward : 0.0;
        out.regret += j + 1 >= t->first ? best_mean(t, j) - reward : 0.0;
    }
    if (!learner)
        segue_task_destroy(task);
    segue_learner_destroy(learner);
    return out;
}

static bool parse_law(truth *t, const char *law)
{
    t->levels = 1;
    if (strncmp(law, "levels:", 7) == 0)
        t->levels = strtoul(law + 7, NULL, 10);
    else if (strncmp(law, "beta:", 5) == 0)
        t->precision = strtod(law + 5, NULL);
    else
        return strcmp(law, "bernoulli") == 0;
    return t->levels >= 1 && t->precision >= 0.0;
}

static void play_all(truth *t)
{
    const double n_scored = (double)(t->n_tasks + 1 - t->first);
    const size_t count = t->n_tasks * t->n_arms;
    for (uint64_t run = 0; fread(t->means, sizeof *t->means, count, stdin) == count; run++)
        for (size_t i = 0; i < t->list.count; i++) {
            const score s = play_run(t, i, run);
            printf("%llu,\"%s\",%.9g,%.9g\n", (unsigned long long)run, t->list.text[i],
                   s.reward / n_scored, s.regret / n_scored);
        }
}

int main(int argc, char **argv)
{
    truth t = {.n_arms = 0};
    segue_error err;
    if (argc != 8 || !parse_law(&t, argv[5])) {
        (void)fputs("usage: bench_truth ARMS TASKS FIRST STEPS LAW SEED POLICIES < MEANS\n",
                    stderr);
        return 2;
    }
    t.n_arms = strtoul(argv[1], NULL, 10);
    t.n_tasks = strtoul(argv[2], NULL, 10);
    t.first = strtoul(argv[3], NULL, 10);
    t.steps = strtoull(argv[4], NULL, 10);
    t.seed = strtoull(argv[6], NULL, 10);
    t.means = new_numbers(t.n_tasks * t.n_arms);
    t.rng = calloc(t.n_arms + 1, sizeof *t.rng);
    check(segue_policy_list_parse(&t.list, argv[7], &err), &err);
    if (t.rng)
        play_all(&t);
    segue_policy_list_fini(&t.list);
    free(t.means);
    free(t.rng);
    return t.rng ? 0 : 1;
}
