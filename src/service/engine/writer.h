/* writer.h - the thread that stores groups of operations, each in one transaction.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_WRITER_H
#define SEGUE_SERVICE_ENGINE_WRITER_H

#include "service/engine/operation.h"

/* Store a group, apply it, answer. */
void segue_writer_commit(segue_service *service, operation *group);
void *segue_writer_main(void *service);
/* Wish for what is due and is not on its way: nothing was wished, or it is lost. */
void segue_writer_enqueue_due(segue_service *service);

#endif
