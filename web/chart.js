/* chart.js - charts in the colours of the page, each with its data as a table.
 * SPDX-License-Identifier: Apache-2.0 */
import { h } from "./dom.js";

const { Chart } = globalThis;
const themes = matchMedia("(prefers-color-scheme: dark)");

/** A colour of the style sheet, by its name without the dashes. */
export const colour = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/* The name of a type's colour (1, 2, ...; 0: no type); types that no longer exist share one. */
const typeName = (type) => (type === 0 ? "none" : type <= 8 ? `type-${type}` : "gone");

/** The colour of a type, as it is now. */
export const typeColour = (type) => colour(typeName(type));

/** Paint an element with the colour of a type; it follows the theme of the page. */
export function paintType(element, type) {
    element.style.backgroundColor = `var(--${typeName(type)})`;
}

function axis({ title, ...more }) {
    return {
        title: { display: true, text: title, color: colour("ink") },
        ticks: { color: colour("soft"), maxRotation: 0, autoSkipPadding: 16 },
        grid: { color: colour("line"), borderColor: colour("soft") },
        ...more,
    };
}

/* Ticks as Chart.js writes them, but with a real minus, and powers of ten as elsewhere. */
const ticks = (write) => function tick(y, ...more) {
    const text = Chart.Ticks.formatters.numeric.call(this, y, ...more);
    return text.includes("E") ? write(y) : text.replaceAll("-", "−");
};

/**
 * @typedef {Object} Drawing  what a chart shows now
 * @property {string} label   one sentence for screen readers
 * @property {any[]} datasets of Chart.js
 * @property {any[]} [labels]
 * @property {{title: string}} x  and more of Chart.js's options of an axis
 * @property {{title: string}} y
 * @property {(y: number) => string} write  a number of its y, as a text
 */

function configure({ datasets, labels, x, y, write }, type) {
    const upright = axis(y);
    upright.ticks.callback = ticks(write);
    const label = ({ dataset, parsed }) => `${dataset.label}: ${write(parsed.y)}`;
    return {
        type,
        data: { labels, datasets },
        options: {
            animation: false,
            responsive: true,
            maintainAspectRatio: false,
            interaction: { mode: "index", intersect: false },
            scales: { x: axis(x), y: upright },
            plugins: { legend: { labels: { color: colour("ink"), usePointStyle: true, boxHeight: 7 } },
                       tooltip: { callbacks: { label } } },
        },
    };
}

/**
 * A chart of Chart.js with its `table`.  It is drawn again when the theme of the page changes.
 */
export function makeChart(type, table) {
    const canvas = h("canvas", { role: "img" });
    const details = h("details", {}, h("summary", {}, "The same as a table"), table.element);
    const element = h("figure", {}, h("div", { class: "chart" }, canvas), details);
    let chart = null;
    let make = null;

    function draw(makeDrawing) {
        make = makeDrawing;
        const drawing = make();
        canvas.setAttribute("aria-label", drawing.label);
        const config = configure(drawing, type);
        if (!chart) chart = new Chart(canvas, config);
        else {
            chart.data = config.data;
            chart.options = config.options;
            chart.update("none");
        }
    }
    const redraw = () => make && draw(make);
    themes.addEventListener("change", redraw);
    function destroy() {
        themes.removeEventListener("change", redraw);
        chart?.destroy();
    }
    return { element, draw, destroy };
}
