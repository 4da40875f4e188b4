/* store_log.c - the rewards of a served learner as a log that `segue replay` and `segue learn` read.
 *
 * One read transaction sees one moment, so a service may run meanwhile.  The rows are read twice:
 * first to count them and to know if every reward has the probability of its arm, then to write
 * them.  Tasks are in the order of opening, rewards of a task in that of arrival, which is the order
 * in which the learner learned them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/store/store_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "segue/internal.h"
#include "service/api/learner_settings.h"

typedef struct writer {
    segue_store *store;
    int64_t learner;
    size_t n_arms;
    char **arm; /* n_arms names, as fields of CSV */
    bool writes, has_probability;
    atomic_file file;
    bool to_stdout;
    segue_bytes text; /* the lines of a task */
    cli_store_log *counts;
} writer;

/* ---- fields ------------------------------------------------------------------------------ */

static void append_text(segue_bytes *b, const char *text)
{
    segue_bytes_append(b, text, strlen(text));
}

/* Append a field of CSV, quoted if it must be. */
static void append_field(segue_bytes *b, const char *text)
{
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        append_text(b, text);
        return;
    }
    append_text(b, "\"");
    for (; *text; text++)
        segue_bytes_append(b, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    append_text(b, "\"");
}

/* Append digits that read back as the same number. */
static void append_number(segue_bytes *b, double x)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.15g", x);
    if (strtod(text, NULL) < x || strtod(text, NULL) > x)
        (void)snprintf(text, sizeof text, "%.17g", x);
    append_text(b, text);
}

/* ---- the learner ------------------------------------------------------------------------- */

static segue_status read_range(const char *config, cli_store_log *out, segue_error *err)
{
    learner_settings settings;
    SEGUE_TRY(segue_learner_settings_parse(&settings, config, err));
    out->lowest = settings.lowest;
    out->highest = settings.highest;
    segue_learner_settings_fini(&settings);
    return SEGUE_OK;
}

static segue_status find_learner(writer *w, const char *name, segue_error *err)
{
    segue_rows rows;
    segue_stored_learner row;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, w->store, &(segue_query){.kind = SEGUE_QUERY_LEARNERS}, err);
    while (status == SEGUE_OK && w->learner == 0 && segue_rows_next_learner(&rows, &row)) {
        if (!row.name || strcmp(row.name, name) != 0)
            continue;
        w->learner = row.id;
        status = row.damage ? segue_fail(err, SEGUE_EFILE, "%s", row.damage)
                            : read_range(row.config, w->counts, err);
    }
    SEGUE_TRY(segue_rows_close(&rows, status));
    return w->learner ? SEGUE_OK
                      : segue_fail(err, SEGUE_ENAME,
                                   "the store has no learner '%.80s'; 'segue learners' lists those "
                                   "of a service",
                                   name);
}

static segue_status add_arm(writer *w, const char *name, segue_error *err)
{
    segue_bytes field = {.data = NULL};
    char **arms = realloc(w->arm, (w->n_arms + 1) * sizeof *arms);
    append_field(&field, name);
    segue_bytes_append(&field, "", 1);
    if (arms)
        w->arm = arms;
    if (!arms || field.failed) {
        segue_bytes_fini(&field);
        return segue_fail_no_memory(err, "the arms");
    }
    w->arm[w->n_arms++] = (char *)field.data;
    return SEGUE_OK;
}

static segue_status read_arms(writer *w, segue_error *err)
{
    segue_rows rows;
    segue_stored_arm arm;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, w->store, &(segue_query){.kind = SEGUE_QUERY_ARMS, .id = w->learner},
                    err);
    while (status == SEGUE_OK && segue_rows_next_arm(&rows, &arm))
        status = add_arm(w, arm.name, err);
    return segue_rows_close(&rows, status);
}

/* ---- rows -------------------------------------------------------------------------------- */

static segue_status write_reward(writer *w, const segue_stored_task *task,
                                 const segue_stored_reward *reward, segue_error *err)
{
    segue_bytes *b = &w->text;
    if (reward->arm >= w->n_arms)
        return segue_store_fail_damaged(err,
                                        "table reward, task %" PRId64 ", number %" PRId64
                                        ", column arm: %zu is no arm of the learner",
                                        reward->task, (int64_t)reward->number, reward->arm);
    append_field(b, task->key);
    append_text(b, ",");
    append_text(b, w->arm[reward->arm]);
    append_text(b, ",");
    append_number(b, reward->value);
    append_text(b, ",");
    append_number(b, reward->created);
    append_text(b, task->control ? ",1" : ",0");
    if (w->has_probability) {
        append_text(b, ",");
        append_number(b, reward->probability);
    }
    append_text(b, "\n");
    return SEGUE_OK;
}

static segue_status visit_reward(writer *w, const segue_stored_task *task,
                                 const segue_stored_reward *reward, segue_error *err)
{
    if (w->writes)
        return write_reward(w, task, reward, err);
    w->counts->rewards++;
    w->counts->with_probability += reward->probability > 0.0;
    return SEGUE_OK;
}

/* Count the stored decisions of a task that have no reward. */
static segue_status count_unrewarded(writer *w, int64_t task, segue_error *err)
{
    segue_rows rows;
    segue_stored_decision decision;
    segue_stored_reward reward;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, w->store, &(segue_query){.kind = SEGUE_QUERY_DECISIONS, .id = task},
                    err);
    while (status == SEGUE_OK && segue_rows_next_decision(&rows, &decision)) {
        bool found = false;
        status = segue_store_find_reward(w->store, task, decision.number, &reward, &found, err);
        w->counts->unrewarded += status == SEGUE_OK && !found;
    }
    return segue_rows_close(&rows, status);
}

/* Write the gathered lines; a failed write of a file is reported by its commit. */
static segue_status flush(writer *w, segue_error *err)
{
    if (w->text.failed)
        return segue_fail_no_memory(err, "a log");
    if (w->to_stdout && fwrite(w->text.data, 1, w->text.size, stdout) != w->text.size)
        return segue_fail(err, SEGUE_EIO, "the standard output cannot be written");
    if (!w->to_stdout)
        segue_atomic_file_append(&w->file, w->text.data, w->text.size);
    w->text.size = 0;
    return SEGUE_OK;
}

static segue_status visit_task(writer *w, const segue_stored_task *task, segue_error *err)
{
    segue_rows rows;
    segue_stored_reward reward;
    segue_status status = SEGUE_OK;
    if (cli_interrupt_requested())
        return segue_fail(err, SEGUE_ESTOPPED, "stopped");
    segue_rows_open(&rows, w->store, &(segue_query){.kind = SEGUE_QUERY_REWARDS, .id = task->id},
                    err);
    while (status == SEGUE_OK && segue_rows_next_reward(&rows, &reward))
        status = visit_reward(w, task, &reward, err);
    SEGUE_TRY(segue_rows_close(&rows, status));
    if (w->writes)
        return w->text.size > 0 ? flush(w, err) : SEGUE_OK;
    w->counts->tasks++;
    return count_unrewarded(w, task->id, err);
}

static segue_status visit_tasks(writer *w, segue_error *err)
{
    segue_rows rows;
    segue_stored_task task;
    segue_status status = SEGUE_OK;
    segue_rows_open(&rows, w->store, &(segue_query){.kind = SEGUE_QUERY_TASKS, .id = w->learner},
                    err);
    while (status == SEGUE_OK && segue_rows_next_task(&rows, &task))
        status = visit_task(w, &task, err);
    return segue_rows_close(&rows, status);
}

/* ---- the log ----------------------------------------------------------------------------- */

static segue_status count(writer *w, const char *learner, segue_error *err)
{
    SEGUE_TRY(find_learner(w, learner, err));
    SEGUE_TRY(read_arms(w, err));
    SEGUE_TRY(visit_tasks(w, err));
    if (w->counts->rewards == 0)
        return segue_fail(err, SEGUE_EUSAGE, "learner '%.80s' has no rewards yet", learner);
    w->has_probability = w->counts->with_probability == w->counts->rewards;
    return SEGUE_OK;
}

static segue_status write_rows(writer *w, segue_error *err)
{
    w->writes = true;
    append_text(&w->text, "task,arm,reward,time,control");
    append_text(&w->text, w->has_probability ? ",probability\n" : "\n");
    SEGUE_TRY(flush(w, err));
    return visit_tasks(w, err);
}

static segue_status write_file(writer *w, const char *path, segue_error *err)
{
    w->to_stdout = strcmp(path, "-") == 0;
    if (w->to_stdout)
        return write_rows(w, err);
    SEGUE_TRY(segue_atomic_file_begin(&w->file, path, 0600, err)); /* it has the keys of tasks */
    const segue_status status = write_rows(w, err);
    if (status == SEGUE_OK)
        return segue_atomic_file_commit(&w->file, err);
    segue_atomic_file_rollback(&w->file);
    return status;
}

static segue_status read_and_write(writer *w, const char *learner, const char *path,
                                   segue_error *err)
{
    SEGUE_TRY(segue_store_begin_read(w->store, err));
    segue_status status = count(w, learner, err);
    if (status == SEGUE_OK)
        status = write_file(w, path, err);
    segue_store_rollback(w->store);
    return status;
}

segue_status cli_store_log_write(segue_store *store, const char *learner, const char *path,
                                 cli_store_log *out, segue_error *err)
{
    *out = (cli_store_log){.tasks = 0};
    writer w = {.store = store, .counts = out};
    const segue_status status = read_and_write(&w, learner, path, err);
    for (size_t i = 0; i < w.n_arms; i++)
        free(w.arm[i]);
    free(w.arm);
    segue_bytes_fini(&w.text);
    return status;
}
