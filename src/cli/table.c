/* table.c - aligned columns for people.
 *
 * Cells are texts; widths count UTF-8 characters. The first column is aligned left, the others
 * right. If memory runs out while cells are set, printing fails: callers set cells without checks.
 *
 * columns.c fills most tables; replay and plan use cli_table_print_wrapped for sentences. A table
 * holds all cells until it is printed, since the widths of columns depend on every row.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/table.h"
#include "segue/internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN 2 /* spaces between columns */

/* The caller calls cli_table_fini. */
segue_status cli_table_init(cli_table *table, size_t rows, size_t columns, segue_error *err)
{
    *table = (cli_table){.rows = rows, .columns = columns};
    table->cell = calloc(rows * columns, sizeof *table->cell);
    if (!table->cell)
        return segue_fail(err, SEGUE_ENOMEM, "out of memory for a table of %zu rows", rows);
    return SEGUE_OK;
}

void cli_table_fini(cli_table *table)
{
    for (size_t i = 0; table->cell && i < table->rows * table->columns; i++)
        free(table->cell[i]);
    free(table->cell);
    *table = (cli_table){.rows = 0};
}

/* A text over 255 bytes is truncated; a cell that was set before is replaced. */
void cli_table_set(cli_table *table, size_t row, size_t column, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (!copy) {
        table->failed = 1;
        return;
    }
    memcpy(copy, text, size);
    free(table->cell[row * table->columns + column]);
    table->cell[row * table->columns + column] = copy;
}

/* Cut after `max` characters, never within one, and mark the cut with "..". */
void cli_table_name(cli_table *table, size_t row, size_t column, const char *name, size_t max)
{
    size_t characters = 0, bytes = 0;
    for (; name[bytes]; bytes++) {
        characters += ((unsigned char)name[bytes] & 0xc0) != 0x80;
        if (characters > max)
            break;
    }
    cli_table_set(table, row, column, "%.*s%s", (int)bytes, name, name[bytes] ? ".." : "");
}

void cli_table_number(cli_table *table, size_t row, size_t column, double x, int decimals)
{
    if (isfinite(x))
        cli_table_set(table, row, column, "%.*f", decimals, x);
    else
        cli_table_set(table, row, column, "-");
}

/* A cell that was never set is empty. */
static const char *text_of(const cli_table *table, size_t row, size_t column)
{
    const char *text = table->cell[row * table->columns + column];
    return text ? text : "";
}

/* Count the characters of a UTF-8 text: the bytes that do not continue one. */
static size_t characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

/* The width counts characters, not bytes. */
static size_t column_width(const cli_table *table, size_t column)
{
    size_t width = 0;
    for (size_t row = 0; row < table->rows; row++) {
        const size_t own = characters(text_of(table, row, column));
        width = own > width ? own : width;
    }
    return width;
}

size_t cli_table_width(const cli_table *table, size_t columns)
{
    size_t width = 0;
    for (size_t column = 0; column < columns; column++)
        width += column_width(table, column) + (column ? BETWEEN : 0);
    return width;
}

/* Return the widths of all columns, to be freed; NULL: out of memory. */
static size_t *column_widths(const cli_table *table)
{
    size_t *width = calloc(table->columns, sizeof *width);
    for (size_t column = 0; width && column < table->columns; column++)
        width[column] = column_width(table, column);
    return width;
}

/* Pad by characters: printf would pad by bytes. */
static void print_cell(FILE *out, const char *text, size_t width, size_t column)
{
    const int padding = (int)(width - characters(text));
    if (column == 0)
        fprintf(out, "%s%*s", text, padding, "");
    else
        fprintf(out, "%*s%s", padding + BETWEEN, "", text);
}

segue_status cli_table_print(const cli_table *table, size_t columns, FILE *out, cli_bold bold,
                             segue_error *err)
{
    size_t *width = table->failed ? NULL : column_widths(table);
    if (!width)
        return segue_fail_no_memory(err, "a table");
    for (size_t row = 0; row < table->rows; row++) {
        fputs(row == 0 ? bold.on : "", out);
        for (size_t column = 0; column < columns; column++)
            print_cell(out, text_of(table, row, column), width[column], column);
        fprintf(out, "%s\n", row == 0 ? bold.off : "");
    }
    free(width);
    return SEGUE_OK;
}

/* Return the length of the next word; "8.1 %" is one. */
static size_t word_length(const char *text)
{
    size_t length = strcspn(text, " ");
    if (strncmp(text + length, " %", 2) == 0)
        length += 1 + strcspn(text + length + 1, " ");
    return length;
}

/* Break lines between words at CLI_TERMINAL_WIDTH columns. */
void cli_table_print_wrapped(FILE *out, const char *indent, const char *text)
{
    size_t column = 0; /* 0: at the beginning of a line */
    while (*text) {
        const size_t length = word_length(text);
        if (column > 0 && column + 1 + length > CLI_TERMINAL_WIDTH) {
            fputc('\n', out);
            column = 0;
        }
        fprintf(out, "%s%.*s", column > 0 ? " " : indent, (int)length, text);
        column += length + (column > 0 ? 1 : strlen(indent));
        text += length + (text[length] == ' ');
    }
    fputc('\n', out);
}
