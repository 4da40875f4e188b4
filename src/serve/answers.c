/* answers.c - bodies of replies: learners, tasks, what transfer is worth.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "segue/stats.h"
#include "serve/damage.h"
#include "serve/inside.h"
#include "serve/out.h"

/* ---- what transfer is worth -------------------------------------------------------------- */

static void write_side(bytes *b, const char *name, const record_side *side)
{
    segue_out_name(b, name);
    segue_out(b, "{");
    segue_out_whole(b, "tasks", side->stats.count);
    segue_out_whole(b, "rewards", side->rewards);
    segue_out_double(b, "reward_per_step", side->stats.count > 0 ? side->stats.mean : NAN);
    segue_out(b, "}");
}

static void write_sides(bytes *b, const record_group *group)
{
    write_side(b, "transfer", &group->side[0]);
    write_side(b, "control", &group->side[1]);
}

/* Half the width of the 95 % interval of a difference (Welch); the degrees of freedom are rounded
 * down, and so that of two means without any spread is one. */
static double half_width(const segue_stats *a, const segue_stats *b)
{
    const double n = (double)a->count, m = (double)b->count;
    const double va = segue_stats_variance(a) / n, v = va + segue_stats_variance(b) / m;
    const double share = v > 0.0 ? va / v : 1.0; /* squares of variances may be out of range */
    const double freedom =
        v > 0.0 ? 1.0 / (share * share / (n - 1.0) + (1.0 - share) * (1.0 - share) / (m - 1.0))
                : 1.0;
    return segue_student_95(1 + (uint64_t)fmax(1.0, freedom)) * sqrt(v);
}

static void write_worth(bytes *b, const record_group *all)
{
    const segue_stats *transfer = &all->side[0].stats, *control = &all->side[1].stats;
    segue_out_name(b, "worth");
    segue_out(b, "{");
    write_sides(b, all);
    if (transfer->count < 2 || control->count < 2) {
        segue_out(b, ",\"difference\":null,\"interval\":null");
    } else {
        const double difference = transfer->mean - control->mean;
        const double half = half_width(transfer, control);
        segue_out_double(b, "difference", difference);
        segue_out(b, ",\"interval\":[");
        segue_out_number(b, difference - half);
        segue_out(b, ",");
        segue_out_number(b, difference + half);
        segue_out(b, "]");
    }
    segue_out_double(b, "level", 0.95);
    segue_out(b, "}");
}

void segue_answer_no_worth(bytes *b)
{
    const record_group none = {.side = {{.rewards = 0}}};
    write_worth(b, &none);
}

/* Of rewards that were scaled and back: the last digits are of that. */
static void write_mean(bytes *b, uint64_t pulls, double total)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.13g", pulls > 0 ? total / (double)pulls : 0.0);
    segue_out_double(b, "mean", pulls > 0 ? strtod(text, NULL) : NAN);
}

/* ---- a learner --------------------------------------------------------------------------- */

static void write_arms(const live_learner *live, bytes *b)
{
    segue_out_name(b, "arms");
    segue_out(b, "[");
    for (size_t i = 0; i < live->n_arms; i++) {
        segue_out(b, i > 0 ? ",{" : "{");
        segue_out_text(b, "name", live->arm[i]->name);
        segue_out_bool(b, "retired", !live->allowed[i]);
        segue_out_whole(b, "pulls", live->arm[i]->pulls);
        write_mean(b, live->arm[i]->pulls, live->arm[i]->total);
        segue_out(b, "}");
    }
    segue_out(b, "]");
}

static void write_types(const live_learner *live, bytes *b)
{
    segue_found found;
    if (segue_learner_found(live->learner, &found, NULL) == SEGUE_OK)
        segue_answer_types(b, &found);
    else
        b->failed = true;
    segue_found_fini(&found);
}

static void write_counts(const live_learner *live, bytes *b)
{
    segue_out_whole(b, "version", segue_learner_version(live->learner));
    segue_out_whole(b, "age", segue_learner_look(live->learner).age);
    segue_out(b, ",\"tasks\":{");
    segue_out_whole(b, "open", live->by_id.count);
    segue_out_whole(b, "closed", segue_record_tasks(&live->record));
    segue_out_whole(b, "control", live->record.closed[1]);
    segue_out(b, "}");
    segue_out_whole(b, "rewards", live->rewards);
}

void segue_answer_learner(live_learner *live, int status, segue_reply *reply)
{
    bytes *b = &reply->body;
    reply->status = status;
    segue_out(b, "{");
    segue_out_text(b, "name", live->words.name);
    segue_out_text(b, "method", live->method);
    segue_out_double(b, "created", live->created);
    segue_out_name(b, "made_with");
    segue_bytes_put(b, live->config.data, live->config.size - 1); /* without the 0 */
    (void)pthread_mutex_lock(&live->lock);
    write_arms(live, b);
    segue_words_write_numbers(&live->words, b);
    write_counts(live, b);
    write_types(live, b);
    write_worth(b, &live->record.whole);
    (void)pthread_mutex_unlock(&live->lock);
    segue_out(b, "}");
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(live_learner *const *)a)->words.name, (*(live_learner *const *)b)->words.name);
}

/* As the next task starts: segue_learner_look knows the share of none at the last fit, and it of
 * some methods only. */
static void write_found(const live_learner *live, bytes *b)
{
    segue_found found;
    if (segue_learner_found(live->learner, &found, NULL) != SEGUE_OK)
        b->failed = true;
    segue_out_whole(b, "types", found.n_types);
    segue_out_double(b, "none", found.none);
    segue_found_fini(&found);
}

static void write_line(live_learner *live, bytes *b)
{
    segue_out(b, "{");
    segue_out_text(b, "name", live->words.name);
    segue_out_text(b, "method", live->method);
    (void)pthread_mutex_lock(&live->lock);
    segue_out_whole(b, "arms", live->n_arms);
    segue_out_whole(b, "open", live->by_id.count);
    segue_out_whole(b, "closed", segue_record_tasks(&live->record));
    segue_out_whole(b, "rewards", live->rewards);
    segue_out_whole(b, "version", segue_learner_version(live->learner));
    write_worth(b, &live->record.whole);
    write_found(live, b);
    (void)pthread_mutex_unlock(&live->lock);
    segue_out_double(b, "created", live->created);
    segue_out(b, "}");
}

void segue_answer_list(segue_service *service, segue_reply *reply)
{
    size_t count = 0;
    live_learner **all = segue_service_all(service, &count);
    if (!all) {
        segue_reply_fail(reply, 503, "out of memory for the learners");
        return;
    }
    qsort(all, count, sizeof(live_learner *), by_name);
    segue_out(&reply->body, "{\"learners\":[");
    for (size_t i = 0; i < count; i++) {
        segue_out(&reply->body, i > 0 ? "," : "");
        write_line(all[i], &reply->body);
        segue_live_release(all[i]);
    }
    segue_damage_write_lines(service, count > 0, &reply->body);
    segue_out(&reply->body, "]}");
    free(all);
}

/* ---- history ----------------------------------------------------------------------------- */

void segue_answer_history(live_learner *live, segue_reply *reply)
{
    bytes *b = &reply->body;
    segue_out(b, "{\"groups\":[");
    (void)pthread_mutex_lock(&live->lock);
    const record *t = &live->record;
    const uint64_t tasks = segue_record_tasks(t), size = segue_record_size(t);
    for (uint64_t from = 0; from < tasks; from += size) {
        segue_out(b, from > 0 ? ",{" : "{");
        segue_out_whole(b, "from", from + 1);
        segue_out_whole(b, "to", from + size < tasks ? from + size : tasks);
        write_sides(b, &t->group[from / size]);
        segue_out(b, "}");
    }
    (void)pthread_mutex_unlock(&live->lock);
    segue_out(b, "]}");
}

/* ---- tasks ------------------------------------------------------------------------------- */

segue_stored_task segue_row_of(const live_learner *live, const live_task *task)
{
    return (segue_stored_task){.id = task->id,
                               .learner = live->id,
                               .control = task->control,
                               .open = true,
                               .version = task->version,
                               .n_arms = task->n_arms,
                               .opened = task->opened,
                               .rewards = task->rewards,
                               .total = task->total};
}

static void write_row(const live_learner *live, const segue_stored_task *row, const char *key,
                      bytes *b)
{
    segue_out_text(b, "task", key);
    segue_out_text(b, "learner", live->words.name);
    segue_out_bool(b, "open", row->open);
    segue_out_bool(b, "control", row->control);
    segue_out_whole(b, "version", row->version);
    segue_out_whole(b, "rewards", row->rewards);
    segue_out_double(b, "reward_per_step",
                     row->rewards > 0 ? row->total / (double)row->rewards : NAN);
    segue_out_double(b, "opened", row->opened);
    segue_out_double(b, "closed", row->open ? NAN : row->closed);
}

void segue_answer_row(const live_learner *live, const segue_stored_task *row, const char *key,
                      int status, segue_reply *reply)
{
    reply->status = status;
    segue_out(&reply->body, "{");
    write_row(live, row, key, &reply->body);
    segue_out(&reply->body, "}");
}

typedef struct task_list {
    live_learner *live;
    bool explain;
    bytes *b;
    bool begun;
} task_list;

static void write_listed(const task_list *list, const segue_stored_task *row, const live_task *task)
{
    const segue_stored_task now = task ? segue_row_of(list->live, task) : *row;
    write_row(list->live, &now, row->key, list->b);
    if (!list->explain)
        return;
    segue_out_name(list->b, "explanation");
    if (task)
        segue_answer_explanation(list->live, task, segue_live_allowed(list->live), list->b);
    else
        segue_out(list->b, "null");
}

/* Of an open task the learner knows more than the store. */
static segue_status on_task(void *context, const segue_stored_task *row, segue_error *err)
{
    task_list *list = context;
    (void)err;
    segue_out(list->b, list->begun ? ",{" : "{");
    list->begun = true;
    (void)pthread_mutex_lock(&list->live->lock);
    write_listed(list, row, row->open ? segue_live_by_id(list->live, row->id) : NULL);
    (void)pthread_mutex_unlock(&list->live->lock);
    segue_out(list->b, "}");
    return SEGUE_OK;
}

void segue_answer_tasks(segue_service *service, live_learner *live, const segue_call *call,
                        segue_reply *reply)
{
    const segue_tasks_which which = call->open == 1   ? SEGUE_TASKS_NEWEST_OPEN
                                    : call->open == 0 ? SEGUE_TASKS_NEWEST_CLOSED
                                                      : SEGUE_TASKS_NEWEST;
    task_list list = {.live = live, .explain = call->explain, .b = &reply->body};
    segue_error err;
    segue_out(&reply->body, "{\"tasks\":[");
    (void)pthread_mutex_lock(&service->reader_lock);
    const segue_status status =
        segue_store_tasks(service->reader, live->id, which, call->limit, on_task, &list, &err);
    (void)pthread_mutex_unlock(&service->reader_lock);
    segue_out(&reply->body, "]}");
    if (status != SEGUE_OK)
        segue_damage_answer_failed(service, status, &err, reply);
}

void segue_answer_explanation(live_learner *live, const live_task *task, const bool *allowed,
                              bytes *b)
{
    static const char *const purposes[] = {"exploit", "tell-apart", "look"};
    segue_explanation why;
    if (task->control ||
        segue_learner_explain_among(live->learner, task->play, allowed, &why, NULL) != SEGUE_OK) {
        segue_out(b, "null");
        return;
    }
    segue_out(b, "{\"types\":[");
    for (size_t i = 0; i <= why.n_types; i++) {
        segue_out(b, i > 0 ? ",{" : "{");
        segue_out_whole(b, "type", i);
        segue_out_double(b, "weight", why.weight[i]);
        segue_out(b, "}");
    }
    segue_out(b, "]");
    segue_out_text(b, "purpose", purposes[why.purpose]);
    segue_out_text(b, "arm", live->arm[why.arm]->name);
    if (why.purpose == SEGUE_TELL_APART)
        segue_out_format(b, ",\"apart\":[%zu,%zu]", why.first, why.second);
    segue_out(b, "}");
}

static void write_task_arm(const char *name, uint64_t pulls, double total, bool first, bytes *b)
{
    segue_out(b, first ? "{" : ",{");
    segue_out_text(b, "name", name);
    segue_out_whole(b, "pulls", pulls);
    write_mean(b, pulls, total);
    segue_out(b, "}");
}

static void write_open_task(live_learner *live, const live_task *task, bytes *b)
{
    const segue_stored_task row = segue_row_of(live, task);
    const segue_task_info info = segue_task_look(task->play);
    write_row(live, &row, task->key, b);
    segue_out(b, ",\"arms\":[");
    for (size_t i = 0; i < task->n_arms; i++)
        write_task_arm(live->arm[i]->name, info.pulls[i],
                       info.pulls[i] > 0 ? segue_task_mean(task->play, i) * (double)info.pulls[i]
                                         : 0.0,
                       i == 0, b);
    segue_out(b, "]");
    segue_out_whole(b, "waiting", info.step > task->rewards ? info.step - task->rewards : 0);
    segue_out_name(b, "explanation");
    segue_answer_explanation(live, task, segue_live_allowed(live), b);
}

/* Sums over the rewards of a closed task. */
typedef struct arm_sums {
    uint64_t pulls[ARMS_MOST];
    double total[ARMS_MOST];
} arm_sums;

static segue_status on_reward(void *context, const segue_stored_reward *reward, segue_error *err)
{
    arm_sums *sums = context;
    (void)err;
    sums->pulls[reward->arm % ARMS_MOST]++;
    sums->total[reward->arm % ARMS_MOST] += reward->value;
    return SEGUE_OK;
}

static void write_closed_task(live_learner *live, const segue_stored_task *row, const char *key,
                              const arm_sums *sums, bytes *b)
{
    write_row(live, row, key, b);
    segue_out(b, ",\"arms\":[");
    (void)pthread_mutex_lock(&live->lock);
    for (size_t i = 0; i < live->n_arms && i < row->n_arms; i++)
        write_task_arm(live->arm[i]->name, sums->pulls[i], sums->total[i], i == 0, b);
    (void)pthread_mutex_unlock(&live->lock);
    segue_out(b, "],\"waiting\":0,\"explanation\":null");
}

static void answer_closed_task(segue_service *service, live_learner *live, const char *key,
                               segue_reply *reply)
{
    segue_stored_task row;
    bool found = false;
    segue_error err = {.status = SEGUE_OK};
    arm_sums *sums = calloc(1, sizeof *sums);
    if (!sums) {
        segue_reply_fail(reply, 503, "out of memory for a task");
        return;
    }
    (void)pthread_mutex_lock(&service->reader_lock);
    segue_status status = segue_store_find_task(service->reader, live->id, key, &row, &found, &err);
    if (status == SEGUE_OK && found)
        status = segue_store_rewards(service->reader, row.id, on_reward, sums, &err);
    (void)pthread_mutex_unlock(&service->reader_lock);
    if (status != SEGUE_OK)
        segue_damage_answer_failed(service, status, &err, reply);
    else if (!found)
        segue_reply_fail(reply, 404, "the learner has no task '%.80s'", key);
    else
        write_closed_task(live, &row, key, sums, &reply->body);
    free(sums);
}

void segue_answer_task(segue_service *service, live_learner *live, const char *key,
                       segue_reply *reply)
{
    segue_out(&reply->body, "{");
    (void)pthread_mutex_lock(&live->lock);
    const live_task *task = segue_live_by_key(live, key);
    if (task)
        write_open_task(live, task, &reply->body);
    (void)pthread_mutex_unlock(&live->lock);
    if (!task)
        answer_closed_task(service, live, key, reply);
    if (reply->status == 200)
        segue_out(&reply->body, "}");
}

void segue_answer_told(bytes *b, bool is_new, const char *task, bool closed)
{
    segue_out(b, "{");
    segue_out_text(b, "status", is_new ? "counted" : "duplicate");
    segue_out_text(b, "task", task);
    segue_out_bool(b, "closed", closed);
    segue_out(b, "}");
}
