/* recent_rewards.h - the last decisions of a learner that got a reward, for the dashboard.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEGUE_SERVICE_STATE_RECENT_REWARDS_H
#define SEGUE_SERVICE_STATE_RECENT_REWARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "service/api/learner_settings.h"

#define SEGUE_MAX_RECENT_REWARDS 32

typedef struct recent_reward {
    char task[SEGUE_MAX_NAME_SIZE + 1];
    size_t arm;
    double reward, time;
    uint64_t version;
    bool control;
} recent_reward;

/** A circular buffer; all zeros: empty. */
typedef struct recent_rewards {
    recent_reward entry[SEGUE_MAX_RECENT_REWARDS];
    uint64_t count; /* ever added */
    uint64_t gone;  /* of these the oldest, which were forgotten */
} recent_rewards;

/** Return the entry for the next one, which replaces the oldest; the caller fills it in. */
recent_reward *segue_recent_rewards_add(recent_rewards *r);

/** Return the i-th, newest first; NULL: there is none. */
const recent_reward *segue_recent_rewards_at(const recent_rewards *r, uint64_t i);

/** Forget those that arrived before `time`, up to the first later one. */
void segue_recent_rewards_forget(recent_rewards *r, double time);

#endif
