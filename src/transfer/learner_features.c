/* learner_features.c - features of tasks: check, copy, shift a prior, describe.
 * SPDX-License-Identifier: Apache-2.0 */
#include "segue/learner_features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "estimate/features/feature_shift.h"
#include "transfer/learner_internal.h"
#include "transfer/learner_method.h"

/* ---- check --------------------------------------------------------------------------------- */

static segue_status check_one(const segue_feature *f, segue_error *err)
{
    const size_t name = f->name ? strlen(f->name) : 0, text = f->text ? strlen(f->text) : 1;
    if (name < 1 || name > SEGUE_MAX_FEATURE_NAME)
        return segue_fail(err, SEGUE_EDOMAIN, "the name of a feature has %zu bytes; need 1 to %d",
                          name, SEGUE_MAX_FEATURE_NAME);
    if (text < 1 || text > SEGUE_MAX_FEATURE_TEXT)
        return segue_fail(err, SEGUE_EDOMAIN, "feature '%s' is a text of %zu bytes; need 1 to %d",
                          f->name, text, SEGUE_MAX_FEATURE_TEXT);
    if (!f->text && !isfinite(f->number))
        return segue_fail(err, SEGUE_EDOMAIN, "feature '%s' is %g; need a finite number", f->name,
                          f->number);
    return SEGUE_OK;
}

segue_status segue_learner_check_features(const segue_feature *features, size_t n_features,
                                          segue_error *err)
{
    if (n_features > SEGUE_MAX_FEATURES)
        return segue_fail(err, SEGUE_EDOMAIN, "a task has %zu features; need %d at most",
                          n_features, SEGUE_MAX_FEATURES);
    for (size_t k = 0; k < n_features; k++) {
        SEGUE_TRY(check_one(&features[k], err));
        for (size_t other = 0; other < k; other++)
            if (strcmp(features[other].name, features[k].name) == 0)
                return segue_fail(err, SEGUE_EDOMAIN, "feature '%s' is given twice",
                                  features[k].name);
    }
    return SEGUE_OK;
}

/* ---- features of an open task -------------------------------------------------------------- */

static char *copy_text(char **at, const char *text)
{
    char *copy = *at;
    if (!text)
        return NULL;
    memcpy(copy, text, strlen(text) + 1);
    *at += strlen(text) + 1;
    return copy;
}

segue_status segue_learner_features_set(open_task *entry, const segue_feature *features,
                                        size_t n_features, segue_error *err)
{
    size_t size = n_features * sizeof *features;
    for (size_t k = 0; k < n_features; k++)
        size +=
            strlen(features[k].name) + 1 + (features[k].text ? strlen(features[k].text) + 1 : 0);
    segue_feature *copy = malloc(size);
    if (!copy)
        return segue_fail_no_memory(err, "features");
    char *at = (char *)(copy + n_features);
    for (size_t k = 0; k < n_features; k++) {
        copy[k].name = copy_text(&at, features[k].name);
        copy[k].text = copy_text(&at, features[k].text);
        copy[k].number = features[k].number;
    }
    entry->features = copy;
    entry->n_features = n_features;
    entry->feature_bytes = size;
    return SEGUE_OK;
}

void segue_learner_features_clear(open_task *entry)
{
    free(entry->features);
    entry->features = NULL;
    entry->n_features = entry->feature_bytes = 0;
}

segue_status segue_learner_features_prior(segue_learner *learner, const segue_feature *features,
                                          size_t n_features, shared_prior **out, segue_error *err)
{
    double weight[SEGUE_MAX_COMPONENTS];
    *out = NULL;
    if (!learner->method->features)
        return segue_fail(err, SEGUE_EDOMAIN,
                          "%s has no types that features could shift; need tla "
                          "or tts",
                          learner->method->info.name);
    if (!learner->current)
        return SEGUE_OK;
    learner->method->features->shift(learner, features, n_features, weight);
    return segue_shared_prior_reweigh(out, learner->current, weight, err);
}

/* ---- what is known of them ----------------------------------------------------------------- */

bool segue_learner_has_features(const segue_learner *learner)
{
    return learner->method->features != NULL;
}

size_t segue_learner_n_features(const segue_learner *learner)
{
    return learner->method->features ? learner->method->features->table(learner)->n_columns : 0;
}

static segue_status check_index(const segue_learner *learner, size_t feature, segue_error *err)
{
    const size_t n = segue_learner_n_features(learner);
    return feature < n ? SEGUE_OK
                       : segue_fail(err, SEGUE_EDOMAIN, "there is no feature %zu; there are %zu",
                                    feature, n);
}

static segue_status check_type(const segue_learner *learner, size_t type, segue_error *err)
{
    size_t n_types = 0;
    (void)segue_learner_no_type(learner, &n_types);
    return type >= 1 && type <= n_types
               ? SEGUE_OK
               : segue_fail(err, SEGUE_EDOMAIN, "there is no type %zu; there are %zu", type,
                            n_types);
}

segue_status segue_learner_feature_info(const segue_learner *learner, size_t feature,
                                        segue_feature_info *out, segue_error *err)
{
    SEGUE_TRY(check_index(learner, feature, err));
    const feature_column *c = learner->method->features->table(learner)->column[feature];
    const feature_shift *shift = learner->method->features->factors(learner);
    *out = (segue_feature_info){.is_number = c->is_number, .n_tasks = c->n_tasks};
    memcpy(out->name, c->name, sizeof out->name);
    for (size_t v = 0; v < SEGUE_MAX_CATEGORIES; v++)
        out->n_categories += c->count[v] > 0;
    out->relevance = feature < shift->n_features ? shift->feature[feature].relevance : 0.0;
    return SEGUE_OK;
}

segue_status segue_learner_feature_factor(const segue_learner *learner, size_t type,
                                          const segue_feature *feature, double *factor,
                                          segue_error *err)
{
    SEGUE_TRY(segue_learner_check_features(feature, 1, err));
    SEGUE_TRY(check_type(learner, type, err));
    const feature_method *m = learner->method->features;
    *factor =
        m ? segue_feature_shift_factor(m->factors(learner), m->table(learner), type - 1, feature)
          : 1.0;
    return SEGUE_OK;
}

/* The cell with the largest factor that has tasks, the first of several. */
static size_t find_peak(const feature_column *c, const feature_factors *of, const double *factor)
{
    size_t best = NO_INDEX;
    for (size_t v = 0; v < of->n_cells; v++) {
        const bool has_tasks =
            c->is_number ? v + 1 == of->n_cells || of->edge[v] < of->edge[v + 1] : c->count[v] > 0;
        if (has_tasks && (best == NO_INDEX || factor[v] > factor[best]))
            best = v;
    }
    return best;
}

segue_status segue_learner_feature_peak(const segue_learner *learner, size_t feature, size_t type,
                                        segue_feature_peak *out, segue_error *err)
{
    SEGUE_TRY(check_index(learner, feature, err));
    SEGUE_TRY(check_type(learner, type, err));
    const feature_column *c = learner->method->features->table(learner)->column[feature];
    const feature_shift *shift = learner->method->features->factors(learner);
    if (feature >= shift->n_features) /* memory ran out at the last close */
        return segue_fail(err, SEGUE_EDOMAIN, "feature %zu shifts nothing yet", feature);
    const feature_factors *of = &shift->feature[feature];
    const double *factor = of->factor + (type - 1) * of->n_cells;
    const size_t v = find_peak(c, of, factor);
    *out = (segue_feature_peak){.factor = factor[v]};
    if (c->is_number) {
        out->from = of->edge[v];
        out->to = of->edge[v + 1];
    } else {
        memcpy(out->text, c->text[v], sizeof out->text);
    }
    return SEGUE_OK;
}
