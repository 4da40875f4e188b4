/* alloc.c - make every allocation fail in turn: an error, no leak, no crash.
 *
 * The linker redirects malloc and similar functions here (-Wl,--wrap); the n-th call fails, for
 * n = 1, 2, ... until a scenario passes without a failure.  Blocks allocated and not freed are
 * counted.
 * SPDX-License-Identifier: Apache-2.0 */
#include "alloc.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "support.h"

static atomic_long calls_left = -1; /* until the one that fails; negative: none does */
static atomic_long failures;
static atomic_long n_blocks; /* blocks allocated and not yet freed */

static bool must_fail(void)
{
    if (atomic_load(&calls_left) < 0 || atomic_fetch_sub(&calls_left, 1) != 1)
        return false;
    atomic_fetch_add(&failures, 1);
    atomic_store(&calls_left, -1);
    return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
char *__real_realpath(const char *path, char *resolved);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);
FILE *__real_open_memstream(char **data, size_t *size);
FILE *__wrap_open_memstream(char **data, size_t *size);
char *__wrap_realpath(const char *path, char *resolved);
void __wrap_free(void *block);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);

static void *counted(void *block)
{
    atomic_fetch_add(&n_blocks, block != NULL);
    return block;
}

void *__wrap_malloc(size_t size)
{
    return must_fail() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (must_fail())
        return NULL;
    void *grown = __real_realloc(block, size);
    return block ? grown : counted(grown);
}

char *__wrap_strdup(const char *text)
{
    char *copy = __wrap_malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

char *__wrap_strndup(const char *text, size_t length)
{
    char *copy = __wrap_calloc(length + 1, 1);
    return copy ? strncpy(copy, text, length) : NULL;
}

/* Its buffer is made by the C library and freed by us. */
FILE *__wrap_open_memstream(char **data, size_t *size)
{
    if (must_fail())
        return NULL;
    atomic_fetch_add(&n_blocks, 1);
    return __real_open_memstream(data, size);
}

/* Its NULL means that there is no such file, so it is counted but does not fail. */
char *__wrap_realpath(const char *path, char *resolved)
{
    return counted(__real_realpath(path, resolved));
}

void __wrap_free(void *block)
{
    atomic_fetch_sub(&n_blocks, block != NULL);
    __real_free(block);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    return must_fail() ? EAGAIN : __real_pthread_create(thread, attributes, run, argument);
}

bool alloc_has_failed(void)
{
    return atomic_load(&failures) > 0;
}

void alloc_stop_failing(void)
{
    atomic_store(&calls_left, -1);
}

void alloc_fail_some(segue_status (*scenario)(segue_error *), long min_calls, long stride)
{
    long n = 1;
    for (;; n += stride) {
        segue_error err = {.status = SEGUE_OK};
        const long before = atomic_load(&n_blocks);
        atomic_store(&failures, 0);
        atomic_store(&calls_left, n);
        const segue_status status = scenario(&err);
        const bool hit = alloc_has_failed();
        alloc_stop_failing();
        assert_int_equal(atomic_load(&n_blocks), before);
        if (!hit) {
            assert_int_equal(status, SEGUE_OK);
            break;
        }
        if (status != SEGUE_ENOMEM && status != SEGUE_ETHREAD)
            fail_msg("allocation %ld: status %d", n, (int)status);
        assert_true(strlen(err.message) > 0);
        assert_int_equal(err.status, status);
    }
    assert_true(n - 1 >= min_calls); /* it did allocate */
}

void alloc_fail_each(segue_status (*scenario)(segue_error *), long min_calls)
{
    alloc_fail_some(scenario, min_calls, 1);
}
