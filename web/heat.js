/* heat.js - a colour for a number, and a text colour that can be read on it.
 * SPDX-License-Identifier: Apache-2.0 */

/* From dark blue over green to yellow, in equal steps of brightness: readable without colour vision. */
const STOPS = [[38, 40, 94], [48, 91, 138], [35, 139, 136], [91, 190, 106], [246, 222, 79]];

/** The colour at x in [0, 1], as three bytes. */
function at(x) {
    const position = Math.min(Math.max(x, 0), 1) * (STOPS.length - 1);
    const i = Math.min(Math.floor(position), STOPS.length - 2);
    return STOPS[i].map((from, c) => Math.round(from + (position - i) * (STOPS[i + 1][c] - from)));
}

/* The relative luminance of WCAG 2. */
function luminance(rgb) {
    const [r, g, b] = rgb.map((byte) => {
        const s = byte / 255;
        return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Paint an element; black or white is always at 4.5 : 1 or better to its background. */
export function paint(element, x) {
    const rgb = at(x);
    element.style.backgroundColor = `rgb(${rgb})`;
    element.style.color = luminance(rgb) > 0.179 ? "#000" : "#fff";
}
