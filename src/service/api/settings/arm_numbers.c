/* arm_numbers.c - numbers of some arms in a learner's settings: read, written, compared.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/settings/arm_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "io/json_write.h"
#include "service/api/name.h"

#define MAX_COUNT 1000 /* arms of a learner */

static const segue_json_location body_location = {.path = "the body"};

/* ---- reading ----------------------------------------------------------------------------- */

static segue_status check(json_t *object, const arm_numbers_field *field, segue_error *err)
{
    const char *arm;
    json_t *value;
    if (!json_is_object(object) || json_object_size(object) > MAX_COUNT)
        return segue_json_fail(&body_location, field->name, err,
                               "is %s; need an object of at most %d arms with their numbers",
                               json_is_object(object) ? "too large" : segue_json_kind(object),
                               MAX_COUNT);
    json_object_foreach(object, arm, value)
    {
        const double x = json_is_number(value) ? json_number_value(value) : NAN;
        if (strlen(arm) < 1 || strlen(arm) > SEGUE_MAX_NAME_SIZE)
            return segue_json_fail(&body_location, field->name, err,
                                   "has a name of %zu bytes; need 1 to %d", strlen(arm),
                                   SEGUE_MAX_NAME_SIZE);
        if (!(x >= field->min && x <= field->max) || (field->open && !(x > field->min)))
            return segue_json_fail(&body_location, field->name, err,
                                   "has %s for '%.60s'; need a number %s %g and at most %g",
                                   json_is_number(value) ? "a number out of range"
                                                         : segue_json_kind(value),
                                   arm, field->open ? "above" : "from", field->min, field->max);
    }
    return SEGUE_OK;
}

static size_t text_size(json_t *object)
{
    const char *arm;
    json_t *value;
    size_t size = 0;
    json_object_foreach(object, arm, value) size += strlen(arm) + 1;
    return size;
}

static int compare(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b; /* the name is an item's first member */
    return strcmp(*x, *y);
}

/* Copy an object to one block of memory: items, then names. */
static arm_numbers *copy(json_t *object)
{
    const size_t count = json_object_size(object);
    const size_t size = sizeof(arm_numbers) + count * sizeof(arm_numbers_item) + text_size(object);
    arm_numbers *made = malloc(size);
    if (!made)
        return NULL;
    char *text = (char *)&made->item[count];
    const char *arm;
    json_t *value;
    *made = (arm_numbers){.size = size};
    json_object_foreach(object, arm, value)
    {
        made->item[made->count].arm = strcpy(text, arm);
        made->item[made->count++].value = json_number_value(value);
        text += strlen(arm) + 1;
    }
    qsort(made->item, count, sizeof *made->item, compare);
    return made;
}

/* Find an equal list of the pool, or add this one. */
static const arm_numbers *intern(arm_numbers **pool, arm_numbers *made)
{
    for (arm_numbers *at = *pool; at; at = at->next)
        if (segue_arm_numbers_equal(at, made)) {
            free(made);
            return at;
        }
    made->next = *pool;
    *pool = made;
    return made;
}

segue_status segue_arm_numbers_read(json_t *body, const arm_numbers_field *field,
                                    arm_numbers **pool, const arm_numbers **out, segue_error *err)
{
    json_t *object = json_object_get(body, field->name);
    if (!object)
        return SEGUE_OK;
    SEGUE_TRY(check(object, field, err));
    if (json_object_size(object) == 0) {
        *out = NULL;
        return SEGUE_OK;
    }
    arm_numbers *made = copy(object);
    if (!made)
        return segue_fail_no_memory(err, "the settings of a learner");
    if (segue_arm_numbers_equal(made, *out))
        free(made);
    else
        *out = intern(pool, made);
    return SEGUE_OK;
}

/* ---- pools ------------------------------------------------------------------------------- */

void segue_arm_numbers_free(arm_numbers **pool)
{
    while (*pool) {
        arm_numbers *next = (*pool)->next;
        free(*pool);
        *pool = next;
    }
}

void segue_arm_numbers_move(arm_numbers **from, arm_numbers **to)
{
    arm_numbers **end = from;
    while (*end)
        end = &(*end)->next;
    *end = *to;
    *to = *from;
    *from = NULL;
}

const arm_numbers *segue_arm_numbers_shared(const arm_numbers *pool, const arm_numbers *numbers)
{
    while (pool && !segue_arm_numbers_equal(pool, numbers))
        pool = pool->next;
    return pool ? pool : numbers;
}

size_t segue_arm_numbers_bytes(const arm_numbers *pool)
{
    size_t size = 0;
    for (; pool; pool = pool->next)
        size += pool->size;
    return size;
}

/* ---- writing and comparing --------------------------------------------------------------- */

void segue_arm_numbers_write(segue_bytes *b, const char *field, const arm_numbers *numbers)
{
    if (!numbers)
        return;
    segue_json_write_key(b, field);
    segue_json_write_raw(b, "{");
    for (size_t i = 0; i < numbers->count; i++) {
        segue_json_write_raw(b, i > 0 ? "," : "");
        segue_json_write_string(b, numbers->item[i].arm);
        segue_json_write_raw(b, ":");
        segue_json_write_number(b, numbers->item[i].value);
    }
    segue_json_write_raw(b, "}");
}

bool segue_arm_numbers_equal(const arm_numbers *a, const arm_numbers *b)
{
    if (a == b || !a || !b || a->count != b->count)
        return a == b;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->item[i].arm, b->item[i].arm) != 0 || a->item[i].value != b->item[i].value)
            return false;
    return true;
}

double segue_arm_numbers_sum(const arm_numbers *numbers)
{
    double sum = 0.0;
    for (size_t i = 0; numbers && i < numbers->count; i++)
        sum += numbers->item[i].value;
    return sum;
}

const char *segue_arm_numbers_unknown(const arm_numbers *numbers, knows_arm knows,
                                      const void *context)
{
    for (size_t i = 0; numbers && i < numbers->count; i++)
        if (!knows(context, numbers->item[i].arm))
            return numbers->item[i].arm;
    return NULL;
}
