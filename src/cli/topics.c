/* topics.c - the topics of `segue help` that are no commands: the formats of files; that of results
 * is in topic_results.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/topics.h"

#include "segue/internal.h"

/* clang-format off */
static const char about_models[] =
    "A model set is a CSV file. Its header names the arms; each row is a model, one\n"
    "mean reward per arm, from 0 to 1. An optional first column 'weight' says how\n"
    "often tasks have each model; weights are scaled to sum to 1, and without them\n"
    "all are equal.\n"
    "\n"
    "  weight,tutor A,tutor B,tutor C\n"
    "  0.5,0.9,0.4,0.3\n"
    "  0.5,0.2,0.4,0.8\n"
    "\n"
    "Limits: 2 to 10,000 arms, 1 to 1,000 models, lines of at most 1 MiB.\n"
    "\n"
    "Simulate, complexity and bench read it with --models ('-': standard input); it\n"
    "is also what --estimated and --switch-to name. 'segue estimate --format csv'\n"
    "writes it. In an experiment it is the name of such a file, or the numbers\n"
    "themselves ('segue help run').\n"
    "\n"
    "Refused, with file and line, and exit code 2: no header; an arm without a name,\n"
    "two arms with the same name, a name with a blank at an end or with a control\n"
    "character; a mean outside 0 to 1; rows with more or fewer fields than the\n"
    "header; negative weights, or weights that sum to 0; quotes that are not closed;\n"
    "NUL bytes.\n";

static const char about_logs[] =
    "A log has one row per reward. Its columns are 'task', 'arm' and 'reward', in\n"
    "any order, and perhaps 'time' and 'probability'; other columns are ignored.\n"
    "advise, replay, estimate and simulate --log read it. It is CSV with a header,\n"
    "or JSON Lines, one object per line:\n"
    "\n"
    "  task,arm,reward,time\n"
    "  student 1,tutor A,1,2024-05-31T09:30:00Z\n"
    "  student 1,tutor B,0,2024-05-31T09:34:10Z\n"
    "  student 2,tutor A,0,2024-05-31T09:41:00+02:00\n"
    "\n"
    "  {\"task\": \"student 1\", \"arm\": \"tutor A\", \"reward\": 1}\n"
    "  {\"task\": \"student 1\", \"arm\": \"tutor B\", \"reward\": 0}\n"
    "\n"
    "Either may be compressed by gzip or zstd. The first bytes say which it is, the\n"
    "name does not matter, and '-' is the standard input. Errors count lines of the\n"
    "text after decompression.\n"
    "\n"
    "  task, arm    names: UTF-8 of any length, without control characters. Tasks\n"
    "               are numbered in the order of their first rows, and the rows of a\n"
    "               task need not be adjacent. So are arms; but if all are named by\n"
    "               numbers, these are their order. In JSON a number is the same\n"
    "               name as a string with its characters: 7 is \"7\", but 7.0 is\n"
    "               another name\n"
    "  reward       a finite number from --lowest to --highest (default 0 to 1), in\n"
    "               JSON without quotes. Rows without a reward must be left out;\n"
    "               true is 1 and false is 0\n"
    "  time         optional: a number, or a date, 2024-05-31, or a date and time of\n"
    "               day, 2024-05-31T09:30, with or without seconds and fractions of\n"
    "               them, with 'T' or a blank. It is UTC unless it ends with an\n"
    "               offset such as +02:00. All times of a log are numbers, or all\n"
    "               are dates\n"
    "  probability  optional: how likely the arm was to be chosen when it was; more\n"
    "               than 0, at most 1\n"
    "\n"
    "Where a command uses 'time' or 'probability', every row has it or none; in JSON\n"
    "null is the same as nothing. Where it does not, they are ignored.\n"
    "\n"
    "Accepted: lines that end with LF or CRLF, a last line without an end, blank\n"
    "lines, a byte-order mark; quoted fields of CSV with commas, doubled quotes and\n"
    "line ends in them; nested values of other keys in JSON, up to 64 levels deep;\n"
    "several streams of gzip or zstd in one file, one after the other; zeros after\n"
    "gzip; a log of one task, and tasks of few rows.\n"
    "\n"
    "Refused, with file and line, and exit code 2:\n"
    "\n"
    "  - an empty log, a header without rows, a log of a single arm\n"
    "  - no header, a header without task, arm and reward, or with one of them\n"
    "    twice; other separators than commas; lines that end with CR alone\n"
    "  - rows with more or fewer fields than the header; quotes that are not closed,\n"
    "    or text after them\n"
    "  - rewards, times and probabilities that are not such numbers, are missing, or\n"
    "    are out of range\n"
    "  - names that are empty, are not UTF-8 or have a control character\n"
    "  - NUL bytes, which UTF-16 has (iconv -f UTF-16 -t UTF-8 converts it); lines\n"
    "    of more than 1 MiB\n"
    "  - JSON that is not one object per line (RFC 8259) and nothing else: an array,\n"
    "    an object over many lines, a key twice, a string with a NUL or that is not\n"
    "    UTF-8; CSV and JSON mixed\n"
    "  - compressed data that are cut off or damaged, or have other bytes after them\n";
/* clang-format on */

static const cli_topic topics[] = {
    {"logs", "the format of logs of rewards", about_logs},
    {"models", "the format of model sets", about_models},
    {"results", "every field and column that commands print or write", cli_topic_results},
};

const cli_topic *cli_topics_list(size_t *count)
{
    *count = sizeof topics / sizeof *topics;
    return topics;
}

static const char *name_of(const void *list, size_t i)
{
    return ((const cli_topic *)list)[i].name;
}

const cli_topic *cli_topics_find(const char *name)
{
    const size_t count = sizeof topics / sizeof *topics;
    const size_t place = segue_text_find(name, topics, count, name_of);
    return place < count ? &topics[place] : NULL;
}
