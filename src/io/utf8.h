/* utf8.h - text that can be displayed: well-formed UTF-8, control and hidden characters.
 *
 * A NUL must follow each text, also where a length is given.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_UTF8_H
#define SEGUE_IO_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Return the size in bytes of the character at `text`; 0 if it is not well-formed. */
size_t segue_utf8_length(const char *text);

/** Test for well-formed UTF-8. */
bool segue_utf8_is_valid(const char *text, size_t length);

/** Return the length of the longest prefix of at max_length `max_length` bytes that cuts no
 * character in two. The end of a well-formed text may be cut already. */
size_t segue_utf8_prefix_length(const char *text, size_t max_length);

/** Write a well-formed text in at most head + 1 + tail characters: the middle of a longer one becomes
 * an ellipsis.  What does not fit into `size` bytes is cut. */
void segue_utf8_shorten(const char *text, size_t head, size_t tail, char *out, size_t size);

/** Replace each byte that belongs to no character by '?'. */
void segue_utf8_sanitize(char *text);

/** Test for ASCII control characters: line ends, tabs, escapes, DEL. */
bool segue_utf8_has_control(const char *text);

/** Decode the character at `text`, which must be well-formed; returns its size in bytes. */
size_t segue_utf8_decode(const char *text, uint32_t *code);

/** Test for a character that hides what a text says: a control character (C0, DEL, C1), one that
 * changes the direction of writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), a
 * line separator (U+2028, U+2029), or one without width (U+200B, U+2060 to U+2065, U+FEFF, tags
 * U+E0000 to U+E007F).  Joiners are not hidden: scripts need them. */
bool segue_utf8_is_hidden(uint32_t code);

/** Find the first hidden character of a well-formed text; false if it has none. */
bool segue_utf8_find_hidden(const char *text, uint32_t *code);

/** Replace each byte of hidden characters, and each byte that is not UTF-8, by '?'. */
void segue_utf8_make_printable(char *text);

#endif
