/* columns.c - one description of a table that prints as table, CSV and JSON.
 *
 * A command describes its rows once, as a constant array of cli_column: the name of each column in
 * the three formats and a function that reads its value.  The order of the array is the order in
 * every format.  Values are read row by row; nothing is stored but the cells of a table, whose
 * widths depend on all rows.
 *
 * Commands call cli_columns_print_table, cli_columns_print_csv and cli_columns_list from the three
 * functions of their cli_printers (output.c). table.c aligns the cells; value.c prints single
 * values.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/columns.h"

#include <inttypes.h>

#include "cli/table.h"
#include "io/json_build.h"
#include "segue/internal.h"

/* A column without a condition is always shown. */
static bool is_shown(const cli_columns *columns, const cli_column *column)
{
    return !column->is_shown || column->is_shown(columns->data);
}

/* ---- CSV --------------------------------------------------------------------------------- */

/* Print a line: the names of the columns, or the values of a row if `row` is not NULL. */
static void print_csv_line(const cli_columns *columns, const size_t *row, FILE *out)
{
    const char *separator = "";
    for (size_t i = 0; i < columns->count; i++) {
        const cli_column *column = &columns->column[i];
        if (!column->csv || !is_shown(columns, column))
            continue;
        fputs(separator, out);
        separator = ",";
        if (row) {
            const cli_value value = column->get(columns->data, *row, column->index);
            cli_value_print_csv(out, &value);
        } else {
            fputs(column->csv, out);
        }
    }
    fputc('\n', out);
}

void cli_columns_print_csv(const cli_columns *columns, FILE *out)
{
    print_csv_line(columns, NULL, out);
    for (size_t row = 0; row < columns->n_rows; row++)
        print_csv_line(columns, &row, out);
}

/* The file is replaced as a whole, or not at all. */
segue_status cli_columns_write_csv(const cli_columns *columns, const char *path, segue_error *err)
{
    segue_output output;
    SEGUE_TRY(segue_output_init(&output, err));
    cli_columns_print_csv(columns, output.stream);
    const segue_status status = cli_output_send(&output, path, err);
    segue_output_fini(&output);
    return status;
}

/* ---- JSON -------------------------------------------------------------------------------- */

/* A failed allocation makes the object NULL, and later fields do not change it NULL. */
json_t *cli_columns_row(const cli_columns *columns, size_t row)
{
    json_t *object = json_object();
    for (size_t i = 0; i < columns->count; i++) {
        const cli_column *column = &columns->column[i];
        if (!column->json || !is_shown(columns, column))
            continue;
        const cli_field field = {column->json, column->get(columns->data, row, column->index)};
        object = cli_value_set(object, &field);
    }
    return object;
}

json_t *cli_columns_list(const cli_columns *columns)
{
    json_t *list = json_array();
    for (size_t row = 0; row < columns->n_rows; row++)
        list = segue_json_append(list, cli_columns_row(columns, row));
    return list;
}

/* ---- tables ------------------------------------------------------------------------------ */

/* A repeated column has titles instead of a heading. */
static bool is_in_table(const cli_columns *columns, const cli_column *column)
{
    return (column->heading || column->repeat) && is_shown(columns, column);
}

/* A column without `repeat` appears once. */
static size_t repetitions(const cli_columns *columns, const cli_column *column)
{
    return column->repeat ? column->repeat(columns->data) : 1;
}

/* `digits` is the number of decimals of a number, and the largest width of a text (0: any). */
static void set_cell(cli_table *table, size_t row, size_t at, const cli_value *value, int digits)
{
    if (value->kind == CLI_VALUE_NUMBER)
        cli_table_number(table, row, at, value->number, digits);
    else if (value->kind == CLI_VALUE_INTEGER)
        cli_table_set(table, row, at, "%" PRIu64, value->integer);
    else if (value->kind == CLI_VALUE_BOOLEAN)
        cli_table_set(table, row, at, "%s", value->integer ? "yes" : "no");
    else if (value->kind == CLI_VALUE_TEXT)
        cli_table_name(table, row, at, cli_value_characters(value),
                       digits > 0 ? (size_t)digits : SIZE_MAX);
}

/* Fill repetition k of a column, at column `at` of the table. */
static void fill_column(const cli_columns *columns, const cli_column *column, size_t k,
                        cli_table *table, size_t at)
{
    const cli_value title =
        column->title ? column->title(columns->data, k) : cli_value_text(column->heading);
    const size_t index = column->repeat ? k : column->index;
    cli_table_name(table, 0, at, cli_value_characters(&title),
                   column->repeat && column->title_width ? column->title_width : SIZE_MAX);
    for (size_t row = 0; row < columns->n_rows; row++) {
        const cli_value value = column->get(columns->data, row, index);
        set_cell(table, row + 1, at, &value, column->digits);
    }
}

/* Fill the table; *n_fixed is the number of columns before the first repeated one. */
static void fill_table(const cli_columns *columns, cli_table *table, size_t *n_fixed)
{
    size_t at = 0;
    *n_fixed = table->columns;
    for (size_t i = 0; i < columns->count; i++) {
        const cli_column *column = &columns->column[i];
        if (!is_in_table(columns, column))
            continue;
        if (column->repeat && at < *n_fixed)
            *n_fixed = at;
        for (size_t k = 0; k < repetitions(columns, column); k++)
            fill_column(columns, column, k, table, at++);
    }
}

/* Return how many columns to print; the rest does not fit the terminal. */
static size_t count_fitting(const cli_table *table, cli_columns_fit fit, size_t n_fixed)
{
    size_t count = table->columns;
    if (fit == CLI_FIT_ANY_WIDTH || cli_table_width(table, count) <= CLI_TERMINAL_WIDTH)
        return count;
    if (fit == CLI_FIT_OR_NOTHING)
        return 0;
    if (fit == CLI_FIT_DROP_REPEATED)
        return n_fixed;
    while (count > 2 && cli_table_width(table, count) > CLI_TERMINAL_WIDTH)
        count--;
    return count;
}

cli_value cli_columns_model_title(const void *data, size_t index)
{
    (void)data;
    return cli_value_format("model %zu", index + 1);
}

/* The caption is printed only if a column fits. */
segue_status cli_columns_print_table(const cli_columns *columns, cli_columns_fit fit,
                                     size_t *n_omitted, FILE *out, cli_bold bold, segue_error *err)
{
    size_t total = 0, n_fixed = 0;
    for (size_t i = 0; i < columns->count; i++)
        if (is_in_table(columns, &columns->column[i]))
            total += repetitions(columns, &columns->column[i]);
    cli_table table;
    SEGUE_TRY(cli_table_init(&table, columns->n_rows + 1, total, err));
    fill_table(columns, &table, &n_fixed);
    const size_t shown = count_fitting(&table, fit, n_fixed);
    if (n_omitted)
        *n_omitted = total - shown;
    fputs(shown > 0 && columns->caption ? columns->caption : "", out);
    const segue_status status =
        shown > 0 ? cli_table_print(&table, shown, out, bold, err) : SEGUE_OK;
    cli_table_fini(&table);
    return status;
}
