/* shadow_state.c - steps in which the caller chose, compared with what Segue would have chosen.
 *
 * Each step gives the probability that Segue gave to the caller's arm, and maybe the caller's own
 * (core/confseq/off_policy.h).  The steps of a task are one block: their order does not matter, so
 * rewards may arrive in any order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/state/shadow/shadow_state.h"

void segue_shadow_state_add(shadow_state *shadow, const segue_stored_reward *reward, double lowest,
                            double highest)
{
    const double x = (reward->value - lowest) / (highest - lowest);
    const double scaled = x < 1.0 ? x : 1.0, p = reward->shadow.probability;
    shadow->steps++;
    shadow->total += reward->value;
    if (reward->shadow.arm == reward->arm) {
        shadow->agreed++;
        shadow->agreed_total += reward->value;
    }
    segue_off_policy_add(&shadow->any, p, 1.0, scaled);
    if (reward->probability > 0.0)
        segue_off_policy_add(&shadow->known, p, reward->probability, scaled);
}

void segue_shadow_state_end_task(shadow_state *shadow)
{
    shadow->tasks++;
    segue_off_policy_end_block(&shadow->any);
    segue_off_policy_end_block(&shadow->known);
}

bool segue_shadow_state_interval(const shadow_state *shadow, bool *estimates, segue_confseq *out)
{
    *estimates = segue_off_policy_interval(&shadow->known, out);
    return *estimates || segue_off_policy_interval(&shadow->any, out);
}

/* ---- bytes ------------------------------------------------------------------------------- */

static void serialize_steps(const segue_off_policy *o, segue_bytes *b)
{
    const double numbers[] = {o->gain.sum, o->gain.squares, o->gain.guess,
                              o->loss.sum, o->loss.squares, o->loss.guess};
    segue_bytes_append_u64(b, o->steps);
    segue_bytes_append_u64(b, o->cut);
    segue_bytes_append_f64(b, numbers, 6);
}

static bool deserialize_steps(segue_off_policy *o, segue_bytes_reader *r)
{
    double x[6] = {0.0};
    const uint64_t steps = segue_bytes_read_count(r), cut = segue_bytes_read_count(r);
    const bool fine = segue_bytes_read_finite(r, x, 6);
    *o = (segue_off_policy){steps, cut, {x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    return fine && cut <= steps;
}

void segue_shadow_state_serialize(const shadow_state *shadow, segue_bytes *b)
{
    const double numbers[] = {shadow->total, shadow->agreed_total};
    segue_bytes_append_u64(b, shadow->tasks);
    segue_bytes_append_u64(b, shadow->steps);
    segue_bytes_append_u64(b, shadow->agreed);
    segue_bytes_append_f64(b, numbers, 2);
    serialize_steps(&shadow->known, b);
    serialize_steps(&shadow->any, b);
}

segue_status segue_shadow_state_deserialize(shadow_state *shadow, segue_bytes_reader *r,
                                            segue_error *err)
{
    double numbers[2] = {0.0};
    *shadow = (shadow_state){.tasks = segue_bytes_read_count(r)};
    shadow->steps = segue_bytes_read_count(r);
    shadow->agreed = segue_bytes_read_count(r);
    bool fine = segue_bytes_read_finite(r, numbers, 2);
    shadow->total = numbers[0];
    shadow->agreed_total = numbers[1];
    fine = deserialize_steps(&shadow->known, r) && fine;
    fine = deserialize_steps(&shadow->any, r) && fine;
    return fine && !r->failed && shadow->agreed <= shadow->steps
               ? SEGUE_OK
               : segue_fail(err, SEGUE_EFILE,
                            "the steps of shadow mode in the snapshot of a learner are damaged");
}
