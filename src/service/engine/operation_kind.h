/* operation_kind.h - the kinds of operations: requests, and internal jobs.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_ENGINE_OPERATION_KIND_H
#define SEGUE_SERVICE_ENGINE_OPERATION_KIND_H

typedef enum operation_kind {
    OP_CREATE,
    OP_DELETE,
    OP_ADD_ARM,
    OP_RETIRE_ARM,
    OP_OPEN,
    OP_CLOSE,
    OP_TELL,
    OP_ASK,             /* that must be stored: its event */
    OP_PERSIST_PENDING, /* decisions that wait for a default */
    OP_EXPIRE,          /* those whose wait is over: one OP_DEFAULT_REWARD each */
    OP_DEFAULT_REWARD,  /* the default of one of them */
    OP_REFIT_BEGIN,     /* a refit */
    OP_REFIT_PUBLISH,
    OP_SNAPSHOT,
    OP_PURGE,      /* what a deleted learner left */
    OP_PROBE,      /* store the service time: it is due, or shows whether the disk is back */
    OP_CHECKPOINT, /* the WAL is too large, and the writer looks after it */
    OP_KINDS
} operation_kind;

#endif
