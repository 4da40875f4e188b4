/* share.c - the files that come with the program, found from where it lies.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "cli/share.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

segue_status cli_find_share(char path[CLI_PATH_SIZE], const char *name, const char *option,
                            segue_error *err)
{
    static const char *const places[] = {"/../share/segue/", "/../../"};
    char program[CLI_PATH_SIZE];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places && slash; i++)
        if (snprintf(path, CLI_PATH_SIZE, "%s%s%s", program, places[i], name) < CLI_PATH_SIZE &&
            access(path, R_OK) == 0)
            return SEGUE_OK;
    return segue_fail(err, SEGUE_EFILE,
                      "'%s' does not lie beside the program; tell where it is with %s", name,
                      option);
}
