/* types.js - the types found, as a heat map of the means of their arms.
 * SPDX-License-Identifier: Apache-2.0 */
import { paintType } from "./chart.js";
import { h, section, setText, show, unseen } from "./dom.js";
import { count, scaleOf, share, span, value } from "./format.js";
import { paint } from "./heat.js";
import { frame, makeCaption } from "./table.js";

/** The learner finds types or models. */
export const hasTypes = ({ capabilities: can }) => can.has_types || can.has_models;
/** The learner has a component for tasks of no type. */
export const hasNoType = ({ capabilities: can }) => can.has_types;

const MAX_ARMS = 40; /* columns; with more arms, those with the most pulls */

/** Indices of the arms to show, in their order. */
function shownArms(arms) {
    const all = arms.map((_, i) => i);
    if (all.length <= MAX_ARMS) return all;
    return all.sort((a, b) => arms[b].pulls - arms[a].pulls).slice(0, MAX_ARMS).sort((a, b) => a - b);
}

/** A square of a type's colour. */
function mark(type) {
    const square = h("span", { class: "mark", "aria-hidden": "true" });
    paintType(square, type);
    return square;
}

function weightCell(type, weight) {
    const bar = h("span", { class: "bar", "aria-hidden": "true" });
    bar.style.width = `${Math.max(100 * weight, 1)}%`;
    paintType(bar, type);
    return h("td", { class: "weight number" }, share(weight), bar);
}

function meanCell(type, arm, best, range) {
    const scale = scaleOf(range);
    if (arm >= type.means.length) return h("td", { class: "soft" }, "new");
    const cell = h("td", { class: "heat" }, value(type.means[arm], scale));
    if (type.low) cell.append(h("small", {}, span(type.low[arm], type.high[arm], scale)));
    if (best) {
        cell.classList.add("best");
        cell.append(unseen("best arm"));
    }
    paint(cell, (type.means[arm] - range[0]) / scale);
    return cell;
}

/** The arm with the largest mean, retired arms excluded. */
function bestArm(type, arms) {
    let best = -1;
    arms.forEach((arm, i) => {
        if (!arm.retired && i < type.means.length && (best < 0 || type.means[i] > type.means[best])) best = i;
    });
    return best;
}

/** A name that may be long: clipped on screen, complete for screen readers. */
const clipped = (tag, text) => h(tag, { class: "clip", title: text }, text);

function rowHead(type, name, more) {
    return h("th", { scope: "row" }, mark(type), name, clipped("small", more));
}

/** The id of a type, which stays when its number changes, and its best arm. */
function about(type, best) {
    return [type.id ? `id ${type.id}` : "", best ? `best: ${best}` : ""].filter(Boolean).join(", ");
}

function typeRow(learner, shown, number) {
    const type = learner.types[number - 1];
    const best = bestArm(type, learner.arms);
    return h("tr", {}, rowHead(number, `Type ${number}`, about(type, best < 0 ? "" : learner.arms[best].name)),
        weightCell(number, type.weight),
        ...shown.map((arm) => meanCell(type, arm, arm === best, learner.range)));
}

function noTypeRow(learner, shown) {
    return h("tr", {}, rowHead(0, "No type", "tasks that fit no type"), weightCell(0, learner.no_type),
        h("td", { colspan: shown.length }));
}

function armHead(arm) {
    return h("th", { scope: "col", class: arm.retired ? "arm soft" : "arm" },
        clipped("span", arm.retired ? `${arm.name} (retired)` : arm.name));
}

function makeMap(learner) {
    const shown = shownArms(learner.arms);
    const hidden = learner.arms.length - shown.length;
    const caption = "Mean reward of each arm in each type" + (learner.types[0].low ? ", with its 95 % interval" : "") +
        (hidden ? `; ${count(hidden)} arms with fewer pulls not shown` : "");
    const head = h("tr", {}, h("th", { scope: "col" }, "Type"),
        h("th", { scope: "col", class: "number" }, "Share of tasks"),
        ...shown.map((arm) => armHead(learner.arms[arm])));
    const rows = learner.types.map((_, i) => typeRow(learner, shown, i + 1));
    return h("table", { class: "map" }, makeCaption(caption), h("thead", {}, head),
        h("tbody", {}, ...rows, hasNoType(learner) ? noTypeRow(learner, shown) : null));
}

const NO_TYPES = "No types yet: the learner finds them in closed tasks. Until then tasks start without a shared prior.";
const NEVER = "has no types: it learns one prior per arm from closed tasks, and new tasks start with it.";
const PLAIN = "has no transfer: each task starts anew.";

function whyEmpty(learner) {
    if (hasTypes(learner)) return NO_TYPES;
    return `${learner.method} ${learner.capabilities.has_transfer ? NEVER : PLAIN}`;
}

export function makeTypes() {
    const empty = h("p", { class: "empty" });
    const holder = h("div");
    const map = frame("Types found", holder);
    const hint = h("p", { class: "soft hint" }, "Scroll sideways for more arms.");
    const element = section("types", "Types found", empty, map, hint);
    let drawn = "";
    function update({ learner }) {
        if (show(empty, learner.types.length === 0)) setText(empty, whyEmpty(learner));
        if (!show(map, learner.types.length > 0)) return;
        const now = JSON.stringify([learner.types, learner.no_type, learner.arms.map((a) => [a.name, a.retired])]);
        if (now === drawn) return;
        drawn = now;
        holder.replaceChildren(makeMap(learner));
    }
    return { element, update };
}
