/* columns.h - one description of a table that prints as table, CSV and JSON.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COLUMNS_H
#define SEGUE_CLI_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/output.h"
#include "cli/value.h"

/** One column.  A name that is NULL excludes the column from that format. */
typedef struct cli_column {
    const char *csv;     /* name in CSV */
    const char *json;    /* field in JSON; "regret.mean" nests it in an object "regret" */
    const char *heading; /* in the table */
    /** Give the cell of a row.  `index` is the column's, or the number of the repetition. */
    cli_value (*get)(const void *data, size_t row, size_t index);
    int digits;   /* in the table: decimals of a number, most characters of a text (0: all) */
    size_t index; /* passed to `get` */
    bool (*is_shown)(const void *data); /* NULL: always */
    /** Table only: repeat the column, titled by `title`; NULL: once. */
    size_t (*repeat)(const void *data);
    cli_value (*title)(const void *data, size_t index);
    size_t title_width; /* most characters of a title; 0: all */
} cli_column;

/** Columns, and the rows that they are read from. */
typedef struct cli_columns {
    const cli_column *column;
    size_t count;
    const void *data; /* passed to the functions of the columns */
    size_t n_rows;
    const char *caption; /* above the table; NULL: none */
} cli_columns;

/** The columns of an array of cli_column. */
#define CLI_COLUMNS(array, rows, row_count)                                                        \
    ((cli_columns){.column = (array),                                                              \
                   .count = sizeof(array) / sizeof *(array),                                       \
                   .data = (rows),                                                                 \
                   .n_rows = (row_count)})

/** The title of a column that is repeated per model: "model 1" for index 0. */
cli_value cli_columns_model_title(const void *data, size_t index);

/** The columns that a table omits if it is wider than the terminal. */
typedef enum cli_columns_fit {
    CLI_FIT_ANY_WIDTH,     /* nothing */
    CLI_FIT_DROP_REPEATED, /* all repeated columns */
    CLI_FIT_DROP_LAST,     /* as many of the last columns as it must */
    CLI_FIT_OR_NOTHING     /* the whole table */
} cli_columns_fit;

/**
 * Print the table.  `n_omitted` (may be NULL) receives the number of columns that do not fit.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status cli_columns_print_table(const cli_columns *columns,
                                                      cli_columns_fit fit, size_t *n_omitted,
                                                      FILE *out, cli_bold bold, segue_error *err);

/** Print the header and one line per row. */
void cli_columns_print_csv(const cli_columns *columns, FILE *out);

/** Write the same to a file.  @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status cli_columns_write_csv(const cli_columns *columns, const char *path,
                                                    segue_error *err);

/** Make an object of a row, a list of all rows; NULL: out of memory. */
json_t *cli_columns_row(const cli_columns *columns, size_t row);
json_t *cli_columns_list(const cli_columns *columns);

#endif
