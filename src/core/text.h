/* text.h - the name a person probably meant.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CORE_TEXT_H
#define SEGUE_CORE_TEXT_H

#include <stddef.h>

/** How many letters must be added, dropped, changed or swapped to make `b` of `a`; at most 64. */
size_t segue_text_distance(const char *a, const char *b);

/**
 * Whether `candidate` is close enough to `typed` to be suggested, and closer than the `*closest`
 * so far (start with SIZE_MAX).
 */
int segue_text_is_closer(const char *typed, const char *candidate, size_t *closest);

#endif
