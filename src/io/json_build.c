/* json_build.c - build JSON values with jansson.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/json_build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/output.h"
#include "io/utf8.h"

json_t *segue_json_number(double x)
{
    char text[40];
    if (!isfinite(x))
        return json_null();
    (void)snprintf(text, sizeof text, "%.*g", SEGUE_OUTPUT_DIGITS, x);
    return json_real(strtod(text, NULL));
}

json_t *segue_json_numbers(const double *x, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; x && i < count; i++)
        list = segue_json_append(list, segue_json_number(x[i]));
    return list;
}

json_t *segue_json_exact(const double *x, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        list = segue_json_append(list, json_real(x[i]));
    return list;
}

json_t *segue_json_text(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return NULL;
    segue_utf8_sanitize(copy);
    json_t *value = json_string(copy);
    free(copy);
    return value;
}

json_t *segue_json_append(json_t *list, json_t *value)
{
    if (json_array_append_new(list, value) == 0) /* fails for NULLs, and then releases `value` */
        return list;
    json_decref(list);
    return NULL;
}

json_t *segue_json_set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) == 0)
        return object;
    json_decref(object);
    return NULL;
}
