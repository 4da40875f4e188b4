/* test_tensor_error.c - Lemma 6, Theorem 5 and the last steps of Theorem 2, on perturbed moments.
 *
 * M2 takes an error of norm eps_2, M3 a symmetric rank-one error of norm eps_3. The operator norm
 * of a difference of tensors is replaced by its Frobenius norm, which is larger: a bound that holds
 * for that one holds. The eigenpairs come from a plain power iteration with deflation.
 * SPDX-License-Identifier: Apache-2.0 */
#include "perturbation_fixture.h"

#define PERTURBATIONS 500

typedef struct setup {
    segue_models *models;
    segue_spectrum spectrum;
    leading exact, noisy;
    double eps_2, eps_3;
    double tensor[MAX_K * MAX_K * MAX_K], noisy_tensor[MAX_K * MAX_K * MAX_K];
} setup;

/* Add size x (x) x (x) x, x a random unit vector. */
static void add_rank_one(segue_rng *rng, size_t n, double size, double *tensor)
{
    double x[MAX_K];
    random_unit(rng, n, x);
    for (size_t i = 0; i < n * n * n; i++)
        tensor[i] += size * x[i / n / n] * x[i / n % n] * x[i % n];
}

/* Perturb both moments and whiten each third moment with its own second. */
static void perturb(setup *s, segue_rng *rng)
{
    const size_t K = s->models->n_arms, m = s->models->n_models;
    double second[MAX_K * MAX_K], third[MAX_K * MAX_K * MAX_K], error[MAX_K * MAX_K];
    segue_true_moments_second(s->models, second);
    segue_true_moments_third(s->models, third);
    const leading full = leading_of(K, K, second);
    s->exact = leading_of(K, m, second);
    whiten(&s->exact, third, s->tensor);
    random_error(rng, 3, &full, s->eps_2, error);
    for (size_t i = 0; i < K * K; i++)
        second[i] += error[i];
    add_rank_one(rng, K, s->eps_3, third);
    s->noisy = leading_of(K, m, second);
    align(&s->noisy, &s->exact);
    whiten(&s->noisy, third, s->noisy_tensor);
}

/* The paper's set in every fifth repeat, else a random one. */
static segue_models *models_for(int repeat, segue_rng *rng, segue_spectrum *spectrum)
{
    if (repeat % 5)
        return separated_models(rng, 1, spectrum);
    segue_models *models = paper_models();
    assert_ok(segue_spectrum_compute(spectrum, models, NULL));
    return models;
}

static double largest_eps_2(const segue_spectrum *spectrum)
{
    return 0.5 * fmin(spectrum->sigma_min, spectrum->gap); /* fmin ignores a NaN gap */
}

static double tensor_distance(const setup *s)
{
    double square = 0.0;
    for (size_t i = 0; i < s->exact.m * s->exact.m * s->exact.m; i++)
        square += (s->tensor[i] - s->noisy_tensor[i]) * (s->tensor[i] - s->noisy_tensor[i]);
    return sqrt(square);
}

static void lemma_6_bounds_the_error_of_the_tensor(void **state)
{
    (void)state;
    segue_rng rng;
    int printed = 0;
    double closest = 0.0;
    segue_rng_init(&rng, 83, 0, 0, 0);
    for (int i = 0; i < repeats(PERTURBATIONS); i++) {
        setup s;
        s.models = models_for(i, &rng, &s.spectrum);
        s.eps_2 = segue_rng_uniform(&rng) * largest_eps_2(&s.spectrum);
        s.eps_3 = segue_rng_uniform(&rng) * segue_rng_uniform(&rng);
        perturb(&s, &rng);
        const double bound =
            segue_tensor_error_bound(s.models, &s.spectrum, s.eps_2, s.eps_3, SEGUE_FORM_CORRECTED);
        const double distance = tensor_distance(&s);
        if (!(distance <= bound))
            fail_msg("the tensor is off by %g; the bound is %g", distance, bound);
        printed += distance > segue_tensor_error_bound(s.models, &s.spectrum, s.eps_2, s.eps_3,
                                                       SEGUE_FORM_PRINTED);
        closest = fmax(closest, distance / bound);
        segue_models_destroy(s.models);
    }
    print_message(
        "Lemma 6: as printed %d violations, corrected 0; largest share of the bound %.3f\n",
        printed, closest);
}

/* T(I, v, v). */
static void apply(size_t m, const double *tensor, const double *v, double *out)
{
    for (size_t i = 0; i < m; i++) {
        out[i] = 0.0;
        for (size_t j = 0; j < m * m; j++)
            out[i] += tensor[i * m * m + j] * v[j / m] * v[j % m];
    }
}

static double normalise(size_t m, double *v)
{
    double square = 0.0;
    for (size_t i = 0; i < m; i++)
        square += v[i] * v[i];
    for (size_t i = 0; i < m; i++)
        v[i] /= sqrt(square);
    return sqrt(square);
}

/* The eigenpairs of a nearly orthogonal tensor, which is deflated: 30 starts, 60 steps each. */
static void eigenpairs(segue_rng *rng, size_t m, double *tensor, double *value,
                       double vector[MAX_K][MAX_K])
{
    for (size_t pair = 0; pair < m; pair++) {
        value[pair] = -INFINITY;
        for (int start = 0; start < 30; start++) {
            double v[MAX_K], next[MAX_K], lambda = 0.0;
            random_unit(rng, m, v);
            for (int step = 0; step < 60; step++) {
                apply(m, tensor, v, next);
                lambda = normalise(m, next);
                memcpy(v, next, sizeof v);
            }
            if (lambda > value[pair]) {
                value[pair] = lambda;
                memcpy(vector[pair], v, sizeof v);
            }
        }
        for (size_t i = 0; i < m * m * m; i++)
            tensor[i] -= value[pair] * vector[pair][i / m / m] * vector[pair][i / m % m] *
                         vector[pair][i % m];
    }
}

/* The true eigenpair of a model: lambda = rho^-1/2, v = W^T mu rho^1/2. */
static double true_pair(const setup *s, size_t model, double *v)
{
    const double rho = s->models->weight[model];
    for (size_t i = 0; i < s->exact.m; i++) {
        v[i] = 0.0;
        for (size_t k = 0; k < s->exact.K; k++)
            v[i] += s->exact.u[i][k] * segue_models_row(s->models, model)[k];
        v[i] *= sqrt(rho / s->exact.value[i]);
    }
    return 1.0 / sqrt(rho);
}

static size_t nearest(size_t m, const double *v, double vector[MAX_K][MAX_K], double *distance)
{
    size_t found = 0;
    *distance = INFINITY;
    for (size_t j = 0; j < m; j++) {
        double square = 0.0;
        for (size_t i = 0; i < m; i++)
            square += (v[i] - vector[j][i]) * (v[i] - vector[j][i]);
        if (sqrt(square) < *distance) {
            *distance = sqrt(square);
            found = j;
        }
    }
    return found;
}

/* C1 is not specified; a tenth is enough here. */
static void theorem_5_bounds_the_errors_of_eigenpairs(void **state)
{
    (void)state;
    segue_rng rng;
    double worst_vector = 0.0, worst_value = 0.0;
    segue_rng_init(&rng, 84, 0, 0, 0);
    for (int i = 0; i < repeats(PERTURBATIONS); i++) {
        setup s;
        double value[MAX_K], vector[MAX_K][MAX_K], v[MAX_K], distance;
        s.models = models_for(i, &rng, &s.spectrum);
        s.eps_2 = s.eps_3 = 0.0;
        perturb(&s, &rng);
        const size_t m = s.exact.m;
        const double eps = 0.1 * segue_rng_uniform(&rng) * s.spectrum.lambda_min / (double)m;
        memcpy(s.noisy_tensor, s.tensor, sizeof s.tensor);
        add_rank_one(&rng, m, eps, s.noisy_tensor);
        eigenpairs(&rng, m, s.noisy_tensor, value, vector);
        for (size_t k = 0; k < m; k++) {
            const double lambda = true_pair(&s, k, v);
            const size_t found = nearest(m, v, vector, &distance);
            const segue_tensor_error bound =
                segue_tensor_error_of(s.models, &s.spectrum, lambda, eps, 0.1);
            assert_true(bound.applies);
            assert_true(distance <= bound.vector + 1e-9);
            assert_true(fabs(lambda - value[found]) <= bound.value + 1e-9);
            worst_vector = fmax(worst_vector, (distance - 1e-9) / bound.vector);
            worst_value = fmax(worst_value, (fabs(lambda - value[found]) - 1e-9) / bound.value);
        }
        segue_models_destroy(s.models);
    }
    print_message("Theorem 5: largest share of the bound %.2f (v), %.2f (lambda)\n", worst_vector,
                  worst_value);
    segue_models *models = paper_models();
    segue_spectrum spectrum;
    assert_ok(segue_spectrum_compute(&spectrum, models, NULL));
    assert_false(segue_tensor_error_of(models, &spectrum, 1.0, 0.5, 1.0).applies); /* > sqrt(5)/5 */
    segue_models_destroy(models);
}

/* The distance of lambda_hat B_hat v_hat to the model's means. */
static double mean_error(const setup *s, size_t model, double lambda, const double *v)
{
    double square = 0.0;
    for (size_t k = 0; k < s->exact.K; k++) {
        double mean = 0.0;
        for (size_t i = 0; i < s->exact.m; i++)
            mean += lambda * s->noisy.u[i][k] * sqrt(s->noisy.value[i]) * v[i];
        const double difference = mean - segue_models_row(s->models, model)[k];
        square += difference * difference;
    }
    return sqrt(square);
}

/* Choose eps_2 and eps_3 such that Lemma 6 bounds eps by a tenth of lambda_min / m. */
static void choose_errors(setup *s, segue_rng *rng)
{
    const double max_eps = 0.1 * s->spectrum.lambda_min / (double)s->models->n_models;
    s->eps_2 = largest_eps_2(&s->spectrum) * segue_rng_uniform(rng);
    s->eps_3 = segue_rng_uniform(rng);
    while (segue_tensor_error_bound(s->models, &s->spectrum, s->eps_2, s->eps_3,
                                    SEGUE_FORM_CORRECTED) > max_eps) {
        s->eps_2 *= 0.7;
        s->eps_3 *= 0.7;
    }
}

static void the_proof_of_theorem_2_bounds_the_means(void **state)
{
    (void)state;
    segue_rng rng;
    double closest = 0.0;
    segue_rng_init(&rng, 85, 0, 0, 0);
    for (int i = 0; i < repeats(PERTURBATIONS); i++) {
        setup s;
        double value[MAX_K], vector[MAX_K][MAX_K], v[MAX_K], distance;
        s.models = models_for(i, &rng, &s.spectrum);
        choose_errors(&s, &rng);
        perturb(&s, &rng);
        const double bound =
            segue_perturbation_means(s.models, &s.spectrum, s.eps_2, s.eps_3, SEGUE_FORM_CORRECTED);
        eigenpairs(&rng, s.exact.m, s.noisy_tensor, value, vector);
        for (size_t k = 0; k < s.exact.m; k++) {
            (void)true_pair(&s, k, v);
            const size_t found = nearest(s.exact.m, v, vector, &distance);
            const double error = mean_error(&s, k, value[found], vector[found]);
            assert_true(error <= bound + 1e-9);
            closest = fmax(closest, error / bound);
        }
        segue_models_destroy(s.models);
    }
    print_message("means: largest share of the bound of Theorem 2's proof %.3g\n", closest);
}

/* The corrected C(Theta) with C3 = 3200 covers the proof's bound at the smallest number of tasks
 * that the corrected conditions allow, for C1 = 1; docs/math.md derives the 3200. */
static void the_corrected_constant_covers_the_proof(void **state)
{
    (void)state;
    segue_rng rng;
    const double delta = 0.05;
    segue_rng_init(&rng, 86, 0, 0, 0);
    for (int i = 0; i < repeats(PERTURBATIONS); i++) {
        segue_spectrum spectrum;
        segue_models *models = models_for(i, &rng, &spectrum);
        const double K = (double)models->n_arms, m = (double)models->n_models;
        const segue_perturbation_tasks needed =
            segue_perturbation_tasks_needed(models, &spectrum, delta, 1.0);
        const double tasks = needed.tensor_corrected;
        const segue_perturbation p =
            segue_perturbation_bound(models, &spectrum, tasks, delta / 2.0, 3200.0, 1.0);
        /* eps_2 and eps_3 of Lemma 7 at delta / 2 meet the conditions of Lemma 5 and Theorem 5 */
        assert_true(needed.tensor_corrected >= needed.moments);
        assert_true(segue_whitening_bound(models, &spectrum, p.second_moment, SEGUE_FORM_CORRECTED)
                        .applies);
        const double eps = segue_tensor_error_bound(models, &spectrum, p.second_moment,
                                                    p.third_moment, SEGUE_FORM_CORRECTED);
        assert_true(segue_tensor_error_of(models, &spectrum, 1.0, eps, 1.0).applies);
        const double rate = pow(K, 2.5) * m * m * sqrt(log(4.0 * K / delta) / tasks);
        assert_true(segue_perturbation_means(models, &spectrum, p.second_moment, p.third_moment,
                                             SEGUE_FORM_CORRECTED) <= p.constant_corrected * rate);
        segue_models_destroy(models);
    }
}

/* Both conditions, recomputed for the paper's set. */
static void the_conditions_on_tasks_have_the_proofs_form(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    segue_spectrum s;
    assert_ok(segue_spectrum_compute(&s, models, NULL));
    const segue_perturbation_tasks t = segue_perturbation_tasks_needed(models, &s, 0.01, 0.5);
    const double sum = 1 / s.gap + 1 / s.sigma_min;
    assert_near(t.moments / (16 * 49 * log(1400.0) / (s.gap * s.gap)), 1.0, 1e-12);
    const double shared = 1849 * pow(5, 5) * log(2800.0) * sum * sum / (pow(s.sigma_min, 3) * 5.0);
    assert_near(t.tensor / (shared * pow(7, 6) / 0.5), 1.0, 1e-12);
    assert_near(t.tensor_corrected / (shared * pow(7, 5) / 0.25), 1.0, 1e-12);
    /* at exactly that many tasks Lemma 7 gives the largest eps_2 of Lemma 5 */
    const segue_perturbation p = segue_perturbation_bound(models, &s, t.moments, 0.01, 1, 1);
    assert_near(p.second_moment / (s.gap / 2), 1.0, 1e-12);
    segue_models_destroy(models);
}

/* Solving the second condition for the tasks squares C1. With the printed C1 a small constant asks
 * for too few tasks: the proof's own bound on eps then exceeds C1 lambda_min / m. */
static void the_printed_condition_asks_for_too_few_tasks(void **state)
{
    (void)state;
    const double delta = 0.05, c1 = 1e-4;
    segue_models *models = paper_models();
    segue_spectrum s;
    assert_ok(segue_spectrum_compute(&s, models, NULL));
    const segue_perturbation_tasks t = segue_perturbation_tasks_needed(models, &s, delta, c1);
    const double tasks[2] = {t.tensor, t.tensor_corrected};
    for (int corrected = 0; corrected < 2; corrected++) {
        const segue_perturbation p =
            segue_perturbation_bound(models, &s, tasks[corrected], delta / 2.0, 1.0, 1.0);
        const double eps = segue_tensor_error_bound(models, &s, p.second_moment, p.third_moment,
                                                    SEGUE_FORM_CORRECTED);
        assert_int_equal(segue_tensor_error_of(models, &s, 1.0, eps, c1).applies, corrected);
    }
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lemma_6_bounds_the_error_of_the_tensor),
        cmocka_unit_test(theorem_5_bounds_the_errors_of_eigenpairs),
        cmocka_unit_test(the_proof_of_theorem_2_bounds_the_means),
        cmocka_unit_test(the_corrected_constant_covers_the_proof),
        cmocka_unit_test(the_conditions_on_tasks_have_the_proofs_form),
        cmocka_unit_test(the_printed_condition_asks_for_too_few_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
