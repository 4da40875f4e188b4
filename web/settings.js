/* settings.js - what a learner was created with, and the shell lines to use it.
 * SPDX-License-Identifier: Apache-2.0 */
import { learnerPath } from "./api.js";
import { curl } from "./curl.js";
import { h } from "./dom.js";
import { clock, count, many, share } from "./format.js";

const never = (n, text) => (n > 0 ? text : "never");

const FACTS = [
    ["Created", (l) => clock(l.created)],
    ["Rewards lie in", (l) => `${l.range[0]} to ${l.range[1]}`],
    ["Steps a task", (l) => (l.steps ? count(l.steps) : "not known")],
    ["A task closes", (l) => never(l.close_after, `after ${many(l.close_after, "reward")}`)],
    ["An idle task closes", (l) => never(l.idle, `after ${many(l.idle, "second")}`)],
    ["Waits for a reward", (l) => (l.wait ? many(l.wait, "second") : "for ever")],
    ["Control tasks", (l) => share(l.control)],
    ["Seed", (l) => String(l.seed)],
];

/** Settings never change, so they are made once. */
export function makeSettings(learner) {
    const facts = FACTS.map(([label, tell]) => h("div", {}, h("dt", {}, label), h("dd", {}, tell(learner))));
    return h("details", {}, h("summary", {}, "Settings, and how to ask and tell"),
        h("dl", { class: "facts" }, ...facts),
        h("p", {}, "Ask which arm to take:"), curl(learnerPath(learner.name, "/ask"), { task: "student-1" }),
        h("p", {}, "Tell what it gave:"), curl("/v1/tell", { decision: "ID", reward: learner.range[1] }));
}
