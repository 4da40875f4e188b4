/* simulate_print.c - print the results of `segue simulate` as table, CSV and JSON.
 *
 * One description of columns gives all three.  In the table and in JSON a row is a policy; in CSV
 * each policy has one row over all models, then one per model.
 *
 * simulate.c calls it through cli_simulate_printers after all policies have been played, and
 * cli_simulate_write_curve for --curve. Functions get_* give one cell each; `index` selects among
 * several columns of one function.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "cli/columns.h"
#include "cli/commands/simulate/simulate.h"
#include "io/json_build.h"

/* The rows of a table: those of a policy are adjacent. */
typedef struct rows {
    const cli_simulate *s;
    size_t per_policy; /* 1, or 1 + models */
} rows;

/* Without --tasks each run has a single task. */
static uint64_t tasks_of(const cli_simulate *s)
{
    return s->set.tasks ? s->set.tasks : 1;
}

/* Return the number of models that the output distinguishes; 0 if tasks have none. */
static size_t models_of(const cli_simulate *s)
{
    return segue_environment_has_models(&s->env) ? segue_environment_models(&s->env) : 0;
}

/* Without --tasks each run plays every model once. */
static double steps_per_second(const cli_simulate *s, size_t policy)
{
    const bool single = !s->set.tasks;
    const double runs = (double)s->set.runs * (single && models_of(s) ? (double)models_of(s) : 1);
    return runs * (double)tasks_of(s) * (double)s->set.steps / s->seconds[policy];
}

/* ---- columns ----------------------------------------------------------------------------- */

static const cli_simulate *simulate_of(const void *data)
{
    return ((const rows *)data)->s;
}

static size_t policy_of(const void *data, size_t row)
{
    return row / ((const rows *)data)->per_policy;
}

/* Return the model of a row, from 1; 0: over all models. */
static size_t model_of(const void *data, size_t row)
{
    return row % ((const rows *)data)->per_policy;
}

static const segue_simulation_result *result_of(const void *data, size_t row)
{
    return simulate_of(data)->result[policy_of(data, row)];
}

static bool has_timing(const void *data)
{
    return simulate_of(data)->set.timing;
}

static cli_value get_policy(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_text(simulate_of(data)->policies.text[policy_of(data, row)]);
}

static cli_value get_model(const void *data, size_t row, size_t index)
{
    (void)index;
    const size_t model = model_of(data, row);
    return model ? cli_value_integer(model) : cli_value_missing();
}

/* Give steps, tasks or runs, which are the same in every row. */
static cli_value get_setting(const void *data, size_t row, size_t index)
{
    const cli_simulate *s = simulate_of(data);
    const uint64_t settings[] = {s->set.steps, tasks_of(s), s->set.runs};
    (void)row;
    return cli_value_integer(settings[index]);
}

/* Give the mean or its standard error. */
static cli_value get_regret(const void *data, size_t row, size_t index)
{
    const size_t model = model_of(data, row);
    const segue_simulation_result *result = result_of(data, row);
    const segue_regret *regret = model ? &result->by_model[model - 1] : &result->regret;
    return cli_value_number(index ? regret->se : regret->mean);
}

/* JSON has the models of a policy as a list; CSV has them as rows. */
static cli_value get_by_model(const void *data, size_t row, size_t index)
{
    const segue_simulation_result *result = result_of(data, row);
    json_t *list = json_array();
    (void)index;
    for (size_t k = 0; k < models_of(simulate_of(data)); k++) {
        const cli_field fields[] = {{"model", cli_value_integer(k + 1)},
                                    {"mean", cli_value_number(result->by_model[k].mean)},
                                    {"se", cli_value_number(result->by_model[k].se)}};
        list = segue_json_append(list, CLI_OBJECT(fields));
    }
    return cli_value_json(list);
}

/* Steps per task at which no model agreed with the rewards. */
static cli_value get_no_model_left(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_number(result_of(data, row)->no_model_left);
}

/* Give a number that only learners have. */
static cli_value get_of_learner(const void *data, size_t row, size_t index)
{
    const segue_simulation_result *result = result_of(data, row);
    const double numbers[] = {result->violations, result->skipped, result->n_types,
                              result->no_type};
    if (!segue_policy_list_is_learner(&simulate_of(data)->policies, policy_of(data, row)))
        return cli_value_absent();
    return cli_value_number(numbers[index]);
}

/* Index 1 is CSV, with microseconds. */
static cli_value get_seconds(const void *data, size_t row, size_t index)
{
    const double seconds = simulate_of(data)->seconds[policy_of(data, row)];
    return index ? cli_value_format("%.6f", seconds) : cli_value_number(seconds);
}

/* Index 0 is JSON, 1 CSV, 2 the table: one number, three precisions. */
static cli_value get_speed(const void *data, size_t row, size_t index)
{
    const double speed = steps_per_second(simulate_of(data), policy_of(data, row));
    return index == 0   ? cli_value_number(speed)
           : index == 1 ? cli_value_format("%.0f", speed)
                        : cli_value_format("%.2e", speed);
}

static size_t count_models(const void *data)
{
    return models_of(simulate_of(data));
}

static cli_value get_model_regret(const void *data, size_t row, size_t index)
{
    return cli_value_number(result_of(data, row)->by_model[index].mean);
}

static const cli_column columns[] = {
    {"policy", "policy", "policy", .get = get_policy, .digits = 24},
    {"model", NULL, NULL, .get = get_model},
    {"steps", "steps", NULL, .get = get_setting, .index = 0},
    {"tasks", "tasks", NULL, .get = get_setting, .index = 1},
    {"runs", "runs", NULL, .get = get_setting, .index = 2},
    {"mean", "regret.mean", "regret", .get = get_regret, .digits = 2, .index = 0},
    {"se", "regret.se", "s.e.", .get = get_regret, .digits = 2, .index = 1},
    {NULL, "by_model", NULL, .get = get_by_model},
    {NULL, "no_model_left", NULL, .get = get_no_model_left},
    {NULL, "violations", NULL, .get = get_of_learner, .index = 0},
    {NULL, "skipped", NULL, .get = get_of_learner, .index = 1},
    {NULL, "types", NULL, .get = get_of_learner, .index = 2},
    {NULL, "no_type", NULL, .get = get_of_learner, .index = 3},
    {"seconds", NULL, NULL, .get = get_seconds, .index = 1, .is_shown = has_timing},
    {NULL, "seconds", "seconds", .get = get_seconds, .digits = 2, .is_shown = has_timing},
    {"steps_per_second", NULL, NULL, .get = get_speed, .index = 1, .is_shown = has_timing},
    {NULL, "steps_per_second", NULL, .get = get_speed, .index = 0, .is_shown = has_timing},
    {NULL, NULL, "steps/s", .get = get_speed, .index = 2, .is_shown = has_timing},
    {NULL, NULL, NULL, .get = get_model_regret, .digits = 2, .repeat = count_models,
     .title = cli_columns_model_title},
};

/* ---- CSV and JSON ------------------------------------------------------------------------ */

/* Models are rows here: a row without a model is the average over all. */
static void print_csv(const void *data, FILE *out)
{
    const cli_simulate *s = data;
    const rows with_models = {s, 1 + models_of(s)};
    const cli_columns table =
        CLI_COLUMNS(columns, &with_models, s->policies.count * with_models.per_policy);
    cli_columns_print_csv(&table, out);
}

/* The object `log` exists only with --log. */
static json_t *make_json(const void *data)
{
    const cli_simulate *s = data;
    const rows per_policy = {s, 1};
    const cli_columns results = CLI_COLUMNS(columns, &per_policy, s->policies.count);
    const cli_value absent = cli_value_absent();
    const cli_field fields[] = {
        {"seed", cli_value_integer(s->set.seed)},
        {"arms", cli_value_integer(segue_environment_arms(&s->env))},
        {"models", cli_value_integer(s->env.models ? s->env.models->n_models : 0)},
        {"results", cli_value_json(cli_columns_list(&results))},
        {"log.tasks", s->samples ? cli_value_integer(s->samples->n_tasks) : absent},
        {"log.skipped", s->samples ? cli_value_integer(s->samples->n_skipped) : absent},
    };
    return CLI_OBJECT(fields);
}

/* ---- the table --------------------------------------------------------------------------- */

/* State the size of the experiment, and the tasks of a log that were skipped. */
static void print_caption(const cli_simulate *s, FILE *out)
{
    fprintf(out, "Regret per task of %" PRIu64 " steps, %zu arms, ", s->set.steps,
            segue_environment_arms(&s->env));
    if (s->set.tasks)
        fprintf(out, "%" PRIu64 " runs of %" PRIu64 " tasks", s->set.runs, s->set.tasks);
    else
        fprintf(out, "%" PRIu64 " runs%s", s->set.runs, models_of(s) ? " of each model" : "");
    fprintf(out, ", seed %" PRIu64 "\n", s->set.seed);
    if (s->samples)
        fprintf(out,
                "%zu logged tasks; %zu more skipped: fewer than %" PRIu64 " rewards of some arm\n",
                s->samples->n_tasks, s->samples->n_skipped,
                s->set.min_rewards ? s->set.min_rewards : 1);
    fputc('\n', out);
}

/* True for a method that chooses another one. */
static bool is_auto(const cli_simulate *s, size_t policy)
{
    return segue_policy_list_is_learner(&s->policies, policy) &&
           segue_learner_method_find(s->policies.text[policy])->chooses;
}

/* Print what a number alone would hide: types found, tasks far from all models, models all ruled
 * out. */
static void print_remarks(const cli_simulate *s, FILE *out)
{
    for (size_t i = 0; i < s->policies.count; i++)
        if (s->result[i]->n_types > 0.0)
            fprintf(out, "\n%s: %s%.3g types found, and %.2g %% of tasks fit no type\n",
                    s->policies.text[i],
                    is_auto(s, i) ? "plays as tla, since the steps are known; " : "",
                    s->result[i]->n_types, 100.0 * s->result[i]->no_type);
    for (size_t i = 0; i < s->policies.count; i++)
        if (s->result[i]->violations > 0.0)
            fprintf(out, "\n%s: no estimated model was near to %.3g of %" PRIu64 " tasks per run\n",
                    s->policies.text[i], s->result[i]->violations, tasks_of(s));
    for (size_t i = 0; i < s->policies.count; i++)
        if (s->result[i]->no_model_left > 0.0)
            fprintf(out,
                    "\n%s: no model agreed with the rewards at %.3g of %" PRIu64
                    " steps per task\n",
                    s->policies.text[i], s->result[i]->no_model_left, s->set.steps);
}

static segue_status print_table(const void *data, FILE *out, segue_error *err)
{
    const cli_simulate *s = data;
    const rows per_policy = {s, 1};
    const cli_columns table = CLI_COLUMNS(columns, &per_policy, s->policies.count);
    size_t n_omitted = 0;
    print_caption(s, out);
    const segue_status status = cli_columns_print_table(&table, CLI_FIT_DROP_REPEATED, &n_omitted,
                                                        out, cli_output_bold(s->set.out), err);
    if (n_omitted > 0)
        fputs("\n(--format csv also prints the regret by model)\n", out);
    print_remarks(s, out);
    return status;
}

const cli_printers cli_simulate_printers = {
    .table = print_table, .csv = print_csv, .json = make_json};

/* ---- the curve: one row per policy and task ----------------------------------------------- */

/* Find the result and the task, from 0, of a row; all policies have played as many tasks. */
static const segue_simulation_result *curve_result(const cli_simulate *s, size_t row,
                                                   uint64_t *task)
{
    *task = row % s->result[0]->n_tasks;
    return s->result[row / s->result[0]->n_tasks];
}

static cli_value get_curve_policy(const void *data, size_t row, size_t index)
{
    const cli_simulate *s = data;
    (void)index;
    return cli_value_text(s->policies.text[row / s->result[0]->n_tasks]);
}

/* Tasks count from 1, and after --load from where the learner was saved. */
static cli_value get_curve_task(const void *data, size_t row, size_t index)
{
    uint64_t task;
    const segue_simulation_result *result = curve_result(data, row, &task);
    (void)index;
    return cli_value_integer(result->first_task + task + 1);
}

/* Give the mean over runs, or its standard error. */
static cli_value get_curve_regret(const void *data, size_t row, size_t index)
{
    uint64_t task;
    const segue_simulation_result *result = curve_result(data, row, &task);
    return cli_value_number(index ? result->curve[task].se : result->curve[task].mean);
}

static const cli_column curve_columns[] = {
    {"policy", NULL, NULL, .get = get_curve_policy},
    {"task", NULL, NULL, .get = get_curve_task},
    {"mean", NULL, NULL, .get = get_curve_regret, .index = 0},
    {"se", NULL, NULL, .get = get_curve_regret, .index = 1},
};

segue_status cli_simulate_write_curve(const cli_simulate *s, segue_error *err)
{
    const cli_columns curve =
        CLI_COLUMNS(curve_columns, s, s->policies.count * s->result[0]->n_tasks);
    return cli_columns_write_csv(&curve, s->set.curve, err);
}
