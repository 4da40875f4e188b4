/* choices.c - the one list of choices: the paper says, here, and the sensitivity.
 *
 * A choice is a row of the table below. Its sensitivity is the regret of each alternative beside
 * that of the default, from the experiments sensitivity and laws; or a number of another kind; or,
 * where there is nothing to play, the reason.
 *
 * To add a choice: a row here, its alternatives in experiments/sensitivity.json, and the row in
 * docs/paper.md.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/choices.h"

#include <inttypes.h>
#include <string.h>

#include "report/claims/compare.h"
#include "report/html.h"
#include "segue/policy.h"

enum { MAX_ALTERNATIVES = 6 };

/* A run beside the default: the environment and the policy. */
typedef struct alternative {
    const char *environment, *policy;
} alternative;

/* Numbers that are no regrets of alternatives. */
typedef enum measured {
    MEASURED_NOTHING,
    MEASURED_EMPTY_SETS,
    MEASURED_FORCED_PULLS,
    MEASURED_RUNS
} measured;

static const struct {
    const char *paper, *here;
    alternative other[MAX_ALTERNATIVES];
    measured measured;
    const char *sensitivity; /* a text, where nothing is played */
} choices[] = {
    {.paper = "The reward law: an arm has a distribution with a mean; none is named",
     .here = "Rewards are 0 or 1 (Bernoulli)",
     .other = {{"beta:5", "ucb"},
               {"beta:5", "mucb"},
               {"beta:5", "tucb"},
               {"normal:0.1", "ucb"},
               {"normal:0.1", "mucb"},
               {"normal:0.1", "tucb"}}},
    {.paper = "eps_j 'as in Theorem 2 with C(Θ) = 2', in three forms: log(K/δ) in Theorem 2, "
              "log(2K²/δ) in its corollary, log(2mKJ/δ) in Lemma 9",
     .here = "Lemma 9's, C sqrt(log(2mKJ/δ)/j): the factors K^2.5 m² are folded into C, as with "
             "them eps_j would exceed 1 throughout. J is in it, so that every J is played in runs "
             "of its own",
     .other = {{"paper", "tucb:eps=theorem"}, {"paper", "tucb:eps=corollary"}}},
    {.paper = "δ = 1/n in the theorems; none in the simulations",
     .here = "δ = 1/n",
     .other = {{"paper", "ucb:delta=0.05"},
               {"paper", "mucb:delta=0.05"},
               {"paper", "tucb:delta=0.05"}}},
    {.paper = "The confidence radius of the simulations is not spelled out",
     .here = "As in the theorems: log(mn²/δ) for UCB, UCB+ and mUCB, log(2mKn²/δ) for umUCB, so "
             "that tUCB explores more than UCB in its first tasks",
     .sensitivity = "log(min(m, K) n²/δ), as in the proofs, is the same: m < K"},
    {.paper = "M2 is the average of view 1 ⊗ view 2, which is not symmetric, and its eigenvectors "
              "are taken",
     .here = "M2's symmetric part; the whitened M3 is symmetrised too. views=symmetric uses all "
             "orders of the three views",
     .other = {{"paper", "tucb:views=symmetric"}}},
    {.paper = "The views of a task: three batches of each arm's rewards",
     .here = "Three consecutive thirds",
     .other = {{"paper", "tucb:batches=interleaved"}}},
    {.paper = "Starts L and iterations N of the tensor power method: no numbers",
     .here = "24 and 40; iterations end when the vectors move less than 0.001, and the best one is "
             "polished",
     .other = {{"paper", "tucb:L=5,N=10"}}},
    {.paper = "Every fit starts anew",
     .here = "The vectors of the last fit are among the starts",
     .other = {{"paper", "tucb:start=cold"}}},
    {.paper = "What mUCB does when no model agrees with the rewards (the analysis excludes it with "
              "high probability)",
     .here = "It acts as UCB for that step, and umUCB too; such steps are counted",
     .measured = MEASURED_EMPTY_SETS},
    {.paper = "The bound on umUCB omits its three forced pulls of every arm",
     .here = "They are added to the bound",
     .measured = MEASURED_FORCED_PULLS},
    {.paper = "The models before there is an estimate, and then the complexity of tUCB",
     .here = "tUCB acts as UCB with umUCB's radius; the complexity is UCB's",
     .sensitivity = "the first tasks only"},
    {.paper = "Estimated means outside [0, 1]",
     .here = "Not clipped for umUCB",
     .sensitivity = "not played: no option clips"},
    {.paper = "Estimated models come in any order",
     .here = "Matched with the true ones by least squares before errors and complexities are "
             "computed",
     .sensitivity = "play does not use it"},
    {.paper = "Ties between arms or models",
     .here = "The lower index",
     .sensitivity = "not played"},
    {.paper = "Runs: 200 of each model for single tasks; none given for tUCB",
     .here = "200 of each model, and 20 of tUCB",
     .measured = MEASURED_RUNS},
    {.paper = "The n and J of the figures cannot be read from the text",
     .here = "n from 20 to 5,000; J = 1,000, 2,000, 5,000 and 10,000",
     .sensitivity = "every n and J is its own row or line"},
    {.paper = "Figures are pictures without numbers",
     .here = "The claims of the text, both tables, and the levels of the complexity figure are "
             "compared",
     .sensitivity = "none"},
    {.paper = "Table 2 prints 8.76 for UCB+ on model 5",
     .here = "1/.35 + 1/.45 + 1/.5 + 1/.6 = 8.746",
     .sensitivity = "none"},
    {.paper = "Theorem 2: 'min' over sigma, and constants C_3 and C_4 without values",
     .here = "The largest eigenvalue is meant; C_3 = C_4 = 1",
     .sensitivity = "the printed bound only"},
    {.paper = "UCB with a test: the threshold lacks a division sign",
     .here = "2 log(2/δ)/Γ²; on the paper's models Γ is 0 and the policy is UCB",
     .sensitivity = "none on these models"},
    {.paper =
         "C(Θ) is 2 in the simulations; else a parameter, or found by a doubling trick that is not "
         "spelled out",
     .here = "C = 2; C=0 starts at 0.25 and doubles when an estimate contradicts eps_j",
     .sensitivity = "in the section on other choices of C"},
    {.paper = "A task that is revealed: regret of order log(nJ), by clustering its samples",
     .here = "told-ucb: UCB with one set of counts per model, and nJ steps in its logarithm",
     .sensitivity = "a reference line only"},
    {.paper = "The algorithm that identifies models in the first tasks is not named",
     .here = "Round robin over the arms",
     .sensitivity = "in the section on the open questions"},
    {.paper = "Sliding-window and discounted UCB 'optimally tuned'",
     .here = "Window 2 sqrt(n log(nJ)), discount 1 - 1/(4 sqrt n), ξ = 0.6, as their authors tune "
             "them for J switches",
     .sensitivity = "not played"},
};

/* Print the regret of an alternative beside the default's, in the cell of a table. */
static void print_alternative(const segue_paper *paper, const alternative *other, FILE *out)
{
    const segue_study study =
        strcmp(other->environment, "paper") == 0 ? SEGUE_STUDY_SENSITIVITY : SEGUE_STUDY_LAWS;
    const segue_results *results = paper->results[study];
    char usual[20];
    (void)snprintf(usual, sizeof usual, "%.*s", (int)strcspn(other->policy, ":"), other->policy);
    const segue_cell *first = &results->cell[0];
    const segue_cell *cell = segue_results_find_in(results, other->environment, other->policy,
                                                   first->steps, first->tasks);
    const segue_cell *base =
        segue_results_find_in(results, "paper", usual, first->steps, first->tasks);
    if (!cell || !base)
        segue_html_text(out, "%s: not played", other->policy);
    else
        segue_html_text(out, "%s%s%s: %.1f ± %.1f, default %.1f ± %.1f",
                        study == SEGUE_STUDY_LAWS ? other->environment : "",
                        study == SEGUE_STUDY_LAWS ? ", " : "", other->policy, cell->regret.mean,
                        cell->regret.se, base->regret.mean, base->regret.se);
}

static void print_measured(const segue_paper *paper, measured what, FILE *out)
{
    const segue_cell *cell = paper->longest;
    const segue_regret end = segue_compare_final_regret(cell);
    if (what == MEASURED_EMPTY_SETS)
        segue_html_text(out, "mUCB: %.2g steps per task of %" PRIu64 "; tUCB: %.2g",
                        paper->mucb->no_model_left, paper->mucb->steps, cell->no_model_left);
    else if (what == MEASURED_FORCED_PULLS)
        segue_html_text(out, "%.1f per task", SEGUE_FORCED_PULLS * paper->gap_sum);
    else if (what == MEASURED_RUNS)
        segue_html_text(
            out, "s.e. of mUCB %.1f %%, of tUCB's average %.1f %%, of its last tenth %.1f %%",
            100.0 * paper->mucb->regret.se / paper->mucb->regret.mean,
            100.0 * cell->regret.se / cell->regret.mean, 100.0 * end.se / end.mean);
}

/* The cell is printed in parts, since its text has no bound. */
static void print_sensitivity(const segue_paper *paper, size_t row, FILE *out)
{
    fputs("<td>", out);
    for (size_t i = 0; i < MAX_ALTERNATIVES && choices[row].other[i].policy; i++) {
        if (i)
            fputs("; ", out);
        print_alternative(paper, &choices[row].other[i], out);
    }
    print_measured(paper, choices[row].measured, out);
    if (choices[row].sensitivity)
        segue_html_text(out, "%s", choices[row].sensitivity);
    fputs("</td>", out);
}

void segue_choices_print(const segue_paper *paper, FILE *out)
{
    static const char *const headings[] = {"the paper", "here", "sensitivity", NULL};
    const segue_cell *cell = &paper->results[SEGUE_STUDY_SENSITIVITY]->cell[0];
    segue_html_heading(out, 2, "our-choices",
                       "Where the paper is silent or ambiguous, and our choices");
    segue_html_p(out,
                 "The sensitivity is the regret per task of an alternative beside that of the "
                 "default, with standard errors, for n = %" PRIu64 " and J = %" PRIu64
                 ", from the experiments sensitivity (%" PRIu64 " runs) and laws (%" PRIu64
                 "); or another number that shows how much the choice can matter.",
                 cell->steps, cell->tasks, cell->runs,
                 paper->results[SEGUE_STUDY_LAWS]->cell[0].runs);
    fputs("<div class=\"texts\">\n", out);
    segue_html_table_begin(out, "All choices.", headings);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        segue_html_row(out);
        segue_html_cell(out, "%s", choices[i].paper);
        segue_html_cell(out, "%s", choices[i].here);
        print_sensitivity(paper, i, out);
    }
    segue_html_table_end(out);
    fputs("</div>\n", out);
}
