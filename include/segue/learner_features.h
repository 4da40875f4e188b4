/* learner_features.h - features of a task, known when it is opened: they shift the prior over types.
 *
 * A feature is a category (a text) or a number.  Learners with types (tla, tts, auto) learn from their
 * closed tasks how each feature goes with the types.  A new task that has features starts from types
 * that are more or less likely than without.  A feature that says nothing about the types shifts
 * nothing.  Types themselves are learned from rewards alone.
 *
 *     const segue_feature features[] = {{.name = "country", .text = "de"}, {.name = "age", .number = 41}};
 *     segue_learner_open_task_with(learner, features, 2, &task, &err);
 *
 * Features are never required: a feature that a task lacks is ignored, and so is a category that no
 * task of the window has.  A text and a number of the same name are two features.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_LEARNER_FEATURES_H
#define SEGUE_LEARNER_FEATURES_H

#include "segue/learner.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Features of a task, and features that a learner knows at a time; others are ignored. */
#define SEGUE_MAX_FEATURES 16

/** Categories that a learner knows of a feature at a time; others are ignored.  Both make room when
 * their last task leaves the window. */
#define SEGUE_MAX_CATEGORIES 64

/** Bytes of a name, and of a category. */
#define SEGUE_MAX_FEATURE_NAME 64
#define SEGUE_MAX_FEATURE_TEXT 64

/** One feature of a task. */
typedef struct segue_feature {
    const char *name;
    const char *text; /* the category; NULL: the feature is a number */
    double number;    /* if text is NULL; finite */
} segue_feature;

/**
 * Check the features of a task.
 *
 * @retval SEGUE_EDOMAIN  more than SEGUE_MAX_FEATURES; a name or a text that is empty or too long; a
 *                        name twice; a number that is not finite
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_check_features(const segue_feature *features,
                                                                     size_t n_features,
                                                                     segue_error *err);

/**
 * Open a task as segue_learner_open_task does, with features, which are copied.  The learner learns
 * from them when the task is closed.  Without features it is the same as segue_learner_open_task.
 *
 * @retval SEGUE_EDOMAIN  invalid features, or the method has no types that they could shift
 * @retval SEGUE_ENOMEM
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_open_task_with(segue_learner *learner,
                                                                     const segue_feature *features,
                                                                     size_t n_features,
                                                                     segue_task **out,
                                                                     segue_error *err);

/** A feature, as a learner knows it. */
typedef struct segue_feature_info {
    char name[SEGUE_MAX_FEATURE_NAME + 1];
    bool is_number;
    size_t n_tasks;      /* of the window, which have it */
    size_t n_categories; /* 0: it is a number */
    double relevance;    /* probability that it depends on the type, 0 to 1 */
} segue_feature_info;

/** The number of features that the tasks of the window have; 0 for a method without types. */
SEGUE_API size_t segue_learner_n_features(const segue_learner *learner);

/** Describe feature 0 .. n_features - 1, in the order in which they were first seen.
 * @retval SEGUE_EDOMAIN  there is no such feature */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_feature_info(const segue_learner *learner,
                                                                   size_t feature,
                                                                   segue_feature_info *out,
                                                                   segue_error *err);

/**
 * The factor by which a feature of a new task multiplies the weight of a type (1 .. n_types), relative
 * to no type.  It is 1 for a feature or a category that is not known.
 *
 * @retval SEGUE_EDOMAIN  there is no such type, or the feature is invalid
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_feature_factor(const segue_learner *learner,
                                                                     size_t type,
                                                                     const segue_feature *feature,
                                                                     double *factor,
                                                                     segue_error *err);

/** The value of a feature that speaks most for a type: a category, or a range of numbers. */
typedef struct segue_feature_peak {
    char text[SEGUE_MAX_FEATURE_TEXT + 1]; /* "": a range */
    double from, to;
    double factor; /* as of segue_learner_feature_factor */
} segue_feature_peak;

/**
 * Find the value of a feature that speaks most for a type.
 *
 * @retval SEGUE_EDOMAIN  there is no such feature or type
 */
SEGUE_API SEGUE_MUST_CHECK segue_status segue_learner_feature_peak(const segue_learner *learner,
                                                                   size_t feature, size_t type,
                                                                   segue_feature_peak *out,
                                                                   segue_error *err);

#ifdef __cplusplus
}
#endif
#endif
