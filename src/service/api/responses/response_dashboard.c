/* response_dashboard.c - bodies of responses for the dashboard: types, versions, decisions.
 *
 * Versions are copied under the learner's lock and written without it.  Recent decisions are few,
 * and written under the lock.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/json_write.h"
#include "service/api/responses/response.h"
#include "service/engine/service_internal.h"

static void write_numbers(segue_bytes *b, const char *name, const double *x, size_t count)
{
    segue_json_write_key(b, name);
    segue_json_write_raw(b, "[");
    for (size_t i = 0; i < count; i++) {
        segue_json_write_raw(b, i > 0 ? "," : "");
        segue_json_write_number(b, x[i]);
    }
    segue_json_write_raw(b, "]");
}

void segue_response_type(segue_bytes *b, const segue_type_list *found, size_t k)
{
    const size_t n = found->n_arms;
    segue_json_write_raw(b, k > 0 ? ",{" : "{");
    if (found->id[k] > 0)
        segue_json_write_integer(b, "id", found->id[k]);
    segue_json_write_double(b, "weight", found->weight[k]);
    write_numbers(b, "means", found->mean + k * n, n);
    if (found->low) {
        write_numbers(b, "low", found->low + k * n, n);
        write_numbers(b, "high", found->high + k * n, n);
    }
    segue_json_write_raw(b, "}");
}

/* ---- versions ---------------------------------------------------------------------------- */

void segue_response_version(segue_bytes *b, const model_version *v, bool first)
{
    segue_json_write_raw(b, first ? "{" : ",{");
    segue_json_write_integer(b, "version", v->version);
    segue_json_write_integer(b, "tasks", v->tasks);
    segue_json_write_double(b, "no_type", v->no_type);
    segue_json_write_raw(b, ",\"types\":[");
    for (size_t k = 0; k < v->n_types; k++) {
        segue_json_write_raw(b, k > 0 ? ",{" : "{");
        segue_json_write_double(b, "weight", v->number[k]);
        write_numbers(b, "means", v->number + v->n_types + k * v->n_arms, v->n_arms);
        segue_json_write_raw(b, "}");
    }
    segue_json_write_raw(b, "]}");
}

/* The newest version is added if the history has skipped it. */
bool segue_response_copy_history(learner_state *state, segue_model_history *out,
                                 model_version *newest)
{
    const segue_model_history *stored = &state->versions;
    *newest = (model_version){.number = NULL};
    (void)pthread_mutex_lock(&state->lock);
    bool fine = segue_model_history_copy(out, stored, NULL) == SEGUE_OK;
    const uint64_t number = segue_learner_version(state->learner);
    const bool is_stored = stored->count > 0 && stored->entry[stored->count - 1].version == number;
    if (fine && number > 0 && !is_stored)
        fine = segue_model_history_capture(newest, state->learner, NULL) == SEGUE_OK;
    (void)pthread_mutex_unlock(&state->lock);
    return fine;
}

/* ---- decisions --------------------------------------------------------------------------- */

static void write_decision(const learner_state *state, const recent_reward *d, segue_bytes *b)
{
    segue_json_write_text(b, "task", d->task);
    segue_json_write_text(b, "arm", state->arm[d->arm]->name);
    segue_json_write_double(b, "reward", d->reward);
    segue_json_write_bool(b, "control", d->control);
    segue_json_write_integer(b, "version", d->version);
    segue_json_write_double(b, "time", d->time);
}

void segue_response_decisions(learner_state *state, segue_response *response)
{
    segue_bytes *b = &response->body;
    const recent_reward *d = NULL;
    segue_json_write_raw(b, "{\"decisions\":[");
    (void)pthread_mutex_lock(&state->lock);
    for (uint64_t i = 0; (d = segue_recent_rewards_at(&state->recent, i)); i++) {
        segue_json_write_raw(b, i > 0 ? ",{" : "{");
        write_decision(state, d, b);
        segue_json_write_raw(b, "}");
    }
    (void)pthread_mutex_unlock(&state->lock);
    segue_json_write_raw(b, "]}");
}
