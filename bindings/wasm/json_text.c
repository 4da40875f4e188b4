/* json_text.c - JSON in memory, written to a stream of the C library.
 * SPDX-License-Identifier: Apache-2.0 */
#include "json_text.h"

#include <math.h>
#include <stdlib.h>

static const char out_of_memory[] = "{\"error\":\"out of memory for the answer\"}";

void json_text_free(json_text *json)
{
    if (json->stream)
        (void)fclose(json->stream);
    free(json->text);
    *json = (json_text){.text = NULL};
}

bool json_text_begin(json_text *json)
{
    json_text_free(json);
    json->stream = open_memstream(&json->text, &json->size);
    return json->stream != NULL;
}

const char *json_text_end(json_text *json)
{
    if (!json->stream)
        return out_of_memory;
    const bool failed = ferror(json->stream) != 0;
    const bool lost = fclose(json->stream) != 0;
    json->stream = NULL;
    return failed || lost || !json->text ? out_of_memory : json->text;
}

void json_text_key(json_text *json, bool first, const char *key)
{
    (void)fprintf(json->stream, "%s\"%s\":", first ? "" : ",", key);
}

void json_text_number(json_text *json, double number)
{
    (void)fprintf(json->stream, isfinite(number) ? "%.17g" : "null", number);
}

void json_text_string(json_text *json, const char *text)
{
    if (!text) {
        (void)fputs("null", json->stream);
        return;
    }
    (void)fputc('"', json->stream);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == '"' || *c == '\\')
            (void)fprintf(json->stream, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            (void)fputc(*c, json->stream);
    (void)fputc('"', json->stream);
}

void json_text_numbers(json_text *json, size_t count, const double *number)
{
    (void)fputc('[', json->stream);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            (void)fputc(',', json->stream);
        json_text_number(json, number[i]);
    }
    (void)fputc(']', json->stream);
}
