/* metrics_process.c - metrics of the process and of the build, by the names that Prometheus gives
 * them.
 *
 * Most numbers are the kernel's (/proc/self); one that it does not give is not written.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "io/json_write.h"
#include "segue/version.h"
#include "service/engine/metrics.h"
#include "service/state/memory.h"

#ifndef SEGUE_REVISION
#define SEGUE_REVISION "" /* CMake sets it: -DSEGUE_REVISION=... */
#endif

static void write_value(segue_bytes *b, const char *name, const char *kind, const char *help,
                        double value)
{
    segue_metrics_write_header(b, name, kind, help);
    segue_json_write_format(b, "%s ", name);
    segue_json_write_number(b, value);
    segue_json_write_raw(b, "\n");
}

/* The folder has ".", ".." and the descriptor that reads it, too; false: there is none. */
static bool count_open_files(double *out)
{
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return false;
    double count = -3.0;
    while (readdir(folder))
        count++;
    (void)closedir(folder);
    *out = count;
    return true;
}

static void write_files(segue_bytes *b)
{
    double open = 0.0;
    struct rlimit files;
    if (count_open_files(&open))
        write_value(b, "process_open_fds", "gauge", "Open file descriptors.", open);
    if (getrlimit(RLIMIT_NOFILE, &files) == 0)
        write_value(b, "process_max_fds", "gauge", "Limit of open file descriptors.",
                    (double)files.rlim_cur);
}

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec * 1e-6;
}

static void write_cpu(segue_bytes *b)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        write_value(b, "process_cpu_seconds_total", "counter", "User and system CPU time.",
                    seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime));
}

static void write_label(segue_bytes *b, const char *name, const char *value)
{
    segue_json_write_format(b, "%s=\"", name);
    segue_metrics_write_label(b, value);
    segue_json_write_raw(b, "\"");
}

static void write_build(segue_bytes *b)
{
    static const char revision[] = SEGUE_REVISION;
    segue_metrics_write_header(b, "segue_build_info", "gauge", "Always 1; the labels say more.");
    segue_json_write_raw(b, "segue_build_info{");
    write_label(b, "version", segue_version());
    segue_json_write_raw(b, ",");
    write_label(b, "build", segue_version_build());
    if (sizeof revision > 1) {
        segue_json_write_raw(b, ",");
        write_label(b, "revision", revision);
    }
    segue_json_write_raw(b, "} 1\n");
}

void segue_metrics_write_process(double started, segue_bytes *b)
{
    const uint64_t resident = segue_memory_resident();
    write_build(b);
    write_value(b, "process_start_time_seconds", "gauge",
                "When the service started, in seconds since 1970.", started);
    write_cpu(b);
    if (resident > 0)
        write_value(b, "process_resident_memory_bytes", "gauge", "Resident memory.",
                    (double)resident);
    write_files(b);
}
