/* learner_file.h - the numbers of a configuration in a learner file: one slot each, in this order.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_TRANSFER_LEARNER_FILE_H
#define SEGUE_TRANSFER_LEARNER_FILE_H

#define LEARNER_FILE_VERSION 3

/* A method names the slot of each of its options.  Slots that it does not use hold constants. */
typedef enum file_slot {
    SLOT_N_ARMS,
    SLOT_N_MODELS,
    SLOT_HORIZON,
    SLOT_N_TASKS,
    SLOT_DOUBLING, /* 1 where C is 0; SLOT_C then has its default */
    SLOT_IDENTIFY,
    SLOT_VIEWS,
    SLOT_BATCHES, /* 1 + rank */
    SLOT_STARTS,
    SLOT_STEPS,
    SLOT_EVERY,
    SLOT_SEED,
    SLOT_RUN,
    SLOT_ESTIMATOR,
    SLOT_COLD,
    SLOT_HINT,
    SLOT_WINDOW,
    SLOT_CAP,
    SLOT_BACKGROUND,
    SLOT_DELTA, /* from here on doubles, before it u64 */
    SLOT_C,
    SLOT_GROWTH,
    SLOT_LOWEST,
    SLOT_HIGHEST,
    N_SLOTS
} file_slot;

#endif
