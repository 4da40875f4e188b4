/* wal_format.h - SQLite's WAL and its index, as bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STORE_SQLITE_WAL_FORMAT_H
#define SEGUE_STORE_SQLITE_WAL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define WAL_HEADER       32
#define WAL_FRAME_HEADER 24
#define WAL_CHUNK        16 /* frames read at once */
#define WAL_INDEX_COPIED 96 /* where the index says how many frames are in the main file */

/* SQLite's own state, from the WAL index. */
typedef struct wal_state {
    uint32_t frames; /* committed, and not overwritten since the last restart of the WAL */
    uint32_t pages;  /* of the database, after the last of them */
    uint32_t page_size;
    uint32_t sum[2]; /* checksum of the last frame */
    unsigned char salt[8];
    bool big_endian; /* checksums are of big-endian words */
} wal_state;

/* Read exactly `size` bytes. */
bool segue_wal_format_read(int fd, void *out, size_t size, off_t at);

/* SQLite's state, from the file of the index; false: it has none. */
bool segue_wal_format_read_state(int fd, wal_state *out);

/* Frames count from 1. */
off_t segue_wal_format_frame_size(const wal_state *s);
off_t segue_wal_format_frame_offset(const wal_state *s, uint32_t frame);

/* Return whether the bytes are the header of this log; read the checksum that frame 1 follows. */
bool segue_wal_format_is_header(const wal_state *s, const unsigned char *header);
void segue_wal_format_header_sum(const unsigned char *header, uint32_t sum[2]);

/* Read the checksum in a frame; compare it. */
void segue_wal_format_frame_sum(const unsigned char *frame, uint32_t sum[2]);
bool segue_wal_format_has_sum(const unsigned char *frame, const uint32_t sum[2]);

/* Return whether a frame follows the one with this checksum, and replace that by its own. */
bool segue_wal_format_follows(const wal_state *s, const unsigned char *frame, uint32_t sum[2]);

/* Pages of the database after the transaction whose last frame this is; 0: it is not the last. */
uint32_t segue_wal_format_commit_pages(const unsigned char *frame);

/* Return whether the frames from `first` on, which follows `sum`, match SQLite's state.
 * `buffer`: of WAL_CHUNK frames. */
bool segue_wal_format_check_frames(int fd, const wal_state *s, uint32_t first, uint32_t sum[2],
                                   unsigned char *buffer);

#endif
