/* test_tally.c - tallies: exact sums, the same bytes for any division into parts, damaged files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/tally/tally.h"

#include "io/tally/tally_internal.h"
#include "support.h"
#include <stdlib.h>

#define ROWS  3000
#define SLACK "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" /* a table of strings reads 16 bytes after a name */

/* A log in memory, and the part that each row belongs to. */
typedef struct test_log {
    unsigned task[ROWS], arm[ROWS];
    double reward[ROWS];
} test_log;

static void make_log(test_log *log, segue_rng *rng, bool binary)
{
    for (size_t i = 0; i < ROWS; i++) {
        const double u = segue_rng_uniform(rng);
        log->task[i] = (unsigned)random_between(rng, 0, 60);
        log->arm[i] = (unsigned)random_between(rng, 0, 4);
        log->reward[i] = binary ? (double)(u < 0.4) : ldexp(u, -(int)random_between(rng, 0, 70));
    }
}

/* Write the rows of a part to a file, the last ones first if it is turned. */
static segue_tally tally_part(const test_log *log, const unsigned char *part, unsigned which,
                              bool turned)
{
    segue_tally tally;
    segue_error err = {.message = ""};
    FILE *file = fopen(own_path, "w");
    assert_non_null(file);
    fputs("task,arm,reward\n", file);
    for (size_t k = 0; k < ROWS; k++) {
        const size_t i = turned ? ROWS - 1 - k : k;
        if (part[i] == which)
            fprintf(file, "t%u,a%u,%.17g\n", log->task[i], log->arm[i], log->reward[i]);
    }
    assert_int_equal(fclose(file), 0);
    if (segue_tally_read_log(&tally, own_path, &(log_read_options){.highest = 1.0}, &err) !=
        SEGUE_OK)
        fail_msg("%s", err.message);
    return tally;
}

static segue_bytes bytes_of(const segue_tally *tally)
{
    segue_bytes b = {.data = NULL};
    assert_ok(segue_tally_serialize(tally, &b, NULL));
    return b;
}

static void write_file(const segue_bytes *b, size_t size)
{
    write_bytes(b->data, size);
}

/* Tally `n_parts` parts, add them in an order that starts at `first`. */
static segue_bytes add_parts(const test_log *log, const unsigned char *part, unsigned n_parts,
                             unsigned first)
{
    segue_tally sum = {.n_rows = 0};
    for (unsigned k = 0; k < n_parts; k++) {
        segue_tally one = tally_part(log, part, (first + k) % n_parts, k % 2 == 1);
        segue_bytes b = bytes_of(&one);
        write_file(&b, b.size);
        assert_ok(segue_tally_add_file(&sum, own_path, NULL));
        segue_bytes_fini(&b);
        segue_tally_fini(&one);
    }
    segue_bytes all = bytes_of(&sum);
    assert_int_equal(sum.n_rows, ROWS);
    segue_tally_fini(&sum);
    return all;
}

/* Rows go to parts at random, so that nearly every task is in nearly every part. */
static void the_bytes_do_not_depend_on_the_parts(void **state)
{
    static const unsigned counts[] = {1, 3, 64};
    static unsigned char part[ROWS];
    static test_log log;
    segue_rng rng;
    (void)state;
    segue_rng_init(&rng, 31, 0, 0, 0);
    for (int binary = 0; binary < 2; binary++) {
        segue_bytes first = {.data = NULL};
        make_log(&log, &rng, binary);
        for (size_t k = 0; k < 3; k++) {
            for (size_t i = 0; i < ROWS; i++)
                part[i] = (unsigned char)(i < 64 ? i % counts[k]
                                                 : random_between(&rng, 0, counts[k] - 1));
            segue_bytes b = add_parts(&log, part, counts[k], counts[k] / 2);
            if (!first.data) {
                first = b;
                continue;
            }
            assert_int_equal(b.size, first.size);
            assert_memory_equal(b.data, first.data, first.size);
            segue_bytes_fini(&b);
        }
        segue_bytes_fini(&first);
    }
}

/* The sum of n numbers in units of 2^-62 is within n 2^-63 of the exact one; a long double has 64
 * bits, so that its own sum of 1000 numbers below 1 is within 1000 * 500 * 2^-64. */
static void sums_are_exact(void **state)
{
    double x[1000];
    segue_rng rng;
    (void)state;
    segue_rng_init(&rng, 32, 0, 0, 0);
    long double exact = 0.0L;
    tally_sum up = {.low = 0}, down = {.low = 0};
    for (size_t i = 0; i < 1000; i++) {
        x[i] = ldexp(segue_rng_uniform(&rng), -(int)(i % 40));
        exact += (long double)x[i];
        segue_tally_sum_add(&up, segue_tally_sum_of(x[i]));
    }
    for (size_t i = 1000; i-- > 0;)
        segue_tally_sum_add(&down, segue_tally_sum_of(x[i]));
    assert_true(segue_tally_sum_is_equal(up, down));
    assert_true(fabsl(exact - (long double)segue_tally_sum_value(up)) < 1e-13L);
    assert_true(segue_tally_sum_value(segue_tally_sum_count(12345678901)) == 12345678901.0);
    assert_true(segue_tally_sum_is_equal(segue_tally_sum_of(1.0), segue_tally_sum_count(1)));
}

/* ---- damage ------------------------------------------------------------------------------ */

static void is_refused(const segue_bytes *b, size_t size, const char *says)
{
    segue_tally tally = {.n_rows = 0};
    segue_error err = {.message = ""};
    write_file(b, size);
    const segue_status status = segue_tally_add_file(&tally, own_path, &err);
    segue_tally_fini(&tally);
    if (segue_status_exit_code(status) != 2 || !strstr(err.message, says))
        fail_msg("'%s' does not say '%s'", err.message, says);
}

static segue_bytes small_tally(bool binary)
{
    static test_log log;
    static const unsigned char part[ROWS] = {0};
    segue_rng rng;
    segue_rng_init(&rng, 33, binary, 0, 0);
    make_log(&log, &rng, binary);
    segue_tally tally = tally_part(&log, part, 0, false);
    segue_bytes b = bytes_of(&tally);
    segue_tally_fini(&tally);
    return b;
}

static void a_cut_or_changed_file_is_refused(void **state)
{
    (void)state;
    segue_bytes b = small_tally(true);
    for (size_t size = 0; size < b.size; size += size < 64 ? 1 : 13)
        is_refused(&b, size, size < TALLY_MAGIC_SIZE ? "is not a tally" : "is damaged");
    for (size_t at = 0; at < b.size; at += at < 96 ? 1 : 7) {
        b.data[at] ^= 16;
        is_refused(&b, b.size, at < 8 ? "is not a tally" : at < 16 ? "version" : "is damaged");
        b.data[at] ^= 16;
    }
    segue_bytes_append_u64(&b, 0);
    is_refused(&b, b.size, "other bytes after its end");
    segue_bytes_fini(&b);
}

/* Contents are changed, and the checksum is made right: a file that is accepted is written again as
 * the same bytes. */
static bool is_accepted(const segue_bytes *b)
{
    segue_tally tally = {.n_rows = 0};
    segue_error err = {.message = ""};
    write_bytes(b->data, b->size);
    const bool is_read = segue_tally_add_file(&tally, own_path, &err) == SEGUE_OK;
    if (is_read) {
        segue_bytes again = bytes_of(&tally);
        assert_int_equal(again.size, b->size);
        assert_memory_equal(again.data, b->data, b->size);
        segue_bytes_fini(&again);
    } else {
        assert_non_null(strstr(err.message, own_path));
    }
    segue_tally_fini(&tally);
    return is_read;
}

static void a_valid_file_has_one_form(void **state)
{
    segue_rng rng;
    size_t accepted = 0;
    segue_bytes whole[2] = {small_tally(false), small_tally(true)};
    (void)state;
    segue_rng_init(&rng, 34, 0, 0, 0);
    for (size_t k = 0; k < (size_t)repeats(1000); k++) {
        segue_bytes b = {.data = NULL};
        segue_bytes_append(&b, whole[k % 2].data, whole[k % 2].size - TALLY_TAIL);
        const size_t at = (size_t)random_between(&rng, TALLY_HEAD, b.size - 1);
        b.data[at] ^= (unsigned char)(1 << random_between(&rng, 0, 7));
        segue_bytes_append_u64(&b, segue_bytes_crc32(b.data, b.size));
        accepted += is_accepted(&b);
        segue_bytes_fini(&b);
    }
    assert_true(accepted > 0); /* a letter of a name, a square */
    segue_bytes_fini(&whole[0]);
    segue_bytes_fini(&whole[1]);
}

/* ---- as a log ---------------------------------------------------------------------------- */

/* One task and arm per line: its pulls and ones. */
static segue_tally tally_of(const char *text)
{
    segue_tally tally;
    write_text(text);
    assert_ok(segue_tally_read_log(&tally, own_path, &(log_read_options){.highest = 1.0}, NULL));
    segue_bytes b = bytes_of(&tally);
    write_file(&b, b.size);
    segue_tally_fini(&tally);
    tally = (segue_tally){.n_rows = 0};
    assert_ok(segue_tally_add_file(&tally, own_path, NULL));
    segue_bytes_fini(&b);
    return tally;
}

/* 1000 tasks of 10 rewards of an arm, 4 of them 1.  The first of three interleaved batches has 4
 * rewards; its sum is hypergeometric with mean 1.6 and variance 4 (0.4) (0.6) (6/9) = 0.64.  The
 * average over 1000 tasks is within 5 standard errors of it, 0.127, but for once in 1.7 million; of
 * the first of three consecutive ones (3 rewards) within 5 sqrt(3 (0.24) (7/9) / 1000) = 0.118 of 1.2. */
static void rewards_go_to_batches_at_random(void **state)
{
    static char text[200000];
    (void)state;
    size_t used = (size_t)snprintf(text, sizeof text, "task,arm,reward\n");
    for (int task = 0; task < 1000; task++)
        for (int k = 0; k < 11; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%d,%s,%d\n", task,
                                     k < 10 ? "a" : "b", k < 4);
    for (int consecutive = 0; consecutive < 2; consecutive++) {
        segue_tally tally = tally_of(text);
        segue_log log;
        const tally_log_options wanted = {
            .path = own_path, .views = true, .consecutive = consecutive, .seed = 7};
        double first = 0.0, sum[2], pulls[2];
        assert_ok(segue_tally_make_log(&tally, &wanted, &log, NULL));
        assert_int_equal(log.n_tasks, 1000);
        assert_string_equal(log.arm_name[1], "b");
        for (size_t task = 0; task < 1000; task++) {
            segue_log_counts(&log, task, sum, pulls);
            assert_true(sum[0] == 4.0 && pulls[0] == 10.0 && sum[1] == 0.0 && pulls[1] == 1.0);
            assert_int_equal(log.tasks[task].cells[0].count[0], consecutive ? 3 : 4);
            first += log.tasks[task].cells[0].sum[0];
        }
        assert_near(first / 1000.0, consecutive ? 1.2 : 1.6, consecutive ? 0.118 : 0.127);
        segue_log_fini(&log);
        segue_tally_fini(&tally);
    }
}

/* Rows come back in number and sum; arms that are numbers are sorted as such. */
static void rows_are_made_of_a_tally(void **state)
{
    (void)state;
    segue_tally tally = tally_of("task,arm,reward\nu,10,1\nu,9,0\nu,10,0\nu,10,1\nt,9,1\n");
    segue_history history;
    double ones = 0.0;
    assert_ok(segue_tally_make_history(&tally, own_path, 3, &history, NULL));
    assert_int_equal(history.n_rows, 5);
    assert_string_equal(history.arm_name[0], "9");
    assert_string_equal(history.task_name[0], "t");
    assert_int_equal(history.start[1], 1);
    for (size_t i = 1; i < 5; i++)
        ones += history.row[i].arm == 1 ? history.row[i].reward : 0.0;
    assert_near(ones, 2.0, 0.0);
    segue_history_fini(&history);
    segue_tally_fini(&tally);
}

/* Of 30,000 tasks 20,000 are drawn: in the order of names, and the first half has half of them within 5
 * standard errors, 5 sqrt(15000 * 2/3 * 1/3 * 1/2) = 204, but for once in 1.7 million. */
static void many_tasks_are_drawn_at_random(void **state)
{
    segue_tally tally = {.highest = 1.0};
    const tally_cell one = {.pulls = 1, .sum = {.low = TALLY_ONE}, .square = {.low = TALLY_ONE}};
    segue_history history;
    size_t number, early = 0;
    (void)state;
    for (int arm = 0; arm < 2; arm++)
        assert_ok(
            segue_string_table_intern(&tally.arms, arm ? "b" SLACK : "a" SLACK, 1, &number, NULL));
    for (size_t task = 0; task < 30000; task++) {
        char name[32] = "";
        (void)snprintf(name, sizeof name, "%06zu", task);
        assert_ok(segue_string_table_intern(&tally.tasks, name, 6, &number, NULL));
        assert_ok(segue_tally_add_cell(&tally, task, task % 2, &one, NULL));
    }
    assert_ok(segue_tally_make_history(&tally, own_path, 5, &history, NULL));
    assert_int_equal(history.n_tasks, 20000);
    assert_int_equal(history.n_rows, 20000);
    assert_int_equal(history.drawn_from, 30000);
    for (size_t task = 0; task < 20000; task++) {
        const long named = strtol(history.task_name[task], NULL, 10);
        early += named < 15000;
        assert_int_equal(history.row[task].arm, named % 2); /* its rows came with it */
        assert_true(task == 0 || strcmp(history.task_name[task - 1], history.task_name[task]) < 0);
    }
    assert_near((double)early, 10000.0, 204.0);
    segue_history_fini(&history);
    segue_tally_fini(&tally);
}

static void other_rewards_have_no_order(void **state)
{
    (void)state;
    segue_error err = {.message = ""};
    segue_tally tally = tally_of("task,arm,reward\nu,a,0.5\nu,b,0\n");
    segue_history history;
    segue_log log;
    double sum[2], pulls[2];
    assert_int_equal(segue_tally_make_history(&tally, own_path, 3, &history, &err), SEGUE_EDOMAIN);
    assert_non_null(strstr(err.message, "its rewards are not all 0 or 1"));
    const tally_log_options wanted = {.path = own_path};
    assert_ok(segue_tally_make_log(&tally, &wanted, &log, NULL));
    segue_log_counts(&log, 0, sum, pulls);
    assert_true(sum[0] == 0.5 && pulls[0] == 1.0);
    segue_log_fini(&log);
    segue_tally_fini(&tally);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_do_not_depend_on_the_parts),
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(a_cut_or_changed_file_is_refused),
        cmocka_unit_test(a_valid_file_has_one_form),
        cmocka_unit_test(rewards_go_to_batches_at_random),
        cmocka_unit_test(rows_are_made_of_a_tally),
        cmocka_unit_test(many_tasks_are_drawn_at_random),
        cmocka_unit_test(other_rewards_have_no_order),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
