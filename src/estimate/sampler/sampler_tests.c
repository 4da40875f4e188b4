/* sampler_tests.c - which arms of a type deserve test pulls.
 *
 * Look-ahead values what a pull reveals for the rest of the task, and not for later tasks of the
 * type.  A test pull of arm i under a type with best arm e gains in later tasks at most
 *
 *     N E(mu_i - mu_e)+  kappa / (kappa + 20)
 *
 * where N pulls are expected of the type: as many as it had so far.  mu_i is the type's mean of the
 * arm, Beta(1 + won, 1 + lost) with the pulls that count for the next task; where tasks differ on the
 * arm (kappa), its mean says less about a task.  A test costs some times the expected difference to
 * e (test_pull.h).  A type has test pulls if one of its arms gains more than that, and fewer if it has
 * few tasks, and may not come back.  More arms have more test pulls: a test
 * pull that pays for itself gains most when it is made early.
 * Cost: types x arms, with a distribution function where the normal law does not exclude an arm.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bandit/lookahead/retest.h"
#include "bandit/lookahead/test_pull.h"
#include "estimate/sampler/sampler_internal.h"
#include "estimate/sampler/sampler_prior.h"

#define USEFUL_KAPPA  20.0 /* of a type whose mean says half of what a task needs to know */
#define FAR           5.0  /* standard deviations by which an arm is worse for certain */
#define ARMS_PER_TEST 10.0 /* one test pull for this number of arms, ... */
#define MAX_RATE      4.0  /* ... from 1 to MAX_RATE */

static double mean_of(const type_table *t, size_t at)
{
    return t->next_a[at] / (t->next_a[at] + t->next_b[at]);
}

static double usefulness(const type_table *t, size_t at)
{
    const double kappa = segue_type_table_kappa(t->kappa[at]);
    return kappa / (kappa + USEFUL_KAPPA);
}

/* E(mu - bar)+ of the type's mean of an arm. */
static double excess(const type_table *t, size_t at, double bar)
{
    const double mean = mean_of(t, at), total = t->next_pulls[at] + 2.0;
    if (bar - mean > FAR * sqrt(mean * (1.0 - mean) / (total + 1.0)))
        return 0.0;
    return segue_retest_excess(bar, fmax(1.0, total * mean), fmax(1.0, total * (1.0 - mean)));
}

static double count_pulls(const type_table *t, size_t type)
{
    double sum = 0.0;
    for (size_t i = 0; i < t->n_arms; i++)
        sum += t->next_pulls[type * t->n_arms + i];
    return sum;
}

static double rate_of(size_t n_arms)
{
    return fmin(MAX_RATE, fmax(1.0, (double)n_arms / ARMS_PER_TEST));
}

/* Fill in the gains of a type; returns the rate of its test pulls. */
static double fill_type(const type_table *t, size_t type, size_t best, double *gain)
{
    const size_t row = type * t->n_arms;
    const double bar = mean_of(t, row + best), pulls = count_pulls(t, type);
    double max_net = 0.0, rate = 0.0;
    for (size_t i = 0; i < t->n_arms; i++) {
        const double useful = usefulness(t, row + i);
        gain[i] = i == best ? 0.0 : pulls * useful * excess(t, row + i, bar);
        const double net = gain[i] - SEGUE_TEST_PULL_COST * (bar - mean_of(t, row + i));
        if (net > max_net) {
            max_net = net;
            rate = useful;
        }
    }
    return (1.0 - 1.0 / t->size[type]) * rate * rate_of(t->n_arms);
}

void segue_sampler_tests_fill(const segue_sampler *s, const sampler_prior *p, double *tests,
                              double *gain)
{
    for (size_t q = 0; q < p->n_components; q++) {
        double *row = gain + q * s->config.n_arms;
        const bool is_type = q >= 1 && q <= p->n_types;
        for (size_t i = 0; !is_type && i < s->config.n_arms; i++)
            row[i] = 0.0;
        tests[q] = is_type ? fill_type(&s->types, q - 1, p->arm[q], row) : 0.0;
    }
}
