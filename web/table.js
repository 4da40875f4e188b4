/* table.js - tables that are updated in place.
 * SPDX-License-Identifier: Apache-2.0 */
import { h, setText } from "./dom.js";

/**
 * @typedef {Object} Column
 * @property {string} head
 * @property {(item: any) => (string|Node)} cell  the content; a text is changed in place
 * @property {boolean} [number]  aligned to the right
 * @property {boolean} [key]     a task's key: as wide as a long number
 * @property {boolean} [name]    a name: as wide as most names
 */

function makeCell(column, index) {
    const kind = ["number", "key", "name"].find((option) => column[option]) ?? null;
    return index === 0 ? h("th", { scope: "row", class: kind }) : h("td", { class: kind });
}

function fill(row, columns, item) {
    if (row.cells.length === 0) row.append(...columns.map(makeCell));
    columns.forEach((column, i) => {
        const content = column.cell(item);
        if (typeof content === "string") setText(row.cells[i], content);
        else if (!row.cells[i].firstChild?.isEqualNode(content)) row.cells[i].replaceChildren(content);
    });
}

/**
 * A table in a frame that scrolls by itself, also by keyboard.
 * @param {string} caption
 * @param {Column[]} columns
 * @param {(item: any, i: number) => any} key  the key of the row of an item
 */
export function makeTable(caption, columns, key) {
    const body = h("tbody");
    const heads = columns.map((c) => h("th", { scope: "col", class: c.number ? "number" : null }, c.head));
    const table = h("table", {}, makeCaption(caption), h("thead", {}, h("tr", {}, ...heads)), body);
    const rows = new Map();

    function update(items) {
        const keys = items.map(key);
        for (const [name, row] of rows) {
            if (keys.includes(name)) continue;
            row.remove();
            rows.delete(name);
        }
        items.forEach((item, i) => {
            const row = rows.get(keys[i]) ?? h("tr");
            rows.set(keys[i], row);
            fill(row, columns, item);
            if (body.rows[i] !== row) body.insertBefore(row, body.rows[i] ?? null);
        });
    }
    return { element: frame(caption, table), update };
}

/** A caption as wide as the visible part of its table. */
export const makeCaption = (text) => h("caption", {}, h("span", {}, text));

/** A frame that scrolls sideways when its content is too wide, and fades out where there is more. */
export function frame(label, ...content) {
    const inside = h("div", { class: "inside" }, ...content);
    const element = h("div", { class: "frame", role: "region", "aria-label": label, tabindex: "0" }, inside);
    function update() {
        const beyond = element.scrollWidth - element.clientWidth;
        element.classList.toggle("wide", beyond > 1);
        element.classList.toggle("more", element.scrollLeft < beyond - 1);
    }
    element.addEventListener("scroll", update);
    const observer = new ResizeObserver(update);
    observer.observe(element);
    observer.observe(inside);
    return element;
}
