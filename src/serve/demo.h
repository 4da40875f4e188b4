/* demo.h - simulated students who use the service, so that there is something to see.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVE_DEMO_H
#define SEGUE_SERVE_DEMO_H

#include "serve/service.h"

typedef struct segue_demo segue_demo;

/** Start them; the learner is called "demo".  @retval SEGUE_ETHREAD, SEGUE_ENOMEM, SEGUE_EIO */
SEGUE_MUST_CHECK segue_status segue_demo_start(segue_demo **out, segue_service *service,
                                               segue_error *err);
void segue_demo_stop(segue_demo *demo); /* before the service is; NULL is fine */

#endif
