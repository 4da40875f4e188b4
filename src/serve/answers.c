/* answers.c - bodies of replies: learners, tasks, what transfer is worth.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "serve/damage.h"
#include "serve/effect.h"
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

static void write_worth(bytes *b, const record_group *closed, double range)
{
    segue_confseq effect;
    segue_out_name(b, "worth");
    segue_out(b, "{");
    write_sides(b, closed);
    if (segue_effect_of(closed, range, &effect)) {
        segue_out_double(b, "difference", effect.difference);
        segue_out(b, ",\"interval\":[");
        segue_out_number(b, effect.low);
        segue_out(b, ",");
        segue_out_number(b, effect.high);
        segue_out(b, "]");
    } else {
        segue_out(b, ",\"difference\":null,\"interval\":null");
    }
    segue_out_double(b, "level", SEGUE_CONFSEQ_LEVEL);
    segue_out(b, "}");
}

void segue_answer_no_worth(bytes *b)
{
    const record_group none = {.side = {{.rewards = 0}}};
    write_worth(b, &none, 1.0);
}

/* Of rewards that were scaled and back: the last digits are of that. */
static void write_mean(bytes *b, uint64_t pulls, double total)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.13g", pulls > 0 ? total / (double)pulls : 0.0);
    segue_out_double(b, "mean", pulls > 0 ? strtod(text, NULL) : NAN);
}

/* ---- a learner --------------------------------------------------------------------------- */

static void copy_arms(const live_learner *live, shown_learner *out)
{
    for (size_t i = 0; i < live->n_arms; i++)
        out->arm[i] = (shown_arm){.name = live->arm[i]->name,
                                  .retired = !live->allowed[i],
                                  .pulls = live->arm[i]->pulls,
                                  .total = live->arm[i]->total};
    out->n_arms = live->n_arms;
}

bool segue_show_learner(live_learner *live, shown_learner *out)
{
    (void)pthread_mutex_lock(&live->lock);
    *out = (shown_learner){.version = segue_learner_version(live->learner),
                           .age = segue_learner_look(live->learner).age,
                           .open = live->by_id.count,
                           .closed = segue_record_tasks(&live->record),
                           .control = live->record.closed[1],
                           .rewards = live->rewards,
                           .whole = live->record.whole};
    out->arm = calloc(live->n_arms, sizeof *out->arm);
    if (out->arm)
        copy_arms(live, out);
    const bool fine = out->arm && segue_learner_found(live->learner, &out->found, NULL) == SEGUE_OK;
    (void)pthread_mutex_unlock(&live->lock);
    return fine;
}

void segue_shown_fini(shown_learner *shown)
{
    free(shown->arm);
    segue_found_fini(&shown->found);
    shown->arm = NULL;
}

static void write_arms(const shown_learner *shown, bytes *b)
{
    segue_out_name(b, "arms");
    segue_out(b, "[");
    for (size_t i = 0; i < shown->n_arms; i++) {
        const shown_arm *arm = &shown->arm[i];
        segue_out(b, i > 0 ? ",{" : "{");
        segue_out_text(b, "name", arm->name);
        segue_out_bool(b, "retired", arm->retired);
        segue_out_whole(b, "pulls", arm->pulls);
        write_mean(b, arm->pulls, arm->total);
        segue_out(b, "}");
    }
    segue_out(b, "]");
}

static void write_counts(const shown_learner *shown, bytes *b)
{
    segue_out_whole(b, "version", shown->version);
    segue_out_whole(b, "age", shown->age);
    segue_out(b, ",\"tasks\":{");
    segue_out_whole(b, "open", shown->open);
    segue_out_whole(b, "closed", shown->closed);
    segue_out_whole(b, "control", shown->control);
    segue_out(b, "}");
    segue_out_whole(b, "rewards", shown->rewards);
}

static void write_head(const live_learner *live, const shown_learner *shown, bytes *b)
{
    segue_out(b, "{");
    segue_out_text(b, "name", live->words.name);
    segue_out_text(b, "method", live->method);
    segue_out_double(b, "created", live->created);
    segue_out_name(b, "made_with");
    segue_bytes_put(b, live->config.data, live->config.size - 1); /* without the 0 */
    write_arms(shown, b);
    segue_words_write_numbers(&live->words, b);
    write_counts(shown, b);
    segue_out_name(b, "types");
    segue_out(b, "[");
}

static void write_tail(const live_learner *live, const shown_learner *shown, bytes *b)
{
    segue_out(b, "]");
    segue_out_double(b, "none", shown->found.none);
    write_worth(b, &shown->whole, live->words.highest - live->words.lowest);
    segue_out(b, "}");
}

bool segue_answer_part(const live_learner *live, const shown_learner *shown, size_t part, bytes *b)
{
    if (part == 0)
        write_head(live, shown, b);
    else if (part <= shown->found.n_types)
        segue_answer_type(b, &shown->found, part - 1);
    else
        write_tail(live, shown, b);
    return part <= shown->found.n_types;
}

void segue_answer_learner(live_learner *live, int status, segue_reply *reply)
{
    shown_learner shown;
    reply->status = status;
    if (segue_show_learner(live, &shown))
        for (size_t part = 0; segue_answer_part(live, &shown, part, &reply->body); part++)
            ;
    else
        reply->body.failed = true;
    segue_shown_fini(&shown);
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

void segue_answer_line(live_learner *live, bytes *b)
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
    write_worth(b, &live->record.whole, live->words.highest - live->words.lowest);
    write_found(live, b);
    (void)pthread_mutex_unlock(&live->lock);
    segue_out_double(b, "created", live->created);
    segue_out(b, "}");
}

void segue_sort_learners(live_learner **all, size_t count)
{
    qsort(all, count, sizeof(live_learner *), by_name);
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

/* ---- explanations ------------------------------------------------------------------------ */

static void write_reasons(const segue_explanation *why, const char *arm, bytes *b)
{
    static const char *const purposes[] = {"exploit", "tell-apart", "look"};
    segue_out(b, "{\"types\":[");
    for (size_t i = 0; i <= why->n_types; i++) {
        segue_out(b, i > 0 ? ",{" : "{");
        segue_out_whole(b, "type", i);
        segue_out_double(b, "weight", why->weight[i]);
        segue_out(b, "}");
    }
    segue_out(b, "]");
    segue_out_text(b, "purpose", purposes[why->purpose]);
    segue_out_text(b, "arm", arm);
    if (why->purpose == SEGUE_TELL_APART)
        segue_out_format(b, ",\"apart\":[%zu,%zu]", why->first, why->second);
    segue_out(b, "}");
}

void segue_answer_explanation(live_learner *live, const live_task *task, const bool *allowed,
                              bytes *b)
{
    segue_explanation why;
    if (task->control ||
        segue_learner_explain_among(live->learner, task->play, allowed, &why, NULL) != SEGUE_OK)
        segue_out(b, "null");
    else
        write_reasons(&why, live->arm[why.arm]->name, b);
}

void segue_answer_copied(const live_learner *live, const copied_task *copy, const bool *allowed,
                         bytes *b)
{
    segue_explanation why;
    if (copy->task.control || segue_learner_explain_among(live->learner, copy->task.play, allowed,
                                                          &why, NULL) != SEGUE_OK)
        segue_out(b, "null");
    else
        write_reasons(&why, copy->names[why.arm], b);
}

void segue_end_copy(live_learner *live, copied_task *copy)
{
    (void)pthread_mutex_lock(&live->lock);
    segue_live_copy_fini(copy);
    (void)pthread_mutex_unlock(&live->lock);
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

/* Copy an open task; false: it is not open, or memory ran out. */
static bool copy_open(live_learner *live, const live_task *task, segue_stored_task *row,
                      copied_task *copy, bytes *b)
{
    if (!task)
        return false;
    *row = segue_row_of(live, task);
    if (segue_live_copy(live, task, copy, NULL) == SEGUE_OK)
        return true;
    b->failed = true;
    return false;
}

static void explain_listed(live_learner *live, segue_stored_task *row, copied_task *copy, bytes *b)
{
    (void)pthread_mutex_lock(&live->lock);
    (void)copy_open(live, row->open ? segue_live_by_id(live, row->id) : NULL, row, copy, b);
    (void)pthread_mutex_unlock(&live->lock);
}

/* Of an open task the learner knows more than the store. */
static void update_row(live_learner *live, segue_stored_task *row)
{
    (void)pthread_mutex_lock(&live->lock);
    const live_task *task = row->open ? segue_live_by_id(live, row->id) : NULL;
    if (task)
        *row = segue_row_of(live, task);
    (void)pthread_mutex_unlock(&live->lock);
}

void segue_answer_listed(live_learner *live, const segue_stored_task *row, bool explain, bytes *b)
{
    segue_stored_task now = *row;
    copied_task copy = {.names = NULL};
    if (explain)
        explain_listed(live, &now, &copy, b);
    else
        update_row(live, &now);
    segue_out(b, "{");
    write_row(live, &now, row->key, b);
    if (explain) {
        segue_out_name(b, "explanation");
        if (copy.task.play)
            segue_answer_copied(live, &copy, copy.allowed, b);
        else
            segue_out(b, "null");
        segue_end_copy(live, &copy);
    }
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

static void write_open_task(const live_learner *live, const segue_stored_task *row,
                            const copied_task *copy, const char *key, bytes *b)
{
    const segue_task *play = copy->task.play;
    const segue_task_info info = segue_task_look(play);
    write_row(live, row, key, b);
    segue_out(b, ",\"arms\":[");
    for (size_t i = 0; i < copy->task.n_arms; i++)
        write_task_arm(copy->names[i], info.pulls[i],
                       info.pulls[i] > 0 ? segue_task_mean(play, i) * (double)info.pulls[i] : 0.0,
                       i == 0, b);
    segue_out(b, "]");
    segue_out_whole(b, "waiting", info.step > row->rewards ? info.step - row->rewards : 0);
    segue_out_name(b, "explanation");
    segue_answer_copied(live, copy, copy->allowed, b);
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

static void answer_closed_task(segue_service *service, segue_store *store, live_learner *live,
                               const char *key, segue_reply *reply)
{
    segue_stored_task row;
    bool found = false;
    segue_error err = {.status = SEGUE_OK};
    arm_sums *sums = calloc(1, sizeof *sums);
    if (!sums) {
        segue_reply_fail(reply, 503, "out of memory for a task");
        return;
    }
    segue_status status = segue_store_find_task(store, live->id, key, &row, &found, &err);
    if (status == SEGUE_OK && found)
        status = segue_store_rewards(store, row.id, on_reward, sums, &err);
    if (status != SEGUE_OK)
        segue_damage_answer_failed(service, status, &err, reply);
    else if (!found)
        segue_reply_fail(reply, 404, "the learner has no task '%.80s'", key);
    else
        write_closed_task(live, &row, key, sums, &reply->body);
    free(sums);
}

void segue_answer_task(segue_service *service, segue_store *store, live_learner *live,
                       const char *key, segue_reply *reply)
{
    segue_stored_task row;
    copied_task copy = {.names = NULL};
    segue_out(&reply->body, "{");
    (void)pthread_mutex_lock(&live->lock);
    const bool is_open = copy_open(live, segue_live_by_key(live, key), &row, &copy, &reply->body);
    (void)pthread_mutex_unlock(&live->lock);
    if (is_open)
        write_open_task(live, &row, &copy, key, &reply->body);
    else if (!reply->body.failed)
        answer_closed_task(service, store, live, key, reply);
    segue_end_copy(live, &copy);
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
