/* path.h - the folder, the identity and the end of a path.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_PATH_H
#define SEGUE_CORE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#define SEGUE_MAX_FOLDER_LENGTH 4096 /* with the final NUL; a longer path is cut */

/** Return the length of the folder part of a path, its last '/' included; 0 without one. */
size_t segue_path_folder_length(const char *path);

/** Write the folder of `path` to `folder`, as "." below the folder part; returns `folder`. */
const char *segue_path_folder(const char *path, char folder[SEGUE_MAX_FOLDER_LENGTH]);

/** Return true if the folder that holds `path` exists. */
bool segue_path_has_folder(const char *path);

/** Return true if two paths name one file, or would name one after its creation; NULL is no file.
 */
bool segue_path_is_same_file(const char *a, const char *b);

/** Return the end of a long path, at most 200 characters, so that an error message has space. */
const char *segue_path_tail(const char *path);

#endif
