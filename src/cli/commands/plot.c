/* plot.c - `segue plot`: figures of results that 'segue run' or 'segue simulate --curve' wrote.
 *
 * A file is read as JSON if it begins with a brace, else as CSV.  All files go into the same
 * figures, one per kind, so that experiments can be compared.  src/report/plot.c builds them; this
 * file reads options and files, and decides what is drawn where.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/output.h"
#include "experiment/experiment.h"
#include "io/policy_list.h"
#include "report/gnuplot.h"
#include "report/plot.h"
#include "segue/internal.h"

typedef struct settings {
    const char *kind, *track, *policy, *out, *format, *log;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)

static const cli_option options[] = {
    {"kind", 'k', CLI_TEXT, FIELD(kind), "KIND",
     "steps, tasks or models (default: all in the files)", 0, 0},
    {"track", 0, CLI_TEXT, FIELD(track), "TRACK", "what to follow over tasks (default regret)", 0,
     0},
    {"policy", 'p', CLI_TEXT, FIELD(policy), "LIST", "show only these policies, as typed", 0, 0},
    {"out", 'o', CLI_TEXT, FIELD(out), "PATH", "a folder, or a file .svg, .pdf, .png (default: .)",
     0, 0},
    {"format", 'f', CLI_TEXT, FIELD(format), "LIST", "of files: svg, pdf, png (default svg)", 0, 0},
    {"log", 0, CLI_TEXT, FIELD(log), "AXES", "logarithmic axes: x, y or xy", 0, 0},
};

/* A file that was read. */
typedef struct input {
    segue_results *results;
    segue_curve_file curve;
    char name[80];
} input;

typedef struct command {
    settings set;
    char *const *path; /* n_files */
    size_t n_files;
    input *input;          /* n_files */
    segue_plot_file *file; /* n_files */
    segue_policy_list policies;
    bool chosen[SEGUE_N_PLOT_KINDS];
    unsigned forms;
    bool is_file; /* --out names a file */
    segue_plot plot;
} command;

/* ---- options ----------------------------------------------------------------------------- */

static segue_status parse_kind(command *c, segue_error *err)
{
    for (size_t kind = 0; kind < SEGUE_N_PLOT_KINDS; kind++)
        if (!c->set.kind || strcmp(c->set.kind, segue_plot_kind_name((segue_plot_kind)kind)) == 0)
            c->chosen[kind] = true;
    for (size_t kind = 0; kind < SEGUE_N_PLOT_KINDS; kind++)
        if (c->chosen[kind])
            return SEGUE_OK;
    return segue_fail(err, SEGUE_ENAME, "--kind: is '%.40s'; need steps, tasks or models",
                      c->set.kind);
}

static segue_status parse_track(command *c, segue_error *err)
{
    char all[200] = "";
    for (size_t q = 0; q < SEGUE_N_TRACKS; q++) {
        const char *name = segue_cell_track_name((segue_track)q);
        const size_t used = strlen(all);
        (void)snprintf(all + used, sizeof all - used, "%s%s", q ? ", " : "", name);
        if (!c->set.track || strcmp(c->set.track, name) == 0) {
            c->plot.track = (segue_track)q;
            return SEGUE_OK;
        }
    }
    return segue_fail(err, SEGUE_ENAME, "--track: is '%.40s'; need one of %s", c->set.track, all);
}

static const struct {
    const char *name;
    segue_figure_form form;
} forms[] = {{"svg", SEGUE_FIGURE_SVG}, {"pdf", SEGUE_FIGURE_PDF}, {"png", SEGUE_FIGURE_PNG}};

/* Return the form with this name; 0: there is none. */
static unsigned find_form(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strlen(forms[i].name) == length && strncmp(name, forms[i].name, length) == 0)
            return forms[i].form;
    return 0;
}

static segue_status parse_format(command *c, segue_error *err)
{
    for (const char *at = c->set.format ? c->set.format : "svg";; at++) {
        const size_t length = strcspn(at, ",");
        const unsigned form = find_form(at, length);
        if (!form)
            return segue_fail(err, SEGUE_ENAME,
                              "--format: is '%.40s'; need a list of svg, pdf, png", c->set.format);
        c->forms |= form;
        at += length;
        if (*at == '\0')
            return SEGUE_OK;
    }
}

/* A path that ends with .svg, .pdf or .png, and is no folder, is a file. */
static segue_status parse_out(command *c, segue_error *err)
{
    struct stat about;
    const char *dot = strrchr(c->set.out, '.');
    const unsigned form = dot ? find_form(dot + 1, strlen(dot + 1)) : 0;
    c->is_file = form && !(stat(c->set.out, &about) == 0 && S_ISDIR(about.st_mode));
    if (!c->is_file)
        return SEGUE_OK;
    if (c->set.format && c->forms != form)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--out names one file of another format than --format; give one of both");
    c->forms = form;
    return SEGUE_OK;
}

static segue_status parse_log(command *c, segue_error *err)
{
    const char *text = c->set.log ? c->set.log : "";
    if (c->set.log && strcmp(text, "x") != 0 && strcmp(text, "y") != 0 && strcmp(text, "xy") != 0)
        return segue_fail(err, SEGUE_ENAME, "--log: is '%.40s'; need x, y or xy", text);
    c->plot.log_x = strchr(text, 'x') != NULL;
    c->plot.log_y = strchr(text, 'y') != NULL;
    return SEGUE_OK;
}

static segue_status check_settings(command *c, segue_error *err)
{
    if (c->n_files == 0)
        return segue_fail(err, SEGUE_EUSAGE, "give a file of results; see 'segue help plot'");
    SEGUE_TRY(parse_kind(c, err));
    SEGUE_TRY(parse_track(c, err));
    SEGUE_TRY(parse_format(c, err));
    SEGUE_TRY(parse_log(c, err));
    SEGUE_TRY(parse_out(c, err));
    if (c->set.policy)
        SEGUE_TRY(segue_policy_list_parse(&c->policies, c->set.policy, err));
    c->plot.policy = c->policies.text;
    c->plot.n_policies = c->policies.count;
    return segue_gnuplot_check(err);
}

/* ---- files ------------------------------------------------------------------------------- */

static segue_status is_json(const char *path, bool *json, segue_error *err)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_path_tail(path),
                          strerror(errno));
    int c = fgetc(file);
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t')
        c = fgetc(file);
    (void)fclose(file);
    *json = c == '{';
    return SEGUE_OK;
}

/* Take the name of the file without folder and ending. */
static void name_by_path(input *in, const char *path)
{
    const char *slash = strrchr(path, '/');
    (void)snprintf(in->name, sizeof in->name, "%.70s", slash ? slash + 1 : path);
    char *dot = strrchr(in->name, '.');
    if (dot && dot != in->name)
        *dot = '\0';
    for (char *p = in->name; *p; p++) /* it is part of a script's text */
        if (strchr("'\"\\%", *p) || (unsigned char)*p < ' ')
            *p = '-';
}

static segue_status read_file(command *c, size_t i, segue_error *err)
{
    input *in = &c->input[i];
    bool json = false;
    SEGUE_TRY(is_json(c->path[i], &json, err));
    name_by_path(in, c->path[i]);
    if (!json) {
        SEGUE_TRY(segue_curve_file_read(&in->curve, c->path[i], err));
        c->file[i] = (segue_plot_file){.name = in->name, .curve = &in->curve};
        return SEGUE_OK;
    }
    SEGUE_TRY(segue_results_read(&in->results, c->path[i], err));
    c->file[i] = (segue_plot_file){.name = in->name, .results = in->results};
    return SEGUE_OK;
}

static segue_status read_files(command *c, segue_error *err)
{
    c->input = calloc(c->n_files, sizeof *c->input);
    c->file = calloc(c->n_files, sizeof *c->file);
    if (!c->input || !c->file)
        return segue_fail_no_memory(err, "the files");
    for (size_t i = 0; i < c->n_files; i++)
        SEGUE_TRY(read_file(c, i, err));
    c->plot.n_files = c->n_files;
    c->plot.file = c->file;
    return SEGUE_OK;
}

static void release(command *c)
{
    for (size_t i = 0; c->input && i < c->n_files; i++) {
        segue_results_destroy(c->input[i].results);
        segue_curve_file_fini(&c->input[i].curve);
    }
    free(c->input);
    free(c->file);
    segue_policy_list_fini(&c->policies);
}

/* ---- choice ------------------------------------------------------------------------------ */

/* Fail because the files lack the data of a figure, and say how to get them. */
static segue_status lacks(const command *c, segue_plot_kind kind, segue_error *err)
{
    static const char *const needs[SEGUE_N_PLOT_KINDS] = {
        "two or more numbers of steps: 'segue run' with a list in 'steps'",
        "points over tasks: 'segue run' with 'every', of policies that have the track",
        "regret by model: results of 'segue run' whose tasks have models"};
    return segue_fail(err, SEGUE_EDOMAIN, "%s%s: lacks %s", segue_path_tail(c->path[0]),
                      c->n_files > 1 ? " and the other files" : "", needs[kind]);
}

/* Without --kind, draw what there is. */
static segue_status choose_kinds(command *c, segue_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < c->plot.n_policies; i++)
        if (!segue_plot_has_policy(&c->plot, c->plot.policy[i]))
            return segue_fail(err, SEGUE_ENAME, "--policy: no result is of '%.60s', as typed",
                              c->plot.policy[i]);
    for (size_t kind = 0; kind < SEGUE_N_PLOT_KINDS; kind++) {
        if (!c->chosen[kind])
            continue;
        c->chosen[kind] = segue_plot_has(&c->plot, (segue_plot_kind)kind);
        if (!c->chosen[kind] && c->set.kind)
            return lacks(c, (segue_plot_kind)kind, err);
        count += c->chosen[kind];
    }
    if (count == 0)
        return lacks(c, c->set.track ? SEGUE_PLOT_TASKS : SEGUE_PLOT_STEPS, err);
    if (c->is_file && count > 1)
        return segue_fail(err, SEGUE_EUSAGE,
                          "--out names one file, and there are %zu figures; choose one with --kind",
                          count);
    return SEGUE_OK;
}

/* ---- drawing ----------------------------------------------------------------------------- */

/* Protect what is read: a figure must not replace it. */
static segue_status check_out(const command *c, segue_error *err)
{
    for (size_t i = 0; i < c->n_files && c->is_file; i++)
        if (segue_path_is_same_file(c->set.out, c->path[i]))
            return segue_fail(err, SEGUE_EUSAGE,
                              "%s: the figure would overwrite it; name another file with --out",
                              segue_path_tail(c->path[i]));
    return c->is_file ? SEGUE_OK : segue_experiment_make_folder(c->set.out, err);
}

static segue_status draw_file(const command *c, segue_figure *figure, segue_error *err)
{
    SEGUE_TRY(segue_figure_draw_temporary(figure, c->forms, err));
    const segue_bytes *b = c->forms == SEGUE_FIGURE_SVG ? &figure->wide : &figure->other;
    return segue_atomic_file_write(c->set.out, b->data, b->size, err);
}

/* Print the paths of the files, so that a script can use them. */
static void print_paths(const command *c, const char *name, FILE *out)
{
    if (c->is_file)
        fprintf(out, "%s\n", c->set.out);
    for (size_t i = 0; i < sizeof forms / sizeof *forms && !c->is_file; i++)
        if (c->forms & forms[i].form)
            fprintf(out, "%s/%s.%s\n", c->set.out, name, forms[i].name);
}

static segue_status draw_kind(const command *c, segue_plot_kind kind, FILE *out, segue_error *err)
{
    char name[120];
    const char *base = c->n_files > 1 ? "plot" : c->file[0].name;
    (void)snprintf(name, sizeof name, "%.80s-%s", base, segue_plot_kind_name(kind));
    segue_figure figure = segue_plot_figure(&c->plot, kind, name);
    const segue_status status = c->is_file
                                    ? draw_file(c, &figure, err)
                                    : segue_figure_draw_forms(&figure, c->set.out, c->forms, err);
    segue_figure_fini(&figure);
    if (status == SEGUE_OK)
        print_paths(c, name, out);
    return status;
}

static segue_status draw_all(const command *c, segue_error *err)
{
    segue_output output;
    SEGUE_TRY(check_out(c, err));
    segue_status status = segue_output_init(&output, err);
    for (size_t kind = 0; kind < SEGUE_N_PLOT_KINDS && status == SEGUE_OK; kind++)
        if (c->chosen[kind])
            status = draw_kind(c, (segue_plot_kind)kind, output.stream, err);
    if (status == SEGUE_OK)
        status = cli_output_send(&output, NULL, err);
    segue_output_fini(&output);
    return status;
}

static segue_status run_with(command *c, segue_error *err)
{
    SEGUE_TRY(check_settings(c, err));
    SEGUE_TRY(read_files(c, err));
    SEGUE_TRY(choose_kinds(c, err));
    return draw_all(c, err);
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    command c = {.set = {.out = "."}};
    SEGUE_TRY(cli_options_parse_operands(options, sizeof options / sizeof *options, argc, argv,
                                         &c.set, &c.path, &c.n_files, err));
    const segue_status status = run_with(&c, err);
    release(&c);
    return status;
}

const cli_command cli_command_plot = {
    .name = "plot",
    .summary = "draw figures of results: SVG, PDF, PNG",
    .usage = "plot FILE... [OPTIONS]",
    .details = "FILE is NAME.json of 'segue run', or the CSV file of 'segue simulate --curve'.\n"
               "The figures are drawn by the code that draws the paper's, with gnuplot:\n\n"
               "  steps    regret against n, for results with several numbers of steps\n"
               "  tasks    regret from task to task, for curves and results with 'every';\n"
               "           --track follows another quantity of over_tasks ('segue help results')\n"
               "  models   regret by the true model of the tasks\n\n"
               "Bands and bars are 95 %.  Several files go into the same figures.  A folder gets\n"
               "NAME-KIND.svg and so on, with the data, NAME-KIND.csv, and the gnuplot script,\n"
               "NAME-KIND.gp; of several files NAME is 'plot'.  The paths are printed.\n\n"
               "examples:\n"
               "  segue plot lengths.json\n"
               "  segue plot ours.json tucb-tasks.json --kind tasks --log xy --out figure.pdf\n"
               "  segue plot tucb-tasks.json --kind tasks --track error --format svg,png\n"
               "  segue simulate --models set.csv --policy ts,tts --tasks 200 --curve c.csv\n"
               "  segue plot c.csv --policy tts --out tts.png\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
