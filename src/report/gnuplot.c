/* gnuplot.c - run gnuplot, and take what it draws.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/gnuplot.h"
#include "segue/internal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_FOUND 127 /* as a shell would say */

/* In the child: become gnuplot, what it draws to `output`, its words to `words`; neither the
 * user's settings nor the language change what it draws. */
static void become_gnuplot(const char *folder, const char *setup, const char *script,
                           const int *output, FILE *words)
{
    (void)close(output[0]);
    if (dup2(output[1], STDOUT_FILENO) < 0 || dup2(fileno(words), STDERR_FILENO) < 0 ||
        chdir(folder) != 0 || setenv("LC_ALL", "C", 1) != 0)
        _exit(1);
    (void)signal(SIGPIPE, SIG_DFL);
    if (script)
        (void)execlp("gnuplot", "gnuplot", "-d", "-e", setup, script, (char *)NULL);
    else
        (void)execlp("gnuplot", "gnuplot", "--version", (char *)NULL);
    _exit(NOT_FOUND);
}

static segue_status read_to_end(int fd, segue_bytes *out, segue_error *err)
{
    unsigned char block[65536];
    for (;;) {
        const ssize_t size = read(fd, block, sizeof block);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return segue_fail(err, SEGUE_EIO, "reading from gnuplot failed: %s", strerror(errno));
        if (size == 0)
            break;
        segue_bytes_append(out, block, (size_t)size);
    }
    return out->failed ? segue_fail_no_memory(err, "a figure") : SEGUE_OK;
}

static segue_status judge(int state, const char *script, FILE *words, segue_error *err)
{
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
        return SEGUE_OK;
    if (WIFEXITED(state) && WEXITSTATUS(state) == NOT_FOUND)
        return segue_fail(err, SEGUE_EFILE,
                          "gnuplot is not installed, and draws the figures; on Debian: "
                          "apt-get install gnuplot-nox");
    if (WIFSIGNALED(state))
        return segue_fail(err, SEGUE_ESTOPPED, "gnuplot was stopped by signal %d", WTERMSIG(state));
    char told[201];
    rewind(words);
    told[fread(told, 1, sizeof told - 1, words)] = '\0';
    told[strcspn(told, "\n")] = '\0';
    return segue_fail(err, SEGUE_EIO, "gnuplot failed on %s: %s", script ? script : "--version",
                      told);
}

/* Start gnuplot, take what it draws, and wait for it. */
static segue_status draw(const char *folder, const char *setup, const char *script, FILE *words,
                         segue_bytes *out, segue_error *err)
{
    int output[2], state = 0;
    if (pipe(output) != 0)
        return segue_fail(err, SEGUE_EIO, "a pipe to gnuplot cannot be made: %s", strerror(errno));
    const pid_t child = fork();
    if (child == 0)
        become_gnuplot(folder, setup, script, output, words);
    (void)close(output[1]);
    if (child < 0) {
        (void)close(output[0]);
        return segue_fail(err, SEGUE_EIO, "gnuplot cannot be started: %s", strerror(errno));
    }
    const segue_status status = read_to_end(output[0], out, err);
    (void)close(output[0]);
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    return status == SEGUE_OK ? judge(state, script, words, err) : status;
}

segue_status segue_gnuplot_run(const char *folder, const char *setup, const char *script,
                               segue_bytes *out, segue_error *err)
{
    FILE *words = tmpfile();
    if (!words)
        return segue_fail(err, SEGUE_EIO, "a temporary file for gnuplot cannot be made: %s",
                          strerror(errno));
    const segue_status status = draw(folder, setup, script, words, out, err);
    (void)fclose(words);
    return status;
}

segue_status segue_gnuplot_check(segue_error *err)
{
    segue_bytes words = {.data = NULL};
    const segue_status status = segue_gnuplot_run(".", "", NULL, &words, err);
    segue_bytes_fini(&words);
    return status;
}
