/* log_columns.c - names of columns: list those that were found, and guess which is which.
 *
 * Only messages use the guess: a log is never read by it, since a wrong guess would change results
 * silently.  A name is compared without its case, its punctuation and an "id" or "name" at its end:
 * "User_ID" and "userId" are both user.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/log/log_columns.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/shell.h"
#include "io/utf8.h"

enum { MAX_LIKELY = 24, MAX_NAME = 64 };

typedef struct column_role {
    const char *name;
    const char *const likely[MAX_LIKELY]; /* likely names, the likeliest first */
} column_role;

static const column_role roles[LOG_N_COLUMNS] = {
    {"task", {"task",   "user",    "student", "visitor", "customer",    "session", "learner",
              "pupil",  "client",  "member",  "patient", "participant", "subject", "respondent",
              "person", "account", "device",  "cookie",  "household",   "route",   "uid"}},
    {"arm",
     {"arm",    "variant", "action",  "treatment", "option",   "choice", "variation", "condition",
      "group",  "version", "item",    "article",   "product",  "movie",  "campaign",  "creative",
      "banner", "offer",   "message", "tutor",     "exercise", "ad"}},
    {"reward",
     {"reward", "click", "clicked", "conversion", "converted", "score", "outcome", "value",
      "success", "correct", "rating", "result", "response", "payoff", "purchased", "revenue",
      "answer", "label", "y"}},
    {"time",
     {"time", "timestamp", "datetime", "date", "ts", "eventtime", "createdat", "created", "day",
      "t"}},
    {"probability",
     {"probability", "propensity", "prob", "pscore", "propensityscore", "actionprob", "p"}},
};

const char *segue_log_columns_default(log_column c)
{
    return roles[c].name;
}

/* Replace invalid bytes and control characters by '?'. */
static void make_printable(char *text)
{
    segue_utf8_sanitize(text);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
}

/* ---- listing ----------------------------------------------------------------------------- */

void segue_log_columns_list(const char *const *name, size_t count, char *text, size_t size)
{
    enum { SHOWN = 10, LONGEST = 24 };
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < count && i < SHOWN && used < size; i++) {
        const char *before = i == 0 ? "" : i + 1 == count ? " and " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s'%.*s'", before,
                                 (int)segue_utf8_prefix_length(name[i], LONGEST), name[i]);
    }
    if (count > SHOWN && used < size)
        (void)snprintf(text + used, size - used, ", ...");
    make_printable(text);
}

/* ---- guessing ---------------------------------------------------------------------------- */

/* Remove `end` from the end of a word that has two letters more: "uid" stays. */
static void cut_end(char *word, const char *end)
{
    const size_t length = strlen(word), cut = strlen(end);
    if (length >= cut + 2 && strcmp(word + length - cut, end) == 0)
        word[length - cut] = '\0';
}

/* Keep letters and digits, in lower case. */
static void copy_simple(const char *from, const char *to, char word[MAX_NAME])
{
    size_t length = 0;
    for (; from < to && length < MAX_NAME - 1; from++)
        if (isalnum((unsigned char)*from))
            word[length++] = (char)tolower((unsigned char)*from);
    word[length] = '\0';
}

/* Of a path in JSON the last key counts; of "user.id" the one before. */
static void simplify(const char *name, char word[MAX_NAME])
{
    const char *end = name + strlen(name), *last = strrchr(name, '.');
    copy_simple(last ? last + 1 : name, end, word);
    if (last && (strcmp(word, "id") == 0 || strcmp(word, "name") == 0)) {
        const char *start = last;
        while (start > name && start[-1] != '.')
            start--;
        copy_simple(start, last, word);
    }
    cut_end(word, "id");
    cut_end(word, "name");
}

static bool ends_with(const char *word, const char *end)
{
    const size_t length = strlen(word), wanted = strlen(end);
    return wanted >= 4 && length > wanted && strcmp(word + length - wanted, end) == 0;
}

/* The columns that a log has, and those that options name. */
typedef struct found_columns {
    const char *const *name; /* count */
    size_t count;
    const char *given[LOG_N_COLUMNS]; /* those of the options that the log has, or NULL */
} found_columns;

static bool is_given(const found_columns *found, const char *name)
{
    size_t c = 0;
    while (c < LOG_N_COLUMNS && !(found->given[c] && strcmp(found->given[c], name) == 0))
        c++;
    return c < LOG_N_COLUMNS;
}

/* Find the column that is likeliest to have a role, or NULL: by its whole name, or by its end, as
 * "ad_variant" and "GUser".  A column that has another role is not. */
static const char *find_likely(const column_role *role, const found_columns *found)
{
    for (int whole = 1; whole >= 0; whole--)
        for (size_t w = 0; w < MAX_LIKELY && role->likely[w]; w++)
            for (size_t i = 0; i < found->count; i++) {
                char word[MAX_NAME];
                simplify(found->name[i], word);
                if ((whole ? strcmp(word, role->likely[w]) == 0
                           : ends_with(word, role->likely[w])) &&
                    !is_given(found, found->name[i]))
                    return found->name[i];
            }
    return NULL;
}

/* Append "--NAME COLUMN" in quotes as needed; a text that does not fit is cut. */
static void append_option(const char *option, const char *column, char *text, size_t size)
{
    const size_t used = strlen(text);
    char *word = segue_shell_quote(column, false);
    (void)snprintf(text + used, size - used, "%s--%s %s", used ? " " : "", option,
                   word ? word : "COLUMN");
    free(word);
}

void segue_log_columns_suggest(const char *const *name, size_t count,
                               const log_read_options *options, unsigned wrong, size_t n_columns,
                               char *text, size_t size)
{
    found_columns found = {.name = name, .count = count};
    for (size_t c = 0; c < LOG_N_COLUMNS; c++)
        found.given[c] = wrong >> c & 1 ? NULL : options->column[c];
    *text = '\0';
    for (size_t c = 0; c < n_columns; c++) {
        const bool is_wrong = wrong >> c & 1;
        const char *likely = find_likely(&roles[c], &found);
        const char *column = found.given[c] ? found.given[c] : likely;
        if (!column && (c <= LOG_REWARD || is_wrong))
            column = "COLUMN";
        if (column && (is_wrong || strcmp(column, roles[c].name) != 0))
            append_option(roles[c].name, column, text, size);
    }
    make_printable(text);
}
