/* text.h - edit distance, and the name that a user probably meant.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_TEXT_H
#define SEGUE_CORE_TEXT_H

#include <stddef.h>

#define SEGUE_STANDARD_INPUT "(standard input)" /* name of the file "-" in messages */

/** Return how many letters must be added, removed, changed or swapped to turn `a` into `b`; at most
 * 64. */
size_t segue_text_edit_distance(const char *a, const char *b);

/** Return the i-th name of a list. */
typedef const char *(*name_function)(const void *list, size_t i);

/** Return the index of `name` in a list, or `count`. */
size_t segue_text_find(const char *name, const void *list, size_t count, name_function name_of);

/** Return the name of the list that is close enough to `typed` to suggest it, or NULL. */
const char *segue_text_closest(const char *typed, const void *list, size_t count,
                               name_function name_of);

#endif
