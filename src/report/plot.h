/* plot.h - figures of any results of 'segue run', and of curves of 'segue simulate'.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_PLOT_H
#define SEGUE_REPORT_PLOT_H

#include "io/results/results.h"
#include "report/curve_file.h"
#include "report/figure.h"

typedef enum segue_plot_kind {
    SEGUE_PLOT_STEPS,  /* regret against n */
    SEGUE_PLOT_TASKS,  /* a track from task to task */
    SEGUE_PLOT_MODELS, /* regret by model */
    SEGUE_N_PLOT_KINDS
} segue_plot_kind;

/** One file: results, or a curve. */
typedef struct segue_plot_file {
    const char *name;             /* in titles, if there are several files */
    const segue_results *results; /* NULL: a curve */
    const segue_curve_file *curve;
} segue_plot_file;

/** The content of figures.  All texts and files are borrowed. */
typedef struct segue_plot {
    size_t n_files;
    const segue_plot_file *file;
    segue_track track;   /* of SEGUE_PLOT_TASKS */
    char *const *policy; /* n_policies: those to show */
    size_t n_policies;   /* 0: all */
    bool log_x, log_y;
} segue_plot;

/** Return the name of a kind: "steps", "tasks" or "models". */
const char *segue_plot_kind_name(segue_plot_kind kind);

/** Return the label of a track, for an axis. */
const char *segue_plot_track_label(segue_track track);

/** Test whether the files have data for a figure; of SEGUE_PLOT_STEPS: two or more numbers of
 * steps. */
bool segue_plot_has(const segue_plot *plot, segue_plot_kind kind);

/** Test whether a file has a policy. */
bool segue_plot_has_policy(const segue_plot *plot, const char *policy);

/** Build a figure; `name` is that of its files, borrowed.  It has no points if the files have no
 * data for it. */
segue_figure segue_plot_figure(const segue_plot *plot, segue_plot_kind kind, const char *name);

/** Describe a figure of this kind in a sentence, with its bands. */
const char *segue_plot_caption(segue_plot_kind kind);

#endif
