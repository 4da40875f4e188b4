/* test_io_write.c - files replaced by an atomic rename.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/atomic_file.h"

/* ---- writing ----------------------------------------------------------------------------- */

static size_t files_in_folder(void)
{
    size_t count = 0;
    DIR *dir = opendir(own_folder);
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 2; /* . and .. */
}

static void a_file_is_replaced_atomically(void **state)
{
    (void)state;
    char text[16] = "";
    write_text("old");
    assert_ok(segue_atomic_file_write(own_path, "new!", 4, NULL));
    FILE *file = fopen(own_path, "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text, file), 4);
    fclose(file);
    assert_string_equal(text, "new!");
    assert_int_equal(files_in_folder(), 1);
}

static void a_link_is_written_through(void **state)
{
    (void)state;
    char link[sizeof own_path + 8];
    struct stat about;
    snprintf(link, sizeof link, "%s/link", own_folder);
    write_text("old");
    assert_int_equal(symlink(own_path, link), 0);
    assert_ok(segue_atomic_file_write(link, "new!", 4, NULL));
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(stat(own_path, &about), 0);
    assert_int_equal(about.st_size, 4);
    unlink(link);
}

static void a_new_file_has_the_usual_permissions(void **state)
{
    (void)state;
    struct stat about;
    unlink(own_path);
    const mode_t mask = umask(027);
    assert_ok(segue_atomic_file_write(own_path, "x", 1, NULL));
    umask(mask);
    assert_int_equal(stat(own_path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(chmod(own_path, 0600), 0); /* and a private file stays private */
    assert_ok(segue_atomic_file_write(own_path, "y", 1, NULL));
    assert_int_equal(stat(own_path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
}

/* Return the permissions of the temporary file, which may have no name. */
static mode_t mode_temporary(const atomic_file *out)
{
    struct stat about;
    assert_int_equal(fstat(out->fd, &about), 0);
    return about.st_mode & 0777;
}

static void a_temporary_file_has_the_final_permissions(void **state)
{
    (void)state;
    static atomic_file out;
    const mode_t mask = umask(022);
    unlink(own_path);
    assert_ok(segue_atomic_file_begin(&out, own_path, 0, NULL));
    assert_int_equal(mode_temporary(&out), 0644);
    segue_atomic_file_rollback(&out);
    umask(0);
    assert_ok(segue_atomic_file_begin(&out, own_path, 0600, NULL));
    assert_int_equal(mode_temporary(&out), 0600);
    segue_atomic_file_rollback(&out);
    write_text("old"); /* its next text may be private */
    assert_int_equal(chmod(own_path, 0644), 0);
    assert_ok(segue_atomic_file_begin(&out, own_path, 0, NULL));
    assert_int_equal(mode_temporary(&out), 0600);
    assert_ok(segue_atomic_file_commit(&out, NULL));
    umask(mask);
    struct stat about;
    assert_int_equal(stat(own_path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0644);
    assert_int_equal(files_in_folder(), 1);
}

static void a_full_device_is_an_error(void **state)
{
    (void)state;
    segue_error err;
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(segue_atomic_file_write("/dev/full", "x", 1, &err), SEGUE_EIO);
    assert_non_null(strstr(err.message, "No space left"));
}

static void a_path_is_checked_before_it_is_written(void **state)
{
    (void)state;
    segue_error err;
    assert_int_equal(segue_atomic_file_check("", &err), SEGUE_EFILE);
    assert_int_equal(segue_atomic_file_check(own_folder, &err), SEGUE_EFILE);
    assert_int_equal(segue_atomic_file_check("/nonexistent/folder/file", &err), SEGUE_EFILE);
    assert_ok(segue_atomic_file_check(own_path, &err));
    assert_ok(segue_atomic_file_check("/dev/null", &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_replaced_atomically),
        cmocka_unit_test(a_link_is_written_through),
        cmocka_unit_test(a_new_file_has_the_usual_permissions),
        cmocka_unit_test(a_temporary_file_has_the_final_permissions),
        cmocka_unit_test(a_full_device_is_an_error),
        cmocka_unit_test(a_path_is_checked_before_it_is_written),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
