/* utf8.h - texts that can be shown: well-formed UTF-8, control characters.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_UTF8_H
#define SEGUE_IO_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Whether a text is well-formed UTF-8.  A NUL must follow it. */
bool segue_utf8_is_valid(const char *text, size_t length);

/** How much of a well-formed text fits into `most` bytes without a character cut in two; also of
 * one that was cut at its end before. */
size_t segue_utf8_prefix_length(const char *text, size_t most);

/** Make a text well-formed: a '?' for each byte that belongs to no character. */
void segue_utf8_sanitize(char *text);

/** Whether a text has a control character: an end of a line, a tab, an escape. */
bool segue_utf8_has_control(const char *text);

/** The length of the character at `text`, which is well-formed UTF-8, and its code point. */
size_t segue_utf8_decode(const char *text, uint32_t *code);

/** Whether a character hides what a text is: a control character (C0, DEL, C1), one that changes
 * the direction of writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), a
 * separator of lines (U+2028, U+2029), or one without width (U+200B, U+2060 to U+2065, U+FEFF, tags
 * U+E0000 to U+E007F; joiners, which scripts need, are none of these). */
bool segue_utf8_is_hidden(uint32_t code);

/** The first such character of a well-formed text; false: there is none. */
bool segue_utf8_find_hidden(const char *text, uint32_t *code);

/** Replace each byte of what is hidden, or no UTF-8, by '?', for a terminal or a log. */
void segue_utf8_make_printable(char *text);

#endif
