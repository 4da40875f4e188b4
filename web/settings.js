/* settings.js - the settings of a learner, and commands to use it.
 * SPDX-License-Identifier: Apache-2.0 */
import { learnerPath } from "./api.js";
import { curl } from "./curl.js";
import { h } from "./dom.js";
import { clock, count, duration, exact, many, share } from "./format.js";

const never = (n, text) => (n > 0 ? text : "never");

const byArm = (numbers, textOf) => Object.entries(numbers).map(([arm, x]) => `${arm} ${textOf(x)}`).join(", ");

/* null: not shown for this learner */
const ROWS = [
    ["Created", (l) => clock(l.created)],
    ["Range of rewards", (l) => l.range.map(exact).join(" to ")],
    ["Steps per task", (l) => (l.steps ? count(l.steps) : "not known")],
    ["A task closes", (l) => never(l.close_after, `after ${many(l.close_after, "reward")}`)],
    ["An idle task closes", (l) => never(l.idle, `after ${duration(l.idle)}`)],
    ["Reward deadline", (l) => (l.reward_deadline ? duration(l.reward_deadline) : "none")],
    ["Default reward", (l) => (!l.reward_deadline ? null : l.default_reward === null ? "none: the decision is ignored" : exact(l.default_reward))],
    ["Control tasks", (l) => (l.grow ? `${share(0.5)}, falling to ${share(l.control)} as transfer helps` : share(l.control))],
    ["Transfer that harms", (l) => (l.stop_if_harmful ? "stops" : null)],
    ["Smallest effect", (l) => (l.smallest_effect ? exact(l.smallest_effect) : null)],
    ["Least probability of an arm", (l) => (l.floor ? share(l.floor) : null)],
    ["Fixed shares", (l) => (l.shares ? byArm(l.shares, share) : null)],
    ["Costs of pulls", (l) => (l.costs ? byArm(l.costs, exact) : null)],
    ["Cost of a switch", (l) => (l.switch_cost ? exact(l.switch_cost) : null)],
    ["Rewards shown", (l) => (l.rewards_before_costs ? "before costs" : null)],
    ["Models", (l) => (l.settings.models ? count(l.settings.models) : null)],
    ["Seed", (l) => String(l.seed)],
];

/** Made again after a change of settings. */
export function makeSettings(learner) {
    const shown = ROWS.map(([label, textOf]) => [label, textOf(learner)]).filter(([, text]) => text !== null);
    const rows = shown.map(([label, text]) => h("div", {}, h("dt", {}, label), h("dd", {}, text)));
    return h("details", {}, h("summary", {}, "Settings, and commands to ask and tell"),
        h("dl", { class: "settings" }, ...rows),
        h("p", {}, "Ask which arm to pull:"), curl(learnerPath(learner.name, "/ask"), { task: "student-1" }),
        h("p", {}, "Tell its reward:"), curl("/v1/tell", { decision: "ID", reward: learner.range[1] }));
}
