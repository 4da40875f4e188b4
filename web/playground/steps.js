/* steps.js - the steps of a task in typed arrays: a run of 1,000 tasks of 1,000 steps keeps all of them.
 * SPDX-License-Identifier: Apache-2.0 */
const PURPOSES = ["exploit", "distinguish", "explore", "draw"];
const SCALE = 65535; /* of a posterior: finer than a chart or a percentage can show */

/** Pack steps as the library writes them: {arm, reward, purpose, types, posterior} each. */
export function pack(steps) {
    const width = Math.max(...steps.map((step) => step.posterior.length));
    const packed = { count: steps.length, width, arm: new Uint8Array(steps.length), purpose: new Uint8Array(steps.length),
                     types: new Uint8Array(2 * steps.length), reward: new Float64Array(steps.length),
                     posterior: new Uint16Array(width * steps.length) };
    steps.forEach((step, i) => {
        packed.arm[i] = step.arm;
        packed.purpose[i] = PURPOSES.indexOf(step.purpose);
        packed.types.set(step.types ?? [], 2 * i);
        packed.reward[i] = step.reward;
        packed.posterior.set(step.posterior.map((x) => Math.round(SCALE * x)), width * i);
    });
    return packed;
}

/** The posterior of a type (0: none) before step `i`, from 0. */
export const posteriorOf = (packed, i, type) => packed.posterior[packed.width * i + type] / SCALE;

/** Step `i`, from 0, with its likeliest type and that type's posterior. */
export function stepOf(packed, i) {
    const posterior = packed.posterior.subarray(packed.width * i, packed.width * (i + 1));
    const likeliest = posterior.indexOf(Math.max(...posterior));
    return { arm: packed.arm[i], reward: packed.reward[i], purpose: PURPOSES[packed.purpose[i]],
             types: packed.types.subarray(2 * i, 2 * i + 2), likeliest, share: posterior[likeliest] / SCALE };
}
