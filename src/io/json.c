/* json.c - strict reading of JSON files.
 *
 * jansson parses; what it lacks is here: errors that name file, line and field, ranges of numbers,
 * and unknown fields with a suggestion. Experiments, model sets and results are read with it.
 *
 * An error is "FILE: field 'a.b': is X; need Y". A segue_json_location carries the file and the
 * prefix "a." down to the function that reads a field.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/utf8.h"
#include "segue/internal.h"

/* Shorten a long path for a message. */
static const char *shown(const char *path)
{
    return strcmp(path, "-") == 0 ? SEGUE_STANDARD_INPUT : segue_path_tail(path);
}

/* Check the size first: jansson would read any file into memory. */
static segue_status open_file(FILE **out, const char *path, segue_error *err)
{
    struct stat about;
    *out = NULL;
    if (*path == '\0')
        return segue_fail(err, SEGUE_EFILE, "the name of the file is empty; need a path");
    if (strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return segue_fail(err, SEGUE_EFILE, "%s: is a directory; need a file", shown(path));
    if (strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
        (size_t)about.st_size > SEGUE_MAX_JSON_SIZE)
        return segue_fail(err, SEGUE_EFILE, "%s: is too large; need at most %d MiB", shown(path),
                          (int)(SEGUE_MAX_JSON_SIZE >> 20));
    *out = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!*out)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", shown(path),
                          strerror(errno));
    return SEGUE_OK;
}

/* Duplicate keys are an error: else the last one would win silently. */
segue_status segue_json_read(json_t **out, const char *path, segue_error *err)
{
    FILE *file = NULL;
    json_error_t problem;
    *out = NULL;
    SEGUE_TRY(open_file(&file, path, err));
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &problem);
    const int failed = ferror(file);
    if (file != stdin)
        fclose(file);
    if (failed) {
        json_decref(root);
        return segue_fail(err, SEGUE_EIO, "%s: reading failed; check the disk", shown(path));
    }
    if (!root && json_error_code(&problem) == json_error_out_of_memory)
        return segue_fail(err, SEGUE_ENOMEM, "%s: out of memory", shown(path));
    if (!root)
        return segue_fail(err, SEGUE_EPARSE, "%s:%d: is not JSON: %s", shown(path),
                          problem.line < 0 ? 1 : problem.line, problem.text);
    if (!json_is_object(root)) {
        const char *kind = segue_json_kind(root);
        json_decref(root);
        return segue_fail(err, SEGUE_EPARSE, "%s: holds %s; need an object, { ... }", shown(path),
                          kind);
    }
    *out = root;
    return SEGUE_OK;
}

/* "FILE: field 'within.field': "; without a field the last point of `within` is dropped. */
static void write_prefix(const segue_json_location *location, const char *field,
                         char prefix[SEGUE_ERROR_SIZE])
{
    const size_t length = strlen(location->within);
    (void)snprintf(prefix, SEGUE_ERROR_SIZE, "%s: field '%.*s%s': ", shown(location->path),
                   (int)(*field || length == 0 ? length : length - 1), location->within, field);
}

segue_status segue_json_fail(const segue_json_location *location, const char *field,
                             segue_error *err, const char *format, ...)
{
    char prefix[SEGUE_ERROR_SIZE];
    va_list args;
    write_prefix(location, field, prefix);
    va_start(args, format);
    segue_vfail(err, SEGUE_EDOMAIN, prefix, format, args);
    va_end(args);
    return SEGUE_EDOMAIN;
}

segue_status segue_json_fail_cause(const segue_json_location *location, const char *field,
                                   const segue_error *why, segue_error *err)
{
    char prefix[SEGUE_ERROR_SIZE];
    write_prefix(location, field, prefix);
    return segue_fail(err, why->status, "%s%.300s", prefix, why->message);
}

bool segue_json_is_printable(const json_t *value)
{
    const char *text = json_string_value(value);
    return text && *text && !segue_utf8_has_control(text);
}

/* Name the kind of a value as it follows "is" or "holds" in a message. */
const char *segue_json_kind(const json_t *value)
{
    if (!value)
        return "missing"; /* as in "is missing" */
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
        return "a whole number";
    case JSON_REAL:
        return "a decimal number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    default:
        return "null";
    }
}

/* Accept 30.0 as 30: some programs write it so. */
static bool is_integral(const json_t *value)
{
    const double x = json_is_real(value) ? json_real_value(value) : NAN;
    return fabs(x) <= 0x1p53 && !(floor(x) < x);
}

segue_status segue_json_integer(const segue_json_location *location, const char *field,
                                const json_t *value, uint64_t min, uint64_t max, uint64_t *out,
                                segue_error *err)
{
    const bool is_whole = json_is_integer(value) || is_integral(value);
    if (!is_whole)
        return segue_json_fail(location, field, err,
                               "is %s; need a whole number from %" PRIu64 " to %" PRIu64,
                               segue_json_kind(value), min, max);
    const json_int_t number =
        json_is_integer(value) ? json_integer_value(value) : (json_int_t)json_real_value(value);
    if (number < 0 || (uint64_t)number < min || (uint64_t)number > max)
        return segue_json_fail(location, field, err,
                               "is %" JSON_INTEGER_FORMAT "; need a whole number from %" PRIu64
                               " to %" PRIu64,
                               number, min, max);
    *out = (uint64_t)number;
    return SEGUE_OK;
}

static const char *name_of(const void *list, size_t i)
{
    return ((const char *const *)list)[i];
}

segue_status segue_json_flag(const segue_json_location *location, const char *field,
                             const json_t *value, bool *out, segue_error *err)
{
    if (value && !json_is_boolean(value))
        return segue_json_fail(location, field, err, "is %s; need true or false",
                               segue_json_kind(value));
    *out = value ? json_is_true(value) : *out;
    return SEGUE_OK;
}

segue_status segue_json_check_keys(const segue_json_location *location, json_t *object,
                                   const char *const *names, size_t count, segue_error *err)
{
    const char *key = NULL;
    const json_t *value = NULL;
    json_object_foreach(object, key, value)
    {
        if (segue_text_find(key, names, count, name_of) < count)
            continue;
        char all[256] = "", shortened[41];
        (void)snprintf(shortened, sizeof shortened, "%s", key);
        if (count == 0)
            return segue_json_fail(location, shortened, err,
                                   "is unknown; no field is allowed here");
        for (size_t i = 0; i < count; i++) {
            const size_t used = strlen(all);
            (void)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
        }
        const char *guess = segue_text_closest(key, names, count, name_of);
        return segue_json_fail(location, shortened, err, "is not known%s%s%s; need one of %s",
                               guess ? "; did you mean '" : "", guess ? guess : "",
                               guess ? "'?" : "", all);
    }
    return SEGUE_OK;
}
