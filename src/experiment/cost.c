/* cost.c - estimate how long runs take, for the time left that progress shows.
 *
 * A step of one policy takes a thousand times as long as a step of another, so the share of steps
 * says little about the time left.  The table has nanoseconds per task and per step,
 * at 7 arms, measured with
 *
 *   segue simulate --models models/paper.csv --policy P --steps N --tasks 100 --timing --threads 1
 *
 * for N = 100 and 5,000.  Only ratios matter: the speed of the machine shows as the work goes on.
 * Only the progress display depends on it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/cost.h"

#include <math.h>
#include <string.h>

#include "segue/internal.h"

#define TABLE_ARMS 7.0

typedef struct cost {
    const char *name;
    double task, step;
} cost;

static const cost costs[] = {
    {"ucb", 1200, 1.8},        {"ucb+", 1300, 1.5},     {"mucb", 600, 1.2},
    {"umucb", 1100, 1.0},      {"mts", 1000, 11},       {"mla", 240000, 170},
    {"ts", 16000, 97},         {"la", 73000, 250},      {"kl-ucb", 0, 600},
    {"tucb", 25000, 3.5},      {"tts", 190000, 60},     {"tla", 365000, 350},
    {"auto", 365000, 350},     {"ts-prior", 35000, 65}, {"imed", 0, 500},
    {"exp3", 0, 350},          {"bayes-ucb", 0, 12000}, {"v-ids", 190000, 47000},
    {"hier-ts", 300000, 2600}, {"dp-ts", 1000000, 120}, {"club", 120000, 320},
};
static const cost plain = {"", 1000, 55}; /* policies without a kernel */

#define N_COSTS (sizeof costs / sizeof *costs)
_Static_assert(N_COSTS < SEGUE_COST_CLASSES, "each line of the table is a class");

size_t segue_cost_class(const segue_simulation *sim)
{
    const char *name = sim->learner ? sim->learner->method : sim->policy.policy->name;
    size_t i = 0;
    while (i < N_COSTS && strcmp(costs[i].name, name) != 0)
        i++;
    return i;
}

/* Return the share of tasks after which tucb fits its models: every `every`-th, until `freeze`. */
static double share_of_fits(const segue_simulation *sim)
{
    const double every = sim->learner ? segue_learner_config_get(sim->learner, "every") : NAN;
    const double freeze = sim->learner ? segue_learner_config_get(sim->learner, "freeze") : NAN;
    const double until = freeze > 0.0 && freeze < (double)sim->tasks ? freeze : (double)sim->tasks;
    return sim->tasks ? until / (double)sim->tasks / (every > 1.0 ? every : 1.0) : 1.0;
}

double segue_cost_run(const segue_simulation *sim, double tasks)
{
    const size_t class = segue_cost_class(sim);
    const cost *c = class < N_COSTS ? &costs[class] : &plain;
    const double arms = (double)segue_environment_arms(sim->environment);
    const double task = c->task * (0.1 + 0.9 * share_of_fits(sim)); /* a task without its fit */
    return tasks * (task + c->step * (double)sim->steps) * arms / TABLE_ARMS;
}

double segue_cost_tasks(const segue_simulation *sim)
{
    return sim->tasks ? (double)sim->tasks : (double)segue_runner_runs(sim) / (double)sim->runs;
}
