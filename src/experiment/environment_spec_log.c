/* environment_spec_log.c - read the log of an environment, and check that it has not changed.
 *
 * Results name a log but do not contain its rows.  A checksum over its rewards (FNV-1a) in the
 * field `log_summary` rejects a changed log when an experiment is repeated from its results.
 * SPDX-License-Identifier: Apache-2.0 */
#include "experiment/environment_spec_log.h"

#include <inttypes.h>
#include <string.h>

#include "io/log/log_columns.h"
#include "io/log/log_format.h"
#include "io/log/samples_file.h"
#include "segue/internal.h"

/* Reject fields of a log without a log, and of simulated rewards with one. */
segue_status segue_environment_spec_log_check(const segue_json_location *at, const json_t *object,
                                              segue_error *err)
{
    static const char *const fields[] = {"least", "order", "lowest", "highest",   "log_summary",
                                         "task",  "arm",   "reward", "delimiter", "missing"};
    const bool log = json_object_get(object, "log") != NULL;
    for (size_t i = 0; i < sizeof fields / sizeof *fields && !log; i++)
        if (json_object_get(object, fields[i]))
            return segue_json_fail(at, fields[i], err, "goes with the field 'log'");
    if (log && json_object_get(object, "rewards"))
        return segue_json_fail(at, "rewards", err,
                               "cannot be combined with 'log': a log has its own rewards");
    return SEGUE_OK;
}

/* Without the field, *out stays as it is. */
static segue_status read_bound(const segue_json_location *at, const json_t *object,
                               const char *field, double *out, segue_error *err)
{
    const json_t *value = json_object_get(object, field);
    if (value && !json_is_number(value))
        return segue_json_fail(at, field, err, "is %s; need a number", segue_json_kind(value));
    if (value)
        *out = json_number_value(value);
    return SEGUE_OK;
}

static segue_status read_order(const segue_json_location *at, const json_t *object,
                               segue_order *out, segue_error *err)
{
    const json_t *value = json_object_get(object, "order");
    segue_error why = {.status = SEGUE_OK};
    if (!value)
        return SEGUE_OK;
    if (!json_is_string(value))
        return segue_json_fail(at, "order", err, "is %s; need \"shuffle\" or \"file\"",
                               segue_json_kind(value));
    if (segue_environment_parse_order(out, json_string_value(value), &why) != SEGUE_OK)
        return segue_json_fail_cause(at, "order", &why, err);
    return SEGUE_OK;
}

/* Name the columns of the log; `out` borrows the names from `object`. */
static segue_status read_columns(const segue_json_location *at, const json_t *object,
                                 log_read_options *out, segue_error *err)
{
    for (log_column c = LOG_TASK; c <= LOG_REWARD; c++) {
        const char *field = segue_log_columns_default(c);
        const json_t *value = json_object_get(object, field);
        if (value && !json_string_length(value))
            return segue_json_fail(at, field, err, "is %s; need the name of a column of the log",
                                   json_is_string(value) ? "empty" : segue_json_kind(value));
        out->column[c] = json_string_value(value);
    }
    return SEGUE_OK;
}

/* Return the text of an optional field in *out, or NULL. */
static segue_status read_text(const segue_json_location *at, const json_t *object,
                              const char *field, const char **out, segue_error *err)
{
    const json_t *value = json_object_get(object, field);
    *out = json_string_value(value);
    return value && !*out ? segue_json_fail(at, field, err, "is %s; need a text in quotes",
                                            segue_json_kind(value))
                          : SEGUE_OK;
}

static segue_status read_format(const segue_json_location *at, const json_t *object,
                                log_read_options *out, segue_error *err)
{
    const char *delimiter = NULL, *missing = NULL;
    segue_error why = {.status = SEGUE_OK};
    SEGUE_TRY(read_text(at, object, "delimiter", &delimiter, err));
    SEGUE_TRY(read_text(at, object, "missing", &missing, err));
    if (delimiter && segue_log_format_parse_delimiter(delimiter, &out->delimiter, &why) != SEGUE_OK)
        return segue_json_fail_cause(at, "delimiter", &why, err);
    if (missing && segue_log_format_parse_missing(missing, &out->skip_missing, &why) != SEGUE_OK)
        return segue_json_fail_cause(at, "missing", &why, err);
    return SEGUE_OK;
}

static segue_status read_options(const segue_json_location *at, const json_t *object,
                                 segue_samples_options *out, segue_error *err)
{
    const json_t *min_rewards = json_object_get(object, "least");
    *out = (segue_samples_options){.min_rewards = 1, .log = segue_log_rows_defaults()};
    if (min_rewards)
        SEGUE_TRY(segue_json_integer(at, "least", min_rewards, 1, SEGUE_MAX_MIN_REWARDS,
                                     &out->min_rewards, err));
    SEGUE_TRY(read_columns(at, object, &out->log, err));
    SEGUE_TRY(read_format(at, object, &out->log, err));
    SEGUE_TRY(read_bound(at, object, "lowest", &out->log.lowest, err));
    return read_bound(at, object, "highest", &out->log.highest, err);
}

/* ---- checksum ---------------------------------------------------------------------------- */

/* FNV-1a over words, with the high half folded down: rewards 0 and 1 differ in high bits only. */
static uint64_t add_word(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x100000001b3);
    return sum ^ sum >> 32;
}

/* The checksum covers which task and arm a reward belongs to, and its bits. */
static uint64_t sum_of(const segue_samples *samples)
{
    const size_t n_cells = samples->n_tasks * samples->n_arms;
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t cell = 0; cell <= n_cells; cell++)
        sum = add_word(sum, samples->start[cell]);
    for (size_t i = 0; i < samples->start[n_cells]; i++) {
        uint64_t word;
        memcpy(&word, &samples->reward[i], sizeof word);
        sum = add_word(sum, word);
    }
    return sum;
}

/* Return the summary of a log, or NULL. */
static json_t *summarize(const segue_samples *samples, const log_skipped *skipped)
{
    const size_t rewards = samples->start[samples->n_tasks * samples->n_arms];
    char sum[20];
    (void)snprintf(sum, sizeof sum, "%016" PRIx64, sum_of(samples));
    json_t *rows = skipped ? json_integer((json_int_t)segue_log_rows_count_skipped(skipped)) : NULL;
    return json_pack("{s:I, s:I, s:I, s:I, s:s, s:o*}", "tasks", (json_int_t)samples->n_tasks,
                     "skipped", (json_int_t)samples->n_skipped, "arms", (json_int_t)samples->n_arms,
                     "rewards", (json_int_t)rewards, "checksum", sum, "rows_skipped", rows);
}

/* Compare with the summary of an earlier run, if any, and write that of now; `skipped` is NULL if
 * rows without a value are errors. */
static segue_status compare(const segue_json_location *at, json_t *object,
                            const segue_samples *samples, const log_skipped *skipped,
                            segue_error *err)
{
    const json_t *before = json_object_get(object, "log_summary");
    json_t *summary = summarize(samples, skipped);
    const bool differs = before && summary && !json_equal(before, summary);
    if (json_object_set_new(object, "log_summary", summary) != 0)
        return segue_fail_no_memory(err, "the experiment");
    if (differs)
        return segue_json_fail(at, "log_summary", err,
                               "is of another log, or of one that has changed; remove the field");
    return SEGUE_OK;
}

segue_status segue_environment_spec_log_read(const segue_json_location *at, json_t *object,
                                             const char *path, segue_environment_spec *spec,
                                             segue_error *err)
{
    segue_samples_options options;
    log_skipped skipped;
    segue_error why = {.status = SEGUE_OK};
    SEGUE_TRY(read_options(at, object, &options, err));
    SEGUE_TRY(read_order(at, object, &spec->env.order, err));
    if (segue_samples_file_read(&spec->samples, path, &options, &skipped, &why) != SEGUE_OK)
        return segue_json_fail_cause(at, "log", &why, err);
    spec->env.size = sizeof spec->env;
    spec->env.samples = spec->samples;
    return compare(at, object, spec->samples, options.log.skip_missing ? &skipped : NULL, err);
}
