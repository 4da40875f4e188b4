/* test_features.c - the table of features, and how they shift types.
 * SPDX-License-Identifier: Apache-2.0 */
#include "estimate/features/feature_shift.h"
#include "support.h"

enum { TASKS = 40, WINDOW = 64 };

static segue_feature text_of(const char *name, const char *text)
{
    return (segue_feature){.name = name, .text = text};
}

static segue_feature number_of(const char *name, double number)
{
    return (segue_feature){.name = name, .number = number};
}

/* Add a task to a table with a window of WINDOW tasks. */
static void push(feature_table *t, size_t *n_tasks, const segue_feature *features, size_t n)
{
    const bool is_full = *n_tasks == WINDOW;
    assert_ok(segue_feature_table_reserve(t, WINDOW, features, n, NULL));
    segue_feature_table_push(t, *n_tasks, is_full, features, n);
    *n_tasks += !is_full;
}

/* ---- formulas, computed in another way --------------------------------------------------- */

/* The log probability of a sequence of categories, one after the other by their predictive
 * probabilities, with a Dirichlet prior a m per type; minus that of independent draws from m. */
static double sequential_evidence(const size_t *type, const size_t *cell, size_t n, const double *m,
                                  size_t n_cells, double a)
{
    double count[4][16] = {{0}}, total[4] = {0}, sum = 0.0;
    for (size_t l = 0; l < n; l++) {
        const size_t c = type[l], v = cell[l];
        assert_true(v < n_cells);
        sum += log((count[c][v] + a * m[v]) / (total[c] + a)) - log(m[v]);
        count[c][v] += 1.0;
        total[c] += 1.0;
    }
    return sum;
}

/* The factor of type `c` in cell `v`, over the listed levels (cells per cell) and all concentrations. */
static double expected_factor(const size_t *type, const size_t *fine, size_t n, size_t n_fine,
                              size_t levels, size_t c, size_t v, double *relevance)
{
    static const double concentration[] = {1.0, 4.0, 16.0, 64.0};
    double weight = 0.5, top = 0.5; /* of no dependence, whose factor is 1 */
    for (size_t level = 0; level < levels; level++) {
        size_t cell[TASKS];
        double m[16] = {0}, n_cv = 0.0, n_c = 0.0;
        const size_t width = (size_t)1 << level;
        for (size_t l = 0; l < n; l++) {
            cell[l] = fine[l] / width;
            m[cell[l]] += 1.0 / (double)n;
            n_c += type[l] == c;
            n_cv += type[l] == c && cell[l] == v / width;
        }
        for (size_t k = 0; k < 4; k++) {
            const double a = concentration[k];
            const double w = 0.5 / (4.0 * (double)levels) *
                             exp(sequential_evidence(type, cell, n, m, n_fine / width, a));
            weight += w;
            top += w * (n_cv + a * m[v / width]) / ((n_c + a) * m[v / width]);
        }
    }
    *relevance = 1.0 - 0.5 / weight;
    return top / weight;
}

/* A category that mostly goes with the type, in 40 tasks of three types. */
static void factors_of_a_category_are_posterior_means(void **state)
{
    static const char *const texts[] = {"a", "b", "c"};
    feature_table t = {.n_columns = 0};
    feature_shift shift;
    size_t n_tasks = 0, type[TASKS], cell[TASKS];
    uint32_t type_of[TASKS];
    (void)state;
    for (size_t l = 0; l < TASKS; l++) {
        type[l] = l % 3;
        cell[l] = l % 7 == 0 ? (l / 7) % 3 : l % 3;
        type_of[l] = (uint32_t)type[l];
    }
    cell[0] = 0; /* so that "a" is the first, "b" the second, "c" the third category */
    for (size_t l = 0; l < TASKS; l++) {
        const segue_feature f = text_of("f", texts[cell[l]]);
        push(&t, &n_tasks, &f, 1);
    }
    const typed_tasks tasks = {type_of, TASKS, 3, 3};
    assert_ok(segue_feature_shift_build(&shift, &t, tasks, NULL));
    for (size_t c = 0; c < 3; c++)
        for (size_t v = 0; v < 3; v++) {
            const segue_feature f = text_of("f", texts[v]);
            double relevance = 0.0;
            const double expected = expected_factor(type, cell, TASKS, 3, 1, c, v, &relevance);
            assert_near(segue_feature_shift_factor(&shift, &t, c, &f), expected, 1e-9 * expected);
            assert_near(shift.feature[0].relevance, relevance, 1e-9);
        }
    const segue_feature unknown[] = {text_of("f", "d"), text_of("g", "a"), number_of("f", 1.0)};
    for (size_t k = 0; k < 3; k++) /* another category, another feature, another kind */
        assert_near(segue_feature_shift_factor(&shift, &t, 0, &unknown[k]), 1.0, 0.0);
    segue_feature_shift_fini(&shift);
    segue_feature_table_fini(&t);
}

/* Numbers 0 .. 31 in 16 bins of two; type 1 has the upper half, but for a few. */
static void factors_of_a_number_are_those_of_its_bins(void **state)
{
    feature_table t = {.n_columns = 0};
    feature_shift shift;
    size_t n_tasks = 0, type[TASKS], cell[TASKS];
    uint32_t type_of[TASKS];
    (void)state;
    for (size_t l = 0; l < 32; l++) {
        const size_t x = l * 13 % 32;
        const segue_feature f = number_of("f", (double)x);
        push(&t, &n_tasks, &f, 1);
        type[l] = x % 9 == 0 ? x < 16 : x >= 16;
        cell[l] = x / 2;
        type_of[l] = (uint32_t)type[l];
    }
    const typed_tasks tasks = {type_of, 32, 2, 2};
    assert_ok(segue_feature_shift_build(&shift, &t, tasks, NULL));
    for (size_t c = 0; c < 2; c++)
        for (size_t v = 0; v < 16; v++) {
            double relevance = 0.0;
            const segue_feature f = number_of("f", 2.0 * (double)v + 0.5);
            const double expected = expected_factor(type, cell, 32, 16, 4, c, v, &relevance);
            assert_near(segue_feature_shift_factor(&shift, &t, c, &f), expected, 1e-9 * expected);
            assert_near(shift.feature[0].relevance, relevance, 1e-9);
        }
    const segue_feature far[] = {number_of("f", -1e300), number_of("f", 0.0), number_of("f", 1e300),
                                 number_of("f", 31.0)};
    for (size_t k = 0; k < 4; k += 2) /* beyond the ends: as at the ends */
        assert_near(segue_feature_shift_factor(&shift, &t, 1, &far[k]),
                    segue_feature_shift_factor(&shift, &t, 1, &far[k + 1]), 0.0);
    segue_feature_shift_fini(&shift);
    segue_feature_table_fini(&t);
}

/* Equal numbers are in one bin, and say nothing. */
static void a_constant_shifts_nothing(void **state)
{
    feature_table t = {.n_columns = 0};
    feature_shift shift;
    size_t n_tasks = 0;
    uint32_t type_of[TASKS];
    (void)state;
    for (size_t l = 0; l < TASKS; l++) {
        const segue_feature f[] = {number_of("n", 3.0), text_of("t", "x")};
        type_of[l] = l % 2;
        push(&t, &n_tasks, f, 2);
    }
    const typed_tasks tasks = {type_of, TASKS, 2, 2};
    assert_ok(segue_feature_shift_build(&shift, &t, tasks, NULL));
    const segue_feature f[] = {number_of("n", 2.0), number_of("n", 3.0), number_of("n", 4.0),
                               text_of("t", "x")};
    for (size_t k = 0; k < 4; k++)
        assert_near(segue_feature_shift_factor(&shift, &t, 1, &f[k]), 1.0, 1e-12);
    segue_feature_shift_fini(&shift);
    segue_feature_table_fini(&t);
}

/* ---- the table ----------------------------------------------------------------------------- */

static void what_no_task_of_the_window_has_is_forgotten(void **state)
{
    feature_table t = {.n_columns = 0};
    size_t n_tasks = 0;
    char name[16];
    (void)state;
    for (size_t k = 0; k < SEGUE_MAX_FEATURES + 1; k++) { /* one too many */
        (void)snprintf(name, sizeof name, "f%zu", k);
        const segue_feature f = number_of(name, (double)k);
        push(&t, &n_tasks, &f, 1);
    }
    assert_int_equal(t.n_columns, SEGUE_MAX_FEATURES);
    for (size_t k = 0; k < WINDOW; k++) {
        (void)snprintf(name, sizeof name, "c%zu", k);
        const segue_feature f = text_of("category", name);
        push(&t, &n_tasks, &f, 1);
    }
    assert_int_equal(t.n_columns, 1); /* all others left the window */
    assert_string_equal(t.column[0]->name, "category");
    for (size_t k = 0; k < WINDOW; k++)
        push(&t, &n_tasks, NULL, 0);
    assert_int_equal(t.n_columns, 0);
    assert_int_equal(segue_feature_table_bytes(&t), 0);
}

static void a_category_too_many_is_not_known(void **state)
{
    feature_table t = {.n_columns = 0};
    size_t n_tasks = 0;
    char text[16];
    (void)state;
    for (size_t k = 0; k <= SEGUE_MAX_CATEGORIES; k++) {
        (void)snprintf(text, sizeof text, "c%zu", k);
        const segue_feature f = text_of("category", text);
        assert_ok(segue_feature_table_reserve(&t, 100, &f, 1, NULL));
        segue_feature_table_push(&t, n_tasks++, false, &f, 1);
    }
    segue_feature got[SEGUE_MAX_FEATURES];
    assert_int_equal(segue_feature_table_get(&t, SEGUE_MAX_CATEGORIES - 1, got), 1);
    assert_string_equal(got[0].text, "c63");
    assert_int_equal(segue_feature_table_get(&t, SEGUE_MAX_CATEGORIES, got), 0);
    segue_feature_table_fini(&t);
}

/* Fill a table with tasks that have some of three features. */
static size_t fill(feature_table *t)
{
    size_t n_tasks = 0;
    for (size_t l = 0; l < 100; l++) {
        char text[16];
        (void)snprintf(text, sizeof text, "c%zu", l * 7 % 5);
        const segue_feature f[] = {text_of("t", text), number_of("t", (double)l / 3.0),
                                   number_of("x", -1.0)};
        push(t, &n_tasks, f + l % 2, l % 4 < 3 ? l % 4 : 2);
        if (l % 4 == 3)
            push(t, &n_tasks, NULL, 0);
    }
    return n_tasks;
}

static void bytes_lead_to_the_same_table(void **state)
{
    feature_table t = {.n_columns = 0}, read = {.n_columns = 0}, copy = {.n_columns = 0};
    segue_bytes a = {.data = NULL}, b = {.data = NULL}, c = {.data = NULL};
    (void)state;
    const size_t n_tasks = fill(&t);
    segue_feature_table_serialize(&t, n_tasks, &a);
    segue_bytes_reader r = {.data = a.data, .size = a.size};
    assert_ok(segue_feature_table_deserialize(&read, n_tasks, WINDOW, &r, NULL));
    assert_int_equal(r.at, r.size);
    assert_ok(segue_feature_table_copy(&copy, &t, n_tasks, WINDOW, NULL));
    for (size_t k = 0; k < 5; k++) { /* they go on in the same way */
        size_t full = WINDOW;
        const segue_feature f = text_of("t", k % 2 ? "c1" : "new");
        push(&t, &full, &f, 1);
        push(&read, &full, &f, 1);
        push(&copy, &full, &f, 1);
    }
    a.size = 0;
    segue_feature_table_serialize(&t, n_tasks, &a);
    segue_feature_table_serialize(&read, n_tasks, &b);
    segue_feature_table_serialize(&copy, n_tasks, &c);
    assert_int_equal(a.size, b.size);
    assert_int_equal(a.size, c.size);
    assert_memory_equal(a.data, b.data, a.size);
    assert_memory_equal(a.data, c.data, a.size);
    segue_bytes_fini(&a);
    segue_bytes_fini(&b);
    segue_bytes_fini(&c);
    segue_feature_table_fini(&t);
    segue_feature_table_fini(&read);
    segue_feature_table_fini(&copy);
}

/* Any changed byte gives a table or an error, never a crash; a cut is an error. */
static void damaged_bytes_are_refused(void **state)
{
    feature_table t = {.n_columns = 0};
    segue_bytes a = {.data = NULL};
    (void)state;
    const size_t n_tasks = fill(&t);
    segue_feature_table_serialize(&t, n_tasks, &a);
    for (size_t at = 0; at < a.size; at++) {
        feature_table read = {.n_columns = 0};
        segue_bytes_reader r = {.data = a.data, .size = at};
        assert_int_equal(segue_feature_table_deserialize(&read, n_tasks, WINDOW, &r, NULL),
                         SEGUE_EDOMAIN);
        segue_feature_table_fini(&read);
        a.data[at] ^= 0xff;
        r = (segue_bytes_reader){.data = a.data, .size = a.size};
        (void)!segue_feature_table_deserialize(&read, n_tasks, WINDOW, &r, NULL);
        segue_feature_table_fini(&read);
        a.data[at] ^= 0xff;
    }
    segue_bytes_fini(&a);
    segue_feature_table_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_of_a_category_are_posterior_means),
        cmocka_unit_test(factors_of_a_number_are_those_of_its_bins),
        cmocka_unit_test(a_constant_shifts_nothing),
        cmocka_unit_test(what_no_task_of_the_window_has_is_forgotten),
        cmocka_unit_test(a_category_too_many_is_not_known),
        cmocka_unit_test(bytes_lead_to_the_same_table),
        cmocka_unit_test(damaged_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
