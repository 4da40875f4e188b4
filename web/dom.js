/* dom.js - helpers that create and change elements without markup in strings.
 * SPDX-License-Identifier: Apache-2.0 */

/**
 * Create an element.  Properties named on... are listeners, the others attributes; null and false are
 * skipped, true is an empty attribute.
 * @param {string} tag
 * @param {Object<string, any>} [props]
 * @param {...(Node|string|null)} children
 */
export function h(tag, props = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) {
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
}

/** Set a text only if it differs, so that a selection in it survives. */
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

/** Show or hide; returns `shown`. */
export function show(element, shown) {
    element.hidden = !shown;
    return shown;
}

/** Text for screen readers only. */
export const unseen = (text) => h("span", { class: "unseen" }, text);

/** A section with a heading, as a landmark region. */
export function section(id, title, ...children) {
    return h("section", { "aria-labelledby": id }, h("h2", { id }, title), ...children);
}
