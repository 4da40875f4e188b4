/* bench.c - `segue bench`: speed on this machine, beside the random-number limit.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "bench/bench.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/share.h"
#include "cli/table.h"
#include "io/json_build.h"
#include "io/models_file.h"
#include "segue/version.h"

typedef struct settings {
    const char *models, *format, *out, *label, *save;
    uint64_t rounds;
    bool slow, quiet;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)

static const cli_option options[] = {
    {"models", 'm', CLI_TEXT, FIELD(models), "FILE", "play these (default: the paper's)", 0, 0},
    {"rounds", 'r', CLI_INTEGER, FIELD(rounds), "R", "interleaved rounds (default 5)", 1,
     SEGUE_MAX_ROUNDS},
    {"long", 'L', CLI_FLAG, FIELD(slow), NULL, "also tUCB of 5,000 tasks, and threads", 0, 0},
    {"label", 'l', CLI_TEXT, FIELD(label), "TEXT", "kept with the results, such as a commit", 0, 0},
    {"format", 'f', CLI_TEXT, FIELD(format), "FORMAT", "table (default), csv or json", 0, 0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FILE", "write there, not to the standard output ('-')", 0,
     0},
    {"save", 0, CLI_TEXT, FIELD(save), "FILE", "also keep them there, as JSON", 0, 0},
    {"quiet", 'q', CLI_FLAG, FIELD(quiet), NULL, "no progress bar", 0, 0},
};

typedef struct study {
    settings set;
    cli_format format;
    size_t count;
    segue_bench_result *measured;
    struct utsname machine;
    char processor[80]; /* its name, or nothing */
} study;

/* ---- printing ---------------------------------------------------------------------------- */

static segue_status print_table(const void *found, FILE *out, segue_error *err)
{
    static const char *const headings[] = {"benchmark", "ns",    "unit",    "spread",
                                           "ratio",     "asked", "of limit"};
    enum { COLUMNS = sizeof headings / sizeof *headings };
    const study *st = found;
    cli_table table;
    segue_status status = cli_table_init(&table, st->count + 1, COLUMNS, err);
    if (status != SEGUE_OK)
        return status;
    for (size_t c = 0; c < COLUMNS; c++)
        cli_table_set(&table, 0, c, "%s", headings[c]);
    for (size_t i = 0; i < st->count; i++) {
        const segue_bench_result *m = &st->measured[i];
        cli_table_set(&table, i + 1, 0, "%s", m->name);
        cli_table_number(&table, i + 1, 1, m->median, m->median < 1000.0 ? 2 : 0);
        cli_table_set(&table, i + 1, 2, "%s", m->unit);
        cli_table_set(&table, i + 1, 3, "%.0f %%", 100.0 * m->spread);
        cli_table_number(&table, i + 1, 4, m->ratio, 1);
        cli_table_number(&table, i + 1, 5, m->must > 0.0 && !st->set.models ? m->must : NAN, 1);
        cli_table_number(&table, i + 1, 6, m->of_limit, 3);
    }
    fprintf(out, "CPU time of one thread, median of %zu interleaved rounds (segue %s, %s)\n\n",
            (size_t)st->set.rounds, segue_version(), segue_version_build());
    status = cli_table_print(&table, COLUMNS, out, cli_output_bold(st->set.out), err);
    cli_table_fini(&table);
    return status;
}

static void print_csv(const void *found, FILE *out)
{
    const study *st = found;
    fputs("benchmark,unit,ns,spread,ratio,of_limit\n", out);
    for (size_t i = 0; i < st->count; i++) {
        const segue_bench_result *m = &st->measured[i];
        const double numbers[] = {m->median, m->spread, m->ratio, m->of_limit};
        segue_output_csv_text(out, m->name);
        fprintf(out, ",%s", m->unit);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            fputc(',', out);
            segue_output_csv_number(out, numbers[k]);
        }
        fputc('\n', out);
    }
}

static json_t *make_json(const void *found)
{
    const study *st = found;
    json_t *list = json_array();
    for (size_t i = 0; i < st->count; i++) {
        const segue_bench_result *m = &st->measured[i];
        list = segue_json_append(
            list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "name", m->name, "unit", m->unit,
                            "ns", segue_json_number(m->median), "spread",
                            segue_json_number(m->spread), "ratio", segue_json_number(m->ratio),
                            "ratio_spread", segue_json_number(m->ratio_spread), "of_limit",
                            segue_json_number(m->of_limit)));
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:o}", "version", segue_version(),
                     "build", segue_version_build(), "label", st->set.label ? st->set.label : "",
                     "machine", st->machine.machine, "processor", st->processor, "processors",
                     (json_int_t)cli_options_default_threads(), "rounds",
                     (json_int_t)st->set.rounds, "benchmarks", list);
}

static const cli_printers printers = {.table = print_table, .csv = print_csv, .json = make_json};

/* ---- running ----------------------------------------------------------------------------- */

typedef struct teller {
    cli_progress bar;
    double rounds;
} teller;

static void tell(void *context, size_t round)
{
    teller *t = context;
    cli_progress_part(&t->bar, "bench", (double)round / t->rounds, 1.0 / t->rounds);
    cli_progress_show(&t->bar, 0.0, 1.0);
}

/* The processor's name, where Linux tells it. */
static void find_processor(char *name, size_t size)
{
    char line[200];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", strlen("model name")) != 0 || !colon)
            continue;
        (void)snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (file)
        (void)fclose(file);
}

static segue_status measure(study *st, segue_error *err)
{
    char path[CLI_PATH_SIZE];
    segue_models_file file = {.models = NULL};
    teller t = {.rounds = (double)st->set.rounds};
    segue_status status = SEGUE_OK;
    if (!st->set.models)
        status = cli_share_find(path, "models/paper.csv", "--models", err);
    if (status == SEGUE_OK)
        status = segue_models_file_read(&file, st->set.models ? st->set.models : path,
                                        SEGUE_MODELS_KNOWN, err);
    cli_progress_init(&t.bar, st->set.quiet);
    if (status == SEGUE_OK)
        status = segue_bench_run(&st->measured, &st->count, file.models, (size_t)st->set.rounds,
                                 st->set.slow, tell, &t, err);
    cli_progress_fini(&t.bar);
    segue_models_file_fini(&file);
    return status;
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    study st = {.set = {.format = "table", .rounds = 5}};
    segue_status status =
        cli_options_parse(options, sizeof options / sizeof *options, argc, argv, &st.set, err);
    st.set.out = cli_output_path(st.set.out);
    if (status == SEGUE_OK)
        status = cli_output_parse_format(st.set.format, &st.format, err);
    const cli_path paths[] = {
        {"out", st.set.out}, {"save", st.set.save}, {"models", st.set.models}};
    if (status == SEGUE_OK)
        status = cli_output_check_paths(paths, 2, 3, err);
    (void)uname(&st.machine);
    find_processor(st.processor, sizeof st.processor);
    if (status == SEGUE_OK)
        status = measure(&st, err);
    if (status == SEGUE_OK)
        status = cli_output_print(&printers, &st, st.format, st.set.out, err);
    if (status == SEGUE_OK && st.set.save)
        status = cli_output_print(&printers, &st, CLI_JSON, st.set.save, err);
    free(st.measured);
    return status;
}

const cli_command cli_command_bench = {
    .name = "bench",
    .summary = "measures speed here: kernels, plain forms, random numbers",
    .usage = "bench [OPTIONS]",
    .details = "Every kernel is timed beside the plain form of its policy, in rounds that are\n"
               "interleaved, on the paper's models.  'ratio' tells how many times as long the\n"
               "plain form takes ('rtp beside play': as long as RTP playing takes; '2 threads by\n"
               "1': CPU time of one thread to that of two), 'asked' how many times it should at\n"
               "least, 'of limit' the steps a second as a share of the Bernoulli draws a second\n"
               "that one thread can make one by one.  Times depend on the machine; the ratios\n"
               "hardly do.\n\n"
               "examples:\n"
               "  segue bench\n"
               "  segue bench --save new.json --label \"$(git rev-parse --short HEAD)\"\n"
               "  bench/compare old.json new.json       what got slower\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
