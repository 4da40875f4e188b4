/* checkpoint.h - the checkpoint file of an experiment: its finished runs, for --resume.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_CHECKPOINT_H
#define SEGUE_EXPERIMENT_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

typedef struct segue_checkpoint_file segue_checkpoint_file;

/** Called for each run of a checkpoint file; returns false if the experiment has no such run. */
typedef bool (*checkpoint_function)(void *context, uint64_t unit, const double *values,
                                    size_t count);

/**
 * Open or create the checkpoint file at `path` for the experiment that `identity` describes: its
 * first line is the program, its second the shard if there is one.
 *
 * If the file has runs: `resume` passes them to `add` and appends; `fresh` truncates the file; with
 * neither it is an error, so that a forgotten option loses no work.  Drops a record that was cut
 * off.
 *
 * @retval SEGUE_EFILE   it cannot be written, is of another experiment, or has runs
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_checkpoint_open(segue_checkpoint_file **out, const char *path,
                                                    const char *identity, bool resume, bool fresh,
                                                    checkpoint_function add, void *context,
                                                    segue_error *err);

/**
 * Pass the runs of the checkpoint file at `path` to `add`.  *whole is false if a record is cut off,
 * damaged or rejected by `add`.
 *
 * @retval SEGUE_EFILE  it cannot be read, is of another experiment, or is being written
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_checkpoint_read(const char *path, const char *identity,
                                                    checkpoint_function add, void *context,
                                                    bool *whole, segue_error *err);

/** Append a finished run; @retval SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_checkpoint_add(segue_checkpoint_file *checkpoint, uint64_t unit,
                                                   const double *values, size_t count,
                                                   segue_error *err);

/** Close the file, which stays. */
void segue_checkpoint_close(segue_checkpoint_file *checkpoint);

#endif
