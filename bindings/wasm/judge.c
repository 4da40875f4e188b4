/* judge.c - the verdict of `segue replay` on a log that lies in memory, by the same code.
 *
 * The page has written the log to emscripten's file system, which is memory of the worker. It is played
 * by the urn, in shuffled order, on one thread; the numbers do not depend on the number of threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include <emscripten.h>
#include <stdlib.h>

#include "json_text.h"
#include "replay/replay.h"

#define POLICIES "ts,ts-prior,la,tts,tla" /* the default of `segue replay` */

EM_JS(void, report_progress, (double done, double total), {
    if (Module["onProgress"])
        Module["onProgress"](done, total);
});

static void progress(void *context, double done, double total)
{
    (void)context;
    report_progress(done, total);
}

static void write_interval(json_text *json, const char *key, const segue_interval *interval)
{
    const double number[] = {interval->value, interval->low, interval->high};
    json_text_key(json, false, key);
    json_text_numbers(json, 3, number);
}

static void write_candidates(json_text *json, const segue_replay_result *result)
{
    json_text_key(json, false, "policies");
    for (size_t i = 0; i < result->n_candidates; i++) {
        const segue_replay_candidate *candidate = &result->candidate[i];
        (void)fputs(i == 0 ? "[{" : ",{", json->stream);
        json_text_key(json, true, "name");
        json_text_string(json, candidate->name);
        write_interval(json, "reward", &candidate->metric[SEGUE_METRIC_REWARD]);
        write_interval(json, "regret", &candidate->metric[SEGUE_METRIC_REGRET]);
        write_interval(json, "gain_over_ts", &candidate->metric[SEGUE_METRIC_GAIN_OVER_TS]);
        (void)fputc('}', json->stream);
    }
    (void)fputc(']', json->stream);
}

static void write_types(json_text *json, const segue_replay_result *result)
{
    json_text_key(json, false, "arms");
    for (size_t i = 0; i < result->n_arms; i++) {
        (void)fputc(i == 0 ? '[' : ',', json->stream);
        json_text_string(json, result->arm_name[i]);
    }
    (void)fputc(']', json->stream);
    json_text_key(json, false, "types");
    (void)fputc('[', json->stream);
    for (size_t i = 0; i < result->types.count; i++) {
        const segue_replay_type *type = &result->types.type[i];
        (void)fprintf(json->stream, "%s{\"weight\":", i == 0 ? "" : ",");
        json_text_number(json, type->weight);
        json_text_key(json, false, "mean");
        json_text_numbers(json, result->n_arms, type->mean);
        (void)fputc('}', json->stream);
    }
    (void)fputc(']', json->stream);
}

static void write_result(json_text *json, const segue_replay_result *result)
{
    (void)fputc('{', json->stream);
    json_text_key(json, true, "verdict");
    json_text_string(json, result->verdict);
    json_text_key(json, false, "warnings");
    for (size_t i = 0; i < result->n_warnings; i++) {
        (void)fputc(i == 0 ? '[' : ',', json->stream);
        json_text_string(json, result->warning[i]);
    }
    (void)fputs(result->n_warnings ? "]" : "[]", json->stream);
    (void)fprintf(json->stream,
                  ",\"rows\":%zu,\"tasks\":%zu,\"played\":%zu,\"steps\":%llu,\"skipped\":%llu"
                  ",\"runs\":%llu,\"replicates\":%llu",
                  result->n_rows, result->n_tasks, result->n_played,
                  (unsigned long long)result->steps, (unsigned long long)result->n_rows_skipped,
                  (unsigned long long)result->runs, (unsigned long long)result->replicates);
    json_text_key(json, false, "no_type");
    json_text_number(json, result->types.no_type);
    write_interval(json, "best_arms", &result->best_arms);
    write_candidates(json, result);
    write_types(json, result);
    (void)fputc('}', json->stream);
}

/* What one call needs; judge_fini frees it. */
typedef struct judge {
    segue_history history;
    segue_policy_list policies;
    segue_replay_result result;
} judge;

static void judge_fini(judge *j)
{
    segue_replay_result_fini(&j->result);
    segue_policy_list_fini(&j->policies);
    segue_history_fini(&j->history);
}

/* An empty name is the default. */
static const char *given(const char *name)
{
    return *name ? name : NULL;
}

/** A text for the answers of segue_judge_log; NULL: out of memory. */
EMSCRIPTEN_KEEPALIVE json_text *segue_judge_create(void)
{
    return calloc(1, sizeof(json_text));
}

EMSCRIPTEN_KEEPALIVE void segue_judge_destroy(json_text *answer)
{
    if (answer)
        json_text_free(answer);
    free(answer);
}

/** Judge the log at `path`: its columns, the range of its rewards, steps per task, runs and replicates
 * (0: as `segue replay` does by default). The answer is valid until the next one; it has the verdict, or an error. */
EMSCRIPTEN_KEEPALIVE const char *segue_judge_log(json_text *answer, const char *path,
                                                 const char *task, const char *arm,
                                                 const char *reward, double lowest, double highest,
                                                 int skip_missing, double steps, double runs,
                                                 double replicates, double seed)
{
    segue_error err;
    judge j = {.history = {.n_rows = 0}};
    log_read_options reading = segue_log_rows_defaults();
    reading.column[LOG_TASK] = given(task);
    reading.column[LOG_ARM] = given(arm);
    reading.column[LOG_REWARD] = given(reward);
    reading.lowest = lowest;
    reading.highest = highest;
    reading.skip_missing = skip_missing != 0;
    reading.time = true;
    segue_status status = segue_policy_list_parse(&j.policies, POLICIES, &err);
    if (status == SEGUE_OK)
        status = segue_history_read(&j.history, path, &reading, &err);
    if (status == SEGUE_OK) {
        segue_history_sample(&j.history, SEGUE_MAX_PLAYED_TASKS, (uint64_t)seed);
        const segue_replay_config config = {.path = path,
                                            .history = &j.history,
                                            .lowest = lowest,
                                            .highest = highest,
                                            .log_options = "",
                                            .policies = &j.policies,
                                            .method = SEGUE_REPLAY_METHOD_URN,
                                            .order = SEGUE_REPLAY_ORDER_SHUFFLE,
                                            .steps = (uint64_t)steps,
                                            .runs = (uint64_t)runs,
                                            .replicates = (uint64_t)replicates,
                                            .seed = (uint64_t)seed,
                                            .threads = 1,
                                            .progress = progress};
        status = segue_replay_evaluate(&j.result, &config, &err);
    }
    if (json_text_begin(answer)) {
        if (status == SEGUE_OK)
            write_result(answer, &j.result);
        else {
            (void)fputs("{\"error\":", answer->stream);
            json_text_string(answer, err.message);
            (void)fputc('}', answer->stream);
        }
    }
    judge_fini(&j);
    return json_text_end(answer);
}
