/* log_columns.h - names of columns: list those that were found, and guess which is which.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_LOG_LOG_COLUMNS_H
#define SEGUE_IO_LOG_LOG_COLUMNS_H

#include <stddef.h>

#include "io/log/log_rows.h"

/** Return the name that a column has without options: task, arm, reward, time or probability. */
const char *segue_log_columns_default(log_column c);

/** Write the names in quotes, as in "'a', 'b' and 'c'"; the first ten, each cut after 24 bytes.
 * Control characters become '?'. */
void segue_log_columns_list(const char *const *name, size_t count, char *text, size_t size);

/** Write options that name the first `n_columns`, as is likely, for a shell: "--task user --arm
 * variant --reward click".  Columns that `options` name stay, except those in the bits of `wrong`,
 * which the log does not have; a required one that is unknown is COLUMN. */
void segue_log_columns_suggest(const char *const *name, size_t count,
                               const log_read_options *options, unsigned wrong, size_t n_columns,
                               char *text, size_t size);

#endif
