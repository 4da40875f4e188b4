/* chart.js - line charts and stacked areas as SVG, drawn at the width of the page.
 * SPDX-License-Identifier: Apache-2.0 */
import { h } from "./dom.js";

const SPACE = { left: 46, right: 10, top: 8, bottom: 34 };
const HEIGHT = 260;

/* An SVG element; `paint` names a colour of the style sheet, for its line or its area. */
function svg(tag, { paint, ...props }, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(props)) element.setAttribute(name, value);
    if (paint) element.style[tag === "polygon" ? "fill" : "stroke"] = `var(--${paint})`;
    element.append(...children);
    return element;
}

/* About four round numbers from 0 to the largest. */
function ticksTo(max) {
    const rough = max / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((x) => x * power).find((x) => x >= rough);
    return Array.from({ length: Math.floor(max / step + 1e-9) + 1 }, (_, i) => i * step);
}

const write = (x) => x.toLocaleString("en", { maximumFractionDigits: 2 });

/* The frame of a chart: axes and their titles; x and y map data to places. */
function makeFrame(width, { xMax, yMax, xTitle, yTitle }) {
    const right = width - SPACE.right;
    const bottom = HEIGHT - SPACE.bottom;
    const x = (value) => SPACE.left + (value / xMax) * (right - SPACE.left);
    const y = (value) => bottom - (value / yMax) * (bottom - SPACE.top);
    const parts = [];
    for (const tick of ticksTo(yMax)) {
        parts.push(svg("line", { x1: SPACE.left, x2: right, y1: y(tick), y2: y(tick), class: "grid" }),
            svg("text", { x: SPACE.left - 6, y: y(tick) + 4, "text-anchor": "end" }, write(tick)));
    }
    for (const tick of ticksTo(xMax)) parts.push(svg("text", { x: Math.min(x(tick), right - 8), y: bottom + 16, "text-anchor": "middle" }, write(tick)));
    parts.push(svg("text", { x: right, y: HEIGHT - 4, "text-anchor": "end" }, xTitle),
        svg("text", { x: SPACE.left, y: HEIGHT - 4 }, `↑ ${yTitle}`));
    return { x, y, parts };
}

const points = (values, frame) => values.map(([x, y]) => `${frame.x(x).toFixed(1)},${frame.y(y).toFixed(1)}`).join(" ");

const DASHES = ["", "7 3", "2 3", "9 3 2 3"];

function drawLines(frame, lines) {
    return lines.map((line, i) => svg("polyline", { points: points(line.values, frame), class: "curve", "stroke-dasharray": DASHES[i % 4],
                                                    paint: line.colour }));
}

/* Layers on top of each other: values of each step, which add up to 1. */
function drawLayers(frame, layers) {
    let below = layers[0].values.map(([x]) => [x, 0]);
    return layers.map((layer) => {
        const above = below.map(([x, y], i) => [x, y + layer.values[i][1]]);
        const shape = svg("polygon", { points: points([...above, ...[...below].reverse()], frame), paint: layer.colour });
        below = above;
        return shape;
    });
}

/**
 * A chart in a figure, with a legend and, in `table`, the same numbers; draw({kind, lines, xMax, yMax, xTitle, yTitle,
 * label, mark}) draws it. A line is {name, colour, values: [x, y]...}.
 */
export function makeChart(table) {
    const picture = svg("svg", { role: "img", class: "picture", height: HEIGHT });
    const legend = h("ul", { class: "legend" });
    const inside = h("div");
    const details = h("details", {}, h("summary", {}, "The same as a table"), inside);
    const element = h("figure", {}, picture, legend, details);
    let last = null;
    let drawnWidth = 0;

    function fillTable() {
        if (details.open && last) replaceParts(inside, [table(last)]);
    }
    function draw(drawing) {
        last = drawing;
        drawnWidth = element.clientWidth;
        const width = Math.max(drawnWidth, 240);
        const frame = makeFrame(width, drawing);
        picture.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
        picture.setAttribute("width", width);
        picture.setAttribute("aria-label", drawing.label);
        const shapes = drawing.kind === "layers" ? drawLayers(frame, drawing.lines) : drawLines(frame, drawing.lines);
        const mark = drawing.mark === undefined ? [] : [svg("line", { x1: frame.x(drawing.mark), x2: frame.x(drawing.mark),
                                                                      y1: frame.y(0), y2: frame.y(drawing.yMax), class: "cursor" })];
        picture.replaceChildren(...frame.parts, ...shapes, ...mark);
        legend.replaceChildren(...drawing.lines.map((line, i) => h("li", {}, drawing.kind === "layers" ? makeMark(line.colour) : makeDash(line.colour, i), line.name)));
        fillTable();
    }
    details.addEventListener("toggle", fillTable);
    new ResizeObserver(() => last && element.clientWidth !== drawnWidth && draw(last)).observe(element);
    return { element, draw };
}

/** A square in the colour of a type. */
export function makeMark(colour) {
    const mark = h("span", { class: "mark" });
    mark.style.backgroundColor = `var(--${colour})`;
    return mark;
}

function makeDash(colour, i) {
    return svg("svg", { width: 30, height: 10, "aria-hidden": "true" },
        svg("line", { x1: 0, x2: 30, y1: 5, y2: 5, class: "curve", "stroke-dasharray": DASHES[i % 4], paint: colour }));
}

/** Replace the contents of the parts of an element.  A part of the same kind stays, and so does the focus in it. */
export function replaceParts(element, parts) {
    parts.forEach((part, i) => {
        const old = element.children[i];
        if (!old) element.append(part);
        else if (old.tagName !== part.tagName || old.className !== part.className) old.replaceWith(part);
        else {
            for (const { name, value } of part.attributes) old.setAttribute(name, value);
            old.replaceChildren(...part.childNodes);
        }
    });
    while (element.children.length > parts.length) element.lastElementChild.remove();
}

/** A table in a frame that scrolls by itself, also by keyboard. */
export function makeTable(caption, heads, rows) {
    const cell = (content, i) => (i === 0 ? h("th", { scope: "row" }, content) : h("td", { class: "number" }, content));
    return h("div", { class: "frame", tabindex: "0", role: "group", "aria-label": caption },
        h("table", {}, h("caption", {}, h("span", {}, caption)),
            h("thead", {}, h("tr", {}, ...heads.map((head, i) => h("th", { scope: "col", class: i ? "number" : null }, head)))),
            h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map(cell))))));
}
