/* plot_page.c - the results of an experiment as a small HTML page, for 'segue run --html'.
 *
 * The page has the figures of plot.c as far as the results have data for them, then a table of all
 * cells.  It depends on the results alone: same results, same bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/plot_page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "io/output.h"
#include "report/html.h"
#include "report/plot.h"
#include "segue/internal.h"

static segue_status print_figure(FILE *out, const segue_plot *plot, segue_plot_kind kind,
                                 segue_error *err)
{
    char name[80];
    (void)snprintf(name, sizeof name, "%.60s-%s", plot->file->results->name,
                   segue_plot_kind_name(kind));
    segue_figure figure = segue_plot_figure(plot, kind, name);
    return segue_html_figure(out, &figure, NULL, segue_plot_caption(kind), err);
}

static segue_status print_figures(FILE *out, const segue_results *results, segue_error *err)
{
    const segue_plot_file file = {.name = results->name, .results = results};
    const segue_plot plot = {.n_files = 1, .file = &file, .track = SEGUE_TRACK_REGRET};
    for (size_t kind = 0; kind < SEGUE_N_PLOT_KINDS; kind++)
        if (segue_plot_has(&plot, (segue_plot_kind)kind))
            SEGUE_TRY(print_figure(out, &plot, (segue_plot_kind)kind, err));
    return SEGUE_OK;
}

static void print_intro(FILE *out, const segue_results *results)
{
    segue_html_p(out, "Made by segue %s with seed %" PRIu64 "%s%s%s. Regret is per task.",
                 results->version, results->seed, *results->variant ? ", variant '" : "",
                 results->variant, *results->variant ? "'" : "");
}

static void print_number(FILE *out, double x)
{
    if (isfinite(x))
        segue_html_cell(out, "%.4g", x);
    else
        segue_html_cell(out, "-");
}

static void print_cell(FILE *out, const segue_cell *cell)
{
    const double band = segue_cell_half_width(cell, cell->regret);
    segue_html_row(out);
    segue_html_cell(out, "%s", cell->policy);
    segue_html_cell(out, "%s", cell->environment);
    segue_html_cell(out, "%" PRIu64, cell->steps);
    if (cell->tasks)
        segue_html_cell(out, "%" PRIu64, cell->tasks);
    else
        segue_html_cell(out, "single");
    segue_html_cell(out, "%" PRIu64, cell->runs);
    print_number(out, cell->regret.mean);
    print_number(out, cell->regret.mean - band);
    print_number(out, cell->regret.mean + band);
}

static void print_table(FILE *out, const segue_results *results)
{
    static const char *const headings[] = {"policy", "environment", "steps", "tasks", "runs",
                                           "regret", "low",         "high",  NULL};
    segue_html_table_begin(
        out, "Regret per task with its 95 % interval. Runs of single tasks are of each model.",
        headings);
    for (size_t i = 0; i < results->n_cells; i++)
        print_cell(out, &results->cell[i]);
    segue_html_table_end(out);
}

segue_status segue_plot_page_write(const segue_results *results, const char *path, segue_error *err)
{
    segue_output output;
    SEGUE_TRY(segue_output_init(&output, err));
    segue_html_begin(output.stream, results->title);
    print_intro(output.stream, results);
    segue_status status = print_figures(output.stream, results, err);
    print_table(output.stream, results);
    segue_html_end(output.stream);
    if (status == SEGUE_OK)
        status = segue_output_write(&output, path, err);
    segue_output_fini(&output);
    return status;
}
