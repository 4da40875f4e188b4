/* test_rivals.c - learners of others against independent computations of the same numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "transfer_fixture.h"

#include "transfer/rivals/v_ids.h"

/* Close a task with these rewards of each arm: `won` ones, the rest zeros. */
static void close_with(segue_learner *learner, const int *won, const int *pulls)
{
    segue_task *task = open_a_task(learner);
    for (size_t arm = 0; arm < ARMS; arm++)
        for (int t = 0; t < pulls[arm]; t++)
            tell(task, arm, t < won[arm] ? 1.0 : 0.0);
    assert_ok(segue_learner_close_task(learner, &task, NULL));
}

static const int won[3][ARMS] = {{3, 0, 1}, {1, 2, 0}, {4, 1, 0}};
static const int pulls[3][ARMS] = {{4, 1, 2}, {5, 2, 0}, {4, 3, 0}};

/* ---- ada-ts ------------------------------------------------------------------------------ */

/* Solve the 5 x 5 system A x = y by Gauss-Jordan elimination. */
static void solve(double A[5][5], double *y)
{
    for (size_t i = 0; i < 5; i++)
        for (size_t r = 0; r < 5; r++) {
            const double factor = r == i ? 0.0 : A[r][i] / A[i][i];
            for (size_t c = 0; c < 5; c++)
                A[r][c] -= factor * A[i][c];
            y[r] -= factor * y[i];
        }
    for (size_t i = 0; i < 5; i++)
        y[i] /= A[i][i];
}

/* The joint precision of the prior's mean (variable 0), three closed tasks and a new one. */
static void joint_precision(size_t arm, double A[5][5], double *y)
{
    memset(A, 0, 25 * sizeof(double));
    A[0][0] = 1.0 / 0.25;
    y[0] = 0.5 / 0.25;
    for (size_t j = 1; j < 5; j++) {
        const double count = j < 4 ? pulls[j - 1][arm] : 0.0, sum = j < 4 ? won[j - 1][arm] : 0.0;
        A[0][0] += 1.0 / 0.01;
        A[0][j] = A[j][0] = -1.0 / 0.01;
        A[j][j] = 1.0 / 0.01 + count / 0.25;
        y[j] = sum / 0.25;
    }
}

static void ada_ts_has_the_posterior_of_the_joint_gaussian(void **state)
{
    (void)state;
    segue_learner *learner = learner_of("ada-ts", false);
    for (size_t j = 0; j < 3; j++)
        close_with(learner, won[j], pulls[j]);
    for (size_t arm = 0; arm < ARMS; arm++) {
        double A[5][5], mean[5], column[5] = {0, 0, 0, 0, 1};
        joint_precision(arm, A, mean);
        solve(A, mean);
        joint_precision(arm, A, (double[5]){0});
        solve(A, column); /* of the inverse: variances with the new task's mean */
        assert_near(learner->current->prior.a[arm], mean[4], 1e-12);
        assert_near(learner->current->prior.b[arm], column[4], 1e-12);
    }
    segue_learner_destroy(learner);
}

/* ---- hier-ts ----------------------------------------------------------------------------- */

/* The probability of the rewards of an arm in a task, one after the other. */
static double chain_rule(double a, double b, int ones, int count)
{
    double product = 1.0;
    for (int t = 0; t < count; t++) {
        product *= (t < ones ? a : b) / (a + b);
        *(t < ones ? &a : &b) += 1.0;
    }
    return product;
}

static void hier_ts_has_the_posterior_of_its_grid(void **state)
{
    (void)state;
    enum { MEANS = 20, KAPPAS = 7 };
    segue_learner *learner = learner_of("hier-ts", false);
    for (size_t j = 0; j < 3; j++)
        close_with(learner, won[j], pulls[j]);
    for (size_t arm = 0; arm < ARMS; arm++) {
        double weight[KAPPAS][MEANS], total = 0.0;
        for (size_t k = 0; k < KAPPAS; k++)
            for (size_t m = 0; m < MEANS; m++) {
                const double kappa = (double)(2U << k), mean = 0.025 + 0.05 * (double)m;
                weight[k][m] = 1.0;
                for (size_t j = 0; j < 3; j++)
                    weight[k][m] *=
                        chain_rule(kappa * mean, kappa * (1.0 - mean), won[j][arm], pulls[j][arm]);
                total += weight[k][m];
            }
        for (size_t g = 0; g < MEANS * KAPPAS; g++)
            assert_near(learner->current->prior.a[arm * MEANS * KAPPAS + g],
                        weight[g / MEANS][g % MEANS] / total, 1e-12);
    }
    segue_learner_destroy(learner);
}

/* Rewards within a task move its posterior as those of a closed task move the next prior. */
static void hier_ts_learns_within_a_task_as_over_tasks(void **state)
{
    (void)state;
    enum { GRID = 140 };
    segue_learner *learner = learner_of("hier-ts", false);
    segue_task *task = open_a_task(learner);
    const double reward[] = {1.0, 0.0, 1.0, 1.0, 0.0};
    for (size_t t = 0; t < 5; t++)
        tell(task, 1, reward[t]);
    double inside[ARMS * GRID];
    memcpy(inside, segue_task_internals(task).view->state, sizeof inside);
    assert_ok(segue_learner_close_task(learner, &task, NULL));
    for (size_t i = 0; i < (size_t)ARMS * GRID; i++)
        assert_near(learner->current->prior.a[i], inside[i], 1e-12);
    assert_true(inside[GRID + GRID - 1] > 1.5 * inside[GRID + GRID - 20]); /* .975 above .025 */
    for (size_t i = 0; i < GRID; i++)
        assert_near(learner->current->prior.a[i], 1.0 / GRID, 1e-12); /* arm 0: no rewards */
    segue_learner_destroy(learner);
}

/* ---- club -------------------------------------------------------------------------------- */

enum { CLUB_TASKS = 25 };

/* All that was pulled: sums and pulls of each task and arm. */
typedef struct club_history {
    double sum[CLUB_TASKS][ARMS], pulls[CLUB_TASKS][ARMS];
    size_t n_closed;
} club_history;

static bool agrees(const club_history *h, size_t k, size_t l)
{
    bool all = true;
    for (size_t i = 0; i < ARMS; i++) {
        const double s = h->pulls[k][i], t = h->pulls[l][i];
        const double limit =
            0.5 * sqrt((1 + log(1 + s)) / (1 + s)) + 0.5 * sqrt((1 + log(1 + t)) / (1 + t));
        all &= s == 0 || t == 0 || fabs(h->sum[k][i] / s - h->sum[l][i] / t) <= limit;
    }
    return all;
}

/* Mark all that can be reached from the marked tasks over edges of closed tasks. */
static void spread(const club_history *h, bool *in)
{
    for (size_t round = 0; round < h->n_closed; round++)
        for (size_t k = 0; k < h->n_closed; k++)
            for (size_t l = 0; l < h->n_closed; l++)
                in[l] |= in[k] && agrees(h, k, l);
}

/* Edges that were deleted earlier in the task stay deleted: `in` is carried from step to step. */
static size_t club_choice(const club_history *h, const bool *joined, bool whole)
{
    bool in[CLUB_TASKS];
    memcpy(in, joined, sizeof in);
    if (whole)
        spread(h, in);
    double sum[ARMS] = {0}, count[ARMS] = {0}, all = 0, index[ARMS];
    for (size_t i = 0; i < ARMS; i++) {
        for (size_t k = 0; k <= h->n_closed; k++)
            if (k == h->n_closed || in[k]) {
                sum[i] += h->sum[k][i];
                count[i] += h->pulls[k][i];
            }
        all += count[i];
    }
    for (size_t i = 0; i < ARMS; i++)
        index[i] = count[i] == 0
                       ? INFINITY
                       : sum[i] / (1 + count[i]) + 0.5 * sqrt(log(1 + all) / (1 + count[i]));
    size_t best = 0;
    for (size_t i = 1; i < ARMS; i++)
        best = index[i] > index[best] ? i : best;
    return best;
}

static void compare_club(const char *text, bool whole)
{
    segue_learner *learner = learner_of(text, false);
    club_history h = {.n_closed = 0};
    segue_rng rng;
    segue_rng_init(&rng, 61, 0, 0, 0);
    for (size_t j = 0; j < CLUB_TASKS; j++) {
        segue_task *task = open_a_task(learner);
        bool joined[CLUB_TASKS];
        memset(joined, true, sizeof joined);
        for (int t = 0; t < STEPS; t++) {
            const size_t arm = segue_task_ask(task);
            if (arm != club_choice(&h, joined, whole))
                fail_msg("%s, task %zu, step %d", text, j, t);
            const double reward = segue_rng_uniform(&rng) < mean_of(j % 2, arm) ? 1.0 : 0.0;
            tell(task, arm, reward);
            h.sum[j][arm] += reward;
            h.pulls[j][arm]++;
            for (size_t k = 0; k < j; k++)
                joined[k] &= agrees(&h, k, j);
        }
        assert_ok(segue_learner_close_task(learner, &task, NULL));
        h.n_closed++;
    }
    segue_learner_destroy(learner);
}

static void club_pulls_as_its_brute_force_form(void **state)
{
    (void)state;
    compare_club("club", false);
    compare_club("club:cluster=component", true);
}

/* ---- v-ids ------------------------------------------------------------------------------- */

/* The smallest ratio over a fine grid of shares of every pair. */
static double smallest_ratio(const double *regret, const double *information, size_t n)
{
    double best = INFINITY;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (double q = 0.0; q <= 1.0; q += 1e-3) {
                const double d = q * regret[i] + (1 - q) * regret[j];
                const double v = q * information[i] + (1 - q) * information[j];
                best = v > 0.0 ? fmin(best, d * d / v) : best;
            }
    return best;
}

static void v_ids_minimises_the_information_ratio(void **state)
{
    (void)state;
    enum { N = 5 };
    segue_rng rng;
    segue_rng_init(&rng, 62, 0, 0, 0);
    for (int i = 0; i < 200; i++) {
        double regret[N], information[N];
        for (size_t arm = 0; arm < N; arm++) {
            regret[arm] = segue_rng_uniform(&rng);
            information[arm] = segue_rng_uniform(&rng) < 0.2 ? 0.0 : segue_rng_uniform(&rng);
        }
        const segue_v_ids_pair p = segue_v_ids_choose(regret, information, NULL, N);
        const double d = p.share * regret[p.first] + (1 - p.share) * regret[p.second];
        const double v = p.share * information[p.first] + (1 - p.share) * information[p.second];
        const double grid = smallest_ratio(regret, information, N);
        assert_true(d * d / v <= grid * (1 + 1e-12));
        assert_true(d * d / v >= grid * (1 - 0.01)); /* a step of the grid */
    }
    const double none[2] = {0.0, 0.3}, nothing[2] = {0.0, 0.0};
    const segue_v_ids_pair sure = segue_v_ids_choose(none, nothing, NULL, 2);
    assert_int_equal(sure.share > 0.5 ? sure.first : sure.second, 0); /* all is known */
    const bool allowed[2] = {false, true};
    const segue_v_ids_pair only = segue_v_ids_choose(none, nothing, allowed, 2);
    assert_int_equal(only.first, 1);
    assert_int_equal(only.second, 1);
}

/* ---- all --------------------------------------------------------------------------------- */

static const char *const rivals[] = {"ada-ts", "hier-ts", "dp-ts", "club", "v-ids"};
enum { N_RIVALS = sizeof rivals / sizeof *rivals };

/* Two types in turn, tasks of 40 steps: arm 0 or 1 pays 0.9. Each rival pulls the good arm in more
 * than 60 % of the steps of tasks 60 to 90; without transfer, or with a wrong prior, it would
 * not. These pulls are a fixed function of the seed. */
static void every_rival_learns(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_RIVALS; i++) {
        segue_learner *learner = learner_of(rivals[i], false);
        uint64_t good = 0;
        play_tasks(learner, 0, 60);
        for (uint64_t j = 60; j < 90; j++) {
            segue_task *task = open_a_task(learner);
            play(task, j % 2, j, STEPS);
            good += segue_task_info(task).pulls[j % 2];
            assert_ok(segue_learner_close_task(learner, &task, NULL));
        }
        if (good < 30 * STEPS * 6 / 10)
            fail_msg("%s pulled the good arm %d times", rivals[i], (int)good);
        segue_learner_destroy(learner);
    }
}

static void merged_rivals_know_what_both_knew(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_RIVALS; i++) {
        segue_learner *one = learner_of(rivals[i], false), *two = learner_of(rivals[i], false);
        play_tasks(one, 0, 20);
        play_tasks(two, 20, 45);
        assert_ok(segue_learner_merge(one, two, NULL));
        assert_int_equal(segue_learner_info(one).closed, 45);
        play_tasks(one, 45, 60);
        segue_learner *loaded = load(one);
        are_same(one, loaded);
        segue_learner_destroy(one);
        segue_learner_destroy(two);
        segue_learner_destroy(loaded);
    }
}

/* Tasks without a step, of one step, all zeros, all ones, one arm only; a window that overflows. */
static void odd_tasks_do_no_harm(void **state)
{
    (void)state;
    static const char *const texts[] = {"ada-ts:sigma0=0.001", "hier-ts",
                                        "dp-ts:window=20,sweeps=2",
                                        "club:window=20,cluster=component", "club:window=5"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        segue_learner *learner = learner_of(texts[i], false);
        for (int j = 0; j < 100; j++) {
            segue_task *task = open_a_task(learner);
            const int kind = j / 7 % 5, steps = kind == 0 ? 0 : kind == 1 ? 1 : 20;
            for (int t = 0; t < steps; t++) {
                const size_t arm = segue_task_ask(task);
                assert_in_range(arm, 0, ARMS - 1);
                tell(task, kind == 4 ? 0 : arm, kind == 2 ? 0.0 : kind == 3 ? 0.3 : 1.0);
            }
            assert_ok(segue_learner_close_task(learner, &task, NULL));
        }
        segue_type_list found;
        assert_ok(segue_learner_types(learner, &found, NULL));
        assert_int_equal(found.n_types, 0);
        segue_type_list_fini(&found);
        segue_learner *loaded = load(learner);
        are_same(learner, loaded);
        segue_learner_destroy(loaded);
        segue_learner_destroy(learner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ada_ts_has_the_posterior_of_the_joint_gaussian),
        cmocka_unit_test(hier_ts_has_the_posterior_of_its_grid),
        cmocka_unit_test(hier_ts_learns_within_a_task_as_over_tasks),
        cmocka_unit_test(club_pulls_as_its_brute_force_form),
        cmocka_unit_test(v_ids_minimises_the_information_ratio),
        cmocka_unit_test(every_rival_learns),
        cmocka_unit_test(merged_rivals_know_what_both_knew),
        cmocka_unit_test(odd_tasks_do_no_harm),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
