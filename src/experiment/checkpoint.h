/* checkpoint.h - what an experiment has finished, on the disk: runs that need not be played again.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_EXPERIMENT_CHECKPOINT_H
#define SEGUE_EXPERIMENT_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segue/status.h"

typedef struct segue_checkpoint_file segue_checkpoint_file;

/** Called for each run that a journal holds; false: it cannot be. */
typedef bool (*checkpoint_function)(void *context, uint64_t unit, const double *values,
                                    size_t count);

/**
 * Open the journal at `path` for an experiment that `identity` describes in full: the first line
 * the program, the second the shard if it is one.
 *
 * If there is one: with `resume` what it holds is given to `take` and it goes on; with `fresh` it
 * is begun again; with neither it is refused, so that nobody loses work by a forgotten word.  A
 * record that was cut off is dropped.
 *
 * @retval SEGUE_EFILE   it cannot be written, is of another experiment, or is there unasked for
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_checkpoint_open(segue_checkpoint_file **out, const char *path,
                                                    const char *identity, bool resume, bool fresh,
                                                    checkpoint_function take, void *context,
                                                    segue_error *err);

/**
 * Give what the journal at `path` holds to `take`, and leave it as it is.  `whole` tells whether
 * that was all, or a record was cut off, damaged or not taken.
 *
 * @retval SEGUE_EFILE  it cannot be read, is of another experiment, or is being written
 * @retval SEGUE_EIO, SEGUE_ENOMEM
 */
SEGUE_MUST_CHECK segue_status segue_checkpoint_read(const char *path, const char *identity,
                                                    checkpoint_function take, void *context,
                                                    bool *whole, segue_error *err);

/** Keep a finished run; @retval SEGUE_EIO, SEGUE_ENOMEM */
SEGUE_MUST_CHECK segue_status segue_checkpoint_add(segue_checkpoint_file *checkpoint, uint64_t unit,
                                                   const double *values, size_t count,
                                                   segue_error *err);

/** Close it; the file stays. */
void segue_checkpoint_close(segue_checkpoint_file *checkpoint);

#endif
