/* log_dsjson.c - dsjson, the logs of Vowpal Wabbit's decision service and of Azure Personalizer.
 *
 * Each line is a decision that was joined with its reward:
 *
 *   {"_label_cost": -1, "_label_probability": 0.8, "_label_Action": 2, "_labelIndex": 1,
 *    "Timestamp": "2024-05-31T09:30:00Z", "EventId": "..", "a": [2, 1], "p": [0.8, 0.2],
 *    "c": {"user": {"id": "u7"}, "_multi": [{"_tag": "news"}, {"_tag": "sports"}]}}
 *
 * The reward is minus `_label_cost`.  The arm is `_label_Action`, from 1, by the `_tag` or the id
 * (`i.id`) of that action in `_multi`, or by its number if actions have neither.  The task is a key
 * of the context, which --task names.  An option that names another column takes precedence.
 *
 * Two kinds of lines are no decisions and are skipped: rewards without a decision (`RewardValue`,
 * "dangling"), and decisions that were not activated (`_skipLearn`).
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memmem */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/log/log_reader.h"
#include "segue/internal.h"
#include "segue/number.h"

/* Paths that are wanted besides the columns. */
enum {
    SKIP_LEARN = LOG_N_COLUMNS,
    LABEL_INDEX,
    FIRST_ACTION,
    FIRST_PROBABILITY,
    OUTCOMES,
    REWARD_VALUE,
    TAG,
    ID,
    N_WANTED
};

/* ---- recognition ------------------------------------------------------------------------- */

/* True if the first line has this key, at any depth: a quote inside a string is escaped. */
static bool has_key(const char *line, const char *key)
{
    char quoted[64];
    (void)snprintf(quoted, sizeof quoted, "\"%s\"", key);
    const char *at = strstr(line, quoted);
    at = at ? at + strlen(quoted) : NULL;
    return at && at[strspn(at, " \t")] == ':';
}

bool segue_log_dsjson_detect(const char *line)
{
    return has_key(line, "_label_cost") || has_key(line, "_label_probability") ||
           (has_key(line, "EventId") && (has_key(line, "RewardValue") || has_key(line, "_multi")));
}

/* Tasks are the users of the service, and only the user knows which key names them. */
static segue_status fail_task(const log_reader *r, segue_error *err)
{
    segue_log_keys_text keys;
    segue_log_keys_suggest(r, "c.", LOG_TASK + 1, &keys);
    return LOG_WRONG(r, SEGUE_EPARSE, err,
                     "this is dsjson, which has no tasks; name a key of its context, such as with "
                     "%s; this line has %s",
                     keys.options, keys.found);
}

segue_status segue_log_dsjson_init(log_reader *r, segue_error *err)
{
    static const char *const paths[N_WANTED] = {"task",
                                                "_label_Action",
                                                "_label_cost",
                                                "Timestamp",
                                                "_label_probability",
                                                "_skipLearn",
                                                "_labelIndex",
                                                "a.0",
                                                "p.0",
                                                "_outcomes",
                                                "RewardValue",
                                                "c._multi.*._tag",
                                                "c._multi.*.i.id"};
    r->is_dsjson = true;
    r->is_cost = !r->options->column[LOG_REWARD];
    for (size_t i = 0; i < N_WANTED; i++)
        if (i >= LOG_N_COLUMNS || !r->options->column[i])
            r->name[i] = paths[i];
    r->n_names = N_WANTED;
    return r->options->column[LOG_TASK] ? SEGUE_OK : fail_task(r, err);
}

segue_status segue_log_dsjson_fail_key(const log_reader *r, log_column c, segue_error *err)
{
    const char *option = segue_log_columns_default(c);
    segue_log_keys_text keys;
    segue_log_keys_suggest(r, c == LOG_TASK ? "c." : "", LOG_TASK + 1, &keys);
    if (c == LOG_TASK)
        return LOG_WRONG(r, SEGUE_EPARSE, err,
                         "there is no '%.40s', or it is null; name a key of the context, such as "
                         "with %s; this line has %s",
                         r->name[c], keys.options, keys.found);
    if (r->options->column[c])
        return LOG_WRONG(r, SEGUE_EPARSE, err,
                         "there is no '%.40s', or it is null; leave out --%s, which dsjson does "
                         "not need, or name another key; this line has %s",
                         r->name[c], option, keys.found);
    return LOG_WRONG(r, SEGUE_EPARSE, err,
                     "there is no '%.40s', or it is null; name the key with --%s; this line has %s",
                     r->name[c], option, keys.found);
}

/* ---- the action -------------------------------------------------------------------------- */

/* Read the number of an action, from `first` on. */
static bool read_action(const segue_json_lines_value *value, uint64_t first, uint64_t *out)
{
    char text[24];
    if (value->kind != SEGUE_JSON_LINES_NUMBER || value->length >= sizeof text)
        return false;
    memcpy(text, value->text, value->length);
    text[value->length] = '\0';
    return segue_number_parse_integer(text, first, UINT32_MAX, out, NULL) == SEGUE_OK;
}

/* Find the chosen action, from 1. */
static segue_status find_action(const log_reader *r, uint64_t *action, segue_error *err)
{
    uint64_t index = 0;
    if (read_action(&r->value[LOG_ARM], 1, action) ||
        read_action(&r->value[FIRST_ACTION], 1, action))
        return SEGUE_OK;
    if (!read_action(&r->value[LABEL_INDEX], 0, &index))
        return LOG_WRONG(r, SEGUE_EPARSE, err,
                         "there is no action: '_label_Action', '_labelIndex' and 'a' have no whole "
                         "number; give --arm with the key that names it");
    *action = index + 1;
    return SEGUE_OK;
}

/* Find the tag of an action, or its id; NULL: it has neither. */
static const segue_json_lines_value *find_tag(const log_reader *r, uint64_t action)
{
    const segue_json_lines_value *found = NULL;
    for (size_t i = 0; i < r->json.n_matches; i++) {
        const segue_json_lines_match *match = &r->json.match[i];
        const bool named = match->value.kind == SEGUE_JSON_LINES_STRING ||
                           match->value.kind == SEGUE_JSON_LINES_NUMBER;
        if (match->element + 1 == action && named && (match->wanted == TAG || !found))
            found = &match->value;
    }
    return found;
}

/* All actions have names, or none. */
static segue_status set_arm(log_reader *r, segue_error *err)
{
    uint64_t action = 0;
    SEGUE_TRY(find_action(r, &action, err));
    const segue_json_lines_value *tag = find_tag(r, action);
    if (r->out->n_rows == 0)
        r->has_tags = tag != NULL;
    if (r->has_tags != (tag != NULL))
        return LOG_WRONG(r, SEGUE_EPARSE, err,
                         "action %" PRIu64 " has %s '_tag' and id; those before have %s; need one "
                         "in all or in none, or give --arm with the key that names the arm",
                         action, tag ? "a" : "no", tag ? "none" : "one");
    if (tag) {
        r->value[LOG_ARM] = *tag;
        return SEGUE_OK;
    }
    const int length = snprintf(r->action, sizeof r->action, "%" PRIu64, action);
    r->value[LOG_ARM] = (segue_json_lines_value){
        .kind = SEGUE_JSON_LINES_NUMBER, .text = r->action, .length = (size_t)length};
    return SEGUE_OK;
}

/* ---- a line ------------------------------------------------------------------------------ */

/* True if a line is no decision to learn from; counts it. */
static bool skip_line(log_reader *r)
{
    const segue_json_lines_value *skip = &r->value[SKIP_LEARN];
    const bool inactive = skip->kind == SEGUE_JSON_LINES_BOOLEAN && skip->length == strlen("true");
    const bool dangling = r->value[REWARD_VALUE].kind != SEGUE_JSON_LINES_NONE &&
                          r->value[LOG_REWARD].kind == SEGUE_JSON_LINES_NONE;
    r->out->skipped.dangling += dangling;
    r->out->skipped.inactive += inactive && !dangling;
    return dangling || inactive;
}

segue_status segue_log_dsjson_next(log_reader *r, bool *more, segue_error *err)
{
    do {
        SEGUE_TRY(segue_json_lines_next(&r->json, more, err));
    } while (*more && skip_line(r));
    if (!*more)
        return SEGUE_OK;
    if (r->value[OUTCOMES].kind != SEGUE_JSON_LINES_NONE)
        return LOG_WRONG(r, SEGUE_EPARSE, err,
                         "field '_outcomes': this decision has several slots; need one action per "
                         "line: write each slot as a line of its own");
    if (!r->options->column[LOG_PROBABILITY] &&
        r->value[LOG_PROBABILITY].kind == SEGUE_JSON_LINES_NONE)
        r->value[LOG_PROBABILITY] = r->value[FIRST_PROBABILITY];
    return r->options->column[LOG_ARM] ? SEGUE_OK : set_arm(r, err);
}
