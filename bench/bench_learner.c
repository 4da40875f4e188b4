/* bench_learner.c - the cost of estimation beside play, and the memory of a learner.
 *
 * tUCB on the paper's models with RTP after every task: CPU time of play (open and play) and of
 * learning (close), in one run; then the memory of the process after 10,000 and 100,000 short
 * tasks, which must not grow.
 * SPDX-License-Identifier: Apache-2.0 */
#include <sys/resource.h>

#include "bench.h"

typedef struct cost {
    double play, learn; /* CPU seconds */
    long kilobytes;     /* peak of the process */
} cost;

/* Play tasks and add their cost. */
static cost play_tasks(segue_learner *learner, segue_simulated_task *simulated, uint64_t tasks)
{
    const uint64_t steps = segue_learner_get_config(learner)->horizon;
    cost total = {.play = 0.0};
    segue_error err;
    for (uint64_t j = 0; j < tasks; j++) {
        segue_task *task = NULL;
        segue_simulated_task_begin(simulated, 1, 0, segue_learner_info(learner).opened,
                                   SEGUE_ANY_MODEL);
        const double start = cpu_seconds();
        check(segue_learner_open_task(learner, &task, &err), &err);
        (void)segue_simulation_play(task, simulated, steps);
        const double middle = cpu_seconds();
        check(segue_learner_close_task(learner, &task, &err), &err);
        total.play += middle - start;
        total.learn += cpu_seconds() - middle;
    }
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    total.kilobytes = usage.ru_maxrss;
    return total;
}

static segue_learner *learner_of(const segue_models *models, uint64_t steps, uint64_t tasks)
{
    segue_error err;
    segue_learner *learner = NULL;
    segue_learner_config config = segue_learner_defaults();
    config.method = "tucb";
    config.n_arms = models->n_arms;
    config.n_models = models->n_models;
    config.horizon = steps;
    config.n_tasks = tasks;
    check(segue_learner_create(&learner, &config, &err), &err);
    return learner;
}

int main(void)
{
    segue_error err;
    segue_models_file paper;
    segue_simulated_task *simulated = NULL;
    check(segue_models_file_read(&paper, PAPER_MODELS, SEGUE_MODELS_KNOWN, &err), &err);
    const segue_environment env = {.size = sizeof(segue_environment), .models = paper.models};
    check(segue_simulated_task_create(&simulated, &env, &err), &err);

    segue_learner *learner = learner_of(paper.models, 5000, 5000);
    const cost full = play_tasks(learner, simulated, 5000);
    printf("tucb, 5000 tasks of 5000 steps, rtp after every task (CPU time, one run)\n"
           "  playing   %7.1f us a task\n  learning  %7.1f us a task\n  ratio     %7.3f\n",
           full.play / 5000 * 1e6, full.learn / 5000 * 1e6, full.learn / full.play);
    segue_learner_destroy(learner);

    learner = learner_of(paper.models, 30, 100000);
    const cost few = play_tasks(learner, simulated, 10000),
               many = play_tasks(learner, simulated, 90000);
    printf("memory of the process, tasks of 30 steps\n"
           "  after  10000 tasks  %6ld kB\n  after 100000 tasks  %6ld kB\n",
           few.kilobytes, many.kilobytes);
    segue_learner_destroy(learner);
    segue_simulated_task_destroy(simulated);
    segue_models_file_fini(&paper);
    return 0;
}
