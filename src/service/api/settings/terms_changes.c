/* terms_changes.c - changes of terms: written, read, and their lists of numbers.
 *
 * The store writes all changes of a learner again with each one.  So a list of numbers, which may
 * have a number for each of 1,000 arms, is written by the first change that has it; the others give
 * the number of that change.  Equal lists are one list in a pool, so pointers are compared.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/settings/terms_changes.h"

#include <stdlib.h>

#include "io/json.h"
#include "io/json_write.h"

#define MAX_TIME 1e12 /* seconds since 1970 */

static const segue_json_location body_location = {.path = "the body"};

/* The lists of terms, by the name of their field. */
static const struct list_field {
    const char *name;
    size_t offset;
} lists[] = {{"shares", offsetof(task_terms, shares)}, {"costs", offsetof(task_terms, costs)}};

#define N_LISTS (sizeof lists / sizeof *lists)

static const arm_numbers **list_of(task_terms *terms, const struct list_field *field)
{
    return (const arm_numbers **)(void *)((char *)terms + field->offset);
}

static const arm_numbers *get(const task_terms *terms, const struct list_field *field)
{
    return *(const arm_numbers *const *)(const void *)((const char *)terms + field->offset);
}

/* ---- writing ----------------------------------------------------------------------------- */

/* Replace a list that earlier terms have by the number of these. */
static void write_number(const terms_change *change, size_t index, const task_terms *created,
                         const struct list_field *field, task_terms *left, segue_bytes *b)
{
    const arm_numbers *numbers = get(left, field);
    size_t first = get(created, field) == numbers ? 0 : 1;
    while (first > 0 && first <= index && get(&change[first - 1].terms, field) != numbers)
        first++;
    if (!numbers || first > index)
        return;
    segue_json_write_integer(b, field->name, first);
    *list_of(left, field) = NULL;
}

static void write_change(const terms_change *change, size_t index, const task_terms *created,
                         segue_bytes *b)
{
    task_terms left = change[index].terms;
    segue_json_write_integer(b, "after", (uint64_t)change[index].after);
    segue_json_write_double(b, "time", change[index].time);
    for (size_t i = 0; i < N_LISTS; i++)
        write_number(change, index, created, &lists[i], &left, b);
    segue_task_terms_write(&left, b);
}

void segue_terms_changes_write(const terms_change *change, size_t count, const task_terms *created,
                               segue_bytes *b)
{
    segue_json_write_key(b, "changes");
    segue_json_write_raw(b, "[");
    for (size_t i = 0; i < count; i++) {
        segue_json_write_raw(b, i > 0 ? ",{" : "{");
        write_change(change, i, created, b);
        segue_json_write_raw(b, "}");
    }
    segue_json_write_raw(b, "]");
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Take the number of earlier terms, if the field has one, out of the change.  *out: their list. */
static segue_status read_list(json_t *value, const struct list_field *field,
                              const terms_change *change, size_t index, const task_terms *created,
                              const arm_numbers **out, segue_error *err)
{
    const json_t *number = json_object_get(value, field->name);
    uint64_t first = 0;
    *out = NULL;
    if (!json_is_integer(number))
        return SEGUE_OK;
    SEGUE_TRY(segue_json_integer(&body_location, field->name, number, 0, index, &first, err));
    *out = get(first > 0 ? &change[first - 1].terms : created, field);
    (void)json_object_del(value, field->name);
    return SEGUE_OK;
}

static segue_status read_time(const json_t *value, terms_change *out, segue_error *err)
{
    const json_t *after = json_object_get(value, "after"), *time = json_object_get(value, "time");
    uint64_t id = 0;
    SEGUE_TRY(segue_json_integer(&body_location, "after", after, 0, INT64_MAX, &id, err));
    const double seconds = json_is_number(time) ? json_number_value(time) : -1.0;
    if (!(seconds >= 0.0 && seconds <= MAX_TIME))
        return segue_json_fail(&body_location, "time", err, "need a number from 0 to %g", MAX_TIME);
    *out = (terms_change){.after = (int64_t)id, .time = seconds};
    return SEGUE_OK;
}

static segue_status read_change(json_t *value, terms_change *change, size_t index,
                                const task_terms *created, double lowest, double highest,
                                arm_numbers **pool, segue_error *err)
{
    const arm_numbers *earlier[N_LISTS];
    terms_change *out = &change[index];
    SEGUE_TRY(read_time(value, out, err));
    for (size_t i = 0; i < N_LISTS; i++)
        SEGUE_TRY(read_list(value, &lists[i], change, index, created, &earlier[i], err));
    SEGUE_TRY(segue_task_terms_read(&out->terms, value, lowest, highest, pool, err));
    for (size_t i = 0; i < N_LISTS; i++)
        if (earlier[i])
            *list_of(&out->terms, &lists[i]) = earlier[i];
    return SEGUE_OK;
}

segue_status segue_terms_changes_read(json_t *list, const task_terms *created, double lowest,
                                      double highest, arm_numbers **pool, terms_change **out,
                                      size_t *count, segue_error *err)
{
    const size_t n = json_array_size(list);
    *count = 0;
    *out = NULL;
    if (!json_is_array(list) || n > SEGUE_MAX_CHANGES)
        return segue_json_fail(&body_location, "changes", err, "need a list of at most %d changes",
                               SEGUE_MAX_CHANGES);
    *out = calloc(n + 1, sizeof **out);
    if (!*out)
        return segue_fail_no_memory(err, "the settings of a learner");
    for (; *count < n; (*count)++)
        SEGUE_TRY(read_change(json_array_get(list, *count), *out, *count, created, lowest, highest,
                              pool, err));
    return SEGUE_OK;
}

/* ---- lists of numbers -------------------------------------------------------------------- */

static bool points_to(const task_terms *terms, const arm_numbers *numbers)
{
    return terms->shares == numbers || terms->costs == numbers;
}

void segue_terms_changes_free_unused(const terms_change *change, size_t count,
                                     const task_terms *created, arm_numbers **pool)
{
    for (arm_numbers **at = pool; *at;) {
        arm_numbers *list = *at;
        size_t i = count;
        while (i > 0 && !points_to(&change[i - 1].terms, list))
            i--;
        if (i > 0 || points_to(created, list)) {
            at = &list->next;
            continue;
        }
        *at = list->next;
        free(list);
    }
}
