/* samples_file.c - the rewards of a log, to be drawn again.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/samples_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "io/log_rows.h"

/* All rows, 16 bytes each. */
typedef struct row_list {
    segue_logged *row;
    size_t count, capacity;
} row_list;

static segue_status take_reward(void *context, size_t task, size_t arm, double reward,
                                segue_error *err)
{
    row_list *list = context;
    if (list->count == list->capacity) {
        const size_t capacity = 2 * list->capacity + 1024;
        segue_logged *grown = realloc(list->row, capacity * sizeof *grown);
        if (!grown)
            return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu rewards", capacity);
        list->row = grown;
        list->capacity = capacity;
    }
    list->row[list->count++] =
        (segue_logged){.task = (uint32_t)task, .arm = (uint32_t)arm, .reward = reward};
    return SEGUE_OK;
}

/* From the order of their first rows to the order of the arms. */
static segue_status put_arms_in_order(const log_rows *rows, row_list *list, segue_error *err)
{
    uint32_t *number = calloc(rows->arms.count, sizeof *number);
    if (!number)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for %zu arms", rows->arms.count);
    for (size_t i = 0; i < rows->arms.count; i++)
        number[rows->arm_place[i]] = (uint32_t)i;
    for (size_t i = 0; i < list->count; i++)
        list->row[i].arm = number[list->row[i].arm];
    free(number);
    return SEGUE_OK;
}

static segue_status group(segue_samples **out, const char *path, const log_rows *rows,
                          const row_list *list, uint64_t least, segue_error *err)
{
    segue_error why = {.status = SEGUE_OK};
    const segue_status status = segue_samples_create(out, rows->tasks.count, rows->arms.count,
                                                     list->row, list->count, least, &why);
    if (status == SEGUE_OK)
        return status;
    return segue_fail(err, status, "%s: %s",
                      strcmp(path, "-") == 0 ? "(standard input)" : segue_text_tail(path),
                      why.message);
}

segue_status segue_samples_file_read(segue_samples **out, const char *path,
                                     const segue_samples_wanted *wanted, segue_error *err)
{
    row_list list = {.row = NULL};
    log_rows rows;
    *out = NULL;
    segue_status status =
        segue_log_rows_read(&rows, path, wanted->lowest, wanted->highest, take_reward, &list, err);
    if (status == SEGUE_OK)
        status = put_arms_in_order(&rows, &list, err);
    if (status == SEGUE_OK)
        status = group(out, path, &rows, &list, wanted->least, err);
    segue_log_rows_fini(&rows);
    free(list.row);
    return status;
}
