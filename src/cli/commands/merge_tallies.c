/* merge_tallies.c - `segue merge` of tallies: add the counts of the parts of a log.
 *
 * Files are compared by identity first: a part that is added twice would count twice, and the sum
 * must not be one of its own parts.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/merge_tallies.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "cli/log/log_tally.h"

typedef struct file_identity {
    dev_t device;
    ino_t inode;
    const char *path;
} file_identity;

static int by_identity(const void *a, const void *b)
{
    const file_identity *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->inode > y->inode) - (x->inode < y->inode);
}

/* A file that does not exist fails later, when it is opened. */
static segue_status check_twice(char *const *paths, size_t count, segue_error *err)
{
    file_identity *list = calloc(count, sizeof *list);
    size_t n = 0;
    segue_status status = list ? SEGUE_OK : segue_fail_no_memory(err, "the names of the tallies");
    for (size_t i = 0; list && i < count; i++) {
        struct stat about;
        if (stat(paths[i], &about) == 0)
            list[n++] = (file_identity){about.st_dev, about.st_ino, paths[i]};
    }
    if (list)
        qsort(list, n, sizeof *list, by_identity);
    for (size_t i = 1; i < n && status == SEGUE_OK; i++)
        if (by_identity(&list[i - 1], &list[i]) == 0)
            status = segue_fail(err, SEGUE_EUSAGE,
                                "'%.100s' and '%.100s' are one file, which would count twice",
                                list[i - 1].path, list[i].path);
    free(list);
    return status;
}

static segue_status check_files(char *const *paths, size_t count, const char *out, segue_error *err)
{
    if (!out)
        return segue_fail(err, SEGUE_EUSAGE,
                          "give --out FILE, the sum of the tallies; '--out -' is the standard "
                          "output");
    SEGUE_TRY(check_twice(paths, count, err));
    for (size_t i = 0; i < count; i++)
        if (segue_path_is_same_file(cli_output_path(out), paths[i]))
            return segue_fail(
                err, SEGUE_EUSAGE,
                "--out is '%.100s', one of the tallies; name another file, and do not "
                "add a sum to its own parts",
                paths[i]);
    return cli_output_path(out) ? segue_atomic_file_check(out, err) : SEGUE_OK;
}

segue_status cli_merge_tallies(char *const *paths, size_t count, const char *out, cli_format format,
                               segue_error *err)
{
    segue_tally sum = {.n_rows = 0};
    SEGUE_TRY(check_files(paths, count, out, err));
    segue_status status = SEGUE_OK;
    for (size_t i = 0; i < count && status == SEGUE_OK; i++)
        status = segue_tally_add_file(&sum, paths[i], err);
    if (status == SEGUE_OK)
        status = cli_log_tally_write(&sum, cli_output_path(out), format, err);
    segue_tally_fini(&sum);
    return status;
}
