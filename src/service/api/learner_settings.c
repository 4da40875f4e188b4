/* learner_settings.c - the settings of a learner: read from a request, written with all fields.
 *
 * A request is read strictly: unknown fields and values out of range are rejected, and what was not
 * given gets its default.  The written form has every field in a fixed order.  It is stored with
 * the learner, read back at a start, and compared byte by byte with later requests for the same
 * name.  Limits that only a new learner must meet are in `check_new`: a start does not apply them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/learner_settings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "io/json_write.h"
#include "segue/internal.h"
#include "service/api/saved_learner.h"
#include "service/state/hash_map.h"

#define DEFAULT_CONTROL 0.05
#define MAX_RANGE_END   1e100 /* sums of squares of rewards stay finite */
#define MIN_RANGE_WIDTH 1e-100

static const segue_json_location body_location = {.path = "the body"};

static const char *const fields[] = {"name",
                                     "arms",
                                     "method",
                                     "models",
                                     "range",
                                     "steps",
                                     "reward_deadline",
                                     "default_reward",
                                     "close_after",
                                     "idle",
                                     "control",
                                     "grow",
                                     "stop_if_harmful",
                                     "smallest_effect",
                                     "floor",
                                     "shares",
                                     "costs",
                                     "switch_cost",
                                     "seed",
                                     "saved",
                                     "from",
                                     "changes",
                                     "paused",
                                     "aggregate",
                                     "mode"};

/* ---- numbers ----------------------------------------------------------------------------- */

static segue_status read_integer(json_t *body, const char *field, uint64_t max, uint64_t *out,
                                 segue_error *err)
{
    const json_t *value = json_object_get(body, field);
    return value ? segue_json_integer(&body_location, field, value, 0, max, out, err) : SEGUE_OK;
}

/* Only new learners have limits of the range (check_new). */
static segue_status read_range(learner_settings *s, json_t *body, segue_error *err)
{
    const json_t *value = json_object_get(body, "range");
    if (!value)
        return SEGUE_OK;
    const json_t *low = json_array_get(value, 0), *high = json_array_get(value, 1);
    if (json_array_size(value) != 2 || !json_is_number(low) || !json_is_number(high))
        return segue_json_fail(&body_location, "range", err,
                               "need a list of the lowest and the highest reward");
    s->lowest = json_number_value(low);
    s->highest = json_number_value(high);
    return SEGUE_OK;
}

/* Order matters: limits of terms depend on the range. */
static segue_status read_numbers(learner_settings *s, json_t *body, segue_error *err)
{
    SEGUE_TRY(read_integer(body, "models", SEGUE_MAX_MODELS, &s->models, err));
    SEGUE_TRY(read_range(s, body, err));
    SEGUE_TRY(segue_task_terms_read(&s->terms, body, s->lowest, s->highest, &s->numbers, err));
    return read_integer(body, "seed", INT64_MAX, &s->seed, err);
}

/* ---- arms -------------------------------------------------------------------------------- */

/* `seen` has the names so far: two arms must not share one. */
static segue_status add_arm(learner_settings *s, hash_map *seen, const json_t *value,
                            segue_error *err)
{
    char name[SEGUE_MAX_NAME_SIZE + 1];
    SEGUE_TRY(segue_name_read(value, "arms", name, err));
    if (segue_hash_map_find(seen, name, strlen(name)))
        return segue_json_fail(&body_location, "arms", err, "has '%.60s' twice", name);
    char *copy = malloc(strlen(name) + 1);
    if (!copy || !segue_hash_map_set(seen, name, strlen(name), copy)) {
        free(copy);
        return segue_fail_no_memory(err, "the arms");
    }
    s->arm[s->n_arms++] = strcpy(copy, name);
    return SEGUE_OK;
}

static segue_status read_arms(learner_settings *s, json_t *body, segue_error *err)
{
    const json_t *list = json_object_get(body, "arms");
    const size_t count = json_array_size(list);
    if (!json_is_array(list) || count < SEGUE_MIN_ARMS || count > SEGUE_MAX_SERVICE_ARMS)
        return segue_json_fail(&body_location, "arms", err, "need a list of %d to %d names",
                               SEGUE_MIN_ARMS, SEGUE_MAX_SERVICE_ARMS);
    static const unsigned char key[16]; /* at most 1,000 names, once: collisions cost nothing */
    s->arm = calloc(count, sizeof(char *));
    if (!s->arm)
        return segue_fail_no_memory(err, "the arms");
    hash_map seen;
    segue_hash_map_init(&seen, key);
    segue_status status = SEGUE_OK;
    for (size_t i = 0; i < count && status == SEGUE_OK; i++)
        status = add_arm(s, &seen, json_array_get(list, i), err);
    segue_hash_map_fini(&seen);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------- */

/* The store names the saved learner that a learner was created from. */
static segue_status read_from(learner_settings *s, json_t *body, segue_error *err)
{
    const json_t *value = json_object_get(body, "from");
    if (!value)
        return SEGUE_OK;
    if (!json_is_string(value) || json_string_length(value) != SEGUE_SAVED_HASH_LENGTH)
        return segue_json_fail(&body_location, "from", err, "need the SHA-256 of a saved learner");
    memcpy(s->from, json_string_value(value), SEGUE_SAVED_HASH_LENGTH + 1);
    return SEGUE_OK;
}

/* The store has the changes of a learner, and whether it is paused. */
static segue_status read_changes(learner_settings *s, json_t *body, segue_error *err)
{
    json_t *list = json_object_get(body, "changes");
    s->paused = json_is_true(json_object_get(body, "paused"));
    return list ? segue_terms_changes_read(list, &s->terms, s->lowest, s->highest, &s->numbers,
                                           &s->change, &s->n_changes, err)
                : SEGUE_OK;
}

/* Without transfer there is no effect of it to measure. */
static double default_control(const char *name)
{
    const segue_learner_method *method = segue_learner_method_find(name);
    return method && method->without_transfer ? 0.0 : DEFAULT_CONTROL;
}

static segue_status read_fields(learner_settings *s, json_t *body, segue_error *err)
{
    SEGUE_TRY(
        segue_json_check_keys(&body_location, body, fields, sizeof fields / sizeof *fields, err));
    SEGUE_TRY(segue_name_read(json_object_get(body, "name"), "name", s->name, err));
    SEGUE_TRY(read_from(s, body, err));
    SEGUE_TRY(segue_saved_learner_read(s, body, err));
    if (json_object_get(body, "method"))
        SEGUE_TRY(segue_name_read(json_object_get(body, "method"), "method", s->method, err));
    s->terms.control = default_control(s->method);
    SEGUE_TRY(read_numbers(s, body, err));
    SEGUE_TRY(segue_aggregate_read(body, &s->aggregate, err));
    SEGUE_TRY(read_changes(s, body, err));
    return read_arms(s, body, err);
}

/* After a failure the settings hold no memory. */
static segue_status read_settings(learner_settings *s, json_t *body, segue_error *err)
{
    *s = (learner_settings){.method = "auto", .lowest = 0.0, .highest = 1.0, .seed = 1};
    const segue_status status = read_fields(s, body, err);
    if (status != SEGUE_OK)
        segue_learner_settings_fini(s);
    return status;
}

static bool knows(const void *settings, const char *arm)
{
    const learner_settings *s = settings;
    size_t i = 0;
    while (i < s->n_arms && strcmp(s->arm[i], arm) != 0)
        i++;
    return i < s->n_arms;
}

/* Settings name arms that the learner has. */
static segue_status check_arms(const learner_settings *s, segue_error *err)
{
    const char *field = NULL, *arm = segue_task_terms_unknown_arm(&s->terms, knows, s, &field);
    return arm ? segue_json_fail(&body_location, field, err,
                                 "names '%.60s'; need an arm of the learner", arm)
               : SEGUE_OK;
}

/* Check what only a new learner must meet: one that the store has must stay readable. */
static segue_status check_new(const learner_settings *s, json_t *body, segue_error *err)
{
    char name[SEGUE_MAX_NAME_SIZE + 1];
    SEGUE_TRY(segue_name_read_new(json_object_get(body, "name"), "name", name, err));
    if (json_object_get(body, "from"))
        return segue_json_fail(&body_location, "from", err,
                               "names a saved learner; send its bytes as 'saved'");
    if (json_object_get(body, "changes") || json_object_get(body, "paused"))
        return segue_json_fail(&body_location,
                               json_object_get(body, "paused") ? "paused" : "changes", err,
                               "is not a setting of a new learner; PATCH it afterwards");
    const json_t *arms = json_object_get(body, "arms");
    for (size_t i = 0; i < json_array_size(arms); i++)
        SEGUE_TRY(segue_name_read_new(json_array_get(arms, i), "arms", name, err));
    if (!(fabs(s->lowest) <= MAX_RANGE_END && fabs(s->highest) <= MAX_RANGE_END &&
          s->highest - s->lowest >= MIN_RANGE_WIDTH))
        return segue_json_fail(&body_location, "range", err,
                               "need rewards from %g to %g, the second at least %g above the first",
                               -MAX_RANGE_END, MAX_RANGE_END, MIN_RANGE_WIDTH);
    SEGUE_TRY(check_arms(s, err));
    return segue_task_terms_check(&s->terms, err);
}

segue_status segue_learner_settings_read(learner_settings *settings, json_t *body, segue_error *err)
{
    SEGUE_TRY(read_settings(settings, body, err));
    const segue_status status = check_new(settings, body, err);
    if (status != SEGUE_OK)
        segue_learner_settings_fini(settings);
    return status;
}

/* For settings from the store: limits of new learners do not apply. */
segue_status segue_learner_settings_parse(learner_settings *settings, const char *text,
                                          segue_error *err)
{
    json_error_t why;
    json_t *body = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    *settings = (learner_settings){.arm = NULL};
    if (!body && json_error_code(&why) == json_error_out_of_memory)
        return segue_fail_no_memory(err, "the settings of a learner");
    if (!json_is_object(body)) {
        json_decref(body);
        return segue_fail(err, SEGUE_EFILE, "the settings of a learner are damaged: %s", why.text);
    }
    const segue_status status = read_settings(settings, body, err);
    json_decref(body);
    return status;
}

void segue_learner_settings_fini(learner_settings *settings)
{
    for (size_t i = 0; i < settings->n_arms; i++)
        free(settings->arm[i]);
    free(settings->arm);
    settings->arm = NULL;
    settings->n_arms = 0;
    segue_bytes_fini(&settings->saved);
    free(settings->change);
    settings->change = NULL;
    settings->n_changes = 0;
    segue_arm_numbers_free(&settings->numbers);
}

/* ---- terms ------------------------------------------------------------------------------- */

const task_terms *segue_learner_settings_terms(const learner_settings *settings)
{
    return settings->n_changes > 0 ? &settings->change[settings->n_changes - 1].terms
                                   : &settings->terms;
}

const task_terms *segue_learner_settings_terms_of(const learner_settings *settings, int64_t task)
{
    size_t i = settings->n_changes;
    while (i > 0 && settings->change[i - 1].after >= task)
        i--;
    return i > 0 ? &settings->change[i - 1].terms : &settings->terms;
}

double segue_learner_settings_range(const learner_settings *settings)
{
    return settings->highest - settings->lowest;
}

bool segue_learner_settings_has_defaults(const learner_settings *settings)
{
    bool any = settings->terms.has_default_reward;
    for (size_t i = 0; i < settings->n_changes; i++)
        any = any || settings->change[i].terms.has_default_reward;
    return any;
}

/* ---- writing ----------------------------------------------------------------------------- */

void segue_learner_settings_write_numbers(const learner_settings *settings, const task_terms *terms,
                                          segue_bytes *b)
{
    segue_json_write_raw(b, ",\"range\":[");
    segue_json_write_number(b, settings->lowest);
    segue_json_write_raw(b, ",");
    segue_json_write_number(b, settings->highest);
    segue_json_write_raw(b, "]");
    segue_task_terms_write(terms, b);
    segue_json_write_integer(b, "seed", settings->seed);
}

/* Without the closing brace. */
static void write_with(const learner_settings *settings, const task_terms *terms, segue_bytes *b)
{
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "name", settings->name);
    segue_json_write_raw(b, ",\"arms\":[");
    for (size_t i = 0; i < settings->n_arms; i++) {
        segue_json_write_raw(b, i > 0 ? "," : "");
        segue_json_write_string(b, settings->arm[i]);
    }
    segue_json_write_raw(b, "]");
    segue_json_write_text(b, "method", settings->method);
    segue_json_write_integer(b, "models", settings->models);
    segue_learner_settings_write_numbers(settings, terms, b);
    if (settings->from[0])
        segue_json_write_text(b, "from", settings->from);
    if (settings->aggregate != SEGUE_AGGREGATE_FIRST) /* older programs did not write it */
        segue_json_write_text(b, "aggregate", segue_aggregate_name(settings->aggregate));
}

void segue_learner_settings_write(const learner_settings *settings, segue_bytes *b)
{
    write_with(settings, segue_learner_settings_terms(settings), b);
    segue_json_write_raw(b, "}");
}

void segue_learner_settings_write_created(const learner_settings *settings, segue_bytes *b)
{
    write_with(settings, &settings->terms, b);
    segue_json_write_raw(b, "}");
}

void segue_learner_settings_write_stored(const learner_settings *settings,
                                         const terms_change *change, size_t n_changes, bool paused,
                                         segue_bytes *b)
{
    write_with(settings, &settings->terms, b);
    if (n_changes > 0)
        segue_terms_changes_write(change, n_changes, &settings->terms, b);
    if (paused)
        segue_json_write_bool(b, "paused", true);
    segue_json_write_raw(b, "}");
}

/* ---- comparing --------------------------------------------------------------------------- */

/* Compare names and order. */
static bool same_arms(const learner_settings *a, const learner_settings *b)
{
    bool same = a->n_arms == b->n_arms;
    for (size_t i = 0; same && i < a->n_arms; i++)
        same = strcmp(a->arm[i], b->arm[i]) == 0;
    return same;
}

static void compare_number(const char *name, double stored, double requested, char *out,
                           size_t size)
{
    if (out[0] == '\0' && (stored < requested || stored > requested))
        (void)snprintf(out, size, "%s %.10g, request has %.10g", name, stored, requested);
}

void segue_learner_settings_difference(const learner_settings *stored,
                                       const learner_settings *requested, char *out, size_t size)
{
    const learner_settings *a = stored, *b = requested;
    out[0] = '\0';
    if (strcmp(a->method, b->method) != 0)
        (void)snprintf(out, size, "method %.60s, request has %.60s", a->method, b->method);
    else if (!same_arms(a, b))
        (void)snprintf(out, size, "other arms");
    else if (strcmp(a->from, b->from) != 0)
        (void)snprintf(out, size, "%s",
                       a->from[0] && b->from[0] ? "another saved learner"
                       : a->from[0]             ? "it started from a saved learner"
                                                : "it did not start from a saved learner");
    else if (a->aggregate != b->aggregate)
        (void)snprintf(out, size, "aggregate %s, request has %s",
                       segue_aggregate_name(a->aggregate), segue_aggregate_name(b->aggregate));
    compare_number("models", (double)a->models, (double)b->models, out, size);
    compare_number("lowest reward", a->lowest, b->lowest, out, size);
    compare_number("highest reward", a->highest, b->highest, out, size);
    compare_number("seed", (double)a->seed, (double)b->seed, out, size);
    if (out[0] == '\0')
        segue_task_terms_difference(segue_learner_settings_terms(a), &b->terms, out, size);
}

/* ---- a learner --------------------------------------------------------------------------- */

segue_status segue_learner_settings_create_learner(const learner_settings *settings,
                                                   segue_learner **out, segue_error *err)
{
    SEGUE_TRY(settings->from[0] ? segue_saved_learner_create(settings, out, err)
                                : segue_learner_settings_create_new(settings, out, err));
    const char *method = segue_learner_get_config(*out)->method;
    const segue_status status = segue_learner_settings_check_costs(&settings->terms, method, err);
    if (status != SEGUE_OK) {
        segue_learner_destroy(*out);
        *out = NULL;
    }
    return status;
}

segue_status segue_learner_settings_check_costs(const task_terms *terms, const char *method,
                                                segue_error *err)
{
    if (!segue_task_terms_have_costs(terms) || segue_learner_method_find(method)->takes_costs)
        return SEGUE_OK;
    return segue_json_fail(&body_location, terms->costs ? "costs" : "switch_cost", err,
                           "cannot be subtracted by %s, which knows no costs; choose a method "
                           "such as tla, tts or ts",
                           method);
}

segue_status segue_learner_settings_create_new(const learner_settings *settings,
                                               segue_learner **out, segue_error *err)
{
    segue_learner_config config = segue_learner_defaults();
    *out = NULL;
    SEGUE_TRY(segue_learner_config_parse(&config, settings->method, err));
    const segue_learner_method *method = segue_learner_method_find(config.method);
    if (settings->terms.steps == 0 && method->needs_horizon)
        return segue_json_fail(&body_location, "steps", err,
                               "is missing or 0; %s must know the steps of a task", config.method);
    if (config.n_models == 0) /* an option of the method goes before the field */
        config.n_models = (size_t)settings->models;
    if (config.n_models == 0 && method->needs_models)
        return segue_json_fail(&body_location, "models", err,
                               "is missing or 0; %s must know how many models to look for",
                               config.method);
    config.n_arms = settings->n_arms;
    config.horizon = settings->terms.steps;
    config.lowest = settings->lowest;
    config.highest = settings->highest;
    config.seed = settings->seed;
    config.background = true;
    return segue_learner_create(out, &config, err);
}
