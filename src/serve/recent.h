/* recent.h - the last decisions of a learner that got a reward, for people to look at.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVE_RECENT_H
#define SEGUE_SERVE_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serve/words.h"

#define RECENT_MOST 32

typedef struct recent_decision {
    char task[NAME_MOST + 1];
    size_t arm;
    double reward, time;
    uint64_t version;
    bool control;
} recent_decision;

/** A ring; all zeros: none. */
typedef struct recent {
    recent_decision entry[RECENT_MOST];
    uint64_t count; /* of all there were */
} recent;

/** Room for the next one, in the place of the oldest; to be filled in. */
recent_decision *segue_recent_add(recent *r);

/** The i-th, the newest first; NULL: there is none. */
const recent_decision *segue_recent_at(const recent *r, uint64_t i);

#endif
