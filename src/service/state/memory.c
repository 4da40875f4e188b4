/* memory.c - the memory that the service may use.
 *
 * memory.h explains the two sums and their limits.  Any thread may count; only the writer uses the
 * spare.  The default limit is half of what the machine, its control groups (version 1 or 2) and
 * its resource limits allow.
 *
 * The spare is a block that the writer frees before it applies a change and allocates again after
 * it.  So closing a task, which needs memory and must not fail after COMMIT, finds some even when
 * the system gives no more.  While the spare cannot be had back, no new task is opened.
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "service/state/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIN_SPARE    (8U << 20)
#define START_MARGIN (16U << 20)
#define MIB          1048576.0

static uint64_t limit_of_resource(int which)
{
    struct rlimit limit;
    return getrlimit(which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
               ? (uint64_t)limit.rlim_cur
               : UINT64_MAX;
}

void segue_memory_init(memory *m, uint64_t limit)
{
    *m = (memory){.limit = limit,
                  .spare_of = MIN_SPARE,
                  .has_address_limit = limit_of_resource(RLIMIT_AS) != UINT64_MAX};
    atomic_init(&m->of_learners, 0);
    atomic_init(&m->of_requests, 0);
    atomic_init(&m->full, false);
    atomic_init(&m->spare_is_lent, false);
}

void segue_memory_fini(memory *m)
{
    free(m->spare);
    m->spare = NULL;
}

/* ---- counting ---------------------------------------------------------------------------- */

/* A quarter is for requests and responses, the rest for learners and tasks. */
static uint64_t limit_of_requests(const memory *m)
{
    return m->limit / 4;
}

static uint64_t limit_of_tasks(const memory *m)
{
    return m->limit - limit_of_requests(m);
}

/* Where addresses are limited, new tasks leave a margin: a start after a kill needs more than the
 * service had, for the spare and for gaps of the heap. */
static bool has_margin(const memory *m)
{
    void *volatile margin = m->has_address_limit ? malloc(START_MARGIN) : NULL;
    const bool there = margin != NULL;
    free(margin);
    return there || !m->has_address_limit;
}

bool segue_memory_has_space(const memory *m)
{
    return atomic_load(&m->of_learners) <= limit_of_tasks(m) && !atomic_load(&m->spare_is_lent) &&
           has_margin(m);
}

/* Add first, then compare: two threads cannot both get the last bytes. */
bool segue_memory_reserve(memory *m, size_t size)
{
    if (atomic_fetch_add(&m->of_requests, size) + size <= limit_of_requests(m))
        return true;
    (void)atomic_fetch_sub(&m->of_requests, size);
    return false;
}

void segue_memory_release(memory *m, size_t size)
{
    (void)atomic_fetch_sub(&m->of_requests, size);
}

bool segue_memory_has_reserve(const memory *m)
{
    return atomic_load(&m->of_learners) < limit_of_tasks(m) + m->limit / 8;
}

void segue_memory_add_response(memory *m, size_t size)
{
    (void)atomic_fetch_add(&m->of_requests, size);
}

bool segue_memory_has_response_space(const memory *m)
{
    return atomic_load(&m->of_requests) < limit_of_requests(m);
}

void segue_memory_reason(const memory *m, char *text, size_t size)
{
    if (atomic_load(&m->spare_is_lent) || !has_margin(m))
        (void)snprintf(text, size,
                       "the system gives no more memory (ulimit -v, a control group?); tasks and "
                       "learners use %.1f MiB; close tasks, or allow the process more",
                       (double)atomic_load(&m->of_learners) / MIB);
    else
        (void)snprintf(text, size,
                       "tasks and learners use %.1f MiB, and --max-memory allows them %.1f of its "
                       "%.1f MiB; close tasks, or start with a larger --max-memory",
                       (double)atomic_load(&m->of_learners) / MIB, (double)limit_of_tasks(m) / MIB,
                       (double)m->limit / MIB);
}

/* ---- the spare --------------------------------------------------------------------------- */

void segue_memory_set_spare(memory *m, size_t size)
{
    if (m->spare_of < size)
        m->spare_of = size;
}

void segue_memory_free_spare(memory *m)
{
    free(m->spare);
    m->spare = NULL;
}

bool segue_memory_restore_spare(memory *m)
{
    if (m->spare && m->spare_size < m->spare_of)
        segue_memory_free_spare(m);
    if (!m->spare) {
        m->spare = malloc(m->spare_of);
        m->spare_size = m->spare_of;
    }
    atomic_store(&m->spare_is_lent, m->spare == NULL);
    m->is_tight = m->is_tight || !m->spare;
    return m->spare != NULL;
}

/* ---- the machine's memory ---------------------------------------------------------------- */

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Read the first line of a small file; false: there is none. */
static bool read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "r");
    const bool fine = file && fgets(line, size, file);
    if (file)
        (void)fclose(file);
    return fine;
}

/* Read the number in a file of a control group; UINT64_MAX: none, or "max". */
static uint64_t read_limit(const char *path)
{
    char line[64];
    const uint64_t limit =
        read_line(path, line, (int)sizeof line) ? strtoull(line, NULL, 10) : UINT64_MAX;
    return limit > 0 ? limit : UINT64_MAX;
}

/* Return the least limit of a group and those above it. */
static uint64_t limit_of_group(const char *root, char *group, const char *name)
{
    uint64_t limit = UINT64_MAX;
    char path[1200];
    for (char *end = group + strlen(group); end; end = strrchr(group, '/')) {
        *end = '\0';
        (void)snprintf(path, sizeof path, "%s%s/%s", root, group, name);
        limit = min_u64(limit, read_limit(path));
    }
    return limit;
}

/* Read a line of /proc/self/cgroup: "0::/path" (version 2) or "7:memory:/path" (version 1). */
static uint64_t limit_of_line(char *line)
{
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return UINT64_MAX;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    if (strcmp(controllers, ":") == 0)
        return limit_of_group("/sys/fs/cgroup", group, "memory.max");
    return strstr(controllers, "memory")
               ? limit_of_group("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes")
               : UINT64_MAX;
}

static uint64_t limit_of_groups(void)
{
    char line[1024];
    uint64_t limit = UINT64_MAX;
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file))
        limit = min_u64(limit, limit_of_line(line));
    if (file)
        (void)fclose(file);
    return limit;
}

uint64_t segue_memory_default(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t there = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_C(1) << 30;
    there = min_u64(there, limit_of_groups());
    there = min_u64(there, limit_of_resource(RLIMIT_AS));
    there = min_u64(there, limit_of_resource(RLIMIT_DATA));
    return there / 2 > SEGUE_MIN_MEMORY ? there / 2 : SEGUE_MIN_MEMORY;
}

uint64_t segue_memory_resident(void)
{
    char line[128];
    if (!read_line("/proc/self/statm", line, (int)sizeof line))
        return 0;
    const char *second = strchr(line, ' '); /* pages: in total, in memory */
    return second ? strtoull(second, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* Return the factor of a unit; 0: it is none. */
static double scale_of(const char *unit)
{
    static const char units[] = "KMGkmg";
    static const double scales[] = {1024.0, MIB, 1024.0 * MIB};
    const char *found = *unit ? strchr(units, *unit) : NULL;
    if (*unit == '\0')
        return 1.0;
    return found && unit[1] == '\0' ? scales[(found - units) % 3] : 0.0;
}

segue_status segue_memory_parse(const char *text, uint64_t *out, segue_error *err)
{
    char *end = NULL;
    const double number = strtod(text, &end);
    const double size = end == text ? 0.0 : number * scale_of(end);
    if (end == text || !(scale_of(end) > 0.0))
        return segue_fail(err, SEGUE_EPARSE,
                          "--max-memory is '%.40s'; need bytes, or a number with K, M or G", text);
    if (!(size >= (double)SEGUE_MIN_MEMORY && size < 0x1p60))
        return segue_fail(err, SEGUE_EDOMAIN, "--max-memory is '%.40s'; need %.0fM at least", text,
                          (double)SEGUE_MIN_MEMORY / MIB);
    *out = (uint64_t)size;
    return SEGUE_OK;
}
