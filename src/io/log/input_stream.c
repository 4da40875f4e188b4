/* input_stream.c - the bytes of a file, plain or by way of zlib or libzstd.
 *
 * Both formats allow several streams one behind the other, read as one text.  What is behind the
 * last one must be nothing, or, for gzip, the zeros that fill up a tape.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/log/input_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "segue/internal.h"

#define PACKED_SIZE 65536
#define MAGIC_SIZE  4

typedef segue_status (*reader)(segue_input_stream *source, void *to, size_t size, size_t *got,
                               segue_error *err);

struct segue_input_stream {
    int fd;
    char *name;
    reader read;
    z_stream gzip;
    bool has_gzip;
    ZSTD_DStream *zstd;
    bool between; /* streams: the last one is complete */
    size_t at, filled;
    unsigned char packed[PACKED_SIZE]; /* the next bytes of the file are those from `at` on */
};

void segue_input_stream_close(segue_input_stream *source)
{
    if (!source)
        return;
    if (source->has_gzip)
        (void)inflateEnd(&source->gzip);
    ZSTD_freeDStream(source->zstd);
    if (source->fd > STDIN_FILENO)
        (void)close(source->fd);
    free(source->name);
    free(source);
}

const char *segue_input_stream_name(const segue_input_stream *source)
{
    return source->name;
}

/* ---- plain bytes ------------------------------------------------------------------------- */

static segue_status read_file(segue_input_stream *source, void *to, size_t size, size_t *got,
                              segue_error *err)
{
    ssize_t count;
    do {
        count = read(source->fd, to, size);
    } while (count < 0 && errno == EINTR);
    *got = count > 0 ? (size_t)count : 0;
    if (count < 0)
        return segue_fail(err, errno == EISDIR ? SEGUE_EFILE : SEGUE_EIO, "reading failed: %s",
                          strerror(errno));
    return SEGUE_OK;
}

/* The bytes that were looked at to tell the format come first. */
static segue_status read_plain(segue_input_stream *source, void *to, size_t size, size_t *got,
                               segue_error *err)
{
    const size_t left = source->filled - source->at;
    if (left == 0)
        return read_file(source, to, size, got, err);
    *got = left < size ? left : size;
    memcpy(to, source->packed + source->at, *got);
    source->at += *got;
    return SEGUE_OK;
}

/* More compressed bytes, if none are left; *more is false at the end of the file. */
static segue_status read_packed(segue_input_stream *source, bool *more, segue_error *err)
{
    segue_status status = SEGUE_OK;
    if (source->at == source->filled) {
        source->at = 0;
        status = read_file(source, source->packed, PACKED_SIZE, &source->filled, err);
    }
    *more = source->at < source->filled;
    return status;
}

static segue_status ends_early(const char *format, segue_error *err)
{
    return segue_fail(err, SEGUE_EPARSE, "the %s data end too early; the file was cut off", format);
}

/* ---- gzip -------------------------------------------------------------------------------- */

/* Start the next stream, if there is one; else the zeros behind the last one are skipped. */
static segue_status next_member(segue_input_stream *source, segue_error *err)
{
    if (source->packed[source->at] == 0) {
        source->at++;
        return SEGUE_OK;
    }
    if (source->packed[source->at] != 0x1f)
        return segue_fail(err, SEGUE_EPARSE, "there are other bytes behind the gzip data");
    source->between = false;
    (void)inflateReset(&source->gzip); /* which cannot fail */
    return SEGUE_OK;
}

static segue_status inflate_some(segue_input_stream *source, segue_error *err)
{
    z_stream *z = &source->gzip;
    z->next_in = source->packed + source->at;
    z->avail_in = (uInt)(source->filled - source->at);
    const int result = inflate(z, Z_NO_FLUSH);
    source->at = source->filled - z->avail_in;
    source->between = result == Z_STREAM_END;
    if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR)
        return SEGUE_OK;
    if (result == Z_MEM_ERROR)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory");
    return segue_fail(err, SEGUE_EPARSE, "the gzip data are damaged (%s)",
                      z->msg ? z->msg : "no reason is known");
}

static segue_status read_gzip(segue_input_stream *source, void *to, size_t size, size_t *got,
                              segue_error *err)
{
    segue_status status = SEGUE_OK;
    source->gzip.next_out = to;
    source->gzip.avail_out = (uInt)size;
    *got = 0;
    while (status == SEGUE_OK && *got == 0) {
        bool more = false;
        status = read_packed(source, &more, err);
        if (status != SEGUE_OK)
            return status;
        if (!more)
            return source->between ? SEGUE_OK : ends_early("gzip", err);
        status = source->between ? next_member(source, err) : inflate_some(source, err);
        *got = size - source->gzip.avail_out;
    }
    return *got > 0 ? SEGUE_OK : status; /* what is whole comes first; damage is told again */
}

static segue_status start_gzip(segue_input_stream *source, segue_error *err)
{
    source->read = read_gzip;
    source->has_gzip = inflateInit2(&source->gzip, 16 + MAX_WBITS) == Z_OK; /* 16: with a header */
    return source->has_gzip ? SEGUE_OK
                            : segue_fail(err, SEGUE_ENOMEM, "%s: out of memory", source->name);
}

/* ---- zstd -------------------------------------------------------------------------------- */

static segue_status read_zstd(segue_input_stream *source, void *to, size_t size, size_t *got,
                              segue_error *err)
{
    ZSTD_outBuffer out = {.dst = to, .size = size};
    while (out.pos == 0) {
        bool more = false;
        const segue_status status = read_packed(source, &more, err);
        if (status != SEGUE_OK)
            return status;
        /* At the end of the file, some text may still be held back. */
        ZSTD_inBuffer in = {.src = source->packed, .size = source->filled, .pos = source->at};
        if (!more && source->between)
            break;
        const size_t result = ZSTD_decompressStream(source->zstd, &out, &in);
        source->at = in.pos;
        source->between = result == 0;
        if (ZSTD_isError(result))
            return segue_fail(err, SEGUE_EPARSE, "the zstd data are damaged (%s)",
                              ZSTD_getErrorName(result));
        if (!more && out.pos == 0 && !source->between)
            return ends_early("zstd", err);
    }
    *got = out.pos;
    return SEGUE_OK;
}

static segue_status start_zstd(segue_input_stream *source, segue_error *err)
{
    source->read = read_zstd;
    source->zstd = ZSTD_createDStream();
    return source->zstd ? SEGUE_OK
                        : segue_fail(err, SEGUE_ENOMEM, "%s: out of memory", source->name);
}

/* ---- opening ----------------------------------------------------------------------------- */

static segue_status open_file(segue_input_stream *source, const char *path, segue_error *err)
{
    struct stat about;
    if (*path == '\0')
        return segue_fail(err, SEGUE_EFILE, "the name of the file is empty");
    source->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", source->name,
                          strerror(errno));
    if (fstat(source->fd, &about) == 0 && S_ISDIR(about.st_mode))
        return segue_fail(err, SEGUE_EFILE, "%s: is a directory; need a file", source->name);
    return SEGUE_OK;
}

/* Look at the first bytes, which a pipe may give one by one. */
static segue_status look(segue_input_stream *source, segue_error *err)
{
    static const unsigned char gzip[] = {0x1f, 0x8b}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    size_t got = 1;
    while (source->filled < MAGIC_SIZE && got > 0) {
        segue_error why;
        const segue_status status = read_file(source, source->packed + source->filled,
                                              PACKED_SIZE - source->filled, &got, &why);
        if (status != SEGUE_OK)
            return segue_fail(err, status, "%s:1: %s", source->name, why.message);
        source->filled += got;
    }
    source->read = read_plain;
    if (source->filled >= sizeof gzip && memcmp(source->packed, gzip, sizeof gzip) == 0)
        return start_gzip(source, err);
    if (source->filled >= sizeof zstd && memcmp(source->packed, zstd, sizeof zstd) == 0)
        return start_zstd(source, err);
    return SEGUE_OK;
}

segue_status segue_input_stream_open(segue_input_stream **out, const char *path, segue_error *err)
{
    *out = NULL;
    segue_input_stream *source = calloc(1, sizeof *source);
    if (source)
        source->name =
            strdup(strcmp(path, "-") == 0 ? SEGUE_STANDARD_INPUT : segue_path_tail(path));
    if (!source || !source->name) {
        segue_input_stream_close(source);
        return segue_fail(err, SEGUE_ENOMEM, "%s: out of memory", segue_path_tail(path));
    }
    segue_status status = open_file(source, path, err);
    if (status == SEGUE_OK)
        status = look(source, err);
    if (status != SEGUE_OK) {
        segue_input_stream_close(source);
        return status;
    }
    *out = source;
    return SEGUE_OK;
}

segue_status segue_input_stream_read(segue_input_stream *source, char *to, size_t size, size_t *got,
                                     segue_error *err)
{
    *got = 0;
    return source->read(source, to, size, got, err);
}
