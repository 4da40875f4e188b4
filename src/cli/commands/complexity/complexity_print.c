/* complexity_print.c - print the result of `segue complexity` as table, CSV and JSON.
 *
 * Row k of all tables is model k; the row after the last model holds the averages, by the models'
 * weights.  JSON has them in an object of their own.
 *
 * complexity.c calls it through cli_complexity_printers. Functions get_* give one cell each;
 * `index` selects among several columns of one function. The row of averages has no sets:
 * their columns are empty there, and JSON lists the models alone.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/commands/complexity/complexity.h"
#include "io/json_build.h"
#include "segue/internal.h"

#define LIST_WIDTH 9 /* a list of models or arms in a table is cut after this */

static bool has_estimates(const void *data)
{
    return ((const cli_complexity *)data)->set.estimated != NULL;
}

static const segue_models *models_of(const cli_complexity *c)
{
    return c->models.models;
}

static bool is_average(const cli_complexity *c, size_t row)
{
    return row == models_of(c)->n_models;
}

/* The row of averages has NULL for both sets. */
static const cli_complexity_row *row_of(const cli_complexity *c, size_t row)
{
    return is_average(c, row) ? &c->average : &c->rows[row];
}

/* ---- lists of models and arms ------------------------------------------------------------ */

/* List the numbers, from 1, of the true entries. */
static json_t *json_set(const bool *member, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        if (member[i])
            list = segue_json_append(list, json_integer((json_int_t)i + 1));
    return list;
}

/* "1 2 5": the same as text, cut where it is long; "-" if there is none. */
static cli_value text_set(const bool *member, size_t count)
{
    char text[64] = "";
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (!member[i])
            continue;
        if (used > LIST_WIDTH) {
            (void)snprintf(text + used, sizeof text - used, " ..");
            break;
        }
        (void)snprintf(text + used, sizeof text - used, "%s%zu", used ? " " : "", i + 1);
        used = strlen(text);
    }
    return cli_value_format("%s", *text ? text : "-");
}

/* `member` is a matrix, models x arms. */
/* List the sets in the rows of a table. */
static json_t *json_set_per_row(const bool *member, size_t n_rows, size_t count)
{
    json_t *list = json_array();
    for (size_t k = 0; k < n_rows; k++)
        list = segue_json_append(list, json_set(member + k * count, count));
    return list;
}

/* ---- columns of a known model ------------------------------------------------------------ */

static cli_value get_model(const void *data, size_t row, size_t index)
{
    (void)index;
    return is_average(data, row) ? cli_value_missing() : cli_value_integer(row + 1);
}

/* CSV has an empty cell where the table says "average". */
static cli_value get_model_title(const void *data, size_t row, size_t index)
{
    return is_average(data, row) ? cli_value_text("average") : get_model(data, row, index);
}

static cli_value get_best_arm(const void *data, size_t row, size_t index)
{
    (void)index;
    return is_average(data, row) ? cli_value_missing()
                                 : cli_value_integer(models_of(data)->best_arm[row] + 1);
}

static cli_value get_best_arm_name(const void *data, size_t row, size_t index)
{
    const cli_complexity *c = data;
    (void)index;
    return is_average(c, row) ? cli_value_missing()
                              : cli_value_text(c->models.arm_name[models_of(c)->best_arm[row]]);
}

static cli_value get_best_value(const void *data, size_t row, size_t index)
{
    (void)index;
    return is_average(data, row) ? cli_value_missing()
                                 : cli_value_number(segue_models_best_value(models_of(data), row));
}

/* The best arm has gap 0 and does not count. */
static cli_value get_smallest_gap(const void *data, size_t row, size_t index)
{
    (void)index;
    if (is_average(data, row))
        return cli_value_missing();
    const segue_known_sets *sets = row_of(data, row)->known;
    double smallest = INFINITY;
    for (size_t arm = 0; arm < sets->n_arms; arm++)
        if (sets->gap[arm] > 0.0)
            smallest = fmin(smallest, sets->gap[arm]);
    return cli_value_number(smallest);
}

/* List the models that are optimistic with respect to this one. */
static cli_value get_optimistic(const void *data, size_t row, size_t index)
{
    (void)index;
    return is_average(data, row)
               ? cli_value_missing()
               : text_set(row_of(data, row)->known->optimistic_model, models_of(data)->n_models);
}

/* Numbers are in the order of the indices in the columns below. */
static cli_value get_complexity(const void *data, size_t row, size_t index)
{
    const cli_complexity_row *r = row_of(data, row);
    const double numbers[] = {r->ucb,         r->ucb_plus,    r->mucb,        r->tucb,
                              r->bound_umucb, r->mucb_second, r->test.regret, r->test.order};
    return cli_value_number(numbers[index]);
}

/* `index` is that of the complexity. */
static cli_value get_bound(const void *data, size_t row, size_t index)
{
    return cli_value_number(cli_complexity_bound(data, get_complexity(data, row, index).number));
}

/* Give a list of the sets of a model: gaps, model gaps, optimistic models and arms. */
static cli_value get_known_list(const void *data, size_t row, size_t index)
{
    const segue_known_sets *known = row_of(data, row)->known;
    const size_t n_arms = models_of(data)->n_arms;
    if (index < 2)
        return cli_value_json(segue_json_numbers(index ? known->model_gap : known->gap, n_arms));
    return cli_value_json(index == 2 ? json_set(known->optimistic_model, models_of(data)->n_models)
                                     : json_set(known->optimistic_arm, n_arms));
}

/* Give Gamma_min of a model. */
static cli_value get_min_model_gap(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_number(row_of(data, row)->known->min_model_gap);
}

/* List, per arm, the optimistic models whose best arm it is. */
static cli_value get_optimistic_by_arm(const void *data, size_t row, size_t index)
{
    const segue_known_sets *known = row_of(data, row)->known;
    (void)index;
    return cli_value_json(json_set_per_row(known->optimistic_for, known->n_arms, known->n_models));
}

/* Give the optimistic arms on which the condition of the remark on Theorem 1's proof fails. */
static cli_value get_faster_arms(const void *data, size_t row, size_t index)
{
    const cli_complexity *c = data;
    const segue_known_sets *known = row_of(c, row)->known;
    json_t *list = json_array();
    (void)index;
    for (size_t arm = 0; arm < known->n_arms; arm++)
        if (known->optimistic_arm[arm] && known->gap[arm] > 0.0 &&
            !segue_known_sets_is_worst_case(known, models_of(c), arm))
            list = segue_json_append(list, json_integer((json_int_t)arm + 1));
    return cli_value_json(list);
}

/* List the most pulls of each arm by mUCB (Theorem 1), or by umUCB on estimates (the corollary). */
static cli_value get_pull_bounds(const void *data, size_t row, size_t index)
{
    const cli_complexity *c = data;
    const cli_complexity_row *r = row_of(c, row);
    json_t *list = json_array();
    (void)index;
    for (size_t arm = 0; arm < models_of(c)->n_arms; arm++) {
        const double pulls = r->estimated
                                 ? segue_bound_pulls_umucb(r->estimated, c->log_term_estimated, arm)
                                 : segue_bound_pulls_mucb(r->known, c->log_term, arm);
        list = segue_json_append(list, segue_json_number(pulls));
    }
    return cli_value_json(list);
}

/* ---- columns of the estimates ------------------------------------------------------------ */

/* Give the model, from 1, that each estimate stands for. */
static cli_value get_matches(const void *data, size_t row, size_t index)
{
    const segue_estimated_sets *sets = row_of(data, row)->estimated;
    json_t *match = json_array();
    (void)index;
    for (size_t i = 0; i < sets->n_models; i++)
        match = segue_json_append(match, json_integer((json_int_t)sets->match[i] + 1));
    return cli_value_json(match);
}

/* Give the arms that are not dominated, or those that are optimistic, per estimate. */
static cli_value get_arms_per_model(const void *data, size_t row, size_t index)
{
    const segue_estimated_sets *sets = row_of(data, row)->estimated;
    return cli_value_json(json_set_per_row(index ? sets->optimistic : sets->non_dominated,
                                           sets->n_models, sets->n_arms));
}

/* List, per arm, the estimated models of which it is an optimistic arm. */
static cli_value get_models_per_arm(const void *data, size_t row, size_t index)
{
    const segue_estimated_sets *sets = row_of(data, row)->estimated;
    bool *member = calloc(sets->n_models, sizeof *member);
    json_t *list = member ? json_array() : NULL;
    (void)index;
    for (size_t arm = 0; member && arm < sets->n_arms; arm++) {
        segue_estimated_sets_models_of(sets, arm, member);
        list = segue_json_append(list, json_set(member, sets->n_models));
    }
    free(member);
    return cli_value_json(list);
}

/* Find one of four sets: optimistic models, models never ruled out, A1 and A2. */
static const bool *estimated_set(const void *data, size_t row, size_t index, size_t *count)
{
    const segue_estimated_sets *sets = row_of(data, row)->estimated;
    const bool *const members[] = {sets->optimistic_model, sets->permanent_model, sets->first_arm,
                                   sets->second_arm};
    *count = index < 2 ? sets->n_models : sets->n_arms;
    return members[index];
}

/* JSON has the whole set, the table a text that may be cut. */
static cli_value get_estimated_set(const void *data, size_t row, size_t index)
{
    size_t count;
    const bool *member = estimated_set(data, row, index, &count);
    return cli_value_json(json_set(member, count));
}

static cli_value get_estimated_text(const void *data, size_t row, size_t index)
{
    size_t count;
    const bool *member = estimated_set(data, row, index, &count);
    return text_set(member, count);
}

/* Columns are: CSV name, JSON name, heading of the table; NULL: not in this format. */
static const cli_column model_columns[] = {
    {"model", "model", NULL, .get = get_model},
    {NULL, NULL, "model", .get = get_model_title},
    {"best_arm", "best_arm", NULL, .get = get_best_arm},
    {NULL, "best_arm_name", "best arm", .get = get_best_arm_name, .digits = 8},
    {"best_value", "best_value", "value", .get = get_best_value, .digits = 3},
    {NULL, NULL, "gap", .get = get_smallest_gap, .digits = 3},
    {NULL, NULL, "optimistic", .get = get_optimistic},
    {"ucb", "ucb", "UCB", .get = get_complexity, .digits = 2, .index = 0},
    {"ucb+", "ucb+", "UCB+", .get = get_complexity, .digits = 2, .index = 1},
    {"mucb", "mucb", "mUCB", .get = get_complexity, .digits = 2, .index = 2},
    {NULL, "gaps", NULL, .get = get_known_list, .index = 0},
    {NULL, "model_gaps", NULL, .get = get_known_list, .index = 1},
    {NULL, "optimistic_models", NULL, .get = get_known_list, .index = 2},
    {NULL, "optimistic_arms", NULL, .get = get_known_list, .index = 3},
    {NULL, "optimistic_by_arm", NULL, .get = get_optimistic_by_arm},
    {NULL, "faster_arms", NULL, .get = get_faster_arms},
    {NULL, "gamma_min", NULL, .get = get_min_model_gap},
    {NULL, "pull_bounds", NULL, .get = get_pull_bounds},
    {"bound_ucb", "bounds.ucb", NULL, .get = get_bound, .index = 0},
    {"bound_ucb+", "bounds.ucb+", NULL, .get = get_bound, .index = 1},
    {"bound_mucb", "bounds.mucb", NULL, .get = get_bound, .index = 2},
    {NULL, "bounds.mucb_second", NULL, .get = get_bound, .index = 5},
    {NULL, "bounds.ucb_test", NULL, .get = get_complexity, .index = 6},
    {NULL, "bounds.ucb_test_order", NULL, .get = get_complexity, .index = 7},
#define ESTIMATED .is_shown = has_estimates
    {NULL, "estimated.stands_for", NULL, .get = get_matches, ESTIMATED},
    {NULL, "estimated.non_dominated_arms", NULL, .get = get_arms_per_model, .index = 0, ESTIMATED},
    {NULL, "estimated.optimistic_arms", NULL, .get = get_arms_per_model, .index = 1, ESTIMATED},
    {NULL, "estimated.optimistic_by_arm", NULL, .get = get_models_per_arm, ESTIMATED},
    {NULL, "estimated.optimistic_models", NULL, .get = get_estimated_set, .index = 0, ESTIMATED},
    {NULL, "estimated.permanent_models", NULL, .get = get_estimated_set, .index = 1, ESTIMATED},
    {NULL, "estimated.a1", NULL, .get = get_estimated_set, .index = 2, ESTIMATED},
    {NULL, "estimated.a2", NULL, .get = get_estimated_set, .index = 3, ESTIMATED},
    {"tucb", "estimated.tucb", "tUCB", .get = get_complexity, .digits = 2, .index = 3, ESTIMATED},
    {"bound_umucb", "estimated.bound_umucb", NULL, .get = get_complexity, .index = 4, ESTIMATED},
};

static const cli_column estimated_columns[] = {
    {NULL, NULL, "model", .get = get_model},
    {NULL, NULL, "optimistic", .get = get_estimated_text, .index = 0},
    {NULL, NULL, "permanent", .get = get_estimated_text, .index = 1},
    {NULL, NULL, "A1", .get = get_estimated_text, .index = 2},
    {NULL, NULL, "A2", .get = get_estimated_text, .index = 3},
};

/* ---- gaps of every arm ------------------------------------------------------------------- */

static size_t count_arms(const void *data)
{
    return models_of(data)->n_arms;
}

static cli_value get_arm_name(const void *data, size_t index)
{
    return cli_value_text(((const cli_complexity *)data)->models.arm_name[index]);
}

/* Gap of an arm: the best mean of the model minus the arm's mean. */
static cli_value get_gap(const void *data, size_t row, size_t index)
{
    return cli_value_number(row_of(data, row)->known->gap[index]);
}

static const cli_column gap_columns[] = {
    {NULL, NULL, "model", .get = get_model},
    {NULL, NULL, NULL, .get = get_gap, .digits = 3, .repeat = count_arms, .title = get_arm_name,
     .title_width = 10},
};

/* ---- CSV and JSON ------------------------------------------------------------------------ */

/* The last row has the averages. */
static void print_csv(const void *data, FILE *out)
{
    const cli_columns rows = CLI_COLUMNS(model_columns, data, models_of(data)->n_models + 1);
    cli_columns_print_csv(&rows, out);
}

/* docs/math.md has the symbols: gamma_sigma is the smallest gap of eigenvalues of M2. */
static json_t *make_json(const void *data)
{
    const cli_complexity *c = data;
    const bool estimated = has_estimates(c);
    const segue_hypothesis_test *test = &c->rows[0].test;
    const cli_value absent = cli_value_absent();
    const cli_columns models = CLI_COLUMNS(model_columns, c, models_of(c)->n_models);
    const cli_field fields[] = {
        {"models", cli_value_json(cli_columns_list(&models))},
        {"average.ucb", cli_value_number(c->average.ucb)},
        {"average.ucb+", cli_value_number(c->average.ucb_plus)},
        {"average.mucb", cli_value_number(c->average.mucb)},
        {"average.tucb", estimated ? cli_value_number(c->average.tucb) : absent},
        {"sigma_min", cli_value_number(c->spectrum.sigma_min)},
        {"gamma_sigma", cli_value_number(c->spectrum.gap)},
        {"best_arms",
         cli_value_json(json_set(c->rows[0].known->best_for_some, models_of(c)->n_arms))},
        {"steps", cli_value_integer(c->set.steps)},
        {"delta", cli_value_number(c->delta)},
        {"run_bound", cli_value_number(cli_complexity_run_bound(c))},
        {"hypothesis_test.model_gap", cli_value_number(test->model_gap)},
        {"hypothesis_test.threshold", cli_value_number(test->threshold)},
        {"hypothesis_test.tau", cli_value_number(test->tau)},
        {"perturbation", cli_value_json(cli_complexity_perturbation(c))},
        {"eps", estimated ? cli_value_number(c->set.eps) : absent},
        {"largest_error", estimated ? cli_value_number(c->error) : absent},
    };
    return CLI_OBJECT(fields);
}

/* ---- the table --------------------------------------------------------------------------- */

/* One column per arm: a table wider than the terminal is replaced by a sentence. */
static segue_status print_gaps(const cli_complexity *c, FILE *out, segue_error *err)
{
    cli_columns gaps = CLI_COLUMNS(gap_columns, c, models_of(c)->n_models);
    size_t n_omitted = 0;
    gaps.caption = "\nGap of each arm to the best one\n\n";
    SEGUE_TRY(cli_columns_print_table(&gaps, CLI_FIT_OR_NOTHING, &n_omitted, out,
                                      cli_output_bold(c->set.out), err));
    if (n_omitted > 0)
        fputs("\n(--format json also prints the gap of every arm)\n", out);
    return SEGUE_OK;
}

/* Print the arms and models that the estimates do not rule out. */
static segue_status print_estimated(const cli_complexity *c, FILE *out, segue_error *err)
{
    const cli_columns rows = CLI_COLUMNS(estimated_columns, c, models_of(c)->n_models);
    fprintf(out, "\nEstimates assumed within %g of the models; their largest error is %.3g%s\n\n",
            c->set.eps, c->error, c->error > c->set.eps ? ": the bounds do not hold" : "");
    return cli_columns_print_table(&rows, CLI_FIT_ANY_WIDTH, NULL, out, cli_output_bold(c->set.out),
                                   err);
}

static segue_status print_table(const void *data, FILE *out, segue_error *err)
{
    const cli_complexity *c = data;
    const size_t n_models = models_of(c)->n_models;
    const cli_columns models = CLI_COLUMNS(model_columns, c, n_models + 1);
    fprintf(out, "Complexity of %zu models of %zu arms\n\n", n_models, models_of(c)->n_arms);
    SEGUE_TRY(cli_columns_print_table(&models, CLI_FIT_ANY_WIDTH, NULL, out,
                                      cli_output_bold(c->set.out), err));
    SEGUE_TRY(print_gaps(c, out, err));
    if (has_estimates(c))
        SEGUE_TRY(print_estimated(c, out, err));
    cli_complexity_print_bounds(c, out);
    return SEGUE_OK;
}

const cli_printers cli_complexity_printers = {
    .table = print_table, .csv = print_csv, .json = make_json};
