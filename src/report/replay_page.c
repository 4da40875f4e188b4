/* replay_page.c - the result of a replay as a self-contained HTML page.
 *
 * The page depends on the result alone, not on time, host or speed: same seed, same bytes. `segue
 * replay --html` calls segue_replay_page_write. Figures are drawn into a folder of the user's, or leave
 * no files.
 *
 * Curves show means over blocks of tasks. Blocks begin with 10 tasks and grow by a quarter, which
 * gives points of equal distance on a logarithmic axis.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/replay_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/output.h"
#include "io/shell.h"
#include "replay/yearly.h"
#include "report/html.h"
#include "segue/internal.h"

#define BLOCK      10   /* smallest number of tasks per point of a curve */
#define GROWTH     1.25 /* ratio of the ends of two blocks */
#define NAMED_ARMS 20   /* with more arms, the axis has numbers */

typedef struct page {
    const segue_replay_result *result;
    const char *folder; /* where figures are drawn; NULL: no files of them */
    FILE *out;
} page;

/* ---- figures ----------------------------------------------------------------------------- */

static segue_status put_figure(const page *p, segue_figure *figure, const char *caption,
                               segue_error *err)
{
    return segue_html_figure(p->out, figure, p->folder, caption, err);
}

/* Return the end of the block of tasks from `first`; a short rest joins the last block. */
static size_t block_end(const segue_replay_result *result, size_t first)
{
    const size_t grown = (size_t)(GROWTH * (double)first);
    const size_t end = grown > first + BLOCK ? grown : first + BLOCK;
    return end + BLOCK / 2 < result->n_played ? end : result->n_played;
}

/* Return the mean of the known points of a curve in a block. */
static double block_mean(const double *curve, size_t first, size_t end)
{
    double sum = 0.0, count = 0.0;
    for (size_t i = first; i < end; i++)
        if (isfinite(curve[i])) {
            sum += curve[i];
            count += 1.0;
        }
    return count > 0.0 ? sum / count : NAN;
}

/* Add a curve in blocks, minus the curve `less` unless that is NULL. */
static void add_curve(segue_figure *figure, const segue_replay_result *result, size_t style,
                      const char *name, const double *curve, const double *less)
{
    segue_figure_begin_series(figure, SEGUE_SERIES_LINE, style, "%s", name);
    for (size_t first = 0, end = 0; first < result->n_played; first = end) {
        end = block_end(result, first);
        const double base = less ? block_mean(less, first, end) : 0.0;
        segue_figure_add_point(figure, 0.5 * (double)(first + 1 + end),
                               block_mean(curve, first, end) - base, NAN);
    }
}

/* Draw each candidate minus ts, which is the zero line. The fixed arm is not a learner and is
 * skipped. */
static segue_status draw_gains(const page *p, segue_error *err)
{
    const segue_replay_result *result = p->result;
    segue_figure figure = segue_figure_init("replay-gain", "tasks met", "reward per step above ts");
    figure.log_x = true;
    figure.more = "set yrange [*:*]\nset xzeroaxis linetype 1 linecolor rgb '#888888'";
    for (size_t i = 0; i < result->n_candidates; i++)
        if (i != result->ts && i != result->fixed_arm)
            add_curve(&figure, result, i, result->candidate[i].name, result->candidate[i].reward,
                      result->candidate[result->ts].reward);
    return put_figure(
        p, &figure,
        "The gain of each over ts, which transfers nothing from task to task, as tasks "
        "are met; averages over ten tasks, and later more.",
        err);
}

/* True unless it is a bad fixed arm, which would compress the other curves. */
static bool is_near(const segue_replay_result *result, size_t candidate)
{
    return candidate != result->fixed_arm ||
           result->candidate[candidate].metric[SEGUE_METRIC_REGRET].value <
               2.0 * result->candidate[result->ts].metric[SEGUE_METRIC_REGRET].value;
}

/* A log with few rewards per arm and task does not show each task's best arm. */
static bool shows_regret(const segue_replay_result *result)
{
    return isfinite(result->best_arms.value);
}

static segue_status draw_regret(const page *p, segue_error *err)
{
    const segue_replay_result *result = p->result;
    segue_figure figure = segue_figure_init("replay-regret", "tasks met", "regret per step");
    figure.log_x = true;
    for (size_t i = 0; i < result->n_candidates; i++)
        if (is_near(result, i))
            add_curve(&figure, result, i, result->candidate[i].name, result->candidate[i].regret,
                      NULL);
    return put_figure(
        p, &figure,
        "Regret per step against each task's best arm, as tasks are met; averages over "
        "the same tasks.",
        err);
}

/* Label the axis with the names of the arms, in gnuplot commands. */
static void name_arms(const segue_replay_result *result, segue_output *output)
{
    fputs("set yrange [*:*]\n", output->stream);
    if (result->n_arms <= NAMED_ARMS)
        segue_figure_print_tics(output->stream, result->arm_name, result->n_arms);
}

/* `lines` holds gnuplot commands, which the figure borrows until it is drawn. */
static segue_status draw_types(const page *p, segue_error *err)
{
    const segue_replay_result *result = p->result;
    segue_output lines;
    segue_status status = segue_output_init(&lines, err);
    if (status != SEGUE_OK)
        return status;
    name_arms(result, &lines);
    segue_figure figure = segue_figure_init("replay-types", "arm", "mean reward");
    for (size_t q = 0; q < result->types.count; q++) {
        segue_figure_begin_series(&figure, SEGUE_SERIES_LINE_POINTS, q,
                                  "type %zu (%.0f %% of tasks)", q + 1,
                                  100.0 * result->types.type[q].weight);
        for (size_t arm = 0; arm < result->n_arms; arm++)
            segue_figure_add_point(&figure, (double)arm + 1.0, result->types.type[q].mean[arm],
                                   NAN);
    }
    status = segue_output_finish(&lines, err);
    figure.more = lines.data;
    if (status == SEGUE_OK)
        status = put_figure(p, &figure, "The mean reward of each arm in tasks of each type.", err);
    else
        segue_figure_fini(&figure);
    segue_output_fini(&lines);
    return status;
}

/* ---- tables ------------------------------------------------------------------------------ */

/* Print a value with its interval, or a dash if there is none. */
static void put_range(FILE *out, const segue_interval *range, double scale, int decimals,
                      const char *unit)
{
    if (isfinite(range->low))
        fprintf(out, "<td>%.*f%s<br>(%.*f .. %.*f)</td>", decimals, scale * range->value, unit,
                decimals, scale * range->low, decimals, scale * range->high);
    else
        segue_html_cell(out, "-");
}

/* Gains are shares of the other's reward, and print in per cent. */
static void put_results(const page *p)
{
    static const char *const headings[] = {
        "",        "carries",       "reward per step",   "regret per task",
        "over ts", "over ts-prior", "over the best arm", "gap closed",
        NULL};
    const segue_replay_result *result = p->result;
    segue_html_table_begin(
        p->out, "Results of each policy on the scored tasks, with 95 % intervals.", headings);
    for (size_t i = 0; i < result->n_candidates; i++) {
        const segue_interval *metric = result->candidate[i].metric;
        segue_html_row(p->out);
        segue_html_cell(p->out, "%s", result->candidate[i].name);
        segue_html_cell(p->out, "%s",
                        segue_replay_result_transfer_text(result->candidate[i].transfer));
        put_range(p->out, &metric[SEGUE_METRIC_REWARD], 1.0, 3, "");
        put_range(p->out, &metric[SEGUE_METRIC_REGRET], 1.0, 2, "");
        put_range(p->out, &metric[SEGUE_METRIC_GAIN_OVER_TS], 100.0, 1, " %");
        put_range(p->out, &metric[SEGUE_METRIC_GAIN_OVER_PRIOR], 100.0, 1, " %");
        put_range(p->out, &metric[SEGUE_METRIC_GAIN_OVER_FIXED], 100.0, 1, " %");
        put_range(p->out, &metric[SEGUE_METRIC_GAP_CLOSED], 100.0, 0, " %");
    }
    segue_html_table_end(p->out);
    if (shows_regret(result))
        segue_html_p(
            p->out,
            "Knowing each task's best arm would have paid %.3f per step (%.3f .. %.3f); the "
            "log itself had %.3f. The gap is between ts and that.",
            result->best_arms.value, result->best_arms.low, result->best_arms.high, result->logged);
    else
        segue_html_p(p->out,
                     "The log itself had %.3f per step. It has too few rewards per arm and task to "
                     "show each task's best arm, and so no regret.",
                     result->logged);
}

static void put_types(const page *p)
{
    static const char *const headings[] = {"type",   "weight",        "tasks",
                                           "spread", "typical tasks", NULL};
    const segue_replay_result *result = p->result;
    segue_html_p(p->out,
                 "Fitted to all rows of %zu tasks. The means of tasks differ by %.2g (standard "
                 "deviation, average over arms), and within a type by its spread: types explain "
                 "%.0f %% of that variance. %.2g %% of the tasks fit no type.",
                 result->types.n_tasks, result->types.spread, 100.0 * result->types.explained,
                 100.0 * result->types.no_type);
    segue_html_table_begin(p->out, "The types, and the tasks nearest to them.", headings);
    for (size_t q = 0; q < result->types.count; q++) {
        const segue_replay_type *type = &result->types.type[q];
        segue_html_row(p->out);
        segue_html_cell(p->out, "%zu", q + 1);
        segue_html_cell(p->out, "%.3f", type->weight);
        segue_html_cell(p->out, "%.0f", type->tasks);
        segue_html_cell(p->out, "%.3f", type->spread);
        fputs("<td>", p->out);
        for (size_t i = 0; i < type->n_typical; i++)
            segue_html_text(p->out, "%s%s", i ? ", " : "", result->task_name[type->typical[i]]);
        fputs("</td>", p->out);
    }
    segue_html_table_end(p->out);
}

/* ---- texts ------------------------------------------------------------------------------- */

/* Classes are indexed by the conclusion of the result. */
static void put_verdict(const page *p)
{
    static const char *const classes[] = {"holds", "partly", "unclear", "unclear", "unclear"};
    segue_html_verdict(p->out, classes[p->result->conclusion], p->result->verdict);
    if (segue_yearly_is_known(&p->result->yearly)) {
        char text[SEGUE_YEARLY_TEXT_SIZE];
        segue_yearly_describe(p->result, text);
        segue_html_p(p->out, "%s", text);
    }
    for (size_t i = 0; i < p->result->n_warnings; i++)
        segue_html_p(p->out, "Warning: %s.", p->result->warning[i]);
}

/* Print a word of a shell command, quoted. */
static void put_word(const page *p, const char *word, bool is_file)
{
    char *quoted = segue_shell_quote(word, is_file);
    segue_html_text(p->out, " %s", quoted ? quoted : "...");
    free(quoted);
}

static void put_option(const page *p, const char *name, const char *word)
{
    segue_html_text(p->out, " %s", name);
    put_word(p, word, false);
}

/* Print the command with all defaults filled in: it repeats the page even if a default changes. */
static void put_command(const page *p)
{
    const segue_replay_result *result = p->result;
    fputs("<pre>segue replay --policy ", p->out);
    for (size_t i = 0; i < result->fixed_arm; i++)
        segue_html_text(p->out, "%s%s", i ? "," : "", result->candidate[i].name);
    segue_html_text(p->out, " --play %s", result->urn ? "urn" : "rows");
    if (result->urn)
        segue_html_text(p->out, " --replicates %" PRIu64, result->replicates);
    segue_html_text(p->out, " --order %s --steps %" PRIu64 " --runs %" PRIu64 " --seed %" PRIu64,
                    result->order, result->steps, result->runs, result->seed);
    if (result->holdout)
        put_option(p, "--holdout", result->holdout);
    else
        segue_html_text(p->out, " --from %zu", result->first_scored);
    if (segue_yearly_is_known(&result->yearly))
        segue_html_text(p->out, " --value %.17g --tasks-per-day %.17g", result->yearly.value,
                        result->yearly.tasks_per_day);
    segue_html_text(p->out, "%s", result->log_options ? result->log_options : "");
    if (strcmp(result->path, SEGUE_STANDARD_INPUT) == 0)
        fputs(" -", p->out);
    else
        put_word(p, result->path, true);
    fputs("</pre>\n", p->out);
}

void segue_replay_page_print_method(const segue_replay_result *result, FILE *out)
{
    if (result->urn)
        fprintf(
            out,
            "Urn: a pull receives the task's next logged reward of that arm; after the last\n"
            "one, a reward drawn by %zu fitted type%s.  Logged rewards answered %.0f %% of the\n"
            "pulls of %s.",
            result->n_fitted_types, result->n_fitted_types == 1 ? "" : "s",
            100.0 * result->candidate[result->use].logged, result->candidate[result->use].name);
    else if (result->thinned)
        fprintf(out,
                "Row replay: a pull is answered by the next row of the task with that arm; by the\n"
                "logged probabilities, %.3g %% of the rows may answer.",
                100.0 * result->rows_accepted);
    else
        fputs(
            "Row replay: a pull is answered by the next row of the task with that arm, as if the\n"
            "log had drawn all arms uniformly.",
            out);
}

/* Say what the intervals contain. */
static void put_intervals(const page *p)
{
    if (p->result->urn)
        segue_html_p(
            p->out,
            "Intervals are from %" PRIu64
            " replicates of the log: its tasks, drawn with replacement, "
            "and played under types that these tasks allow. They contain the luck of the logged "
            "rewards, of the sample of tasks, and of the play. They do not contain how far any "
            "such types are from the truth.",
            p->result->replicates);
    else
        segue_html_p(p->out, "Intervals are from a paired bootstrap over tasks.");
}

static void put_method(const page *p)
{
    const segue_replay_result *result = p->result;
    segue_html_heading(p->out, 2, "method", "How it was played");
    fputs("<p>", p->out);
    segue_replay_page_print_method(result, p->out);
    fputs("</p>\n", p->out);
    put_intervals(p);
    segue_html_p(p->out,
                 "The log has %zu rewards of %zu tasks and %zu arms. Order "
                 "of the tasks: %s. %" PRIu64 " steps per task, %" PRIu64 " runs.",
                 result->n_rows, result->n_tasks, result->n_arms, result->order, result->steps,
                 result->runs);
    if (result->n_learned < result->n_played)
        segue_html_p(p->out,
                     "Scored: the %zu tasks whose names match '%s', met with what was "
                     "learned on the %zu others.",
                     result->n_played - result->n_learned, result->holdout, result->n_learned);
    else
        segue_html_p(p->out, "Scored: tasks %zu to %zu of the order.", result->first_scored,
                     result->n_played);
    segue_html_p(p->out, "This command writes the same bytes again:");
    put_command(p);
}

/* ---- the page ---------------------------------------------------------------------------- */

static segue_status print_page(const page *p, segue_error *err)
{
    segue_html_begin(p->out, "What would transfer have given?");
    put_verdict(p);
    segue_html_heading(p->out, 2, "results", "Results");
    put_results(p);
    segue_html_heading(p->out, 2, "curve", "As tasks are met");
    SEGUE_TRY(draw_gains(p, err));
    if (shows_regret(p->result))
        SEGUE_TRY(draw_regret(p, err));
    if (p->result->types.count > 0) {
        segue_html_heading(p->out, 2, "types", "The types of the tasks");
        put_types(p);
        SEGUE_TRY(draw_types(p, err));
    }
    put_method(p);
    segue_html_end(p->out);
    return SEGUE_OK;
}

segue_status segue_replay_page_write(const segue_replay_result *result, const char *path,
                                     const char *figures, segue_error *err)
{
    segue_output output;
    SEGUE_TRY(segue_output_init(&output, err));
    const page p = {.result = result, .folder = figures, .out = output.stream};
    segue_status status = print_page(&p, err);
    if (status == SEGUE_OK)
        status = segue_output_write(&output, path, err);
    segue_output_fini(&output);
    return status;
}
