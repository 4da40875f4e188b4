/* test_audit_log.c - the audit log: its lines, and a disk that takes none for a while.
 *
 * A limit of the size of files (RLIMIT_FSIZE) is the full disk: write() then fails with EFBIG, or
 * writes a part.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "request.h"
#include "service/jobs/audit_log.h"
#include "tutor.h"

static segue_audit_log *audit;
static char reports[1024];

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void file_text(const char *path, char text[4096])
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, 4095, file)] = '\0';
    assert_int_equal(fclose(file), 0);
}

static void expect_file(const char *expected)
{
    char text[4096];
    file_text(own_path, text);
    assert_string_equal(text, expected);
}

static int open_log(void **state)
{
    segue_error err;
    (void)state;
    (void)remove(own_path);
    (void)signal(SIGXFSZ, SIG_IGN);
    return segue_audit_log_open(&audit, own_path, &err) == SEGUE_OK ? 0 : -1;
}

static int close_log(void **state)
{
    segue_error err;
    (void)state;
    limit_files(RLIM_INFINITY);
    return segue_audit_log_close(audit, &err) == SEGUE_OK ? 0 : -1;
}

static int append(const char *line)
{
    return segue_audit_log_append(audit, line, strlen(line), true);
}

static void lines_are_appended_to_a_private_file(void **state)
{
    struct stat about;
    (void)state;
    assert_int_equal(append("one\n"), 0);
    assert_int_equal(segue_audit_log_append(audit, "two\n", 4, false), 0);
    expect_file("one\ntwo\n");
    assert_int_equal(stat(own_path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
}

/* A part of a line is removed; all lines come in their order when the disk has space. */
static void lines_wait_while_the_disk_is_full(void **state)
{
    (void)state;
    assert_int_equal(append("one\n"), 0);
    limit_files(6);
    assert_int_equal(append("two\n"), EFBIG);
    expect_file("one\n");
    assert_int_equal(append("three\n"), EFBIG);
    assert_int_equal(segue_audit_log_flush(audit), EFBIG);
    limit_files(RLIM_INFINITY);
    assert_int_equal(segue_audit_log_flush(audit), 0);
    expect_file("one\ntwo\nthree\n");
    assert_int_equal(append("four\n"), 0);
    expect_file("one\ntwo\nthree\nfour\n");
}

static void a_bounded_number_of_lines_waits(void **state)
{
    static char line[SEGUE_AUDIT_LOG_BUFFER / 2];
    struct stat about;
    char end[64] = "";
    (void)state;
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    limit_files(0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(segue_audit_log_append(audit, line, sizeof line, true), EFBIG);
    segue_audit_log_drop(audit);
    limit_files(RLIM_INFINITY);
    assert_int_equal(segue_audit_log_flush(audit), 0);
    FILE *file = fopen(own_path, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, 2 * (long)sizeof line, SEEK_SET), 0);
    assert_non_null(fgets(end, sizeof end, file));
    assert_int_equal(fclose(file), 0);
    assert_string_equal(end, "{\"dropped\":4}\n"); /* three lines, and the one without memory */
    assert_int_equal(stat(own_path, &about), 0);
    assert_int_equal(about.st_size, 2 * (long)sizeof line + 14);
}

static void a_reopened_log_takes_the_lines_that_wait(void **state)
{
    char old[80], text[4096];
    segue_error err;
    (void)state;
    (void)snprintf(old, sizeof old, "%s.1", own_path);
    assert_int_equal(append("one\n"), 0);
    limit_files(0);
    assert_int_equal(append("two\n"), EFBIG);
    assert_int_equal(rename(own_path, old), 0);
    limit_files(RLIM_INFINITY);
    assert_int_equal(segue_audit_log_reopen(audit, &err), SEGUE_OK);
    expect_file("two\n");
    file_text(old, text);
    assert_string_equal(text, "one\n");
    assert_int_equal(remove(old), 0);
}

static void a_name_that_is_no_file_leaves_the_old_one(void **state)
{
    char old[80], text[4096];
    segue_error err;
    (void)state;
    (void)snprintf(old, sizeof old, "%s.1", own_path);
    assert_int_equal(rename(own_path, old), 0);
    assert_int_equal(mkdir(own_path, 0700), 0);
    assert_int_equal(segue_audit_log_reopen(audit, &err), SEGUE_EFILE);
    assert_int_equal(append("one\n"), 0);
    file_text(old, text);
    assert_string_equal(text, "one\n");
    assert_int_equal(rmdir(own_path), 0);
    assert_int_equal(rename(old, own_path), 0);
}

static void only_a_regular_file_is_accepted(void **state)
{
    segue_audit_log *other = NULL;
    segue_error err;
    (void)state;
    assert_int_equal(segue_audit_log_open(&other, "/dev/null", &err), SEGUE_EFILE);
    assert_non_null(strstr(err.message, "is no regular file"));
    assert_int_equal(segue_audit_log_open(&other, "/nonexistent/log", &err), SEGUE_EFILE);
    assert_null(other);
}

/* ---- of a service ------------------------------------------------------------------------ */

static void note_report(void *context, const char *message)
{
    const size_t size = strlen(reports);
    (void)context;
    (void)snprintf(reports + size, sizeof reports - size, "%s\n", message);
}

static int start_audited(void **state)
{
    segue_service_config config = segue_service_defaults();
    if (open_log(state) != 0)
        return -1;
    config.audit = audit;
    config.report = note_report;
    start_service_with(config);
    reports[0] = '\0'; /* of the start */
    return 0;
}

static int stop_audited(void **state)
{
    (void)stop_service(state);
    return close_log(state);
}

/* Send a request as the HTTP server does. */
static int send(const char *method, const char *path, const char *body)
{
    segue_response reply;
    const segue_request request = request_of(method, path, body);
    segue_service_handle_and_wait(service, &request, &reply);
    segue_service_audit(service, method, path, &reply);
    const int status = reply.status;
    segue_response_fini(&reply);
    return status;
}

static void administrative_requests_have_a_line(void **state)
{
    (void)state;
    assert_int_equal(send("POST", "/v1/learners", "{\"name\":\"b\",\"arms\":[\"A\",\"B\"]}"), 201);
    assert_int_equal(send("GET", "/v1/learners/b", NULL), 200);
    assert_int_equal(send("POST", "/v1/learners/b/ask", "{\"task\":\"t\"}"), 200);
    assert_int_equal(send("DELETE", "/v1/learners/%62", NULL), 200);
    assert_int_equal(send("DELETE", "/v1/learners/b", NULL), 404);
    assert_int_equal(send("POST", "/v1/learners", "{\"name\":\"c\"}"), 400);
    expect_file(
        "{\"time\":1000.000,\"request\":\"test\",\"method\":\"POST\",\"path\":\"/v1/learners\","
        "\"learner\":\"b\",\"status\":201}\n"
        "{\"time\":1000.000,\"request\":\"test\",\"method\":\"DELETE\","
        "\"path\":\"/v1/learners/%62\",\"learner\":\"b\",\"status\":200}\n"
        "{\"time\":1000.000,\"request\":\"test\",\"method\":\"DELETE\",\"path\":\"/v1/learners/b\","
        "\"learner\":\"b\",\"status\":404}\n"
        "{\"time\":1000.000,\"request\":\"test\",\"method\":\"POST\",\"path\":\"/v1/learners\","
        "\"learner\":\"c\",\"status\":400}\n");
}

static void while_lines_wait_nothing_is_administered(void **state)
{
    char text[4096];
    (void)state;
    limit_files(10);
    assert_int_equal(send("POST", "/v1/learners", "{\"name\":\"b\",\"arms\":[\"A\",\"B\"]}"), 201);
    expect_file("");
    assert_int_equal(send("DELETE", "/v1/learners/b", NULL), 503);
    assert_int_equal(send("POST", "/v1/learners/b/ask", "{\"task\":\"t\"}"), 200);
    limit_files(RLIM_INFINITY);
    assert_int_equal(send("DELETE", "/v1/learners/b", NULL), 200);
    file_text(own_path, text);
    const char *first = strstr(text, "\"status\":201"), *second = strstr(text, "\"status\":503"),
               *third = strstr(text, "\"status\":200");
    assert_true(first && second && third && first < second && second < third);
    assert_string_equal(reports,
                        "the audit log cannot be written: File too large; administrative requests "
                        "get 503 until it can: free its disk\nthe audit log is written again\n");
}

#define OPENED(test)  cmocka_unit_test_setup_teardown(test, open_log, close_log)
#define AUDITED(test) cmocka_unit_test_setup_teardown(test, start_audited, stop_audited)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OPENED(lines_are_appended_to_a_private_file),
        OPENED(lines_wait_while_the_disk_is_full),
        OPENED(a_bounded_number_of_lines_waits),
        OPENED(a_reopened_log_takes_the_lines_that_wait),
        OPENED(a_name_that_is_no_file_leaves_the_old_one),
        cmocka_unit_test(only_a_regular_file_is_accepted),
        AUDITED(administrative_requests_have_a_line),
        AUDITED(while_lines_wait_nothing_is_administered),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
