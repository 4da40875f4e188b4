/* stored_read.c - rows of a result to structs: the same columns in the same order from every backend.
 *
 * Every column that the program uses is validated (column.c).
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/stored_read.h"

#include <string.h>

#include "segue/internal.h"

/* ---- rows to structs --------------------------------------------------------------------- */

/* A damaged learner is a row, too, with the reason: the other learners are still served. */
static void read_learner(segue_rows *rows, store_row *row, void *out)
{
    segue_store *store = rows->store;
    segue_stored_learner *learner = out;
    store_row own = *row;
    own.err = &store->row_damage;
    *learner = (segue_stored_learner){.id = segue_column_key(row, 0),
                                      .name = segue_column_text(&own, 1, SEGUE_MAX_STORE_NAME),
                                      .config = segue_column_text(&own, 2, SEGUE_MAX_ROW_TEXT),
                                      .created = segue_column_real(&own, 3)};
    (void)segue_column_integer(&own, 0, 1, SEGUE_MAX_LEARNER_ID);
    if (own.status == SEGUE_ENOMEM)
        row->status = segue_fail(row->err, own.status, "%s", store->row_damage.message);
    else if (own.status != SEGUE_OK)
        learner->damage = store->row_damage.message;
}

/* An arm is retired if it has a time of retirement. */
static void read_arm(segue_rows *rows, store_row *row, void *out)
{
    (void)rows;
    segue_stored_arm *arm = out;
    *arm = (segue_stored_arm){.learner = segue_column_key(row, 0),
                              .position =
                                  (size_t)segue_column_integer(row, 1, 0, SEGUE_MAX_ROW_ARMS - 1),
                              .name = segue_column_text(row, 2, SEGUE_MAX_STORE_NAME),
                              .added = segue_column_real(row, 3),
                              .retired = !segue_column_is_null(row, 4),
                              .pulls = segue_column_count(row, 5),
                              .total = segue_column_real(row, 6)};
    if (arm->retired)
        (void)segue_column_real(row, 4);
}

/* An open task has neither a time nor an event of closing, a closed one has both. */
static void read_task(segue_rows *rows, store_row *row, void *out)
{
    (void)rows;
    const bool open = segue_column_is_null(row, 7), unclosed = segue_column_is_null(row, 10);
    segue_stored_task *task = out;
    *task = (segue_stored_task){
        .id = segue_column_integer(row, 0, 1, SEGUE_MAX_ROW_ID),
        .learner = segue_column_integer(row, 1, 1, SEGUE_MAX_LEARNER_ID),
        .key = segue_column_text(row, 2, SEGUE_MAX_STORE_NAME),
        .control = segue_column_flag(row, 3),
        .version = segue_column_count(row, 4),
        .n_arms = (size_t)segue_column_integer(row, 5, 1, SEGUE_MAX_ROW_ARMS),
        .opened = segue_column_real(row, 6),
        .open = open,
        .closed = open ? 0.0 : segue_column_real(row, 7),
        .rewards = segue_column_count(row, 8),
        .total = segue_column_real(row, 9),
        .tag = (uint64_t)segue_column_integer(row, 11, 1, INT64_MAX),
        .closed_seq = unclosed ? 0 : (uint64_t)segue_column_integer(row, 10, 1, SEGUE_MAX_ROW_ID),
        .control_share = segue_column_real(row, 12),
        .features = segue_column_is_null(row, 13)
                        ? NULL
                        : segue_column_text(row, 13, SEGUE_MAX_STORE_FEATURES)};
    if (!(task->control_share >= 0.0 && task->control_share <= 1.0))
        segue_column_fail(row, 12, "a probability");
    if (open != unclosed)
        segue_column_fail(row, 10, open ? "NULL, as the task is open" : "the event that closed it");
}

/* Where the service chose, both columns are NULL. */
static segue_stored_shadow read_shadow(store_row *row, int column)
{
    if (segue_column_is_null(row, column))
        return (segue_stored_shadow){.is_set = false};
    const segue_stored_shadow shadow = {
        .is_set = true,
        .arm = (size_t)segue_column_integer(row, column, 0, SEGUE_MAX_ROW_ARMS - 1),
        .probability = segue_column_real(row, column + 1)};
    if (!(shadow.probability >= 0.0 && shadow.probability <= 1.0))
        segue_column_fail(row, column + 1, "a probability");
    return shadow;
}

/* Rewards are learned in the order of arrival, so a gap would change the learner. */
static void read_reward(segue_rows *rows, store_row *row, void *out)
{
    segue_stored_reward *reward = out;
    *reward = (segue_stored_reward){
        .task = segue_column_integer(row, 0, 1, SEGUE_MAX_ROW_ID),
        .number = (uint64_t)segue_column_integer(row, 1, INT64_MIN, INT64_MAX),
        .position = segue_column_count(row, 2),
        .arm = (size_t)segue_column_integer(row, 3, 0, SEGUE_MAX_ROW_ARMS - 1),
        .value = segue_column_real(row, 4),
        .created = segue_column_real(row, 5),
        .by_default = segue_column_flag(row, 6),
        .probability = segue_column_is_null(row, 7) ? 0.0 : segue_column_real(row, 7),
        .asks = segue_column_is_null(row, 8) ? NULL : segue_column_text(row, 8, SEGUE_MAX_ROW_TEXT),
        .shadow = read_shadow(row, 9)};
    if (!(reward->probability >= 0.0 && reward->probability <= 1.0))
        segue_column_fail(row, 7, "a probability");
    if (rows->query.kind == SEGUE_QUERY_REWARDS && reward->position != rows->count)
        segue_column_fail(row, 2, "the positions of a task's rewards from 0 on, without a gap");
}

/* A decision without an event id, or that was asked without its probability, has NULL there. */
static void read_decision(segue_rows *rows, store_row *row, void *out)
{
    (void)rows;
    const bool no_event_id = segue_column_is_null(row, 4),
               no_probability = segue_column_is_null(row, 6);
    segue_stored_decision *decision = out;
    *decision = (segue_stored_decision){
        .task = segue_column_integer(row, 0, 1, SEGUE_MAX_ROW_ID),
        .number = (uint64_t)segue_column_integer(row, 1, INT64_MIN, INT64_MAX),
        .arm = (size_t)segue_column_integer(row, 2, 0, SEGUE_MAX_ROW_ARMS - 1),
        .version = segue_column_count(row, 3),
        .event_id = no_event_id ? NULL : segue_column_text(row, 4, SEGUE_MAX_STORE_NAME),
        .created = segue_column_real(row, 5),
        .probability = no_probability ? 0.0 : segue_column_real(row, 6),
        .exact = !segue_column_is_null(row, 7) && segue_column_flag(row, 7),
        .shadow = read_shadow(row, 8)};
    if (!(decision->probability >= 0.0 && decision->probability <= 1.0))
        segue_column_fail(row, 6, "a probability");
}

static void read_event(segue_rows *rows, store_row *row, void *out)
{
    (void)rows;
    *(segue_stored_event *)out =
        (segue_stored_event){.seq = (uint64_t)segue_column_integer(row, 0, 1, SEGUE_MAX_ROW_ID),
                             .learner = segue_column_integer(row, 1, 1, SEGUE_MAX_LEARNER_ID),
                             .kind = (segue_event_kind)segue_column_integer(
                                 row, 2, SEGUE_EVENT_CLOSE, SEGUE_LAST_EVENT_KIND),
                             .subject = segue_column_integer(row, 3, 0, SEGUE_MAX_ROW_ID),
                             .created = segue_column_real(row, 4),
                             .epoch = segue_column_count(row, 5)};
}

/* The bytes are the backend's, until the next row; recovery checks their checksum. */
static void read_snapshot(segue_rows *rows, store_row *row, void *out)
{
    (void)rows;
    segue_stored_snapshot *snapshot = out;
    *snapshot =
        (segue_stored_snapshot){.learner = segue_column_key(row, 0),
                                .seq = (uint64_t)segue_column_integer(row, 1, 1, SEGUE_MAX_ROW_ID)};
    snapshot->bytes = segue_column_blob(row, 2, &snapshot->size);
}

/* The bytes are the backend's, until the next row; they have a checksum of their own. */
static void read_initial(segue_rows *rows, store_row *row, void *out)
{
    (void)rows;
    segue_stored_initial *initial = out;
    *initial = (segue_stored_initial){.learner = segue_column_key(row, 0)};
    initial->bytes = segue_column_blob(row, 1, &initial->size);
}

/* Two digests, one after the other. */
static void read_digests(store_row *row, int column, unsigned char *first, unsigned char *second)
{
    size_t size = 0;
    const unsigned char *bytes = segue_column_blob(row, column, &size);
    if (size != (size_t)2 * SEGUE_DIGEST_SIZE || !bytes) {
        segue_column_fail(row, column, "two digests of 32 bytes");
        return;
    }
    memcpy(first, bytes, SEGUE_DIGEST_SIZE);
    memcpy(second, bytes + SEGUE_DIGEST_SIZE, SEGUE_DIGEST_SIZE);
}

static void read_link(segue_rows *rows, store_row *row, void *out)
{
    (void)rows;
    segue_stored_link *link = out;
    *link = (segue_stored_link){.learner = segue_column_key(row, 0),
                                .seq = (uint64_t)segue_column_integer(row, 1, 0, SEGUE_MAX_ROW_ID)};
    read_digests(row, 2, link->digest, link->hash);
}

static void read_removed(segue_rows *rows, store_row *row, void *out)
{
    (void)rows;
    segue_stored_removed *removed = out;
    *removed =
        (segue_stored_removed){.task = segue_column_key(row, 0),
                               .learner = segue_column_integer(row, 1, 1, SEGUE_MAX_LEARNER_ID),
                               .counts = segue_column_text(row, 2, SEGUE_MAX_ROW_TEXT),
                               .erased = segue_column_flag(row, 4)};
    read_digests(row, 3, removed->rewards, removed->key);
}

static void read_reward_part(segue_rows *rows, store_row *row, void *out)
{
    segue_stored_reward_part *part = out;
    *part = (segue_stored_reward_part){
        .task = segue_column_integer(row, 0, 1, SEGUE_MAX_ROW_ID),
        .number = (uint64_t)segue_column_integer(row, 1, INT64_MIN, INT64_MAX),
        .event_id = segue_column_text(row, 2, SEGUE_MAX_STORE_NAME),
        .position = segue_column_count(row, 3),
        .value = segue_column_real(row, 4),
        .created = segue_column_real(row, 5)};
    if (rows->query.kind == SEGUE_QUERY_REWARD_PARTS && part->position != rows->count)
        segue_column_fail(row, 3, "the positions of a decision's rewards from 0 on, without a gap");
}

/* A list of merges has no bytes. */
static void read_merged(segue_rows *rows, store_row *row, void *out)
{
    segue_stored_merged *merged = out;
    *merged =
        (segue_stored_merged){.learner = segue_column_key(row, 0),
                              .number = (uint64_t)segue_column_integer(row, 1, 1, SEGUE_MAX_ROW_ID),
                              .origins = segue_column_text(row, 2, SEGUE_MAX_ROW_TEXT)};
    if (rows->query.kind == SEGUE_QUERY_MERGED)
        merged->bytes = segue_column_blob(row, 3, &merged->size);
}

/* ---- queries ----------------------------------------------------------------------------- */

/* How the rows of a query are read. */
typedef struct query_kind {
    int keys; /* number of first columns that identify a row */
    const char *table;
    void (*read)(segue_rows *rows, store_row *row, void *out);
} query_kind;

static const query_kind kinds[SEGUE_N_QUERIES] = {
    [SEGUE_QUERY_LEARNERS] = {1, "learner", read_learner},
    [SEGUE_QUERY_LEARNER] = {1, "learner", read_learner},
    [SEGUE_QUERY_ARMS] = {2, "arm", read_arm},
    [SEGUE_QUERY_OPEN_TASKS] = {1, "task", read_task},
    [SEGUE_QUERY_NEWEST_OPEN_TASKS] = {1, "task", read_task},
    [SEGUE_QUERY_NEWEST_CLOSED_TASKS] = {1, "task", read_task},
    [SEGUE_QUERY_NEWEST_TASKS] = {1, "task", read_task},
    [SEGUE_QUERY_TASKS] = {1, "task", read_task},
    [SEGUE_QUERY_TASK_BY_KEY] = {1, "task", read_task},
    [SEGUE_QUERY_TASK_BY_ID] = {1, "task", read_task},
    [SEGUE_QUERY_REWARDS] = {2, "reward", read_reward},
    [SEGUE_QUERY_REWARD] = {2, "reward", read_reward},
    [SEGUE_QUERY_DECISIONS] = {2, "decision", read_decision},
    [SEGUE_QUERY_EVENT_DECISIONS] = {2, "decision", read_decision},
    [SEGUE_QUERY_PENDING_DECISIONS] = {2, "decision", read_decision},
    [SEGUE_QUERY_EVENTS] = {1, "event", read_event},
    [SEGUE_QUERY_SNAPSHOT] = {2, "snapshot", read_snapshot},
    [SEGUE_QUERY_INITIAL] = {1, "initial", read_initial},
    [SEGUE_QUERY_CHAIN] = {2, "chain", read_link},
    [SEGUE_QUERY_LAST_LINK] = {2, "chain", read_link},
    [SEGUE_QUERY_REMOVED] = {1, "removed", read_removed},
    [SEGUE_QUERY_LAST_TRIM] = {1, "event", read_event},
    [SEGUE_QUERY_CLOSED_AFTER] = {1, "task", read_task},
    [SEGUE_QUERY_BASE] = {1, "base", read_snapshot},
    [SEGUE_QUERY_REWARD_PARTS] = {2, "reward_part", read_reward_part},
    [SEGUE_QUERY_TASK_PARTS] = {2, "reward_part", read_reward_part},
    [SEGUE_QUERY_MERGES] = {2, "merged", read_merged},
    [SEGUE_QUERY_MERGED] = {2, "merged", read_merged},
};

segue_status segue_stored_read(segue_rows *rows, store_row *row, void *out)
{
    const query_kind *kind = &kinds[rows->query.kind];
    row->table = kind->table;
    row->keys = kind->keys;
    kind->read(rows, row, out);
    return row->status;
}

/* The decision numbers of a reward use all 64 bits; limits and events end at INT64_MAX. */
int64_t segue_stored_read_number(const segue_query *query)
{
    const bool names_decision =
        query->kind == SEGUE_QUERY_REWARD || query->kind == SEGUE_QUERY_REWARD_PARTS;
    return names_decision || query->number < INT64_MAX ? (int64_t)query->number : INT64_MAX;
}
