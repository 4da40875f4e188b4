/* merge_origins.c - where the tasks of a learner come from: itself, and learners merged into it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/api/merge_origins.h"

#include <inttypes.h>
#include <string.h>

#include "io/encode.h"
#include "io/json.h"
#include "io/json_write.h"
#include "service/state/keyed_hash.h"

static const segue_json_location body_location = {.path = "the body"};

void segue_merge_origins_own(const learner_state *state, const unsigned char key[16],
                             char out[SEGUE_ORIGIN_LENGTH + 1])
{
    unsigned char hash[SEGUE_ORIGIN_LENGTH / 2];
    char text[64];
    const int size = snprintf(text, sizeof text, "origin of learner %" PRId64, state->id);
    segue_keyed_hash_128(key, text, (size_t)size, hash);
    segue_encode_hex(out, hash, sizeof hash);
}

/* ---- requests ---------------------------------------------------------------------------- */

segue_status segue_merge_origins_read(json_t *body, json_t **out, segue_error *err)
{
    json_t *list = json_object_get(body, "origins");
    const size_t count = json_array_size(list);
    *out = NULL;
    if (!list)
        return SEGUE_OK;
    bool fine = json_is_array(list) && count <= SEGUE_MAX_ORIGINS;
    for (size_t i = 0; fine && i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        fine = text && strlen(text) == SEGUE_ORIGIN_LENGTH &&
               strspn(text, "0123456789abcdef") == SEGUE_ORIGIN_LENGTH;
    }
    if (!fine)
        return segue_json_fail(&body_location, "origins", err,
                               "need the list that the export has: at most %d texts of %d "
                               "hexadecimal digits",
                               SEGUE_MAX_ORIGINS, SEGUE_ORIGIN_LENGTH);
    *out = json_incref(list);
    return SEGUE_OK;
}

/* ---- the store --------------------------------------------------------------------------- */

void segue_merge_origins_write(const char *hash, const json_t *origins, segue_bytes *b)
{
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "sha256", hash);
    segue_json_write_raw(b, ",\"origins\":[");
    for (size_t i = 0; i < json_array_size(origins); i++) {
        segue_json_write_raw(b, i > 0 ? "," : "");
        segue_json_write_string(b, json_string_value(json_array_get(origins, i)));
    }
    segue_json_write_raw(b, "]}");
}

static bool add_origins(const json_t *list, json_t *origins)
{
    bool fine = true;
    for (size_t i = 0; fine && i < json_array_size(list); i++) {
        const char *one = json_string_value(json_array_get(list, i));
        fine = !one || json_object_set_new(origins, one, json_true()) == 0;
    }
    return fine;
}

static segue_status add_row(const segue_stored_merged *row, merge_list *out, segue_error *err)
{
    json_t *about = json_loads(row->origins, 0, NULL);
    json_t *hash = json_object_get(about, "sha256"), *origins = json_object_get(about, "origins");
    segue_status status = SEGUE_OK;
    if (!json_is_string(hash) || !json_is_array(origins))
        status = segue_store_fail_damaged(err,
                                          "table merged, learner %" PRId64 ", number %" PRIu64
                                          ", column origins: is not JSON with a hash and a list",
                                          row->learner, row->number);
    else if (json_array_append(out->hashes, hash) != 0 || !add_origins(origins, out->origins))
        status = segue_fail_no_memory(err, "the origins of a learner");
    out->count = row->number > out->count ? row->number : out->count;
    json_decref(about);
    return status;
}

segue_status segue_merge_origins_list(segue_store *store, int64_t learner, merge_list *out,
                                      segue_error *err)
{
    segue_rows rows;
    segue_stored_merged row;
    *out = (merge_list){.hashes = json_array(), .origins = json_object()};
    segue_status status = out->hashes && out->origins
                              ? SEGUE_OK
                              : segue_fail_no_memory(err, "the origins of a learner");
    if (status != SEGUE_OK)
        return status;
    segue_rows_open(&rows, store, &(segue_query){.kind = SEGUE_QUERY_MERGES, .id = learner}, err);
    while (status == SEGUE_OK && segue_rows_next_merged(&rows, &row))
        status = add_row(&row, out, err);
    return segue_rows_close(&rows, status);
}

void segue_merge_origins_fini(merge_list *list)
{
    json_decref(list->hashes);
    json_decref(list->origins);
    *list = (merge_list){.count = 0};
}

bool segue_merge_origins_has(const json_t *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *one = json_string_value(json_array_get(list, i));
        if (one && strcmp(one, text) == 0)
            return true;
    }
    return false;
}
