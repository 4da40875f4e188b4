/* token_file.h - reading a file of tokens, for the service and for the client commands.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_TOKEN_FILE_H
#define SEGUE_SERVICE_API_TOKEN_FILE_H

#include <stddef.h>

#include "segue/status.h"

#define SEGUE_MAX_TOKEN_SIZE 256

/** Called for each token with its line.  A status other than SEGUE_OK stops reading and is
 * returned.
 */
typedef segue_status (*segue_token_file_callback)(void *context, const char *token, size_t line,
                                                  segue_error *err);

/**
 * Read the tokens of a file: one per line, 16 to 256 printable characters.  Empty lines and lines
 * that begin with # are skipped.
 *
 * @retval SEGUE_EFILE    it cannot be read
 * @retval SEGUE_EDOMAIN  a line is not a token, or there is none
 */
SEGUE_MUST_CHECK segue_status segue_token_file_read(const char *path,
                                                    segue_token_file_callback seen, void *context,
                                                    segue_error *err);

#endif
