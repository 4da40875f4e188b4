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

#define MAX_SECONDS      1e9
#define DEFAULT_IDLE     86400.0 /* seconds: a task that a client abandoned must close some day */
#define DEFAULT_CONTROL  0.05
#define MIN_GROW_CONTROL 0.01 /* a control task weighs at most 100 others */
#define MAX_GROW_CONTROL 0.5
#define MAX_RANGE_END    1e100 /* sums of squares of rewards stay finite */
#define MIN_RANGE_WIDTH  1e-100

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
                                     "seed",
                                     "saved",
                                     "from",
                                     "grow",
                                     "stop_if_harmful",
                                     "smallest_effect"};

/* ---- numbers ----------------------------------------------------------------------------- */

/* Without the field, *out stays as it is. */
static segue_status read_number(json_t *body, const char *field, double min, double max,
                                double *out, segue_error *err)
{
    const json_t *value = json_object_get(body, field);
    if (!value)
        return SEGUE_OK;
    const double x = json_is_number(value) ? json_number_value(value) : NAN;
    if (!(x >= min && x <= max))
        return segue_json_fail(&body_location, field, err, "is %s; need a number from %g to %g",
                               json_is_number(value) ? "out of range" : segue_json_kind(value), min,
                               max);
    *out = x;
    return SEGUE_OK;
}

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

/* null means none, as the written form has it. */
static segue_status read_default_reward(learner_settings *s, json_t *body, segue_error *err)
{
    const json_t *value = json_object_get(body, "default_reward");
    if (!value || json_is_null(value))
        return SEGUE_OK;
    s->has_default_reward = true;
    SEGUE_TRY(read_number(body, "default_reward", s->lowest, s->highest, &s->default_reward, err));
    if (s->reward_deadline <= 0.0)
        return segue_json_fail(&body_location, "default_reward", err,
                               "counts when the deadline passes; give 'reward_deadline', too");
    return SEGUE_OK;
}

static segue_status read_flag(json_t *body, const char *field, bool *out, segue_error *err)
{
    const json_t *value = json_object_get(body, field);
    if (value && !json_is_boolean(value))
        return segue_json_fail(&body_location, field, err, "is %s; need true or false",
                               segue_json_kind(value));
    *out = json_is_true(value);
    return SEGUE_OK;
}

/* Settings that act on the effect of transfer. */
static segue_status read_effect(learner_settings *s, json_t *body, segue_error *err)
{
    SEGUE_TRY(read_flag(body, "grow", &s->grow, err));
    SEGUE_TRY(read_flag(body, "stop_if_harmful", &s->stop_if_harmful, err));
    return read_number(body, "smallest_effect", 0.0, s->highest - s->lowest, &s->smallest_effect,
                       err);
}

/* Order matters: later defaults and limits depend on the range, the steps and the deadline. */
static segue_status read_numbers(learner_settings *s, json_t *body, segue_error *err)
{
    SEGUE_TRY(read_integer(body, "models", SEGUE_MAX_MODELS, &s->models, err));
    SEGUE_TRY(read_range(s, body, err));
    SEGUE_TRY(read_integer(body, "steps", SEGUE_MAX_HORIZON, &s->steps, err));
    SEGUE_TRY(read_number(body, "reward_deadline", 0.0, MAX_SECONDS, &s->reward_deadline, err));
    SEGUE_TRY(read_default_reward(s, body, err));
    s->close_after = s->steps;
    SEGUE_TRY(read_integer(body, "close_after", SEGUE_MAX_HORIZON, &s->close_after, err));
    s->idle = fmin(fmax(DEFAULT_IDLE, 2.0 * s->reward_deadline), MAX_SECONDS);
    SEGUE_TRY(read_number(body, "idle", 0.0, MAX_SECONDS, &s->idle, err));
    SEGUE_TRY(read_number(body, "control", 0.0, 1.0, &s->control, err));
    SEGUE_TRY(read_effect(s, body, err));
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
    s->control = default_control(s->method);
    SEGUE_TRY(read_numbers(s, body, err));
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

/* Check what only a new learner must meet: one that the store has must stay readable. */
static segue_status check_new(const learner_settings *s, json_t *body, segue_error *err)
{
    char name[SEGUE_MAX_NAME_SIZE + 1];
    SEGUE_TRY(segue_name_read_new(json_object_get(body, "name"), "name", name, err));
    if (json_object_get(body, "from"))
        return segue_json_fail(&body_location, "from", err,
                               "names a saved learner; send its bytes as 'saved'");
    const json_t *arms = json_object_get(body, "arms");
    for (size_t i = 0; i < json_array_size(arms); i++)
        SEGUE_TRY(segue_name_read_new(json_array_get(arms, i), "arms", name, err));
    if (!(fabs(s->lowest) <= MAX_RANGE_END && fabs(s->highest) <= MAX_RANGE_END &&
          s->highest - s->lowest >= MIN_RANGE_WIDTH))
        return segue_json_fail(&body_location, "range", err,
                               "need rewards from %g to %g, the second at least %g above the first",
                               -MAX_RANGE_END, MAX_RANGE_END, MIN_RANGE_WIDTH);
    if (s->has_default_reward && s->idle > 0.0 && s->idle < s->reward_deadline)
        return segue_json_fail(&body_location, "idle", err,
                               "is %g; need at least the reward deadline of %g, or 0: an idle task "
                               "would close before its default rewards count",
                               s->idle, s->reward_deadline);
    return SEGUE_OK;
}

/* Without control tasks there is nothing to act on. */
static segue_status check_effect(const learner_settings *s, segue_error *err)
{
    if (s->grow && !(s->control >= MIN_GROW_CONTROL && s->control <= MAX_GROW_CONTROL))
        return segue_json_fail(&body_location, "grow", err,
                               "lets the share of control tasks fall to 'control', which is %g; "
                               "need %g to %g",
                               s->control, MIN_GROW_CONTROL, MAX_GROW_CONTROL);
    if (s->stop_if_harmful && !(s->control > 0.0 && s->control < 1.0))
        return segue_json_fail(&body_location, "stop_if_harmful", err,
                               "compares tasks with control tasks, and 'control' is %g; need a "
                               "share above 0 and below 1",
                               s->control);
    return SEGUE_OK;
}

segue_status segue_learner_settings_read(learner_settings *settings, json_t *body, segue_error *err)
{
    SEGUE_TRY(read_settings(settings, body, err));
    segue_status status = check_new(settings, body, err);
    if (status == SEGUE_OK)
        status = check_effect(settings, err);
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
}

/* ---- writing ----------------------------------------------------------------------------- */

void segue_learner_settings_write_numbers(const learner_settings *settings, segue_bytes *b)
{
    segue_json_write_raw(b, ",\"range\":[");
    segue_json_write_number(b, settings->lowest);
    segue_json_write_raw(b, ",");
    segue_json_write_number(b, settings->highest);
    segue_json_write_raw(b, "]");
    segue_json_write_integer(b, "steps", settings->steps);
    segue_json_write_double(b, "reward_deadline", settings->reward_deadline);
    segue_json_write_double(b, "default_reward",
                            settings->has_default_reward ? settings->default_reward : NAN);
    segue_json_write_integer(b, "close_after", settings->close_after);
    segue_json_write_double(b, "idle", settings->idle);
    segue_json_write_double(b, "control", settings->control);
    segue_json_write_bool(b, "grow", settings->grow);
    segue_json_write_bool(b, "stop_if_harmful", settings->stop_if_harmful);
    segue_json_write_double(b, "smallest_effect", settings->smallest_effect);
    segue_json_write_integer(b, "seed", settings->seed);
}

void segue_learner_settings_write(const learner_settings *settings, segue_bytes *b)
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
    segue_learner_settings_write_numbers(settings, b);
    if (settings->from[0])
        segue_json_write_text(b, "from", settings->from);
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

/* NAN stands for "no default reward": two of them are equal. */
static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void format_number(double x, char out[32])
{
    if (isnan(x))
        (void)strcpy(out, "none");
    else
        (void)snprintf(out, 32, "%.10g", x);
}

void segue_learner_settings_difference(const learner_settings *stored,
                                       const learner_settings *requested, char *out, size_t size)
{
    const learner_settings *a = stored, *b = requested;
    const struct {
        const char *name;
        double stored, requested;
    } numbers[] = {
        {"models", (double)a->models, (double)b->models},
        {"lowest reward", a->lowest, b->lowest},
        {"highest reward", a->highest, b->highest},
        {"steps", (double)a->steps, (double)b->steps},
        {"reward_deadline", a->reward_deadline, b->reward_deadline},
        {"default_reward", a->has_default_reward ? a->default_reward : NAN,
         b->has_default_reward ? b->default_reward : NAN},
        {"close_after", (double)a->close_after, (double)b->close_after},
        {"idle", a->idle, b->idle},
        {"control", a->control, b->control},
        {"grow", a->grow, b->grow},
        {"stop_if_harmful", a->stop_if_harmful, b->stop_if_harmful},
        {"smallest_effect", a->smallest_effect, b->smallest_effect},
        {"seed", (double)a->seed, (double)b->seed},
    };
    char old[32], new[32];
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
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && out[0] == '\0'; i++)
        if (!same_number(numbers[i].stored, numbers[i].requested)) {
            format_number(numbers[i].stored, old);
            format_number(numbers[i].requested, new);
            (void)snprintf(out, size, "%s %s, request has %s", numbers[i].name, old, new);
        }
}

/* ---- a learner --------------------------------------------------------------------------- */

segue_status segue_learner_settings_create_learner(const learner_settings *settings,
                                                   segue_learner **out, segue_error *err)
{
    return settings->from[0] ? segue_saved_learner_create(settings, out, err)
                             : segue_learner_settings_create_new(settings, out, err);
}

segue_status segue_learner_settings_create_new(const learner_settings *settings,
                                               segue_learner **out, segue_error *err)
{
    segue_learner_config config = segue_learner_defaults();
    *out = NULL;
    SEGUE_TRY(segue_learner_config_parse(&config, settings->method, err));
    const segue_learner_method *method = segue_learner_method_find(config.method);
    if (settings->steps == 0 && method->needs_horizon)
        return segue_json_fail(&body_location, "steps", err,
                               "is missing or 0; %s must know the steps of a task", config.method);
    if (config.n_models == 0) /* an option of the method goes before the field */
        config.n_models = (size_t)settings->models;
    if (config.n_models == 0 && method->needs_models)
        return segue_json_fail(&body_location, "models", err,
                               "is missing or 0; %s must know how many models to look for",
                               config.method);
    config.n_arms = settings->n_arms;
    config.horizon = settings->steps;
    config.lowest = settings->lowest;
    config.highest = settings->highest;
    config.seed = settings->seed;
    config.background = true;
    return segue_learner_create(out, &config, err);
}
