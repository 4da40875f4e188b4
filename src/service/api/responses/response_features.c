/* response_features.c - bodies of responses about features: of a learner, of a task.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json_write.h"
#include "service/api/responses/response.h"

#define MIN_SHOWN 0.5 /* relevance from which on the types of a feature are listed */

/* The value that speaks most for a type; false: none does. */
static bool write_peak(const segue_learner *learner, size_t feature, size_t type, bool first,
                       segue_bytes *b)
{
    segue_feature_peak peak;
    if (segue_learner_feature_peak(learner, feature, type, &peak, NULL) != SEGUE_OK ||
        !(peak.factor > 1.0))
        return false;
    segue_json_write_raw(b, first ? "{" : ",{");
    segue_json_write_integer(b, "type", type);
    if (peak.text[0])
        segue_json_write_text(b, "value", peak.text);
    else
        segue_json_write_double(b, "from", peak.from);
    if (!peak.text[0])
        segue_json_write_double(b, "to", peak.to);
    segue_json_write_double(b, "factor", peak.factor);
    segue_json_write_raw(b, "}");
    return true;
}

static void write_feature(const segue_learner *learner, size_t feature, size_t n_types,
                          segue_bytes *b)
{
    segue_feature_info info;
    bool first = true;
    if (segue_learner_feature_info(learner, feature, &info, NULL) != SEGUE_OK)
        return;
    segue_json_write_raw(b, feature > 0 ? ",{" : "{");
    segue_json_write_text(b, "name", info.name);
    segue_json_write_text(b, "kind", info.is_number ? "number" : "text");
    segue_json_write_integer(b, "tasks", info.n_tasks);
    segue_json_write_integer(b, "categories", info.n_categories);
    segue_json_write_double(b, "relevance", info.relevance);
    segue_json_write_raw(b, ",\"types\":[");
    for (size_t type = 1; type <= n_types && info.relevance >= MIN_SHOWN; type++)
        first = !write_peak(learner, feature, type, first, b) && first;
    segue_json_write_raw(b, "]}");
}

void segue_response_features(const segue_learner *learner, segue_bytes *b)
{
    size_t n_types = 0;
    (void)segue_learner_no_type(learner, &n_types);
    segue_json_write_raw(b, "[");
    for (size_t f = 0; f < segue_learner_n_features(learner); f++)
        write_feature(learner, f, n_types, b);
    segue_json_write_raw(b, "]");
}

void segue_response_task_features(segue_store *store, int64_t task, segue_bytes *b)
{
    char *features = NULL;
    if (segue_store_task_features(store, task, &features, NULL) == SEGUE_ENOMEM)
        b->failed = true;
    if (features) { /* stored as JSON */
        segue_json_write_key(b, "features");
        segue_json_write_raw(b, features);
    }
    free(features);
}
