/* tasks.js - open tasks and their posterior over types.
 * SPDX-License-Identifier: Apache-2.0 */
import { learnerPath } from "./api.js";
import { paintType } from "./chart.js";
import { curl } from "./curl.js";
import { h, section, setText, show } from "./dom.js";
import { follow } from "./follow.js";
import { ago, count, many, scaleOf, share, value } from "./format.js";
import { makeTable } from "./table.js";
import { hasTypes } from "./types.js";

const PURPOSES = { exploit: "pulls the best arm", distinguish: "distinguishes types", explore: "explores an arm" };
const NAMED = 0.1; /* types with at least this probability are named */

/** The current name of a type of an older version: each refit renumbers the types. */
function nameType(type, followed) {
    if (type === 0) return { label: "no type", number: 0 };
    const number = followed?.[type - 1];
    return number ? { label: `type ${number}`, number } : { label: `old type ${type}`, number: Infinity };
}

function posteriorBar(types, followed) {
    const parts = types.map(({ type, weight }) => {
        const part = h("span");
        part.style.width = `${100 * weight}%`;
        paintType(part, nameType(type, followed).number);
        return part;
    });
    return h("span", { class: "posterior", "aria-hidden": "true" }, ...parts);
}

function typeNames(types, followed) {
    return types.filter((t) => t.weight >= NAMED).sort((a, b) => b.weight - a.weight)
        .map((t) => `${nameType(t.type, followed).label} ${share(t.weight)}`.replaceAll(" ", "\u00a0")).join(", ");
}

/** Why a task shows no posterior over types, or null. */
function whyNoPosterior({ control, learner, explanation }) {
    if (control) return "control group: no transfer";
    if (!hasTypes(learner)) return `no types with ${learner.method}`;
    if (!learner.capabilities.has_posterior) return `${learner.method} has no posterior over its models`;
    return explanation ? null : "–";
}

function posteriorCell(task) {
    const reason = whyNoPosterior(task);
    if (reason) return h("span", { class: "soft" }, reason);
    const { types, purpose, arm } = task.explanation;
    const next = purpose ? h("small", {}, `next ${PURPOSES[purpose]}: ${arm}`) : null;
    return h("div", {}, posteriorBar(types, task.followed), typeNames(types, task.followed), next);
}

function taskCell(task) {
    return h("div", {}, task.task, h("small", {}, `${ago(task.opened)}, version ${count(task.version)}`));
}

function rewardsCell(task) {
    const mean = task.rewards ? h("small", {}, `mean ${value(task.reward_per_step, task.scale)}`) : null;
    return h("div", {}, count(task.rewards), mean);
}

const COLUMNS = [
    { head: "Task", key: true, cell: taskCell },
    { head: "Posterior over types", cell: posteriorCell },
    { head: "Rewards", number: true, cell: rewardsCell },
];

export function makeTasks(name) {
    const table = makeTable("Open tasks, the newest first", COLUMNS, (task) => task.task);
    const ask = curl(learnerPath(name, "/ask"), { task: "student-1" });
    const empty = h("div", { class: "empty" },
        h("p", {}, "No task is open. An ask with a new key opens one:"), ask);
    const more = h("p", { class: "soft" });
    const element = section("tasks", "Open tasks", empty, table.element, more);
    function update({ learner, tasks, versions }) {
        const numbers = follow(versions, learner.range);
        const nNow = versions.at(-1)?.types.length ?? 0;
        /* Not all versions are stored; numbers change only at a refit, so the last older one has the same. */
        const followed = (version) => numbers[versions.filter((v) => v.version <= version).length - 1]
            ?.map((number) => (number <= nNow ? number : null)); /* the others no longer exist */
        show(empty, tasks.length === 0);
        show(table.element, tasks.length > 0);
        const scale = scaleOf(learner.range);
        table.update(tasks.map((task) => ({ ...task, learner, scale, followed: followed(task.version) })));
        const hidden = learner.tasks.open - tasks.length;
        if (show(more, hidden > 0)) setText(more, `${many(hidden, "older open task")} not shown.`);
    }
    return { element, update };
}
