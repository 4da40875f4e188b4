/* simulate.c - `segue simulate`: play policies against a model set.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/commands/explain.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "io/json_build.h"
#include "io/log/samples_file.h"
#include "io/models_file.h"
#include "io/policy_list.h"
#include "segue/internal.h"
#include "segue/simulation.h"

typedef struct settings {
    const char *models, *policy, *curve, *switch_to, *rewards, *format, *out, *save, *load, *kernel;
    const char *log, *order, *explain;
    uint64_t steps, runs, tasks, seed, threads, uniform, switch_at, least;
    double spread, mixed, lowest, highest;
    bool timing, quiet;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)

static const cli_option options[] = {
    {"models", 'm', CLI_TEXT, FIELD(models), "FILE", "the model set, CSV ('-': standard input)", 0,
     0},
    {"policy", 'p', CLI_TEXT, FIELD(policy), "LIST",
     "policies (default ucb,ucb+,mucb,ts; or ucb,ts)", 0, 0},
    {"steps", 'n', CLI_INTEGER, FIELD(steps), "N", "steps a task (default 5000)", 1,
     (double)SEGUE_MAX_HORIZON},
    {"runs", 'r', CLI_INTEGER, FIELD(runs), "R", "runs, of each model unless --tasks (default 200)",
     1, (double)SEGUE_MAX_RUNS},
    {"tasks", 'j', CLI_INTEGER, FIELD(tasks), "J",
     "play runs of J tasks, drawn by the weights; learn", 1, (double)SEGUE_MAX_TASKS},
    {"seed", 's', CLI_INTEGER, FIELD(seed), "S", "seed of all random streams (default 1)", 0,
     9007199254740992.0},
    {"threads", 't', CLI_INTEGER, FIELD(threads), "T", "threads (default: one a processor)", 1,
     SEGUE_MAX_THREADS},
    {"rewards", 0, CLI_TEXT, FIELD(rewards), "LAW",
     "bernoulli (default), beta:P, normal:SD or twopoint:S", 0, 0},
    {"spread", 0, CLI_NUMBER, FIELD(spread), "K", "a task's means are Beta(K) around its model's",
     1e-6, 1e9},
    {"mixed", 0, CLI_NUMBER, FIELD(mixed), "A", "a task's means mix the models' by Dirichlet(A)",
     1e-6, 1e9},
    {"uniform", 0, CLI_INTEGER, FIELD(uniform), "K",
     "instead of --models: tasks of K fresh uniform means", SEGUE_MIN_ARMS, SEGUE_MAX_ARMS},
    {"log", 0, CLI_TEXT, FIELD(log), "FILE", "instead: tasks of a log; rewards drawn from theirs",
     0, 0},
    {"least", 0, CLI_INTEGER, FIELD(least), "N",
     "of a log: tasks with N rewards of each arm (default 1)", 1, (double)SEGUE_MAX_MIN_REWARDS},
    {"order", 0, CLI_TEXT, FIELD(order), "ORDER", "of a log: shuffle (default) or file", 0, 0},
    {"lowest", 0, CLI_NUMBER, FIELD(lowest), "X", "of a log: the least reward (default 0)", -1e15,
     1e15},
    {"highest", 0, CLI_NUMBER, FIELD(highest), "X", "and the largest (default 1)", -1e15, 1e15},
    {"switch-at", 0, CLI_INTEGER, FIELD(switch_at), "T",
     "the first task that comes from --switch-to", 1, (double)SEGUE_MAX_TASKS},
    {"switch-to", 0, CLI_TEXT, FIELD(switch_to), "FILE",
     "another model set, for the tasks from --switch-at on", 0, 0},
    {"curve", 0, CLI_TEXT, FIELD(curve), "FILE", "also write the regret of each task, CSV", 0, 0},
    {"explain", 0, CLI_TEXT, FIELD(explain), "FILE",
     "tla, tts: also write why each pull was made, JSON", 0, 0},
    {"save", 0, CLI_TEXT, FIELD(save), "FILE", "save the learner (one, one run) at the end", 0, 0},
    {"load", 0, CLI_TEXT, FIELD(load), "FILE", "go on with a saved learner, after its tasks", 0, 0},
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT", "table (default), csv or json", 0, 0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FILE", "write there, not to the standard output ('-')", 0,
     0},
    {"kernel", 0, CLI_TEXT, FIELD(kernel), "FORM",
     "fast (default) or plain: the same (ts, tts: in law)", 0, 0},
    {"timing", 0, CLI_FLAG, FIELD(timing), NULL, "also tell seconds and steps a second", 0, 0},
    {"quiet", 'q', CLI_FLAG, FIELD(quiet), NULL, "no progress bar", 0, 0},
};

/* All that a simulation needs and finds. */
typedef struct study {
    settings set;
    cli_format format;
    segue_kernels kernel;
    segue_models_file models, switch_to;
    segue_samples *samples;
    segue_environment env;
    segue_policy_list policies;
    segue_learner *player;            /* with --save or --load */
    segue_simulation_result **result; /* one a policy */
    double *seconds;                  /* likewise */
    segue_output reasons;             /* with --explain */
} study;

/* ---- before ------------------------------------------------------------------------------ */

/* A learner alone may go back to where it came from. */
static segue_status check_paths(const settings *set, segue_error *err)
{
    const char *load = segue_path_is_same_file(set->save, set->load) ? NULL : set->load;
    const cli_path paths[] = {{"out", set->out},   {"curve", set->curve},
                              {"save", set->save}, {"explain", set->explain},
                              {"load", load},      {"models", set->models},
                              {"log", set->log},   {"switch-to", set->switch_to}};
    return cli_output_check_paths(paths, 4, sizeof paths / sizeof *paths, err);
}

/* One source of tasks, and what goes with it. */
static segue_status check_source(const settings *set, segue_error *err)
{
    const bool ranged = set->lowest != 0.0 || set->highest != 1.0;
    if (!set->models && !set->uniform && !set->log)
        return segue_fail(err, SEGUE_EUSAGE,
                          "give --models FILE (or --uniform K, or --log FILE); 'segue help "
                          "simulate' tells more");
    if (set->models && set->uniform)
        return segue_fail(err, SEGUE_EUSAGE, "--models and --uniform exclude each other");
    if (set->log && (set->models || set->uniform))
        return segue_fail(err, SEGUE_EUSAGE, "--log and --%s exclude each other",
                          set->models ? "models" : "uniform");
    if (!set->log && (set->least || set->order || ranged))
        return segue_fail(err, SEGUE_EUSAGE, "--%s goes with --log",
                          set->least   ? "least"
                          : set->order ? "order"
                                       : "lowest and --highest");
    if (set->log && set->rewards)
        return segue_fail(err, SEGUE_EUSAGE, "--rewards: those of a log have no other law");
    return SEGUE_OK;
}

static segue_status check_settings(const settings *set, segue_error *err)
{
    if (set->curve && !set->tasks)
        return segue_fail(err, SEGUE_EUSAGE, "--curve is over tasks, and needs --tasks");
    if (set->switch_at && !set->tasks)
        return segue_fail(err, SEGUE_EUSAGE, "--switch-at needs --tasks");
    if (set->switch_at && !set->load && set->switch_at > set->tasks)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--switch-at %" PRIu64 " is behind the last of %" PRIu64 " tasks",
                          set->switch_at, set->tasks);
    const segue_status status = check_source(set, err);
    return status == SEGUE_OK ? check_paths(set, err) : status;
}

static segue_status parse_kernel(const char *text, segue_kernels *out, segue_error *err)
{
    const bool plain = text && strcmp(text, "plain") == 0;
    if (text && !plain && strcmp(text, "fast") != 0)
        return segue_fail(err, SEGUE_ENAME, "--kernel: there is no '%.40s'; need fast or plain",
                          text);
    *out = plain ? SEGUE_KERNEL_PLAIN : SEGUE_KERNEL_FAST;
    return SEGUE_OK;
}

static segue_status read_log(study *st, segue_error *err)
{
    const settings *set = &st->set;
    const segue_samples_options wanted = {
        .least = set->least ? set->least : 1, .lowest = set->lowest, .highest = set->highest};
    segue_error why = {.status = SEGUE_OK};
    if (set->order && segue_environment_parse_order(&st->env.order, set->order, &why) != SEGUE_OK)
        return segue_fail(err, why.status, "--order: %s", why.message);
    const segue_status status = segue_samples_file_read(&st->samples, set->log, &wanted, err);
    st->env.samples = st->samples;
    return status;
}

static segue_status read_environment(study *st, segue_error *err)
{
    const settings *set = &st->set;
    segue_status status = SEGUE_OK;
    if (set->models)
        status = segue_models_file_read(&st->models, set->models, SEGUE_MODELS_KNOWN, err);
    if (status == SEGUE_OK && set->switch_to)
        status = segue_models_file_read(&st->switch_to, set->switch_to, SEGUE_MODELS_KNOWN, err);
    if (status == SEGUE_OK && set->log)
        status = read_log(st, err);
    if (status == SEGUE_OK && set->rewards)
        status = segue_rewards_parse(&st->env.rewards, set->rewards, err);
    if (status != SEGUE_OK)
        return status;
    st->env.models = st->models.models;
    st->env.uniform_arms = set->uniform;
    st->env.spread = set->spread;
    st->env.mixed = set->mixed;
    st->env.switch_at = set->switch_at;
    st->env.switch_to = st->switch_to.models;
    return SEGUE_OK;
}

/* A saved learner has its options in its file, and must fit what it is to play. */
static segue_status load_player(study *st, segue_error *err)
{
    if (strchr(st->policies.text[0], ':'))
        return segue_fail(err, SEGUE_EUSAGE,
                          "with --load the options come from the file: give --policy %.*s",
                          (int)strcspn(st->policies.text[0], ":"), st->policies.text[0]);
    const segue_status status =
        segue_learner_load(&st->player, st->set.load, segue_environment_arms(&st->env), err);
    if (status != SEGUE_OK)
        return status;
    const segue_learner_config *config = segue_learner_settings(st->player);
    if (config->seed != st->set.seed)
        return segue_fail(err, SEGUE_EUSAGE,
                          "the saved learner's streams are of seed %" PRIu64
                          ": give --seed %" PRIu64,
                          config->seed, config->seed);
    return SEGUE_OK;
}

/* The one learner that is saved or loaded. */
static segue_status make_player(study *st, segue_error *err)
{
    const settings *set = &st->set;
    if (!set->save && !set->load)
        return SEGUE_OK;
    if (st->policies.count != 1 || !segue_policy_list_is_learner(&st->policies, 0) ||
        set->runs != 1 || !set->tasks)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--save and --load need one learner, --runs 1 and --tasks");
    if (set->load)
        return load_player(st, err);
    segue_learner_config config = st->policies.learner[0];
    config.n_arms = segue_environment_arms(&st->env);
    if (config.n_models == 0 && st->env.models) /* nobody said another number */
        config.n_models = st->env.models->n_models;
    config.horizon = set->steps;
    config.n_tasks = set->tasks;
    config.seed = set->seed;
    return segue_learner_create(&st->player, &config, err);
}

/* Single tasks teach a learner nothing. */
static segue_status check_learners(const study *st, segue_error *err)
{
    for (size_t i = 0; i < st->policies.count && !st->set.tasks; i++)
        if (segue_policy_list_is_learner(&st->policies, i))
            return segue_fail(err, SEGUE_EUSAGE,
                              "'%.60s' learns across tasks: add --tasks N, for example --tasks 200",
                              st->policies.text[i]);
    return SEGUE_OK;
}

/* Room for the reasons of the one learner that is watched. */
static segue_status make_reasons(study *st, segue_error *err)
{
    if (!st->set.explain)
        return SEGUE_OK;
    if (st->policies.count != 1 || !st->set.tasks)
        return segue_fail(err, SEGUE_EUSAGE, "--explain needs one learner, and --tasks");
    return segue_output_init(&st->reasons, err);
}

static segue_simulation simulation_of(study *st, size_t policy, cli_progress *progress)
{
    return (segue_simulation){
        .environment = &st->env,
        .policy = st->policies.spec[policy],
        .learner = segue_policy_list_is_learner(&st->policies, policy)
                       ? &st->policies.learner[policy]
                       : NULL,
        .continued = st->player,
        .steps = st->set.steps,
        .tasks = st->set.tasks,
        .runs = st->set.runs,
        .seed = st->set.seed,
        .threads = st->set.threads,
        .kernel = st->kernel,
        .want_curve = st->set.curve != NULL,
        .watch = st->set.explain ? cli_explain_step : NULL,
        .watch_context = &st->reasons,
        .progress = progress ? cli_progress_show : NULL,
        .progress_context = progress,
    };
}

static segue_status study_init(study *st, int argc, char **argv, segue_error *err)
{
    settings *set = &st->set;
    *st =
        (study){.set = {.format = "table", .steps = 5000, .runs = 200, .seed = 1, .highest = 1.0}};
    set->threads = cli_options_default_threads();
    segue_status status =
        cli_options_parse(options, sizeof options / sizeof *options, argc, argv, set, err);
    set->out = cli_output_path(set->out);
    if (status == SEGUE_OK)
        status = cli_output_parse_format(set->format, &st->format, err);
    if (status == SEGUE_OK)
        status = parse_kernel(set->kernel, &st->kernel, err);
    if (status == SEGUE_OK)
        status = check_settings(set, err);
    const char *usual = set->models ? "ucb,ucb+,mucb,ts" : "ucb,ts";
    if (status == SEGUE_OK)
        status = segue_policy_list_parse(&st->policies, set->policy ? set->policy : usual, err);
    if (status == SEGUE_OK)
        status = read_environment(st, err);
    if (status == SEGUE_OK)
        status = make_player(st, err);
    if (status == SEGUE_OK)
        status = make_reasons(st, err);
    if (status == SEGUE_OK)
        status = check_learners(st, err);
    for (size_t i = 0; i < st->policies.count && status == SEGUE_OK; i++) {
        const segue_simulation sim = simulation_of(st, i, NULL);
        status = segue_simulation_check(&sim, err);
    }
    if (status != SEGUE_OK)
        return status;
    st->result = calloc(st->policies.count, sizeof *st->result);
    st->seconds = calloc(st->policies.count, sizeof *st->seconds);
    if (!st->result || !st->seconds)
        return segue_fail_no_memory(err, "the results");
    return SEGUE_OK;
}

static void study_fini(study *st)
{
    for (size_t i = 0; st->result && i < st->policies.count; i++)
        segue_simulation_result_destroy(st->result[i]);
    free(st->result);
    free(st->seconds);
    segue_learner_destroy(st->player);
    segue_output_fini(&st->reasons);
    segue_policy_list_fini(&st->policies);
    segue_models_file_fini(&st->models);
    segue_models_file_fini(&st->switch_to);
    segue_samples_destroy(st->samples);
}

/* ---- meanwhile --------------------------------------------------------------------------- */

static segue_status play(study *st, segue_error *err)
{
    cli_progress progress;
    segue_status status = SEGUE_OK;
    const double share = 1.0 / (double)st->policies.count;
    cli_progress_init(&progress, st->set.quiet);
    for (size_t i = 0; i < st->policies.count && status == SEGUE_OK; i++) {
        const segue_simulation sim = simulation_of(st, i, &progress);
        const double started = cli_progress_clock();
        cli_progress_part(&progress, st->policies.text[i], (double)i * share, share);
        status = segue_simulation_run(&st->result[i], &sim, err);
        st->seconds[i] = cli_progress_clock() - started;
    }
    cli_progress_fini(&progress);
    return status;
}

/* ---- afterwards -------------------------------------------------------------------------- */

static uint64_t tasks_of(const study *st)
{
    return st->set.tasks ? st->set.tasks : 1;
}

/* Models to tell apart in the output; 0 if tasks have none. */
static size_t models_of(const study *st)
{
    return segue_environment_has_models(&st->env) ? segue_environment_models(&st->env) : 0;
}

static double steps_a_second(const study *st, size_t policy)
{
    const bool single = !st->set.tasks;
    const double runs =
        (double)st->set.runs * (single && models_of(st) ? (double)models_of(st) : 1);
    return runs * (double)tasks_of(st) * (double)st->set.steps / st->seconds[policy];
}

static void print_csv_row(const study *st, FILE *out, size_t policy, size_t model,
                          const segue_regret *regret)
{
    segue_output_csv_text(out, st->policies.text[policy]);
    fputc(',', out);
    if (model)
        fprintf(out, "%zu", model);
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", st->set.steps, tasks_of(st),
            st->set.runs);
    segue_output_csv_number(out, regret->mean);
    fputc(',', out);
    segue_output_csv_number(out, regret->se);
    if (st->set.timing)
        fprintf(out, ",%.6f,%.0f", st->seconds[policy], steps_a_second(st, policy));
    fputc('\n', out);
}

static void print_csv(const void *found, FILE *out)
{
    const study *st = found;
    fprintf(out, "policy,model,steps,tasks,runs,mean,se%s\n",
            st->set.timing ? ",seconds,steps_per_second" : "");
    for (size_t i = 0; i < st->policies.count; i++) {
        print_csv_row(st, out, i, 0, &st->result[i]->regret);
        for (size_t k = 0; k < models_of(st); k++)
            print_csv_row(st, out, i, k + 1, &st->result[i]->by_model[k]);
    }
}

static json_t *json_of(const study *st, size_t policy)
{
    const segue_simulation_result *result = st->result[policy];
    json_t *by_model = json_array();
    for (size_t k = 0; k < models_of(st); k++)
        by_model = segue_json_append(by_model,
                                     json_pack("{s:I, s:o, s:o}", "model", (json_int_t)k + 1,
                                               "mean", segue_json_number(result->by_model[k].mean),
                                               "se", segue_json_number(result->by_model[k].se)));
    json_t *entry = json_pack("{s:s, s:I, s:I, s:I, s:{s:o, s:o}, s:o, s:o}", "policy",
                              st->policies.text[policy], "steps", (json_int_t)st->set.steps,
                              "tasks", (json_int_t)tasks_of(st), "runs", (json_int_t)st->set.runs,
                              "regret", "mean", segue_json_number(result->regret.mean), "se",
                              segue_json_number(result->regret.se), "by_model", by_model,
                              "no_model_left", segue_json_number(result->no_model_left));
    if (segue_policy_list_is_learner(&st->policies, policy)) {
        entry = segue_json_set(entry, "violations", segue_json_number(result->violations));
        entry = segue_json_set(entry, "skipped", segue_json_number(result->excluded));
        entry = segue_json_set(entry, "types", segue_json_number(result->n_types));
        entry = segue_json_set(entry, "no_type", segue_json_number(result->no_type));
    }
    if (st->set.timing) {
        entry = segue_json_set(entry, "seconds", json_real(st->seconds[policy]));
        entry = segue_json_set(entry, "steps_per_second", json_real(steps_a_second(st, policy)));
    }
    return entry;
}

static json_t *make_json(const void *found)
{
    const study *st = found;
    json_t *results = json_array();
    for (size_t i = 0; i < st->policies.count; i++)
        results = segue_json_append(results, json_of(st, i));
    const size_t arms = segue_environment_arms(&st->env);
    const size_t known = st->env.models ? st->env.models->n_models : 0;
    json_t *all = json_pack("{s:I, s:I, s:I, s:o}", "seed", (json_int_t)st->set.seed, "arms",
                            (json_int_t)arms, "models", (json_int_t)known, "results", results);
    if (st->samples)
        all = segue_json_set(all, "log",
                             json_pack("{s:I, s:I}", "tasks", (json_int_t)st->samples->n_tasks,
                                       "skipped", (json_int_t)st->samples->n_excluded));
    return all;
}

static void fill_table(const study *st, cli_table *table)
{
    static const char *const headings[] = {"policy", "regret", "s.e.", "seconds", "steps/s"};
    const size_t fixed = st->set.timing ? 5 : 3;
    for (size_t c = 0; c < fixed; c++)
        cli_table_set(table, 0, c, "%s", headings[c]);
    for (size_t k = 0; k < models_of(st); k++)
        cli_table_set(table, 0, fixed + k, "model %zu", k + 1);
    for (size_t i = 0; i < st->policies.count; i++) {
        const segue_simulation_result *result = st->result[i];
        cli_table_name(table, i + 1, 0, st->policies.text[i], 24);
        cli_table_number(table, i + 1, 1, result->regret.mean, 2);
        cli_table_number(table, i + 1, 2, result->regret.se, 2);
        if (st->set.timing) {
            cli_table_number(table, i + 1, 3, st->seconds[i], 2);
            cli_table_set(table, i + 1, 4, "%.2e", steps_a_second(st, i));
        }
        for (size_t k = 0; k < models_of(st); k++)
            cli_table_number(table, i + 1, fixed + k, result->by_model[k].mean, 2);
    }
}

static void print_caption(const study *st, FILE *out)
{
    fprintf(out, "Regret per task of %" PRIu64 " steps, %zu arms, ", st->set.steps,
            segue_environment_arms(&st->env));
    if (st->set.tasks)
        fprintf(out, "%" PRIu64 " runs of %" PRIu64 " tasks", st->set.runs, st->set.tasks);
    else
        fprintf(out, "%" PRIu64 " runs%s", st->set.runs, models_of(st) ? " of each model" : "");
    fprintf(out, ", seed %" PRIu64 "\n", st->set.seed);
    if (st->samples)
        fprintf(out,
                "Of %zu logged tasks; %zu are left out, with fewer than %" PRIu64
                " rewards of some arm\n",
                st->samples->n_tasks, st->samples->n_excluded, st->set.least ? st->set.least : 1);
    fputc('\n', out);
}

static bool is_auto(const study *st, size_t policy)
{
    return segue_policy_list_is_learner(&st->policies, policy) &&
           segue_learner_method_find(st->policies.text[policy])->chooses;
}

static void print_remarks(const study *st, FILE *out, bool cut)
{
    if (cut)
        fputs("\n(--format csv also tells the regret by model)\n", out);
    for (size_t i = 0; i < st->policies.count; i++)
        if (st->result[i]->n_types > 0.0)
            fprintf(out, "\n%s: %s%.3g types found, and %.2g %% of tasks fit none of them\n",
                    st->policies.text[i], is_auto(st, i) ? "plays as tla, since n is known; " : "",
                    st->result[i]->n_types, 100.0 * st->result[i]->no_type);
    for (size_t i = 0; i < st->policies.count; i++)
        if (st->result[i]->violations > 0.0)
            fprintf(out, "\n%s: no estimated model was near to %.3g of %" PRIu64 " tasks a run\n",
                    st->policies.text[i], st->result[i]->violations, tasks_of(st));
    for (size_t i = 0; i < st->policies.count; i++)
        if (st->result[i]->no_model_left > 0.0)
            fprintf(out,
                    "\n%s: no model agreed with the rewards at %.3g of %" PRIu64 " steps a task\n",
                    st->policies.text[i], st->result[i]->no_model_left, st->set.steps);
}

static segue_status print_table(const void *found, FILE *out, segue_error *err)
{
    const study *st = found;
    const size_t fixed = st->set.timing ? 5 : 3;
    cli_table table;
    segue_status status =
        cli_table_init(&table, st->policies.count + 1, fixed + models_of(st), err);
    if (status != SEGUE_OK)
        return status;
    fill_table(st, &table);
    const bool cut = cli_table_width(&table, table.columns) > CLI_TERMINAL_WIDTH;
    print_caption(st, out);
    status = cli_table_print(&table, cut ? fixed : table.columns, out, cli_output_bold(st->set.out),
                             err);
    print_remarks(st, out, cut);
    cli_table_fini(&table);
    return status;
}

static segue_status write_curve(const study *st, segue_error *err)
{
    segue_output output;
    segue_status status = segue_output_init(&output, err);
    if (status != SEGUE_OK)
        return status;
    fputs("policy,task,mean,se\n", output.stream);
    for (size_t i = 0; i < st->policies.count; i++)
        for (uint64_t task = 0; task < st->result[i]->n_tasks; task++) {
            segue_output_csv_text(output.stream, st->policies.text[i]);
            fprintf(output.stream, ",%" PRIu64 ",", st->result[i]->first_task + task + 1);
            segue_output_csv_number(output.stream, st->result[i]->curve[task].mean);
            fputc(',', output.stream);
            segue_output_csv_number(output.stream, st->result[i]->curve[task].se);
            fputc('\n', output.stream);
        }
    status = cli_output_send(&output, st->set.curve, err);
    segue_output_fini(&output);
    return status;
}

static const cli_printers printers = {.table = print_table, .csv = print_csv, .json = make_json};

static segue_status run(int argc, char **argv, segue_error *err)
{
    study st;
    segue_status status = study_init(&st, argc, argv, err);
    if (status == SEGUE_OK)
        status = play(&st, err);
    if (status == SEGUE_OK && st.set.save)
        status = segue_learner_save(st.player, st.set.save, err);
    if (status == SEGUE_OK && st.set.curve)
        status = write_curve(&st, err);
    if (status == SEGUE_OK && st.set.explain)
        status = segue_output_write(&st.reasons, st.set.explain, err);
    if (status == SEGUE_OK)
        status = cli_output_print(&printers, &st, st.format, st.set.out, err);
    study_fini(&st);
    return status;
}

const cli_command cli_command_simulate = {
    .name = "simulate",
    .summary = "plays policies against a model set and tells their regret",
    .usage = "simulate (--models FILE | --uniform K | --log FILE) [OPTIONS]",
    .details = "Without --tasks every policy plays single tasks, R of each model, and the regret\n"
               "is averaged by the models' weights.  With --tasks a run is J tasks, one after\n"
               "the other; learners, and policies that carry state from task to task, need it.\n"
               "A learner does not see the models; tucb is told how many there are, unless it is\n"
               "told another number (tucb:models=7; without --models it must be).  --load\n"
               "goes on after the tasks that a saved learner has played: tasks are numbered on,\n"
               "and its options, J among them, stay those it was made with.\n\n"
               "With --explain every step of the last task of the first run is a line of JSON:\n"
               "arm, reward, how likely each type, and none of them, was before the pull, and\n"
               "what it was for: exploit, distinguish types, explore, or draw, where\n"
               "chance pulled another arm.  A last line tells what the task was taken for.\n"
               "Arms and types are counted from 1.\n\n"
               "Laws of rewards: beta:P has precision P; normal:SD is cut to [0,1] and moved so\n"
               "that the mean is right; twopoint:S pays 0 or S.  --spread K draws each mean from\n"
               "a Beta of concentration K; --mixed A draws shares of the models from a Dirichlet\n"
               "of total concentration A, centred on their weights.\n\n"
               "A log is CSV or JSON Lines with columns or keys task, arm and reward ('segue\n"
               "help logs').  A task is one of its tasks, and a pull draws one of that\n"
               "task's rewards of the arm, with replacement; their averages are the means.\n"
               "Tasks with fewer than N rewards of some arm are left out.  A run plays no task\n"
               "twice: J is at most the number of those left.  Without --tasks a run is any one.\n"
               "Regret is in shares of the range from --lowest to --highest.\n\n"
               "The same seed gives the same bytes on any number of threads, and all policies of\n"
               "a run see the same rewards.  --kernel plain makes the same pulls, slower; those\n"
               "of ts and tts are others, by the same law.  'segue help policies' lists the\n"
               "policies.\n\n"
               "examples:\n"
               "  segue simulate --models models/paper.csv\n"
               "  segue simulate --models models/paper.csv --policy ucb:delta=0.01,mts\n"
               "  segue simulate --models models/paper.csv --policy tla --tasks 60 --steps 100 \\\n"
               "      --runs 1 --explain reasons.jsonl\n"
               "  segue simulate --models models/paper.csv --policy tucb,ucb --tasks 200\n"
               "  segue simulate --log log.csv --least 3 --tasks 500 --policy ts,tla --steps 50\n"
               "  segue simulate --uniform 10 --policy ts,kl-ucb --format csv --out regret.csv\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
