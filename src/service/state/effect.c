/* effect.c - the effect of transfer: tasks with transfer against control tasks of a learner.
 *
 * The effect is the difference of two means with its confidence sequence, which is valid at every
 * time it is read: dashboards may watch it.  Callers hold the learner's lock while it is computed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/effect.h"

#include <stdlib.h>
#include <string.h>

#include "io/json_write.h"

bool segue_effect_compute(const effect_state *effect, const learner_settings *settings,
                          segue_confseq *out)
{
    return segue_trial_interval(&effect->trial, settings->highest - settings->lowest, out);
}

bool segue_effect_stop_due(const learner_state *state)
{
    return state->settings.stop_if_harmful && !state->effect.is_stopped &&
           segue_trial_count(&state->effect.trial) > state->stop_refused &&
           segue_effect_state_is_harmful(&state->effect, &state->settings);
}

/* ---- metrics ----------------------------------------------------------------------------- */

/* The first three need an effect, and the others control tasks. */
#define N_EFFECT 3
#define N_GAUGES 5

static const struct gauge {
    const char *name, *help;
} gauges[N_GAUGES] = {
    {"effect", "Mean reward per step of tasks with transfer minus that of control tasks."},
    {"effect_low", "Lower end of the 95 % confidence sequence of segue_effect."},
    {"effect_high", "Upper end of the 95 % confidence sequence of segue_effect."},
    {"control_share", "Probability that the next task is a control task."},
    {"transfer_stopped", "1 while transfer is stopped because it harms."},
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
    (void)pthread_mutex_lock(&state->lock);
    const effect_state effect = state->effect;
    const learner_settings settings = state->settings; /* its pointers are not used */
    (void)pthread_mutex_unlock(&state->lock);
    segue_confseq now;
    const bool has_effect = segue_effect_compute(&effect, &settings, &now);
    const double share = segue_effect_state_share(&effect, &settings);
    const double values[N_GAUGES] = {has_effect ? now.difference : 0.0, has_effect ? now.low : 0.0,
                                     has_effect ? now.high : 0.0, share, effect.is_stopped};
    const size_t end = settings.control > 0.0 || effect.is_stopped ? N_GAUGES : N_EFFECT;
    for (size_t i = has_effect ? 0 : N_EFFECT; i < end; i++)
        write_sample(&texts[i], gauges[i].name, settings.name, values[i]);
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
