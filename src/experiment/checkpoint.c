/* checkpoint.c - the checkpoint file of an experiment.
 *
 * header   8 bytes MAGIC, u64 length of the identity, the identity
 * record   u64 unit, u64 count, count doubles, u64 CRC-32 of the record so far
 *
 * All numbers are little-endian. The identity is a text: program, shard, experiment (schedule.c). A
 * record is appended with one write, so a killed program leaves at most the last record cut off. A
 * lock on the whole file (fcntl) excludes a second program. A shard that 'segue merge' reads has
 * the same format.
 *
 * Threads of a run append one after the other: schedule_play.c holds checkpoint_lock.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "segue/internal.h"

#define MAGIC       "SEGUEJ1\n"
#define MAX_NUMBERS (1 << 24)

struct segue_checkpoint_file {
    char *path;
    int fd;
    bool resume; /* opened to append, not only to read */
};

/* Fail with the system's error; `what` is the operation. */
static segue_status failed(const segue_checkpoint_file *checkpoint, const char *what,
                           segue_error *err)
{
    return segue_fail(err, SEGUE_EIO, "%s: %s failed: %s", segue_path_tail(checkpoint->path), what,
                      strerror(errno));
}

/* A write may be short, for example on a full disk: repeat it, so that the error names the cause.
 */
static segue_status append(const segue_checkpoint_file *checkpoint, const segue_bytes *b,
                           segue_error *err)
{
    if (b->failed)
        return segue_fail_no_memory(err, "the checkpoint");
    for (size_t at = 0; at < b->size;) {
        const ssize_t written = write(checkpoint->fd, b->data + at, b->size - at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return failed(checkpoint, "writing", err);
        at += (size_t)written;
    }
    return SEGUE_OK;
}

/* ---- reading ----------------------------------------------------------------------------- */

static segue_status read_all(const segue_checkpoint_file *checkpoint, segue_bytes *b,
                             segue_error *err)
{
    unsigned char block[65536];
    for (;;) {
        const ssize_t size = read(checkpoint->fd, block, sizeof block);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return failed(checkpoint, "reading", err);
        if (size == 0)
            break;
        segue_bytes_append(b, block, (size_t)size);
    }
    if (b->failed)
        return segue_fail(err, SEGUE_ENOMEM, "%s: out of memory",
                          segue_path_tail(checkpoint->path));
    return SEGUE_OK;
}

/* Read the next record; not `good` if it is cut off, damaged or rejected. */
static segue_status read_record(segue_bytes_reader *r, checkpoint_function add, void *context,
                                bool *good, segue_error *err)
{
    const size_t start = r->at;
    const uint64_t unit = segue_bytes_read_u64(r);
    const uint64_t count = segue_bytes_read_u64(r);
    *good = false;
    if (r->failed || count > MAX_NUMBERS || r->size - r->at < 8 * count + 8)
        return SEGUE_OK;
    double *values = calloc(count + 1, sizeof *values);
    if (!values) /* the record may still be good */
        return segue_fail_no_memory(err, "the checkpoint");
    segue_bytes_read_f64(r, values, (size_t)count);
    const uint32_t sum = segue_bytes_crc32(r->data + start, r->at - start);
    *good = segue_bytes_read_u64(r) == sum && add(context, unit, values, (size_t)count);
    free(values);
    return SEGUE_OK;
}

/* Explain what differs in a header that has the first `same` bytes of `identity`. */
static segue_status report_difference(const segue_checkpoint_file *checkpoint, const char *identity,
                                      size_t same, segue_error *err)
{
    const char *path = segue_path_tail(checkpoint->path);
    const char *second = strchr(identity, '\n'), *third = second ? strchr(second + 1, '\n') : NULL;
    if (checkpoint->resume)
        return segue_fail(
            err, SEGUE_EFILE,
            "%s: was started with other settings or another version; '--fresh' starts "
            "over",
            path);
    if (second && identity + same <= second)
        return segue_fail(err, SEGUE_EFILE,
                          "%s: was made by another version or build than this, %.*s; need the same",
                          path, (int)(second - identity), identity);
    if (third && identity + same <= third)
        return segue_fail(err, SEGUE_EFILE, "%s: is not %.*s, as its name says", path,
                          (int)(third - second - 1), second + 1);
    return segue_fail(
        err, SEGUE_EFILE,
        "%s: belongs to another experiment, or to other settings; need a file of this one", path);
}

/* Validate the header: it must be of this experiment. */
static segue_status check_header(const segue_checkpoint_file *checkpoint, segue_bytes_reader *r,
                                 const char *identity, segue_error *err)
{
    char magic[8];
    const size_t length = strlen(identity);
    segue_bytes_read(r, magic, sizeof magic);
    if (r->failed || memcmp(magic, MAGIC, sizeof magic) != 0)
        return segue_fail(
            err, SEGUE_EFILE,
            "%s: is not a checkpoint file; remove it, or name another folder with --out",
            segue_path_tail(checkpoint->path));
    const uint64_t theirs = segue_bytes_read_u64(r);
    const size_t available = r->size - r->at < theirs ? r->size - r->at : (size_t)theirs;
    size_t same = 0;
    while (same < available && same < length &&
           r->data[r->at + same] == (unsigned char)identity[same])
        same++;
    if (same < length || theirs != length)
        return report_difference(checkpoint, identity, same, err);
    r->at += length;
    return SEGUE_OK;
}

/* Read all whole records; *good is the offset where they end, *size that of the file. */
static segue_status read_records(const segue_checkpoint_file *checkpoint, const char *identity,
                                 checkpoint_function add, void *context, size_t *good, size_t *size,
                                 segue_error *err)
{
    segue_bytes b = {.data = NULL};
    segue_status status = read_all(checkpoint, &b, err);
    segue_bytes_reader r = {.data = b.data, .size = b.size};
    if (status == SEGUE_OK)
        status = check_header(checkpoint, &r, identity, err);
    *good = r.at;
    *size = r.size;
    for (bool is_good = true; is_good && status == SEGUE_OK && r.at < r.size;) {
        status = read_record(&r, add, context, &is_good, err);
        if (is_good)
            *good = r.at;
    }
    segue_bytes_fini(&b);
    return status;
}

/* Read all whole records, and truncate the file after them. */
static segue_status resume_file(const segue_checkpoint_file *checkpoint, const char *identity,
                                checkpoint_function add, void *context, segue_error *err)
{
    size_t good = 0, size = 0;
    SEGUE_TRY(read_records(checkpoint, identity, add, context, &good, &size, err));
    if (ftruncate(checkpoint->fd, (off_t)good) != 0 || lseek(checkpoint->fd, 0, SEEK_END) < 0)
        return failed(checkpoint, "writing", err);
    return SEGUE_OK;
}

/* ---- writing ----------------------------------------------------------------------------- */

/* Truncate the file and write its header. */
static segue_status start_file(segue_checkpoint_file *checkpoint, const char *identity,
                               segue_error *err)
{
    segue_bytes b = {.data = NULL};
    if (ftruncate(checkpoint->fd, 0) != 0)
        return failed(checkpoint, "writing", err);
    segue_bytes_append(&b, MAGIC, 8);
    segue_bytes_append_u64(&b, strlen(identity));
    segue_bytes_append(&b, identity, strlen(identity));
    const segue_status status = append(checkpoint, &b, err);
    segue_bytes_fini(&b);
    return status;
}

segue_status segue_checkpoint_add(segue_checkpoint_file *checkpoint, uint64_t unit,
                                  const double *values, size_t count, segue_error *err)
{
    segue_bytes b = {.data = NULL};
    segue_bytes_append_u64(&b, unit);
    segue_bytes_append_u64(&b, count);
    segue_bytes_append_f64(&b, values, count);
    if (!b.failed)
        segue_bytes_append_u64(&b, segue_bytes_crc32(b.data, b.size));
    const segue_status status = append(checkpoint, &b, err);
    segue_bytes_fini(&b);
    return status;
}

/* ---- opening ----------------------------------------------------------------------------- */

/* Lock the file until it is closed. */
static segue_status lock_file(const segue_checkpoint_file *checkpoint, short kind, segue_error *err)
{
    struct flock whole = {.l_type = kind, .l_whence = SEEK_SET};
    if (fcntl(checkpoint->fd, F_SETLK, &whole) != 0 && (errno == EACCES || errno == EAGAIN))
        return segue_fail(err, SEGUE_EFILE,
                          "%s: another segue works on this experiment; wait for it, or name "
                          "another folder with --out",
                          segue_path_tail(checkpoint->path));
    return SEGUE_OK;
}

/* An empty file counts as new: a program may be killed between open and the header. */
static segue_status open_at(segue_checkpoint_file *checkpoint, const char *identity, bool resume,
                            bool fresh, checkpoint_function add, void *context, segue_error *err)
{
    struct stat about;
    checkpoint->fd = open(checkpoint->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (checkpoint->fd < 0)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be written: %s",
                          segue_path_tail(checkpoint->path), strerror(errno));
    SEGUE_TRY(lock_file(checkpoint, F_WRLCK, err));
    if (fstat(checkpoint->fd, &about) != 0) /* after the lock: no other program appends now */
        return failed(checkpoint, "reading", err);
    if (about.st_size == 0 || fresh)
        return start_file(checkpoint, identity, err);
    if (!resume)
        return segue_fail(err, SEGUE_EFILE,
                          "%s: holds an unfinished experiment; '--resume' continues it, '--fresh' "
                          "starts over",
                          segue_path_tail(checkpoint->path));
    checkpoint->resume = true;
    return resume_file(checkpoint, identity, add, context, err);
}

static segue_status create(segue_checkpoint_file **out, const char *path, segue_error *err)
{
    segue_checkpoint_file *checkpoint = calloc(1, sizeof *checkpoint);
    if (!checkpoint || !(checkpoint->path = strdup(path))) {
        free(checkpoint);
        (void)segue_fail_no_memory(err, "the checkpoint");
        return SEGUE_ENOMEM;
    }
    checkpoint->fd = -1;
    *out = checkpoint;
    return SEGUE_OK;
}

segue_status segue_checkpoint_open(segue_checkpoint_file **out, const char *path,
                                   const char *identity, bool resume, bool fresh,
                                   checkpoint_function add, void *context, segue_error *err)
{
    segue_checkpoint_file *checkpoint = NULL;
    *out = NULL;
    SEGUE_TRY(create(&checkpoint, path, err));
    const segue_status status = open_at(checkpoint, identity, resume, fresh, add, context, err);
    if (status != SEGUE_OK) {
        segue_checkpoint_close(checkpoint);
        return status;
    }
    *out = checkpoint;
    return SEGUE_OK;
}

segue_status segue_checkpoint_read(const char *path, const char *identity, checkpoint_function add,
                                   void *context, bool *whole, segue_error *err)
{
    segue_checkpoint_file *checkpoint = NULL;
    size_t good = 0, size = 0;
    SEGUE_TRY(create(&checkpoint, path, err));
    checkpoint->fd = open(path, O_RDONLY | O_CLOEXEC);
    segue_status status = checkpoint->fd >= 0
                              ? lock_file(checkpoint, F_RDLCK, err)
                              : segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s",
                                           segue_path_tail(path), strerror(errno));
    if (status == SEGUE_OK)
        status = read_records(checkpoint, identity, add, context, &good, &size, err);
    *whole = good == size;
    segue_checkpoint_close(checkpoint);
    return status;
}

void segue_checkpoint_close(segue_checkpoint_file *checkpoint)
{
    if (!checkpoint)
        return;
    if (checkpoint->fd >= 0)
        (void)close(checkpoint->fd);
    free(checkpoint->path);
    free(checkpoint);
}
