/* workspace.h - the numbers of one decision of look-ahead, for lookahead.c.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_BANDIT_LOOKAHEAD_WORKSPACE_H
#define SEGUE_BANDIT_LOOKAHEAD_WORKSPACE_H

#include "bandit/lookahead/lookahead.h"

#define LANES  4 /* candidates compared at a time */
#define POWERS (SEGUE_MAX_BLOCK + 1)

/* The workspace of a decision. Arrays of the active components are contiguous. */
typedef struct workspace {
    const segue_belief *belief;
    size_t n_arms, n_active; /* components */
    size_t best;             /* e */
    size_t n_top, stride;    /* candidates, and that rounded up to LANES */
    size_t n_rivals;         /* candidates that can be better than e, with e */
    size_t *active;          /* n_active: indices of components */
    size_t *top;             /* n_top: the candidates; the first is e */
    double *weight;          /* n_active */
    double *mean;            /* n_active x n_arms */
    double *value;           /* n_arms: V */
    double *top_mean;        /* n_active x stride; 0 after the candidates */
    double *probability;     /* n_active: weight times the probability of a group of outcomes */
    double *after;           /* n_active: probability times the arm's mean after these outcomes */
    /* the arm that is evaluated, for each component: */
    double *saved;           /* n_active: its means as a candidate, which are 0 meanwhile */
    double *own;             /* n_active: its mean */
    double *step;            /* n_active */
    double *rival;           /* n_active: the largest mean of another arm */
    double *scale;           /* n_active: weight / all(block) */
    double *scale_after;     /* n_active: scale / (1 + block step) */
    double *up, *down, *all; /* POWERS x n_active */
    size_t powers;           /* computed products */
    /* with costs: */
    double max_cost;
    double stay;  /* what the last arm gains per pull to the end, because it needs no switch */
    double bonus; /* of the evaluated arm: largest cost minus its own */
    double go_on; /* what it gains per pull after its block, because it needs no switch */
} workspace;

static inline double larger(double x, double y)
{
    return x > y ? x : y;
}

/* Return the largest cost minus that of an arm. */
static inline double segue_workspace_bonus(const workspace *s, size_t arm)
{
    return s->belief->cost ? s->max_cost - s->belief->cost[arm] : 0.0;
}

/* Fill the workspace in scratch memory, with `remaining` pulls to come; 0: not known, and switches
 * cost nothing. */
void segue_workspace_fill(workspace *s, const segue_belief *belief, double remaining, void *memory);

#endif
