/* learner_settings.c - the body that creates a learner: read strictly, written with all its fields.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/learner_settings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "io/json_write.h"
#include "io/utf8.h"
#include "segue/internal.h"
#include "service/state/hash_map.h"

#define LONGEST_TIME 1e9     /* seconds */
#define IDLE         86400.0 /* seconds */
#define LARGEST_END  1e100   /* of a range: its squares, summed, are still numbers */
#define LEAST_WIDTH  1e-100

static const segue_json_location body_place = {.path = "the body"};

static const char *const fields[] = {"name",        "arms",  "method",          "models",
                                     "range",       "steps", "reward_deadline", "default_reward",
                                     "close_after", "idle",  "control",         "seed"};

segue_status segue_learner_settings_read_name(const json_t *value, const char *field,
                                              char out[SEGUE_MAX_NAME_SIZE + 1], segue_error *err)
{
    if (!json_is_string(value) || json_string_length(value) == 0)
        return segue_json_fail(&body_place, field, err, "is %s; need a text",
                               json_is_string(value) ? "empty" : segue_json_kind(value));
    if (!segue_json_is_printable(
            value)) /* an older store has names with others, and must be read */
        return segue_learner_settings_check_name(field, json_string_value(value), err);
    const size_t size = json_string_length(value);
    if (size > SEGUE_MAX_NAME_SIZE)
        return segue_json_fail(&body_place, field, err, "has %zu bytes; at most %d are allowed",
                               size, SEGUE_MAX_NAME_SIZE);
    memcpy(out, json_string_value(value), size + 1);
    return SEGUE_OK;
}

segue_status segue_learner_settings_check_name(const char *field, const char *name,
                                               segue_error *err)
{
    uint32_t code = 0;
    if (!segue_utf8_find_hidden(name, &code))
        return SEGUE_OK;
    return segue_json_fail(&body_place, field, err, "has the %s U+%04X; need a text without",
                           code < 0xa0                        ? "control character"
                           : code == 0x2028 || code == 0x2029 ? "line separator"
                                                              : "direction mark",
                           (unsigned)code);
}

segue_status segue_learner_settings_read_key(const json_t *value, const char *field,
                                             char out[SEGUE_MAX_NAME_SIZE + 1], segue_error *err)
{
    const segue_status status = segue_learner_settings_read_name(value, field, out, err);
    if (status == SEGUE_OK && (strcmp(out, ".") == 0 || strcmp(out, "..") == 0))
        return segue_json_fail(&body_place, field, err,
                               "is '%s', which has a meaning of its own in a path", out);
    return status;
}

segue_status segue_learner_settings_read_new_name(const json_t *value, const char *field,
                                                  char out[SEGUE_MAX_NAME_SIZE + 1],
                                                  segue_error *err)
{
    const segue_status status = segue_learner_settings_read_key(value, field, out, err);
    return status == SEGUE_OK ? segue_learner_settings_check_name(field, out, err) : status;
}

/* ---- numbers ----------------------------------------------------------------------------- */

static segue_status read_number(json_t *body, const char *field, double least, double most,
                                double *out, segue_error *err)
{
    const json_t *value = json_object_get(body, field);
    if (!value)
        return SEGUE_OK;
    const double x = json_is_number(value) ? json_number_value(value) : NAN;
    if (!(x >= least && x <= most))
        return segue_json_fail(&body_place, field, err, "is %s; need a number from %g to %g",
                               json_is_number(value) ? "out of range" : segue_json_kind(value),
                               least, most);
    *out = x;
    return SEGUE_OK;
}

static segue_status read_whole(json_t *body, const char *field, uint64_t most, uint64_t *out,
                               segue_error *err)
{
    const json_t *value = json_object_get(body, field);
    return value ? segue_json_integer(&body_place, field, value, 0, most, out, err) : SEGUE_OK;
}

static segue_status read_range(words *w, json_t *body, segue_error *err)
{
    const json_t *value = json_object_get(body, "range");
    if (!value)
        return SEGUE_OK;
    const json_t *low = json_array_get(value, 0), *high = json_array_get(value, 1);
    if (json_array_size(value) != 2 || !json_is_number(low) || !json_is_number(high))
        return segue_json_fail(&body_place, "range", err,
                               "need a list of the lowest and the highest reward");
    w->lowest = json_number_value(low);
    w->highest = json_number_value(high);
    return SEGUE_OK;
}

static segue_status read_default(words *w, json_t *body, segue_error *err)
{
    const json_t *value = json_object_get(body, "default_reward");
    if (!value || json_is_null(value))
        return SEGUE_OK;
    w->has_default = true;
    const segue_status status =
        read_number(body, "default_reward", w->lowest, w->highest, &w->fallback, err);
    if (status == SEGUE_OK && w->wait <= 0.0)
        return segue_json_fail(&body_place, "default_reward", err,
                               "needs a 'reward_deadline' above 0");
    return status;
}

static segue_status read_numbers(words *w, json_t *body, segue_error *err)
{
    segue_status status = read_whole(body, "models", SEGUE_MAX_MODELS, &w->models, err);
    if (status == SEGUE_OK)
        status = read_range(w, body, err);
    if (status == SEGUE_OK)
        status = read_whole(body, "steps", SEGUE_MAX_HORIZON, &w->steps, err);
    w->close_after = w->steps;
    if (status == SEGUE_OK)
        status = read_number(body, "reward_deadline", 0.0, LONGEST_TIME, &w->wait, err);
    if (status == SEGUE_OK)
        status = read_default(w, body, err);
    if (status == SEGUE_OK)
        status = read_whole(body, "close_after", SEGUE_MAX_HORIZON, &w->close_after, err);
    w->has_idle = json_object_get(body, "idle") != NULL;
    /* only closed tasks are learned from: one that was left must be closed some day */
    w->idle = fmin(fmax(IDLE, 2.0 * w->wait), LONGEST_TIME);
    if (status == SEGUE_OK)
        status = read_number(body, "idle", 0.0, LONGEST_TIME, &w->idle, err);
    if (status == SEGUE_OK)
        status = read_number(body, "control", 0.0, 1.0, &w->control, err);
    if (status == SEGUE_OK)
        status = read_whole(body, "seed", INT64_MAX, &w->seed, err);
    return status;
}

/* ---- arms -------------------------------------------------------------------------------- */

static segue_status add_arm(words *w, map *seen, const json_t *value, segue_error *err)
{
    char name[SEGUE_MAX_NAME_SIZE + 1];
    const segue_status status = segue_learner_settings_read_name(value, "arms", name, err);
    if (status != SEGUE_OK)
        return status;
    if (segue_hash_map_find(seen, name, strlen(name)))
        return segue_json_fail(&body_place, "arms", err, "has '%.60s' twice", name);
    char *copy = malloc(strlen(name) + 1);
    if (!copy || !segue_hash_map_set(seen, name, strlen(name), copy)) {
        free(copy);
        return segue_fail_no_memory(err, "the arms");
    }
    w->arm[w->n_arms++] = strcpy(copy, name);
    return SEGUE_OK;
}

static segue_status read_arms(words *w, json_t *body, segue_error *err)
{
    const json_t *list = json_object_get(body, "arms");
    const size_t count = json_array_size(list);
    if (!json_is_array(list) || count < SEGUE_MIN_ARMS || count > SEGUE_MAX_SERVICE_ARMS)
        return segue_json_fail(&body_place, "arms", err, "need a list of %d to %d names",
                               SEGUE_MIN_ARMS, SEGUE_MAX_SERVICE_ARMS);
    static const unsigned char key[16]; /* few names, and only once: any key will do */
    map seen;
    segue_hash_map_init(&seen, key);
    w->arm = calloc(count, sizeof(char *));
    segue_status status = w->arm ? SEGUE_OK : segue_fail_no_memory(err, "the arms");
    for (size_t i = 0; i < count && status == SEGUE_OK; i++)
        status = add_arm(w, &seen, json_array_get(list, i), err);
    segue_hash_map_fini(&seen);
    return status;
}

/* ---- all --------------------------------------------------------------------------------- */

static segue_status read_all(words *w, json_t *body, segue_error *err)
{
    segue_status status =
        segue_json_check_keys(&body_place, body, fields, sizeof fields / sizeof *fields, err);
    if (status == SEGUE_OK)
        status =
            segue_learner_settings_read_name(json_object_get(body, "name"), "name", w->name, err);
    if (status == SEGUE_OK && json_object_get(body, "method"))
        status = segue_learner_settings_read_name(json_object_get(body, "method"), "method",
                                                  w->method, err);
    if (status == SEGUE_OK)
        status = read_numbers(w, body, err);
    return status == SEGUE_OK ? read_arms(w, body, err) : status;
}

/* What is asked of a new learner alone: one that a store has must stay readable. */
static segue_status check_new(const words *w, json_t *body, segue_error *err)
{
    char name[SEGUE_MAX_NAME_SIZE + 1];
    segue_status status =
        segue_learner_settings_read_new_name(json_object_get(body, "name"), "name", name, err);
    const json_t *arms = json_object_get(body, "arms");
    for (size_t i = 0; i < json_array_size(arms) && status == SEGUE_OK; i++)
        status = segue_learner_settings_read_new_name(json_array_get(arms, i), "arms", name, err);
    if (status != SEGUE_OK)
        return status;
    if (!(fabs(w->lowest) <= LARGEST_END && fabs(w->highest) <= LARGEST_END &&
          w->highest - w->lowest >= LEAST_WIDTH))
        return segue_json_fail(&body_place, "range", err,
                               "need rewards from %g to %g, the second at least %g above the first",
                               -LARGEST_END, LARGEST_END, LEAST_WIDTH);
    if (w->has_default && w->idle > 0.0 && w->idle < w->wait)
        return segue_json_fail(&body_place, "idle", err,
                               "is %g, and a default counts after %g seconds: the task would be "
                               "closed before; need at least as much, or 0",
                               w->idle, w->wait);
    return SEGUE_OK;
}

static segue_status read_words(words *w, json_t *body, segue_error *err)
{
    *w = (words){.method = "auto", .lowest = 0.0, .highest = 1.0, .control = 0.05, .seed = 1};
    const segue_status status = read_all(w, body, err);
    if (status != SEGUE_OK)
        segue_learner_settings_fini(w);
    return status;
}

segue_status segue_learner_settings_read(words *w, json_t *body, segue_error *err)
{
    segue_status status = read_words(w, body, err);
    if (status != SEGUE_OK)
        return status;
    status = check_new(w, body, err);
    if (status != SEGUE_OK)
        segue_learner_settings_fini(w);
    return status;
}

segue_status segue_learner_settings_parse(words *w, const char *text, segue_error *err)
{
    json_error_t why;
    json_t *body = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    *w = (words){.arm = NULL};
    if (!body && json_error_code(&why) == json_error_out_of_memory)
        return segue_fail_no_memory(err, "the settings of a learner");
    if (!json_is_object(body)) {
        json_decref(body);
        return segue_fail(err, SEGUE_EFILE, "the settings of a learner are damaged: %s", why.text);
    }
    const segue_status status = read_words(w, body, err);
    json_decref(body);
    return status;
}

void segue_learner_settings_fini(words *w)
{
    for (size_t i = 0; i < w->n_arms; i++)
        free(w->arm[i]);
    free(w->arm);
    w->arm = NULL;
    w->n_arms = 0;
}

void segue_learner_settings_write_numbers(const words *w, segue_bytes *b)
{
    segue_json_write_raw(b, ",\"range\":[");
    segue_json_write_number(b, w->lowest);
    segue_json_write_raw(b, ",");
    segue_json_write_number(b, w->highest);
    segue_json_write_raw(b, "]");
    segue_json_write_integer(b, "steps", w->steps);
    segue_json_write_double(b, "reward_deadline", w->wait);
    segue_json_write_double(b, "default_reward", w->has_default ? w->fallback : NAN);
    segue_json_write_integer(b, "close_after", w->close_after);
    segue_json_write_double(b, "idle", w->idle);
    segue_json_write_double(b, "control", w->control);
    segue_json_write_integer(b, "seed", w->seed);
}

void segue_learner_settings_write(const words *w, segue_bytes *b)
{
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "name", w->name);
    segue_json_write_raw(b, ",\"arms\":[");
    for (size_t i = 0; i < w->n_arms; i++) {
        segue_json_write_raw(b, i > 0 ? "," : "");
        segue_json_write_string(b, w->arm[i]);
    }
    segue_json_write_raw(b, "]");
    segue_json_write_text(b, "method", w->method);
    segue_json_write_integer(b, "models", w->models);
    segue_learner_settings_write_numbers(w, b);
    segue_json_write_raw(b, "}");
}

segue_status segue_learner_settings_create_learner(const words *w, segue_learner **out,
                                                   segue_error *err)
{
    segue_learner_config config = segue_learner_defaults();
    *out = NULL;
    const segue_status status = segue_learner_config_parse(&config, w->method, err);
    if (status != SEGUE_OK)
        return status;
    if (w->steps == 0 && segue_learner_method_find(config.method)->needs_horizon)
        return segue_json_fail(&body_place, "steps", err,
                               "is missing or 0; %s must know the steps of a task", config.method);
    if (config.n_models == 0) /* an option goes before the field */
        config.n_models = (size_t)w->models;
    if (config.n_models == 0 && segue_learner_method_find(config.method)->needs_models)
        return segue_json_fail(&body_place, "models", err,
                               "is missing or 0; %s must know how many models to look for",
                               config.method);
    config.n_arms = w->n_arms;
    config.horizon = w->steps;
    config.lowest = w->lowest;
    config.highest = w->highest;
    config.seed = w->seed;
    config.background = true;
    return segue_learner_create(out, &config, err);
}
