/* provenance.c - what the page rests on: references, number of runs, programs, machine and times.
 *
 * report.c prints these parts at the end of the page. Identifiers are texts and not links: the page
 * is self-contained and loads nothing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/provenance.h"

#include <inttypes.h>
#include <string.h>

#include "experiment/suite/timing.h"
#include "report/claims/compare.h"
#include "report/gnuplot.h"
#include "report/html.h"
#include "segue/version.h"

/* ---- references --------------------------------------------------------------------------- */

static const char *const references[] = {
    "M. Gheshlaghi Azar, A. Lazaric and E. Brunskill. Sequential Transfer in Multi-armed Bandit "
    "with "
    "Finite Set of Models. Advances in Neural Information Processing Systems 26 (NIPS 2013). "
    "arXiv:1307.6887. The source compared here is the arXiv version, with its appendices.",
    "A. Anandkumar, R. Ge, D. Hsu, S. M. Kakade and M. Telgarsky. Tensor Decompositions for "
    "Learning "
    "Latent Variable Models. J. Mach. Learn. Res. 15, 2773-2832, 2014. "
    "arXiv:1210.7559. (The robust tensor power method.)",
    "A. Anandkumar, D. Hsu and S. M. Kakade. A Method of Moments for Mixture Models and Hidden "
    "Markov "
    "Models. 25th Annual Conference on Learning Theory (COLT 2012), JMLR W&CP 23, 33.1-33.34. "
    "arXiv:1203.0683. (Algorithm B.)",
    "A. Anandkumar, D. P. Foster, D. Hsu, S. M. Kakade and Y.-K. Liu. A Spectral Algorithm for "
    "Latent "
    "Dirichlet Allocation. Advances in Neural Information Processing Systems 25 (NIPS 2012), "
    "917-925. (Excess correlation analysis.)",
    "P. Auer, N. Cesa-Bianchi and P. Fischer. Finite-time Analysis of the Multiarmed Bandit "
    "Problem. "
    "Machine Learning 47, 235-256, 2002. doi:10.1023/A:1013689704352. (UCB1.)",
    "A. Garivier and O. Cappé. The KL-UCB Algorithm for Bounded Stochastic Bandits and Beyond. "
    "24th "
    "Annual Conference on Learning Theory (COLT 2011), JMLR W&CP 19, 359-376. arXiv:1102.2490.",
    "A. Garivier and E. Moulines. On Upper-Confidence Bound Policies for Switching Bandit "
    "Problems. "
    "Algorithmic Learning Theory (ALT 2011), 174-188. doi:10.1007/978-3-642-24412-4_16. "
    "(Sliding-window and discounted UCB.)",
    "S. Holm. A Simple Sequentially Rejective Multiple Test Procedure. Scand. J. Statist. 6, "
    "65-70, 1979.",
    "W. R. Thompson. On the Likelihood that One Unknown Probability Exceeds Another in View of the "
    "Evidence of Two Samples. Biometrika 25, 285-294, 1933. doi:10.2307/2332286.",
};

void segue_provenance_print_references(FILE *out)
{
    segue_html_heading(out, 2, "references", "References");
    fputs("<ol>\n", out);
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        fputs("<li>", out);
        segue_html_text(out, "%s", references[i]);
        fputs("</li>\n", out);
    }
    fputs("</ol>\n", out);
}

/* ---- runs --------------------------------------------------------------------------------- */

static double percent(segue_regret regret)
{
    return 100.0 * regret.se / regret.mean;
}

/* The paper plays 200 runs of each model, and does not give the number of runs of tUCB. */
void segue_provenance_print_runs(const segue_paper *paper, FILE *out)
{
    const segue_cell *cell = paper->longest;
    const segue_regret end = segue_compare_final_regret(cell);
    const double gap = paper->ucb->regret.mean - paper->mucb->regret.mean;
    segue_html_p(out,
                 "The number of runs: %" PRIu64 " of each model%s give the regret of UCB, UCB+ and "
                 "mUCB with standard errors of %.1f, %.1f and %.1f %%. %" PRIu64
                 " runs of tUCB give its average over %" PRIu64
                 " tasks with %.1f %% (%.1f), and the "
                 "last tenth of them with %.1f %% (%.1f). UCB and mUCB are %.0f apart, %.1f "
                 "times the standard error of that last tenth: %s. Two variants of tUCB that "
                 "differ by less than about three "
                 "times its standard error are not told apart.",
                 paper->mucb->runs, paper->mucb->runs == 200 ? ", as in the paper," : "",
                 percent(paper->ucb->regret), percent(paper->ucb_plus->regret),
                 percent(paper->mucb->regret), cell->runs, cell->tasks, percent(cell->regret),
                 cell->regret.se, percent(end), end.se, gap, gap / end.se,
                 gap > 8.0 * end.se ? "enough to place tUCB between them"
                                    : "too little to place tUCB between them");
}

/* ---- programs, machine and times ----------------------------------------------------------- */

/* Copy the name of the processor; empty where the system does not give it. */
static void read_processor(char *name, size_t size)
{
    char line[300];
    FILE *file = fopen("/proc/cpuinfo", "r");
    *name = '\0';
    while (file && !*name && fgets(line, sizeof line, file)) {
        const char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (value)
            (void)snprintf(name, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
    }
    if (file)
        (void)fclose(file);
}

/* Print the line that differs from one run to the next. */
static segue_status print_times(FILE *out, const char *data, segue_error *err)
{
    double cpu = 0.0, longest = 0.0;
    size_t found_all = 0, slowest = 0;
    for (size_t i = 0; i < SEGUE_N_STUDIES; i++) {
        segue_timing timing;
        bool found = false;
        SEGUE_TRY(
            segue_timing_read(&timing, data, segue_paper_study_name((segue_study)i), &found, err));
        found_all += found;
        cpu += timing.cpu_seconds;
        if (timing.cpu_seconds > longest) {
            longest = timing.cpu_seconds;
            slowest = i;
        }
    }
    fputs("<p id=\"times\">", out);
    segue_html_text(out,
                    "Playing %zu of the %d experiments took %.0f seconds of CPU time, of which %s "
                    "took %.0f; data/timing.json has the times of each.",
                    found_all, SEGUE_N_STUDIES, cpu, segue_paper_study_name((segue_study)slowest),
                    longest);
    fputs("</p>\n", out);
    return SEGUE_OK;
}

segue_status segue_provenance_print_tools(FILE *out, const char *data, segue_error *err)
{
    segue_bytes gnuplot = {.data = NULL};
    char processor[200];
    SEGUE_TRY(segue_gnuplot_version(&gnuplot, err));
    read_processor(processor, sizeof processor);
    const size_t length = gnuplot.size ? strcspn((const char *)gnuplot.data, "\n") : 0;
    segue_html_p(
        out,
        "Drawn by segue %s, build %s; linear algebra: %s; %.*s; processor: %s. The data are "
        "the same bytes for a seed, a build and the kernel that the linear algebra chooses "
        "for the processor, on any number of threads. Another compiler or kernel may round "
        "an estimate differently, and then some pulls differ.",
        segue_version(), segue_version_build(), segue_linalg_backend(), (int)length,
        length ? (const char *)gnuplot.data : "", *processor ? processor : "not known");
    segue_bytes_fini(&gnuplot);
    return print_times(out, data, err);
}
