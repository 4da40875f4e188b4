/* environment_spec.c - read the environments of an experiment.
 *
 * An environment draws tasks from a model set, a uniform distribution of means, or a log; it may
 * add another distribution of rewards, spread, mixed tasks, and a switch to a second set.  Reading
 * writes model sets out in the JSON, so that the JSON alone repeats the experiment.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/environment_spec.h"

#include <stdlib.h>
#include <string.h>

#include "experiment/environment_spec_log.h"
#include "io/models_file.h"
#include "io/models_json.h"
#include "io/output.h"
#include "segue/internal.h"

#define MAX_ENVIRONMENTS 100

/* All fields of an environment; others are rejected with a suggestion. */
static const char *const fields[] = {"name",  "models",    "uniform",   "rewards",     "spread",
                                     "mixed", "switch-at", "switch-to", "log",         "least",
                                     "order", "lowest",    "highest",   "log_summary", "task",
                                     "arm",   "reward",    "delimiter", "missing"};

void segue_environment_spec_fini(segue_environment_spec *spec)
{
    free(spec->name);
    segue_models_destroy(spec->models);
    segue_models_destroy(spec->switch_to);
    segue_samples_destroy(spec->samples);
    free(spec->models_path);
    free(spec->switch_path);
    free(spec->log_path);
}

/* Resolve a name in the file at `from`, relative to its folder. */
static char *path_beside(const char *from, const char *name)
{
    const char *slash = strrchr(from, '/');
    const size_t folder = slash && *name != '/' ? (size_t)(slash - from) + 1 : 0;
    char *path = malloc(folder + strlen(name) + 1);
    if (path) {
        memcpy(path, from, folder);
        memcpy(path + folder, name, strlen(name) + 1);
    }
    return path;
}

/* The path is stored, so that results are never written over it. */
static segue_status read_models_file(const segue_json_location *at, const char *field,
                                     const char *name, segue_models **out, char **path,
                                     segue_error *err)
{
    segue_models_file file = {.models = NULL};
    segue_error why = {.status = SEGUE_OK};
    *path = path_beside(at->path, name);
    if (!*path)
        return segue_fail_no_memory(err, "the experiment");
    const segue_status status = segue_models_file_read(&file, *path, SEGUE_MODELS_KNOWN, &why);
    if (status != SEGUE_OK)
        return segue_json_fail_cause(at, field, &why, err);
    *out = file.models;
    file.models = NULL;
    segue_models_file_fini(&file);
    return SEGUE_OK;
}

/* Read a model set, from JSON or from the file that the field names, and write it into `object`. */
static segue_status read_models(const segue_json_location *at, json_t *object, const char *field,
                                segue_models **out, char **path, segue_error *err)
{
    json_t *value = json_object_get(object, field);
    if (!value)
        return SEGUE_OK;
    if (!json_is_string(value))
        return segue_models_json_parse(out, at, field, value, err);
    const segue_status status =
        read_models_file(at, field, json_string_value(value), out, path, err);
    if (status == SEGUE_OK &&
        json_object_set_new(object, field, segue_models_json_build(*out)) != 0)
        return segue_fail_no_memory(err, "the experiment");
    return status;
}

/* The rows stay in memory for the whole experiment; all cells of the environment share them. */
static segue_status read_log(const segue_json_location *at, json_t *object,
                             segue_environment_spec *spec, segue_error *err)
{
    const json_t *value = json_object_get(object, "log");
    if (!value)
        return SEGUE_OK;
    if (!json_is_string(value))
        return segue_json_fail(at, "log", err, "is %s; need the name of a file",
                               segue_json_kind(value));
    spec->log_path = path_beside(at->path, json_string_value(value));
    if (!spec->log_path)
        return segue_fail_no_memory(err, "the experiment");
    return segue_environment_spec_log_read(at, object, spec->log_path, spec, err);
}

static segue_status read_real(const segue_json_location *at, const json_t *object,
                              const char *field, double *out, segue_error *err)
{
    const json_t *value = json_object_get(object, field);
    if (value && !json_is_number(value))
        return segue_json_fail(at, field, err, "is %s; need a number", segue_json_kind(value));
    *out = json_number_value(value);
    if (value && *out == 0.0) /* 0 means not given */
        return segue_json_fail(at, field, err, "is 0; need a number above 0, or remove the field");
    return SEGUE_OK;
}

/* Without the field the rewards are Bernoulli. */
static segue_status read_rewards(const segue_json_location *at, const json_t *object,
                                 segue_rewards *out, segue_error *err)
{
    const json_t *value = json_object_get(object, "rewards");
    segue_error why = {.status = SEGUE_OK};
    if (!value)
        return SEGUE_OK;
    if (!json_is_string(value))
        return segue_json_fail(at, "rewards", err, "is %s; need a text such as \"beta:20\"",
                               segue_json_kind(value));
    if (segue_rewards_parse(out, json_string_value(value), &why) != SEGUE_OK)
        return segue_json_fail_cause(at, "rewards", &why, err);
    return SEGUE_OK;
}

static segue_status read_numbers(const segue_json_location *at, const json_t *object,
                                 segue_environment *env, segue_error *err)
{
    uint64_t arms = 0;
    if (json_object_get(object, "uniform"))
        SEGUE_TRY(segue_json_integer(at, "uniform", json_object_get(object, "uniform"),
                                     SEGUE_MIN_ARMS, SEGUE_MAX_ARMS, &arms, err));
    env->uniform_arms = (size_t)arms;
    if (json_object_get(object, "switch-at"))
        SEGUE_TRY(segue_json_integer(at, "switch-at", json_object_get(object, "switch-at"), 1,
                                     SEGUE_MAX_TASKS, &env->switch_at, err));
    SEGUE_TRY(read_real(at, object, "spread", &env->spread, err));
    SEGUE_TRY(read_real(at, object, "mixed", &env->mixed, err));
    return read_rewards(at, object, &env->rewards, err);
}

/* Results name each cell by its environment. */
static segue_status read_name(const segue_json_location *at, const json_t *object,
                              segue_environment_spec *spec, segue_error *err)
{
    const json_t *value = json_object_get(object, "name");
    if (value && !segue_json_is_printable(value))
        return segue_json_fail(at, "name", err, "is %s; need a text of one line, not empty",
                               segue_json_kind(value));
    spec->name = strdup(value ? json_string_value(value) : "environment");
    return spec->name ? SEGUE_OK : segue_fail_no_memory(err, "the experiment");
}

/* Require exactly one source of tasks. */
static segue_status check_source(const segue_json_location *at, const json_t *object,
                                 segue_error *err)
{
    const int given = (json_object_get(object, "models") != NULL) +
                      (json_object_get(object, "uniform") != NULL) +
                      (json_object_get(object, "log") != NULL);
    if (given != 1)
        return segue_json_fail(at, "models", err,
                               "give it, or 'uniform' or 'log': one of the three");
    return segue_environment_spec_log_check(at, object, err);
}

/* Check the combination last, by the function that simulations use. */
static segue_status read_spec(const segue_json_location *at, json_t *object,
                              segue_environment_spec *spec, segue_error *err)
{
    segue_error why = {.status = SEGUE_OK};
    if (!json_is_object(object))
        return segue_json_fail(at, "", err, "is %s; need an object", segue_json_kind(object));
    SEGUE_TRY(segue_json_check_keys(at, object, fields, sizeof fields / sizeof *fields, err));
    SEGUE_TRY(check_source(at, object, err));
    SEGUE_TRY(read_name(at, object, spec, err));
    SEGUE_TRY(read_models(at, object, "models", &spec->models, &spec->models_path, err));
    SEGUE_TRY(read_models(at, object, "switch-to", &spec->switch_to, &spec->switch_path, err));
    SEGUE_TRY(read_log(at, object, spec, err));
    SEGUE_TRY(read_numbers(at, object, &spec->env, err));
    spec->env.size = sizeof spec->env;
    spec->env.models = spec->models;
    spec->env.switch_to = spec->switch_to;
    if (segue_environment_check(&spec->env, &why) != SEGUE_OK)
        return segue_json_fail_cause(at, "", &why, err);
    return SEGUE_OK;
}

/* Test whether an earlier environment has the name of the i-th. */
static bool is_named_before(const segue_environment_spec *specs, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (specs[k].name && specs[i].name && strcmp(specs[k].name, specs[i].name) == 0)
            return true;
    return false;
}

/* After a failure *out has what was read; the caller frees it with the experiment. */
segue_status segue_environment_spec_read_all(const segue_json_location *at, json_t *json,
                                             segue_environment_spec **out, size_t *count,
                                             segue_error *err)
{
    json_t *value = json_object_get(json, "environment");
    const bool list = json_is_array(value);
    const size_t n = list ? json_array_size(value) : 1;
    if (!json_is_object(value) && (!list || n == 0 || n > MAX_ENVIRONMENTS))
        return segue_json_fail(at, "environment", err,
                               "is %s; need an object, or a list of 1 to %d of them",
                               segue_json_kind(value), MAX_ENVIRONMENTS);
    segue_environment_spec *specs = calloc(n, sizeof *specs);
    if (!specs)
        return segue_fail_no_memory(err, "the experiment");
    *out = specs;
    *count = n;
    for (size_t i = 0; i < n; i++) {
        segue_json_location within = *at;
        (void)snprintf(within.within, sizeof within.within,
                       list ? "environment[%zu]." : "environment.", i);
        SEGUE_TRY(read_spec(&within, list ? json_array_get(value, i) : value, &specs[i], err));
        if (is_named_before(specs, i))
            return segue_json_fail(&within, "name", err, "is '%.40s' a second time; name each",
                                   specs[i].name);
    }
    return SEGUE_OK;
}
