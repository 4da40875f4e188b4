/* format.js - numbers and times as people read them.
 * SPDX-License-Identifier: Apache-2.0 */

const counts = new Intl.NumberFormat("en");

/** 1234 as "1,234". */
export const count = (n) => counts.format(n);

/** "1 task", "2 tasks". */
export const many = (n, noun) => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

/** A reward to three decimals, or a dash where there is none. */
export const value = (x) => (x === null || x === undefined ? "–" : x.toFixed(3));

/** With its sign, the minus a real one. */
export const signed = (x) => (x < 0 ? `−${value(-x)}` : `+${value(x)}`);

/** 0.0312 as "3 %", small ones with a decimal. */
export function share(x) {
    const percent = 100 * x;
    return `${percent.toFixed(percent > 0 && percent < 9.95 && percent % 1 !== 0 ? 1 : 0)} %`;
}

const UNITS = [[86400, "day"], [3600, "hour"], [60, "minute"]];

/** How long ago a time, in seconds since 1970, is. */
export function ago(time, now = Date.now() / 1000) {
    const seconds = now - time;
    for (const [size, name] of UNITS) {
        if (seconds >= size) return `${many(Math.floor(seconds / size), name)} ago`;
    }
    return "just now";
}

/** The time of day, and the date where it is not today. */
export function clock(time) {
    const date = new Date(1000 * time);
    const today = date.toDateString() === new Date().toDateString();
    return today ? date.toLocaleTimeString() : date.toLocaleString();
}
