/* page.js - the playground: settings, a run of all policies, and what is shown of it.
 * SPDX-License-Identifier: Apache-2.0 */
import { setText } from "./dom.js";
import { many } from "./format.js";
import { makeLog } from "./log.js";
import { Run, startWorker } from "./run.js";
import { makeResults } from "./results.js";
import { hasSettings, makeSettings } from "./settings.js";

document.getElementById("how-to-open").remove(); /* this script has been started */
const status = document.getElementById("status");
let run = null;
let results = null;
let reached = 0; /* tasks that the run has come to, at the pace of the settings */
let shown = null; /* the task that the visitor has chosen, or null: the last one */
let before = 0; /* time of the last frame */
let waiting = false; /* for a frame */
let finished = false;

/* Advance at the pace of the settings, not beyond what was played. */
function advance(now) {
    const { pace } = run.settings;
    const max = run.played();
    reached = pace ? Math.min(max, reached + (pace * (now - before)) / 1000) : max;
    before = now;
}

function update() {
    const tasks = Math.floor(reached);
    results.update(run, shown ?? tasks, tasks);
}

function frame(now) {
    waiting = false;
    if (!run || finished) return;
    advance(now);
    update();
    if (reached < run.played()) request();
    else if (run.isDone()) finish("Done");
}

function request() {
    if (!waiting) requestAnimationFrame(frame);
    waiting = true;
}

/* The end is announced once; a screen reader would not keep up with more. */
function finish(how) {
    const tasks = Math.floor(reached);
    const sentences = run.candidates.map(({ policy, regret, message }) => (message ? `${policy}: ${message}`
        : `${policy} ${tasks ? (regret.slice(0, tasks).reduce((a, b) => a + b, 0) / tasks).toFixed(2) : "–"}`));
    finished = true;
    setText(status, `${how} after ${many(tasks, "task")}. Regret per task: ${sentences.join(", ")}.`);
    results.finish(run, tasks);
    settings.running(false);
    document.body.dataset.state = "done";
}

/* At its end the slider follows the run. */
function choose() {
    const task = Number(results.slider.value);
    shown = task < Number(results.slider.max) ? task : null;
    update();
}

function begin(given) {
    run?.stop();
    reached = 0;
    shown = null;
    finished = false;
    before = performance.now();
    results = makeResults();
    results.slider.addEventListener("input", choose);
    document.getElementById("results").replaceChildren(results.element);
    document.body.dataset.state = "playing";
    setText(status, "Playing …");
    settings.running(true);
    run = new Run(given, request);
    update();
    request();
}

function stop() {
    run?.stop();
    finish("Stopped");
}

const settings = makeSettings(document.getElementById("settings"), { begin, stop });
makeLog(document.getElementById("log"));

/* The hash holds the settings, so the skip link cannot use it. */
document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("main").focus();
});
const asker = startWorker({ work: "version" }, {
    version: ({ version }) => {
        setText(document.getElementById("version"), `libsegue ${version}`);
        asker.terminate();
    },
    failed: ({ message }) => setText(status, `The library could not be loaded: ${message}`),
});
settings.open().then(() => {
    document.body.dataset.state = "ready";
    if (!hasSettings(location.hash)) document.querySelector("#settings [type=submit]").click();
}, (error) => setText(status, error.message));
