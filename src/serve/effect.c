/* effect.c - the effect of transfer: treatment against control tasks of a learner.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "serve/effect.h"

#include <stdlib.h>
#include <string.h>

#include "serve/out.h"

bool segue_effect_of(const record_group *closed, double range, segue_confseq *effect)
{
    const record_side *side = closed->side;
    return segue_confseq_difference(&side[0].stats, &side[1].stats, range, effect);
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
static void write_label(bytes *b, const char *text)
{
    while (*text) {
        const size_t plain = strcspn(text, "\\\"\n");
        segue_bytes_put(b, text, plain);
        text += plain;
        if (*text)
            segue_out(b, *text == '\n' ? "\\n" : *text == '"' ? "\\\"" : "\\\\");
        text += *text != '\0';
    }
}

static void write_sample(bytes *b, const char *gauge, const char *learner, double value)
{
    segue_out_format(b, "segue_%s{learner=\"", gauge);
    write_label(b, learner);
    segue_out(b, "\"} ");
    segue_out_number(b, value);
    segue_out(b, "\n");
}

/* All samples of a gauge follow each other: one text per gauge. */
static void write_learner(live_learner *live, bytes *texts)
{
    segue_confseq effect;
    (void)pthread_mutex_lock(&live->lock);
    const bool has_effect =
        segue_effect_of(&live->record.whole, live->words.highest - live->words.lowest, &effect);
    (void)pthread_mutex_unlock(&live->lock);
    if (!has_effect)
        return;
    const double values[N_GAUGES] = {effect.difference, effect.low, effect.high};
    for (size_t i = 0; i < N_GAUGES; i++)
        write_sample(&texts[i], gauges[i].name, live->words.name, values[i]);
}

static void write_gauge(bytes *b, const struct gauge *gauge, const bytes *text)
{
    segue_out_format(b, "# HELP segue_%s %s\n# TYPE segue_%s gauge\n", gauge->name, gauge->help,
                     gauge->name);
    if (text->size > 0)
        segue_bytes_put(b, text->data, text->size);
    b->failed = b->failed || text->failed;
}

bool segue_effect_metrics(segue_service *service, bytes *b)
{
    bytes texts[N_GAUGES] = {{.data = NULL}};
    size_t count = 0;
    live_learner **all = segue_service_all(service, &count);
    for (size_t i = 0; i < count; i++) {
        write_learner(all[i], texts);
        segue_live_release(all[i]);
    }
    for (size_t i = 0; i < N_GAUGES; i++) {
        write_gauge(b, &gauges[i], &texts[i]);
        segue_bytes_fini(&texts[i]);
    }
    const bool fine = all != NULL;
    free(all);
    return fine;
}
