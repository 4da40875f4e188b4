/* paper_play.c - play the experiments of `segue paper`, or re-use their finished results.
 *
 * Results are re-used if they are of the same experiment, seed, version and build, and no other
 * program changed them since: then the same bytes would be written again.  data/timing.json has the
 * build and a hash of the result files.  All other results are replaced, with a sentence that says
 * why; a file that does not hold results is refused.
 *
 * Runs that two experiments have in common are played once.  --resume continues a checkpoint file,
 * if this build began it for this experiment.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands/paper/paper.h"
#include "cli/progress.h"
#include "cli/run_experiment.h"
#include "experiment/cost.h"
#include "experiment/suite/shared_runs.h"
#include "experiment/suite/timing.h"
#include "segue/internal.h"

#define DRAW_SECONDS 2.0

typedef struct session {
    segue_shared_runs *shared;
    const cli_paper_play *play;
    uint64_t build;
    cli_progress progress;
    segue_cost_meter meter;
    size_t current; /* the experiment that is played */
    bool reuse[SEGUE_N_STUDIES];
    size_t n_reused;
} session;

/* ---- results in the folder --------------------------------------------------------------- */

/* Return why the results of the folder cannot be re-used; NULL: they can. */
static segue_status find_reason(const session *p, const segue_experiment *ex,
                                segue_results_state state, const char **why, segue_error *err)
{
    segue_timing timing;
    char key[SEGUE_BUILD_ID_SIZE];
    bool found = false, is_of = false;
    *why = NULL;
    SEGUE_TRY(segue_timing_read(&timing, p->play->data, ex->name, &found, err));
    if (state == SEGUE_RESULTS_OTHER)
        *why = "are of another experiment, seed or version";
    else if (state == SEGUE_RESULTS_INCOMPLETE)
        *why = "lack a CSV file";
    else if (!found || !timing.finished)
        *why = "have no entry in timing.json";
    if (*why)
        return SEGUE_OK;
    SEGUE_TRY(segue_timing_key(key, ex, p->build, err));
    if (strcmp(timing.key, key) != 0) {
        *why = "are of another build of segue";
        return SEGUE_OK;
    }
    SEGUE_TRY(segue_timing_verify(&timing, p->play->data, ex->name, &is_of, err));
    *why = is_of ? NULL : "were changed since they were played";
    return SEGUE_OK;
}

/* Erase the bar first, so that the sentence has its own line. */
static void say(session *p, const char *name, const char *what, const char *why)
{
    if (p->play->quiet)
        return;
    cli_progress_fini(&p->progress);
    (void)fprintf(stderr, "segue: %s: its %s %s; it is played again\n", name, what, why);
}

static segue_status refuse(const segue_experiment *ex, const char *folder, segue_error *err)
{
    return segue_fail(err, SEGUE_EFILE,
                      "%.200s/%s.json: exists and does not hold results of segue; '--fresh' "
                      "replaces it, '--out' names another folder",
                      segue_path_tail(folder), ex->name);
}

/* *reuse: the results of the folder are those that playing would give. */
static segue_status can_reuse(session *p, const segue_experiment *ex, bool *reuse, segue_error *err)
{
    segue_results *results = NULL;
    segue_results_state state = SEGUE_RESULTS_NONE;
    const char *why = NULL;
    *reuse = false;
    SEGUE_TRY(segue_experiment_find_results(&results, ex, p->play->data, &state, err));
    segue_results_destroy(results);
    if (state == SEGUE_RESULTS_NONE)
        return SEGUE_OK;
    if (state == SEGUE_RESULTS_FOREIGN)
        return refuse(ex, p->play->data, err);
    SEGUE_TRY(find_reason(p, ex, state, &why, err));
    *reuse = !why;
    if (why)
        say(p, ex->name, "results", why);
    return SEGUE_OK;
}

static bool has_checkpoint(const segue_experiment *ex, const char *folder)
{
    const segue_shard all = {.count = 0};
    char path[4096];
    return segue_experiment_checkpoint_path(ex, folder, all, path, sizeof path, NULL) == SEGUE_OK &&
           access(path, F_OK) == 0;
}

/* ---- progress ---------------------------------------------------------------------------- */

/* Estimate the CPU seconds of an experiment; cells that an earlier one has too cost nothing. */
static double estimate_seconds(const session *p, size_t number)
{
    const segue_experiment *ex = p->play->experiment[number];
    double total = 0.0;
    for (size_t i = 0; i < segue_experiment_cells(ex); i++) {
        const segue_simulation sim = segue_experiment_cell(ex, i);
        if (!segue_shared_runs_is_repeated(p->shared, number, i))
            total +=
                segue_cost_meter_run(&p->meter, &sim, segue_cost_tasks(&sim)) * (double)ex->runs;
    }
    return total;
}

/* Return wall time by CPU time of one thread: above 1 where other programs use the machine too. */
static double contention(const session *p)
{
    const double cpu = segue_cost_meter_total(&p->meter);
    const double wall = cli_progress_clock() - p->progress.started;
    const double ratio = (wall * (double)p->play->threads + 1.0) / (cpu + 1.0);
    return ratio > 1.0 ? ratio : 1.0;
}

/* Show the time left of all experiments and of the drawing.  Called under the progress lock, after
 * every task: it must return at once if nothing is to be shown. */
static void show_progress(void *context, double done, double total)
{
    session *p = context;
    if (!cli_progress_is_due(&p->progress))
        return;
    double left = (total > 0.0 ? 1.0 - done / total : 0.0) * estimate_seconds(p, p->current);
    for (size_t i = p->current + 1; i < SEGUE_N_STUDIES; i++)
        left += p->reuse[i] ? 0.0 : estimate_seconds(p, i);
    cli_progress_show_left(&p->progress,
                           left * contention(p) / (double)p->play->threads + DRAW_SECONDS);
}

/* ---- playing ----------------------------------------------------------------------------- */

static double cpu_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Continue the entry of an interrupted run of this build, or begin a new one. *fresh: a checkpoint
 * file is of another build. */
static segue_status begin_timing(session *p, const segue_experiment *ex, segue_timing *timing,
                                 bool *fresh, segue_error *err)
{
    const cli_paper_play *play = p->play;
    const bool resumes = play->resume && has_checkpoint(ex, play->data);
    char key[SEGUE_BUILD_ID_SIZE];
    bool found = false;
    SEGUE_TRY(segue_timing_key(key, ex, p->build, err));
    SEGUE_TRY(segue_timing_read(timing, play->data, ex->name, &found, err));
    const bool ours = found && strcmp(timing->key, key) == 0;
    *fresh = play->fresh || (resumes && !ours);
    if (resumes && !ours)
        say(p, ex->name, "unfinished runs", "are of another experiment or build");
    if (!resumes || !ours)
        *timing = (segue_timing){.finished = false};
    memcpy(timing->key, key, sizeof key);
    timing->finished = false;
    timing->threads = play->threads;
    return segue_timing_write(timing, play->data, ex->name, err);
}

/* Add the time of a session.  An interrupted run keeps its time for the next one. */
static segue_status end_timing(const session *p, const segue_experiment *ex, segue_timing *timing,
                               segue_status status, segue_error *err)
{
    segue_error ignored;
    const bool finished = status == SEGUE_OK;
    if (finished)
        SEGUE_TRY(segue_timing_sign(timing, p->play->data, ex->name, err));
    timing->finished = finished;
    const segue_status written =
        segue_timing_write(timing, p->play->data, ex->name, finished ? err : &ignored);
    return finished ? written : status;
}

static segue_status play_experiment(session *p, size_t number, segue_error *err)
{
    const cli_paper_play *play = p->play;
    const segue_experiment *ex = play->experiment[number];
    segue_run_options options = {.threads = play->threads,
                                 .progress = show_progress,
                                 .meter = &p->meter,
                                 .resume = play->resume,
                                 .context = p,
                                 .shared = p->shared,
                                 .experiment = number};
    segue_timing timing;
    segue_results *results = NULL;
    SEGUE_TRY(begin_timing(p, ex, &timing, &options.fresh, err));
    const double wall = cli_progress_clock(), cpu = cpu_clock();
    const segue_status status = cli_run_experiment(&results, ex, play->data, options, err);
    segue_results_destroy(results);
    timing.wall_seconds += cli_progress_clock() - wall;
    timing.cpu_seconds += cpu_clock() - cpu;
    return end_timing(p, ex, &timing, status, err);
}

/* Decide for all experiments before the first is played.  Results beside a checkpoint do not count:
 * they may be older. */
static segue_status find_reusable(session *p, segue_error *err)
{
    for (size_t i = 0; i < SEGUE_N_STUDIES; i++) {
        const segue_experiment *ex = p->play->experiment[i];
        if (!p->play->fresh && !has_checkpoint(ex, p->play->data))
            SEGUE_TRY(can_reuse(p, ex, &p->reuse[i], err));
        p->n_reused += p->reuse[i];
    }
    return SEGUE_OK;
}

static segue_status play_each(session *p, segue_error *err)
{
    SEGUE_TRY(find_reusable(p, err));
    for (p->current = 0; p->current < SEGUE_N_STUDIES; p->current++) {
        p->progress.label = p->play->experiment[p->current]->name;
        if (!p->reuse[p->current])
            SEGUE_TRY(play_experiment(p, p->current, err));
    }
    return SEGUE_OK;
}

segue_status cli_paper_play_all(const cli_paper_play *play, segue_error *err)
{
    session p = {.play = play};
    SEGUE_TRY(segue_build_id_read(&p.build, err));
    SEGUE_TRY(segue_shared_runs_create(&p.shared, play->experiment, SEGUE_N_STUDIES, err));
    cli_progress_init(&p.progress, play->quiet);
    const segue_status status = play_each(&p, err);
    cli_progress_fini(&p.progress);
    segue_shared_runs_destroy(p.shared);
    if (status == SEGUE_OK && p.n_reused && !play->quiet)
        (void)fprintf(stderr,
                      "segue: %zu of %d experiments were finished; --fresh plays them again\n",
                      p.n_reused, SEGUE_N_STUDIES);
    return status;
}
