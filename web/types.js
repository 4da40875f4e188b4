/* types.js - the types found, as a heat map of the means of their arms.
 * SPDX-License-Identifier: Apache-2.0 */
import { typeColour } from "./chart.js";
import { h, section, show, unseen } from "./dom.js";
import { count, share, value } from "./format.js";
import { paint } from "./heat.js";
import { frame } from "./table.js";

const MOST_ARMS = 40; /* columns that are drawn; the most pulled of more */

/** Indices of the arms to show, in their order. */
function shownArms(arms) {
    const all = arms.map((_, i) => i);
    if (all.length <= MOST_ARMS) return all;
    return all.sort((a, b) => arms[b].pulls - arms[a].pulls).slice(0, MOST_ARMS).sort((a, b) => a - b);
}

/** A square of a type's colour. */
function mark(type) {
    const square = h("span", { class: "mark", "aria-hidden": "true" });
    square.style.backgroundColor = typeColour(type);
    return square;
}

function weightCell(type, weight) {
    const bar = h("span", { class: "bar", "aria-hidden": "true" });
    bar.style.width = `${Math.max(100 * weight, 1)}%`;
    bar.style.backgroundColor = typeColour(type);
    return h("td", { class: "weight number" }, share(weight), bar);
}

function meanCell(type, arm, best, [lowest, highest]) {
    if (arm >= type.means.length) return h("td", { class: "soft" }, "new");
    const cell = h("td", { class: "heat" }, value(type.means[arm]));
    if (type.low) cell.append(h("small", {}, `${value(type.low[arm])}–${value(type.high[arm])}`));
    if (best) {
        cell.classList.add("best");
        cell.append(unseen("best arm"));
    }
    paint(cell, (type.means[arm] - lowest) / (highest - lowest));
    return cell;
}

/** The arm of the largest mean among those that can still be taken. */
function bestArm(type, arms) {
    let best = -1;
    arms.forEach((arm, i) => {
        if (!arm.retired && i < type.means.length && (best < 0 || type.means[i] > type.means[best])) best = i;
    });
    return best;
}

function typeRow(learner, shown, number) {
    const type = learner.types[number - 1];
    const best = bestArm(type, learner.arms);
    return h("tr", {}, h("th", { scope: "row" }, mark(number), `Type ${number}`), weightCell(number, type.weight),
        ...shown.map((arm) => meanCell(type, arm, arm === best, learner.range)));
}

function noneRow(learner, shown) {
    return h("tr", {}, h("th", { scope: "row" }, mark(0), "None of them"), weightCell(0, learner.none),
        h("td", { class: "soft", colspan: shown.length }, "tasks that fit no type"));
}

function armHead(arm) {
    return h("th", { scope: "col", class: arm.retired ? "arm soft" : "arm" },
        arm.retired ? `${arm.name} (retired)` : arm.name);
}

function makeMap(learner) {
    const shown = shownArms(learner.arms);
    const left = learner.arms.length - shown.length;
    const caption = "Mean reward of each arm in each type" + (learner.types[0].low ? ", with its 95 % interval" : "") +
        (left ? `; ${count(left)} arms with fewer pulls are left out` : "");
    const head = h("tr", {}, h("th", { scope: "col" }, "Type"),
        h("th", { scope: "col", class: "number" }, "Share of tasks"),
        ...shown.map((arm) => armHead(learner.arms[arm])));
    const rows = learner.types.map((_, i) => typeRow(learner, shown, i + 1));
    return h("table", { class: "map" }, h("caption", {}, caption), h("thead", {}, head),
        h("tbody", {}, ...rows, noneRow(learner, shown)));
}

export function makeTypes() {
    const empty = h("p", { class: "empty" }, "No types yet: they are found once some tasks are closed. " +
        "Until then every task starts from nothing.");
    const map = frame("Types found", "");
    const element = section("types", "Types found", empty, map);
    let drawn = "";
    function update({ learner }) {
        show(empty, learner.types.length === 0);
        if (!show(map, learner.types.length > 0)) return;
        const now = JSON.stringify([learner.types, learner.none, learner.arms.map((a) => [a.name, a.retired])]);
        if (now === drawn) return;
        drawn = now;
        map.replaceChildren(makeMap(learner));
    }
    return { element, update };
}
