/* metrics_learners.c - metrics per learner, each series with the label `learner`.
 *
 * The numbers of a learner are read under its lock, one learner after the other, and written
 * without locks: Prometheus wants all samples of a metric together.  A number that a learner does
 * not have (NAN) is not written.
 *
 * The sum of rewards falls with a negative reward and a smaller later one (aggregate `last`); it and
 * the number of rewards fall when an open task is erased.  So both are gauges: a counter or a summary
 * that falls is a restart to Prometheus.
 *
 * Every series costs memory in Prometheus.  So only the config's max_metrics_learners get series of
 * their own: the oldest ones, which is a choice that does not change from scrape to scrape.  The
 * others are counted in segue_learners_without_metrics.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_write.h"
#include "service/engine/metrics.h"
#include "service/engine/service_internal.h"
#include "service/state/effect/effect.h"

/* Numbers of one learner. */
typedef struct sample {
    const char *name; /* the learner's, which stays acquired */
    double reward_sum, reward_count;
    double open, closed[N_SIDES], shadow;
    double pending; /* decisions */
    double effect, low, high, control_share, is_stopped;
    double would_gain, gain_low, gain_high; /* in shadow mode: Segue minus the caller, per step */
    double types, no_type;
    double refit_seconds, refits;
    double oldest_stored;
    double bytes;
} sample;

/* One line per learner; a `kind` begins a new metric.  `more`: a suffix of the name. */
static const struct series {
    const char *name, *kind, *help, *more, *label;
    size_t offset;
} all_series[] = {
    {"segue_learner_rewards", "gauge",
     "Rewards counted since the learner was created, without those of erased open tasks.", "", "",
     offsetof(sample, reward_count)},
    {"segue_learner_rewards_value", "gauge", "Sum of the values of segue_learner_rewards.", "", "",
     offsetof(sample, reward_sum)},
    {"segue_learner_open_tasks", "gauge", "Open tasks of a learner.", "", "",
     offsetof(sample, open)},
    {"segue_learner_tasks_closed_total", "counter",
     "Closed tasks, since the learner was created, with transfer, in the control group, and of "
     "shadow "
     "mode.",
     "", ",group=\"transfer\"", offsetof(sample, closed[SIDE_TRANSFER])},
    {"segue_learner_tasks_closed_total", NULL, NULL, "", ",group=\"control\"",
     offsetof(sample, closed[SIDE_CONTROL])},
    {"segue_learner_tasks_closed_total", NULL, NULL, "", ",group=\"shadow\"",
     offsetof(sample, shadow)},
    {"segue_learner_pending_decisions", "gauge",
     "Decisions of open tasks, made since the service started, that have no reward yet.", "", "",
     offsetof(sample, pending)},
    {"segue_effect", "gauge",
     "Mean reward per step of tasks with transfer minus that of control tasks.", "", "",
     offsetof(sample, effect)},
    {"segue_effect_low", "gauge", "Lower end of the 95 % confidence sequence of segue_effect.", "",
     "", offsetof(sample, low)},
    {"segue_effect_high", "gauge", "Upper end of the 95 % confidence sequence of segue_effect.", "",
     "", offsetof(sample, high)},
    {"segue_control_share", "gauge", "Probability that the next task is a control task.", "", "",
     offsetof(sample, control_share)},
    {"segue_transfer_stopped", "gauge", "1 while transfer is stopped because it harms.", "", "",
     offsetof(sample, is_stopped)},
    {"segue_shadow_difference", "gauge",
     "Mean reward per step of Segue's choices minus that of the caller's, in shadow mode.", "", "",
     offsetof(sample, would_gain)},
    {"segue_shadow_low", "gauge",
     "Lower end of the 95 % confidence sequence of segue_shadow_difference.", "", "",
     offsetof(sample, gain_low)},
    {"segue_shadow_high", "gauge",
     "Upper end of the 95 % confidence sequence of segue_shadow_difference.", "", "",
     offsetof(sample, gain_high)},
    {"segue_learner_types", "gauge", "Types that the next task starts from.", "", "",
     offsetof(sample, types)},
    {"segue_learner_no_type_ratio", "gauge",
     "Share of tasks, 0 to 1, that the learner expects to fit no type.", "", "",
     offsetof(sample, no_type)},
    {"segue_learner_refit_seconds", "summary", "Seconds of refits, since the service started.",
     "_sum", "", offsetof(sample, refit_seconds)},
    {"segue_learner_refit_seconds", NULL, NULL, "_count", "", offsetof(sample, refits)},
    {"segue_learner_oldest_stored_timestamp_seconds", "gauge",
     "Time of closing of the oldest task that --keep has not removed the rewards of.", "", "",
     offsetof(sample, oldest_stored)},
    {"segue_learner_memory_bytes", "gauge", "Memory of a learner and its open tasks.", "", "",
     offsetof(sample, bytes)},
};

/* ---- reading ----------------------------------------------------------------------------- */

/* Without control tasks nothing is compared. */
static void read_control(const learner_state *state, sample *out)
{
    const task_terms *terms = segue_learner_settings_terms(&state->settings);
    const bool compares = terms->control > 0.0 || state->effect.is_stopped;
    out->control_share =
        compares ? segue_effect_state_share(&state->effect,
                                            segue_learner_settings_range(&state->settings), terms)
                 : NAN;
    out->is_stopped = compares ? (double)state->effect.is_stopped : NAN;
}

static void read_effect(const learner_state *state, sample *out)
{
    const double range = segue_learner_settings_range(&state->settings);
    segue_confseq effect;
    out->effect = out->low = out->high = NAN;
    if (!segue_effect_compute(&state->effect, range, &effect))
        return;
    out->effect = effect.difference;
    out->low = effect.low;
    out->high = effect.high;
}

/* A learner that never was in shadow mode has no series of it. */
static void read_shadow(const learner_state *state, sample *out)
{
    const bool now = segue_learner_settings_terms(&state->settings)->shadow;
    out->shadow = now || state->shadow.tasks > 0 ? (double)state->shadow.tasks : NAN;
}

static void compare_with_caller(const shadow_state *shadow, double range, sample *out)
{
    bool estimates = false;
    segue_confseq gain;
    out->would_gain = out->gain_low = out->gain_high = NAN;
    if (!segue_shadow_state_interval(shadow, &estimates, &gain))
        return;
    out->would_gain = estimates ? range * gain.difference : NAN;
    out->gain_low = range * gain.low;
    out->gain_high = range * gain.high;
}

static void read_types(const learner_state *state, sample *out)
{
    const segue_learner_method *method = segue_learner_method_find(state->method);
    size_t n_types = 0;
    const double no_type = segue_learner_no_type(state->learner, &n_types);
    const bool has_types = method && method->has_types;
    out->types = has_types ? (double)n_types : NAN;
    out->no_type = has_types ? no_type : NAN;
}

static void read_counts(const learner_state *state, sample *out)
{
    const uint64_t closed = segue_task_stats_tasks(&state->stats),
                   control = state->stats.closed[SIDE_CONTROL];
    out->name = state->settings.name;
    out->reward_sum = state->reward_sum;
    out->reward_count = (double)state->rewards;
    out->open = (double)state->by_id.count;
    out->closed[SIDE_CONTROL] = (double)control;
    out->closed[SIDE_TRANSFER] = (double)(closed - control);
    out->pending = (double)state->pending;
    out->oldest_stored = state->oldest_stored > 0.0 ? state->oldest_stored : NAN;
    out->bytes = (double)state->counted;
}

static void read_learner(learner_state *state, sample *out)
{
    (void)pthread_mutex_lock(&state->lock);
    read_counts(state, out);
    read_control(state, out);
    read_effect(state, out);
    read_shadow(state, out);
    read_types(state, out);
    const shadow_state shadow = state->shadow;
    (void)pthread_mutex_unlock(&state->lock);
    compare_with_caller(&shadow, segue_learner_settings_range(&state->settings), out);
    out->refits = (double)atomic_load(&state->refits);
    out->refit_seconds = (double)atomic_load(&state->refit_microseconds) * 1e-6;
}

/* ---- writing ----------------------------------------------------------------------------- */

static void write_sample(segue_bytes *b, const struct series *series, const sample *from)
{
    double value = 0.0;
    memcpy(&value, (const char *)from + series->offset, sizeof value);
    if (isnan(value))
        return;
    segue_json_write_format(b, "%s%s{learner=\"", series->name, series->more);
    segue_metrics_write_label(b, from->name);
    segue_json_write_format(b, "\"%s} ", series->label);
    segue_json_write_number(b, value);
    segue_json_write_raw(b, "\n");
}

static void write_samples(segue_bytes *b, const sample *samples, size_t count)
{
    for (size_t i = 0; i < sizeof all_series / sizeof *all_series; i++) {
        const struct series *series = &all_series[i];
        if (series->kind)
            segue_metrics_write_header(b, series->name, series->kind, series->help);
        for (size_t k = 0; k < count; k++)
            write_sample(b, series, &samples[k]);
    }
}

static void write_gauge(segue_bytes *b, const char *name, const char *help, size_t value)
{
    segue_metrics_write_header(b, name, "gauge", help);
    segue_json_write_format(b, "%s %zu\n", name, value);
}

/* ---- all learners ------------------------------------------------------------------------ */

static int by_age(const void *a, const void *b)
{
    const int64_t x = (*(learner_state *const *)a)->id, y = (*(learner_state *const *)b)->id;
    return (x > y) - (x < y);
}

/* Write the oldest `shown` learners; false: out of memory. */
static bool write_learners(segue_bytes *b, learner_state **all, size_t count, size_t shown)
{
    sample *samples = calloc(shown + 1, sizeof *samples);
    if (!samples)
        return false;
    qsort(all, count, sizeof(learner_state *), by_age);
    for (size_t i = 0; i < shown; i++)
        read_learner(all[i], &samples[i]);
    write_samples(b, samples, shown);
    free(samples);
    return true;
}

bool segue_metrics_write_learners(segue_service *service, segue_bytes *b)
{
    const uint64_t limit = service->config.max_metrics_learners;
    size_t count = 0;
    learner_state **all = segue_service_learners(service, &count);
    if (!all)
        return false;
    const size_t shown = count < limit ? count : (size_t)limit;
    write_gauge(b, "segue_learners", "Learners that are served.", count);
    write_gauge(b, "segue_learners_without_metrics",
                "Learners beyond --metrics-learners: they have no series of their own.",
                count - shown);
    const bool fine = write_learners(b, all, count, shown);
    for (size_t i = 0; i < count; i++)
        segue_learner_state_release(all[i]);
    free(all);
    return fine;
}
