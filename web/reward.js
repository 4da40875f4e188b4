/* reward.js - reward per step over closed tasks, with transfer and in the control group.
 * SPDX-License-Identifier: Apache-2.0 */
import { learnerPath } from "./api.js";
import { colour, makeChart } from "./chart.js";
import { curl } from "./curl.js";
import { h, section, setText, show } from "./dom.js";
import { count, duration, many, scaleOf, value } from "./format.js";
import { makeTable } from "./table.js";
import { makeEffect } from "./effect.js";

const range = (group) => (group.from === group.to ? count(group.from) : `${count(group.from)}–${count(group.to)}`);

const COLUMNS = [
    { head: "Tasks", cell: range },
    { head: "Transfer", number: true, cell: (g) => value(g.transfer.reward_per_step, g.scale) },
    { head: "Control", number: true, cell: (g) => value(g.control.reward_per_step, g.scale) },
    { head: "Control tasks", number: true, cell: (g) => count(g.control.tasks) },
];

const MAX_POINTS = 40; /* per line: single tasks are too noisy to show a trend */

/** Merge the statistics of several groups. */
function join(sides) {
    const tasks = sides.reduce((sum, side) => sum + side.tasks, 0);
    const reward = sides.reduce((sum, side) => sum + side.tasks * (side.reward_per_step ?? 0), 0);
    return { tasks, reward_per_step: tasks ? reward / tasks : null };
}

/** Merge neighbouring groups. */
function joinGroups(some) {
    return { from: some[0].from, to: some.at(-1).to,
             transfer: join(some.map((g) => g.transfer)), control: join(some.map((g) => g.control)) };
}

const sizeOf = (group) => group.to - group.from + 1;

/** Merge neighbours into at most MAX_POINTS groups; a last group less than half full joins the one before. */
export function coarser(groups) {
    const each = Math.ceil(groups.length / MAX_POINTS);
    const starts = groups.map((_, i) => i).filter((i) => i % each === 0);
    const made = starts.map((i) => joinGroups(groups.slice(i, i + each)));
    const last = made.slice(-2);
    if (last.length < 2 || 2 * sizeOf(last[1]) >= sizeOf(last[0])) return made;
    return [...made.slice(0, -2), joinGroups(last)];
}

/** The mean over all control tasks up to each group: single groups have too few. */
function controlSoFar(groups) {
    return groups.map((_, i) => join(groups.slice(0, i + 1).map((g) => g.control)).reward_per_step);
}

function points(groups, side) {
    return groups.map((g) => ({ x: g.to, y: g[side].reward_per_step }));
}

function drawing(groups, scale) {
    const soFar = controlSoFar(groups);
    const last = groups.at(-1);
    const transfer = colour("transfer");
    const control = colour("control");
    return {
        label: `Mean reward per step of ${count(last.to)} closed tasks, in the order of closing. Last group: ` +
            `${value(last.transfer.reward_per_step, scale)} with transfer; control so far: ${value(soFar.at(-1), scale)}.`,
        datasets: [
            { label: "with transfer", data: points(groups, "transfer"), borderColor: transfer,
              backgroundColor: transfer, pointRadius: 2, borderWidth: 2, spanGaps: true, clip: 8 },
            { label: "control, mean so far", data: groups.map((g, i) => ({ x: g.to, y: soFar[i] })),
              borderColor: control, backgroundColor: control, borderDash: [6, 4], pointRadius: 0, pointStyle: "line",
              borderWidth: 2 },
            { label: "control tasks", data: points(groups, "control"), borderColor: control, backgroundColor: control,
              pointStyle: "triangle", pointRadius: 4, showLine: false },
        ],
        x: { type: "linear", title: "closed tasks", min: 0, max: last.to },
        y: { title: "reward per step" },
        write: (y) => value(y, scale),
    };
}

/** Text: when a task of this learner closes. */
export function closing({ close_after: after, idle }) {
    const conditions = [after ? `after ${many(after, "reward")}` : null,
        idle ? `after ${duration(idle)} without ask or tell` : null, "on request"].filter(Boolean);
    return conditions.length > 1 ? `${conditions.slice(0, -1).join(", ")}, or ${conditions.at(-1)}` : `only ${conditions[0]}`;
}

function nothingYet({ tasks }) {
    return tasks.shadow > 0 ? "All closed tasks were in shadow mode, which counts apart."
        : "No task is closed yet, and the learner learns from closed tasks only.";
}

export function makeReward(name) {
    const table = makeTable("Mean reward per step, by closed tasks", COLUMNS, range);
    const chart = makeChart("line", table);
    const effect = makeEffect();
    const how = h("p");
    const empty = h("div", { class: "empty" }, how, curl(learnerPath(name, "/tasks/student-1/close"), {}));
    const element = section("reward", "Effect of transfer", effect.element, empty, chart.element);
    function update({ learner, groups: fine }) {
        const scale = scaleOf(learner.range);
        const groups = coarser(fine).map((group) => ({ ...group, scale }));
        effect.update(learner);
        if (show(empty, groups.length === 0)) {
            setText(how, `${nothingYet(learner)} A task closes ${closing(learner)}:`);
        }
        if (!show(chart.element, groups.length > 0)) return;
        table.update(groups);
        chart.draw(() => drawing(groups, scale));
    }
    return { element, update, destroy: chart.destroy };
}
