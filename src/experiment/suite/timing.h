/* timing.h - when and by which program the experiments of a folder were played, and how long they
 * took: FOLDER/timing.json.
 *
 *     {"lengths": {"finished": true, "played": "2026-11-17T08:45:42Z", "key": "93c2...",
 *                  "results": "07be...", "threads": 2, "wall_seconds": 1.5, "cpu_seconds": 2.9}}
 *
 * Times differ from one run to the next: this file is not among those with equal bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_SUITE_TIMING_H
#define SEGUE_EXPERIMENT_SUITE_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "experiment/experiment.h"
#include "experiment/suite/build_id.h"

typedef struct segue_timing {
    bool finished;                     /* false: it was begun, and may have a checkpoint file */
    char played[24];                   /* when it ended, UTC, "2026-11-17T08:45:42Z" */
    char key[SEGUE_BUILD_ID_SIZE];     /* a hash of program and experiment; empty: not known */
    char results[SEGUE_BUILD_ID_SIZE]; /* a hash of its result files; empty: unfinished */
    uint64_t threads;
    double wall_seconds, cpu_seconds; /* of all sessions that an interrupted run took */
} segue_timing;

/**
 * Read the entry of experiment `name` in FOLDER/timing.json.  *found is false, and *out zero, if
 * the file or the entry is missing or damaged.
 *
 * @retval SEGUE_EFILE  the path is too long
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_timing_read(segue_timing *out, const char *folder,
                                                const char *name, bool *found, segue_error *err);

/** Replace the entry of experiment `name`; others stay.
 * @retval SEGUE_EFILE, SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_timing_write(const segue_timing *timing, const char *folder,
                                                 const char *name, segue_error *err);

/** Set `key` for an experiment and the build id of the program that plays it;
 * @retval SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_timing_key(char key[SEGUE_BUILD_ID_SIZE],
                                               const segue_experiment *experiment, uint64_t build,
                                               segue_error *err);

/** Set `played` to the current time and `results` to a hash of the result files of experiment
 * `name`; @retval SEGUE_EFILE, SEGUE_EIO */
SEGUE_MUST_CHECK segue_status segue_timing_sign(segue_timing *timing, const char *folder,
                                                const char *name, segue_error *err);

/** *is_of: the entry is of the result files as they are now; @retval SEGUE_EFILE, SEGUE_EIO */
SEGUE_MUST_CHECK segue_status segue_timing_verify(const segue_timing *timing, const char *folder,
                                                  const char *name, bool *is_of, segue_error *err);

#endif
