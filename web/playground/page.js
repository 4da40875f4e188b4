/* page.js - the playground: settings, a run of all policies, and what is shown of it.
 * SPDX-License-Identifier: Apache-2.0 */
import { setText } from "./dom.js";
import { makeLog } from "./log.js";
import { Run, startWorker } from "./run.js";
import { makeResults } from "./results.js";
import { hasSettings, makeSettings } from "./settings.js";

const status = document.getElementById("status");
let run = null;
let results = null;
let shown = 0; /* tasks that are shown */
let follows = true; /* false: the visitor has chosen a task */
let before = 0; /* time of the last frame */
let waiting = false; /* for a frame */

/* Advance at the pace of the settings, not beyond what was played. */
function advance(now) {
    const { pace } = run.settings;
    const max = run.played();
    if (!follows) return;
    const exact = pace ? Math.min(max, shown + (pace * (now - before)) / 1000) : max;
    shown = exact;
    before = now;
}

function frame(now) {
    waiting = false;
    if (!run) return;
    advance(now);
    const tasks = Math.floor(shown);
    results.update(run, tasks);
    const done = run.isDone() && (tasks === run.played() || !follows);
    if (done) finish("Done");
    else if (follows) request();
}

function request() {
    if (!waiting) requestAnimationFrame(frame);
    waiting = true;
}

/* The end is announced once; a screen reader would not keep up with more. */
function finish(how) {
    const tasks = Math.floor(shown);
    const sentences = run.candidates.map(({ policy, regret, message }) => (message ? `${policy}: ${message}`
        : `${policy} ${tasks ? (regret.slice(0, tasks).reduce((a, b) => a + b, 0) / tasks).toFixed(2) : "–"}`));
    setText(status, `${how} after ${tasks} tasks. Regret per task: ${sentences.join(", ")}.`);
    results.finish(run, tasks);
    settings.running(false);
    document.body.dataset.state = "done";
}

function begin(given) {
    run?.stop();
    shown = 0;
    follows = true;
    before = performance.now();
    results = makeResults();
    results.slider.addEventListener("input", () => {
        follows = false;
        shown = Number(results.slider.value);
        results.update(run, shown);
    });
    document.getElementById("results").replaceChildren(results.element);
    document.body.dataset.state = "playing";
    setText(status, "Playing …");
    settings.running(true);
    run = new Run(given, request);
    results.update(run, 0);
    request();
}

function stop() {
    run?.stop();
    run?.candidates.forEach((candidate) => { candidate.done = true; });
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
