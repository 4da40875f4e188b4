/* learner_internal.h - operations for the service: tasks that are played but not learned from, and
 * a learner as bytes.
 *
 * The service learns from the event log of a task, not from the task that was played, so that a
 * learner is the same after a crash.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TRANSFER_LEARNER_INTERNAL_H
#define SEGUE_TRANSFER_LEARNER_INTERNAL_H

#include "../core/bytes.h"
#include "../core/stop.h"
#include "segue/learner.h"
#include "segue/learner_arms.h"
#include "segue/learner_explain.h"
#include "segue/learner_features.h"
#include "segue/learner_refit.h"

/** The format of a learner file, and of one whose tasks have no features. */
#define SEGUE_LEARNER_FILE_VERSION     9
#define SEGUE_LEARNER_WITHOUT_FEATURES 8

/** Copy a caller's configuration of any known size.
 * @retval SEGUE_EDOMAIN  the size is not known */
SEGUE_MUST_CHECK segue_status segue_learner_config_copy(segue_learner_config *out,
                                                        const segue_learner_config *given,
                                                        segue_error *err);

/** Write method and options as segue_learner_config_parse reads them, without options that have
 * their default.  False: they do not fit into `size` bytes. */
bool segue_learner_config_format(const segue_learner_config *config, char *out, size_t size);

/** True if two completed configurations differ in nothing but their number of arms. */
bool segue_learner_config_equal(const segue_learner_config *a, const segue_learner_config *b);

/**
 * Open a task as segue_learner_open_task does, but leave no trace in the learner; `rng` is copied.
 * It ends with segue_learner_discard_task.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_learner_play_task(segue_learner *learner, const segue_rng *rng,
                                                      segue_task **out, segue_error *err);

/** Open such a task with features. */
SEGUE_MUST_CHECK segue_status segue_learner_play_task_with(segue_learner *learner,
                                                           const segue_rng *rng,
                                                           const segue_feature *features,
                                                           size_t n_features, segue_task **out,
                                                           segue_error *err);

/** True if features of tasks shift the types of this learner. */
bool segue_learner_has_features(const segue_learner *learner);

/** End an open task, and learn nothing from it; *task becomes NULL. */
void segue_learner_discard_task(segue_learner *learner, segue_task **task);

/**
 * A copy of an open task to ask, look at and explain in another thread; it knows nothing of what
 * comes in later, and the learner must outlive it.  To make and to drop it takes the learner's
 * lock, to use it does not.
 *
 * @retval SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_learner_copy_task(segue_learner *learner, segue_task *task,
                                                      segue_task **out, segue_error *err);
void segue_learner_discard_copy(segue_task **copy);

/** Bytes of memory of a learner with its tasks, and of what one closed task makes it allocate. */
size_t segue_learner_bytes(const segue_learner *learner);
size_t segue_learner_close_bytes(const segue_learner *learner);

/** Set the steps of tasks that are opened from now on; 0: those of the configuration.  The learner's
 * own bytes do not change: defaults that follow from its steps stay. */
void segue_learner_set_task_steps(segue_learner *learner, uint64_t steps);

/** segue_learner_refit_fully, until it is stopped: then the learner is as it was.
 * @retval SEGUE_EDOMAIN, SEGUE_ENOMEM, SEGUE_ESTOPPED */
SEGUE_MUST_CHECK segue_status segue_learner_refit_until(segue_learner *learner,
                                                        const atomic_bool *stop, segue_error *err);

/** Set config.background of a learner without a refit: a saved one that a service goes on with. */
void segue_learner_set_background(segue_learner *learner, bool background);

/** Add what segue_learner_save would write; b->failed: memory ran out. */
void segue_learner_serialize(const segue_learner *learner, segue_bytes *b);

/**
 * Make a learner of such bytes; `name` is what they are called in an error.
 *
 * @retval SEGUE_EFILE, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_learner_deserialize(segue_learner **out, const void *data,
                                                        size_t size, const char *name,
                                                        segue_error *err);

/** The types (tucb: models) that the next task starts from; segue_type_list_fini frees them. */
typedef struct segue_type_list {
    size_t n_types, n_arms;
    double no_type;     /* share of tasks that fit no type */
    double *weight;     /* n_types */
    uint64_t *id;       /* n_types: the same as long as a type exists; 0: the method has none */
    double *mean;       /* n_types x n_arms */
    double *low, *high; /* the same, their 95 % intervals; NULL: the method knows none */
} segue_type_list;
SEGUE_MUST_CHECK segue_status segue_learner_types(const segue_learner *learner,
                                                  segue_type_list *out, segue_error *err);
void segue_type_list_fini(segue_type_list *found);

/** The share of tasks that fit no type, and the number of types, as segue_learner_types has them,
 * without the types: short and cannot fail. */
double segue_learner_no_type(const segue_learner *learner, size_t *n_types);

#endif
