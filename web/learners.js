/* learners.js - all learners at a glance.
 * SPDX-License-Identifier: Apache-2.0 */
import { get } from "./api.js";
import { isAlarming } from "./alarm.js";
import { curl } from "./curl.js";
import { h, setText, show } from "./dom.js";
import { count, many, share } from "./format.js";
import { knowsNone } from "./types.js";
import { effectShort } from "./effect.js";

/* null: no line for this learner */
const FACTS = [
    ["Arms", (line) => count(line.arms)],
    ["Tasks", (line) => `${count(line.closed)} closed, ${count(line.open)} open`],
    ["Rewards", (line) => count(line.rewards)],
    ["Transfer, per step", (line) => effectShort(line.effect)],
    ["Of no type", (line) => (!knowsNone(line.method) ? null : line.types ? share(line.no_type) : "–")],
];

/** A card for one learner, to be updated. */
function makeCard(name) {
    const values = FACTS.map(() => h("dd"));
    const facts = FACTS.map(([label], i) => h("div", {}, h("dt", {}, label), values[i]));
    const method = h("p", { class: "soft" });
    const alarm = h("p", { class: "alarm" }, "Many tasks are of no known type");
    const damage = h("p", { class: "alarm" });
    const list = h("dl", {}, ...facts);
    const link = h("a", { href: `#/learner/${encodeURIComponent(name)}` }, name);
    const element = h("li", { class: "card" }, h("h2", {}, link), method, alarm, damage, list);
    function update(line) {
        show(list, !line.damaged);
        if (show(damage, Boolean(line.damaged))) {
            setText(damage, `Not served: ${line.damaged}`);
            setText(method, "");
            show(alarm, false);
            return;
        }
        setText(method, `${line.method}, version ${count(line.version)}`);
        show(alarm, isAlarming(line.no_type, line.types, line.closed));
        FACTS.forEach(([, tell], i) => {
            const text = tell(line);
            if (show(facts[i], text !== null)) setText(values[i], text);
        });
    }
    return { element, update };
}

function makeEmpty() {
    const body = { name: "tutors", arms: ["hint", "example", "video"], steps: 100 };
    return h("section", { class: "empty" }, h("h2", {}, "No learner yet"),
        h("p", {}, "Create one ", h("a", { href: "#/new" }, "in a form"), ", or from a shell:"),
        curl("/v1/learners", body));
}

export function learnersPage() {
    const list = h("ul", { class: "cards" });
    const empty = makeEmpty();
    const total = h("p", { class: "soft" });
    const cards = new Map();
    const element = h("div", {}, h("h1", { tabindex: "-1" }, "Learners"), total, empty, list);
    show(empty, false);

    function place(line, i) {
        if (!cards.has(line.name)) cards.set(line.name, makeCard(line.name));
        const card = cards.get(line.name);
        card.update(line);
        if (list.children[i] !== card.element) list.insertBefore(card.element, list.children[i] ?? null);
    }

    async function look(signal) {
        const { learners } = await get("/v1/learners", signal);
        const names = new Set(learners.map((line) => line.name));
        for (const [name, card] of cards) {
            if (names.has(name)) continue;
            card.element.remove();
            cards.delete(name);
        }
        learners.forEach(place);
        show(empty, learners.length === 0);
        setText(total, learners.length ? many(learners.length, "learner") : "");
    }
    return { title: "Learners", element, look };
}
