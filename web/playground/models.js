/* models.js - model sets: as CSV, at random, and changed by drift.
 *
 * A set is {arms: names, weight: numbers, mean: rows of numbers}.
 * SPDX-License-Identifier: Apache-2.0 */

export const LIMITS = { types: 8, arms: 12 };

/** The presets: files of the folder models/. */
export const PRESETS = { paper: "Paper: 5 types, 7 arms", testable: "3 types, 4 arms", uniform: "4 types at random, 6 arms",
                         random: "Random, drawn from the seed" };

/** A small generator of uniform numbers (mulberry32), so that a random set is the same for the same seed. */
function makeRandom(seed) {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let x = Math.imul(state ^ (state >>> 15), state | 1);
        x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
        return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
    };
}

/** Row `type` of the random set of a seed: means with two decimals. */
function randomRow(seed, type, arms) {
    const random = makeRandom(1000 * seed + type + 1);
    return Array.from({ length: arms }, () => Math.round(100 * random()) / 100);
}

export function randomSet(seed, types, arms) {
    return { arms: Array.from({ length: arms }, (_, i) => `arm ${i + 1}`), weight: Array(types).fill(1),
             mean: Array.from({ length: types }, (_, k) => randomRow(seed, k, arms)) };
}

/** Give a set another number of types: the first ones, or more, drawn at random. */
export function resize(set, types, seed) {
    const more = Array.from({ length: Math.max(0, types - set.mean.length) },
        (_, i) => randomRow(seed, set.mean.length + i, set.arms.length));
    const usual = set.weight.reduce((a, b) => a + b, 0) / set.weight.length;
    return { arms: set.arms, mean: [...set.mean, ...more].slice(0, types),
             weight: [...set.weight, ...more.map(() => usual)].slice(0, types) };
}

/** Drift: every arm takes the means of the next one. */
export const drifted = (set) => ({ ...set, mean: set.mean.map((row) => [...row.slice(1), row[0]]) });

export const toCsv = (set) => [["weight", ...set.arms], ...set.mean.map((row, k) => [set.weight[k], ...row])]
    .map((row) => row.join(",")).join("\n") + "\n";

/** Read what toCsv writes, and the files of models/: the first column is `weight`. */
export function fromCsv(text) {
    const [head, ...rows] = text.trim().split(/\r?\n/).map((line) => line.split(","));
    const numbers = rows.map((row) => row.map(Number));
    return { arms: head.slice(1), weight: numbers.map((row) => row[0]), mean: numbers.map((row) => row.slice(1)) };
}

/** Why a set cannot be played, as a sentence; or null. */
export function problem(set) {
    const { arms, mean, weight } = set;
    if (arms.length < 2 || arms.length > LIMITS.arms || mean.length < 1 || mean.length > LIMITS.types)
        return `Need 2 to ${LIMITS.arms} arms and 1 to ${LIMITS.types} types.`;
    if (mean.some((row) => row.length !== arms.length || row.some((x) => !(x >= 0 && x <= 1))))
        return "Each mean must be a number from 0 to 1.";
    if (weight.some((x) => !(x >= 0 && x < Infinity)) || weight.every((x) => x === 0))
        return "Each weight must be 0 or more, and one of them above 0.";
    return null;
}
