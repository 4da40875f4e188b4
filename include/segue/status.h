/* status.h - the status that a call returns, and the sentence that explains a failure.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_STATUS_H
#define SEGUE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SEGUE_API               __attribute__((visibility("default")))
#define SEGUE_MUST_CHECK        __attribute__((warn_unused_result))
#define SEGUE_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define SEGUE_API
#define SEGUE_MUST_CHECK
#define SEGUE_PRINTF(fmt, args)
#endif

/* The list of outcomes: name, exit code of the command line, text. */
#define SEGUE_STATUS_MAP(X)                                                                        \
    X(OK, 0, "success")                                                                            \
    X(EDOMAIN, 2, "a value lies outside its documented range")                                     \
    X(EPARSE, 2, "a text does not have the form it should have")                                   \
    X(ENAME, 2, "there is no such name")                                                           \
    X(EUSAGE, 2, "these options do not go together")                                               \
    X(EFILE, 2, "a file cannot be used")                                                           \
    X(ENOMEM, 1, "out of memory")                                                                  \
    X(EIO, 1, "reading or writing failed")                                                         \
    X(ETHREAD, 1, "a thread could not be started")                                                 \
    X(ESTOPPED, 1, "it was stopped before its end")                                                \
    X(EDIFFERS, 1, "a result is not what it was before")

typedef enum segue_status {
#define SEGUE_STATUS_ENUM(name, exit_code, text) SEGUE_##name,
    SEGUE_STATUS_MAP(SEGUE_STATUS_ENUM)
#undef SEGUE_STATUS_ENUM
} segue_status;

/** Size of an error message, its final NUL included. */
#define SEGUE_ERROR_SIZE 512

/** A failure, explained to a user. The caller owns it and may pass NULL instead. */
typedef struct segue_error {
    segue_status status;
    char message[SEGUE_ERROR_SIZE]; /* one sentence; a longer one is cut */
} segue_error;

/** Return the general text of a status, never NULL. */
SEGUE_API const char *segue_status_text(segue_status status);

/** Return the exit code for a program: 0 done, 1 failed while running, 2 wrong input. */
SEGUE_API int segue_status_exit_code(segue_status status);

/**
 * Fill `err` (unless NULL) with a status and a sentence, and return the status, so that a
 * function can `return segue_fail(err, SEGUE_EDOMAIN, "delta is %g; need 0 < delta < 1", delta);`
 */
SEGUE_API segue_status segue_fail(segue_error *err, segue_status status, const char *format, ...)
    SEGUE_PRINTF(3, 4);

#ifdef __clang_analyzer__
/* The analyser does not see the body of segue_fail: state that it returns the status. */
#define segue_fail(err, status, ...) ((void)segue_fail(err, status, __VA_ARGS__), (status))
#endif

#ifdef __cplusplus
}
#endif
#endif
