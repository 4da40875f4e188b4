/* output.c - collect output in memory, then write it to a file at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "segue/internal.h"

segue_status segue_output_init(segue_output *output, segue_error *err)
{
    *output = (segue_output){.stream = NULL};
    output->stream = open_memstream(&output->data, &output->size);
    if (!output->stream)
        return segue_fail_no_memory(err, "the output");
    return SEGUE_OK;
}

segue_status segue_output_finish(segue_output *output, segue_error *err)
{
    if (fflush(output->stream) != 0 || ferror(output->stream))
        return segue_fail_no_memory(err, "the output");
    return SEGUE_OK;
}

segue_status segue_output_write(segue_output *output, const char *path, segue_error *err)
{
    SEGUE_TRY(segue_output_finish(output, err));
    return segue_atomic_file_write(path, output->data, output->size, err);
}

void segue_output_fini(segue_output *output)
{
    if (output->stream)
        fclose(output->stream);
    free(output->data);
    *output = (segue_output){.stream = NULL};
}

void segue_output_csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char *p = text; *p; p++) {
        if (*p == '"')
            fputc('"', out);
        fputc(*p, out);
    }
    fputc('"', out);
}

void segue_output_csv_number(FILE *out, double x)
{
    if (isfinite(x))
        fprintf(out, "%.*g", SEGUE_OUTPUT_DIGITS, x);
}
