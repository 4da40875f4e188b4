/* brute_force.h - every policy again, recomputed from the history of pulls and rewards.
 *
 * The forms share no code with the policies but the random samplers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TESTS_BRUTE_FORCE_H
#define SEGUE_TESTS_BRUTE_FORCE_H

#include "segue/segue.h"

typedef struct history {
    size_t length;     /* of the whole run */
    size_t task_start; /* first pull of the current task */
    size_t arm[4000];
    double reward[4000];
    size_t model_index[4000]; /* the model of the task of each pull */
} history;

typedef struct brute {
    const segue_models *models;
    size_t n_arms;
    double n;     /* steps per task */
    double tasks; /* per run */
    size_t model_index;
    segue_rng rng;
    const history *past;
    double asked[64];   /* asks of each arm in this task */
    double pending[64]; /* rewards of each arm that are expected */
    double step;        /* the sum of `asked` */
    size_t held;        /* look-ahead: the held arm */
    double hold;        /* remaining pulls of it */
    int plain;          /* all weights of rewards are 1 */
    size_t weighed;     /* rewards of this task in the numbers below */
    int graded;         /* one of them is between 0 and 1 */
    double level, unit, weight[64];
    double cost[64], switch_cost; /* of a pull of each arm; of another arm than the last */
    size_t last;                  /* arm of the last ask of this task; n_arms: none */
} brute;

/* Pulls of an arm, and the sum of its rewards, from pull `start` on. */
double brute_pulls(const brute *b, size_t start, size_t arm);
double brute_sum(const brute *b, size_t start, size_t arm);

/* How many rewards of 0 or 1 a reward of an arm counts as. */
double brute_weight(brute *b, size_t arm);

/* Return the cost of a pull of an arm, a switch being spread over the pulls to come, at most over the
 * root of those so far. */
double brute_cost(const brute *b, size_t arm);

/* Return the first of the largest numbers. */
size_t brute_first_largest(const double *x, size_t count);

/* Return the index of an arm without a reward: infinite, unless an ask of it is outstanding. */
double brute_unseen(const brute *b, size_t arm);

/* Return the first largest; if every arm waits for its first reward, the allowed one (NULL: any)
 * with the fewest asks. */
size_t brute_pick(const brute *b, const double *index, const bool *allowed);

/* Return the arm that the policy of this name must choose. */
size_t bf_ucb(brute *b);
size_t bf_ucb_plus(brute *b);
size_t bf_mucb(brute *b);
size_t bf_umucb(brute *b);
size_t bf_umucb_eps(brute *b);
size_t bf_umucb_large(brute *b);
size_t bf_mts(brute *b);
size_t bf_ucb_test(brute *b);
size_t bf_sw_ucb(brute *b);
size_t bf_sw_ucb_short(brute *b);
size_t bf_d_ucb(brute *b);
size_t bf_carried_ucb(brute *b);
size_t bf_told_ucb(brute *b);
size_t bf_ucb1(brute *b);
size_t bf_kl_ucb(brute *b);
size_t bf_ts(brute *b);
size_t bf_la(brute *b);
size_t bf_ts_plain(brute *b); /* dispersion=1 */
size_t bf_la_plain(brute *b);
size_t bf_mla(brute *b);
size_t bf_moss(brute *b);
size_t bf_imed(brute *b);
size_t bf_bayes_ucb(brute *b);
size_t bf_bayes_ucb_5(brute *b);
size_t bf_eps_greedy(brute *b);
size_t bf_eps_greedy_falling(brute *b);
size_t bf_exp3(brute *b);
size_t bf_exp3_half(brute *b);
size_t bf_round_robin(brute *b);

#endif
