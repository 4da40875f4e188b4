/* types_learner.h - learners of types: the operations that tts, tla and auto share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TRANSFER_TYPES_LEARNER_H
#define SEGUE_TRANSFER_TYPES_LEARNER_H

#include "transfer/learner_method.h"

/* The order of the options. */
enum { TYPES_WINDOW, TYPES_CAP, TYPES_DISPERSION, TYPES_N_OPTIONS };

extern const segue_option segue_types_learner_options[TYPES_N_OPTIONS];
extern const refit_method segue_types_learner_refit;
extern const feature_method segue_types_learner_features;

segue_status segue_types_learner_create(segue_learner *learner, segue_error *err);
void segue_types_learner_destroy(segue_learner *learner);
segue_status segue_types_learner_plan(const segue_learner *learner, bool identifies,
                                      segue_task_config *task, segue_error *err);
segue_status segue_types_learner_learn(segue_learner *learner, const open_task *entry,
                                       segue_error *err);
segue_status segue_types_learner_add_arm(segue_learner *learner, segue_error *err);
segue_status segue_types_learner_merge(segue_learner *into, const segue_learner *from,
                                       segue_error *err);
void segue_types_learner_fill_info(const segue_learner *learner, segue_learner_summary *info);
size_t segue_types_learner_bytes(const segue_learner *learner);
uint64_t segue_types_learner_type_id(const segue_learner *learner, size_t type);
void segue_types_learner_describe_arm(const segue_learner *learner, size_t type, size_t arm,
                                      double *mean, double *low, double *high);
void segue_types_learner_serialize(const segue_learner *learner, segue_bytes *b);
segue_status segue_types_learner_deserialize(segue_learner *learner, segue_bytes_reader *r,
                                             segue_error *err);
segue_status segue_types_learner_deserialize_fitted(segue_learner *learner, segue_bytes_reader *r,
                                                    segue_error *err);

/* The operations of a method that learns types; such methods differ in policy and needs only. */
#define TYPES_LEARNER_OPERATIONS                                                                   \
    .create = segue_types_learner_create, .destroy = segue_types_learner_destroy,                  \
    .learns_dispersion = true, .plan = segue_types_learner_plan,                                   \
    .set_prior = segue_shared_prior_apply, .learn = segue_types_learner_learn,                     \
    .refit = &segue_types_learner_refit, .add_arm = segue_types_learner_add_arm,                   \
    .merge = segue_types_learner_merge, .fill_info = segue_types_learner_fill_info,                \
    .bytes = segue_types_learner_bytes, .describe_arm = segue_types_learner_describe_arm,          \
    .type_id = segue_types_learner_type_id, .serialize = segue_types_learner_serialize,            \
    .deserialize = segue_types_learner_deserialize,                                                \
    .deserialize_fitted = segue_types_learner_deserialize_fitted,                                  \
    .features = &segue_types_learner_features

#endif
