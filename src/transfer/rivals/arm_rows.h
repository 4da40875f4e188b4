/* arm_rows.h - learners whose state is some numbers per arm that add up over closed tasks.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TRANSFER_RIVALS_ARM_ROWS_H
#define SEGUE_TRANSFER_RIVALS_ARM_ROWS_H

#include "transfer/learner_method.h"

/* learner->state has `size` numbers per arm, 0 before the first task. */
typedef struct arm_rows {
    size_t size;
    size_t prior_size; /* numbers per arm in each of the two arrays of the shared prior */
    /* Write these numbers of one arm. */
    void (*write_prior)(const segue_learner *learner, const double *row, double *a, double *b);
    bool (*is_valid)(const double *row); /* of one arm, in a saved learner */
} arm_rows;

/* The operations of a learner_method with `rows`. */
segue_status segue_arm_rows_create(segue_learner *learner, segue_error *err);
void segue_arm_rows_destroy(segue_learner *learner);
segue_status segue_arm_rows_publish(segue_learner *learner, segue_error *err);
segue_status segue_arm_rows_add_arm(segue_learner *learner, segue_error *err);
segue_status segue_arm_rows_merge(segue_learner *into, const segue_learner *from, segue_error *err);
size_t segue_arm_rows_bytes(const segue_learner *learner);
void segue_arm_rows_serialize(const segue_learner *learner, segue_bytes *b);
segue_status segue_arm_rows_deserialize(segue_learner *learner, segue_bytes_reader *r,
                                        segue_error *err);

#endif
