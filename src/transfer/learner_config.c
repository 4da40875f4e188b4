/* learner_config.c - the configuration of a learner: defaults, options by name and from text.
 *
 * Options live in `config.option`, in the order of the method's table; NaN means the default.  The
 * table holds the key, bounds, default and help of each option.  segue_learner_config_complete
 * checks the values and fills the defaults in when a learner is created.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/learner_config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bandit/options.h"
#include "core/fail.h"
#include "core/struct_size.h"
#include "transfer/learner_internal.h"
#include "transfer/learner_method.h"

static const segue_struct_size config_size = {.type = "segue_learner_config",
                                              .first = sizeof(segue_learner_config),
                                              .now = sizeof(segue_learner_config)};

void segue_learner_config_init(segue_learner_config *config, size_t size)
{
    segue_learner_config defaults = {.method = "auto", .n_tasks = 10000, .highest = 1.0, .seed = 1};
    for (size_t i = 0; i < SEGUE_MAX_LEARNER_OPTIONS; i++)
        defaults.option[i] = NAN;
    segue_struct_size_init(&config_size, &defaults, config, size);
}

segue_status segue_learner_config_copy(segue_learner_config *out, const segue_learner_config *given,
                                       segue_error *err)
{
    *out = segue_learner_defaults();
    return segue_struct_size_copy(&config_size, given, out, err);
}

static segue_status find_method(const char *name, size_t length, const learner_method **out,
                                segue_error *err)
{
    char names[256] = "";
    *out = segue_learner_method_object(name, length);
    if (*out)
        return SEGUE_OK;
    for (size_t i = 0; segue_learner_methods(i); i++) {
        const size_t used = strlen(names);
        (void)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                       segue_learner_methods(i)->name);
    }
    return segue_fail(err, SEGUE_ENAME, "there is no learner '%.40s'; need one of %s", name, names);
}

/* The method that a configuration names, without options in the name. */
static segue_status find_named(const segue_learner_config *config, const learner_method **out,
                               segue_error *err)
{
    const char *name = config->method ? config->method : "";
    return find_method(name, strlen(name), out, err);
}

static option_table table_of(const learner_method *method)
{
    return (option_table){.kind = "learner",
                          .owner = method->info.name,
                          .options = method->info.options,
                          .count = method->info.n_options};
}

/* Copy the options that are also common fields. */
static void apply_options(segue_learner_config *config, const learner_method *method)
{
    if (method->apply_options)
        method->apply_options(config);
}

segue_status segue_learner_config_parse(segue_learner_config *config, const char *text,
                                        segue_error *err)
{
    const learner_method *method;
    double value[SEGUE_MAX_LEARNER_OPTIONS];
    const char *colon = strchr(text, ':');
    for (size_t i = 0; i < SEGUE_MAX_LEARNER_OPTIONS; i++)
        value[i] = NAN;
    SEGUE_TRY(find_method(text, strcspn(text, ":"), &method, err));
    if (colon) {
        const option_table table = table_of(method);
        SEGUE_TRY(segue_options_parse(&table, colon + 1, value, err));
    }
    config->method = method->info.name;
    memcpy(config->option, value, sizeof value);
    apply_options(config, method);
    return SEGUE_OK;
}

segue_status segue_learner_config_set(segue_learner_config *config, const char *key, double value,
                                      segue_error *err)
{
    const learner_method *method;
    SEGUE_TRY(find_named(config, &method, err));
    const option_table table = table_of(method);
    SEGUE_TRY(segue_options_set(&table, key, value, config->option, err));
    apply_options(config, method);
    return SEGUE_OK;
}

/* Write the word of rank `value` of "a|b|c", or a number that reads back as `value`. */
static int format_value(const segue_option *option, double value, char *out, size_t size)
{
    const char *word = option->choices;
    for (size_t rank = 0; word && rank < (size_t)value; rank++)
        word = strchr(word, '|') ? strchr(word, '|') + 1 : word;
    if (word)
        return snprintf(out, size, "%.*s", (int)strcspn(word, "|"), word);
    const int used = snprintf(out, size, "%.15g", value);
    return strtod(out, NULL) == value ? used : snprintf(out, size, "%.17g", value);
}

bool segue_learner_config_format(const segue_learner_config *config, char *out, size_t size)
{
    const segue_learner_method *method = segue_learner_method_find(config->method);
    size_t used = (size_t)snprintf(out, size, "%s", method->name);
    const char *separator = ":";
    for (size_t i = 0; i < method->n_options && used < size; i++) {
        const segue_option *option = &method->options[i];
        const double value = config->option[i];
        if (isnan(value) || value == option->default_value)
            continue;
        used += (size_t)snprintf(out + used, size - used, "%s%s=", separator, option->key);
        if (used < size)
            used += (size_t)format_value(option, value, out + used, size - used);
        separator = ",";
    }
    return used < size;
}

double segue_learner_config_get(const segue_learner_config *config, const char *key)
{
    const segue_learner_method *method =
        config->method ? segue_learner_method_find(config->method) : NULL;
    for (size_t i = 0; method && i < method->n_options; i++)
        if (strcmp(method->options[i].key, key) == 0)
            return config->option[i];
    return NAN;
}

bool segue_learner_config_equal(const segue_learner_config *a, const segue_learner_config *b)
{
    const segue_learner_method *method = segue_learner_method_find(a->method);
    for (size_t i = 0; i < method->n_options; i++)
        if (a->option[i] < b->option[i] || a->option[i] > b->option[i])
            return false;
    return strcmp(a->method, b->method) == 0 && a->n_models == b->n_models &&
           a->horizon == b->horizon && a->n_tasks == b->n_tasks && !(a->lowest < b->lowest) &&
           !(a->lowest > b->lowest) && !(a->highest < b->highest) && !(a->highest > b->highest) &&
           a->seed == b->seed && a->run == b->run && a->background == b->background;
}

/* ---- completion -------------------------------------------------------------------------- */

static segue_status check_needs(const segue_learner_config *config, const learner_method *method,
                                segue_error *err)
{
    const char *name = method->info.name;
    if (method->info.needs_horizon && config->horizon < 1)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "horizon is 0; %s needs the steps per task, or a guess on the high side",
                          name);
    if (method->info.needs_models && config->n_models == 0)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "n_models is 0; %s needs the number of models, as in %s:models=5", name,
                          name);
    return SEGUE_OK;
}

static void fill_defaults(segue_learner_config *config, const learner_method *method)
{
    for (size_t i = 0; i < method->info.n_options; i++)
        if (isnan(config->option[i]))
            config->option[i] = method->info.options[i].default_value;
    if (method->fill_defaults)
        method->fill_defaults(config);
}

segue_status segue_learner_config_complete(segue_learner_config *out,
                                           const segue_learner_config *given,
                                           const learner_method **method, segue_error *err)
{
    SEGUE_TRY(segue_learner_config_copy(out, given, err));
    SEGUE_TRY(find_named(out, method, err));
    if ((*method)->choose)
        *method = (*method)->choose(out);
    const option_table table = table_of(*method);
    out->method = (*method)->info.name;
    SEGUE_TRY(segue_options_check(&table, out->option, err));
    SEGUE_TRY(check_needs(out, *method, err));
    fill_defaults(out, *method);
    return SEGUE_OK;
}
