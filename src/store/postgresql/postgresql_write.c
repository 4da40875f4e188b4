/* postgresql_write.c - insert rows: they wait in arrays until a read or the end needs them.
 *
 * store_change.c calls these functions through the backend, inside a transaction of the writer.  A
 * row is turned into the values of its columns, in the order of postgresql_batch.c, and added to the
 * arrays of its table.  Ids come from the counters of table meta, which this process holds.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "segue/internal.h"
#include "store/postgresql/postgresql.h"

#define MAX_WAITING ((size_t)4 << 20) /* bytes of rows that wait */

/* ---- flush ------------------------------------------------------------------------------- */

static segue_status flush_table(postgresql_store *store, segue_store_table table, segue_error *err)
{
    char name[32], text[640];
    postgresql_parameters p = {.n = 0};
    postgresql_batch *batch = &store->batch[table];
    const postgresql_table *about = &segue_postgresql_batch_tables[table];
    if (batch->n == 0)
        return SEGUE_OK;
    segue_postgresql_batch_finish(batch, table);
    for (size_t i = 0; about->types[i]; i++)
        segue_postgresql_pipeline_bytes(&p, batch->column[i].data, batch->column[i].size);
    (void)snprintf(name, sizeof name, "insert_%s", about->name);
    segue_postgresql_batch_insert(table, text, sizeof text);
    const segue_status status = segue_postgresql_pipeline_queue_named(
        store, name, text, &store->prepared_insert[table], &p, err);
    segue_postgresql_batch_clear(batch);
    return status;
}

segue_status segue_postgresql_write_flush(postgresql_store *store, segue_error *err)
{
    if (store->batch_bytes == 0)
        return SEGUE_OK;
    store->batch_bytes = 0;
    for (size_t i = 0; i <= SEGUE_N_TABLES; i++)
        SEGUE_TRY(flush_table(store, (segue_store_table)i, err));
    return SEGUE_OK;
}

/* Add a row to those that wait.  Many are sent at once, so that they need little memory. */
static segue_status add_row(postgresql_store *store, segue_store_table table,
                            const segue_table_row *row, segue_error *err)
{
    SEGUE_TRY(
        segue_postgresql_batch_add(&store->batch[table], table, row, &store->batch_bytes, err));
    if (store->batch_bytes < MAX_WAITING)
        return SEGUE_OK;
    SEGUE_TRY(segue_postgresql_write_flush(store, err));
    return segue_postgresql_pipeline_sync(store, NULL, err);
}

/* ---- rewards that exist ------------------------------------------------------------------ */

void segue_postgresql_write_expect(segue_store *base, int64_t task, uint64_t number)
{
    postgresql_store *store = segue_postgresql_of(base);
    (void)segue_postgresql_known_find(&store->known, task, (int64_t)number, true); /* a hint */
}

/* The keys of the expected decisions as two arrays. */
static segue_status queue_find_rewards(postgresql_store *store, postgresql_batch *keys,
                                       segue_error *err)
{
    postgresql_parameters p = {.n = 0};
    size_t bytes = 0;
    for (size_t i = store->known.n_found; i < store->known.n; i++) {
        const postgresql_known_entry *entry = &store->known.entry[i];
        const segue_table_row row = {
            .n = 2,
            .value = {{.type = SEGUE_VALUE_INTEGER, .integer = entry->task},
                      {.type = SEGUE_VALUE_INTEGER, .integer = entry->number}}};
        SEGUE_TRY(segue_postgresql_batch_add(keys, SEGUE_TABLE_CHAIN, &row, &bytes, err));
    }
    segue_postgresql_batch_finish_columns(keys, "ii");
    segue_postgresql_pipeline_bytes(&p, keys->column[0].data, keys->column[0].size);
    segue_postgresql_pipeline_bytes(&p, keys->column[1].data, keys->column[1].size);
    return segue_postgresql_pipeline_queue(store, PG_FIND_REWARDS, &p, err);
}

/* Rewards of this transaction are found, too: they are flushed first. */
segue_status segue_postgresql_write_find_rewards(postgresql_store *store, segue_error *err)
{
    postgresql_known *known = &store->known;
    postgresql_batch keys = {.n = 0};
    PGresult *result = NULL;
    if (known->n_found == known->n)
        return SEGUE_OK;
    SEGUE_TRY(segue_postgresql_write_flush(store, err));
    segue_status status = queue_find_rewards(store, &keys, err);
    segue_postgresql_batch_fini(&keys);
    if (status == SEGUE_OK)
        status = segue_postgresql_pipeline_sync(store, &result, err);
    SEGUE_TRY(status);
    for (; known->n_found < known->n; known->n_found++)
        known->entry[known->n_found].what = POSTGRESQL_ABSENT;
    for (int i = 0; i < PQntuples(result); i++) {
        const store_row row = segue_postgresql_rows_row(result, i, err);
        segue_postgresql_known_find(known, segue_column_key(&row, 0), segue_column_key(&row, 1),
                                    false)
            ->what = POSTGRESQL_PRESENT;
    }
    PQclear(result);
    return SEGUE_OK;
}

/* ---- rows to values ---------------------------------------------------------------------- */

static segue_value integer(int64_t x)
{
    return (segue_value){.type = SEGUE_VALUE_INTEGER, .integer = x};
}

static segue_value count(uint64_t x)
{
    return integer((int64_t)x);
}

static segue_value real(double x)
{
    return (segue_value){.type = SEGUE_VALUE_REAL, .real = x};
}

static segue_value null(void)
{
    return (segue_value){.type = SEGUE_VALUE_NULL};
}

static segue_value text(const char *x)
{
    return x ? (segue_value){.type = SEGUE_VALUE_TEXT, .data = x, .size = strlen(x)} : null();
}

static segue_value bytes(const void *x, size_t size)
{
    return (segue_value){.type = SEGUE_VALUE_BYTES, .data = x, .size = size};
}

/* Where the service chose, both columns are NULL. */
static void add_shadow(segue_value *value, const segue_stored_shadow *shadow)
{
    value[0] = shadow->is_set ? count(shadow->arm) : null();
    value[1] = shadow->is_set ? real(shadow->probability) : null();
}

static segue_table_row row_of_task(const segue_stored_task *t)
{
    return (segue_table_row){.n = 14,
                             .value = {integer(t->id), integer(t->learner), text(t->key),
                                       integer(t->control), count(t->version), count(t->n_arms),
                                       real(t->opened), null(), null(), integer(0), real(0.0),
                                       count(t->tag), real(t->control_share), text(t->features)}};
}

static segue_table_row row_of_decision(const segue_stored_decision *d)
{
    const bool has = d->probability > 0.0;
    segue_table_row row = {.n = 10,
                           .value = {integer(d->task), count(d->number), count(d->arm),
                                     count(d->version), text(d->event_id), real(d->created),
                                     has ? real(d->probability) : null(),
                                     has ? integer(d->exact) : null()}};
    add_shadow(&row.value[8], &d->shadow);
    return row;
}

static segue_table_row row_of_reward(const segue_stored_reward *r)
{
    segue_table_row row = {
        .n = 11,
        .value = {integer(r->task), count(r->number), count(r->position), count(r->arm),
                  real(r->value), real(r->created), integer(r->by_default),
                  r->probability > 0.0 ? real(r->probability) : null(), text(r->asks)}};
    add_shadow(&row.value[9], &r->shadow);
    return row;
}

/* ---- inserts ----------------------------------------------------------------------------- */

/* Sent at once: a name that exists is an error of the request. */
static segue_status insert_learner(postgresql_store *store, segue_stored_learner *l,
                                   segue_error *err)
{
    if (store->staged.last_learner >= SEGUE_MAX_LEARNER_ID)
        return segue_store_fail_damaged(err,
                                        "table learner has the id %" PRId64 "; need at most %u",
                                        store->staged.last_learner, SEGUE_MAX_LEARNER_ID);
    l->id = ++store->staged.last_learner;
    const segue_table_row row = {
        .n = 4, .value = {integer(l->id), text(l->name), text(l->config), real(l->created)}};
    SEGUE_TRY(add_row(store, SEGUE_TABLE_LEARNER, &row, err));
    SEGUE_TRY(segue_postgresql_write_flush(store, err));
    return segue_postgresql_pipeline_sync(store, NULL, err);
}

/* It is known, or found out, whether the decision has a reward. */
static segue_status insert_reward(postgresql_store *store, const segue_stored_reward *r,
                                  bool *is_new, segue_error *err)
{
    *is_new = false;
    if (!segue_postgresql_known_find(&store->known, r->task, (int64_t)r->number, true))
        return segue_fail_no_memory(err, "a reward");
    SEGUE_TRY(segue_postgresql_write_find_rewards(store, err));
    postgresql_known_entry *known =
        segue_postgresql_known_find(&store->known, r->task, (int64_t)r->number, false);
    if (known->what == POSTGRESQL_PRESENT)
        return SEGUE_OK;
    const segue_table_row row = row_of_reward(r);
    SEGUE_TRY(add_row(store, SEGUE_TABLE_REWARD, &row, err));
    known->what = POSTGRESQL_PRESENT;
    *is_new = true;
    return SEGUE_OK;
}

/* A link: two digests, one after the other; also what remains of removed rewards. */
static segue_status insert_digests(postgresql_store *store, segue_store_table table,
                                   segue_table_row *row, size_t column, const unsigned char *first,
                                   const unsigned char *second, segue_error *err)
{
    unsigned char both[2 * SEGUE_DIGEST_SIZE];
    memcpy(both, first, SEGUE_DIGEST_SIZE);
    memcpy(both + SEGUE_DIGEST_SIZE, second, SEGUE_DIGEST_SIZE);
    row->value[column] = bytes(both, sizeof both);
    return add_row(store, table, row, err);
}

/* Older snapshots of the learner are deleted in the same transaction. */
static segue_status insert_snapshot(postgresql_store *store, const segue_stored_snapshot *s,
                                    segue_error *err)
{
    const int64_t seq = (int64_t)s->seq;
    const segue_table_row row = {
        .n = 3, .value = {integer(s->learner), integer(seq), bytes(s->bytes, s->size)}};
    SEGUE_TRY(add_row(store, SEGUE_TABLE_SNAPSHOT, &row, err));
    return segue_postgresql_write_ids(store, PG_DELETE_SNAPSHOTS, s->learner, &seq, err);
}

segue_status segue_postgresql_write_insert(segue_store *base, segue_store_table table, void *data,
                                           bool *is_new, segue_error *err)
{
    postgresql_store *store = segue_postgresql_of(base);
    segue_table_row row = {.n = 0};
    switch (table) {
    case SEGUE_TABLE_LEARNER:
        return insert_learner(store, data, err);
    case SEGUE_TABLE_REWARD:
        return insert_reward(store, data, is_new, err);
    case SEGUE_TABLE_SNAPSHOT:
        return insert_snapshot(store, data, err);
    case SEGUE_TABLE_ARM: {
        const segue_stored_arm *a = data;
        row = (segue_table_row){.n = 7,
                                .value = {integer(a->learner), count(a->position), text(a->name),
                                          real(a->added), null(), integer(0), real(0.0)}};
        break;
    }
    case SEGUE_TABLE_TASK: {
        segue_stored_task *t = data;
        t->id = ++store->staged.last_task;
        row = row_of_task(t);
        break;
    }
    case SEGUE_TABLE_DECISION:
        row = row_of_decision(data);
        break;
    case SEGUE_TABLE_EVENT: {
        segue_stored_event *e = data;
        e->seq = (uint64_t)++store->staged.last_event;
        row = (segue_table_row){.n = 6,
                                .value = {count(e->seq), integer(e->learner), integer(e->kind),
                                          integer(e->subject), real(e->created), count(e->epoch)}};
        break;
    }
    case SEGUE_TABLE_INITIAL: {
        const segue_stored_initial *i = data;
        row = (segue_table_row){.n = 2, .value = {integer(i->learner), bytes(i->bytes, i->size)}};
        break;
    }
    case SEGUE_TABLE_CHAIN: {
        const segue_stored_link *l = data;
        row = (segue_table_row){.n = 3, .value = {integer(l->learner), count(l->seq)}};
        return insert_digests(store, table, &row, 2, l->digest, l->hash, err);
    }
    case SEGUE_TABLE_REMOVED: {
        const segue_stored_removed *r = data;
        row = (segue_table_row){.n = 5, .value = {integer(r->task), integer(r->learner)}};
        row.value[2] = text(r->counts);
        row.value[4] = integer(r->erased);
        return insert_digests(store, table, &row, 3, r->rewards, r->key, err);
    }
    case SEGUE_TABLE_REWARD_PART: {
        const segue_stored_reward_part *p = data;
        row = (segue_table_row){.n = 6,
                                .value = {integer(p->task), count(p->number), text(p->event_id),
                                          count(p->position), real(p->value), real(p->created)}};
        break;
    }
    case SEGUE_TABLE_MERGED: {
        const segue_stored_merged *m = data;
        row = (segue_table_row){.n = 4,
                                .value = {integer(m->learner), count(m->number), text(m->origins),
                                          bytes(m->bytes, m->size)}};
        break;
    }
    default:
        return segue_fail(err, SEGUE_EUSAGE, "table %d takes no rows", (int)table);
    }
    return add_row(store, table, &row, err);
}

segue_status segue_postgresql_write_load(segue_store *base, segue_store_table table,
                                         const segue_table_row *row, segue_error *err)
{
    postgresql_store *store = segue_postgresql_of(base);
    return table == SEGUE_TABLE_META || table == SEGUE_TABLE_COUNTER
               ? segue_postgresql_meta_load(store, table, row, err)
               : add_row(store, table, row, err);
}
