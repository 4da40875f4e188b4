/* effect.c - the effect of transfer: tasks with transfer against control tasks of a learner.
 *
 * The effect is the difference of two means with its confidence sequence, which is valid at every
 * time it is read: dashboards may watch it.  Callers hold the learner's lock while it is computed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/effect.h"

#include <stdlib.h>
#include <string.h>

#include "io/json_write.h"

bool segue_effect_compute(const task_stats_group *closed, double range, segue_confseq *effect)
{
    const task_stats_side *side = closed->side;
    return segue_confseq_difference(&side[SIDE_TRANSFER].stats, &side[SIDE_CONTROL].stats, range,
                                    effect);
}

/* ---- metrics ----------------------------------------------------------------------------- */

#define N_GAUGES 3

static const struct gauge {
    const char *name, *help;
} gauges[N_GAUGES] = {
    {"effect", "Mean reward per step of tasks with transfer minus that of control tasks."},
    {"effect_low", "Lower end of the 95 % confidence sequence of segue_effect."},
    {"effect_high", "Upper end of the 95 % confidence sequence of segue_effect."},
};

/* Escape a label value as Prometheus' text format does. */
static void write_label(segue_bytes *b, const char *text)
{
    while (*text) {
        const size_t plain = strcspn(text, "\\\"\n");
        segue_bytes_append(b, text, plain);
        text += plain;
        if (*text)
            segue_json_write_raw(b, *text == '\n' ? "\\n" : *text == '"' ? "\\\"" : "\\\\");
        text += *text != '\0';
    }
}

static void write_sample(segue_bytes *b, const char *gauge, const char *learner, double value)
{
    segue_json_write_format(b, "segue_%s{learner=\"", gauge);
    write_label(b, learner);
    segue_json_write_raw(b, "\"} ");
    segue_json_write_number(b, value);
    segue_json_write_raw(b, "\n");
}

/* Prometheus wants all samples of a gauge together: each gauge has a text of its own. */
static void write_learner(learner_state *state, segue_bytes *texts)
{
    segue_confseq effect;
    (void)pthread_mutex_lock(&state->lock);
    const bool has_effect = segue_effect_compute(
        &state->stats.whole, state->settings.highest - state->settings.lowest, &effect);
    (void)pthread_mutex_unlock(&state->lock);
    if (!has_effect)
        return;
    const double values[N_GAUGES] = {effect.difference, effect.low, effect.high};
    for (size_t i = 0; i < N_GAUGES; i++)
        write_sample(&texts[i], gauges[i].name, state->settings.name, values[i]);
}

static void write_gauge(segue_bytes *b, const struct gauge *gauge, const segue_bytes *text)
{
    segue_json_write_format(b, "# HELP segue_%s %s\n# TYPE segue_%s gauge\n", gauge->name,
                            gauge->help, gauge->name);
    if (text->size > 0)
        segue_bytes_append(b, text->data, text->size);
    b->failed = b->failed || text->failed;
}

bool segue_effect_write_metrics(segue_service *service, segue_bytes *b)
{
    segue_bytes texts[N_GAUGES] = {{.data = NULL}};
    size_t count = 0;
    learner_state **all = segue_service_learners(service, &count);
    for (size_t i = 0; i < count; i++) {
        write_learner(all[i], texts);
        segue_learner_state_release(all[i]);
    }
    for (size_t i = 0; i < N_GAUGES; i++) {
        write_gauge(b, &gauges[i], &texts[i]);
        segue_bytes_fini(&texts[i]);
    }
    const bool fine = all != NULL;
    free(all);
    return fine;
}
