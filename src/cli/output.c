/* output.c - print the result of a command as table, CSV or JSON, to a file or standard output.
 *
 * Output is gathered in memory first: a file is then replaced as a whole, and an error leaves
 * neither a part of it nor a part on the standard output. Commands give three functions
 * (cli_printers) and call cli_output_print once.
 *
 * cli_output_check_paths runs before the work: a mistake in a path should not cost an hour.
 *
 * A command declares one cli_printers: `table` may fail for lack of memory, `csv` only writes, and
 * `json` returns a new value. Columns (columns.c) give all three for most results.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/launch.h"
#include "io/json_write.h"
#include "segue/internal.h"

/* Names are in the order of cli_format. */
segue_status cli_output_parse_format(const char *text, cli_format *out, segue_error *err)
{
    static const char *const names[] = {"table", "csv", "json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (cli_format)i;
            return SEGUE_OK;
        }
    return segue_fail(err, SEGUE_ENAME, "--format: there is no '%.40s'; need table, csv or json",
                      text);
}

/* Both names of the standard output give NULL, so that callers test one case. */
const char *cli_output_path(const char *out)
{
    const bool standard = out && (strcmp(out, "-") == 0 || strcmp(out, "/dev/stdout") == 0);
    return standard ? NULL : out;
}

/* A path without an option is the operand, which is a log in all commands that check paths. */
static segue_status fail_same(const cli_path *output, const cli_path *other, segue_error *err)
{
    if (!other->option)
        return segue_fail(err, SEGUE_EUSAGE, "--%s would overwrite the log; name another file",
                          output->option);
    return segue_fail(err, SEGUE_EUSAGE, "--%s and --%s name the same file; need two",
                      output->option, other->option);
}

/* Outputs come first in `paths`; inputs follow. Files are compared by identity, not by name. */
segue_status cli_output_check_paths(const cli_path *paths, size_t n_outputs, size_t count,
                                    segue_error *err)
{
    for (size_t i = 0; i < n_outputs; i++)
        if (paths[i].path && strcmp(paths[i].path, "-") == 0)
            return segue_fail(err, SEGUE_EUSAGE, "--%s needs a file; '-' is not one",
                              paths[i].option);
    for (size_t i = 0; i < n_outputs; i++)
        for (size_t k = i + 1; k < count; k++)
            if (segue_path_is_same_file(paths[i].path, paths[k].path))
                return fail_same(&paths[i], &paths[k], err);
    for (size_t i = 0; i < n_outputs; i++)
        if (paths[i].path)
            SEGUE_TRY(segue_atomic_file_check(paths[i].path, err));
    return SEGUE_OK;
}

/* Flush at once: an error must reach the exit code. */
segue_status cli_output_write_stdout(const char *data, size_t size, segue_error *err)
{
    if (fwrite(data, 1, size, stdout) != size || fflush(stdout) != 0)
        return segue_fail(err, SEGUE_EIO, "writing to the standard output failed: %s",
                          strerror(errno));
    return SEGUE_OK;
}

/* Without a path the output goes to the standard output. */
segue_status cli_output_send(segue_output *output, const char *path, segue_error *err)
{
    if (path)
        return segue_output_write(output, path, err);
    SEGUE_TRY(segue_output_finish(output, err));
    return cli_output_write_stdout(output->data, output->size, err);
}

/* CSV cannot fail here; an error of its stream appears when the output is sent. */
segue_status cli_output_print(const cli_printers *printers, const void *data, cli_format format,
                              const char *path, segue_error *err)
{
    segue_output output;
    segue_status status = SEGUE_OK;
    SEGUE_TRY(segue_output_init(&output, err));
    if (format == CLI_CSV)
        printers->csv(data, output.stream);
    else if (format == CLI_JSON)
        status = segue_json_print(output.stream, printers->json(data), err);
    else
        status = printers->table(data, output.stream, err);
    if (status == SEGUE_OK)
        status = cli_output_send(&output, path, err);
    segue_output_fini(&output);
    return status;
}

/* NO_COLOR (no-color.org) turns codes off; a dumb terminal cannot show them. */
cli_bold cli_output_bold(const char *path)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    const bool is_terminal =
        isatty(STDOUT_FILENO) &&
        cli_launch_detect().count == 1; /* under mpirun it is a pipe to another terminal */
    const bool shows = !path && is_terminal && !(no_colour && *no_colour) && terminal &&
                       strcmp(terminal, "dumb") != 0;
    return shows ? (cli_bold){.on = "\033[1m", .off = "\033[0m"} : (cli_bold){.on = "", .off = ""};
}
