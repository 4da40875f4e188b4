/* experiment_merge.c - compute results from the checkpoint files of all shards.
 *
 * A shard's file is validated as a checkpoint file is when it resumes: same program, same
 * experiment, and here also complete. Only then results are written. Results equal those of one
 * process, to the byte, since runs are added to the same schedule.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/schedule.h"
#include "segue/internal.h"

#define PATH_SIZE 4096

segue_status segue_experiment_checkpoint_path(const segue_experiment *ex, const char *folder,
                                              segue_shard shard, char *path, size_t size,
                                              segue_error *err)
{
    char end[64] = "unfinished";
    if (shard.count)
        (void)snprintf(end, sizeof end, "shard-%" PRIu64 "-of-%" PRIu64, shard.number, shard.count);
    if (snprintf(path, size, "%s/%s.%s", folder, ex->name, end) >= (int)size)
        return segue_fail(err, SEGUE_EFILE, "%s: the path is too long; need less than 4096 bytes",
                          segue_path_tail(folder));
    return SEGUE_OK;
}

/* ---- find shards ------------------------------------------------------------------------- */

/* Parse the name of a file; count 0: it is not a shard of this experiment. */
static segue_shard shard_of(const segue_experiment *ex, const char *name)
{
    static const char before[] = ".shard-", between[] = "-of-";
    const segue_shard none = {.count = 0};
    const size_t length = strlen(ex->name);
    char expected[128], *end = NULL;
    if (strncmp(name, ex->name, length) != 0 ||
        strncmp(name + length, before, sizeof before - 1) != 0)
        return none;
    segue_shard shard = {.number = strtoull(name + length + sizeof before - 1, &end, 10)};
    if (strncmp(end, between, sizeof between - 1) == 0)
        shard.count = strtoull(end + sizeof between - 1, NULL, 10);
    (void)snprintf(expected, sizeof expected, "%s%s%" PRIu64 "%s%" PRIu64, ex->name, before,
                   shard.number, between, shard.count);
    return strcmp(name, expected) == 0 ? shard : none;
}

/* Find the shards with the smallest and the largest count; both are 0 if there are none. */
static segue_status find_shards(const segue_experiment *ex, const char *folder,
                                segue_shard *smallest, segue_shard *largest, segue_error *err)
{
    *smallest = *largest = (segue_shard){.count = 0};
    DIR *directory = opendir(folder);
    if (!directory)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_path_tail(folder),
                          strerror(errno));
    for (const struct dirent *entry; (entry = readdir(directory));) {
        const segue_shard shard = shard_of(ex, entry->d_name);
        if (shard.count && (!smallest->count || shard.count < smallest->count))
            *smallest = shard;
        if (shard.count > largest->count)
            *largest = shard;
    }
    (void)closedir(directory);
    return SEGUE_OK;
}

/* Return how many shards the experiment has. */
static segue_status count_shards(const segue_experiment *ex, const char *folder, uint64_t *count,
                                 segue_error *err)
{
    segue_shard smallest, largest;
    SEGUE_TRY(find_shards(ex, folder, &smallest, &largest, err));
    if (!largest.count)
        return segue_fail(err, SEGUE_EFILE,
                          "%s: holds no shards of '%s'; 'segue run --shard' makes them",
                          segue_path_tail(folder), ex->name);
    if (smallest.count != largest.count)
        return segue_fail(err, SEGUE_EFILE,
                          "%s/%s.shard-%" PRIu64 "-of-%" PRIu64 ": lies beside %s.shard-%" PRIu64
                          "-of-%" PRIu64 "; remove the ones that are not meant",
                          segue_path_tail(folder), ex->name, largest.number, largest.count,
                          ex->name, smallest.number, smallest.count);
    *count = largest.count;
    return SEGUE_OK;
}

/* ---- read shards ------------------------------------------------------------------------- */

/* Reading takes a shared lock: a shard that is still played is refused. */
static segue_status read_shard(segue_schedule *s, const char *path, bool *whole, segue_error *err)
{
    segue_output identity;
    segue_status status = segue_schedule_identity(s, &identity, err);
    if (status == SEGUE_OK)
        status = segue_checkpoint_read(path, identity.data, segue_schedule_add_run, s, whole, err);
    segue_output_fini(&identity);
    return status;
}

/* s->shard selects the runs that the file may have. */
static segue_status add_shard(segue_schedule *s, const char *folder, segue_error *err)
{
    char path[PATH_SIZE];
    bool whole = true;
    const uint64_t before = s->n_done, all = segue_schedule_n_units(s);
    SEGUE_TRY(segue_experiment_checkpoint_path(s->ex, folder, s->shard, path, sizeof path, err));
    if (access(path, F_OK) != 0)
        return segue_fail(err, SEGUE_EFILE, "%s: is missing; need all %" PRIu64 " shards of '%s'",
                          segue_path_tail(path), s->shard.count, s->ex->name);
    SEGUE_TRY(read_shard(s, path, &whole, err));
    const uint64_t found = s->n_done - before;
    if (found == all && whole)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EFILE,
                      "%s: holds %" PRIu64 " of %" PRIu64 " runs%s; 'segue run --shard %" PRIu64
                      "/%" PRIu64 " --resume' continues it",
                      segue_path_tail(path), found, all,
                      whole ? "" : ", and after them damaged or duplicate ones", s->shard.number,
                      s->shard.count);
}

static segue_status merge_shards(segue_schedule *s, const char *folder, segue_results **out,
                                 segue_error *err)
{
    uint64_t count = 0;
    SEGUE_TRY(count_shards(s->ex, folder, &count, err));
    for (uint64_t i = 1; i <= count; i++) {
        s->shard = (segue_shard){.number = i, .count = count};
        SEGUE_TRY(add_shard(s, folder, err));
    }
    return segue_schedule_summarize(s, out, err);
}

segue_status segue_experiment_merge(segue_results **out, const segue_experiment *ex,
                                    const char *folder, segue_error *err)
{
    const segue_run_options nothing = {.threads = 1};
    segue_schedule s;
    *out = NULL;
    segue_status status = segue_schedule_init(&s, ex, &nothing, err);
    if (status == SEGUE_OK)
        status = merge_shards(&s, folder, out, err);
    segue_schedule_fini(&s);
    return status;
}
