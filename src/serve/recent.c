/* recent.c - the last decisions of a learner that got a reward.
 * SPDX-License-Identifier: Apache-2.0 */
#include "serve/recent.h"

recent_decision *segue_recent_add(recent *r)
{
    return &r->entry[r->count++ % RECENT_MOST];
}

const recent_decision *segue_recent_at(const recent *r, uint64_t i)
{
    if (i >= RECENT_MOST || i >= r->count)
        return NULL;
    return &r->entry[(r->count - 1 - i) % RECENT_MOST];
}
