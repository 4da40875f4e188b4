/* utf8.h - texts that can be shown: well-formed UTF-8, control characters.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_UTF8_H
#define SEGUE_IO_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/** Whether a text is well-formed UTF-8.  A NUL must follow it. */
bool segue_is_utf8(const char *text, size_t length);

/** How much of a well-formed text fits into `most` bytes without a character cut in two; also of
 * one that was cut at its end before. */
size_t segue_utf8_fit(const char *text, size_t most);

/** Make a text well-formed: a '?' for each byte that belongs to no character. */
void segue_utf8_mend(char *text);

/** Whether a text has a control character: an end of a line, a tab, an escape. */
bool segue_has_control(const char *text);

#endif
