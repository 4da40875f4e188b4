/* input_stream.c - the bytes of a file, as src/io/text/input_stream.c reads them, without zlib and
 * libzstd: compressed files are refused, after the page has had its chance to decompress them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/text/input_stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"

struct segue_input_stream {
    FILE *file;
    char *name;
};

void segue_input_stream_close(segue_input_stream *stream)
{
    if (!stream)
        return;
    if (stream->file)
        (void)fclose(stream->file);
    free(stream->name);
    free(stream);
}

const char *segue_input_stream_name(const segue_input_stream *stream)
{
    return stream->name;
}

static segue_status check_format(segue_input_stream *stream, segue_error *err)
{
    unsigned char first[4] = {0};
    const size_t got = fread(first, 1, sizeof first, stream->file);
    if (ferror(stream->file))
        return segue_fail(err, SEGUE_EIO, "%s: reading failed: %s", stream->name, strerror(errno));
    if ((got >= 2 && first[0] == 0x1f && first[1] == 0x8b) ||
        (got == 4 && memcmp(first, "\x28\xb5\x2f\xfd", 4) == 0))
        return segue_fail(err, SEGUE_EFILE,
                          "%s: is compressed, and this build cannot read that; decompress it, or "
                          "use the program segue",
                          stream->name);
    rewind(stream->file);
    return SEGUE_OK;
}

static segue_status open_file(segue_input_stream *stream, const char *path, segue_error *err)
{
    stream->name = strdup(segue_path_tail(path));
    if (!stream->name)
        return segue_fail(err, SEGUE_ENOMEM, "%s: out of memory", segue_path_tail(path));
    stream->file = fopen(path, "r");
    if (!stream->file)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", stream->name,
                          strerror(errno));
    return check_format(stream, err);
}

segue_status segue_input_stream_open(segue_input_stream **out, const char *path, segue_error *err)
{
    *out = NULL;
    segue_input_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return segue_fail(err, SEGUE_ENOMEM, "%s: out of memory", segue_path_tail(path));
    const segue_status status = open_file(stream, path, err);
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
    *got = fread(to, 1, size, stream->file);
    return ferror(stream->file) ? segue_fail(err, SEGUE_EIO, "reading failed: %s", strerror(errno))
                                : SEGUE_OK;
}
