/* failing_malloc.c - make the n-th allocation of a process fail, and count the blocks of one library: for
 * LD_PRELOAD.
 *
 * With PYTHONMALLOC=malloc the objects of Python are allocated here too, and fail too.  Blocks are counted
 * where the code between two addresses allocates and frees them: Python itself leaves some when its own
 * allocations fail.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static atomic_long calls_left = -1; /* until the one that fails; negative: none does */
static atomic_long n_failures;
static long n_blocks; /* of the watched code: allocated and not freed */
static uintptr_t watch_begin, watch_end;

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
char *strdup(const char *text);
void free(void *block);
void failing_malloc_watch(uintptr_t begin, uintptr_t end);
void failing_malloc_arm(long n);
long failing_malloc_failures(void);
long failing_malloc_blocks(void);

/** Count the blocks of the code between two addresses. */
void failing_malloc_watch(uintptr_t begin, uintptr_t end)
{
    watch_begin = begin;
    watch_end = end;
}

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
    return n_blocks;
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

/* The blocks of the watched code: a hash table with linear probing. */
#define N_SLOTS 65536
static void *slot[N_SLOTS];
static atomic_flag table_lock = ATOMIC_FLAG_INIT; /* guards it, and n_blocks */

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&table_lock, memory_order_acquire))
        ;
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&table_lock, memory_order_release);
}

static size_t home_of(const void *block)
{
    return (size_t)(((uintptr_t)block >> 4) * 0x9E3779B97F4A7C15U >> 48);
}

static size_t find(const void *block)
{
    size_t i = home_of(block);
    while (slot[i] && slot[i] != block)
        i = (i + 1) % N_SLOTS;
    return i;
}

static void add(void *block)
{
    lock();
    slot[find(block)] = block;
    n_blocks++;
    unlock();
}

/* Empty a slot, and put those behind it that a search would no longer find in their places. */
static void remove_at(size_t i)
{
    slot[i] = NULL;
    n_blocks--;
    while (slot[i = (i + 1) % N_SLOTS]) {
        void *moved = slot[i];
        slot[i] = NULL;
        slot[find(moved)] = moved;
    }
}

static void drop(const void *block)
{
    lock();
    const size_t i = find(block);
    if (slot[i])
        remove_at(i);
    unlock();
}

/* The address that a function of this file returns to. */
#define CALLER ((uintptr_t)__builtin_return_address(0))

static void *counted(uintptr_t caller, void *block)
{
    if (block && caller >= watch_begin && caller < watch_end)
        add(block);
    return block;
}

void *malloc(size_t size)
{
    return must_fail() ? NULL : counted(CALLER, __libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return must_fail() ? NULL : counted(CALLER, __libc_calloc(n, size));
}

void *realloc(void *block, size_t size)
{
    if (must_fail())
        return NULL;
    void *grown = __libc_realloc(block, size);
    if (block && grown)
        drop(block);
    return counted(CALLER, grown);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return must_fail() ? NULL : counted(CALLER, __libc_memalign(alignment, size));
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = must_fail() ? NULL : counted(CALLER, __libc_memalign(alignment, size));
    return *out ? 0 : ENOMEM;
}

char *strdup(const char *text)
{
    char *copy = must_fail() ? NULL : counted(CALLER, __libc_malloc(strlen(text) + 1));
    return copy ? strcpy(copy, text) : NULL;
}

void free(void *block)
{
    if (block)
        drop(block);
    __libc_free(block);
}
