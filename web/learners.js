/* learners.js - the list of learners.
 * SPDX-License-Identifier: Apache-2.0 */
import { get } from "./api.js";
import { isAlarming } from "./alarm.js";
import { curl } from "./curl.js";
import { h, setText, show } from "./dom.js";
import { count, many, share } from "./format.js";
import { hasNoType } from "./types.js";
import { effectShort } from "./effect.js";

/* null: not shown for this learner */
const ROWS = [
    ["Arms", (learner) => count(learner.arms)],
    ["Tasks", (learner) => `${count(learner.closed)} closed, ${count(learner.open)} open`],
    ["Rewards", (learner) => count(learner.rewards)],
    ["Effect of transfer, per step", (learner) => effectShort(learner.effect)],
    ["No type", (learner) => (!hasNoType(learner) ? null : learner.types ? share(learner.no_type) : "–")],
];

/** A card for one learner, to be updated. */
function makeCard(name) {
    const values = ROWS.map(() => h("dd"));
    const rows = ROWS.map(([label], i) => h("div", {}, h("dt", {}, label), values[i]));
    const method = h("p", { class: "soft" });
    const alarm = h("p", { class: "alarm" }, "Many tasks fit no type");
    const damage = h("p", { class: "alarm" });
    const list = h("dl", {}, ...rows);
    const link = h("a", { href: `#/learner/${encodeURIComponent(name)}` }, name);
    const element = h("li", { class: "card" }, h("h2", {}, link), method, alarm, damage, list);
    function update(learner) {
        show(list, !learner.damaged);
        if (show(damage, Boolean(learner.damaged))) {
            setText(damage, `Not served: ${learner.damaged}`);
            setText(method, "");
            show(alarm, false);
            return;
        }
        setText(method, `${learner.paused ? "paused, " : ""}${learner.method}, version ${count(learner.version)}`);
        show(alarm, isAlarming(learner.no_type, learner.types, learner.closed));
        ROWS.forEach(([, textOf], i) => {
            const text = textOf(learner);
            if (show(rows[i], text !== null)) setText(values[i], text);
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

    function update(learner, i) {
        if (!cards.has(learner.name)) cards.set(learner.name, makeCard(learner.name));
        const card = cards.get(learner.name);
        card.update(learner);
        if (list.children[i] !== card.element) list.insertBefore(card.element, list.children[i] ?? null);
    }

    async function poll(signal) {
        const { learners } = await get("/v1/learners", signal);
        const names = new Set(learners.map((learner) => learner.name));
        for (const [name, card] of cards) {
            if (names.has(name)) continue;
            card.element.remove();
            cards.delete(name);
        }
        learners.forEach(update);
        show(empty, learners.length === 0);
        setText(total, learners.length ? many(learners.length, "learner") : "");
    }
    return { title: "Learners", element, poll };
}
