/* installed_files.c - find the files that are installed with the program, from its own path.
 *
 * /proc/self/exe is the path of the running program, so that a moved installation still finds its
 * files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/installed_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Find the folder `levels` above that of the program; false: its path is unknown. */
static bool find_above(char path[CLI_PATH_SIZE], int levels)
{
    const ssize_t length = readlink("/proc/self/exe", path, CLI_PATH_SIZE - 1);
    path[length > 0 ? length : 0] = '\0';
    for (int i = 0; i <= levels; i++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return false;
        *slash = '\0';
    }
    return true;
}

/* An installed program is in PREFIX/bin; one that was built is in SOURCE/build/PRESET. */
static bool find_file(char path[CLI_PATH_SIZE], const char *share, const char *name)
{
    for (int levels = 1; levels <= 2; levels++) {
        char above[CLI_PATH_SIZE];
        const char *folder = levels == 1 ? share : "";
        if (find_above(above, levels) &&
            snprintf(path, CLI_PATH_SIZE, "%s/%s%s", above, folder, name) < CLI_PATH_SIZE &&
            access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* The error names the option that gives the path instead. */
segue_status cli_installed_files_find(char path[CLI_PATH_SIZE], const char *name,
                                      const char *option, segue_error *err)
{
    if (find_file(path, "share/segue/", name))
        return SEGUE_OK;
    return segue_fail(err, SEGUE_EFILE,
                      "'%s' is not installed with the program; give its path with %s", name,
                      option);
}

/* Find a page that is always installed; its folder has the others. */
bool cli_installed_files_find_docs(char path[CLI_PATH_SIZE])
{
    if (!find_file(path, "share/doc/segue/", "docs/service.md"))
        return false;
    *strrchr(path, '/') = '\0';
    return true;
}

/* Find the installed file that has the name of a missing one. */
static bool find_same_name(char path[CLI_PATH_SIZE], const char *missing)
{
    static const char *const folders[] = {"experiments", "models", "logs"};
    const char *slash = strrchr(missing, '/');
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char name[256];
        const int length =
            snprintf(name, sizeof name, "%s/%s", folders[i], slash ? slash + 1 : missing);
        if (length > 0 && (size_t)length < sizeof name && strchr(missing, '.') &&
            find_file(path, "share/segue/", name))
            return true;
    }
    return false;
}

/* Check the arguments, and the values of options as in --models=FILE. */
bool cli_installed_files_suggest(char path[CLI_PATH_SIZE], int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *sign = *argv[i] == '-' ? strchr(argv[i], '=') : NULL;
        const char *name = sign ? sign + 1 : argv[i];
        if (access(name, F_OK) != 0 && errno == ENOENT && find_same_name(path, name))
            return true;
    }
    return false;
}
