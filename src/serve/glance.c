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

void segue_answer_types(bytes *b, const segue_found *found)
{
    const size_t n = found->n_arms;
    segue_out_name(b, "types");
    segue_out(b, "[");
    for (size_t k = 0; k < found->n_types; k++) {
        segue_out(b, k > 0 ? ",{" : "{");
        segue_out_double(b, "weight", found->weight[k]);
        write_numbers(b, "means", found->mean + k * n, n);
        if (found->low) {
            write_numbers(b, "low", found->low + k * n, n);
            write_numbers(b, "high", found->high + k * n, n);
        }
        segue_out(b, "}");
    }
    segue_out(b, "]");
    segue_out_double(b, "none", found->none);
}

/* ---- versions ---------------------------------------------------------------------------- */

static void write_version(bytes *b, const past_version *v, bool first)
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

/* Those that are kept, and the newest. */
static void write_versions(const live_learner *live, bytes *b)
{
    const segue_versions *kept = &live->versions;
    const uint64_t newest = segue_learner_version(live->learner);
    past_version now;
    for (size_t i = 0; i < kept->count; i++)
        write_version(b, &kept->entry[i], i == 0);
    if (newest == 0 || (kept->count > 0 && kept->entry[kept->count - 1].version == newest))
        return;
    if (segue_past_take(&now, live->learner, NULL) == SEGUE_OK)
        write_version(b, &now, kept->count == 0);
    else
        b->failed = true;
    segue_past_fini(&now);
}

void segue_answer_versions(live_learner *live, segue_reply *reply)
{
    segue_out(&reply->body, "{\"versions\":[");
    (void)pthread_mutex_lock(&live->lock);
    write_versions(live, &reply->body);
    (void)pthread_mutex_unlock(&live->lock);
    segue_out(&reply->body, "]}");
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
