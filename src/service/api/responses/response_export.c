/* response_export.c - a learner as an export: its bytes, and where its tasks come from.
 *
 * The bytes are those of segue_learner_save with the names of the arms: they can be merged into
 * another learner, start one, or be loaded by a program.  The learner is serialized under its lock,
 * and named and encoded without it.  Origins are read afterwards: a merge is in the store before it
 * is in the learner, so none of the bytes lacks its origin.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "io/encode.h"
#include "io/json_write.h"
#include "service/api/merge_origins.h"
#include "service/api/responses/response.h"
#include "service/engine/damage.h"
#include "service/engine/service_internal.h"

/* Copy the learner's bytes and the names of its arms, which belong to the state; *names is the
 * caller's to free. */
static bool copy_state(learner_state *state, segue_bytes *b, const char ***names, uint64_t *tasks)
{
    (void)pthread_mutex_lock(&state->lock);
    segue_learner_serialize(state->learner, b);
    *tasks = segue_learner_info(state->learner).closed;
    *names = calloc(state->n_arms, sizeof(char *));
    for (size_t i = 0; *names && i < state->n_arms; i++)
        (*names)[i] = state->arm[i]->name;
    (void)pthread_mutex_unlock(&state->lock);
    return *names && !b->failed;
}

/* Replace the bytes of a learner by those of one with names. */
static segue_status add_names(segue_bytes *b, const char *const *names, segue_error *err)
{
    segue_learner *copy = NULL;
    SEGUE_TRY(segue_learner_deserialize(&copy, b->data, b->size, "a copy of the learner", err));
    const segue_status status = segue_learner_name_arms(copy, names, err);
    b->size = 0;
    if (status == SEGUE_OK)
        segue_learner_serialize(copy, b);
    segue_learner_destroy(copy);
    return status;
}

static void write_saved(const segue_bytes *saved, segue_bytes *b)
{
    char *text = malloc(SEGUE_ENCODE_BASE64_LENGTH(saved->size) + 1);
    if (!text) {
        b->failed = true;
        return;
    }
    text[segue_encode_base64(text, saved->data, saved->size)] = '\0';
    segue_json_write_text(b, "saved", text);
    free(text);
}

/* Its own, then others: its own can be among the merged ones, if it was merged with itself. */
static void write_origins(const char *own, json_t *merged, segue_bytes *b)
{
    const char *one = NULL;
    json_t *value = NULL;
    segue_json_write_key(b, "origins");
    segue_json_write_raw(b, "[");
    segue_json_write_string(b, own);
    json_object_foreach(merged, one, value)
    {
        if (strcmp(one, own) == 0)
            continue;
        segue_json_write_raw(b, ",");
        segue_json_write_string(b, one);
    }
    segue_json_write_raw(b, "]");
}

static void write_export(segue_service *service, const learner_state *state, uint64_t tasks,
                         const merge_list *merges, const segue_bytes *saved, segue_bytes *b)
{
    char own[SEGUE_ORIGIN_LENGTH + 1];
    segue_merge_origins_own(state, service->key, own);
    segue_json_write_raw(b, "{");
    segue_json_write_text(b, "learner", state->settings.name);
    segue_json_write_integer(b, "tasks", tasks);
    write_origins(own, merges->origins, b);
    write_saved(saved, b);
    segue_json_write_raw(b, "}");
}

void segue_response_export(segue_service *service, segue_store *store, learner_state *state,
                           segue_response *response)
{
    segue_bytes saved = {.data = NULL};
    merge_list merges = {.count = 0};
    const char **names = NULL;
    uint64_t tasks = 0;
    segue_error err = {.status = SEGUE_OK};
    segue_status status = copy_state(state, &saved, &names, &tasks)
                              ? segue_merge_origins_list(store, state->id, &merges, &err)
                              : segue_fail_no_memory(&err, "an export");
    if (status == SEGUE_OK)
        status = add_names(&saved, names, &err);
    if (status == SEGUE_ENOMEM)
        segue_response_fail(response, 503, "%s; retry later", err.message);
    else if (status != SEGUE_OK)
        segue_damage_respond_failed(service, status, &err, response);
    else
        write_export(service, state, tasks, &merges, &saved, &response->body);
    response->body.failed = response->body.failed || saved.failed;
    free(names);
    segue_merge_origins_fini(&merges);
    segue_bytes_fini(&saved);
}
