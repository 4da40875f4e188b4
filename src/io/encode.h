/* encode.h - bytes as text and back: base64, hexadecimal digits, percent-encoding.
 *
 * The caller provides the memory, so nothing here allocates; only the decoders can fail.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_ENCODE_H
#define SEGUE_IO_ENCODE_H

#include <stdbool.h>
#include <stddef.h>

/** Characters of `size` bytes in base64, with padding and without a NUL. */
#define SEGUE_ENCODE_BASE64_LENGTH(size) (((size) + 2) / 3 * 4)

/** Write base64 (RFC 4648, section 4) with padding; appends no NUL.  Returns its length. */
size_t segue_encode_base64(char *to, const unsigned char *data, size_t size);

/** Write two lower-case hexadecimal digits per byte and a NUL: 2 * size + 1 characters. */
void segue_encode_hex(char *to, const unsigned char *data, size_t size);

/** Return the value of a hexadecimal digit of either case, or -1. */
int segue_encode_hex_digit(char c);

/** Decode 2 * size hexadecimal digits; false if a character is not one. */
bool segue_encode_hex_decode(unsigned char *to, const char *text, size_t size);

/** Percent-encode (RFC 3986) all but unreserved characters, and append a NUL.  Needs up to
 * 3 * strlen(text) + 1 characters; returns the length. */
size_t segue_encode_percent(char *to, const char *text);

/** Decode `length` percent-encoded characters into at most `capacity` characters, the NUL at the
 * end included.  False if they do not fit, an escape is malformed, or one encodes a NUL. */
bool segue_encode_percent_decode(char *to, size_t capacity, const char *from, size_t length);

#endif
