/* learner_names.c - names of arms, which a saved learner carries.
 *
 * A learner knows arms by their index.  Names travel with a saved learner, so that a program that
 * loads it can check that its arms are the same ones.  In the file: the number of arms that have
 * names (0 or all), and per arm the length of its name and its bytes; length 0 means none.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "transfer/learner_method.h"

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
}

/* Lengths are checked here, for callers and for files. */
static segue_status copy_name(char **out, const char *name, size_t length, segue_error *err)
{
    if (length == 0 || length > SEGUE_MAX_ARM_NAME)
        return segue_fail(err, SEGUE_EDOMAIN, "the name of an arm has %zu bytes; need 1 to %d",
                          length, SEGUE_MAX_ARM_NAME);
    *out = strndup(name, length);
    return *out ? SEGUE_OK : segue_fail_no_memory(err, "the names of arms");
}

static void replace(segue_learner *learner, char **names)
{
    free_names(learner->arm_name, learner->config.n_arms);
    learner->arm_name = names;
}

segue_status segue_learner_name_arms(segue_learner *learner, const char *const *names,
                                     segue_error *err)
{
    const size_t n_arms = learner->config.n_arms;
    char **made = names ? calloc(n_arms, sizeof *made) : NULL;
    segue_status status = SEGUE_OK;
    if (names && !made)
        return segue_fail_no_memory(err, "the names of arms");
    for (size_t i = 0; names && i < n_arms && status == SEGUE_OK; i++)
        status = copy_name(&made[i], names[i], strlen(names[i]), err);
    if (status == SEGUE_OK)
        replace(learner, made);
    else
        free_names(made, n_arms);
    return status;
}

const char *segue_learner_arm_name(const segue_learner *learner, size_t arm)
{
    return learner->arm_name && arm < learner->config.n_arms ? learner->arm_name[arm] : NULL;
}

void segue_learner_names_fini(segue_learner *learner)
{
    replace(learner, NULL);
}

segue_status segue_learner_names_reserve(segue_learner *learner, size_t n_arms, segue_error *err)
{
    if (!learner->arm_name)
        return SEGUE_OK;
    char **grown = realloc(learner->arm_name, n_arms * sizeof *grown);
    if (!grown)
        return segue_fail_no_memory(err, "the names of arms");
    learner->arm_name = grown;
    for (size_t i = learner->config.n_arms; i < n_arms; i++)
        grown[i] = NULL;
    return SEGUE_OK;
}

/* ---- saving ------------------------------------------------------------------------------ */

void segue_learner_names_serialize(const segue_learner *learner, segue_bytes *b)
{
    const size_t count = learner->arm_name ? learner->config.n_arms : 0;
    segue_bytes_append_u64(b, count);
    for (size_t i = 0; i < count; i++) {
        const char *name = learner->arm_name[i] ? learner->arm_name[i] : "";
        segue_bytes_append_u64(b, strlen(name));
        segue_bytes_append(b, name, strlen(name));
    }
}

static segue_status read_name(segue_bytes_reader *r, char **out, segue_error *err)
{
    char name[SEGUE_MAX_ARM_NAME + 1] = "";
    const uint64_t length = segue_bytes_read_u64(r);
    if (length == 0 || r->failed)
        return SEGUE_OK;
    if (length > SEGUE_MAX_ARM_NAME)
        return segue_fail(err, SEGUE_EDOMAIN, "the name of an arm is too long");
    segue_bytes_read(r, name, (size_t)length);
    if (r->failed)
        return SEGUE_OK; /* the caller rejects the file */
    return strlen(name) == length
               ? copy_name(out, name, (size_t)length, err)
               : segue_fail(err, SEGUE_EDOMAIN, "the name of an arm has a zero byte");
}

segue_status segue_learner_names_deserialize(segue_learner *learner, segue_bytes_reader *r,
                                             segue_error *err)
{
    const uint64_t count = segue_bytes_read_u64(r), n_arms = learner->config.n_arms;
    if (count == 0 || r->failed)
        return SEGUE_OK;
    if (count != n_arms)
        return segue_fail(err, SEGUE_EDOMAIN, "not every arm has a name");
    learner->arm_name = calloc((size_t)n_arms, sizeof *learner->arm_name);
    if (!learner->arm_name)
        return segue_fail_no_memory(err, "the names of arms");
    for (size_t i = 0; i < n_arms; i++)
        SEGUE_TRY(read_name(r, &learner->arm_name[i], err));
    return SEGUE_OK;
}
