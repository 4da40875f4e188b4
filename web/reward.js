/* reward.js - reward per task over time, that of the control tasks beside it.
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

const MOST = 40; /* points of a line: single tasks are too noisy to see a trend in */

/** The closed tasks with a reward of several sides as one. */
function join(sides) {
    const tasks = sides.reduce((sum, side) => sum + side.tasks, 0);
    const reward = sides.reduce((sum, side) => sum + side.tasks * (side.reward_per_step ?? 0), 0);
    return { tasks, reward_per_step: tasks ? reward / tasks : null };
}

/** Neighbours as one group. */
function joinGroups(some) {
    return { from: some[0].from, to: some.at(-1).to,
             transfer: join(some.map((g) => g.transfer)), control: join(some.map((g) => g.control)) };
}

const sizeOf = (group) => group.to - group.from + 1;

/** At most MOST groups, made of neighbours; a last one that is less than half full goes to the one before. */
export function coarser(groups) {
    const each = Math.ceil(groups.length / MOST);
    const starts = groups.map((_, i) => i).filter((i) => i % each === 0);
    const made = starts.map((i) => joinGroups(groups.slice(i, i + each)));
    const last = made.slice(-2);
    if (last.length < 2 || 2 * sizeOf(last[1]) >= sizeOf(last[0])) return made;
    return [...made.slice(0, -2), joinGroups(last)];
}

/** The mean over all control tasks up to each group: single groups have too few to compare. */
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

/** When a task of this learner closes. */
export function closing({ close_after: after, idle }) {
    const ways = [after ? `after ${many(after, "reward")}` : null,
        idle ? `after ${duration(idle)} without ask or tell` : null, "when it is told to"].filter(Boolean);
    return ways.length > 1 ? `${ways.slice(0, -1).join(", ")}, or ${ways.at(-1)}` : `only ${ways[0]}`;
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
            setText(how, `No task is closed yet, and only closed ones are learned from. A task closes ${closing(learner)}:`);
        }
        if (!show(chart.element, groups.length > 0)) return;
        table.update(groups);
        chart.draw(() => drawing(groups, scale));
    }
    return { element, update, destroy: chart.destroy };
}
