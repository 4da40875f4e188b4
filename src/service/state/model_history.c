/* model_history.c - the types of a learner at some of its versions.
 *
 * At most SEGUE_MAX_MODEL_VERSIONS are stored.  When the list is full, the stride doubles and the
 * versions that it skips are removed.  The rule depends on version numbers alone, so the service
 * and recovery store the same versions.  The learner's lock guards a history.
 *
 * A history is serialized into snapshots.  Its bytes are checked when they are read back: counts
 * before they are used as sizes, and means for being finite.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/model_history.h"

#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* A weight per type, then a mean per type and arm. */
static size_t numbers_of(const model_version *v)
{
    return v->n_types * (1 + v->n_arms);
}

static bool reserve(model_version *v)
{
    v->number = calloc(numbers_of(v) + 1, sizeof *v->number);
    return v->number != NULL;
}

static segue_status out_of_memory(segue_error *err)
{
    return segue_fail_no_memory(err, "a version of a learner");
}

void segue_model_history_version_fini(model_version *version)
{
    free(version->number);
    *version = (model_version){.number = NULL};
}

static void copy_found(model_version *v, const segue_type_list *found)
{
    memcpy(v->number, found->weight, v->n_types * sizeof *v->number);
    for (size_t k = 0; k < v->n_types; k++)
        memcpy(v->number + v->n_types + k * v->n_arms, found->mean + k * found->n_arms,
               v->n_arms * sizeof *v->number);
}

segue_status segue_model_history_capture(model_version *out, const segue_learner *learner,
                                         segue_error *err)
{
    segue_type_list found;
    *out = (model_version){.number = NULL};
    SEGUE_TRY(segue_learner_types(learner, &found, err));
    const segue_learner_summary info = segue_learner_info(learner);
    *out = (model_version){.version = segue_learner_version(learner),
                           .tasks = info.closed - info.age,
                           .no_type = found.no_type,
                           .n_types = min_size(found.n_types, MODEL_HISTORY_TYPES),
                           .n_arms = min_size(found.n_arms, MODEL_HISTORY_ARMS)};
    const bool reserved = reserve(out);
    if (reserved)
        copy_found(out, &found);
    segue_type_list_fini(&found);
    return reserved ? SEGUE_OK : out_of_memory(err);
}

void segue_model_history_fini(segue_model_history *versions)
{
    for (size_t i = 0; i < versions->count; i++)
        segue_model_history_version_fini(&versions->entry[i]);
    versions->count = 0;
}

segue_status segue_model_history_copy(segue_model_history *out, const segue_model_history *from,
                                      segue_error *err)
{
    *out = (segue_model_history){.stride = from->stride};
    for (size_t i = 0; i < from->count; i++) {
        model_version *v = &out->entry[out->count++];
        *v = from->entry[i];
        if (!reserve(v))
            return out_of_memory(err);
        memcpy(v->number, from->entry[i].number, numbers_of(v) * sizeof *v->number);
    }
    return SEGUE_OK;
}

size_t segue_model_history_bytes(const segue_model_history *versions)
{
    size_t numbers = 0;
    for (size_t i = 0; i < versions->count; i++)
        numbers += numbers_of(&versions->entry[i]) + 3;
    return numbers * sizeof(double);
}

/* ---- selection --------------------------------------------------------------------------- */

/* Double the stride, and remove the versions that it skips. */
static void double_stride(segue_model_history *versions)
{
    size_t n = 0;
    versions->stride *= 2;
    for (size_t i = 0; i < versions->count; i++) {
        if (versions->entry[i].version % versions->stride == 0)
            versions->entry[n++] = versions->entry[i];
        else
            segue_model_history_version_fini(&versions->entry[i]);
    }
    versions->count = n;
}

segue_status segue_model_history_add(segue_model_history *versions, const segue_learner *learner,
                                     segue_error *err)
{
    const uint64_t number = segue_learner_version(learner);
    const size_t count = versions->count;
    if (versions->stride == 0)
        versions->stride = 1;
    if (number == 0 || (count > 0 && versions->entry[count - 1].version == number))
        return SEGUE_OK;
    if (count == SEGUE_MAX_MODEL_VERSIONS)
        double_stride(versions);
    if (number % versions->stride != 0)
        return SEGUE_OK;
    SEGUE_TRY(segue_model_history_capture(&versions->entry[versions->count], learner, err));
    versions->count++;
    return SEGUE_OK;
}

/* ---- bytes ------------------------------------------------------------------------------- */

void segue_model_history_serialize(const segue_model_history *versions, segue_bytes *b)
{
    segue_bytes_append_u64(b, versions->stride);
    segue_bytes_append_u64(b, versions->count);
    for (size_t i = 0; i < versions->count; i++) {
        const model_version *v = &versions->entry[i];
        segue_bytes_append_u64(b, v->version);
        segue_bytes_append_u64(b, v->tasks);
        segue_bytes_append_f64(b, &v->no_type, 1);
        segue_bytes_append_u64(b, v->n_types);
        segue_bytes_append_u64(b, v->n_arms);
        segue_bytes_append_f64(b, v->number, numbers_of(v));
    }
}

static segue_status fail_damaged(segue_error *err)
{
    return segue_fail(err, SEGUE_EFILE, "the versions in the snapshot of a learner are damaged");
}

static segue_status deserialize_version(model_version *v, segue_bytes_reader *r, segue_error *err)
{
    *v = (model_version){.number = NULL};
    v->version = segue_bytes_read_count(r);
    v->tasks = segue_bytes_read_count(r);
    segue_bytes_read_f64(r, &v->no_type, 1);
    const uint64_t n_types = segue_bytes_read_u64(r), n_arms = segue_bytes_read_u64(r);
    if (r->failed || n_types > MODEL_HISTORY_TYPES || n_arms > MODEL_HISTORY_ARMS)
        return fail_damaged(err);
    v->n_types = (size_t)n_types;
    v->n_arms = (size_t)n_arms;
    if (!reserve(v))
        return out_of_memory(err);
    return segue_bytes_read_finite(r, v->number, numbers_of(v)) ? SEGUE_OK : fail_damaged(err);
}

segue_status segue_model_history_deserialize(segue_model_history *versions, segue_bytes_reader *r,
                                             segue_error *err)
{
    *versions = (segue_model_history){.stride = segue_bytes_read_count(r)};
    const uint64_t count = segue_bytes_read_u64(r);
    segue_status status = count <= SEGUE_MAX_MODEL_VERSIONS ? SEGUE_OK : fail_damaged(err);
    while (status == SEGUE_OK && versions->count < count)
        status = deserialize_version(&versions->entry[versions->count++], r, err);
    if (status == SEGUE_OK && (r->failed || r->at != r->size))
        status = fail_damaged(err);
    return status;
}
