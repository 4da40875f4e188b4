/* paper.c - `segue paper`: play the paper's experiments and write one report.
 *
 * Each experiment is run as 'segue run' runs it, with its results in FOLDER/data, or its finished
 * results are re-used (paper_play.c).  The report is computed from these files alone, so that
 * --redraw can repeat it.  The folder is locked until the program ends.
 *
 * The stages are: check, read all experiments, make and lock the folder, play, write the report,
 * remove the checkpoint files. --resume skips experiments with finished results; --redraw skips to
 * the report. src/report computes and draws.
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* flock */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/commands/paper/paper.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/run_experiment.h"
#include "io/shell.h"
#include "report/claims/claims.h"
#include "report/gnuplot.h"
#include "report/report.h"
#include "segue/internal.h"

typedef struct settings {
    const char *out, *experiments;
    uint64_t seed, threads;
    bool quick, resume, fresh, redraw, quiet;
} settings;

#define FIELD(name) .offset = offsetof(settings, name)
#define NO_SEED     CLI_RUN_EXPERIMENT_NO_SEED
#define PATH_SIZE   CLI_PATH_SIZE

static const cli_option options[] = {
    {"quick", 0, CLI_FLAG, FIELD(quick), NULL, "few runs of few tasks, in a quarter of a minute", 0,
     0},
    {"out", 'o', CLI_TEXT, FIELD(out), "FOLDER", "folder of all files (default segue-paper)", 0, 0},
    {"experiments", 0, CLI_TEXT, FIELD(experiments), "FOLDER",
     "the experiments (default: those installed with segue)", 0, 0},
    {"seed", 's', CLI_INTEGER, FIELD(seed), "S", "seed of all random streams (default 1)", 0,
     9007199254740992.0},
    {"threads", 't', CLI_INTEGER, FIELD(threads), "T", "threads (default: one per CPU)", 1,
     SEGUE_MAX_THREADS},
    {"resume", 0, CLI_FLAG, FIELD(resume), NULL, "continue runs that were interrupted", 0, 0},
    {"fresh", 0, CLI_FLAG, FIELD(fresh), NULL, "play all experiments again, also finished ones", 0,
     0},
    {"redraw", 0, CLI_FLAG, FIELD(redraw), NULL,
     "play nothing: figures and report from results in FOLDER", 0, 0},
    {"quiet", 'q', CLI_FLAG, FIELD(quiet), NULL, "no progress bar", 0, 0},
};

/* The command under way: options, folders of data and figures, and the experiments that it owns. */
typedef struct study {
    settings set;
    char data[PATH_SIZE], figures[PATH_SIZE];
    segue_experiment *experiment[SEGUE_N_STUDIES];
} study;

/* ---- preparation ------------------------------------------------------------------------- */

/* Check for gnuplot now: it is needed only after minutes of play. */
static segue_status check_settings(const settings *set, segue_error *err)
{
    if (set->resume && set->fresh)
        return segue_fail(err, SEGUE_EUSAGE, "--resume and --fresh exclude each other; give one");
    if (set->redraw && (set->quick || set->resume || set->fresh || set->experiments ||
                        set->threads || set->seed != NO_SEED))
        return segue_fail(err, SEGUE_EUSAGE,
                          "--redraw plays nothing; give no other option than --out");
    return segue_gnuplot_check(err);
}

/* Read all experiments before the first is played, so that an error costs no time. */
static segue_status read_experiments(study *st, segue_error *err)
{
    const settings *set = &st->set;
    const segue_experiment_overrides changes = {.variant = set->quick ? "quick" : NULL,
                                                .seed = set->seed == NO_SEED ? NULL : &set->seed};
    char folder[PATH_SIZE], path[PATH_SIZE + 100];
    if (set->experiments)
        (void)snprintf(folder, sizeof folder, "%s", set->experiments);
    else
        SEGUE_TRY(cli_installed_files_find(folder, "experiments", "--experiments", err));
    for (size_t i = 0; i < SEGUE_N_STUDIES; i++) {
        const char *name = segue_paper_study_name((segue_study)i);
        (void)snprintf(path, sizeof path, "%s/%s.json", folder, name);
        SEGUE_TRY(segue_experiment_read(&st->experiment[i], path, &changes, err));
        if (strcmp(st->experiment[i]->name, name) != 0)
            return segue_fail(err, SEGUE_EDOMAIN, "%s: field 'name': is '%s'; need '%s'", path,
                              st->experiment[i]->name, name);
    }
    return SEGUE_OK;
}

/* Lock the folder until the program ends: one process may work in it. */
static segue_status lock_folder(const char *folder, segue_error *err)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return segue_fail(err, SEGUE_EFILE, "%s: cannot be opened: %s", segue_path_tail(folder),
                          strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return segue_fail(
            err, SEGUE_EFILE,
            "%s: another segue works in this folder; wait for it, or name another with "
            "--out",
            segue_path_tail(folder));
    return SEGUE_OK;
}

/* The order matters: the lock comes before anything in the folder changes. */
static segue_status make_folders(study *st, segue_error *err)
{
    const char *out = st->set.out;
    if (snprintf(st->data, PATH_SIZE, "%s/data", out) >= PATH_SIZE ||
        snprintf(st->figures, PATH_SIZE, "%s/figures", out) >= PATH_SIZE)
        return segue_fail(err, SEGUE_EFILE, "the path of --out is too long; name a shorter one");
    if (!st->set.redraw)
        SEGUE_TRY(segue_experiment_make_folder(out, err));
    SEGUE_TRY(lock_folder(out, err));
    if (!st->set.redraw)
        SEGUE_TRY(segue_experiment_make_folder(st->data, err));
    /* Else --resume, after this start is interrupted, would use older results of later experiments.
     */
    for (size_t i = 0; i < SEGUE_N_STUDIES && st->set.fresh; i++)
        segue_experiment_remove_results(st->experiment[i], st->data);
    return SEGUE_OK;
}

static segue_status play(const study *st, segue_error *err)
{
    const settings *set = &st->set;
    const cli_paper_play play = {
        .experiment = st->experiment,
        .data = st->data,
        .threads = (size_t)(set->threads ? set->threads : cli_options_default_threads()),
        .resume = set->resume,
        .fresh = set->fresh,
        .quiet = set->quiet};
    cli_interrupt_catch();
    return cli_paper_play_all(&play, err);
}

/* ---- the report -------------------------------------------------------------------------- */

/* The last line is a command to paste. */
static void print_how_to_open(const char *folder, FILE *out)
{
    char *path = segue_shell_quote(folder, true);
    fprintf(out, "\nOpen the report: xdg-open %s/report.html\n", path ? path : "FOLDER");
    free(path);
}

/* Long claims are cut: the report has them in full. */
static segue_status print_findings(const segue_paper *paper, const char *folder, segue_error *err)
{
    segue_finding findings[SEGUE_MAX_CLAIMS];
    size_t count = 0;
    segue_output output;
    SEGUE_TRY(segue_output_init(&output, err));
    segue_claims_check(paper, findings, &count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || findings[i].ours != findings[i - 1].ours)
            fprintf(output.stream, "%s%s\n\n", i ? "\n" : "",
                    findings[i].ours ? "What we add" : "What the paper says");
        fprintf(output.stream, "  %-25s  %.51s%s\n", segue_claims_verdict_text(findings[i].verdict),
                findings[i].says, strlen(findings[i].says) > 51 ? ".." : "");
    }
    print_how_to_open(folder, output.stream);
    const segue_status status = cli_output_send(&output, NULL, err);
    segue_output_fini(&output);
    return status;
}

/* Checkpoints are removed last: until the report exists, nothing is lost by a crash. */
static segue_status write_report(const study *st, const segue_paper *paper, segue_error *err)
{
    SEGUE_TRY(segue_experiment_make_folder(st->figures, err));
    SEGUE_TRY(segue_report_write(paper, st->set.out, err));
    for (size_t i = 0; i < SEGUE_N_STUDIES && !st->set.redraw; i++)
        cli_run_experiment_remove_checkpoint(st->experiment[i], st->data);
    return print_findings(paper, st->set.out, err);
}

/* Read the results from their files: --redraw and a first start then give the same report. */
static segue_status report(const study *st, segue_error *err)
{
    segue_paper *paper = NULL;
    SEGUE_TRY(segue_paper_read(&paper, st->data, err));
    const segue_status status = write_report(st, paper, err);
    segue_paper_destroy(paper);
    return status;
}

/* The caller frees the experiments. */
static segue_status run_study(study *st, segue_error *err)
{
    SEGUE_TRY(check_settings(&st->set, err));
    if (!st->set.redraw)
        SEGUE_TRY(read_experiments(st, err));
    SEGUE_TRY(make_folders(st, err));
    if (!st->set.redraw)
        SEGUE_TRY(play(st, err));
    return report(st, err);
}

static segue_status run(int argc, char **argv, segue_error *err)
{
    study st = {.set = {.out = "segue-paper", .seed = NO_SEED}};
    segue_status status =
        cli_options_parse(options, sizeof options / sizeof *options, argc, argv, &st.set, err);
    if (status == SEGUE_OK)
        status = run_study(&st, err);
    for (size_t i = 0; i < SEGUE_N_STUDIES; i++)
        segue_experiment_destroy(st.experiment[i]);
    return status;
}

const cli_command cli_command_paper = {
    .name = "paper",
    .summary = "make every table and figure of the paper, and a report",
    .usage = "paper [--quick] [OPTIONS]",
    .details = "Plays the paper's experiments and those that go beyond it, draws the figures,\n"
               "and writes FOLDER/report.html: one page without other files, with each claim of\n"
               "the paper next to the measured result, and our learners, marked as such, next to\n"
               "the paper's.  FOLDER/data has the results as CSV and JSON, FOLDER/figures each\n"
               "figure as SVG and PDF with its data and its gnuplot script.\n\n"
               "It takes 2.5 minutes on two CPUs.  Ctrl-C stops, --resume continues, to the same\n"
               "bytes.  Run again, it plays only what changed: results of the same experiment,\n"
               "seed and build of segue are used as they are, and the figures drawn again.  Give\n"
               "it --fresh to play all.  FOLDER/data/timing.json has the times of playing.\n\n"
               "The experiments are files that 'segue run' plays too.\n\n"
               "examples:\n"
               "  segue paper --quick\n"
               "  segue paper --out /tmp/paper --resume\n"
               "  segue paper --redraw --out /tmp/paper\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
