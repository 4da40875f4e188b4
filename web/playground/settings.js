/* settings.js - the form: model set, sliders, seed and pace; and the same in the address, to share it.
 * SPDX-License-Identifier: Apache-2.0 */
import { h, setText } from "./dom.js";
import { many } from "./format.js";
import { LIMITS, PRESETS, fromCsv, problem, randomSet, resize, toCsv } from "./models.js";

const SPREADS = [0, 300, 100, 50, 30, 20, 10]; /* concentrations; 0: none */
const PACES = { 0: "as fast as it computes", 20: "20 tasks per second", 2: "2 tasks per second" };
const USUAL = { set: "paper", steps: 200, tasks: 300, spread: 0, drift: 0, seed: 1, pace: 0 };

function driftText(n, tasks) {
    if (n > tasks) return `never: the run has only ${many(tasks, "task")}`;
    return n ? `from task ${n} on, each arm has the means of the next` : "never";
}

const sliders = [
    { name: "types", label: "Types of tasks", min: 1, max: LIMITS.types, step: 1, text: (n) => many(n, "type") },
    { name: "steps", label: "Steps per task", min: 20, max: 1000, step: 20, text: (n) => many(n, "step") },
    { name: "tasks", label: "Tasks", min: 20, max: 1000, step: 20, text: (n) => many(n, "task") },
    { name: "spread", label: "Spread of tasks around their type", min: 0, max: SPREADS.length - 1, step: 1,
      text: (i) => (SPREADS[i] ? `means are Beta with concentration ${SPREADS[i]}` : "none: all tasks of a type are equal") },
    { name: "drift", label: "Drift: the types change", min: 0, max: 1000, step: 10,
      text: driftText },
];

const files = new Map();

/* The model set of a preset's file. */
async function loadPreset(name, seed) {
    if (name === "random") return randomSet(seed, 4, 6);
    if (!files.has(name)) {
        const answer = await fetch(`${name}.csv`);
        if (!answer.ok) throw new Error(`${name}.csv could not be loaded (${answer.status})`);
        files.set(name, fromCsv(await answer.text()));
    }
    return structuredClone(files.get(name));
}

const isWhole = (text, low, high) => /^\d+$/.test(text) && Number(text) >= low && Number(text) <= high;

/** True if a hash holds settings: another one, such as "#main", is a place on the page. */
export const hasSettings = (hash) => hash.includes("=");

/* Settings of an address; what is missing or wrong has its usual value, and `wrong` names it. */
function readAddress() {
    const given = Object.fromEntries(new URLSearchParams(hasSettings(location.hash) ? location.hash.slice(1) : ""));
    const { models, ...others } = given;
    const ranges = Object.fromEntries(sliders.map(({ name, min, max }) => [name, [min, max]]));
    const isFine = {
        set: (text) => text in PRESETS, pace: (text) => text in PACES, seed: (text) => isWhole(text, 0, 2 ** 53),
        ...Object.fromEntries(["steps", "tasks", "spread", "drift"].map((name) => [name, (text) => isWhole(text, ...ranges[name])])),
    };
    const wrong = Object.keys(others).filter((name) => !isFine[name]?.(others[name]));
    const read = { ...USUAL };
    for (const [name, text] of Object.entries(others))
        if (!wrong.includes(name)) read[name] = name === "set" ? text : Number(text);
    const own = models ? fromCsv(models.replaceAll(";", "\n")) : null;
    if (own && problem(own)) wrong.push("models");
    return { read, own: own && !problem(own) ? own : null, wrong };
}

/** The form; `begin(settings)` and `stop()` are called by its buttons. */
export function makeSettings(form, { begin, stop }) {
    let set = null; /* the model set */
    let preset = null; /* its name; null: edited */
    const inputs = {};
    const texts = {};

    const choice = h("select", { id: "set", onchange: () => choose(choice.value) },
        h("option", { value: "own" }, "Edited"), ...Object.entries(PRESETS).map(([value, text]) => h("option", { value }, text)));
    const seed = h("input", { id: "seed", type: "number", min: "0", step: "1", required: true, onchange: reseed });
    const pace = h("select", { id: "pace", onchange: store }, ...Object.entries(PACES).map(([value, text]) => h("option", { value }, text)));
    const editor = h("div", { class: "frame", tabindex: "0", role: "group", "aria-label": "Model set" });
    const wrong = h("p", { class: "error", role: "alert" });
    const playButton = h("button", { type: "submit" }, "Play");
    const stopButton = h("button", { type: "button", disabled: true, onclick: stop }, "Stop");

    function slider({ name, label, min, max, step, text }) {
        texts[name] = h("output", { for: name });
        inputs[name] = h("input", { id: name, type: "range", min, max, step, oninput: () => {
            if (name === "types") change(resize(set, Number(inputs.types.value), Number(seed.value)));
            update();
        }, onchange: store });
        inputs[name].describe = text;
        return h("div", { class: "field" }, h("label", { for: name }, label), inputs[name], texts[name]);
    }

    function update() {
        for (const [name, input] of Object.entries(inputs)) {
            const text = input.describe(Number(input.value), Number(inputs.tasks.value));
            setText(texts[name], text);
            input.setAttribute("aria-valuetext", text);
        }
        choice.value = preset ?? "own";
        setText(wrong, problem(set) ?? "");
        playButton.disabled = problem(set) !== null;
    }

    function number(value, label, accept) {
        const input = h("input", { type: "number", min: 0, step: "any", value, "aria-label": label, onchange: () => {
            accept(input.value === "" ? NaN : Number(input.value));
            preset = null;
            update();
            store();
        } });
        return input;
    }

    function drawEditor() {
        const rows = set.mean.map((row, k) => h("tr", {}, h("th", { scope: "row" }, `Type ${k + 1}`),
            h("td", {}, number(set.weight[k], `Weight of type ${k + 1}`, (x) => { set.weight[k] = x; })),
            ...row.map((x, i) => h("td", {}, number(x, `Mean of ${set.arms[i]} in type ${k + 1}`, (y) => { row[i] = y; })))));
        editor.replaceChildren(h("table", { class: "editor" }, h("caption", {}, h("span", {}, "Weight of each type, and the mean reward of its arms")),
            h("thead", {}, h("tr", {}, ...["Type", "Weight", ...set.arms].map((text) => h("th", { scope: "col" }, text)))),
            h("tbody", {}, ...rows)));
    }

    function change(next, name = null) {
        set = next;
        preset = name;
        inputs.types.value = set.mean.length;
        drawEditor();
        update();
    }

    async function choose(name) {
        if (name === "own") return;
        try {
            change(await loadPreset(name, Number(seed.value)), name);
            store();
        } catch (error) {
            setText(wrong, error.message);
        }
    }

    /* The address names a random set by its seed, so another seed draws another one. */
    function reseed() {
        const fine = isWhole(seed.value, 0, 2 ** 53);
        if (fine && preset === "random") choose("random");
        else if (fine) store();
    }

    /** The settings of a run, as the candidates need them. */
    function read() {
        const value = (name) => Number(inputs[name].value);
        const drift = value("drift");
        return { set: structuredClone(set), steps: value("steps"), tasks: value("tasks"), spread: SPREADS[value("spread")],
                 drift: drift <= value("tasks") ? drift : 0, seed: Number(seed.value), pace: Number(pace.value) };
    }

    function store() {
        const address = new URLSearchParams();
        if (preset) address.set("set", preset);
        else address.set("models", toCsv(set).trim().replaceAll("\n", ";"));
        for (const name of ["steps", "tasks", "spread", "drift"]) address.set(name, inputs[name].value);
        address.set("seed", seed.value);
        if (pace.value !== "0") address.set("pace", pace.value);
        history.replaceState(null, "", `#${address}`);
    }

    async function open() {
        const { read: given, own, wrong: names } = readAddress();
        seed.value = given.seed;
        pace.value = given.pace;
        for (const name of ["steps", "tasks", "spread", "drift"]) inputs[name].value = given[name];
        change(own ?? await loadPreset(given.set, given.seed), own ? null : given.set);
        if (names.length) setText(wrong, `The address has settings that cannot be used, and the usual ones instead: ${names.join(", ")}.`);
    }

    form.append(
        h("div", { class: "fields" },
            h("div", { class: "field" }, h("label", { for: "set" }, "Model set"), choice),
            ...sliders.map(slider),
            h("div", { class: "field" }, h("label", { for: "seed" }, "Seed"), seed),
            h("div", { class: "field" }, h("label", { for: "pace" }, "Pace"), pace)),
        h("details", { id: "edit" }, h("summary", {}, "Edit the model set"), editor), wrong,
        h("p", { class: "buttons" }, playButton, stopButton));
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (!isWhole(seed.value, 0, 2 ** 53)) {
            setText(wrong, "The seed must be a whole number from 0 to 9,007,199,254,740,992.");
            return;
        }
        store();
        begin(read());
    });
    window.addEventListener("hashchange", () => {
        if (hasSettings(location.hash)) open().catch((error) => setText(wrong, error.message));
    });
    return { open, running: (is) => { stopButton.disabled = !is; } };
}
