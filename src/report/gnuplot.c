/* gnuplot.c - run gnuplot and read its output.
 *
 * The child writes the figure to a pipe and its messages to a temporary file, so that reading one
 * never blocks on the other. Commands check for gnuplot before they start long work.
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

#define NOT_FOUND 127 /* the exit status of a shell for an unknown command */

/* In the child: redirect standard output to `output` and standard error to `messages`, and become
 * gnuplot.  -d and LC_ALL=C: the user's settings and language do not change the figure. */
static void become_gnuplot(const char *folder, const char *setup, const char *script,
                           const int *output, FILE *messages)
{
    (void)close(output[0]);
    if (dup2(output[1], STDOUT_FILENO) < 0 || dup2(fileno(messages), STDERR_FILENO) < 0 ||
        chdir(folder) != 0 || setenv("LC_ALL", "C", 1) != 0)
        _exit(1);
    (void)signal(SIGPIPE, SIG_DFL);
    if (script)
        (void)execlp("gnuplot", "gnuplot", "-d", "-e", setup, script, (char *)NULL);
    else
        (void)execlp("gnuplot", "gnuplot", "--version", (char *)NULL);
    _exit(NOT_FOUND);
}

/* Read until the child closes its end. Reading goes on without memory, so that the child does not
 * block on a full pipe. */
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

/* Turn the exit state into an error with the first line of gnuplot's messages. */
static segue_status check_exit(int state, const char *script, FILE *messages, segue_error *err)
{
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0)
        return SEGUE_OK;
    if (WIFEXITED(state) && WEXITSTATUS(state) == NOT_FOUND)
        return segue_fail(err, SEGUE_EFILE,
                          "gnuplot is not installed, and draws the figures; on Debian: "
                          "apt-get install gnuplot-nox");
    if (WIFSIGNALED(state))
        return segue_fail(err, SEGUE_ESTOPPED, "gnuplot was stopped by signal %d", WTERMSIG(state));
    char line[201];
    rewind(messages);
    line[fread(line, 1, sizeof line - 1, messages)] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return segue_fail(err, SEGUE_EIO, "gnuplot failed on %s: %s", script ? script : "--version",
                      line);
}

/* Start gnuplot, read the figure, and wait for the end of the process. */
static segue_status draw(const char *folder, const char *setup, const char *script, FILE *messages,
                         segue_bytes *out, segue_error *err)
{
    int output[2], state = 0;
    if (pipe(output) != 0)
        return segue_fail(err, SEGUE_EIO, "a pipe to gnuplot cannot be created: %s",
                          strerror(errno));
    const pid_t child = fork();
    if (child == 0)
        become_gnuplot(folder, setup, script, output, messages);
    (void)close(output[1]);
    if (child < 0) {
        (void)close(output[0]);
        return segue_fail(err, SEGUE_EIO, "gnuplot cannot be started: %s", strerror(errno));
    }
    const segue_status status = read_to_end(output[0], out, err);
    (void)close(output[0]);
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    return status == SEGUE_OK ? check_exit(state, script, messages, err) : status;
}

segue_status segue_gnuplot_run(const char *folder, const char *setup, const char *script,
                               segue_bytes *out, segue_error *err)
{
    FILE *messages = tmpfile();
    if (!messages)
        return segue_fail(err, SEGUE_EIO, "a temporary file for gnuplot cannot be created: %s",
                          strerror(errno));
    const segue_status status = draw(folder, setup, script, messages, out, err);
    (void)fclose(messages);
    return status;
}

/* Without a script the child runs `gnuplot --version`. */
segue_status segue_gnuplot_version(segue_bytes *out, segue_error *err)
{
    return segue_gnuplot_run(".", "", NULL, out, err);
}

segue_status segue_gnuplot_check(segue_error *err)
{
    segue_bytes output = {.data = NULL};
    const segue_status status = segue_gnuplot_version(&output, err);
    segue_bytes_fini(&output);
    return status;
}
