/* log_format.c - settings of a log's format as text, of an option or of a field of an experiment.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/log/log_format.h"

#include <string.h>

#include "segue/internal.h"

segue_status segue_log_format_parse_delimiter(const char *text, char *out, segue_error *err)
{
    static const struct {
        const char *name, *escape;
        char mark;
    } list[] = {
        {"comma", ",", ','}, {"tab", "\\t", '\t'}, {"semicolon", ";", ';'}, {"pipe", "|", '|'}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(text, list[i].name) == 0 || strcmp(text, list[i].escape) == 0 ||
            (text[0] == list[i].mark && !text[1])) {
            *out = list[i].mark;
            return SEGUE_OK;
        }
    return segue_fail(err, SEGUE_ENAME,
                      "'%.40s' is no delimiter; need comma, tab, semicolon or pipe", text);
}

segue_status segue_log_format_parse_missing(const char *text, bool *skip, segue_error *err)
{
    *skip = strcmp(text, "skip") == 0;
    if (*skip || strcmp(text, "error") == 0)
        return SEGUE_OK;
    return segue_fail(err, SEGUE_ENAME, "there is no '%.40s'; need error or skip", text);
}
