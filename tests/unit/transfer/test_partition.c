/* test_partition.c - collapsed Gibbs against the exact posterior of all partitions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "transfer/rivals/partition.h"

enum { TASKS = 4, ARMS = 2, N_PARTITIONS = 15 };

static const double sums[TASKS][ARMS] = {{3, 1}, {2.5, 0}, {0, 2}, {1, 2}};
static const double pulls[TASKS][ARMS] = {{4, 2}, {3, 1}, {2, 2}, {3, 3}};

/* Partitions of four tasks as restricted growth strings, 0000 to 0123; returns how many. */
static size_t list_partitions(size_t z[N_PARTITIONS][TASKS])
{
    size_t count = 0;
    for (size_t b = 0; b < 2; b++)
        for (size_t c = 0; c <= b + 1; c++)
            for (size_t d = 0; d <= (c > b ? c : b) + 1; d++) {
                const size_t own[TASKS] = {0, b, c, d};
                memcpy(z[count++], own, sizeof own);
            }
    return count;
}

/* ln of alpha^clusters prod (n_c - 1)! prod B(1 + won, 1 + lost), up to a constant. */
static double log_joint(const size_t *z, double alpha)
{
    double total = 0.0;
    for (size_t c = 0; c < TASKS; c++) {
        double n = 0.0, won[ARMS] = {0}, lost[ARMS] = {0};
        for (size_t k = 0; k < TASKS; k++)
            for (size_t i = 0; i < ARMS && z[k] == c; i++) {
                n += i == 0;
                won[i] += sums[k][i];
                lost[i] += pulls[k][i] - sums[k][i];
            }
        if (n == 0.0)
            continue;
        total += log(alpha) + lgamma(n);
        for (size_t i = 0; i < ARMS; i++)
            total += lgamma(1 + won[i]) + lgamma(1 + lost[i]) - lgamma(2 + won[i] + lost[i]);
    }
    return total;
}

/* Two labellings are the same partition. */
static bool is_same(const size_t *a, const size_t *b)
{
    bool same = true;
    for (size_t k = 0; k < TASKS; k++)
        for (size_t l = 0; l < k; l++)
            same &= (a[k] == a[l]) == (b[k] == b[l]);
    return same;
}

/* 40,000 sweeps. Successive sweeps of four tasks are nearly independent: with an effective sample
 * of at least 10,000, Hoeffding bounds a share's error by 0.04 with probability 1 - 2 exp(-32), and
 * all 15 together with a false alarm below 4e-13. */
static void sweeps_visit_partitions_by_their_posterior(void **state)
{
    (void)state;
    enum { SWEEPS = 40000 };
    const double alpha = 1.5;
    size_t z[N_PARTITIONS][TASKS];
    double exact[N_PARTITIONS], seen[N_PARTITIONS] = {0}, total = 0.0;
    assert_int_equal(list_partitions(z), N_PARTITIONS);
    for (size_t p = 0; p < N_PARTITIONS; p++)
        total += exact[p] = exp(log_joint(z[p], alpha));
    segue_partition *partition = NULL;
    segue_rng rng;
    segue_rng_init(&rng, 63, 0, 0, 0);
    assert_ok(segue_partition_create(&partition, ARMS, 10, alpha, NULL));
    for (size_t k = 0; k < TASKS; k++)
        assert_ok(segue_partition_add(partition, k + 1, sums[k], pulls[k], &rng, NULL));
    for (size_t s = 0; s < SWEEPS; s++) {
        segue_partition_sweep(partition, &rng);
        for (size_t p = 0; p < N_PARTITIONS; p++)
            seen[p] += is_same(partition->cluster, z[p]);
    }
    double all = 0.0, largest = 0.0;
    for (size_t p = 0; p < N_PARTITIONS; p++) {
        assert_near(seen[p] / SWEEPS, exact[p] / total, 0.04);
        all += seen[p];
        largest = fmax(largest, exact[p] / total);
    }
    assert_near(all, SWEEPS, 0.0); /* each sweep is one of the 15 */
    assert_true(largest > 0.1 && largest < 0.9);
    segue_partition_destroy(partition);
}

/* More tasks than clusters, each unlike the others: no new cluster is made beyond the last. */
static void clusters_are_limited(void **state)
{
    (void)state;
    segue_partition *partition = NULL;
    segue_rng rng;
    segue_rng_init(&rng, 64, 0, 0, 0);
    assert_ok(segue_partition_create(&partition, ARMS, 300, 1e6, NULL));
    const double sum[ARMS] = {1, 0}, count[ARMS] = {1, 1};
    for (size_t k = 0; k < 300; k++)
        assert_ok(segue_partition_add(partition, k + 1, sum, count, &rng, NULL));
    segue_partition_sweep(partition, &rng);
    assert_true(segue_partition_count(partition) > SEGUE_MAX_CLUSTERS / 2);
    double total = 0.0;
    for (size_t c = 0; c < SEGUE_MAX_CLUSTERS; c++)
        total += partition->size[c];
    assert_near(total, 300.0, 0.0);
    segue_partition_destroy(partition);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_visit_partitions_by_their_posterior),
        cmocka_unit_test(clusters_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
