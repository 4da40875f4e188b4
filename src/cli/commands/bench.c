/* bench.c - `segue bench`: speed on this machine, next to the random-number limit.
 *
 * The measurements are those of src/bench, in rounds that are interleaved so that a slow moment of
 * the machine meets all of them.  This file reads the options and prints.
 *
 * Times are CPU nanoseconds of one thread per draw, step or task. The ratio is that of a plain form
 * to its kernel; `of limit` is the share of the speed of random numbers alone. --save stores the
 * same results as JSON, for comparison with later ones.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "bench/bench.h"
#include "cli/columns.h"
#include "cli/command.h"
#include "cli/installed_files.h"
#include "cli/progress.h"
#include "io/models_file.h"
#include "segue/internal.h"
#include "segue/version.h"

typedef struct settings {
    const char *models, *format, *out, *label, *save;
    uint64_t rounds;
    bool slow, quiet;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)

static const cli_option options[] = {
    {"models", 'm', CLI_TEXT, FIELD(models), "FILE", "model set (default: the paper's)", 0, 0},
    {"rounds", 'r', CLI_INTEGER, FIELD(rounds), "R", "interleaved rounds (default 5)", 1,
     SEGUE_MAX_ROUNDS},
    {"long", 'L', CLI_FLAG, FIELD(slow), NULL, "also tUCB of 5,000 tasks, and threads", 0, 0},
    {"label", 'l', CLI_TEXT, FIELD(label), "TEXT", "stored with the results, such as a commit", 0,
     0},
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT", "table (default), csv or json", 0, 0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FILE", "write to FILE (default '-': standard output)", 0,
     0},
    {"save", 0, CLI_TEXT, FIELD(save), "FILE", "also write the results to FILE, as JSON", 0, 0},
    {"quiet", 'q', CLI_FLAG, FIELD(quiet), NULL, "no progress bar", 0, 0},
};

/* The command under way; it owns the results. */
typedef struct bench {
    settings set;
    cli_format format;
    size_t count;
    segue_bench_result *measured;
    struct utsname machine;
    char processor[80]; /* its name, or nothing */
} bench;

/* ---- printing ---------------------------------------------------------------------------- */

static const segue_bench_result *result_of(const void *data, size_t row)
{
    return &((const bench *)data)->measured[row];
}

static cli_value get_name(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_text(result_of(data, row)->name);
}

static cli_value get_unit(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_text(result_of(data, row)->unit);
}

/* Give median, spread, ratio, its spread, or the share of the limit. */
static cli_value get_number(const void *data, size_t row, size_t index)
{
    const segue_bench_result *m = result_of(data, row);
    const double numbers[] = {m->median, m->spread, m->ratio, m->ratio_spread, m->of_limit};
    return cli_value_number(numbers[index]);
}

/* Give the median with two decimals, or none where it is long. */
static cli_value get_median_text(const void *data, size_t row, size_t index)
{
    const double median = result_of(data, row)->median;
    (void)index;
    return isfinite(median) ? cli_value_format("%.*f", median < 1000.0 ? 2 : 0, median)
                            : cli_value_text("-");
}

/* The spread is the distance of the quartiles, as a share of the median. */
static cli_value get_spread_text(const void *data, size_t row, size_t index)
{
    (void)index;
    return cli_value_format("%.0f %%", 100.0 * result_of(data, row)->spread);
}

/* Give the smallest ratio that is required, on the paper's models. */
static cli_value get_required(const void *data, size_t row, size_t index)
{
    const double required = result_of(data, row)->must;
    (void)index;
    return cli_value_number(required > 0.0 && !((const bench *)data)->set.models ? required : NAN);
}

static const cli_column columns[] = {
    {"benchmark", "name", "benchmark", .get = get_name},
    {"unit", "unit", NULL, .get = get_unit},
    {"ns", "ns", NULL, .get = get_number, .index = 0},
    {NULL, NULL, "ns", .get = get_median_text},
    {NULL, NULL, "unit", .get = get_unit},
    {"spread", "spread", NULL, .get = get_number, .index = 1},
    {NULL, NULL, "spread", .get = get_spread_text},
    {"ratio", "ratio", "ratio", .get = get_number, .digits = 1, .index = 2},
    {NULL, "ratio_spread", NULL, .get = get_number, .index = 3},
    {NULL, NULL, "asked", .get = get_required, .digits = 1},
    {"of_limit", "of_limit", "of limit", .get = get_number, .digits = 3, .index = 4},
};

static segue_status print_table(const void *data, FILE *out, segue_error *err)
{
    const bench *b = data;
    const cli_columns rows = CLI_COLUMNS(columns, b, b->count);
    fprintf(out, "CPU time of one thread, median of %zu interleaved rounds (segue %s, %s)\n\n",
            (size_t)b->set.rounds, segue_version(), segue_version_build());
    return cli_columns_print_table(&rows, CLI_FIT_ANY_WIDTH, NULL, out, cli_output_bold(b->set.out),
                                   err);
}

static void print_csv(const void *data, FILE *out)
{
    const bench *b = data;
    const cli_columns rows = CLI_COLUMNS(columns, b, b->count);
    cli_columns_print_csv(&rows, out);
}

/* Machine and processor make results of several machines comparable. */
static json_t *make_json(const void *data)
{
    const bench *b = data;
    const cli_columns rows = CLI_COLUMNS(columns, b, b->count);
    const cli_field fields[] = {
        {"version", cli_value_text(segue_version())},
        {"build", cli_value_text(segue_version_build())},
        {"label", cli_value_text(b->set.label ? b->set.label : "")},
        {"machine", cli_value_text(b->machine.machine)},
        {"processor", cli_value_text(b->processor)},
        {"processors", cli_value_integer(cli_options_default_threads())},
        {"rounds", cli_value_integer(b->set.rounds)},
        {"benchmarks", cli_value_json(cli_columns_list(&rows))},
    };
    return CLI_OBJECT(fields);
}

static const cli_printers printers = {.table = print_table, .csv = print_csv, .json = make_json};

/* ---- running ----------------------------------------------------------------------------- */

/* A progress bar over rounds. */
typedef struct round_progress {
    cli_progress bar;
    double rounds;
} round_progress;

/* A round has no steps to count: the bar moves between rounds. */
static void show_round(void *context, size_t round)
{
    round_progress *p = context;
    cli_progress_part(&p->bar, "bench", (double)round / p->rounds, 1.0 / p->rounds);
    cli_progress_show(&p->bar, 0.0, 1.0);
}

/* Copy the processor's name from Linux's /proc/cpuinfo, if it is there. */
static void find_processor(char *name, size_t size)
{
    static const char key[] = "model name";
    char line[200];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || !colon)
            continue;
        (void)snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (file)
        (void)fclose(file);
}

/* Without --models the paper's models are measured: requirements hold for these alone. */
static segue_status measure(bench *b, segue_error *err)
{
    char path[CLI_PATH_SIZE];
    segue_models_file file = {.models = NULL};
    round_progress progress = {.rounds = (double)b->set.rounds};
    if (!b->set.models)
        SEGUE_TRY(cli_installed_files_find(path, "models/paper.csv", "--models", err));
    SEGUE_TRY(segue_models_file_read(&file, b->set.models ? b->set.models : path,
                                     SEGUE_MODELS_KNOWN, err));
    cli_progress_init(&progress.bar, b->set.quiet);
    const segue_status status =
        segue_bench_run(&b->measured, &b->count, file.models, (size_t)b->set.rounds, b->set.slow,
                        show_round, &progress, err);
    cli_progress_fini(&progress.bar);
    segue_models_file_fini(&file);
    return status;
}

/* All paths are checked before minutes of measurement. */
static segue_status init(bench *b, int argc, char **argv, segue_error *err)
{
    *b = (bench){.set = {.format = "table", .rounds = 5}};
    SEGUE_TRY(
        cli_options_parse(options, sizeof options / sizeof *options, argc, argv, &b->set, err));
    b->set.out = cli_output_path(b->set.out);
    SEGUE_TRY(cli_output_parse_format(b->set.format, &b->format, err));
    const cli_path paths[] = {
        {"out", b->set.out}, {"save", b->set.save}, {"models", b->set.models}};
    SEGUE_TRY(cli_output_check_paths(paths, 2, 3, err));
    (void)uname(&b->machine);
    find_processor(b->processor, sizeof b->processor);
    return SEGUE_OK;
}

/* The caller frees the results, also after an error. */
static segue_status measure_and_print(bench *b, segue_error *err)
{
    SEGUE_TRY(measure(b, err));
    SEGUE_TRY(cli_output_print(&printers, b, b->format, b->set.out, err));
    return b->set.save ? cli_output_print(&printers, b, CLI_JSON, b->set.save, err) : SEGUE_OK;
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    bench b;
    SEGUE_TRY(init(&b, argc, argv, err));
    const segue_status status = measure_and_print(&b, err);
    free(b.measured);
    return status;
}

const cli_command cli_command_bench = {
    .name = "bench",
    .summary = "measure the speed of kernels, plain forms and random numbers",
    .usage = "bench [OPTIONS]",
    .details = "Every kernel is timed next to the plain form of its policy, in interleaved\n"
               "rounds, on the paper's models.  'ratio' is the time of the plain form over that\n"
               "of the kernel ('rtp beside play': RTP over playing; '2 threads by 1': CPU time\n"
               "of one thread over that of two), 'asked' the smallest ratio that is required,\n"
               "'of limit' the steps per second as a share of the Bernoulli draws per second\n"
               "that one thread makes one by one.  Times depend on the machine; the ratios\n"
               "hardly do.\n\n"
               "examples:\n"
               "  segue bench\n"
               "  segue bench --save new.json --label \"$(git rev-parse --short HEAD)\"\n"
               "  bench/compare old.json new.json       what got slower\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
