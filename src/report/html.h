/* html.h - print the parts of a self-contained HTML page.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_REPORT_HTML_H
#define SEGUE_REPORT_HTML_H

#include <stdio.h>

#include "report/figure.h"

/** Print the page up to its first heading, styles included. */
void segue_html_begin(FILE *out, const char *title);
void segue_html_end(FILE *out);

/** Print as printf, with the special characters of HTML escaped. */
void segue_html_text(FILE *out, const char *format, ...) SEGUE_PRINTF(2, 3);

/** Print a paragraph of such text. */
void segue_html_p(FILE *out, const char *format, ...) SEGUE_PRINTF(2, 3);

/** Print a heading of level 2 or 3 with an anchor. */
void segue_html_heading(FILE *out, int level, const char *id, const char *text);

/**
 * Draw a figure into `folder`, or without leaving files if that is NULL, embed it in two forms for
 * wide and narrow screens, with its caption, and release it in any case.
 *
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM, SEGUE_EDOMAIN  as segue_figure_draw
 */
SEGUE_MUST_CHECK segue_status segue_html_figure(FILE *out, segue_figure *figure, const char *folder,
                                                const char *caption, segue_error *err);

/** Print the verdict of a page; `kind`: holds, partly or unclear. */
void segue_html_verdict(FILE *out, const char *kind, const char *text);

/** Print a shell command. */
void segue_html_command(FILE *out, const char *format, ...) SEGUE_PRINTF(2, 3);

/** Print a table: begin with its headings (terminated by NULL), then rows of cells, then the end.
 */
void segue_html_table_begin(FILE *out, const char *caption, const char *const *headings);
void segue_html_row(FILE *out);
void segue_html_cell(FILE *out, const char *format, ...) SEGUE_PRINTF(2, 3);
void segue_html_table_end(FILE *out);

#endif
