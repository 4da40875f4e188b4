/* follow.js - matches types between versions.
 *
 * Each refit renumbers the types, so the number of a type can change from one version to the next.
 * A chart over versions must follow the type itself.  Here a type has its number of the newest
 * version; in older versions it is the type whose means are nearest to it in the version after.
 * SPDX-License-Identifier: Apache-2.0 */

const FAR = 0.15; /* share of the range of rewards: types whose means differ more on average do not match */

function distance(a, b, range) {
    const n = Math.min(a.means.length, b.means.length);
    let sum = 0;
    for (let i = 0; i < n; i++) sum += Math.abs(a.means[i] - b.means[i]);
    return sum / n / (range[1] - range[0]);
}

/* Pairs [older, newer] of near types, the nearest first, each type in one pair at most. */
function pairs(older, newer, range) {
    const all = older.flatMap((a, i) => newer.map((b, k) => ({ i, k, d: distance(a, b, range) })));
    const found = new Map();
    const matched = new Set();
    for (const { i, k, d } of all.sort((p, q) => p.d - q.d)) {
        if (d > FAR || found.has(i) || matched.has(k)) continue;
        found.set(i, k);
        matched.add(k);
    }
    return found;
}

/**
 * For each version the numbers of its types: those of the newest are 1, 2, ...; a type that no
 * longer exists has a number after them.
 * @param {{types: {means: number[]}[]}[]} versions  oldest first
 * @param {[number, number]} range  of rewards
 * @returns {number[][]}
 */
export function follow(versions, range) {
    const numbers = versions.map(() => []);
    let next = 1;
    for (let v = versions.length - 1; v >= 0; v--) {
        const newer = versions[v + 1]?.types ?? [];
        const found = pairs(versions[v].types, newer, range);
        numbers[v] = versions[v].types.map((_, i) => (found.has(i) ? numbers[v + 1][found.get(i)] : next++));
    }
    return numbers;
}
