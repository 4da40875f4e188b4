/* test_atomic_file.c - files that appear complete or not at all, temporary files that killed
 * processes left, and files that must not be replaced.
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/atomic_file.h"
#include "core/store_file.h"
#include "store/store.h"

/* ---- a file system without files that have no name --------------------------------------- */

static bool names_all;

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);

int __wrap_access(const char *path, int mode)
{
    if (names_all && strcmp(path, "/proc/self/fd") == 0)
        return -1;
    return __real_access(path, mode);
}

static int files_in_folder(void)
{
    int count = -2; /* . and .. */
    DIR *dir = opendir(own_folder);
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static void expect_text(const char *expected)
{
    char text[16] = "";
    FILE *file = fopen(own_path, "r");
    assert_non_null(file);
    (void)!fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_string_equal(text, expected);
}

static void a_file_is_written_whole_with_a_name_and_without(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        atomic_file out;
        names_all = i == 1;
        (void)unlink(own_path);
        assert_ok(segue_atomic_file_begin(&out, own_path, 0600, NULL));
        assert_int_equal(files_in_folder(), names_all || !out.unnamed);
        segue_atomic_file_append(&out, "new", 3);
        segue_atomic_file_rollback(&out);
        assert_int_equal(files_in_folder(), 0);
        for (int k = 0; k < 2; k++) { /* new, and in the place of another one */
            assert_ok(segue_atomic_file_begin(&out, own_path, 0600, NULL));
            segue_atomic_file_append(&out, k ? "other" : "new", k ? 5 : 3);
            assert_ok(segue_atomic_file_commit(&out, NULL));
            expect_text(k ? "other" : "new");
            assert_int_equal(files_in_folder(), 1);
        }
    }
    names_all = false;
}

/* ---- what killed processes left ---------------------------------------------------------- */

/* A file in the folder, last written `age` seconds ago. */
static int make_file(const char *name, long age)
{
    char path[128];
    struct timespec times[2];
    (void)snprintf(path, sizeof path, "%s/%s", own_folder, name);
    const int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0 && clock_gettime(CLOCK_REALTIME, &times[0]) == 0);
    times[0].tv_sec -= age;
    times[1] = times[0];
    assert_int_equal(futimens(fd, times), 0);
    return fd;
}

static bool remove_file(const char *name)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", own_folder, name);
    return unlink(path) == 0;
}

static void what_a_killed_process_left_is_removed(void **state)
{
    static const char *const stays[] = {".segue-new22222",  ".segue-inuse222",
                                        ".segue-tooshort2", ".segue-UPPER222",
                                        "segue-abcdefgh",   ".segue-abcdefgh.csv"};
    static const long ages[] = {10, 1000, 1000, 1000, 1000, 1000};
    atomic_file out;
    int fd[6];
    (void)state;
    close(make_file(".segue-stale222", 1000));
    for (size_t i = 0; i < 6; i++)
        fd[i] = make_file(stays[i], ages[i]);
    assert_int_equal(flock(fd[1], LOCK_EX), 0);
    assert_ok(segue_atomic_file_begin(&out, own_path, 0, NULL));
    segue_atomic_file_remove_stale(&out);
    segue_atomic_file_rollback(&out);
    assert_false(remove_file(".segue-stale222"));
    for (size_t i = 0; i < 6; i++) {
        assert_true(remove_file(stays[i]));
        close(fd[i]);
    }
}

static void a_file_that_is_written_is_not_swept(void **state)
{
    atomic_file out, other;
    struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    (void)state;
    names_all = true;
    assert_ok(segue_atomic_file_begin(&out, own_path, 0, NULL));
    assert_int_equal(futimens(out.fd, old), 0);
    assert_ok(segue_atomic_file_begin(&other, own_path, 0, NULL));
    segue_atomic_file_remove_stale(&other);
    segue_atomic_file_rollback(&other);
    segue_atomic_file_append(&out, "x", 1);
    assert_ok(segue_atomic_file_commit(&out, NULL));
    expect_text("x");
    names_all = false;
}

/* ---- stores ------------------------------------------------------------------------------ */

static int rows_left;

static bool stopped(void)
{
    return rows_left-- <= 0;
}

static void an_export_that_is_stopped_leaves_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        segue_store *store = NULL;
        segue_error err;
        (void)unlink(own_path);
        assert_ok(segue_store_open(&store, "sqlite::memory:", SEGUE_STORE_CREATE, &err));
        names_all = i % 2 == 1;
        rows_left = i / 2;
        assert_int_equal(segue_store_export(store, own_path, stopped, &err), SEGUE_ESTOPPED);
        assert_int_equal(files_in_folder(), 0);
        segue_store_close(store);
    }
    names_all = false;
}

static void expect_refused(const char *path)
{
    segue_error err;
    if (segue_atomic_file_write(path, "x", 1, &err) != SEGUE_EFILE)
        fail_msg("%s was replaced", path);
    assert_non_null(strstr(err.message, "is part of a store"));
}

static void no_file_of_a_store_is_replaced(void **state)
{
    static const char *const names[] = {
        "a.db", "a.db-wal", "a.db-shm", "a.db-journal", "./a.db-wal", "../%s/a.db-shm", "soft",
        "hard", "hard-wal", "soft-wal", "link-wal",     "copied-wal", "copied-index",   "soft-shm"};
    char store_path[128], path[256], form[128], other[128];
    const char *base = strrchr(own_folder, '/') + 1;
    segue_store *store = NULL;
    (void)state;
    (void)snprintf(store_path, sizeof store_path, "%s/a.db", own_folder);
    assert_ok(segue_store_open(&store, store_path, SEGUE_STORE_CREATE, NULL));
    assert_ok(segue_store_begin(store, NULL));
    assert_ok(segue_store_set_clock(store, 1.0, NULL));
    assert_ok(segue_store_commit(store, NULL)); /* there is a log now */
    static const char *const links[][2] = {{"a.db", "soft"}, {"a.db-wal", "link-wal"}};
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(other, sizeof other, "%s/%s", own_folder, links[i][1]);
        assert_int_equal(symlink(links[i][0], other), 0);
    }
    static const char *const hard[][2] = {
        {"a.db", "hard"}, {"a.db-wal", "copied-wal"}, {"a.db-shm", "copied-index"}};
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", own_folder, hard[i][0]);
        (void)snprintf(other, sizeof other, "%s/%s", own_folder, hard[i][1]);
        assert_int_equal(link(path, other), 0);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)snprintf(form, sizeof form, strstr(names[i], "%s") ? "../%s/a.db-shm" : "%s",
                       strstr(names[i], "%s") ? base : names[i]);
        (void)snprintf(path, sizeof path, "%s/%s", own_folder, form);
        expect_refused(path);
    }
    segue_store_close(store);
    static const char *const made[] = {"a.db",     "soft",       "hard",
                                       "link-wal", "copied-wal", "copied-index"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        assert_true(remove_file(made[i]));
}

/* Also one that has the name of such a file, where there is no store. */
static void other_files_are_replaced(void **state)
{
    static const char *const names[] = {"b-wal", "b.db-shm", "-wal", "c-journal"};
    char path[128];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int k = 0; k < 2; k++) {
            (void)snprintf(path, sizeof path, "%s/%s", own_folder, names[i]);
            assert_ok(segue_atomic_file_write(path, "x", 1, NULL));
        }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(remove_file(names[i]));
    assert_false(segue_store_file_detect("/dev/null"));
    assert_false(segue_store_file_detect(own_folder));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_written_whole_with_a_name_and_without),
        cmocka_unit_test(what_a_killed_process_left_is_removed),
        cmocka_unit_test(a_file_that_is_written_is_not_swept),
        cmocka_unit_test(an_export_that_is_stopped_leaves_nothing),
        cmocka_unit_test(no_file_of_a_store_is_replaced),
        cmocka_unit_test(other_files_are_replaced),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
