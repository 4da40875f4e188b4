/* table.h - aligned columns for people.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_TABLE_H
#define SEGUE_CLI_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "cli/output.h"

#define CLI_TERMINAL_WIDTH 80 /* columns that every terminal has */

/** A table of texts; cells that are never set are empty. */
typedef struct cli_table {
    size_t rows, columns;
    char **cell; /* rows x columns */
    int failed;  /* out of memory */
} cli_table;

SEGUE_MUST_CHECK segue_status cli_table_init(cli_table *table, size_t rows, size_t columns,
                                             segue_error *err);
void cli_table_fini(cli_table *table);

/** Set a cell by a printf format. */
void cli_table_set(cli_table *table, size_t row, size_t column, const char *format, ...)
    SEGUE_PRINTF(4, 5);

/** Set a cell to a name, cut to `max` characters. */
void cli_table_name(cli_table *table, size_t row, size_t column, const char *name, size_t max);

/** Set a cell to a number with that many decimals, or to '-' if it is not finite. */
void cli_table_number(cli_table *table, size_t row, size_t column, double x, int decimals);

/** Return the width of the first `columns` columns, with the spaces between them. */
size_t cli_table_width(const cli_table *table, size_t columns);

/** Print the first `columns` columns: row 0 is the heading; the first column is flush left. */
SEGUE_MUST_CHECK segue_status cli_table_print(const cli_table *table, size_t columns, FILE *out,
                                              cli_bold bold, segue_error *err);

/** Print a text, indented and wrapped between words at CLI_TERMINAL_WIDTH columns. */
void cli_table_print_wrapped(FILE *out, const char *indent, const char *text);

#endif
