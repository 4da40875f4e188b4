/* experiment_spec.c - read and validate an experiment file.
 *
 * Validation is complete before anything runs: unknown fields, ranges, duplicates, and every cell
 * as a simulation. The JSON is edited on the way (variant applied, overrides set, model sets
 * written out), until it describes exactly what will run; that text identifies checkpoint files and
 * results.
 *
 * A cell is one combination of environment, policy, steps and tasks; cells are numbered in that
 * order, tasks fastest.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/experiment.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/environment_spec.h"
#include "io/json.h"
#include "segue/internal.h"

#define MAX_LIST    1000
#define LARGEST_INT UINT64_C(9007199254740992) /* every integer up to it is a double */

static const char *const fields[] = {"name",  "title",    "environment", "policies",
                                     "steps", "tasks",    "runs",        "seed",
                                     "every", "variants", "variant",     "fresh-rewards"};
/* The fields that a variant may set. */
static const char *const varied[] = {"policies", "steps", "tasks", "runs", "seed", "every"};

static segue_status no_memory(segue_error *err)
{
    return segue_fail_no_memory(err, "the experiment");
}

/* ---- fields ------------------------------------------------------------------------------ */

/* A name is also part of file names. */
static segue_status read_name(const segue_json_location *at, segue_experiment *ex, segue_error *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    const json_t *value = json_object_get(ex->json, "name");
    const char *name = json_string_value(value);
    if (!name)
        return segue_json_fail(at, "name", err, "is %s; need a text", segue_json_kind(value));
    if (*name == '\0' || *name == '-' || strlen(name) > 60 || strspn(name, letters) != strlen(name))
        return segue_json_fail(at, "name", err,
                               "is '%.60s'; need 1 to 60 of a-z, 0-9 and '-', no '-' first", name);
    ex->name = name;
    const json_t *title = json_object_get(ex->json, "title");
    if (title && !segue_json_is_printable(title))
        return segue_json_fail(at, "title", err, "is %s; need a text of one line",
                               segue_json_kind(title));
    return SEGUE_OK;
}

/* Read one whole number, or a list of different ones. */
static segue_status read_list(const segue_json_location *at, const json_t *json, const char *field,
                              uint64_t max, uint64_t **out, size_t *count, segue_error *err)
{
    const json_t *value = json_object_get(json, field);
    const bool list = json_is_array(value);
    const size_t n = list ? json_array_size(value) : 1;
    if (n == 0 || n > MAX_LIST)
        return segue_json_fail(at, field, err, "has %zu numbers; need 1 to %d", n, MAX_LIST);
    uint64_t *numbers = calloc(n, sizeof *numbers);
    if (!numbers)
        return no_memory(err);
    *out = numbers;
    *count = n;
    for (size_t i = 0; i < n; i++) {
        char item[40];
        (void)snprintf(item, sizeof item, list ? "%s[%zu]" : "%s", field, i);
        SEGUE_TRY(segue_json_integer(at, item, list ? json_array_get(value, i) : value, 1, max,
                                     &numbers[i], err));
        for (size_t k = 0; k < i; k++)
            if (numbers[k] == numbers[i])
                return segue_json_fail(at, item, err, "is %" PRIu64 " a second time", numbers[i]);
    }
    return SEGUE_OK;
}

/* Errors of the policy's own parser keep their text, after file and field. */
static segue_status read_policy(const segue_json_location *at, segue_experiment *ex, size_t i,
                                const json_t *value, segue_error *err)
{
    char item[40];
    segue_error why = {.status = SEGUE_OK};
    const char *text = json_string_value(value);
    (void)snprintf(item, sizeof item, "policies[%zu]", i);
    if (!text)
        return segue_json_fail(at, item, err, "is %s; need a text such as \"ucb\" or \"tucb:C=1\"",
                               segue_json_kind(value));
    const segue_status status = segue_policy_list_add(&ex->policies, text, strlen(text), &why);
    if (status != SEGUE_OK)
        return segue_json_fail_cause(at, item, &why, err);
    for (size_t k = 0; k < i; k++)
        if (strcmp(ex->policies.text[k], text) == 0)
            return segue_json_fail(at, item, err, "is '%.60s' a second time", text);
    return SEGUE_OK;
}

/* Policies and learners share one list, in the order of the results. */
static segue_status read_policies(const segue_json_location *at, segue_experiment *ex,
                                  segue_error *err)
{
    const json_t *list = json_object_get(ex->json, "policies");
    const size_t n = json_array_size(list);
    if (n == 0 || n > MAX_LIST)
        return segue_json_fail(at, "policies", err,
                               "is %s%s; need a list of 1 to %d policies, such as [\"ucb\"]",
                               segue_json_kind(list),
                               n                     ? " too long"
                               : json_is_array(list) ? " of none"
                                                     : "",
                               MAX_LIST);
    SEGUE_TRY(segue_policy_list_init(&ex->policies, n, err));
    for (size_t i = 0; i < n; i++)
        SEGUE_TRY(read_policy(at, ex, i, json_array_get(list, i), err));
    return SEGUE_OK;
}

/* The control of estimates is a track, so it needs points. */
static segue_status read_fresh_rewards(const segue_json_location *at, segue_experiment *ex,
                                       segue_error *err)
{
    const json_t *value = json_object_get(ex->json, "fresh-rewards");
    if (value && !json_is_boolean(value))
        return segue_json_fail(at, "fresh-rewards", err, "is %s; need true or false",
                               segue_json_kind(value));
    ex->fresh_rewards = json_is_true(value);
    if (ex->fresh_rewards && !ex->every)
        return segue_json_fail(at, "fresh-rewards", err,
                               "adds a number per point, and needs the field 'every'");
    return SEGUE_OK;
}

/* Without "tasks" a cell plays single tasks: its list of tasks is {0}. */
static segue_status read_numbers(const segue_json_location *at, segue_experiment *ex,
                                 segue_error *err)
{
    const json_t *json = ex->json;
    SEGUE_TRY(read_list(at, json, "steps", SEGUE_MAX_HORIZON, &ex->steps, &ex->n_steps, err));
    if (json_object_get(json, "tasks"))
        SEGUE_TRY(read_list(at, json, "tasks", SEGUE_MAX_TASKS, &ex->tasks, &ex->n_tasks, err));
    if (!ex->tasks) {
        ex->n_tasks = 1;
        ex->tasks = calloc(1, sizeof *ex->tasks);
        if (!ex->tasks)
            return no_memory(err);
    }
    SEGUE_TRY(segue_json_integer(at, "runs", json_object_get(json, "runs"), 1, SEGUE_MAX_RUNS,
                                 &ex->runs, err));
    ex->seed = 1;
    if (json_object_get(json, "seed"))
        SEGUE_TRY(segue_json_integer(at, "seed", json_object_get(json, "seed"), 0, LARGEST_INT,
                                     &ex->seed, err));
    if (json_object_get(json, "every"))
        SEGUE_TRY(segue_json_integer(at, "every", json_object_get(json, "every"), 1,
                                     SEGUE_MAX_TASKS, &ex->every, err));
    if (ex->every && !ex->tasks[0])
        return segue_json_fail(at, "every", err, "is over tasks, and needs the field 'tasks'");
    return read_fresh_rewards(at, ex, err);
}

/* ---- variants ---------------------------------------------------------------------------- */

/* Validate "variant", which names the applied variant in results; a file with variants has none. */
static segue_status check_variant(const segue_json_location *at, json_t *json, segue_error *err)
{
    const json_t *variant = json_object_get(json, "variant");
    if (variant && !segue_json_is_printable(variant))
        return segue_json_fail(at, "variant", err, "is %s; need a text of one line",
                               segue_json_kind(variant));
    if (json_object_get(json, "variants"))
        (void)json_object_del(json, "variant");
    return SEGUE_OK;
}

/* All variants are checked, also those that are not used. */
static segue_status check_variants(const segue_json_location *at, json_t *variants,
                                   segue_error *err)
{
    const char *key = NULL;
    json_t *value = NULL;
    if (!json_is_object(variants))
        return segue_json_fail(at, "variants", err, "is %s; need an object",
                               segue_json_kind(variants));
    json_object_foreach(variants, key, value)
    {
        segue_json_location within = *at;
        (void)snprintf(within.within, sizeof within.within, "variants.%.40s.", key);
        if (!json_is_object(value))
            return segue_json_fail(at, "variants", err, "'%.40s' is %s; need an object", key,
                                   segue_json_kind(value));
        SEGUE_TRY(
            segue_json_check_keys(&within, value, varied, sizeof varied / sizeof *varied, err));
    }
    return SEGUE_OK;
}

/* An error lists the variants that there are. */
static segue_status apply_variant(const segue_json_location *at, json_t *json, json_t *variants,
                                  const char *name, segue_error *err)
{
    json_t *variant = json_object_get(variants, name);
    if (!variant) {
        char all[200] = "";
        const char *key = NULL;
        json_t *value = NULL;
        json_object_foreach(variants, key, value)
        {
            const size_t used = strlen(all);
            (void)snprintf(all + used, sizeof all - used, "%s%.40s", used ? ", " : "", key);
        }
        return segue_fail(err, SEGUE_ENAME, "%s: there is no variant '%.40s'; it has %s",
                          segue_path_tail(at->path), name, *all ? all : "none");
    }
    if (json_object_update(json, variant) != 0 ||
        json_object_set_new(json, "variant", json_string(name)) != 0)
        return no_memory(err);
    return SEGUE_OK;
}

/* Replace "variants" by the fields of the variant `name`; NULL: by none. */
static segue_status resolve_variants(const segue_json_location *at, json_t *json, const char *name,
                                     segue_error *err)
{
    json_t *variants = json_incref(json_object_get(json, "variants"));
    segue_status status = variants ? check_variants(at, variants, err) : SEGUE_OK;
    (void)json_object_del(json, "variants");
    if (status == SEGUE_OK && name)
        status = apply_variant(at, json, variants, name, err);
    json_decref(variants);
    return status;
}

static segue_status set_integer(json_t *json, const char *field, uint64_t value, segue_error *err)
{
    return json_object_set_new(json, field, json_integer((json_int_t)value)) == 0 ? SEGUE_OK
                                                                                  : no_memory(err);
}

/* Apply the variant and the overrides, so that `json` is what will run. */
static segue_status apply_overrides(const segue_json_location *at, json_t *json,
                                    const segue_experiment_overrides *overrides, segue_error *err)
{
    SEGUE_TRY(resolve_variants(at, json, overrides->variant, err));
    if (overrides->runs)
        SEGUE_TRY(set_integer(json, "runs", overrides->runs, err));
    if (overrides->seed || !json_object_get(json, "seed"))
        SEGUE_TRY(set_integer(json, "seed", overrides->seed ? *overrides->seed : 1, err));
    return SEGUE_OK;
}

/* ---- cells ------------------------------------------------------------------------------- */

size_t segue_experiment_cells(const segue_experiment *ex)
{
    return ex->n_environments * ex->policies.count * ex->n_steps * ex->n_tasks;
}

/* Inverse of the numbering of cells: the environment is the slowest index. */
size_t segue_experiment_environment(const segue_experiment *ex, size_t cell)
{
    return cell / (ex->n_tasks * ex->n_steps * ex->policies.count);
}

size_t segue_experiment_policy(const segue_experiment *ex, size_t cell)
{
    return cell / (ex->n_tasks * ex->n_steps) % ex->policies.count;
}

/* The simulation borrows environment and learner; threads is 1, as runs are played side by side. */
segue_simulation segue_experiment_cell(const segue_experiment *ex, size_t cell)
{
    const size_t policy = segue_experiment_policy(ex, cell);
    return (segue_simulation){
        .size = sizeof(segue_simulation),
        .environment = &ex->environment[segue_experiment_environment(ex, cell)].env,
        .policy = ex->policies.spec[policy],
        .learner = segue_policy_list_is_learner(&ex->policies, policy)
                       ? &ex->policies.learner[policy]
                       : NULL,
        .steps = ex->steps[cell / ex->n_tasks % ex->n_steps],
        .tasks = ex->tasks[cell % ex->n_tasks],
        .runs = ex->runs,
        .seed = ex->seed,
        .threads = 1,
    };
}

/* Validate each cell as a simulation. */
static segue_status check_cells(const segue_json_location *at, const segue_experiment *ex,
                                segue_error *err)
{
    const size_t count = segue_experiment_cells(ex);
    if (count > SEGUE_MAX_CELLS)
        return segue_fail(err, SEGUE_EDOMAIN, "%s: asks for %zu cells; need at most %d",
                          segue_path_tail(at->path), count, SEGUE_MAX_CELLS);
    for (size_t cell = 0; cell < count; cell++) {
        const segue_simulation sim = segue_experiment_cell(ex, cell);
        const size_t policy = segue_experiment_policy(ex, cell);
        segue_error why = {.status = SEGUE_OK};
        const segue_status status = segue_simulation_check(&sim, &why);
        if (status == SEGUE_OK)
            continue;
        segue_error named;
        char item[40];
        (void)snprintf(item, sizeof item, "policies[%zu]", policy);
        (void)segue_fail(&named, status, "'%.60s' in environment '%.40s': %.200s",
                         ex->policies.text[policy],
                         ex->environment[segue_experiment_environment(ex, cell)].name, why.message);
        return segue_json_fail_cause(at, item, &named, err);
    }
    return SEGUE_OK;
}

/* ---- all of it --------------------------------------------------------------------------- */

void segue_experiment_destroy(segue_experiment *ex)
{
    if (!ex)
        return;
    for (size_t i = 0; ex->environment && i < ex->n_environments; i++)
        segue_environment_spec_fini(&ex->environment[i]);
    free(ex->environment);
    segue_policy_list_fini(&ex->policies);
    free(ex->steps);
    free(ex->tasks);
    json_decref(ex->json);
    free(ex);
}

/* Replace the JSON of results by the experiment in it. */
static void unwrap_results(segue_experiment *ex)
{
    json_t *inner = json_object_get(ex->json, "experiment");
    if (!json_is_object(inner) || !json_object_get(ex->json, "results"))
        return;
    (void)json_incref(inner);
    json_decref(ex->json);
    ex->json = inner;
}

/* Overrides come first, so that what is validated is what runs. */
static segue_status fill(const segue_json_location *at, segue_experiment *ex,
                         const segue_experiment_overrides *overrides, segue_error *err)
{
    SEGUE_TRY(segue_json_read(&ex->json, at->path, err));
    unwrap_results(ex);
    SEGUE_TRY(segue_json_check_keys(at, ex->json, fields, sizeof fields / sizeof *fields, err));
    SEGUE_TRY(check_variant(at, ex->json, err));
    SEGUE_TRY(apply_overrides(at, ex->json, overrides, err));
    SEGUE_TRY(read_name(at, ex, err));
    SEGUE_TRY(
        segue_environment_spec_read_all(at, ex->json, &ex->environment, &ex->n_environments, err));
    SEGUE_TRY(read_policies(at, ex, err));
    SEGUE_TRY(read_numbers(at, ex, err));
    return check_cells(at, ex, err);
}

segue_status segue_experiment_read(segue_experiment **out, const char *path,
                                   const segue_experiment_overrides *overrides, segue_error *err)
{
    const segue_json_location at = {.path = path};
    *out = NULL;
    segue_experiment *ex = calloc(1, sizeof *ex);
    if (!ex)
        return no_memory(err);
    const segue_status status = fill(&at, ex, overrides, err);
    if (status != SEGUE_OK) {
        segue_experiment_destroy(ex);
        return status;
    }
    *out = ex;
    return SEGUE_OK;
}
