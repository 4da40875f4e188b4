/* wal_format.c - read SQLite's WAL and its index.
 *
 * A frame is sound if its checksum follows from that of the frame before it: the test that SQLite's
 * recovery makes.  The formats are https://sqlite.org/walformat.html and section 4 of
 * https://sqlite.org/fileformat2.html; SQLite promises to keep both.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/wal_format.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define INDEX_HEADER 48 /* of the index; there are two copies of it */

/* ---- reading ----------------------------------------------------------------------------- */

bool segue_wal_format_read(int fd, void *out, size_t size, off_t at)
{
    unsigned char *next = out;
    while (size > 0) {
        const ssize_t got = pread(fd, next, size, at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        next += got;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static uint32_t big_endian(const unsigned char *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static uint32_t little_endian(const unsigned char *b)
{
    return (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

/* The WAL index has numbers of this machine, except for the salts, which are bytes of the log. */
static wal_state decode(const unsigned char *index)
{
    wal_state s = {.big_endian = index[13] != 0};
    uint16_t size = 0;
    memcpy(&size, index + 14, 2);
    memcpy(&s.frames, index + 16, 4);
    memcpy(&s.pages, index + 20, 4);
    memcpy(s.sum, index + 24, 8);
    memcpy(s.salt, index + 32, 8);
    s.page_size = (size & 0xfe00U) + ((size & 1U) << 16);
    return s;
}

/* Copies that differ are being written, by another process: this one is the only one that does. */
bool segue_wal_format_read_state(int fd, wal_state *out)
{
    unsigned char index[2 * INDEX_HEADER];
    for (int tries = 0; tries < 1000; tries++) {
        if (!segue_wal_format_read(fd, index, sizeof index, 0))
            return false;
        if (memcmp(index, index + INDEX_HEADER, INDEX_HEADER) == 0 && index[12] != 0) {
            *out = decode(index);
            return true;
        }
    }
    return false;
}

/* ---- checksums --------------------------------------------------------------------------- */

/* SQLite's checksum: a Fibonacci-weighted sum of pairs of 32-bit words. */
static void add_to_sum(uint32_t sum[2], const unsigned char *data, size_t size, bool is_big)
{
    uint32_t a = sum[0], b = sum[1];
    for (size_t i = 0; i < size; i += 8) {
        a += (is_big ? big_endian(data + i) : little_endian(data + i)) + b;
        b += (is_big ? big_endian(data + i + 4) : little_endian(data + i + 4)) + a;
    }
    sum[0] = a;
    sum[1] = b;
}

off_t segue_wal_format_frame_size(const wal_state *s)
{
    return WAL_FRAME_HEADER + (off_t)s->page_size;
}

/* Frames are numbered from 1. */
off_t segue_wal_format_frame_offset(const wal_state *s, uint32_t frame)
{
    return WAL_HEADER + ((off_t)frame - 1) * segue_wal_format_frame_size(s);
}

bool segue_wal_format_has_sum(const unsigned char *frame, const uint32_t sum[2])
{
    return big_endian(frame + 16) == sum[0] && big_endian(frame + 20) == sum[1];
}

void segue_wal_format_frame_sum(const unsigned char *frame, uint32_t sum[2])
{
    sum[0] = big_endian(frame + 16);
    sum[1] = big_endian(frame + 20);
}

bool segue_wal_format_follows(const wal_state *s, const unsigned char *frame, uint32_t sum[2])
{
    add_to_sum(sum, frame, 8, s->big_endian);
    add_to_sum(sum, frame + WAL_FRAME_HEADER, s->page_size, s->big_endian);
    return memcmp(frame + 8, s->salt, 8) == 0 && segue_wal_format_has_sum(frame, sum);
}

/* The last frame of a transaction has the size of the database in pages, the others 0. */
uint32_t segue_wal_format_commit_pages(const unsigned char *frame)
{
    return big_endian(frame + 4);
}

/* Reads WAL_CHUNK frames at a time into `buffer`; the last checksum is then in `sum`. */
bool segue_wal_format_check_frames(int fd, const wal_state *s, uint32_t first, uint32_t sum[2],
                                   unsigned char *buffer)
{
    const size_t size = (size_t)segue_wal_format_frame_size(s);
    uint32_t pages = s->pages;
    for (uint32_t at = first; at <= s->frames;) {
        const uint32_t left = s->frames - at + 1, count = left < WAL_CHUNK ? left : WAL_CHUNK;
        if (!segue_wal_format_read(fd, buffer, count * size, segue_wal_format_frame_offset(s, at)))
            return false;
        for (uint32_t i = 0; i < count; i++)
            if (!segue_wal_format_follows(s, buffer + i * size, sum))
                return false;
        pages = segue_wal_format_commit_pages(buffer + (count - 1) * size);
        at += count;
    }
    return sum[0] == s->sum[0] && sum[1] == s->sum[1] && pages == s->pages;
}

/* ---- the header -------------------------------------------------------------------------- */

bool segue_wal_format_is_header(const wal_state *s, const unsigned char *header)
{
    uint32_t sum[2] = {0, 0};
    add_to_sum(sum, header, 24, s->big_endian);
    return big_endian(header) == (s->big_endian ? 0x377f0683U : 0x377f0682U) &&
           memcmp(header + 16, s->salt, 8) == 0 && big_endian(header + 24) == sum[0] &&
           big_endian(header + 28) == sum[1];
}

void segue_wal_format_header_sum(const unsigned char *header, uint32_t sum[2])
{
    sum[0] = big_endian(header + 24);
    sum[1] = big_endian(header + 28);
}
