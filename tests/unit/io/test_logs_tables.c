/* test_logs_tables.c - tables that are refused, each with the next step; files that are no text.
 * SPDX-License-Identifier: Apache-2.0 */
#include "logs_fixture.h"

#define TEXT(text) text, sizeof(text) - 1
#define NAMES      .column = {"user", "variant", "click"}
#define USERS      "user,variant,click\n"

/* ---- wrong logs -------------------------------------------------------------------------- */

typedef struct wrong_table {
    const char *what, *bytes;
    size_t size;
    const char *says;         /* after the name of the file */
    const char *next;         /* what to do: also in the message */
    log_read_options options; /* `highest` 0: 1 */
} wrong_table;

#define DS(members) "{\"_label_cost\":-1,\"_label_Action\":1,\"c\":{\"u\":\"x\"}" members "}\n"
#define BY_U        .column = {"c.u"}

static const wrong_table tables[] = {
    /* Columns. */
    {"other names",
     TEXT("user_id,variant,clicked\n"),
     ":1: the header has no column 'task'",
     "--task user_id --arm variant --reward clicked",
     {.lowest = 0}},
    {"tabs and other names",
     TEXT("session id\ttreatment\tconversion\tts\n"),
     ":1: the header has no column 'task'; it has 'session id', 'treatment', 'conversion' and 'ts'",
     "--task 'session id' --arm treatment --reward conversion --time ts",
     {.lowest = 0}},
    {"no likely name",
     TEXT("a,b,c\n"),
     ":1: the header has no column 'task'; it has 'a', 'b' and 'c'",
     "--task COLUMN --arm COLUMN --reward COLUMN",
     {.lowest = 0}},
    {"a name that is not there",
     TEXT("user,variant,clicks\n"),
     ":1: the header has no column 'click'",
     "it has 'user', 'variant' and 'clicks'",
     {NAMES}},
    {"a named time that is not there",
     TEXT("task,arm,reward\n"),
     ":1: the header has no column 'when'",
     "name the columns",
     {.column = {[LOG_TIME] = "when"}}},
    {"a probability that is not there",
     TEXT("task,arm,reward\n"),
     ":1: the header has no column 'p'",
     "name the columns",
     {.column = {[LOG_PROBABILITY] = "p"}}},
    {"a named column twice",
     TEXT("user,variant,click,user\n"),
     ":1: two columns are named 'user'",
     "name another with --task",
     {NAMES}},
    {"no header",
     TEXT("u7;a;0.5\n"),
     ":1: the header has no column 'task'; it has 'u7', 'a' and '0.5'",
     "put a line with the names of the columns before it",
     {.lowest = 0}},
    {"another delimiter than named",
     TEXT(HEAD "u,a,1\n"),
     ":1: the header has no pipe",
     "give --delimiter comma",
     {.delimiter = '|'}},
    {"only one arm by this name",
     TEXT("user,variant,click\nu,a,1\nv,a,0\n"),
     ": there is only one arm",
     "is 'variant' the column of arms?",
     {NAMES}},
    /* Rows. */
    {"a tab too few",
     TEXT("task\tarm\treward\nu\ta\n"),
     ":2: the row has 2 fields; the header has 3",
     "the delimiter is tab",
     {.lowest = 0}},
    {"a semicolon too many",
     TEXT("task;arm;reward\nu;a;b;1\n"),
     ":2: the row has 4 fields; the header",
     "put quotes around a value that contains it",
     {.lowest = 0}},
    {"a quote that goes on",
     TEXT("task|arm|reward\nu|\"a\"b|1\n"),
     ":2: field 2: a quote is not closed",
     "before the next pipe",
     {.lowest = 0}},
    /* Values, named as their column is. */
    {"an empty reward",
     TEXT(USERS "u,a,1\nu,b,\n"),
     ":3: field 'click': is empty",
     "--missing skip",
     {NAMES}},
    {"a reward NA", TEXT(USERS "u,a,NA\n"), ":2: field 'click': is NA", "--missing skip", {NAMES}},
    {"an empty task",
     TEXT(USERS ",a,1\n"),
     ":2: field 'user': the name is empty",
     "--missing skip",
     {NAMES}},
    {"a reward on another scale",
     TEXT(USERS "u,a,4\n"),
     ":2: field 'click': 4 is out of range",
     "give --range 0,5 if that is the scale",
     {NAMES}},
    {"a reward of 7",
     TEXT(HEAD "u,a,7\n"),
     ":2: field 'reward': 7 is out of range; need 0 to 1",
     "--range 0,10",
     {.lowest = 0}},
    {"a reward in percent",
     TEXT(HEAD "u,a,55\n"),
     ":2: field 'reward': 55 is out",
     "--range 0,100",
     {.lowest = 0}},
    {"a reward below 0",
     TEXT(HEAD "u,a,-0.5\n"),
     ":2: field 'reward': -0.5 is out",
     "--range -1,1",
     {.lowest = 0}},
    {"a reward of a million",
     TEXT(HEAD "u,a,1e6\n"),
     ":2: field 'reward': 1e+06 is out",
     "--range LOW,HIGH",
     {.lowest = 0}},
    {"a decimal comma",
     TEXT("task;arm;reward\nu;a;0,5\n"),
     ":2: field 'reward': '0,5' has a decimal",
     "need a point",
     {.lowest = 0}},
    {"a percent sign",
     TEXT(HEAD "u,a,50%\n"),
     ":2: field 'reward': '50%' is not",
     "need a number",
     {.lowest = 0}},
    {"a word",
     TEXT(HEAD "u,a,maybe\n"),
     ":2: field 'reward': 'maybe' is not",
     "true or false",
     {.lowest = 0}},
    {"a probability in percent",
     TEXT("task,arm,reward,p\nu,a,1,50\n"),
     ":2: field 'p': 50 is out of range",
     "divide percentages by 100",
     {.column = {[LOG_PROBABILITY] = "p"}}},
    {"a probability null",
     TEXT("task,arm,reward,p\nu,a,1,null\n"),
     ":2: field 'p': is null",
     "--missing skip",
     {.column = {[LOG_PROBABILITY] = "p"}}},
    {"a time NULL",
     TEXT("task,arm,reward,t\nu,a,1,NULL\n"),
     ":2: field 't': is NULL",
     "--missing skip",
     {.column = {[LOG_TIME] = "t"}}},
    {"Latin-1",
     TEXT("task;arm;reward\ncaf\xe9;a;1\n"),
     ":2: field 'task': the name is not UTF-8",
     "iconv -f LATIN1 -t UTF-8",
     {.lowest = 0}},
    {"every row skipped",
     TEXT(HEAD "u,a,\nu,b,NA\n"),
     ": every row was skipped: 2 without a reward",
     "check the names of the columns",
     {.skip_missing = true}},
    /* JSON. */
    {"other keys",
     TEXT("{\"user\":1,\"variant\":\"a\",\"click\":true}\n"),
     ":1: there is no 'task'",
     "--task user --arm variant --reward click",
     {.lowest = 0}},
    {"nested keys",
     TEXT("{\"ctx\":{\"visitor\":{\"id\":7}},\"action\":\"a\",\"value\":1}\n"),
     ":1: there is no 'task'",
     "--task ctx.visitor.id --arm action --reward value",
     {.lowest = 0}},
    {"a path that is not there",
     TEXT("{\"c\":{\"v\":1},\"arm\":1,\"reward\":1}\n"),
     ":1: there is no 'c.u'",
     "this line has 'c.v', 'arm' and 'reward'",
     {BY_U}},
    {"a path that ends early",
     TEXT("{\"c\":{\"u\":{\"id\":1}},\"arm\":1,\"reward\":1}\n"),
     ":1: field 'c.u': need a string or a number",
     "need",
     {BY_U}},
    {"a key that is null later",
     TEXT("{\"task\":1,\"arm\":1,\"reward\":1}\n{\"task\":1,\"arm\":2,\"reward\":null}\n"),
     ":2: there is no 'reward', or it is null",
     "--missing skip",
     {.lowest = 0}},
    {"a wrong object on the path",
     TEXT("{\"c\":{\"u\":1,},\"arm\":1,\"reward\":1}\n"),
     ":1: byte 13: need a key in quotes",
     "need",
     {BY_U}},
    {"an array on the path that is open",
     TEXT("{\"c\":[{\"u\":1}\n"),
     ":1: the object is not closed on its line",
     "one object per line",
     {.column = {"c.0.u"}}},
    {"a key of the path twice",
     TEXT("{\"c\":{\"u\":1,\"u\":2},\"arm\":1,\"reward\":1}\n"),
     ":1: the key 'c.u' is there twice",
     "need it once",
     {BY_U}},
    {"NaN in JSON",
     TEXT("{\"task\":1,\"arm\":1,\"reward\":NaN}\n"),
     ":1: byte 28: NaN is not JSON",
     "write null",
     {.lowest = 0}},
    {"a JSON array",
     TEXT("[{\"task\":1}]\n"),
     ":1: this is a JSON array",
     "jq -c '.[]'",
     {.lowest = 0}},
    /* dsjson. */
    {"dsjson without a task",
     TEXT(DS("")),
     ":1: this is dsjson, which has no tasks",
     "this line has 'c.u'",
     {.lowest = 0}},
    {"dsjson with users",
     TEXT("{\"_label_cost\":0,\"EventId\":\"e\",\"c\":{\"GUser\":{\"id\":\"x\"},\"_multi\":[{\"k\":"
          "1}]}}\n"),
     ":1: this is dsjson",
     "--task c.GUser.id",
     {.lowest = 0}},
    {"a cost above 0",
     TEXT("{\"_label_cost\":1,\"_label_Action\":1,\"c\":{\"u\":\"x\"}}\n"),
     ":1: field '_label_cost': -1 is out of range",
     "--range -1,1",
     {BY_U}},
    {"no action",
     TEXT("{\"_label_cost\":0,\"_label_Action\":\"a\",\"a\":[],\"c\":{\"u\":\"x\"}}\n"),
     ":1: there is no action",
     "give --arm",
     {BY_U}},
    {"an action of no number",
     TEXT("{\"_label_cost\":0,\"_label_Action\":0,\"c\":{\"u\":\"x\"}}\n"),
     ":1: there is no action",
     "give --arm",
     {BY_U}},
    {"several slots",
     TEXT(DS("") "{\"_outcomes\":[{}],\"EventId\":\"e\",\"c\":{\"u\":\"x\"}}\n"),
     ":2: field '_outcomes': this decision has several slots",
     "a line of its own",
     {BY_U}},
    {"a tag, then none",
     TEXT("{\"_label_cost\":0,\"_label_Action\":1,\"c\":{\"u\":1,\"_multi\":[{\"_tag\":\"a\"}]}}"
          "\n" DS("")),
     ":2: action 1 has no '_tag' and id; those before have one",
     "give --arm",
     {BY_U}},
    {"no label",
     TEXT(DS("") "{\"EventId\":\"e\",\"a\":[1],\"p\":[1],\"c\":{\"u\":\"x\"}}\n"),
     ":2: there is no '_label_cost'",
     "--missing skip",
     {BY_U}},
    {"a label that is a word",
     TEXT("{\"_label_cost\":\"1\",\"_label_Action\":1,\"c\":{\"u\":\"x\"}}\n"),
     ":1: field '_label_cost': need a number",
     "without quotes",
     {BY_U}},
    {"a probability of 0",
     TEXT(DS(",\"_label_probability\":0")),
     ":1: field '_label_probability': 0 is out of range",
     "need more than 0",
     {BY_U}},
};

static log_read_options options_of(const wrong_table *table)
{
    log_read_options options = table->options;
    options.highest = options.highest == 0.0 ? 1.0 : options.highest;
    options.time = options.column[LOG_TIME] != NULL;
    options.probability = true;
    return options;
}

static void wrong_tables_are_refused_with_the_next_step(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const log_read_options options = options_of(&tables[i]);
        write_bytes(tables[i].bytes, tables[i].size);
        refused_with(tables[i].what, tables[i].says, tables[i].next, &options);
    }
}

/* ---- files that are no text -------------------------------------------------------------- */

typedef struct other_file {
    const char *bytes;
    size_t size;
    const char *kind, *convert;
} other_file;

static const other_file other_files[] = {
    {TEXT("PK\x03\x04\x14\0\0\0[Content_Types].xml"), "an Excel workbook (.xlsx)", "as CSV"},
    {TEXT("PK\x03\x04\x14\0\0\0xl/workbook.xml"), "an Excel workbook (.xlsx)", "libreoffice"},
    {TEXT("PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet"),
     "an OpenDocument spreadsheet (.ods)", "as CSV"},
    {TEXT("PK\x03\x04\x14\0log.csv\n"), "a zip archive", "unzip -p FILE | segue COMMAND -"},
    {TEXT("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0"), "an Excel workbook (.xls)", "as CSV"},
    {TEXT("PAR1\x15\x04\x15"), "a Parquet file", "duckdb -csv"},
    {TEXT("ARROW1\0\0"), "an Arrow file (Feather)", "read_feather"},
    {TEXT("SQLite format 3\0\x10"), "an SQLite database", "sqlite3 -header -csv"},
    {TEXT("01234567DUCK\x40"), "a DuckDB database", "duckdb -csv"},
    {TEXT("PGDMP\x01\x0e"), "a dump of PostgreSQL", "psql --csv"},
    {TEXT("Obj\x01\x04"), "an Avro file", "avro-tools tojson"},
    {TEXT("\x89HDF\r\n\x1a\n"), "an HDF5 file", "read_hdf"},
    {TEXT("\xfd"
          "7zXZ\0\0\x04"),
     "compressed by xz", "xz -dc FILE"},
    {TEXT("BZh91AY&SY\x01"), "compressed by bzip2", "bzip2 -dc FILE"},
    {TEXT("\x04\x22\x4d\x18\x64"), "compressed by lz4", "lz4 -dc FILE"},
    {TEXT("\x1f\x9d\x90"), "compressed by compress", "gzip -dc FILE"},
    {TEXT("7z\xbc\xaf\x27\x1c"), "a 7z archive", "7z x -so FILE"},
    {TEXT("%PDF-1.7\n"), "a PDF", "as CSV"},
    {TEXT("RDX3\nX\n"), "data of R", "write.csv"},
    {TEXT("\x80\x04\x95\x10"), "a pickle of Python", "read_pickle"},
    {TEXT("<!DOCTYPE html>\n<html>"), "a page of HTML", "download the table itself"},
    {TEXT("<?xml version=\"1.0\"?>\n"), "XML", "as CSV"},
    {TEXT("\xff\xfe\0\0t\0\0\0"), "UTF-32", "iconv -f UTF-32 -t UTF-8 FILE"},
    {TEXT("\xff\xfet\0a\0s\0k\0"), "UTF-16", "iconv -f UTF-16 -t UTF-8 FILE"},
    {TEXT("t\0a\0s\0k\0,\0"), "UTF-16", "iconv -f UTF-16LE -t UTF-8 FILE"},
    {TEXT("\0t\0a\0s\0k\0,"), "UTF-16", "iconv -f UTF-16BE -t UTF-8 FILE"},
};

static void other_files_are_named_with_how_to_convert_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof other_files / sizeof *other_files; i++) {
        char says[100];
        (void)snprintf(says, sizeof says, ":1: the file is %s; need text", other_files[i].kind);
        write_bytes(other_files[i].bytes, other_files[i].size);
        refused_with(other_files[i].kind, says, other_files[i].convert, &plain);
    }
}

/* A tar archive has its mark at byte 257. */
static void a_tar_archive_is_named(void **state)
{
    (void)state;
    char bytes[512] = "log.csv";
    memcpy(bytes + 257, "ustar", 5);
    write_bytes(bytes, sizeof bytes);
    refused_with("tar", ":1: the file is a tar archive", "tar -xOf FILE", &plain);
}

/* A large file without lines is named too, not only its line. */
static void a_large_file_without_lines_is_named(void **state)
{
    (void)state;
    const size_t size = 3u << 20;
    char *bytes = calloc(1, size);
    assert_non_null(bytes);
    memcpy(bytes, "PAR1\x15", 5);
    write_bytes(bytes, size);
    free(bytes);
    refused_with("Parquet", ":1: the file is a Parquet file", "duckdb", &plain);
}

/* Headers that begin like other files are read. */
static void text_that_begins_like_other_files_is_read(void **state)
{
    (void)state;
    static const char *const first[] = {"PAR1", "ORCID", "BZh",  "PK",
                                        "RDX",  "Obj",   "DUCK", "<tag>"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        char text[100];
        (void)snprintf(text, sizeof text, "%s,task,arm,reward\n,u,a,1\n,u,b,0\n", first[i]);
        write_text(text);
        segue_history h = must_read(first[i]);
        assert_int_equal(h.n_rows, 2);
        segue_history_fini(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_tables_are_refused_with_the_next_step),
        cmocka_unit_test(other_files_are_named_with_how_to_convert_them),
        cmocka_unit_test(a_tar_archive_is_named),
        cmocka_unit_test(a_large_file_without_lines_is_named),
        cmocka_unit_test(text_that_begins_like_other_files_is_read),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
