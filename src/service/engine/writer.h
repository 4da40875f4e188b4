/* writer.h - the thread that stores groups of operations, each group in one transaction.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_WRITER_H
#define SEGUE_SERVICE_ENGINE_WRITER_H

#include "service/engine/operation.h"

/* Store and apply a group, and respond.  The writer's thread, or any one where there are no
 * threads. */
void segue_writer_commit(segue_service *service, operation *group);

/* Commit groups until the queue is closed and empty. */
void *segue_writer_main(void *service);

#endif
