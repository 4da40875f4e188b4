/* demo.h - simulated students who use the service, for `segue serve --demo`.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_COMMANDS_SERVE_DEMO_H
#define SEGUE_CLI_COMMANDS_SERVE_DEMO_H

#include "service/engine/service.h"

typedef struct cli_demo cli_demo;

/** Create the learner "demo" and start the students.  @retval SEGUE_ETHREAD, SEGUE_ENOMEM,
 * SEGUE_EIO */
SEGUE_MUST_CHECK segue_status cli_demo_start(cli_demo **out, segue_service *service,
                                             segue_error *err);

/** Stop the students, before the service stops; NULL is fine. */
void cli_demo_stop(cli_demo *demo);

#endif
