/* demo.h - simulated students who use the service, so that there is something to see.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_CLI_DEMO_H
#define SEGUE_CLI_DEMO_H

#include "service/engine/service.h"

typedef struct cli_demo cli_demo;

/** Start them; the learner is called "demo".  @retval SEGUE_ETHREAD, SEGUE_ENOMEM, SEGUE_EIO */
SEGUE_MUST_CHECK segue_status cli_demo_start(cli_demo **out, segue_service *service,
                                             segue_error *err);
void cli_demo_stop(cli_demo *demo); /* before the service is; NULL is fine */

#endif
