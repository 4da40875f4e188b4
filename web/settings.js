/* settings.js - what a learner was created with, and the shell lines to use it.
 * SPDX-License-Identifier: Apache-2.0 */
import { learnerPath } from "./api.js";
import { curl } from "./curl.js";
import { h } from "./dom.js";
import { clock, count, duration, exact, many, share } from "./format.js";

const never = (n, text) => (n > 0 ? text : "never");

/* null: nothing to say of this learner */
const FACTS = [
    ["Created", (l) => clock(l.created)],
    ["Rewards lie in", (l) => l.range.map(exact).join(" to ")],
    ["Steps a task", (l) => (l.steps ? count(l.steps) : "not known")],
    ["A task closes", (l) => never(l.close_after, `after ${many(l.close_after, "reward")}`)],
    ["An idle task closes", (l) => never(l.idle, `after ${duration(l.idle)}`)],
    ["Waits for a reward", (l) => (l.reward_deadline ? duration(l.reward_deadline) : "for ever")],
    ["What counts then", (l) => (!l.reward_deadline ? null : l.default_reward === null ? "nothing: the decision is ignored" : exact(l.default_reward))],
    ["Control tasks", (l) => share(l.control)],
    ["Models", (l) => (l.settings.models ? count(l.settings.models) : null)],
    ["Seed", (l) => String(l.seed)],
];

/** Settings never change, so they are made once. */
export function makeSettings(learner) {
    const told = FACTS.map(([label, tell]) => [label, tell(learner)]).filter(([, text]) => text !== null);
    const facts = told.map(([label, text]) => h("div", {}, h("dt", {}, label), h("dd", {}, text)));
    return h("details", {}, h("summary", {}, "Settings, and how to ask and tell"),
        h("dl", { class: "facts" }, ...facts),
        h("p", {}, "Ask which arm to take:"), curl(learnerPath(learner.name, "/ask"), { task: "student-1" }),
        h("p", {}, "Tell what it gave:"), curl("/v1/tell", { decision: "ID", reward: learner.range[1] }));
}
