/* learner_serialize.c - a learner in one file.
 *
 *   8 bytes  "SEGUELRN"
 *   u64      version
 *   u64      bytes of what follows, without the checksum
 *   ...      the method's name (16 bytes), configuration with the number of options and these,
 *            tasks opened and closed, version of the shared prior, number of retired arms and
 *            these, names of arms (learner_names.c), sums of squares per arm of a method that
 *            learns the dispersion of rewards (learner_dispersion.c), the method's memory, and in
 *            version 9 the features of its tasks
 *   u64      CRC-32 of all before it
 *
 * All numbers are little-endian; doubles are IEEE 754.  Open tasks and refits are not in it.
 * Version 5, without names of arms, version 6, without sums of squares and the option `dispersion`,
 * and version 7, with types that were fitted by EM and the option `hint`, are read too: stores of the
 * service hold learners that they were created from, and must stay readable.  A learner whose tasks
 * have no features is written as version 8, which is the same without them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/atomic_file.h"
#include "core/bytes.h"
#include "core/fail.h"
#include "core/path.h"
#include "core/text.h"
#include "transfer/learner_dispersion.h"
#include "transfer/learner_internal.h"
#include "transfer/learner_method.h"

#define MAGIC    "SEGUELRN"
#define VERSION  SEGUE_LEARNER_FILE_VERSION
#define OLDEST   5  /* the oldest version that can be read */
#define NAMES    6  /* the first version with names of arms */
#define SQUARES  7  /* the first version with sums of squares, and with the option `dispersion` */
#define SAMPLED  8  /* the first version with sampled types, and without the option `hint` */
#define FEATURES 9  /* the first version with features */
#define HEAD     24 /* magic, version, length */
#define TAIL     8  /* checksum */

#define NAME_SIZE 16
#define N_WHOLE   7 /* whole numbers of a configuration: see serialize_config */

/* ---- writing ----------------------------------------------------------------------------- */

/* Write the name of the method in NAME_SIZE bytes. */
static void serialize_name(segue_bytes *b, const char *name)
{
    char field[NAME_SIZE] = {0};
    (void)snprintf(field, sizeof field, "%s", name);
    segue_bytes_append(b, field, sizeof field);
}

static void serialize_config(segue_bytes *b, const segue_learner *learner)
{
    const segue_learner_config *c = &learner->config;
    const uint64_t whole[N_WHOLE] = {c->n_arms, c->n_models, c->horizon,   c->n_tasks,
                                     c->seed,   c->run,      c->background};
    for (size_t i = 0; i < N_WHOLE; i++)
        segue_bytes_append_u64(b, whole[i]);
    segue_bytes_append_f64(b, &c->lowest, 1);
    segue_bytes_append_f64(b, &c->highest, 1);
    segue_bytes_append_u64(b, learner->method->info.n_options);
    segue_bytes_append_f64(b, c->option, learner->method->info.n_options);
}

static void serialize_retired(segue_bytes *b, const segue_learner *learner)
{
    uint64_t count = 0;
    for (size_t i = 0; i < learner->config.n_arms; i++)
        count += segue_learner_is_retired(learner, i);
    segue_bytes_append_u64(b, count);
    for (size_t i = 0; i < learner->config.n_arms; i++)
        if (segue_learner_is_retired(learner, i))
            segue_bytes_append_u64(b, i);
}

void segue_learner_serialize(const segue_learner *learner, segue_bytes *b)
{
    const bool has_features = segue_learner_n_features(learner) > 0;
    segue_bytes_append(b, MAGIC, strlen(MAGIC));
    segue_bytes_append_u64(b, has_features ? VERSION : SEGUE_LEARNER_WITHOUT_FEATURES);
    segue_bytes_append_u64(b, 0); /* the length, once it is known */
    serialize_name(b, learner->method->info.name);
    serialize_config(b, learner);
    segue_bytes_append_u64(b, learner->opened);
    segue_bytes_append_u64(b, learner->closed);
    segue_bytes_append_u64(b, learner->version);
    serialize_retired(b, learner);
    segue_learner_names_serialize(learner, b);
    segue_learner_dispersion_serialize(learner, b);
    learner->method->serialize(learner, b);
    if (has_features)
        learner->method->features->serialize(learner, b);
    if (b->failed)
        return;
    segue_bytes length = {.data = NULL};
    segue_bytes_append_u64(&length, b->size - HEAD);
    b->failed = length.failed;
    if (!length.failed)
        memcpy(b->data + HEAD - 8, length.data, 8);
    segue_bytes_fini(&length);
    segue_bytes_append_u64(b, segue_bytes_crc32(b->data, b->size));
}

segue_status segue_learner_save(const segue_learner *learner, const char *path, segue_error *err)
{
    segue_bytes b = {.data = NULL};
    segue_learner_serialize(learner, &b);
    const segue_status status =
        b.failed ? segue_fail(err, SEGUE_ENOMEM, "out of memory to save a learner")
                 : segue_atomic_file_write(path, b.data, b.size, err);
    segue_bytes_fini(&b);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------- */

static segue_status damaged(const char *path, const char *what, segue_error *err)
{
    return segue_fail(err, SEGUE_EFILE, "%s: is damaged: %s", segue_path_tail(path), what);
}

static bool begins_like_a_learner(const segue_bytes *b)
{
    return b->size < strlen(MAGIC) || memcmp(b->data, MAGIC, strlen(MAGIC)) == 0;
}

/* The whole file, unless it begins with something else: a device may have no end. */
static segue_status read_file(const char *path, segue_bytes *b, segue_error *err)
{
    char buffer[65536];
    FILE *file = fopen(path, "rb");
    if (!file)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_path_tail(path),
                          strerror(errno));
    size_t size;
    while (!b->failed && begins_like_a_learner(b) &&
           (size = fread(buffer, 1, sizeof buffer, file)) > 0)
        segue_bytes_append(b, buffer, size);
    segue_status status = SEGUE_OK;
    if (ferror(file))
        status = segue_fail(err, SEGUE_EFILE, "%s: reading failed: %s", segue_path_tail(path),
                            strerror(errno));
    else if (b->failed)
        status = segue_fail(err, SEGUE_ENOMEM, "%s: out of memory", segue_path_tail(path));
    (void)fclose(file);
    return status;
}

/* Magic, version, length, checksum. */
static segue_status check_frame(const char *path, const segue_bytes_reader *b, uint64_t *found,
                                segue_error *err)
{
    segue_bytes_reader r = {.data = b->data, .size = b->size, .at = strlen(MAGIC)};
    if (b->size < strlen(MAGIC) || memcmp(b->data, MAGIC, strlen(MAGIC)) != 0)
        return segue_fail(err, SEGUE_EFILE, "%s: is not a learner file", segue_path_tail(path));
    const uint64_t version = segue_bytes_read_u64(&r), length = segue_bytes_read_u64(&r);
    *found = version;
    if (!r.failed && (version < OLDEST || version > VERSION))
        return segue_fail(err, SEGUE_EFILE,
                          "%s: has format version %" PRIu64 "; this program reads %d to %d",
                          segue_path_tail(path), version, OLDEST, VERSION);
    if (r.failed || b->size < HEAD + TAIL || b->size - HEAD - TAIL < length)
        return segue_fail(err, SEGUE_EFILE, "%s: is truncated", segue_path_tail(path));
    if (b->size - HEAD - TAIL != length)
        return damaged(path, "its length is wrong", err);
    r.at = b->size - TAIL;
    if (segue_bytes_read_u64(&r) != segue_bytes_crc32(b->data, b->size - TAIL))
        return damaged(path, "its checksum is wrong", err);
    return SEGUE_OK;
}

/* Read the options.  A learner is saved with all defaults filled in, so NaN, which would mean a
 * default, is damage: -1 is rejected where it does not belong. */
static void read_options(segue_bytes_reader *r, uint64_t file_version, segue_learner_config *config)
{
    const segue_learner_method *method = segue_learner_method_find(config->method);
    const size_t now = method ? method->n_options : 0;
    const bool lacks = file_version < SQUARES && now > 0 &&
                       strcmp(method->options[now - 1].key, "dispersion") == 0;
    const size_t count = lacks ? now - 1 : now; /* it is the last one, and gets its default */
    const bool has_hint = file_version < SAMPLED && method && method->has_types;
    double hint;
    if (segue_bytes_read_u64(r) != count + has_hint)
        r->failed = true;
    if (has_hint) /* it was the first one */
        segue_bytes_read_f64(r, &hint, 1);
    segue_bytes_read_f64(r, config->option, count);
    for (size_t i = 0; i < count; i++) {
        double *option = &config->option[i];
        *option = isnan(*option) ? -1.0 : *option;
        /* delta = 1/n of a single step is a default that the option itself cannot have */
        if (config->horizon == 1 && method->options[i].open && *option >= method->options[i].max)
            *option = NAN;
    }
}

static segue_learner_config deserialize_config(segue_bytes_reader *r, uint64_t file_version,
                                               const char *name)
{
    segue_learner_config config = segue_learner_defaults();
    uint64_t whole[N_WHOLE];
    for (size_t i = 0; i < N_WHOLE; i++)
        whole[i] = segue_bytes_read_u64(r);
    config.method = name;
    config.n_arms = whole[0];
    config.n_models = whole[1];
    config.horizon = whole[2];
    config.n_tasks = whole[3];
    config.seed = whole[4];
    config.run = whole[5];
    config.background = whole[6] != 0;
    segue_bytes_read_f64(r, &config.lowest, 1);
    segue_bytes_read_f64(r, &config.highest, 1);
    read_options(r, file_version, &config);
    return config;
}

static segue_status deserialize_retired(segue_learner *learner, segue_bytes_reader *r,
                                        segue_error *err)
{
    const uint64_t count = segue_bytes_read_u64(r);
    for (uint64_t i = 0; i < count && !r->failed; i++)
        SEGUE_TRY(segue_learner_retire_arm(learner, segue_bytes_read_u64(r), err));
    return SEGUE_OK;
}

/* All but its configuration. */
static segue_status deserialize_state(segue_learner *learner, segue_bytes_reader *r,
                                      uint64_t file_version, segue_error *err)
{
    learner->opened = segue_bytes_read_count(r);
    learner->closed = segue_bytes_read_count(r);
    const uint64_t version = segue_bytes_read_count(r);
    segue_status status = deserialize_retired(learner, r, err);
    if (status == SEGUE_OK && file_version >= NAMES)
        status = segue_learner_names_deserialize(learner, r, err);
    if (status == SEGUE_OK && file_version >= SQUARES)
        status = segue_learner_dispersion_deserialize(learner, r, err);
    const bool is_fitted = file_version < SAMPLED && learner->method->deserialize_fitted;
    if (status == SEGUE_OK)
        status = is_fitted ? learner->method->deserialize_fitted(learner, r, err)
                           : learner->method->deserialize(learner, r, err);
    if (status == SEGUE_OK && file_version >= FEATURES)
        status = learner->method->features
                     ? learner->method->features->deserialize(learner, r, err)
                     : segue_fail(err, SEGUE_EDOMAIN, "its method has no features");
    learner->version = version; /* which went up as it was published again */
    return status;
}

static segue_status deserialize_all(segue_bytes_reader *r, uint64_t file_version, const char *path,
                                    segue_learner **out, segue_error *err)
{
    char name[NAME_SIZE];
    segue_error inner;
    segue_bytes_read(r, name, sizeof name);
    name[NAME_SIZE - 1] = '\0';
    const segue_learner_config config = deserialize_config(r, file_version, name);
    const learner_method *method = segue_learner_method_object(name, strlen(name));
    if (method && method->choose) /* a file has the method that was chosen */
        return damaged(path, "its method is 'auto'; need the one that auto chose", err);
    segue_status status = segue_learner_create(out, &config, &inner);
    if (status == SEGUE_OK)
        status = deserialize_state(*out, r, file_version, &inner);
    if (status == SEGUE_ENOMEM)
        return segue_fail(err, status, "%s", inner.message);
    if (status != SEGUE_OK || r->failed || r->at != r->size)
        return damaged(path, status != SEGUE_OK ? inner.message : "its parts do not fit", err);
    return SEGUE_OK;
}

segue_status segue_learner_deserialize(segue_learner **out, const void *data, size_t size,
                                       const char *name, segue_error *err)
{
    segue_bytes_reader r = {.data = data, .size = size};
    uint64_t version = 0;
    *out = NULL;
    segue_status status = check_frame(name, &r, &version, err);
    if (status == SEGUE_OK) {
        r = (segue_bytes_reader){.data = data, .size = size - TAIL, .at = HEAD};
        status = deserialize_all(&r, version, name, out, err);
    }
    if (status != SEGUE_OK) {
        segue_learner_destroy(*out);
        *out = NULL;
    }
    return status;
}

segue_status segue_learner_load(segue_learner **out, const char *path, size_t n_arms,
                                segue_error *err)
{
    segue_bytes b = {.data = NULL};
    *out = NULL;
    segue_status status = read_file(path, &b, err);
    if (status == SEGUE_OK)
        status = segue_learner_deserialize(out, b.data, b.size, path, err);
    segue_bytes_fini(&b);
    if (status == SEGUE_OK && n_arms > 0 && (*out)->config.n_arms != n_arms)
        status = segue_fail(err, SEGUE_EDOMAIN, "%s: is a learner of %zu arms; need one of %zu",
                            segue_path_tail(path), (*out)->config.n_arms, n_arms);
    if (status != SEGUE_OK) {
        segue_learner_destroy(*out);
        *out = NULL;
    }
    return status;
}
