/* saved_learner.c - create a learner from a saved one.
 *
 * The saved learner fixes the method with its options, the number of arms, steps, range, models and
 * seed.  A request may leave them out or repeat them; another value is rejected, since the learner
 * would not be the one that was saved.  Names of arms are taken from the file if it has them.
 *
 * A saved learner may refit at once when a task closes; in the service refits run in the background.
 * Names are dropped: the service has its own table of arms.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/saved_learner.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/encode.h"
#include "io/json.h"

static const segue_json_location body_location = {.path = "the body"};

static segue_status fail_saved(const char *why, segue_error *err)
{
    return segue_json_fail(&body_location, "saved", err, "%s", why);
}

/* ---- reading ----------------------------------------------------------------------------- */

static segue_status decode(learner_settings *s, const char *text, size_t length, segue_error *err)
{
    const size_t capacity = length / 4 * 3 + 3;
    s->saved.data = malloc(capacity);
    if (!s->saved.data)
        return segue_fail_no_memory(err, "a saved learner");
    s->saved.capacity = capacity;
    if (sodium_base642bin(s->saved.data, capacity, text, length, "\r\n", &s->saved.size, NULL,
                          sodium_base64_VARIANT_ORIGINAL) != 0)
        return fail_saved("is not base64 (RFC 4648, with padding)", err);
    return SEGUE_OK;
}

static void name_bytes(const segue_bytes *saved, char out[SEGUE_SAVED_HASH_LENGTH + 1])
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    (void)crypto_hash_sha256(hash, saved->data, saved->size);
    segue_encode_hex(out, hash, sizeof hash);
}

/* Use the names of the saved learner for the field "arms" of a request that lacks it. */
static segue_status copy_names(const segue_learner *saved, json_t *body, segue_error *err)
{
    const size_t n_arms = segue_learner_get_config(saved)->n_arms;
    json_t *names = json_array();
    bool fine = names != NULL;
    for (size_t i = 0; i < n_arms && fine; i++) {
        const char *name = segue_learner_arm_name(saved, i);
        if (!name) {
            json_decref(names);
            return segue_json_fail(&body_location, "arms", err,
                                   "is missing, and the saved learner has no names of arms; need "
                                   "%zu names",
                                   n_arms);
        }
        fine = json_array_append_new(names, json_string(name)) == 0;
    }
    if (fine && json_object_set(body, "arms", names) == 0) {
        json_decref(names);
        return SEGUE_OK;
    }
    json_decref(names);
    return fail_saved("has names of arms that are not UTF-8, or memory ran out", err);
}

static segue_status copy_settings(learner_settings *s, const segue_learner *saved, json_t *body,
                                  segue_error *err)
{
    const segue_learner_config *config = segue_learner_get_config(saved);
    if (config->n_arms > SEGUE_MAX_SERVICE_ARMS)
        return segue_json_fail(&body_location, "saved", err, "has %zu arms; need at most %d",
                               config->n_arms, SEGUE_MAX_SERVICE_ARMS);
    if (config->seed > INT64_MAX || config->n_models > SEGUE_MAX_MODELS)
        return fail_saved("has a seed or a number of models that a service does not take", err);
    if (!segue_learner_config_format(config, s->method, sizeof s->method))
        return fail_saved("has a method with too many options", err);
    s->models = config->n_models;
    s->terms.steps = config->horizon;
    s->lowest = config->lowest;
    s->highest = config->highest;
    s->seed = config->seed;
    return json_object_get(body, "arms") ? SEGUE_OK : copy_names(saved, body, err);
}

static segue_status load(const segue_bytes *saved, segue_learner **out, segue_error *err)
{
    return segue_learner_deserialize(out, saved->data, saved->size, "the saved learner", err);
}

segue_status segue_saved_learner_decode(learner_settings *settings, json_t *body, segue_error *err)
{
    const json_t *value = json_object_get(body, "saved");
    if (!json_is_string(value))
        return segue_json_fail(&body_location, "saved", err,
                               "is %s; need the bytes of a saved learner in base64",
                               segue_json_kind(value));
    SEGUE_TRY(decode(settings, json_string_value(value), json_string_length(value), err));
    name_bytes(&settings->saved, settings->from);
    return SEGUE_OK;
}

segue_status segue_saved_learner_read(learner_settings *settings, json_t *body, segue_error *err)
{
    segue_learner *saved = NULL;
    if (!json_object_get(body, "saved"))
        return SEGUE_OK;
    SEGUE_TRY(segue_saved_learner_decode(settings, body, err));
    SEGUE_TRY(load(&settings->saved, &saved, err));
    const segue_status status = copy_settings(settings, saved, body, err);
    segue_learner_destroy(saved);
    return status;
}

/* ---- agreement --------------------------------------------------------------------------- */

static segue_status fail_number(const char *field, double given, double saved, segue_error *err)
{
    return segue_json_fail(&body_location, field, err, "is %.10g; the saved learner has %.10g",
                           given, saved);
}

static segue_status check_numbers(const learner_settings *s, const segue_learner_config *saved,
                                  segue_error *err)
{
    if (s->terms.steps != saved->horizon)
        return fail_number("steps", (double)s->terms.steps, (double)saved->horizon, err);
    if (s->seed != saved->seed)
        return fail_number("seed", (double)s->seed, (double)saved->seed, err);
    if (s->models != saved->n_models)
        return fail_number("models", (double)s->models, (double)saved->n_models, err);
    if (s->lowest < saved->lowest || s->lowest > saved->lowest || s->highest < saved->highest ||
        s->highest > saved->highest)
        return segue_json_fail(&body_location, "range", err,
                               "is %g to %g; the saved learner has %g to %g", s->lowest, s->highest,
                               saved->lowest, saved->highest);
    return SEGUE_OK;
}

static segue_status check_arms(const learner_settings *s, const segue_learner *saved,
                               segue_error *err)
{
    const size_t n_arms = segue_learner_get_config(saved)->n_arms;
    if (s->n_arms != n_arms)
        return segue_json_fail(&body_location, "arms", err,
                               "has %zu names; the saved learner has %zu arms", s->n_arms, n_arms);
    for (size_t i = 0; i < n_arms; i++) {
        const char *name = segue_learner_arm_name(saved, i);
        if (name && strcmp(name, s->arm[i]) != 0)
            return segue_json_fail(&body_location, "arms", err,
                                   "has '%.60s' in position %zu; the saved learner has '%.60s'",
                                   s->arm[i], i + 1, name);
    }
    return SEGUE_OK;
}

/* Compare with a learner of the settings alone; what settings do not hold is the saved one's. */
static segue_status check_method(const learner_settings *s, const segue_learner_config *saved,
                                 segue_error *err)
{
    segue_learner *fresh = NULL;
    SEGUE_TRY(segue_learner_settings_create_new(s, &fresh, err));
    segue_learner_config config = *segue_learner_get_config(fresh);
    segue_learner_destroy(fresh);
    config.n_tasks = saved->n_tasks;
    config.run = saved->run;
    config.background = saved->background;
    if (segue_learner_config_equal(&config, saved))
        return SEGUE_OK;
    char text[SEGUE_MAX_NAME_SIZE + 1] = "";
    (void)segue_learner_config_format(saved, text, sizeof text);
    return segue_json_fail(&body_location, "method", err,
                           "is '%.80s'; the saved learner is '%.80s'", s->method, text);
}

static segue_status check_agrees(const learner_settings *s, const segue_learner *saved,
                                 segue_error *err)
{
    const segue_learner_config *config = segue_learner_get_config(saved);
    SEGUE_TRY(check_arms(s, saved, err));
    SEGUE_TRY(check_numbers(s, config, err));
    return check_method(s, config, err);
}

/* ---- a learner --------------------------------------------------------------------------- */

segue_status segue_saved_learner_create(const learner_settings *settings, segue_learner **out,
                                        segue_error *err)
{
    char name[SEGUE_SAVED_HASH_LENGTH + 1];
    *out = NULL;
    if (!settings->saved.data)
        return segue_store_fail_damaged(err,
                                        "the saved learner that '%.60s' was created from is "
                                        "missing (table initial)",
                                        settings->name);
    name_bytes(&settings->saved, name);
    if (strcmp(name, settings->from) != 0)
        return segue_store_fail_damaged(err,
                                        "the saved learner that '%.60s' was created from has "
                                        "other bytes (table initial)",
                                        settings->name);
    SEGUE_TRY(load(&settings->saved, out, err));
    segue_status status = check_agrees(settings, *out, err);
    if (status == SEGUE_OK)
        status = segue_learner_name_arms(*out, NULL, err);
    if (status == SEGUE_OK) {
        segue_learner_set_background(*out, true);
        return SEGUE_OK;
    }
    segue_learner_destroy(*out);
    *out = NULL;
    return status;
}
