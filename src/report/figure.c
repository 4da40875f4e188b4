/* figure.c - collect series of points; write them as CSV and a gnuplot script; draw them.
 *
 * A caller begins a series and adds its points; series and points grow in two arrays of the figure,
 * and a series refers to a range of the points. segue_figure_draw then writes NAME.csv and NAME.gp
 * and runs the script once per form. The script reads the CSV file, so that a user can change
 * either and draw again.
 *
 * Colours are those of Okabe and Ito (2008), which colour-blind readers can distinguish. Dashes and
 * markers differ too, so that a grey print can be read. A failed allocation sets `failed`, so that
 * callers add points without checks; segue_figure_draw reports it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "io/output.h"
#include "io/utf8.h"
#include "report/gnuplot.h"
#include "segue/internal.h"

/* Dash and marker are numbers of gnuplot's own lists (dashtype, pointtype). */
static const struct {
    const char *colour;
    int dash;
    int marker;
} styles[] = {
    {"#D55E00", 1, 7},  {"#E69F00", 2, 9},  {"#0072B2", 4, 11}, {"#009E73", 3, 13},
    {"#CC79A7", 5, 15}, {"#000000", 1, 2},  {"#56B4E9", 2, 6},  {"#7F7F7F", 3, 8},
    {"#8C510A", 4, 10}, {"#5E3C99", 5, 12},
};
#define N_STYLES (sizeof styles / sizeof *styles)

/* ---- collecting --------------------------------------------------------------------------- */

segue_figure segue_figure_init(const char *name, const char *x_label, const char *y_label)
{
    return (segue_figure){.name = name, .x_label = x_label, .y_label = y_label};
}

void segue_figure_fini(segue_figure *figure)
{
    for (size_t i = 0; i < figure->n_series; i++)
        free(figure->series[i].title);
    free(figure->series);
    free(figure->point);
    segue_bytes_fini(&figure->wide);
    segue_bytes_fini(&figure->narrow);
    segue_bytes_fini(&figure->other);
}

/* Grow a block for one more element; return it, or NULL with `failed` set. */
static void *grow(segue_figure *figure, void *block, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return block;
    const size_t more = *capacity ? 2 * *capacity : 16;
    void *larger = realloc(block, more * size);
    if (larger)
        *capacity = more;
    else
        figure->failed = true;
    return larger;
}

/* A long title is cut between two characters, so that it stays valid UTF-8. */
void segue_figure_begin_series(segue_figure *figure, segue_mark mark, size_t style,
                               const char *format, ...)
{
    char title[120];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(title, sizeof title, format, arguments);
    va_end(arguments);
    title[segue_utf8_prefix_length(title, sizeof title)] = '\0';
    segue_series *series =
        grow(figure, figure->series, figure->n_series, &figure->series_capacity, sizeof *series);
    if (!series)
        return;
    figure->series = series;
    char *copy = strdup(title);
    if (!copy) {
        figure->failed = true;
        return;
    }
    figure->series[figure->n_series++] = (segue_series){
        .title = copy, .mark = mark, .style = style % N_STYLES, .first = figure->n_points};
}

/* The mark is part of the title and so of the CSV file: a reader of the data sees it too. */
void segue_figure_mark_ours(segue_figure *figure)
{
    static const char mark[] = " (ours)";
    if (figure->failed || figure->n_series == 0)
        return;
    segue_series *series = &figure->series[figure->n_series - 1];
    char *title = realloc(series->title, strlen(series->title) + sizeof mark);
    figure->failed = !title;
    if (!title)
        return;
    series->title = title;
    (void)strcat(series->title, mark);
    series->ours = true;
}

void segue_figure_add_point(segue_figure *figure, double x, double y, double band)
{
    segue_figure_add_range(figure, x, y, y - band, y + band);
}

/* Points of one series stay adjacent, because they always go to the last series. */
void segue_figure_add_range(segue_figure *figure, double x, double y, double low, double high)
{
    if (!isfinite(x) || !isfinite(y) || figure->n_series == 0)
        return;
    segue_point *point =
        grow(figure, figure->point, figure->n_points, &figure->points_capacity, sizeof *point);
    if (!point)
        return;
    figure->point = point;
    if (figure->log_y && low < figure->y_min) /* a logarithmic axis cannot show 0 or less */
        low = figure->y_min;
    figure->point[figure->n_points++] = (segue_point){.x = x, .y = y, .low = low, .high = high};
    figure->series[figure->n_series - 1].count++;
}

void segue_figure_add_level(segue_figure *figure, size_t style, double from, double to, double y,
                            double band, const char *title)
{
    segue_figure_begin_series(figure, SEGUE_SERIES_LEVEL, style, "%s", title);
    segue_figure_add_point(figure, from, y, band);
    segue_figure_add_point(figure, to, y, band);
}

/* ---- the data ---------------------------------------------------------------------------- */

/* Print one row per point, with the title of its series in the first column. The script selects
 * rows by number. */
static void print_data(const segue_figure *figure, FILE *out)
{
    fputs("series,x,y,low,high\n", out);
    for (size_t s = 0; s < figure->n_series; s++) {
        const segue_series *series = &figure->series[s];
        for (size_t i = series->first; i < series->first + series->count; i++) {
            const segue_point *point = &figure->point[i];
            const double numbers[] = {point->x, point->y, point->low, point->high};
            segue_output_csv_text(out, series->title);
            for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
                fputc(',', out);
                segue_output_csv_number(out, numbers[k]);
            }
            fputc('\n', out);
        }
    }
}

/* ---- the script -------------------------------------------------------------------------- */

/* Print a text in single quotes, with `doubled` characters written twice.  In double quotes gnuplot
 * would run `commands` in it. */
static void print_doubled(FILE *out, const char *text, const char *doubled)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (strchr(doubled, *text))
            fputc(*text, out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

static void print_quoted(FILE *out, const char *text)
{
    print_doubled(out, text, "'");
}

enum { HEAD = 9, TAIL = 6, NAME_SIZE = 4 * (HEAD + 1 + TAIL) + 32 };

/* Shorten a name, which would take the space of the figure; a name that becomes equal to another one
 * ends with its number. */
static void shorten(const char *const *name, size_t count, size_t index, char out[NAME_SIZE])
{
    char other[NAME_SIZE];
    segue_utf8_shorten(name[index], HEAD, TAIL, out, NAME_SIZE);
    for (size_t i = 0; i < count; i++) {
        segue_utf8_shorten(name[i], HEAD, TAIL, other, NAME_SIZE);
        if (i == index || strcmp(other, out) != 0)
            continue;
        segue_utf8_shorten(name[index], HEAD, 0, other, NAME_SIZE);
        (void)snprintf(out, NAME_SIZE, "%.*s (%zu)", 4 * (HEAD + 1), other, index + 1);
        return;
    }
}

/* A label is also a printf format of the position, so % is doubled. */
void segue_figure_print_tics(FILE *out, const char *const *name, size_t count)
{
    fputs("set xtics rotate by -30 (", out);
    for (size_t i = 0; i < count; i++) {
        char shown[NAME_SIZE];
        shorten(name, count, i, shown);
        fputs(i ? ", " : "", out);
        print_doubled(out, shown, "'%");
        fprintf(out, " %zu", i + 1);
    }
    fputs(")\n", out);
}

/* True if a band is drawn: one point has no area, and many thin lines would hide each other. */
static bool has_band(const segue_figure *figure, const segue_series *series)
{
    return series->count > 1 && isfinite(figure->point[series->first].high) &&
           series->mark != SEGUE_SERIES_THIN && series->mark != SEGUE_SERIES_BARS;
}

/* Print the reference to the rows of a series in the CSV file. `skip 1` is the heading; rows count
 * from 0. */
static void print_rows(FILE *out, const segue_figure *figure, const segue_series *series)
{
    fprintf(out, "'%s.csv' skip 1 every ::%zu::%zu", figure->name, series->first,
            series->first + series->count - 1);
}

/* Print the band first, so that the line covers it. Ours is solid and twice as thick. */
static void print_plot(FILE *out, const segue_figure *figure, const segue_series *series)
{
    const char *colour = styles[series->style].colour;
    const int dash = series->ours ? 1 : styles[series->style].dash;
    const int marker = styles[series->style].marker;
    const double width = series->ours ? 2.0 : 1.0; /* times the usual */
    if (has_band(figure, series)) {
        print_rows(out, figure, series);
        fprintf(out,
                " using 2:4:5 with filledcurves fillstyle transparent solid 0.18 noborder "
                "linecolor rgb '%s' notitle, \\\n     ",
                colour);
    }
    print_rows(out, figure, series);
    fputs(series->mark == SEGUE_SERIES_BARS ? " using 2:3:4:5 with " : " using 2:3 with ", out);
    switch (series->mark) {
    case SEGUE_SERIES_LINE_POINTS:
        fprintf(out, "linespoints linewidth %.1f dashtype %d pointtype %d pointsize 0.8",
                2.0 * width, dash, marker);
        break;
    case SEGUE_SERIES_THIN:
        fputs("lines linewidth 0.7", out);
        break;
    case SEGUE_SERIES_BARS:
        fprintf(out, "yerrorbars linewidth 1.5 pointtype %d pointsize 0.8", marker);
        break;
    case SEGUE_SERIES_SQUARES:
        fputs("points pointtype 5 pointsize 1.5", out);
        break;
    default:
        fprintf(out, "lines linewidth %.1f dashtype %d",
                (series->mark == SEGUE_SERIES_LEVEL ? 1.6 : 2.2) * width, dash);
    }
    fprintf(out, " linecolor rgb '%s' ", colour);
    if (*series->title) {
        fputs("title ", out);
        print_quoted(out, series->title);
    } else {
        fputs("notitle", out);
    }
}

/* Return a step of 1, 2 or 5 times a power of ten that divides 0 .. `end` into at most five. */
static double coarse_step(double end)
{
    double step = segue_decade_power(segue_decade(end / 5.0));
    for (size_t i = 0; i < 3 && 5.0 * step < end; i++)
        step *= i == 1 ? 2.5 : 2.0;
    return step;
}

/* A narrow figure has space for few numbers on its x axis, more of which would overlap. */
static void print_narrow_tics(FILE *out, const segue_figure *figure)
{
    double end = 0.0;
    for (size_t i = 0; i < figure->n_points; i++)
        end = fmax(end, figure->point[i].x);
    if (!figure->log_x && !figure->more && end > 0.0)
        fprintf(out, "if (form eq 'narrow') set xtics %g\n", coarse_step(end));
}

/* An axis without y_max ends where gnuplot chooses; a logarithmic one cannot begin at 0. */
static void print_axes(FILE *out, const segue_figure *figure)
{
    fputs("set xlabel ", out);
    print_quoted(out, figure->x_label);
    fputs("\nset ylabel ", out);
    print_quoted(out, figure->y_label);
    fputc('\n', out);
    if (figure->log_x)
        fputs("set logscale x\n", out);
    if (figure->log_y)
        fputs("set logscale y\n", out);
    if (figure->log_x || figure->log_y)
        fputs("set format '%g'\n", out);
    if (figure->y_max > 0.0)
        fprintf(out, "set yrange [%g:%g]\n", figure->y_min, figure->y_max);
    else if (figure->y_min > 0.0 || !figure->log_y)
        fprintf(out, "set yrange [%g:*]\n", figure->y_min);
    print_narrow_tics(out, figure);
    if (figure->more)
        fprintf(out, "%s\n", figure->more);
}

/* A long legend below would take its height from the plot: return the rows above six. */
static int extra_rows(const segue_figure *figure)
{
    int titled = 0;
    for (size_t s = 0; s < figure->n_series; s++)
        titled += figure->series[s].count > 0 && *figure->series[s].title;
    return titled > 6 ? titled - 6 : 0;
}

/* `form` and `out` may be set with -e before the script runs; draw_form sets out='' to get standard
 * output. */
static void print_script(const segue_figure *figure, FILE *out)
{
    const int rows = extra_rows(figure);
    fprintf(out,
            "# %s.gp - change it as you like, and run: gnuplot %s.gp\n"
            "# -e \"form='pdf'\" makes a PDF, 'png' a PNG, 'narrow' a figure for small screens.\n"
            "if (!exists('form')) form = 'svg'\n"
            "if (!exists('out')) out = '%s' . (form eq 'narrow' ? '-narrow.svg' : '.' . form)\n"
            "if (form eq 'svg') set terminal svg size 760,%d font 'sans-serif,15' noenhanced "
            "background 'white'\n"
            "if (form eq 'narrow') set terminal svg size 400,%d font 'sans-serif,13' noenhanced "
            "background 'white'\n"
            "if (form eq 'pdf') set terminal pdfcairo size 15cm,%.1fcm font 'sans-serif,11' "
            "noenhanced\n"
            "if (form eq 'png') set terminal pngcairo size 1520,%d fontscale 2 font "
            "'sans-serif,11' noenhanced linewidth 2\n"
            "if (out ne '') set output out\n"
            "set datafile separator ','\n"
            "set encoding utf8\n"
            "set grid back linecolor rgb '#dddddd'\n"
            "set border 3\n"
            "set tics nomirror\n"
            "set key below reverse Left samplen 3 spacing 1.15 title ' '\n",
            figure->name, figure->name, figure->name, 460 + 20 * rows, 430 + 18 * rows,
            9.5 + 0.4 * rows, 920 + 40 * rows);
    print_axes(out, figure);
    fputs("plot ", out);
    for (size_t s = 0, printed = 0; s < figure->n_series; s++) {
        if (figure->series[s].count == 0)
            continue;
        if (printed++)
            fputs(", \\\n     ", out);
        print_plot(out, figure, &figure->series[s]);
    }
    fputc('\n', out);
}

/* ---- drawing ----------------------------------------------------------------------------- */

/* Join folder, name and ending. */
static segue_status path_of(char *path, size_t size, const char *folder, const segue_figure *figure,
                            const char *end, segue_error *err)
{
    if (snprintf(path, size, "%s/%s%s", folder, figure->name, end) >= (int)size)
        return segue_fail(err, SEGUE_EFILE,
                          "the path of the folder %.60s... is too long; need less than 4096 bytes",
                          folder);
    return SEGUE_OK;
}

/* Print to memory, then write the file atomically: a full disk leaves no half file. */
static segue_status write_text(const segue_figure *figure, const char *folder, const char *end,
                               void (*print)(const segue_figure *, FILE *), segue_error *err)
{
    char path[4096];
    segue_output output;
    SEGUE_TRY(path_of(path, sizeof path, folder, figure, end, err));
    SEGUE_TRY(segue_output_init(&output, err));
    print(figure, output.stream);
    const segue_status status = segue_output_write(&output, path, err);
    segue_output_fini(&output);
    return status;
}

/* Draw one form of the figure, keep its bytes in `out` and write them to the folder. */
static segue_status draw_form(const segue_figure *figure, const char *folder, const char *form,
                              const char *end, segue_bytes *out, segue_error *err)
{
    char setup[64], script[256], path[4096];
    (void)snprintf(setup, sizeof setup, "form='%s'; out=''", form);
    (void)snprintf(script, sizeof script, "%s.gp", figure->name);
    SEGUE_TRY(path_of(path, sizeof path, folder, figure, end, err));
    SEGUE_TRY(segue_gnuplot_run(folder, setup, script, out, err));
    return segue_atomic_file_write(path, out->data, out->size, err);
}

/* Replace what an earlier form left in `out`. */
static segue_status draw_again(const segue_figure *figure, const char *folder, const char *form,
                               const char *end, segue_bytes *out, segue_error *err)
{
    segue_bytes_fini(out);
    *out = (segue_bytes){.data = NULL};
    return draw_form(figure, folder, form, end, out, err);
}

static bool has_positive(const segue_figure *figure)
{
    for (size_t i = 0; i < figure->n_points; i++)
        if (figure->point[i].y > 0.0)
            return true;
    return false;
}

segue_status segue_figure_draw_forms(segue_figure *figure, const char *folder, unsigned forms,
                                     segue_error *err)
{
    if (figure->failed)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for the figure %s", figure->name);
    if (figure->n_points == 0)
        return segue_fail(err, SEGUE_EDOMAIN, "the figure %s has nothing to show", figure->name);
    if (figure->log_y && !has_positive(figure))
        return segue_fail(err, SEGUE_EDOMAIN,
                          "the figure %s has no value above 0, which a logarithmic axis needs",
                          figure->name);
    SEGUE_TRY(write_text(figure, folder, ".csv", print_data, err));
    SEGUE_TRY(write_text(figure, folder, ".gp", print_script, err));
    if (forms & SEGUE_FIGURE_SVG)
        SEGUE_TRY(draw_again(figure, folder, "svg", ".svg", &figure->wide, err));
    if (forms & SEGUE_FIGURE_NARROW)
        SEGUE_TRY(draw_again(figure, folder, "narrow", "-narrow.svg", &figure->narrow, err));
    if (forms & SEGUE_FIGURE_PDF)
        SEGUE_TRY(draw_again(figure, folder, "pdf", ".pdf", &figure->other, err));
    if (forms & SEGUE_FIGURE_PNG)
        SEGUE_TRY(draw_again(figure, folder, "png", ".png", &figure->other, err));
    return SEGUE_OK;
}

segue_status segue_figure_draw(segue_figure *figure, const char *folder, segue_error *err)
{
    return segue_figure_draw_forms(figure, folder,
                                   SEGUE_FIGURE_SVG | SEGUE_FIGURE_NARROW | SEGUE_FIGURE_PDF, err);
}
