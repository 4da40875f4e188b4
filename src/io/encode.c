/* encode.c - base64, hexadecimal digits and percent-encoding, each written once.
 *
 * Used for figures inside HTML pages, bytes in exported stores, escapes in JSON Lines, and names in
 * URLs.  Secrets are compared and encoded elsewhere: these loops do not run in constant time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/encode.h"

#include <string.h>

/* Three bytes become four digits; '=' fills the last group. */
size_t segue_encode_base64(char *to, const unsigned char *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *at = to;
    for (size_t i = 0; i < size; i += 3) {
        const size_t count = size - i;
        const unsigned x = (unsigned)data[i] << 16 | (count > 1 ? (unsigned)data[i + 1] << 8 : 0) |
                           (count > 2 ? (unsigned)data[i + 2] : 0);
        *at++ = digits[x >> 18];
        *at++ = digits[x >> 12 & 63];
        *at++ = (char)(count > 1 ? digits[x >> 6 & 63] : '=');
        *at++ = (char)(count > 2 ? digits[x & 63] : '=');
    }
    return (size_t)(at - to);
}

void segue_encode_hex(char *to, const unsigned char *data, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        *to++ = digits[data[i] >> 4];
        *to++ = digits[data[i] & 15];
    }
    *to = '\0';
}

int segue_encode_hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

bool segue_encode_hex_decode(unsigned char *to, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const int high = segue_encode_hex_digit(text[2 * i]);
        const int low = high < 0 ? -1 : segue_encode_hex_digit(text[2 * i + 1]);
        if (low < 0)
            return false;
        to[i] = (unsigned char)(16 * high + low);
    }
    return true;
}

size_t segue_encode_percent(char *to, const char *text)
{
    static const char unreserved[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    static const char digits[] = "0123456789ABCDEF";
    char *at = to;
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (strchr(unreserved, *text)) {
            *at++ = *text;
            continue;
        }
        *at++ = '%';
        *at++ = digits[byte >> 4];
        *at++ = digits[byte & 15];
    }
    *at = '\0';
    return (size_t)(at - to);
}

bool segue_encode_percent_decode(char *to, size_t capacity, const char *from, size_t length)
{
    const char *const end = from + length;
    for (; from < end && capacity > 1; capacity--) {
        unsigned char byte = (unsigned char)*from++;
        if (byte == '%') {
            if (end - from < 2 || !segue_encode_hex_decode(&byte, from, 1))
                return false;
            from += 2;
        }
        if (byte == '\0')
            return false;
        *to++ = (char)byte;
    }
    *to = '\0';
    return from == end;
}
