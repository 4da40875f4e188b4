/* figure_temporary.c - draw a figure without leaving files.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/figure.h"

/* Remove all that segue_figure_draw_forms may have written, and the folder. */
static void clear_folder(const char *folder, const char *name)
{
    static const char *const ends[] = {".csv", ".gp", ".svg", "-narrow.svg", ".pdf", ".png"};
    char path[4096];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (snprintf(path, sizeof path, "%s/%s%s", folder, name, ends[i]) < (int)sizeof path)
            (void)unlink(path);
    (void)rmdir(folder);
}

segue_status segue_figure_draw_temporary(segue_figure *figure, unsigned forms, segue_error *err)
{
    char folder[1024];
    const char *variable = getenv("TMPDIR"), *base = variable && *variable ? variable : "/tmp";
    if (snprintf(folder, sizeof folder, "%s/segue-XXXXXX", base) >= (int)sizeof folder ||
        !mkdtemp(folder))
        return segue_fail(err, SEGUE_EIO,
                          "a temporary folder for figures cannot be created in %s: %s", base,
                          strerror(errno));
    const segue_status status = segue_figure_draw_forms(figure, folder, forms, err);
    clear_folder(folder, figure->name);
    return status;
}
