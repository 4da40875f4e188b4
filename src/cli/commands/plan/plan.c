/* plan.c - `segue plan`: from which task on transfer pays, and which experiment shows it.
 *
 * This file reads the options; plan_guess.c makes the types of a guess, plan_log.c
 * fits them to a log, src/plan simulates and concludes, plan_print.c prints.  All files that will be written are checked before anything is
 * simulated.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "cli/command.h"
#include "cli/commands/plan/plan.h"
#include "cli/progress.h"
#include "experiment/experiment.h"
#include "report/gnuplot.h"
#include "segue/internal.h"
#include "segue/simulation.h"

/* Defaults: the effort is at most about 20 CPU seconds. */
#define MIN_RUNS          20
#define MAX_RUNS          100
#define MIN_SIMULATED     100
#define DEFAULT_SIMULATED 500
#define MAX_COST          400.0 /* in runs of 500 tasks with 6 arms and 30 steps */

#define FIELD(name) .offset = offsetof(cli_plan_settings, name)

static const cli_option options[] = {
    {"types", 'k', CLI_INTEGER, FIELD(types), "M", "guess: types of tasks, equally frequent", 1,
     100},
    {"arms", 'a', CLI_INTEGER, FIELD(arms), "K", "guess: arms of a task", SEGUE_MIN_ARMS, 1000},
    {"steps", 'n', CLI_INTEGER, FIELD(steps), "N", "steps per task (of a log: its median)", 1,
     100000},
    {"effect", 'e', CLI_NUMBER, FIELD(effect), "E",
     "guess: a type's best arm minus its others, in reward", 0.0001, 1},
    {"base", 0, CLI_NUMBER, FIELD(base), "B", "guess: reward of the other arms (default 0.5)", 0,
     1},
    {"spread", 0, CLI_NUMBER, FIELD(spread), "K",
     "guess: tasks' means are Beta(K) around types (100)", 1e-6, 1e9},
    CLI_LOG_OPTIONS(cli_plan_settings, log),
    {"policy", 'p', CLI_TEXT, FIELD(policy), "NAME", "the learner (default tla)", 0, 0},
    {"tasks", 'j', CLI_INTEGER, FIELD(tasks), "J", "look for an answer up to J tasks (100000)", 10,
     SEGUE_MAX_PLAN_TASKS},
    {"simulated", 0, CLI_INTEGER, FIELD(simulated), "T",
     "tasks simulated in each run (default 500, or fewer)", 2, SEGUE_MAX_PLAN_SIMULATED},
    {"runs", 'r', CLI_INTEGER, FIELD(runs), "R",
     "runs (default 100, or fewer where tasks take long)", 2, SEGUE_MAX_PLAN_RUNS},
    {"value", 0, CLI_NUMBER, FIELD(value), "V", "value of one unit of reward", 1e-12, 1e15},
    {"tasks-per-day", 0, CLI_NUMBER, FIELD(tasks_per_day), "N", "tasks per day", 1e-6, 1e12},
    {"seed", 's', CLI_INTEGER, FIELD(seed), "S", "seed of all random streams (default 1)", 0,
     9007199254740992.0},
    {"threads", 't', CLI_INTEGER, FIELD(threads), "T", "threads (default: one per CPU)", 1,
     SEGUE_MAX_THREADS},
    {"html", 0, CLI_TEXT, FIELD(html), "FILE", "also write a page with a figure (needs gnuplot)", 0,
     0},
    {"figures", 0, CLI_TEXT, FIELD(figures), "FOLDER",
     "also write the figure of --html: SVG, PDF, data", 0, 0},
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT", "table (default), csv or json", 0, 0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FILE", "write to FILE (default '-': standard output)", 0,
     0},
    {"quiet", 'q', CLI_FLAG, FIELD(quiet), NULL, "no progress bar", 0, 0},
};

/* ---- options ----------------------------------------------------------------------------- */

/* gnuplot is needed only at the end; a missing one must fail now. */
static segue_status check_settings(const cli_plan *plan, segue_error *err)
{
    const cli_plan_settings *set = &plan->set;
    const cli_path paths[] = {{"out", set->out}, {"html", set->html}, {NULL, plan->path}};
    if (set->figures && !set->html)
        return segue_fail(err, SEGUE_EUSAGE, "--figures needs --html FILE");
    if (set->value > 0.0 && !(set->tasks_per_day > 0.0))
        return segue_fail(err, SEGUE_EUSAGE,
                          "--value needs --tasks-per-day: both give the gain per year");
    SEGUE_TRY(cli_output_check_paths(paths, 2, sizeof paths / sizeof *paths, err));
    if (set->html)
        SEGUE_TRY(segue_gnuplot_check(err));
    return set->figures ? segue_experiment_make_folder(set->figures, err) : SEGUE_OK;
}

/* Runs of 500 tasks with 6 arms and 30 steps take about 0.08 CPU seconds each. */
static double cost_of(const cli_plan *plan, double simulated)
{
    return (double)plan->population->n_arms * (double)plan->set.steps * simulated /
           (6.0 * 30.0 * DEFAULT_SIMULATED);
}

/* Fewer tasks where MIN_RUNS runs would take too long. */
static uint64_t default_simulated(const cli_plan *plan)
{
    const double affordable = MAX_COST / (MIN_RUNS * cost_of(plan, 1.0));
    return (uint64_t)fmax(MIN_SIMULATED, fmin(DEFAULT_SIMULATED, affordable));
}

/* A multiple of ten, the number of distributions that a log is asked for. */
static uint64_t default_runs(const cli_plan *plan, uint64_t simulated)
{
    const double affordable = floor(0.1 * MAX_COST / cost_of(plan, (double)simulated));
    return 10 * (uint64_t)fmax(0.1 * MIN_RUNS, fmin(0.1 * MAX_RUNS, affordable));
}

static void set_config(cli_plan *plan, cli_progress *progress)
{
    const cli_plan_settings *set = &plan->set;
    segue_plan_config *config = &plan->config;
    config->population = plan->population;
    config->n_populations = plan->n_populations;
    config->yearly = (segue_yearly){.value = set->value, .tasks_per_day = set->tasks_per_day};
    config->learner = set->policy;
    config->steps = set->steps;
    config->max_tasks = set->tasks;
    config->simulated = set->simulated ? set->simulated : default_simulated(plan);
    config->simulated = config->simulated < set->tasks ? config->simulated : set->tasks;
    config->runs = set->runs ? set->runs : default_runs(plan, config->simulated);
    config->seed = set->seed;
    config->threads = (size_t)set->threads;
    config->progress = cli_progress_show_time;
    config->context = progress;
}

static segue_status init(cli_plan *plan, int argc, char **argv, segue_error *err)
{
    *plan = (cli_plan){.set = {.effect = NAN,
                               .base = NAN,
                               .spread = NAN,
                               .policy = "tla",
                               .tasks = 100000,
                               .seed = 1,
                               .threads = cli_options_default_threads(),
                               .format = "table"}};
    SEGUE_TRY(cli_options_parse_operand(options, sizeof options / sizeof *options, argc, argv,
                                        &plan->set, &plan->path, err));
    plan->set.out = cli_output_path(plan->set.out);
    SEGUE_TRY(cli_output_parse_format(plan->set.format, &plan->format, err));
    SEGUE_TRY(check_settings(plan, err));
    return plan->path ? cli_plan_read_log(plan, err) : cli_plan_guess(plan, err);
}

/* ---- the command ------------------------------------------------------------------------- */

static segue_status compute(cli_plan *plan, segue_error *err)
{
    cli_progress progress;
    set_config(plan, &progress);
    cli_progress_init(&progress, plan->set.quiet);
    cli_progress_part(&progress, "plan", 0.0, 1.0);
    const segue_status status = segue_plan_compute(&plan->result, &plan->config, err);
    cli_progress_fini(&progress);
    return status;
}

/* Files come first: a closed pipe on the standard output then costs none of them. */
static segue_status plan_and_write(cli_plan *plan, int argc, char **argv, segue_error *err)
{
    SEGUE_TRY(init(plan, argc, argv, err));
    SEGUE_TRY(compute(plan, err));
    if (plan->set.html)
        SEGUE_TRY(cli_plan_write_page(plan, err));
    return cli_output_print(&cli_plan_printers, plan, plan->format, plan->set.out, err);
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    cli_plan plan;
    const segue_status status = plan_and_write(&plan, argc, argv, err);
    for (size_t i = 0; i < plan.n_populations; i++)
        segue_population_fini(&plan.population[i]);
    return status;
}

const cli_command cli_command_plan = {
    .name = "plan",
    .summary = "from which task on transfer pays, and which experiment shows it",
    .usage = "plan (--types M --arms K --steps N --effect E | LOG) [OPTIONS]",
    .details = "The tasks to come are simulated: from a guess, or from types that are fitted to\n"
               "a log ('segue help logs').  In a guess each type has a best arm of its own,\n"
               "whose mean reward is E above B, that of all its other arms.\n\n"
               "Four players meet the same tasks: ts and la, which transfer nothing; tla:cap=1,\n"
               "which learns a prior of each arm and no types; and the learner.  The table has\n"
               "the learner's gain in total reward over each, after 10, 20, 50 ... tasks.\n"
               "Transfer pays from the task on after which the total of the learner stays above\n"
               "that of the better one of ts and la.\n\n"
               "A service measures the effect of transfer by control tasks, which ts plays (the\n"
               "setting 'control' of a learner, 'segue help serve').  It has shown a gain once\n"
               "the lower end of its confidence sequence is above 0.  Power is the probability\n"
               "that this has happened by that task.  The recommended share of control\n"
               "tasks is the smallest one that needs at most twice as many tasks for 80 % power\n"
               "as the fastest one: fewer control tasks cost less reward, and take longer.\n\n"
               "T tasks per run are simulated.  Later ones are redrawn from the second half of\n"
               "these, as if nothing more were learned: such gains are a little too small.\n"
               "Intervals are 95 %, over runs.  Runs from a log have ten distributions of tasks\n"
               "that the log allows, so that intervals include what it does not tell; those from\n"
               "a guess do not include that the guess may be wrong.\n\n"
               "With --tasks-per-day the text has the days that the experiment takes, and\n"
               "with --value the gain over ts per year.\n\n"
               "The same seed gives the same bytes on any number of threads.\n\n"
               "examples:\n"
               "  segue plan --types 3 --arms 6 --steps 30 --effect 0.1\n"
               "  segue plan --types 4 --arms 10 --steps 50 --effect 0.2 --html plan.html\n"
               "  segue plan log.csv\n"
               "  segue plan --task user --arm variant --reward click --steps 20 visits.csv\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
