/* file_kind.c - recognize files that are not UTF-8 text by their first bytes.
 *
 * People give what they have: a workbook, a Parquet file, a database.  Segue reads text, so the error
 * names the kind of file and the command that converts it.  A zip archive may be a spreadsheet: the
 * names of its first files tell.  UTF-16 has a byte-order mark, or a NUL in one half of each ASCII
 * character.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memmem */
#include "io/text/file_kind.h"

#include <stdbool.h>
#include <string.h>

#define PIPE " | segue COMMAND -"
#define SAVE "save the sheet as CSV (UTF-8), or run libreoffice --headless --convert-to csv FILE"

/* A kind of file and the bytes at its start, or at an offset. */
typedef struct file_mark {
    const char *bytes;
    size_t size, offset;
    segue_file_kind kind;
} file_mark;

#define AT(bytes, offset) bytes, sizeof(bytes) - 1, offset
#define MARK(bytes)       AT(bytes, 0)

static const file_mark marks[] = {
    {MARK("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), {"an Excel workbook (.xls)", SAVE}},
    {MARK("PAR1\x15"),
     {"a Parquet file", "pipe it as CSV: duckdb -csv -c \"SELECT * FROM 'FILE'\"" PIPE}},
    {MARK("ARROW1\0"),
     {"an Arrow file (Feather)",
      "write it as CSV, such as with pandas: read_feather('FILE').to_csv('log.csv', index=False)"}},
    {MARK("SQLite format 3\0"),
     {"an SQLite database",
      "pipe a table of it: sqlite3 -header -csv FILE 'SELECT * FROM t'" PIPE}},
    {AT("DUCK", 8),
     {"a DuckDB database", "pipe a table of it: duckdb -csv FILE 'SELECT * FROM t'" PIPE}},
    {MARK("PGDMP"),
     {"a dump of PostgreSQL",
      "restore it, and pipe a table: psql --csv -c 'SELECT * FROM t'" PIPE}},
    {MARK("Obj\x01"),
     {"an Avro file", "write it as JSON Lines, such as with avro-tools tojson FILE"}},
    {MARK("\x89HDF\r\n\x1a\n"),
     {"an HDF5 file",
      "write it as CSV, such as with pandas: read_hdf('FILE').to_csv('log.csv', index=False)"}},
    {MARK("\xfd"
          "7zXZ\0"),
     {"compressed by xz", "pipe it: xz -dc FILE" PIPE}},
    {AT("1AY&SY", 4), {"compressed by bzip2", "pipe it: bzip2 -dc FILE" PIPE}},
    {MARK("\x04\x22\x4d\x18"), {"compressed by lz4", "pipe it: lz4 -dc FILE" PIPE}},
    {MARK("\x1f\x9d"), {"compressed by compress", "pipe it: gzip -dc FILE" PIPE}},
    {MARK("7z\xbc\xaf\x27\x1c"), {"a 7z archive", "pipe the file in it: 7z x -so FILE" PIPE}},
    {AT("ustar", 257), {"a tar archive", "pipe the file in it: tar -xOf FILE" PIPE}},
    {MARK("%PDF-"), {"a PDF", "write the table as CSV"}},
    {MARK("RDX2\n"),
     {"data of R", "write the table with R: write.csv(x, 'log.csv', row.names=FALSE)"}},
    {MARK("RDX3\n"),
     {"data of R", "write the table with R: write.csv(x, 'log.csv', row.names=FALSE)"}},
    {MARK("\x80\x04\x95"),
     {"a pickle of Python",
      "write it as CSV, such as with pandas: read_pickle('FILE').to_csv('log.csv', index=False)"}},
    {MARK("\x80\x05\x95"),
     {"a pickle of Python",
      "write it as CSV, such as with pandas: read_pickle('FILE').to_csv('log.csv', index=False)"}},
    {MARK("SEGUETLY"),
     {"a tally of segue",
      "give its path, not a pipe, to segue estimate, replay, plan, learn or simulate"}},
    {MARK("<!DOCTYPE"), {"a page of HTML", "download the table itself, as CSV"}},
    {MARK("<html"), {"a page of HTML", "download the table itself, as CSV"}},
    {MARK("<?xml"), {"XML", "write the table as CSV, or as JSON Lines"}},
};

/* ---- archives ---------------------------------------------------------------------------- */

/* Spreadsheets are zip archives; OpenDocument has its type in the first file. */
static const segue_file_kind *find_zip(const char *bytes, size_t count)
{
    static const segue_file_kind excel = {"an Excel workbook (.xlsx)", SAVE};
    static const segue_file_kind open_document = {"an OpenDocument spreadsheet (.ods)", SAVE};
    static const segue_file_kind zip = {"a zip archive", "pipe the file in it: unzip -p FILE" PIPE};
    if (count < 4 || memcmp(bytes, "PK\x03\x04", 4) != 0)
        return NULL;
    if (memmem(bytes, count, "opendocument", 12))
        return &open_document;
    const bool is_excel = memmem(bytes, count, "[Content_Types].xml", 19) ||
                          memmem(bytes, count, "xl/", 3) || memmem(bytes, count, "_rels/.rels", 11);
    return is_excel ? &excel : &zip;
}

/* ---- encodings --------------------------------------------------------------------------- */

static const segue_file_kind *find_encoding(const char *bytes, size_t count)
{
    static const segue_file_kind utf32 = {"UTF-32",
                                          "convert it: iconv -f UTF-32 -t UTF-8 FILE" PIPE};
    static const segue_file_kind utf16 = {"UTF-16",
                                          "convert it: iconv -f UTF-16 -t UTF-8 FILE" PIPE};
    static const segue_file_kind little = {"UTF-16",
                                           "convert it: iconv -f UTF-16LE -t UTF-8 FILE" PIPE};
    static const segue_file_kind big = {"UTF-16",
                                        "convert it: iconv -f UTF-16BE -t UTF-8 FILE" PIPE};
    if (count < 4)
        return NULL;
    if (memcmp(bytes, "\xff\xfe\0\0", 4) == 0 || memcmp(bytes, "\0\0\xfe\xff", 4) == 0)
        return &utf32;
    if (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0)
        return &utf16;
    if (bytes[0] && !bytes[1] && bytes[2] && !bytes[3])
        return &little;
    return !bytes[0] && bytes[1] && !bytes[2] && bytes[3] ? &big : NULL;
}

const segue_file_kind *segue_file_kind_find(const char *bytes, size_t count)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (count >= marks[i].offset + marks[i].size &&
            memcmp(bytes + marks[i].offset, marks[i].bytes, marks[i].size) == 0)
            return &marks[i].kind;
    const segue_file_kind *zip = find_zip(bytes, count);
    return zip ? zip : find_encoding(bytes, count);
}
