/* recent_rewards.c - the last decisions of a learner that got a reward.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/recent_rewards.h"

#include <string.h>

recent_reward *segue_recent_rewards_add(recent_rewards *r)
{
    return &r->entry[r->count++ % SEGUE_MAX_RECENT_REWARDS];
}

const recent_reward *segue_recent_rewards_at(const recent_rewards *r, uint64_t i)
{
    if (i >= SEGUE_MAX_RECENT_REWARDS || i >= r->count - r->gone)
        return NULL;
    return &r->entry[(r->count - 1 - i) % SEGUE_MAX_RECENT_REWARDS];
}

void segue_recent_rewards_forget(recent_rewards *r, double time)
{
    if (r->count - r->gone > SEGUE_MAX_RECENT_REWARDS)
        r->gone = r->count - SEGUE_MAX_RECENT_REWARDS;
    for (; r->gone < r->count; r->gone++) {
        recent_reward *d = &r->entry[r->gone % SEGUE_MAX_RECENT_REWARDS];
        if (d->time >= time)
            break;
        memset(d, 0, sizeof *d);
    }
}
