/* glance.c - bodies of replies for people who look at a learner: types, versions, decisions.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "serve/inside.h"
#include "serve/out.h"

static void write_numbers(bytes *b, const char *name, const double *x, size_t count)
{
    segue_out_name(b, name);
    segue_out(b, "[");
    for (size_t i = 0; i < count; i++) {
        segue_out(b, i > 0 ? "," : "");
        segue_out_number(b, x[i]);
    }
    segue_out(b, "]");
}

void segue_answer_type(bytes *b, const segue_found *found, size_t k)
{
    const size_t n = found->n_arms;
    segue_out(b, k > 0 ? ",{" : "{");
    segue_out_double(b, "weight", found->weight[k]);
    write_numbers(b, "means", found->mean + k * n, n);
    if (found->low) {
        write_numbers(b, "low", found->low + k * n, n);
        write_numbers(b, "high", found->high + k * n, n);
    }
    segue_out(b, "}");
}

/* ---- versions ---------------------------------------------------------------------------- */

void segue_answer_version(bytes *b, const past_version *v, bool first)
{
    segue_out(b, first ? "{" : ",{");
    segue_out_whole(b, "version", v->version);
    segue_out_whole(b, "tasks", v->tasks);
    segue_out_double(b, "none", v->none);
    segue_out(b, ",\"types\":[");
    for (size_t k = 0; k < v->n_types; k++) {
        segue_out(b, k > 0 ? ",{" : "{");
        segue_out_double(b, "weight", v->number[k]);
        write_numbers(b, "means", v->number + v->n_types + k * v->n_arms, v->n_arms);
        segue_out(b, "}");
    }
    segue_out(b, "]}");
}

bool segue_copy_versions(live_learner *live, segue_versions *out, past_version *newest)
{
    const segue_versions *kept = &live->versions;
    *newest = (past_version){.number = NULL};
    (void)pthread_mutex_lock(&live->lock);
    bool fine = segue_versions_copy(out, kept, NULL) == SEGUE_OK;
    const uint64_t number = segue_learner_version(live->learner);
    const bool is_kept = kept->count > 0 && kept->entry[kept->count - 1].version == number;
    if (fine && number > 0 && !is_kept)
        fine = segue_past_take(newest, live->learner, NULL) == SEGUE_OK;
    (void)pthread_mutex_unlock(&live->lock);
    return fine;
}

/* ---- decisions --------------------------------------------------------------------------- */

static void write_decision(const live_learner *live, const recent_decision *d, bytes *b)
{
    segue_out_text(b, "task", d->task);
    segue_out_text(b, "arm", live->arm[d->arm]->name);
    segue_out_double(b, "reward", d->reward);
    segue_out_bool(b, "control", d->control);
    segue_out_whole(b, "version", d->version);
    segue_out_double(b, "time", d->time);
}

void segue_answer_decisions(live_learner *live, segue_reply *reply)
{
    bytes *b = &reply->body;
    const recent_decision *d = NULL;
    segue_out(b, "{\"decisions\":[");
    (void)pthread_mutex_lock(&live->lock);
    for (uint64_t i = 0; (d = segue_recent_at(&live->recent, i)); i++) {
        segue_out(b, i > 0 ? ",{" : "{");
        write_decision(live, d, b);
        segue_out(b, "}");
    }
    (void)pthread_mutex_unlock(&live->lock);
    segue_out(b, "]}");
}
