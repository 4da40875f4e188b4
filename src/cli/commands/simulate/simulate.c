/* simulate.c - `segue simulate`: play policies and learners in a simulated environment.
 *
 * init reads the options, the environment and the policies, and checks every simulation before the
 * first is played: a mistake in the last policy costs no time.  Policies are played one after the
 * other, each over all threads.  Nothing is written before all have been played.
 *
 * The struct cli_simulate (simulate.h) has the options, the inputs and the results; run owns it.
 * simulate_print.c prints it, explain.c writes the reasons of --explain. With --save or --load the
 * learner outlives the simulation: it is created here, and the simulation continues it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/commands/simulate/explain.h"
#include "cli/commands/simulate/simulate.h"
#include "cli/log/log_tally.h"
#include "cli/progress.h"
#include "io/log/samples_file.h"
#include "segue/internal.h"

#define FIELD(name) .offset = offsetof(cli_simulate_settings, name)

static const cli_option options[] = {
    {"models", 'm', CLI_TEXT, FIELD(models), "FILE", "the model set, CSV ('-': standard input)", 0,
     0},
    {"policy", 'p', CLI_TEXT, FIELD(policy), "LIST",
     "policies (default ucb,ucb+,mucb,ts; or ucb,ts)", 0, 0},
    {"steps", 'n', CLI_INTEGER, FIELD(steps), "N", "steps per task (default 5000)", 1,
     (double)SEGUE_MAX_HORIZON},
    {"runs", 'r', CLI_INTEGER, FIELD(runs), "R", "runs, per model unless --tasks (default 200)", 1,
     (double)SEGUE_MAX_RUNS},
    {"tasks", 'j', CLI_INTEGER, FIELD(tasks), "J",
     "tasks per run, drawn by the weights; for learners", 1, (double)SEGUE_MAX_TASKS},
    {"seed", 's', CLI_INTEGER, FIELD(seed), "S", "seed of all random streams (default 1)", 0,
     9007199254740992.0},
    {"threads", 't', CLI_INTEGER, FIELD(threads), "T", "threads (default: one per CPU)", 1,
     SEGUE_MAX_THREADS},
    {"rewards", 0, CLI_TEXT, FIELD(rewards), "LAW",
     "reward law: bernoulli (default), beta:P, normal:SD ...", 0, 0},
    {"spread", 0, CLI_NUMBER, FIELD(spread), "K", "a task's means are Beta(K) around its model's",
     1e-6, 1e9},
    {"mixed", 0, CLI_NUMBER, FIELD(mixed), "A", "a task's means mix the models' by Dirichlet(A)",
     1e-6, 1e9},
    {"uniform", 0, CLI_INTEGER, FIELD(uniform), "K",
     "instead of --models: K uniform means, new per task", SEGUE_MIN_ARMS, SEGUE_MAX_ARMS},
    {"log", 0, CLI_TEXT, FIELD(log), "FILE", "instead of --models: tasks and rewards of a log", 0,
     0},
    {"least", 0, CLI_INTEGER, FIELD(min_rewards), "N",
     "of a log: tasks with N rewards per arm (default 1)", 1, (double)SEGUE_MAX_MIN_REWARDS},
    {"order", 0, CLI_TEXT, FIELD(order), "ORDER", "of a log: shuffle (default) or file", 0, 0},
    CLI_LOG_OPTIONS(cli_simulate_settings, columns),
    {"switch-at", 0, CLI_INTEGER, FIELD(switch_at), "T",
     "first task that is drawn from --switch-to", 1, (double)SEGUE_MAX_TASKS},
    {"switch-to", 0, CLI_TEXT, FIELD(switch_to), "FILE",
     "model set of the tasks from --switch-at on", 0, 0},
    {"costs", 0, CLI_TEXT, FIELD(costs), "LIST", "cost of a pull of each arm, such as 0.1,0,0", 0,
     0},
    {"switch-cost", 0, CLI_NUMBER, FIELD(switch_cost), "C",
     "cost of a pull of another arm than the last", 0, 1e6},
    {"ignore-costs", 0, CLI_FLAG, FIELD(ignore_costs), NULL,
     "decide without costs; the regret counts them", 0, 0},
    {"curve", 0, CLI_TEXT, FIELD(curve), "FILE", "also write the regret of each task, CSV", 0, 0},
    {"explain", 0, CLI_TEXT, FIELD(explain), "FILE",
     "tla, tts: also write the reason of each pull, JSON", 0, 0},
    {"save", 0, CLI_TEXT, FIELD(save), "FILE", "save the learner (one, one run) at the end", 0, 0},
    {"load", 0, CLI_TEXT, FIELD(load), "FILE", "continue with a saved learner", 0, 0},
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT", "table (default), csv or json", 0, 0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FILE", "write to FILE (default '-': standard output)", 0,
     0},
    {"kernel", 0, CLI_TEXT, FIELD(kernel), "FORM", "fast (default), or plain: the reference form",
     0, 0},
    {"timing", 0, CLI_FLAG, FIELD(timing), NULL, "also print seconds and steps per second", 0, 0},
    {"quiet", 'q', CLI_FLAG, FIELD(quiet), NULL, "no progress bar", 0, 0},
};

/* ---- checks ------------------------------------------------------------------------------ */

/* A learner may be saved to the file that it was loaded from; no other file is read and written. */
static segue_status check_paths(const cli_simulate_settings *set, segue_error *err)
{
    const char *load = segue_path_is_same_file(set->save, set->load) ? NULL : set->load;
    const cli_path paths[] = {{"out", set->out},   {"curve", set->curve},
                              {"save", set->save}, {"explain", set->explain},
                              {"load", load},      {"models", set->models},
                              {"log", set->log},   {"switch-to", set->switch_to}};
    return cli_output_check_paths(paths, 4, sizeof paths / sizeof *paths, err);
}

/* Check that tasks have one source, and that each option fits it. */
static segue_status check_source(const cli_simulate_settings *set, segue_error *err)
{
    const char *given = cli_log_options_given(&set->columns);
    if (!set->models && !set->uniform && !set->log)
        return segue_fail(err, SEGUE_EUSAGE,
                          "give --models FILE (or --uniform K, or --log FILE); see 'segue help "
                          "simulate'");
    if (set->models && set->uniform)
        return segue_fail(err, SEGUE_EUSAGE, "--models and --uniform exclude each other");
    if (set->log && (set->models || set->uniform))
        return segue_fail(err, SEGUE_EUSAGE, "--log and --%s exclude each other",
                          set->models ? "models" : "uniform");
    if (!set->log && (set->min_rewards || set->order || given))
        return segue_fail(err, SEGUE_EUSAGE, "--%s needs --log FILE",
                          set->min_rewards ? "least"
                          : set->order     ? "order"
                                           : given);
    if (set->log && set->rewards)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--rewards cannot be used with --log, whose rewards are drawn from the "
                          "log; remove one");
    return SEGUE_OK;
}

/* After --load tasks are numbered on, so that --switch-at may be above --tasks. */
static segue_status check_settings(const cli_simulate_settings *set, segue_error *err)
{
    if (set->curve && !set->tasks)
        return segue_fail(err, SEGUE_EUSAGE, "--curve is over tasks; need --tasks J");
    if (set->switch_at && !set->tasks)
        return segue_fail(err, SEGUE_EUSAGE, "--switch-at needs --tasks J");
    if (set->switch_at && !set->load && set->switch_at > set->tasks)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--switch-at %" PRIu64 " is after the last of %" PRIu64
                          " tasks; need a task from 1 to %" PRIu64,
                          set->switch_at, set->tasks, set->tasks);
    SEGUE_TRY(check_source(set, err));
    return check_paths(set, err);
}

/* Without --kernel the fast form is used. */
static segue_status parse_kernel(const char *text, segue_kernels *out, segue_error *err)
{
    const bool plain = text && strcmp(text, "plain") == 0;
    if (text && !plain && strcmp(text, "fast") != 0)
        return segue_fail(err, SEGUE_ENAME, "--kernel: there is no '%.40s'; need fast or plain",
                          text);
    *out = plain ? SEGUE_KERNEL_PLAIN : SEGUE_KERNEL_FAST;
    return SEGUE_OK;
}

/* Learners learn across tasks: without --tasks there is nothing to learn from. */
static segue_status check_learners(const cli_simulate *s, segue_error *err)
{
    for (size_t i = 0; i < s->policies.count && !s->set.tasks; i++)
        if (segue_policy_list_is_learner(&s->policies, i))
            return segue_fail(err, SEGUE_EUSAGE,
                              "'%.60s' learns across tasks: add --tasks N, for example --tasks 200",
                              s->policies.text[i]);
    return SEGUE_OK;
}

/* ---- the environment --------------------------------------------------------------------- */

/* An error of --order names the option, which the library does not know. */
static segue_status read_order(cli_simulate *s, segue_error *err)
{
    segue_error why = {.status = SEGUE_OK};
    if (!s->set.order)
        return SEGUE_OK;
    if (segue_environment_parse_order(&s->env.order, s->set.order, &why) != SEGUE_OK)
        return segue_fail(err, why.status, "--order: %s", why.message);
    return s->env.order == SEGUE_ORDER_FILE
               ? cli_log_tally_check_order(s->set.log, s->set.order, "--order shuffle", err)
               : SEGUE_OK;
}

/* A pull draws one of the rewards of a task and arm, so their order in the log does not matter. */
static segue_status read_log(cli_simulate *s, segue_error *err)
{
    const cli_simulate_settings *set = &s->set;
    log_read_options reading;
    segue_history history;
    SEGUE_TRY(cli_log_options_parse(&set->columns, &reading, err));
    SEGUE_TRY(read_order(s, err));
    SEGUE_TRY(
        cli_log_tally_read_history(&history, set->log, &set->columns, &reading, set->seed, err));
    cli_log_tally_report(set->log, &history);
    const segue_status status = segue_samples_file_group(
        &s->samples, set->log, &history, set->min_rewards ? set->min_rewards : 1, err);
    segue_history_fini(&history);
    s->env.samples = s->samples;
    return status;
}

/* The environment borrows models and samples, which `s` owns. */
static segue_status read_environment(cli_simulate *s, segue_error *err)
{
    const cli_simulate_settings *set = &s->set;
    if (set->models)
        SEGUE_TRY(segue_models_file_read(&s->models, set->models, SEGUE_MODELS_KNOWN, err));
    if (set->switch_to)
        SEGUE_TRY(segue_models_file_read(&s->switch_to, set->switch_to, SEGUE_MODELS_KNOWN, err));
    if (set->log)
        SEGUE_TRY(read_log(s, err));
    if (set->rewards)
        SEGUE_TRY(segue_rewards_parse(&s->env.rewards, set->rewards, err));
    s->env.size = sizeof s->env;
    s->env.models = s->models.models;
    s->env.uniform_arms = set->uniform;
    s->env.spread = set->spread;
    s->env.mixed = set->mixed;
    s->env.switch_at = set->switch_at;
    s->env.switch_to = s->switch_to.models;
    return SEGUE_OK;
}

/* ---- simulations ------------------------------------------------------------------------- */

/* Without `progress` the simulation is only for checks. */
static segue_simulation simulation_of(cli_simulate *s, size_t policy, cli_progress *progress)
{
    return (segue_simulation){
        .size = sizeof(segue_simulation),
        .environment = &s->env,
        .policy = s->policies.spec[policy],
        .learner = segue_policy_list_is_learner(&s->policies, policy) ? &s->policies.learner[policy]
                                                                      : NULL,
        .continued = s->learner,
        .steps = s->set.steps,
        .tasks = s->set.tasks,
        .runs = s->set.runs,
        .seed = s->set.seed,
        .threads = s->set.threads,
        .kernel = s->kernel,
        .want_curve = s->set.curve != NULL,
        .watch = s->set.explain ? cli_explain_step : NULL,
        .watch_context = &s->reasons,
        .progress = progress ? cli_progress_show : NULL,
        .progress_context = progress,
        .cost = s->cost,
        .switch_cost = s->set.switch_cost,
        .ignore_costs = s->set.ignore_costs,
    };
}

/* Load the saved learner.  Its file has its options; it must fit the environment and the seed. */
static segue_status load_learner(cli_simulate *s, segue_error *err)
{
    if (strchr(s->policies.text[0], ':'))
        return segue_fail(err, SEGUE_EUSAGE,
                          "with --load the options come from the file: give --policy %.*s",
                          (int)strcspn(s->policies.text[0], ":"), s->policies.text[0]);
    SEGUE_TRY(segue_learner_load(&s->learner, s->set.load, segue_environment_arms(&s->env), err));
    const uint64_t seed = segue_learner_get_config(s->learner)->seed;
    if (seed != s->set.seed)
        return segue_fail(err, SEGUE_EUSAGE,
                          "the saved learner's streams are of seed %" PRIu64
                          ": give --seed %" PRIu64,
                          seed, seed);
    return SEGUE_OK;
}

/* Create or load the one learner that --save or --load names. */
static segue_status prepare_learner(cli_simulate *s, segue_error *err)
{
    const cli_simulate_settings *set = &s->set;
    if (!set->save && !set->load)
        return SEGUE_OK;
    if (s->policies.count != 1 || !segue_policy_list_is_learner(&s->policies, 0) ||
        set->runs != 1 || !set->tasks)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--save and --load need one learner, --runs 1 and --tasks");
    if (set->load)
        return load_learner(s, err);
    const segue_simulation simulation = simulation_of(s, 0, NULL);
    const segue_learner_config config = segue_simulation_config_learner(&simulation, 0);
    return segue_learner_create(&s->learner, &config, err);
}

/* Reasons are gathered in memory and written with the results. */
static segue_status prepare_reasons(cli_simulate *s, segue_error *err)
{
    if (!s->set.explain)
        return SEGUE_OK;
    if (s->policies.count != 1 || !s->set.tasks)
        return segue_fail(err, SEGUE_EUSAGE, "--explain needs one learner, and --tasks");
    return segue_output_init(&s->reasons, err);
}

/* The library checks what depends on policy and environment together. */
static segue_status check_simulations(cli_simulate *s, segue_error *err)
{
    SEGUE_TRY(check_learners(s, err));
    for (size_t i = 0; i < s->policies.count; i++) {
        const segue_simulation simulation = simulation_of(s, i, NULL);
        SEGUE_TRY(segue_simulation_check(&simulation, err));
    }
    return SEGUE_OK;
}

/* All checks come before the first simulation. */
static segue_status init(cli_simulate *s, int argc, char **argv, segue_error *err)
{
    cli_simulate_settings *set = &s->set;
    *s = (cli_simulate){.set = {.format = "table", .steps = 5000, .runs = 200, .seed = 1}};
    set->threads = cli_options_default_threads();
    SEGUE_TRY(cli_options_parse(options, sizeof options / sizeof *options, argc, argv, set, err));
    set->out = cli_output_path(set->out);
    SEGUE_TRY(cli_output_parse_format(set->format, &s->format, err));
    SEGUE_TRY(parse_kernel(set->kernel, &s->kernel, err));
    SEGUE_TRY(check_settings(set, err));
    const char *usual = set->models ? "ucb,ucb+,mucb,ts" : "ucb,ts";
    SEGUE_TRY(segue_policy_list_parse(&s->policies, set->policy ? set->policy : usual, err));
    SEGUE_TRY(read_environment(s, err));
    SEGUE_TRY(cli_simulate_read_costs(s, err));
    SEGUE_TRY(prepare_learner(s, err));
    SEGUE_TRY(prepare_reasons(s, err));
    SEGUE_TRY(check_simulations(s, err));
    s->result = calloc(s->policies.count, sizeof *s->result);
    s->seconds = calloc(s->policies.count, sizeof *s->seconds);
    return s->result && s->seconds ? SEGUE_OK : segue_fail_no_memory(err, "the results");
}

/* Also for an `s` that init has filled in part. */
static void fini(cli_simulate *s)
{
    for (size_t i = 0; s->result && i < s->policies.count; i++)
        segue_simulation_result_destroy(s->result[i]);
    free(s->result);
    free(s->seconds);
    free(s->cost);
    segue_learner_destroy(s->learner);
    segue_output_fini(&s->reasons);
    segue_policy_list_fini(&s->policies);
    segue_models_file_fini(&s->models);
    segue_models_file_fini(&s->switch_to);
    segue_samples_destroy(s->samples);
}

/* Each policy has an equal share of the progress bar. */
static segue_status play(cli_simulate *s, segue_error *err)
{
    cli_progress progress;
    segue_status status = SEGUE_OK;
    const double share = 1.0 / (double)s->policies.count;
    cli_progress_init(&progress, s->set.quiet);
    for (size_t i = 0; i < s->policies.count && status == SEGUE_OK; i++) {
        const segue_simulation simulation = simulation_of(s, i, &progress);
        const double started = cli_progress_clock();
        cli_progress_part(&progress, s->policies.text[i], (double)i * share, share);
        status = segue_simulation_run(&s->result[i], &simulation, err);
        s->seconds[i] = cli_progress_clock() - started;
    }
    cli_progress_fini(&progress);
    return status;
}

/* Files come first: a closed pipe on the standard output then costs none of them. */
static segue_status write_results(cli_simulate *s, segue_error *err)
{
    if (s->set.save)
        SEGUE_TRY(segue_learner_save(s->learner, s->set.save, err));
    if (s->set.curve)
        SEGUE_TRY(cli_simulate_write_curve(s, err));
    if (s->set.explain)
        SEGUE_TRY(segue_output_write(&s->reasons, s->set.explain, err));
    return cli_output_print(&cli_simulate_printers, s, s->format, s->set.out, err);
}

/* The caller frees `s`, also after an error. */
static segue_status simulate(cli_simulate *s, int argc, char **argv, segue_error *err)
{
    SEGUE_TRY(init(s, argc, argv, err));
    SEGUE_TRY(play(s, err));
    return write_results(s, err);
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    cli_simulate s;
    const segue_status status = simulate(&s, argc, argv, err);
    fini(&s);
    return status;
}

const cli_command cli_command_simulate = {
    .name = "simulate",
    .summary = "play policies against a model set and print their regret",
    .usage = "simulate (--models FILE | --uniform K | --log FILE) [OPTIONS]",
    .details = "Without --tasks every policy plays single tasks, R per model, and the regret is\n"
               "averaged by the models' weights.  With --tasks each run has J tasks, one after\n"
               "the other; learners, and policies that carry state from task to task, need it.\n"
               "A learner does not see the models.  tucb receives their number, unless its\n"
               "options have another (tucb:models=7; without --models they must).  --load\n"
               "FILE starts with a saved learner and plays J more tasks; their numbers continue\n"
               "after the tasks that the learner has seen.  Its options are those of the file.\n\n"
               "With --explain every step of the last task of the first run is a line of JSON:\n"
               "arm, reward, the probability of each type, and of no type, before the pull, and\n"
               "its purpose: exploit, distinguish types, explore, or draw, where the random\n"
               "draw chose another arm.  The last line has the likeliest type of the task.\n"
               "Arms and types are counted from 1.\n\n"
               "Reward laws: beta:P has precision P; normal:SD is cut to [0,1] and moved so\n"
               "that the mean is right; twopoint:S pays 0 or S; grades:N pays the share of ones\n"
               "among N rewards of 0 or 1; zeros:S pays 0, or a Beta of mean S and precision 5;\n"
               "jackpot:B pays B or 1; lognormal:SIGMA has a heavy tail, cut at 1.\n\n"
               "Means: --spread K draws each from a Beta of concentration K; --mixed A draws\n"
               "shares of the models from a Dirichlet of total concentration A, centred on their\n"
               "weights.\n\n"
               "A log is CSV or JSON Lines with columns or keys task, arm and reward ('segue\n"
               "help logs').  A task is one of its tasks, and a pull draws one of that\n"
               "task's rewards of the arm, with replacement; their averages are the means.\n"
               "Tasks with fewer than N rewards of some arm are skipped.  A run plays no task\n"
               "twice: J is at most the number of the others.  Without --tasks, one per run.\n"
               "Regret is in shares of the range of --range.  A tally ('segue tally') is read in\n"
               "place of a log if its rewards are all the lowest or the highest of that range.\n\n"
               "Costs: with --costs and --switch-cost, in units of the rewards (of a log: of\n"
               "their range), decisions maximise reward minus cost, and regret is that of reward\n"
               "minus cost, against the arm that is best by it.  Rewards are learned without\n"
               "costs.  With --ignore-costs decisions are made as if there were none.\n\n"
               "The same seed gives the same bytes on any number of threads, and all policies of\n"
               "a run see the same rewards.  --kernel plain makes the same pulls, slower; the\n"
               "pulls of ts and tts differ and have the same distribution.\n"
               "'segue help policies' lists the policies.\n\n"
               "examples:\n"
               "  segue simulate --models models/paper.csv\n"
               "  segue simulate --models models/paper.csv --policy ucb:delta=0.01,mts\n"
               "  segue simulate --models models/paper.csv --policy tla --tasks 60 --steps 100 \\\n"
               "      --runs 1 --explain reasons.jsonl\n"
               "  segue simulate --models models/paper.csv --policy tucb,ucb --tasks 200\n"
               "  segue simulate --models models/paper.csv --policy ts,kl-ucb --steps 300 \\\n"
               "      --costs 0.1,0,0.3,0,0.2,0,0.05 --switch-cost 0.02\n"
               "  segue simulate --log log.csv --least 3 --tasks 500 --policy ts,tla --steps 50\n"
               "  segue simulate --uniform 10 --policy ts,kl-ucb --format csv --out regret.csv\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
