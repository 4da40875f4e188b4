/* paper.h - the results and the theory that the report on the paper shows.
 *
 * The paper: Azar, Lazaric and Brunskill, Sequential Transfer in Multi-armed Bandit with Finite Set
 * of Models (2013).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_PAPER_H
#define SEGUE_REPORT_PAPER_H

#include "io/results/results.h"
#include "segue/theory.h"

/** The experiments of the report, in the order they are run. */
typedef enum segue_study {
    SEGUE_STUDY_LENGTHS,       /* ucb, ucb+, mucb over n */
    SEGUE_STUDY_BASELINES,     /* what needs no models, over n */
    SEGUE_STUDY_TUCB_LENGTHS,  /* tUCB over n and J, except the n of the next */
    SEGUE_STUDY_TUCB_TASKS,    /* tUCB over J and from task to task */
    SEGUE_STUDY_TUCB_CHOICES,  /* the same for other C and views */
    SEGUE_STUDY_RELATED,       /* related work, from task to task */
    SEGUE_STUDY_OURS,          /* our learners, over n and from task to task */
    SEGUE_STUDY_PROBES,        /* arms that are best for no model, which are known */
    SEGUE_STUDY_PROBES_TASKS,  /* the same where models are learned */
    SEGUE_STUDY_IDENTIFY,      /* tUCB that identifies models first */
    SEGUE_STUDY_THREE_PULLS,   /* RTP with three pulls of every arm per task */
    SEGUE_STUDY_FRESH_REWARDS, /* errors from tUCB's rewards and from independent ones */
    SEGUE_STUDY_WEIGHTS,       /* tUCB with weights by pulls, em, a frozen estimate */
    SEGUE_STUDY_SENSITIVITY,   /* alternatives to choices, beside the defaults */
    SEGUE_STUDY_LAWS,          /* other reward laws */
    SEGUE_STUDY_TESTING,       /* UCB with a hypothesis test */
    SEGUE_STUDY_ESTIMATORS,    /* tUCB with other estimators */
    SEGUE_STUDY_SWEEP,         /* errors of RTP for other model sets */
    SEGUE_N_STUDIES
} segue_study;

/** The name of an experiment, and of its files. */
const char *segue_paper_study_name(segue_study study);

/** Numbers of tasks, J, that a table shows. */
#define SEGUE_MAX_TABLE_TASKS 6

/** Columns of complexities and bounds. */
enum { SEGUE_COLUMN_UCB, SEGUE_COLUMN_UCB_PLUS, SEGUE_COLUMN_MUCB, SEGUE_N_COLUMNS };

typedef struct segue_paper {
    segue_results *results[SEGUE_N_STUDIES];
    segue_models *models;                  /* the same in all experiments */
    double (*complexity)[SEGUE_N_COLUMNS]; /* n_models */
    double average[SEGUE_N_COLUMNS];       /* by the weights */
    segue_spectrum spectrum;
    double smallest_gap; /* of an arm to the best one, over models */
    double gap_sum;      /* the sum of all gaps of a model, by the weights: what a pull of each
                            arm costs */
    size_t n_tucb;
    const segue_cell **tucb;                 /* n_tucb: tUCB of both experiments, by n and then J */
    const segue_cell *longest;               /* of tUCB from task to task: the most tasks */
    const segue_cell *ucb, *ucb_plus, *mucb; /* single tasks of as many steps */
} segue_paper;

/**
 * Read the results in `folder` and compute the theory.
 *
 * @retval SEGUE_EFILE, SEGUE_EPARSE, SEGUE_EDOMAIN  a file is missing or lacks what is needed
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_paper_read(segue_paper **out, const char *folder,
                                               segue_error *err);
void segue_paper_destroy(segue_paper *paper);

/** tUCB for n and J; NULL: it was not played. */
const segue_cell *segue_paper_tucb(const segue_paper *paper, uint64_t steps, uint64_t tasks);

/** The regret of a cell on one model; NaN: the cell does not have the model. */
segue_regret segue_paper_model_regret(const segue_cell *cell, size_t model);

/** Truncate a number after its second decimal, as the paper prints them. */
double segue_paper_truncate(double x);

/** The bound of the theorems on the regret of a task of n steps: for a column, averaged by the
 * weights; for a complexity; for tUCB with a complexity, including its forced pulls. */
double segue_paper_bound(const segue_paper *paper, size_t which, uint64_t steps);
double segue_paper_bound_of(const segue_paper *paper, double complexity, uint64_t steps);
double segue_paper_bound_tucb(const segue_paper *paper, double complexity, uint64_t steps);

/** The task of J from which eps_j is so small that every model has a single best arm. */
double segue_paper_resolved_after(const segue_paper *paper, double c, uint64_t n_tasks,
                                  uint64_t steps);

#endif
