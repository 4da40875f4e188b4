/* tasks.js - open tasks, and what each is taken for.
 * SPDX-License-Identifier: Apache-2.0 */
import { learnerPath } from "./api.js";
import { paintType } from "./chart.js";
import { curl } from "./curl.js";
import { h, section, setText, show } from "./dom.js";
import { follow } from "./follow.js";
import { ago, count, many, scaleOf, share, value } from "./format.js";
import { makeTable } from "./table.js";

const PURPOSES = { exploit: "takes the best arm", distinguish: "distinguishes types", explore: "explores an arm" };
const OPAQUE = { "ts-prior": "no type: ts-prior knows none", tucb: "not told: tucb does not weigh its models" };
const NAMED = 0.1; /* weights from this on are named in words */

/** How a type of a task's version is called now; types are counted anew in every version. */
function nameType(type, followed) {
    if (type === 0) return { label: "none", number: 0 };
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

function words(types, followed) {
    return types.filter((t) => t.weight >= NAMED).sort((a, b) => b.weight - a.weight)
        .map((t) => `${nameType(t.type, followed).label} ${share(t.weight)}`.replaceAll(" ", "\u00a0")).join(", ");
}

function takenFor(task) {
    if (task.control) return h("span", { class: "soft" }, "control: played without transfer");
    if (OPAQUE[task.method]) return h("span", { class: "soft" }, OPAQUE[task.method]);
    if (!task.explanation) return h("span", { class: "soft" }, "–");
    const { types, purpose, arm } = task.explanation;
    const next = purpose ? h("small", {}, `next ${PURPOSES[purpose]}: ${arm}`) : null;
    return h("div", {}, posteriorBar(types, task.followed), words(types, task.followed), next);
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
    { head: "Taken for", cell: takenFor },
    { head: "Rewards", number: true, cell: rewardsCell },
];

export function makeTasks(name) {
    const table = makeTable("Open tasks, the newest first", COLUMNS, (task) => task.task);
    const ask = curl(learnerPath(name, "/ask"), { task: "student-1" });
    const empty = h("div", { class: "empty" },
        h("p", {}, "No task is open. Asking for a task with a new key opens it:"), ask);
    const more = h("p", { class: "soft" });
    const element = section("tasks", "Open tasks", empty, table.element, more);
    function update({ learner, tasks, versions }) {
        const numbers = follow(versions, learner.range);
        const nNow = versions.at(-1)?.types.length ?? 0;
        /* Only some versions are known; numbers change at a refit alone, so an older one near by will do. */
        const followed = (version) => numbers[versions.findLastIndex((v) => v.version <= version)]
            ?.map((number) => (number <= nNow ? number : null)); /* the rest are gone by now */
        show(empty, tasks.length === 0);
        show(table.element, tasks.length > 0);
        const { method } = learner;
        const scale = scaleOf(learner.range);
        table.update(tasks.map((task) => ({ ...task, method, scale, followed: followed(task.version) })));
        const left = learner.tasks.open - tasks.length;
        if (show(more, left > 0)) setText(more, `${many(left, "older open task")} not shown.`);
    }
    return { element, update };
}
