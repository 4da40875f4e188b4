/* file_kind.h - recognize files that are not UTF-8 text, and say how to convert them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_TEXT_FILE_KIND_H
#define SEGUE_IO_TEXT_FILE_KIND_H

#include <stddef.h>

/* A kind of file that cannot be read as lines of text. */
typedef struct segue_file_kind {
    const char *name;    /* "an Excel workbook (.xlsx)" */
    const char *convert; /* what to do, with FILE for its name */
} segue_file_kind;

/** Find the kind of a file by its first bytes; NULL: it may be text. */
const segue_file_kind *segue_file_kind_find(const char *bytes, size_t count);

#endif
