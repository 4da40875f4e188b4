/* out.c - JSON written into growing bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "serve/out.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void segue_out(bytes *b, const char *text)
{
    segue_bytes_put(b, text, strlen(text));
}

void segue_out_format(bytes *b, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length > 0)
        segue_bytes_put(b, text,
                        (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

void segue_out_string(bytes *b, const char *text)
{
    segue_out(b, "\"");
    for (const char *at = text; *at;) {
        size_t plain = 0;
        while ((unsigned char)at[plain] >= 0x20 && at[plain] != '"' && at[plain] != '\\')
            plain++;
        segue_bytes_put(b, at, plain);
        at += plain;
        if (*at == '"' || *at == '\\')
            segue_out_format(b, "\\%c", *at++);
        else if (*at)
            segue_out_format(b, "\\u%04x", (unsigned char)*at++);
    }
    segue_out(b, "\"");
}

void segue_out_number(bytes *b, double x)
{
    char text[40];
    if (!isfinite(x)) {
        segue_out(b, "null");
        return;
    }
    (void)snprintf(text, sizeof text, "%.15g", x);
    const double back = strtod(text, NULL);
    if (back < x || back > x)
        (void)snprintf(text, sizeof text, "%.17g", x);
    segue_out(b, text);
}

void segue_out_name(bytes *b, const char *name)
{
    const unsigned char last = b->size > 0 ? b->data[b->size - 1] : '{';
    segue_out(b, last == '{' || last == '[' ? "\"" : ",\"");
    segue_out(b, name);
    segue_out(b, "\":");
}

void segue_out_text(bytes *b, const char *name, const char *value)
{
    segue_out_name(b, name);
    segue_out_string(b, value);
}

void segue_out_double(bytes *b, const char *name, double value)
{
    segue_out_name(b, name);
    segue_out_number(b, value);
}

void segue_out_whole(bytes *b, const char *name, uint64_t value)
{
    segue_out_name(b, name);
    segue_out_format(b, "%" PRIu64, value);
}

void segue_out_bool(bytes *b, const char *name, int value)
{
    segue_out_name(b, name);
    segue_out(b, value ? "true" : "false");
}
