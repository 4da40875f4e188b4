/* main.c - find the command, run it, and print its error.
 *
 * The exit code is 0 (done), 1 (failed while running) or 2 (wrong usage or input), by the status of
 * the command.  A reader that closes our output ends the program by SIGPIPE, as it ends others.
 *
 * Commands return a status and an error; this file prints the error. It also suggests an installed
 * file where an argument names a missing one.
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/installed_files.h"
#include "io/utf8.h"
#include "segue/internal.h"

/* Open /dev/null for a standard stream that is closed.  Else the next file would get its
 * descriptor, and messages would be written into it; so writing to the stream fails instead. */
static void guard_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1)
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

/* `segue` alone prints the overview; --help after a command prints its help. */
static segue_status run(int argc, char **argv, segue_error *err)
{
    const char *name = argc > 1 ? argv[1] : "help";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0)
        name = "version";
    const cli_command *command = NULL;
    SEGUE_TRY(cli_command_find(name, &command, err));
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return cli_help(command->name, err);
    return command->run(argc > 1 ? argc - 1 : 1, argc > 1 ? argv + 1 : argv, err);
}

/* True if the reader of our output has closed it, as in 'segue help | head -1'. */
static bool is_unread(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return ferror(stdout) && poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

/* If a file is missing, suggest the installed one of that name. */
static void print_error(segue_error *err, int argc, char **argv)
{
    char path[CLI_PATH_SIZE];
    const bool is_found =
        err->status == SEGUE_EFILE && cli_installed_files_suggest(path, argc, argv);
    segue_utf8_make_printable(err->message); /* it may quote names from files */
    (void)fprintf(stderr, "segue: %s%s%s%s\n", err->message, is_found ? "; try '" : "",
                  is_found ? path : "", is_found ? "'" : "");
}

int main(int argc, char **argv)
{
    segue_error err = {.status = SEGUE_OK};
    guard_standard_streams();
    (void)signal(SIGPIPE, SIG_IGN); /* a closed pipe or a file that grows too large */
    (void)signal(SIGXFSZ, SIG_IGN); /* is an error of writing: its temporary file is removed */
    segue_status status = segue_ieee_check(&err);
    if (status == SEGUE_OK)
        status = run(argc, argv, &err);
    if (status == SEGUE_EIO && is_unread()) { /* end as other programs do */
        (void)signal(SIGPIPE, SIG_DFL);
        (void)raise(SIGPIPE);
    }
    if (status == SEGUE_OK &&
        (fflush(stdout) != 0 || ferror(stdout))) /* the access log of a service */
        status = segue_fail(&err, SEGUE_EIO, "the standard output could not be written");
    if (status != SEGUE_OK)
        print_error(&err, argc, argv);
    return segue_status_exit_code(status);
}
