/* figure.h - a figure: named series of points with bands, drawn by gnuplot.
 *
 * Of each figure the folder gets NAME.csv, NAME.gp (the script, which a user may edit and run), and
 * for the paper NAME.svg, NAME-narrow.svg for small screens, and NAME.pdf.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_FIGURE_H
#define SEGUE_REPORT_FIGURE_H

#include <stdbool.h>
#include <stdio.h>

#include "segue/internal.h"
#include "segue/status.h"

/** How a series is drawn. */
typedef enum segue_mark {
    SEGUE_SERIES_LINE,        /* a line */
    SEGUE_SERIES_LINE_POINTS, /* a line with its points marked */
    SEGUE_SERIES_LEVEL,       /* a line across, for one number */
    SEGUE_SERIES_THIN,        /* a thin line, one of many */
    SEGUE_SERIES_SQUARES,     /* large squares, and no line */
    SEGUE_SERIES_BARS         /* points with error bars, and no line */
} segue_mark;

/** Forms of a drawn figure; several are added up. */
typedef enum segue_figure_form {
    SEGUE_FIGURE_SVG = 1,    /* NAME.svg */
    SEGUE_FIGURE_NARROW = 2, /* NAME-narrow.svg, for small screens */
    SEGUE_FIGURE_PDF = 4,
    SEGUE_FIGURE_PNG = 8
} segue_figure_form;

/** A named line or set of points.  `style`, 0 .. 9, selects colour, dashes and marker. */
typedef struct segue_series {
    char *title; /* in the legend; empty: not there */
    segue_mark mark;
    size_t style;
    size_t first, count; /* of the figure's points */
    bool ours;           /* not the paper's: a thick line, and '(ours)' after the title */
} segue_series;

typedef struct segue_point {
    double x, y;
    double low, high; /* the band; NaN: none */
} segue_point;

typedef struct segue_figure {
    const char *name; /* of the files; borrowed, like the texts below */
    const char *x_label, *y_label;
    bool log_x, log_y;
    double y_min, y_max; /* of the axis; 0 .. 0: gnuplot chooses the end */
    const char *more;    /* lines of gnuplot, or NULL */
    size_t n_series, series_capacity;
    segue_series *series;
    size_t n_points, points_capacity;
    segue_point *point;
    bool failed;              /* memory ran out; segue_figure_draw reports it */
    segue_bytes wide, narrow; /* the SVG, when it is drawn */
    segue_bytes other;        /* the PNG or PDF */
} segue_figure;

/** A figure without series. */
segue_figure segue_figure_init(const char *name, const char *x_label, const char *y_label);
void segue_figure_fini(segue_figure *figure);

/** Begin a series; later points belong to it. */
void segue_figure_begin_series(segue_figure *figure, segue_mark mark, size_t style,
                               const char *format, ...) SEGUE_PRINTF(4, 5);

/** Mark the last series as ours. */
void segue_figure_mark_ours(segue_figure *figure);

/** Add a point, with `band` on both sides (NaN: none); points that are not finite are skipped. */
void segue_figure_add_point(segue_figure *figure, double x, double y, double band);

/** Add a point with a band from `low` to `high`. */
void segue_figure_add_range(segue_figure *figure, double x, double y, double low, double high);

/** Add a horizontal line from x = `from` to `to` at `y`, with a band. */
void segue_figure_add_level(segue_figure *figure, size_t style, double from, double to, double y,
                            double band, const char *title);

/** Print the gnuplot command that labels x = 1, 2, ... with these names.  Of more than 16 characters
 * the middle is skipped; names that are then equal end with their numbers. */
void segue_figure_print_tics(FILE *out, const char *const *name, size_t count);

/**
 * Draw it into `folder`; `wide` and `narrow` then hold the SVG.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_figure_draw(segue_figure *figure, const char *folder,
                                                segue_error *err);

/** Draw it into `folder` in these forms, with its data and script.
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM, SEGUE_EDOMAIN */
SEGUE_MUST_CHECK segue_status segue_figure_draw_forms(segue_figure *figure, const char *folder,
                                                      unsigned forms, segue_error *err);

/** Draw it in these forms into memory alone: `wide`, `narrow` and `other`. */
SEGUE_MUST_CHECK segue_status segue_figure_draw_temporary(segue_figure *figure, unsigned forms,
                                                          segue_error *err);

#endif
