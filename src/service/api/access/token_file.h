/* token_file.h - reading a file of tokens, for the service and for the client commands.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_API_ACCESS_TOKEN_FILE_H
#define SEGUE_SERVICE_API_ACCESS_TOKEN_FILE_H

#include <stddef.h>

#include "segue/status.h"
#include "service/api/access/right.h"

#define SEGUE_MAX_TOKEN_SIZE      256
#define SEGUE_MAX_TOKEN_NAME_SIZE 64

/** A line of the file. */
typedef struct segue_token_line {
    char name[SEGUE_MAX_TOKEN_NAME_SIZE + 1]; /* of a token alone: "line 3" */
    segue_right right;
    const char *token; /* valid during the call */
    size_t number;     /* of the line, from 1 */
} segue_token_line;

/** Called for each token.  A status other than SEGUE_OK stops reading and is returned. */
typedef segue_status (*segue_token_file_callback)(void *context, const segue_token_line *line,
                                                  segue_error *err);

/**
 * Read the tokens of a file.  A line is NAME RIGHT TOKEN, separated by blanks or tabs, or a token
 * alone, which has the right admin.  A token has 16 to 256 printable characters.  Empty lines and
 * lines that begin with # are skipped.
 *
 * @retval SEGUE_EFILE    it cannot be read
 * @retval SEGUE_EDOMAIN  a line is wrong, or there is no token
 */
SEGUE_MUST_CHECK segue_status segue_token_file_read(const char *path,
                                                    segue_token_file_callback seen, void *context,
                                                    segue_error *err);

#endif
