/* text.h - the name a person probably meant, and long texts made short.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_TEXT_H
#define SEGUE_CORE_TEXT_H

#include <stddef.h>

#define SEGUE_STANDARD_INPUT "(standard input)" /* what the file "-" is called */

/** How many letters must be added, dropped, changed or swapped to make `b` of `a`; at most 64. */
size_t segue_text_edit_distance(const char *a, const char *b);

/** A list of names: the i-th. */
typedef const char *(*name_function)(const void *list, size_t i);

/** The place of `name` in a list, or `count`. */
size_t segue_text_find(const char *name, const void *list, size_t count, name_function name_of);

/** The name of a list that is close enough to `typed` to be suggested, or NULL. */
const char *segue_text_closest(const char *typed, const void *list, size_t count,
                               name_function name_of);

#endif
