/* format.js - numbers and times as text.
 * SPDX-License-Identifier: Apache-2.0 */

const counts = new Intl.NumberFormat("en");

/** 1234 as "1,234". */
export const count = (n) => counts.format(n);

/** "1 task", "2 tasks". */
export const many = (n, noun) => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

/** Capitalize the first letter. */
export const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

const HUGE = 1e7; /* from here on, and below TINY, with a power of ten */
const TINY = 1e-4;

/** The width of the range of rewards: it sets the number of decimals. */
export const scaleOf = ([lowest, highest]) => highest - lowest;

/* Three decimals where rewards are about 1: fewer where they are large, more where they are small. */
function decimals(scale) {
    const power = Math.floor(Math.log10(scale));
    return Math.min(Math.max(power < 0 ? 2 - power : 3 - power, 0), 20);
}

const needsPower = (x, scale) => x !== 0 && (scale >= HUGE ? Math.abs(x) >= HUGE : scale < TINY && Math.abs(x) < TINY);

function write(x, scale, options) {
    const digits = decimals(scale);
    const text = needsPower(x, scale) ? (options.signDisplay === "exceptZero" && x > 0 ? "+" : "") + x.toExponential(2)
        : x.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits, ...options });
    return text.replace("e+", "e").replaceAll("-", "−");
}

const isNone = (x) => x === null || x === undefined;

/** A mean of rewards, 0.72 as "0.720" where rewards are about 1, or a dash where there is none. */
export const value = (x, scale = 1) => (isNone(x) ? "–" : write(x, scale, { signDisplay: "negative" }));

/** With its sign. */
export const signed = (x, scale = 1) => write(x, scale, { signDisplay: "exceptZero" });

/** A single reward: 1 as "1". */
export const plain = (x, scale = 1) => write(x, scale, { signDisplay: "negative", minimumFractionDigits: 0 });

/** A number as it was given, every digit of it. */
export function exact(x) {
    const size = Math.abs(x);
    const text = x !== 0 && (size >= HUGE || size < TINY) ? x.toExponential()
        : x.toLocaleString("en", { maximumFractionDigits: 20 });
    return text.replace("e+", "e").replaceAll("-", "−");
}

/** From one to another: a dash beside a minus could not be read. */
export function span(low, high, scale = 1) {
    const ends = [value(low, scale), value(high, scale)];
    return ends.join(ends.join().includes("−") ? " to " : "–");
}

/** The ends of an interval, with signs; short ones are not broken over lines. */
export function ends([low, high], scale = 1) {
    const text = `${signed(low, scale)} to ${signed(high, scale)}`;
    return text.length > 18 ? text : text.replaceAll(" ", "\u00a0");
}

/** 0.312 as "31 %", never broken over lines; small ones with a decimal. */
export function share(x) {
    const percent = 100 * x;
    return `${percent.toFixed(percent > 0 && percent < 9.95 && percent % 1 !== 0 ? 1 : 0)}\u00a0%`;
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

/** 86400 seconds as "1 day". */
export function duration(seconds) {
    const [size, name] = UNITS.find(([unit]) => seconds >= unit && seconds % unit === 0) ?? [1, "second"];
    return many(seconds / size, name);
}

/** 90 seconds as "2 minutes". */
export function roughly(seconds) {
    const [size, name] = UNITS.find(([unit]) => seconds >= unit) ?? [1, "second"];
    return many(Math.ceil(seconds / size), name);
}

/** The time of day, and the date where it is not today. */
export function clock(time) {
    const date = new Date(1000 * time);
    const today = date.toDateString() === new Date().toDateString();
    return today ? date.toLocaleTimeString() : date.toLocaleString();
}
