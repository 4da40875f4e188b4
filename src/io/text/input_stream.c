/* input_stream.c - the bytes of a file, decompressed by zlib or libzstd if needed.
 *
 * Both formats allow several concatenated streams, which read as one text.  After the last one the
 * file must end; for gzip, zeros may follow (padding of tapes).  Checksums are verified: damaged
 * data is an error, never a different reward.  docs/adr/0034 compares this with libarchive.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/text/input_stream.h"

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

typedef segue_status (*reader)(segue_input_stream *stream, void *to, size_t size, size_t *got,
                               segue_error *err);

struct segue_input_stream {
    int fd;
    char *name;
    reader read;
    z_stream gzip;
    bool has_gzip;
    ZSTD_DStream *zstd;
    bool is_between; /* the last stream is complete, and no other has started */
    size_t at, filled;
    unsigned char packed[PACKED_SIZE]; /* compressed bytes from `at` to `filled` */
};

void segue_input_stream_close(segue_input_stream *stream)
{
    if (!stream)
        return;
    if (stream->has_gzip)
        (void)inflateEnd(&stream->gzip);
    ZSTD_freeDStream(stream->zstd);
    if (stream->fd > STDIN_FILENO)
        (void)close(stream->fd);
    free(stream->name);
    free(stream);
}

const char *segue_input_stream_name(const segue_input_stream *stream)
{
    return stream->name;
}

/* ---- plain bytes ------------------------------------------------------------------------- */

static segue_status read_file(segue_input_stream *stream, void *to, size_t size, size_t *got,
                              segue_error *err)
{
    ssize_t count;
    do {
        count = read(stream->fd, to, size);
    } while (count < 0 && errno == EINTR);
    *got = count > 0 ? (size_t)count : 0;
    if (count < 0)
        return segue_fail(err, errno == EISDIR ? SEGUE_EFILE : SEGUE_EIO, "reading failed: %s",
                          strerror(errno));
    return SEGUE_OK;
}

/* Return the bytes that detected the format first. */
static segue_status read_plain(segue_input_stream *stream, void *to, size_t size, size_t *got,
                               segue_error *err)
{
    const size_t buffered = stream->filled - stream->at;
    if (buffered == 0)
        return read_file(stream, to, size, got, err);
    *got = buffered < size ? buffered : size;
    memcpy(to, stream->packed + stream->at, *got);
    stream->at += *got;
    return SEGUE_OK;
}

/* Refill the compressed bytes if all are used; *more is false at the end of the file. */
static segue_status read_packed(segue_input_stream *stream, bool *more, segue_error *err)
{
    segue_status status = SEGUE_OK;
    if (stream->at == stream->filled) {
        stream->at = 0;
        status = read_file(stream, stream->packed, PACKED_SIZE, &stream->filled, err);
    }
    *more = stream->at < stream->filled;
    return status;
}

static segue_status ends_early(const char *format, segue_error *err)
{
    return segue_fail(err, SEGUE_EPARSE, "the %s data end too early; the file was cut off", format);
}

/* ---- gzip -------------------------------------------------------------------------------- */

/* Start the next stream, or skip one zero of the padding after the last one. */
static segue_status next_member(segue_input_stream *stream, segue_error *err)
{
    if (stream->packed[stream->at] == 0) {
        stream->at++;
        return SEGUE_OK;
    }
    if (stream->packed[stream->at] != 0x1f)
        return segue_fail(err, SEGUE_EPARSE, "there are other bytes after the gzip data");
    stream->is_between = false;
    (void)inflateReset(&stream->gzip); /* cannot fail */
    return SEGUE_OK;
}

static segue_status inflate_some(segue_input_stream *stream, segue_error *err)
{
    z_stream *z = &stream->gzip;
    z->next_in = stream->packed + stream->at;
    z->avail_in = (uInt)(stream->filled - stream->at);
    const int result = inflate(z, Z_NO_FLUSH);
    stream->at = stream->filled - z->avail_in;
    stream->is_between = result == Z_STREAM_END;
    if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR)
        return SEGUE_OK;
    if (result == Z_MEM_ERROR)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory");
    return segue_fail(err, SEGUE_EPARSE, "the gzip data are damaged (%s)",
                      z->msg ? z->msg : "no reason is known");
}

static segue_status read_gzip(segue_input_stream *stream, void *to, size_t size, size_t *got,
                              segue_error *err)
{
    segue_status status = SEGUE_OK;
    stream->gzip.next_out = to;
    stream->gzip.avail_out = (uInt)size;
    *got = 0;
    while (status == SEGUE_OK && *got == 0) {
        bool more = false;
        status = read_packed(stream, &more, err);
        if (status != SEGUE_OK)
            return status;
        if (!more)
            return stream->is_between ? SEGUE_OK : ends_early("gzip", err);
        status = stream->is_between ? next_member(stream, err) : inflate_some(stream, err);
        *got = size - stream->gzip.avail_out;
    }
    return *got > 0 ? SEGUE_OK
                    : status; /* return whole bytes first; the next call reports damage again */
}

static segue_status start_gzip(segue_input_stream *stream, segue_error *err)
{
    stream->read = read_gzip;
    stream->has_gzip = inflateInit2(&stream->gzip, 16 + MAX_WBITS) == Z_OK; /* 16: gzip header */
    return stream->has_gzip ? SEGUE_OK
                            : segue_fail(err, SEGUE_ENOMEM, "%s: out of memory", stream->name);
}

/* ---- zstd -------------------------------------------------------------------------------- */

static segue_status read_zstd(segue_input_stream *stream, void *to, size_t size, size_t *got,
                              segue_error *err)
{
    ZSTD_outBuffer out = {.dst = to, .size = size};
    while (out.pos == 0) {
        bool more = false;
        const segue_status status = read_packed(stream, &more, err);
        if (status != SEGUE_OK)
            return status;
        /* At the end of the file the decoder may still hold text. */
        ZSTD_inBuffer in = {.src = stream->packed, .size = stream->filled, .pos = stream->at};
        if (!more && stream->is_between)
            break;
        const size_t result = ZSTD_decompressStream(stream->zstd, &out, &in);
        stream->at = in.pos;
        stream->is_between = result == 0;
        if (ZSTD_isError(result))
            return segue_fail(err, SEGUE_EPARSE, "the zstd data are damaged (%s)",
                              ZSTD_getErrorName(result));
        if (!more && out.pos == 0 && !stream->is_between)
            return ends_early("zstd", err);
    }
    *got = out.pos;
    return SEGUE_OK;
}

static segue_status start_zstd(segue_input_stream *stream, segue_error *err)
{
    stream->read = read_zstd;
    stream->zstd = ZSTD_createDStream();
    return stream->zstd ? SEGUE_OK
                        : segue_fail(err, SEGUE_ENOMEM, "%s: out of memory", stream->name);
}

/* ---- opening ----------------------------------------------------------------------------- */

static segue_status open_file(segue_input_stream *stream, const char *path, segue_error *err)
{
    struct stat about;
    if (*path == '\0')
        return segue_fail(err, SEGUE_EFILE, "the name of the file is empty");
    stream->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (stream->fd < 0)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", stream->name,
                          strerror(errno));
    if (fstat(stream->fd, &about) == 0 && S_ISDIR(about.st_mode))
        return segue_fail(err, SEGUE_EFILE, "%s: is a directory; need a file", stream->name);
    return SEGUE_OK;
}

/* Detect the format by the first bytes, which a pipe may deliver one by one. */
static segue_status detect_format(segue_input_stream *stream, segue_error *err)
{
    static const unsigned char gzip[] = {0x1f, 0x8b}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    size_t got = 1;
    while (stream->filled < MAGIC_SIZE && got > 0) {
        segue_error why;
        const segue_status status = read_file(stream, stream->packed + stream->filled,
                                              PACKED_SIZE - stream->filled, &got, &why);
        if (status != SEGUE_OK)
            return segue_fail(err, status, "%s:1: %s", stream->name, why.message);
        stream->filled += got;
    }
    stream->read = read_plain;
    if (stream->filled >= sizeof gzip && memcmp(stream->packed, gzip, sizeof gzip) == 0)
        return start_gzip(stream, err);
    if (stream->filled >= sizeof zstd && memcmp(stream->packed, zstd, sizeof zstd) == 0)
        return start_zstd(stream, err);
    return SEGUE_OK;
}

segue_status segue_input_stream_open(segue_input_stream **out, const char *path, segue_error *err)
{
    *out = NULL;
    segue_input_stream *stream = calloc(1, sizeof *stream);
    if (stream)
        stream->name =
            strdup(strcmp(path, "-") == 0 ? SEGUE_STANDARD_INPUT : segue_path_tail(path));
    if (!stream || !stream->name) {
        segue_input_stream_close(stream);
        return segue_fail(err, SEGUE_ENOMEM, "%s: out of memory", segue_path_tail(path));
    }
    segue_status status = open_file(stream, path, err);
    if (status == SEGUE_OK)
        status = detect_format(stream, err);
    if (status != SEGUE_OK) {
        segue_input_stream_close(stream);
        return status;
    }
    *out = stream;
    return SEGUE_OK;
}

segue_status segue_input_stream_read(segue_input_stream *stream, char *to, size_t size, size_t *got,
                                     segue_error *err)
{
    *got = 0;
    return stream->read(stream, to, size, got, err);
}
