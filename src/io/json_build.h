/* json_build.h - build JSON values with jansson; out of memory shows when the value is printed.
 *
 * Every function accepts the NULL of a failed allocation and passes it on, so that callers test for
 * it once, at the end: segue_json_print fails with SEGUE_ENOMEM.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_IO_JSON_BUILD_H
#define SEGUE_IO_JSON_BUILD_H

#include <jansson.h>
#include <stddef.h>

/** A number rounded to 15 digits; null if it is not finite. */
json_t *segue_json_number(double x);

/** A list of rounded numbers; empty if `x` is NULL. */
json_t *segue_json_numbers(const double *x, size_t count);

/** A list of finite numbers that keep all bits, for values that Segue reads again. */
json_t *segue_json_exact(const double *x, size_t count);

/** A string of any bytes, such as a file name; '?' replaces each byte that is not UTF-8. */
json_t *segue_json_text(const char *text);

/** Append a value to a list, or set a field of an object.  Both consume `value`; on failure they
 * release the container and return NULL.  jansson also returns NULL for strings that are not UTF-8:
 * use segue_json_text for those. */
json_t *segue_json_append(json_t *list, json_t *value);
json_t *segue_json_set(json_t *object, const char *key, json_t *value);

#endif
