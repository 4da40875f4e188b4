/* bench_log.c [ROWS] - speed and memory of reading logs, beside `wc -l` on the same file.
 *
 * ROWS (default ten million) rows of 100,000 tasks and 20 arms, in usual forms: grouped by task
 * with rewards 0 and 1; all tasks mixed with rewards of three decimals, times and probabilities, also
 * by named columns; eight columns with tabs and booleans; dsjson; one row per task. Files are written to TMPDIR and removed. Each is read three times, in a
 * process of its own, and the fastest counts: CPU time, that of the system included.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* wait4 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "bench.h"
#include "io/log/history.h"
#include "io/log/log.h"

static const log_read_options plain = {.highest = 1.0};

enum { TASKS = 100000, ARMS = 20, TIMES = 3 };

static void give_up(const char *what)
{
    perror(what);
    exit(1);
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/* ---- files ------------------------------------------------------------------------------- */

typedef void (*line_writer)(FILE *file, uint64_t row, uint64_t rows, uint64_t draw);

static void write_grouped(FILE *file, uint64_t row, uint64_t rows, uint64_t draw)
{
    const uint64_t task = row * TASKS / rows;
    (void)fprintf(file, "user%" PRIu64 ",%" PRIu64 ",%d\n", task, draw % ARMS,
                  (draw >> 32) % ARMS > draw % ARMS);
}

static void write_mixed(FILE *file, uint64_t row, uint64_t rows, uint64_t draw)
{
    (void)rows;
    (void)fprintf(file, "user%" PRIu64 ",arm%" PRIu64 ",0.%03" PRIu64 ",%" PRIu64 ",0.05\n",
                  (draw >> 40) % TASKS, draw % ARMS, (draw >> 20) % 1000, 1700000000 + row);
}

static void write_json(FILE *file, uint64_t row, uint64_t rows, uint64_t draw)
{
    (void)fprintf(file, "{\"task\": \"user%" PRIu64 "\", \"arm\": %" PRIu64 ", \"reward\": %d}\n",
                  row * TASKS / rows, draw % ARMS, (draw >> 32) % ARMS > draw % ARMS);
}

static void write_single(FILE *file, uint64_t row, uint64_t rows, uint64_t draw)
{
    (void)rows;
    (void)fprintf(file, "user%" PRIu64 ",%" PRIu64 ",%d\n", row, draw % ARMS, (int)(draw >> 63));
}

/* Eight columns, with tabs; a reward is true or false. */
static void write_wide(FILE *file, uint64_t row, uint64_t rows, uint64_t draw)
{
    (void)fprintf(file, "%" PRIu64 "\tweb\tuser%" PRIu64 "\tde\t%" PRIu64 "\t%s\t1.25\tnote\n", row,
                  row * TASKS / rows, draw % ARMS,
                  (draw >> 32) % ARMS > draw % ARMS ? "true" : "false");
}

static void write_dsjson(FILE *file, uint64_t row, uint64_t rows, uint64_t draw)
{
    (void)fprintf(file,
                  "{\"_label_cost\":%d,\"_label_probability\":0.5,\"_label_Action\":%d,"
                  "\"_labelIndex\":%d,\"Timestamp\":\"2024-05-31T09:30:00Z\",\"EventId\":\"%" PRIu64
                  "\",\"a\":[1,2],\"c\":{\"u\":{\"id\":\"user%" PRIu64
                  "\"},\"_multi\":[{\"_tag\":\"x\"},{\"_tag\":\"y\"}]},\"p\":[0.5,0.5]}\n",
                  -(int)(draw >> 63), 1 + (int)(draw & 1), (int)(draw & 1), row,
                  row * TASKS / rows);
}

static void make_file(const char *path, const char *header, line_writer line, uint64_t rows)
{
    FILE *file = fopen(path, "w");
    if (!file)
        give_up(path);
    segue_rng rng;
    segue_rng_init(&rng, 1, 0, 0, 0);
    (void)fputs(header, file);
    for (uint64_t row = 0; row < rows; row++)
        line(file, row, rows, segue_rng_next(&rng));
    if (fclose(file) != 0)
        give_up(path);
}

/* All bytes of a file. */
static char *load(const char *path, size_t *size)
{
    struct stat about;
    FILE *file = fopen(path, "r");
    if (!file || fstat(fileno(file), &about) != 0)
        give_up(path);
    *size = (size_t)about.st_size;
    char *bytes = malloc(*size + 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size)
        give_up(path);
    (void)fclose(file);
    return bytes;
}

static void compress_gzip(const char *path, const char *to)
{
    size_t size;
    char *bytes = load(path, &size);
    gzFile out = gzopen(to, "wb6");
    for (size_t at = 0; out && at < size; at += 1 << 20)
        (void)gzwrite(out, bytes + at, (unsigned)(size - at < 1 << 20 ? size - at : 1 << 20));
    if (!out || gzclose(out) != Z_OK)
        give_up(to);
    free(bytes);
}

static void compress_zstd(const char *path, const char *to)
{
    size_t size;
    char *bytes = load(path, &size);
    char *packed = malloc(ZSTD_compressBound(size));
    if (!packed)
        give_up(to);
    const size_t packed_size = ZSTD_compress(packed, ZSTD_compressBound(size), bytes, size, 3);
    FILE *file = fopen(to, "w");
    if (ZSTD_isError(packed_size) || !file || fwrite(packed, 1, packed_size, file) != packed_size ||
        fclose(file) != 0)
        give_up(to);
    free(bytes);
    free(packed);
}

/* ---- reading ----------------------------------------------------------------------------- */

typedef void (*file_reader)(const char *path);

static void read_history(const char *path)
{
    segue_error err;
    segue_history history;
    const log_read_options wanted = {.highest = 1.0, .time = true, .probability = true};
    check(segue_history_read(&history, path, &wanted, &err), &err);
    segue_history_fini(&history);
}

/* Three named columns of many. */
static void read_named(const char *path)
{
    segue_error err;
    segue_history history;
    const log_read_options named = {.highest = 1.0, .column = {"user", "variant", "click"}};
    check(segue_history_read(&history, path, &named, &err), &err);
    segue_history_fini(&history);
}

/* Times and probabilities by other names, and rows without a value skipped. */
static void read_named_all(const char *path)
{
    segue_error err;
    segue_history history;
    const log_read_options named = {.highest = 1.0,
                                    .time = true,
                                    .probability = true,
                                    .skip_missing = true,
                                    .column = {"user", "variant", "click", "t", "p"}};
    check(segue_history_read(&history, path, &named, &err), &err);
    segue_history_fini(&history);
}

/* dsjson. */
static void read_decisions(const char *path)
{
    segue_error err;
    segue_history history;
    const log_read_options decisions = {.highest = 1.0, .probability = true, .column = {"c.u.id"}};
    check(segue_history_read(&history, path, &decisions, &err), &err);
    segue_history_fini(&history);
}

static void read_batches(const char *path)
{
    segue_error err;
    segue_log log;
    check(segue_log_read(&log, path, &plain, &err), &err);
    segue_log_fini(&log);
}

static void count_lines(const char *path)
{
    if (!freopen("/dev/null", "w", stdout))
        give_up("/dev/null");
    (void)execlp("wc", "wc", "-l", path, (char *)NULL);
    give_up("wc");
}

typedef struct cost {
    double seconds;
    long kilobytes; /* the most memory of the process */
} cost;

static cost measure(file_reader reader, const char *path)
{
    cost best = {.seconds = INFINITY};
    for (int i = 0; i < TIMES; i++) {
        struct rusage usage;
        int state = 0;
        (void)fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            reader(path);
            _exit(0);
        }
        if (child < 0 || wait4(child, &state, 0, &usage) != child || state != 0)
            give_up("a reader");
        best.seconds = fmin(best.seconds, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
        best.kilobytes = usage.ru_maxrss;
    }
    return best;
}

/* One file, whose text is `text`: it may be compressed, and `wc` is not told so. */
static void report(const char *name, const char *path, const char *text, file_reader reader,
                   uint64_t rows)
{
    struct stat about;
    if (stat(text, &about) != 0)
        give_up(text);
    const double megabytes = (double)about.st_size / 1e6;
    const cost ours = measure(reader, path), theirs = measure(count_lines, text);
    printf("%-34s %7.0f MB %6.2f s %7.0f MB/s %6.1f M rows/s %5ld MB of memory; wc -l %6.0f MB/s, "
           "%5.1f times as fast\n",
           name, megabytes, ours.seconds, megabytes / ours.seconds,
           (double)rows / ours.seconds / 1e6, ours.kilobytes / 1000, megabytes / theirs.seconds,
           ours.seconds / theirs.seconds);
}

int main(int argc, char **argv)
{
    static const char header[] = "task,arm,reward\n";
    const char *temporary = getenv("TMPDIR");
    const uint64_t rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
    char folder[512], text[600], packed[600];
    (void)snprintf(folder, sizeof folder, "%s/segue-log-XXXXXX", temporary ? temporary : "/tmp");
    if (rows < 1 || !mkdtemp(folder))
        give_up(folder);
    (void)snprintf(text, sizeof text, "%s/log", folder);
    (void)snprintf(packed, sizeof packed, "%s/packed", folder);

    make_file(text, header, write_grouped, rows);
    report("CSV, by task, all rows", text, text, read_history, rows);
    report("CSV, by task, three batches", text, text, read_batches, rows);
    compress_gzip(text, packed);
    report("the same, gzip, all rows", packed, text, read_history, rows);
    compress_zstd(text, packed);
    report("the same, zstd, all rows", packed, text, read_history, rows);
    make_file(text, "", write_json, rows);
    report("JSON Lines, by task, all rows", text, text, read_history, rows);
    make_file(text, "task,arm,reward,time,probability\n", write_mixed, rows);
    report("CSV, mixed, time and probability", text, text, read_history, rows);
    make_file(text, "user,variant,click,t,p\n", write_mixed, rows);
    report("CSV, mixed, named columns, skip", text, text, read_named_all, rows);
    make_file(text, "row\tpage\tuser\tland\tvariant\tclick\tprice\tnote\n", write_wide, rows);
    report("tabs, 8 columns, named, booleans", text, text, read_named, rows);
    make_file(text, "", write_dsjson, rows);
    report("dsjson, all rows", text, text, read_decisions, rows);
    make_file(text, header, write_single, rows);
    report("CSV, a task each row, all rows", text, text, read_history, rows);

    (void)unlink(text);
    (void)unlink(packed);
    (void)rmdir(folder);
    return 0;
}
