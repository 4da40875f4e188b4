/* results.js - what a run shows: regret, types that were found, the running task, the command.
 * SPDX-License-Identifier: Apache-2.0 */
import { h, section, setText } from "./dom.js";
import { count, many, share } from "./format.js";
import { paint } from "./heat.js";
import { makeChart, makeMark, makeTable, replaceParts } from "./chart.js";
import { drifted, toCsv } from "./models.js";
import { posteriorOf, stepOf } from "./steps.js";

const COLOURS = { ts: "type-2", mucb: "type-3", tucb: "type-4", tla: "type-1" };
const ROWS = 40; /* of the table of a chart */

const TYPE_COLOURS = 16; /* the style sheets have as many */
const typeColour = (type) => (type === 0 ? "none" : `type-${1 + (type - 1) % TYPE_COLOURS}`);
const typeName = (type) => (type === 0 ? "no type" : `type ${type}`);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const download = (name, text) => h("a", { href: `data:text/csv;charset=utf-8,${encodeURIComponent(text)}`, download: name }, name);

/* Evenly chosen numbers up to `n`, which is the last one. */
function every(n) {
    const step = Math.max(1, Math.ceil(n / ROWS));
    return Array.from({ length: n }, (_, i) => i + 1).filter((i) => i % step === 0 || i === n);
}

/* ---- regret ------------------------------------------------------------------------------ */

function makeRegret() {
    const tiles = h("dl", { class: "tiles" });
    const slider = h("input", { id: "task", type: "range", min: 0, value: 0 });
    const chart = makeChart(({ lines }) => makeTable("Regret, added up over tasks", ["Tasks", ...lines.map((line) => line.name)],
        every(Math.max(...lines.map((line) => line.values.length - 1)))
            .map((task) => [count(task), ...lines.map((line) => line.values[task]?.[1].toFixed(2) ?? "–")])));
    const element = section("regret", "Regret: reward missed, against each task's best arm", tiles, chart.element,
        h("div", { class: "field wide-field" }, h("label", { for: "task" }, "Show the run up to task"), slider));

    function update(run, shown, reached) {
        const lines = run.candidates.map(({ policy, regret }) => {
            let total = 0;
            return { name: policy, colour: COLOURS[policy], values: [[0, 0], ...regret.slice(0, shown).map((x, i) => [i + 1, total += x])] };
        });
        slider.max = reached;
        slider.value = shown;
        slider.setAttribute("aria-valuetext", `${shown} of ${reached} tasks`);
        tiles.replaceChildren(...run.candidates.map(({ policy, regret, message }) => h("div", {}, h("dt", {}, `${policy}: regret per task`),
            h("dd", message ? { class: "failed" } : {}, message ?? (shown ? (sum(regret.slice(0, shown)) / shown).toFixed(2) : "–")))));
        const max = Math.max(...lines.map((line) => line.values.at(-1)[1]));
        chart.draw({ kind: "lines", lines, xMax: run.settings.tasks, yMax: max || 1, xTitle: "tasks", yTitle: "regret so far",
                     label: `Regret added up over ${shown} tasks. ${lines.map((l) => `${l.name}: ${l.values.at(-1)[1].toFixed(1)}`).join(", ")}.` });
    }
    return { element, update, slider };
}

/* ---- types ------------------------------------------------------------------------------- */

/* The model nearest to a type: the smallest of the largest differences of means. */
function nearest(mean, models) {
    const apart = models.map((row) => Math.max(...row.map((x, i) => Math.abs(x - mean[i]))));
    const k = apart.indexOf(Math.min(...apart));
    return `type ${k + 1} of the set, ± ${apart[k].toFixed(2)}`;
}

/** A table of types with a colour per mean. */
export function typesTable(caption, arms, types, models = null) {
    const heads = ["Type", "Share", ...arms, ...(models ? ["Nearest"] : [])];
    const table = makeTable(caption, heads, types.mean.map((mean, k) => [h("span", {}, makeMark(typeColour(k + 1)), `${k + 1}`),
        share(types.weight[k]), ...mean.map((x) => x.toFixed(2)), ...(models ? [nearest(mean, models)] : [])]));
    table.querySelectorAll("tbody tr").forEach((row, k) => types.mean[k].forEach((x, i) => paint(row.cells[i + 2], x)));
    return table;
}

function makeTypes() {
    const found = h("div");
    const element = section("types", "Types, as they are found", found);
    function update(run, shown) {
        const { set, drift } = run.settings;
        const models = drift && shown >= drift ? [...set.mean, ...drifted(set).mean] : set.mean;
        const parts = run.candidates.filter((candidate) => ["tla", "tucb"].includes(candidate.policy)).reverse().map((candidate) => {
            const learned = candidate.at(shown);
            const none = learned?.types.no_type ? `, and ${share(learned.types.no_type)} of tasks fit no type` : "";
            if (!learned?.types.mean.length) return h("p", { class: "soft" }, `${candidate.policy} has found no types yet.`);
            return typesTable(`${candidate.policy} after ${learned.after} tasks: ${learned.types.mean.length} found${none}`, set.arms, learned.types, models);
        });
        const truth = typesTable("The model set, which they do not see", set.arms, { ...set, weight: set.weight.map((w) => w / sum(set.weight)) });
        replaceParts(found, [...parts, truth]);
    }
    return { element, update };
}

/* ---- the running task -------------------------------------------------------------------- */

const PURPOSES = { exploit: "to exploit the best arm", explore: "to explore", draw: "by a random draw" };

function describe(step, arms) {
    const why = step.purpose === "distinguish" ? `to tell ${typeName(step.types[0])} from ${typeName(step.types[1])}` : PURPOSES[step.purpose];
    return `${typeName(step.likeliest)} is likeliest (${share(step.share)}). tla pulls ${arms[step.arm]} ${why}: reward ${step.reward}.`;
}

function makeRunning() {
    const slider = h("input", { id: "step", type: "range", min: 1, value: 1 });
    const text = h("p", { id: "step-text" });
    const title = h("p", { class: "soft" });
    let task = null;
    let arms = [];
    const chart = makeChart(() => makeTable("Steps of the task", ["Step", "Arm", "Reward", "Purpose", "Posterior of the likeliest type"],
        every(task.steps.count).map((i) => {
            const step = stepOf(task.steps, i - 1);
            return [count(i), arms[step.arm], String(step.reward), step.purpose, `${typeName(step.likeliest)}: ${share(step.share)}`];
        })));
    const element = section("running", "The running task, step by step", title, chart.element,
        h("div", { class: "field wide-field" }, h("label", { for: "step" }, "Step"), slider), text);
    element.hidden = true; /* until there is a task */

    function draw() {
        const { steps } = task;
        const lines = Array.from({ length: steps.width }, (_, type) => ({
            name: typeName(type), colour: typeColour(type),
            values: Array.from({ length: steps.count }, (__, i) => [i + 1, posteriorOf(steps, i, type)]) }));
        const sentence = `Step ${slider.value}: ${describe(stepOf(steps, slider.value - 1), arms)}`;
        setText(text, sentence);
        slider.setAttribute("aria-valuetext", sentence);
        chart.draw({ kind: "layers", lines: [...lines.slice(1), lines[0]], xMax: steps.count, yMax: 1, xTitle: "steps", yTitle: "posterior of types",
                     mark: Number(slider.value), label: `Posterior of the types over the steps of a task. ${sentence}` });
    }
    slider.addEventListener("input", () => task && draw());
    function update(run, shown) {
        const learned = run.candidates.find((candidate) => candidate.policy === "tla").at(shown);
        if (!learned || learned === task) return;
        const atEnd = !task || Number(slider.value) === task.steps.count || slider.value === slider.max;
        task = learned;
        element.hidden = false;
        arms = run.settings.set.arms;
        slider.max = task.steps.count;
        if (atEnd) slider.value = slider.max;
        setText(title, `Task ${task.after}, played by tla: the probability of each type before each pull. Types have the numbers that they had when it began.`);
        draw();
    }
    return { element, update };
}

/* ---- the command line -------------------------------------------------------------------- */

function command({ steps, tasks, seed, spread, drift }) {
    const parts = ["segue simulate --models models.csv --policy ts,mucb,tucb,tla", `--tasks ${tasks} --steps ${steps}`, `--runs 1 --seed ${seed}`];
    if (spread) parts.push(`--spread ${spread}`);
    if (drift) parts.push(`--switch-at ${drift} --switch-to changed.csv`);
    return [...parts, "--curve regret.csv"].join(" \\\n    ");
}

function makeCommand() {
    const element = section("command", "The same numbers on the command line");
    function update(run, reached) {
        const { settings } = run;
        const lines = run.candidates.filter((candidate) => !candidate.message)
            .flatMap(({ policy, regret }) => regret.slice(0, reached).map((x, i) => `${policy},${i + 1},${x}`));
        const played = reached < settings.tasks ? `the first ${many(reached, "task")}, which were played here: ` : "what was played here: ";
        element.replaceChildren(element.firstChild, h("pre", { tabindex: "0", role: "group", "aria-label": "Command" }, command(settings)),
            h("p", {}, "Files: ", download("models.csv", toCsv(settings.set)), ...(settings.drift ? [", ", download("changed.csv", toCsv(drifted(settings.set)))] : []),
                ", and ", played, download("played.csv", `policy,task,regret\n${lines.join("\n")}\n`)));
    }
    return { element, update };
}

/** All results, and the slider that chooses the task up to which they are shown; `reached` tasks can be chosen. */
export function makeResults() {
    const regret = makeRegret();
    const parts = [regret, makeTypes(), makeRunning()];
    const last = makeCommand();
    const element = h("div", {}, ...parts.map((part) => part.element), last.element);
    return {
        element,
        slider: regret.slider,
        update: (run, shown, reached) => parts.forEach((part) => part.update(run, shown, reached)),
        finish: (run, reached) => last.update(run, reached),
    };
}
