/* task_features.c - features of a task as JSON: in a request, and in the store.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/task_features.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "io/utf8.h"

static const segue_json_location location = {.path = "the body"};

/* The text or number that a value is stored as; NULL: it is neither, or memory ran out. */
static json_t *value_to_store(json_t *value)
{
    if (json_is_boolean(value))
        return json_string(json_is_true(value) ? "true" : "false");
    return json_is_string(value) || json_is_number(value) ? json_incref(value) : NULL;
}

static segue_status check_one(const char *name, json_t *value, segue_error *err)
{
    const char *text = json_string_value(value);
    if (!json_is_string(value) && !json_is_number(value) && !json_is_boolean(value))
        return segue_json_fail(&location, "features", err,
                               "'%.64s' is %s; need a text, a number, true, false or null", name,
                               segue_json_kind(value));
    if (segue_utf8_has_control(name) || (text && segue_utf8_has_control(text)))
        return segue_json_fail(&location, "features", err,
                               "a name or a text has a control character; remove it");
    return SEGUE_OK;
}

/* Copy the features that are known. */
static segue_status copy_known(json_t *from, json_t *to, segue_error *err)
{
    const char *name;
    json_t *value;
    json_object_foreach(from, name, value)
    {
        if (json_is_null(value))
            continue;
        SEGUE_TRY(check_one(name, value, err));
        if (json_object_set_new(to, name, value_to_store(value)) != 0)
            return segue_fail_no_memory(err, "features");
    }
    return SEGUE_OK;
}

static void fill(task_features *out)
{
    const char *name;
    json_t *value;
    json_object_foreach(out->json, name, value)
    {
        if (out->n == SEGUE_MAX_FEATURES)
            return;
        out->item[out->n++] =
            (segue_feature){.name = name,
                            .text = json_string_value(value),
                            .number = json_is_number(value) ? json_number_value(value) : 0.0};
    }
}

/* Check the number of features, their names and values. */
static segue_status check_all(json_t *known, segue_error *err)
{
    task_features features = {.json = known};
    segue_error why;
    if (json_object_size(known) > SEGUE_MAX_FEATURES)
        return segue_json_fail(&location, "features", err, "there are %zu; need %d at most",
                               json_object_size(known), SEGUE_MAX_FEATURES);
    fill(&features);
    return segue_learner_check_features(features.item, features.n, &why) == SEGUE_OK
               ? SEGUE_OK
               : segue_json_fail_cause(&location, "features", &why, err);
}

segue_status segue_task_features_read(json_t *value, char **out, segue_error *err)
{
    *out = NULL;
    if (!value || json_is_null(value))
        return SEGUE_OK;
    if (!json_is_object(value))
        return segue_json_fail(&location, "features", err, "is %s; need an object",
                               segue_json_kind(value));
    json_t *known = json_object();
    segue_status status =
        known ? copy_known(value, known, err) : segue_fail_no_memory(err, "features");
    if (status == SEGUE_OK)
        status = check_all(known, err);
    if (status == SEGUE_OK && json_object_size(known) > 0) {
        *out = json_dumps(known, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
        status = *out ? SEGUE_OK : segue_fail_no_memory(err, "features");
    }
    json_decref(known);
    return status;
}

segue_status segue_task_features_parse(task_features *out, const char *text, segue_error *err)
{
    *out = (task_features){.json = NULL};
    if (!text)
        return SEGUE_OK;
    errno = 0; /* jansson reports some failed allocations as a syntax error */
    out->json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    if (!out->json && errno == ENOMEM)
        return segue_fail_no_memory(err, "features");
    const char *name;
    json_t *value;
    bool is_right = json_is_object(out->json) && json_object_size(out->json) > 0 &&
                    json_object_size(out->json) <= SEGUE_MAX_FEATURES;
    json_object_foreach(out->json, name, value) is_right =
        is_right && (json_is_string(value) || json_is_number(value));
    if (!is_right)
        return segue_fail(err, SEGUE_EDOMAIN, "need an object of 1 to %d texts and numbers",
                          SEGUE_MAX_FEATURES);
    fill(out);
    return segue_learner_check_features(out->item, out->n, err);
}

void segue_task_features_fini(task_features *features)
{
    json_decref(features->json);
    *features = (task_features){.json = NULL};
}
