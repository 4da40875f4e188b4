/* failing_malloc.c - make the n-th allocation of a process fail, and count its blocks: for LD_PRELOAD.
 *
 * With PYTHONMALLOC=malloc the objects of Python are allocated here too.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_long calls_left = -1; /* until the one that fails; negative: none does */
static atomic_long n_failures;
static atomic_long n_blocks; /* allocated and not freed */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **out, size_t alignment, size_t size);
void free(void *block);
void failing_malloc_arm(long n);
long failing_malloc_failures(void);
long failing_malloc_blocks(void);

/** Let the n-th allocation from now on fail, and no other; negative: none. */
void failing_malloc_arm(long n)
{
    atomic_store(&n_failures, 0);
    atomic_store(&calls_left, n);
}

/** The allocations that failed since: 0 or 1.  None fails from now on. */
long failing_malloc_failures(void)
{
    atomic_store(&calls_left, -1);
    return atomic_load(&n_failures);
}

long failing_malloc_blocks(void)
{
    return atomic_load(&n_blocks);
}

static bool must_fail(void)
{
    if (atomic_load(&calls_left) < 0 || atomic_fetch_sub(&calls_left, 1) != 1)
        return false;
    atomic_fetch_add(&n_failures, 1);
    atomic_store(&calls_left, -1);
    errno = ENOMEM;
    return true;
}

static void *counted(void *block)
{
    atomic_fetch_add(&n_blocks, block != NULL);
    return block;
}

void *malloc(size_t size)
{
    return must_fail() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
    if (must_fail())
        return NULL;
    void *grown = __libc_realloc(block, size);
    if (!block)
        (void)counted(grown);
    return grown;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return must_fail() ? NULL : counted(__libc_memalign(alignment, size));
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = aligned_alloc(alignment, size);
    return *out ? 0 : ENOMEM;
}

void free(void *block)
{
    atomic_fetch_sub(&n_blocks, block != NULL);
    __libc_free(block);
}
