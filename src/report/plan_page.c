/* plan_page.c - a plan as an HTML page with its figure.
 *
 * The page depends on the plan alone, not on time, host or speed: same seed, same bytes.  `segue
 * plan --html` calls segue_plan_page_write.  The figure has the power of each control share over the
 * number of tasks, with its intervals.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/plan_page.h"

#include <inttypes.h>
#include <math.h>

#include "io/output.h"
#include "report/html.h"
#include "segue/internal.h"

/* ---- the figure -------------------------------------------------------------------------- */

static segue_figure make_figure(const segue_plan_result *result)
{
    segue_figure figure = segue_figure_init("plan-power", "tasks", "power");
    figure.log_x = true;
    figure.y_max = 1.0;
    for (size_t i = SEGUE_N_PLAN_SHARES; i-- > 0;) {
        segue_figure_begin_series(&figure, SEGUE_SERIES_LINE, SEGUE_N_PLAN_SHARES - 1 - i,
                                  "%.0f %% control tasks", 100.0 * result->share[i].control);
        for (size_t row = 0; row < result->n_rows; row++) {
            const segue_interval *power = &result->row[row].power[i];
            segue_figure_add_range(&figure, (double)result->row[row].tasks, power->value,
                                   power->low, power->high);
        }
    }
    return figure;
}

static segue_status put_figure(const segue_plan_page *page, const char *figures, FILE *out,
                               segue_error *err)
{
    segue_figure figure = make_figure(page->result);
    return segue_html_figure(
        out, &figure, figures,
        "The probability that the comparison with control tasks has shown a gain by then, with "
        "95 % intervals.",
        err);
}

/* ---- tables ------------------------------------------------------------------------------ */

/* Show three digits of an amount below 100. */
static void put_interval(FILE *out, const segue_interval *x)
{
    const int decimals = fabs(x->value) < 10.0 ? 2 : fabs(x->value) < 100.0 ? 1 : 0;
    segue_html_cell(out, "%.*f (%.*f .. %.*f)", decimals, x->value, decimals, x->low, decimals,
                    x->high);
}

static void put_gains(const segue_plan_result *result, FILE *out)
{
    static const char *const headings[] = {"tasks", "over ts", "over la", "over a prior per arm",
                                           NULL};
    segue_html_table_begin(
        out, "Total gain in reward after that number of tasks, with 95 % intervals.", headings);
    for (size_t i = 0; i < result->n_rows; i++) {
        if (!result->row[i].round)
            continue;
        segue_html_row(out);
        segue_html_cell(out, "%" PRIu64, result->row[i].tasks);
        for (size_t other = 0; other < SEGUE_PLAN_LEARNER; other++)
            put_interval(out, &result->row[i].total[other]);
    }
    segue_html_table_end(out);
}

/* An infinite end prints as "more". */
static void put_tasks(FILE *out, const segue_interval *tasks)
{
    if (!isfinite(tasks->value))
        segue_html_cell(out, "more");
    else if (!isfinite(tasks->high))
        segue_html_cell(out, "%.0f (%.0f or more)", tasks->value, tasks->low);
    else
        segue_html_cell(out, "%.0f (%.0f .. %.0f)", tasks->value, tasks->low, tasks->high);
}

static void put_shares(const segue_plan_result *result, FILE *out)
{
    static const char *const headings[] = {"control tasks", "tasks for 80 % power",
                                           "reward that the control tasks cost", NULL};
    segue_html_table_begin(out, "Control experiments that show a gain over ts.", headings);
    for (size_t i = 0; i < SEGUE_N_PLAN_SHARES; i++) {
        const segue_plan_share *share = &result->share[i];
        segue_html_row(out);
        segue_html_cell(out, "%.0f %%", 100.0 * share->control);
        put_tasks(out, &share->tasks);
        if (isfinite(share->lost))
            segue_html_cell(out, "%.1f", share->lost);
        else
            segue_html_cell(out, "-");
    }
    segue_html_table_end(out);
}

/* ---- the page ---------------------------------------------------------------------------- */

static segue_status print_page(const segue_plan_page *page, const char *figures, FILE *out,
                               segue_error *err)
{
    segue_html_begin(out, "When does transfer pay, and how to show it?");
    segue_html_verdict(out, page->result->recommended < SEGUE_N_PLAN_SHARES ? "holds" : "unclear",
                       page->result->text);
    segue_html_heading(out, 2, "power", "A control experiment");
    SEGUE_TRY(put_figure(page, figures, out, err));
    put_shares(page->result, out);
    segue_html_heading(out, 2, "gains", "Gains");
    put_gains(page->result, out);
    segue_html_heading(out, 2, "method", "How it was computed");
    segue_html_p(out, "%s", page->tasks);
    segue_html_p(out,
                 "%" PRIu64 " runs of %" PRIu64 " tasks were simulated. Later tasks are redrawn "
                 "from the second half of these, as if nothing more were learned. Intervals are "
                 "over runs.",
                 page->config->runs, page->config->simulated);
    segue_html_p(out, "This command writes the same bytes again:");
    segue_html_command(out, "%s", page->command);
    segue_html_end(out);
    return SEGUE_OK;
}

segue_status segue_plan_page_write(const segue_plan_page *page, const char *path,
                                   const char *figures, segue_error *err)
{
    segue_output output;
    SEGUE_TRY(segue_output_init(&output, err));
    segue_status status = print_page(page, figures, output.stream, err);
    if (status == SEGUE_OK)
        status = segue_output_write(&output, path, err);
    segue_output_fini(&output);
    return status;
}
