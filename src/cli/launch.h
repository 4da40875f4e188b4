/* launch.h - detect a launcher (mpirun, srun) that started several processes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_LAUNCH_H
#define SEGUE_CLI_LAUNCH_H

#include <stdint.h>

/** Process `self` of `count` that a launcher started; count 1: there was no launcher. */
typedef struct cli_launch {
    uint64_t self, count;
} cli_launch;

/** Read the launcher's variables in the environment. */
cli_launch cli_launch_detect(void);

#endif
