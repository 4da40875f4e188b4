/* postgresql_meta.c - values about the store as a whole: the key, the number of starts, the service
 * time, and the counters of the ids that were given out.
 *
 * They are the one row of table meta.  Ids are given out by this process, which holds the row's lock:
 * an insert waits for no answer.  A rollback gives the ids of its transaction back.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "segue/internal.h"
#include "store/postgresql/postgresql.h"

enum { KEY = 1, BOOT, COMMITS, LEARNER, TASK, EVENT, CLOCK }; /* columns of META_COLUMNS */

segue_status segue_postgresql_meta_parse(PGresult *result, postgresql_state *out, segue_error *err)
{
    size_t size = 0;
    if (PQntuples(result) != 1)
        return segue_store_fail_damaged(err, "it has no key (table meta)");
    store_row row = segue_postgresql_rows_row(result, 0, err);
    row.table = "meta";
    const void *key = segue_column_blob(&row, KEY, &size);
    *out = (postgresql_state){.starts = segue_column_integer(&row, BOOT, 0, UINT32_MAX - 1),
                              .commits = segue_column_integer(&row, COMMITS, 0, INT64_MAX - 1),
                              .last_learner =
                                  segue_column_integer(&row, LEARNER, 0, SEGUE_MAX_LEARNER_ID - 1),
                              .last_task = segue_column_integer(&row, TASK, 0, SEGUE_MAX_ROW_ID),
                              .last_event = segue_column_integer(&row, EVENT, 0, SEGUE_MAX_ROW_ID),
                              .clock = segue_column_real(&row, CLOCK)};
    SEGUE_TRY(row.status);
    if (size != SEGUE_STORE_KEY_SIZE)
        return segue_store_fail_damaged(err, "it has no key (table meta)");
    memcpy(out->key, key, SEGUE_STORE_KEY_SIZE);
    return SEGUE_OK;
}

segue_status segue_postgresql_meta_read_state(postgresql_store *store, postgresql_state *out,
                                              segue_error *err)
{
    PGresult *result = NULL;
    if (store->transaction == POSTGRESQL_WRITE) {
        *out = store->staged;
        return SEGUE_OK;
    }
    if (store->transaction == POSTGRESQL_IDLE && store->db == NULL)
        SEGUE_TRY(segue_postgresql_connect_again(store, err));
    SEGUE_TRY(segue_postgresql_pipeline_run(store, PG_META, NULL, &result, err));
    const segue_status status = segue_postgresql_meta_parse(result, out, err);
    PQclear(result);
    return status;
}

segue_status segue_postgresql_meta_read(segue_store *base, segue_store_meta *out, segue_error *err)
{
    postgresql_state state;
    postgresql_store *store = segue_postgresql_of(base);
    SEGUE_TRY(segue_postgresql_meta_read_state(store, &state, err));
    *out = (segue_store_meta){.starts = (uint64_t)state.starts,
                              .clock = state.clock,
                              .last_learner = state.last_learner,
                              .last_task = state.last_task};
    memcpy(out->key, state.key, sizeof out->key);
    if (store->transaction == POSTGRESQL_WRITE && segue_postgresql_session_is_set(store))
        return segue_postgresql_session_read_numbers(store, out, err);
    return SEGUE_OK;
}

segue_status segue_postgresql_meta_start(segue_store *base, segue_store_meta *meta,
                                         segue_error *err)
{
    postgresql_store *store = segue_postgresql_of(base);
    SEGUE_TRY(segue_postgresql_meta_verify(store, err));
    SEGUE_TRY(segue_postgresql_meta_read(base, meta, err));
    store->staged.starts = (int64_t)++meta->starts;
    return SEGUE_OK;
}

segue_status segue_postgresql_meta_set_clock(segue_store *base, double seconds, segue_error *err)
{
    (void)err;
    segue_postgresql_of(base)->staged.clock = seconds;
    return SEGUE_OK;
}

/* A counter that is too small would give ids twice. */
segue_status segue_postgresql_meta_verify(postgresql_store *store, segue_error *err)
{
    postgresql_state state;
    int64_t found = 0;
    SEGUE_TRY(segue_postgresql_meta_read_state(store, &state, err));
    SEGUE_TRY(segue_postgresql_pipeline_count(
        store,
        "SELECT (learner < (SELECT coalesce(max(id), 0) FROM learner))::int::bigint + (task < "
        "(SELECT coalesce(max(id), 0) FROM task))::int + (event < (SELECT coalesce(max(seq), 0) "
        "FROM event))::int FROM meta",
        0, &found, err));
    return found == 0 ? SEGUE_OK
                      : segue_store_fail_damaged(
                            err, "counters smaller than the ids they count (table meta)");
}

/* ---- exports ----------------------------------------------------------------------------- */

static segue_value text_of(const char *text)
{
    return (segue_value){.type = SEGUE_VALUE_TEXT, .data = text, .size = strlen(text)};
}

static segue_value integer_of(int64_t integer)
{
    return (segue_value){.type = SEGUE_VALUE_INTEGER, .integer = integer};
}

static segue_table_row row_of(const char *name, segue_value value)
{
    return (segue_table_row){.n = 2, .value = {text_of(name), value}};
}

static size_t export_counters(const postgresql_state *state, segue_table_row rows[3])
{
    static const char *const names[] = {"event", "learner", "task"};
    const int64_t last[] = {state->last_event, state->last_learner, state->last_task};
    size_t n = 0;
    for (size_t i = 0; i < 3; i++) {
        rows[n] = row_of(names[i], integer_of(last[i]));
        n += last[i] > 0;
    }
    return n;
}

static size_t export_meta(const postgresql_state *state, segue_table_row rows[3])
{
    const segue_value key = {
        .type = SEGUE_VALUE_BYTES, .data = state->key, .size = sizeof state->key};
    const segue_value clock = {.type = SEGUE_VALUE_REAL, .real = state->clock};
    const size_t n = state->clock >= 0.0 ? 3 : 2;
    rows[0] = row_of("boot", integer_of(state->starts));
    rows[1] = row_of("clock", clock);
    rows[n - 1] = row_of("key", key);
    return n;
}

/* The rows of both tables in the order of their names.  The row borrows the key of `state`. */
bool segue_postgresql_meta_export(const postgresql_state *state, segue_store_table table,
                                  size_t index, segue_table_row *out)
{
    segue_table_row rows[3];
    const size_t n =
        table == SEGUE_TABLE_META ? export_meta(state, rows) : export_counters(state, rows);
    if (index < n)
        *out = rows[index];
    return index < n;
}

static segue_status load_meta(postgresql_store *store, const char *name, const segue_value *value)
{
    postgresql_state *s = &store->staged;
    const bool is_key = value->type == SEGUE_VALUE_BYTES && value->size == sizeof s->key;
    if (strcmp(name, "boot") == 0 && value->type == SEGUE_VALUE_INTEGER)
        s->starts = value->integer;
    else if (strcmp(name, "clock") == 0 && value->type == SEGUE_VALUE_REAL)
        s->clock = value->real;
    else if (strcmp(name, "key") == 0 && is_key)
        memcpy(s->key, value->data, sizeof s->key);
    else
        return SEGUE_EFILE;
    return SEGUE_OK;
}

static segue_status load_counter(postgresql_store *store, const char *name,
                                 const segue_value *value)
{
    postgresql_state *s = &store->staged;
    int64_t *last = strcmp(name, "learner") == 0 ? &s->last_learner
                    : strcmp(name, "task") == 0  ? &s->last_task
                    : strcmp(name, "event") == 0 ? &s->last_event
                                                 : NULL;
    if (!last || value->type != SEGUE_VALUE_INTEGER)
        return SEGUE_EFILE;
    *last = value->integer;
    return SEGUE_OK;
}

segue_status segue_postgresql_meta_load(postgresql_store *store, segue_store_table table,
                                        const segue_table_row *row, segue_error *err)
{
    const char *name = row->value[0].type == SEGUE_VALUE_TEXT ? row->value[0].data : "";
    const segue_status status = table == SEGUE_TABLE_META
                                    ? load_meta(store, name, &row->value[1])
                                    : load_counter(store, name, &row->value[1]);
    return status == SEGUE_OK
               ? SEGUE_OK
               : segue_store_fail_damaged(err, "a row '%.40s' of table %s", name,
                                          table == SEGUE_TABLE_META ? "meta" : "counter");
}
